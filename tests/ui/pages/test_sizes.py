"""Saved HTML files of what is recorded are small enough for a mail, the largest of them too."""

import pytest

from specviz.facts.iteration_facts import nodes_of
from specviz.lab.lessons.lesson import lesson_document
from specviz.lab.lessons.pack import KINDS, pack
from specviz.trace.record import Iteration
from specviz.ui.pages.saving import race_file, step_file
from specviz.ui.serving.limits import MAX_LANES
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from tests.recorded import load_gallery, load_openings

LARGEST = 600_000  # bytes
GALLERY = load_gallery()


def size(text: str) -> int:
    return len(text.encode())


def amount(iteration: Iteration) -> tuple[int, int]:
    """How much there is to be seen in an iteration."""
    return len(iteration.decisions) * len(nodes_of(iteration)), len(iteration.decisions)


@pytest.mark.parametrize("trace", GALLERY, ids=lambda trace: trace.header.method.name)
def test_a_step_with_the_most_to_see(trace):
    most = max(range(len(trace.iterations)), key=lambda index: amount(trace.iterations[index]))
    assert size(step_file(trace, most)["text"]) < LARGEST


@pytest.mark.full
def test_every_race_that_the_page_opens_with_and_its_steps_with_the_most_to_see():
    for name, traces in load_openings().items():
        assert size(race_file("ab" * 16, traces)["text"]) < LARGEST, name
        for trace in traces:
            most = max(range(len(trace.iterations)), key=lambda index: amount(trace.iterations[index]))
            assert size(step_file(trace, most)["text"]) < LARGEST, (name, trace.header.method.name)


def test_a_race_of_the_longest_records():
    lanes = sorted(GALLERY, key=lambda trace: sum(len(nodes_of(one)) for one in trace.iterations))[-MAX_LANES:]
    assert size(race_file("ab" * 16, lanes)["text"]) < LARGEST


@pytest.mark.full
def test_every_lesson_and_all_in_one():
    lessons = [find_lesson(name, gallery_runs()) for name in lesson_names()]
    for lesson in lessons:
        assert size(lesson_document(lesson)) < LARGEST
    for kind in KINDS:
        assert size(pack(kind, lessons)[1]) < LARGEST
