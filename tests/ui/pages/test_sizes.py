"""Saved HTML files of what is recorded are small enough for a mail, the largest of them too."""

import pytest

from specviz.facts.iteration_facts import nodes_of
from specviz.lab.lessons.lesson import lesson_document
from specviz.lab.lessons.pack import KINDS, pack
from specviz.trace.record import Iteration
from specviz.ui.page import load_gallery, load_openings
from specviz.ui.pages.saving import race_file, step_file
from specviz.ui.serving.limits import MAX_LANES
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names

LARGEST = 600_000  # bytes
GALLERY, OPENINGS = load_gallery(), load_openings()
LESSONS = [find_lesson(name, gallery_runs()) for name in lesson_names()]


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
@pytest.mark.parametrize("traces", [GALLERY, *OPENINGS.values()], ids=["gallery", *OPENINGS])
def test_every_step(traces):
    for trace in traces:
        for index in range(len(trace.iterations)):
            assert size(step_file(trace, index)["text"]) < LARGEST, (trace.header.method.name, index)


@pytest.mark.parametrize("name", OPENINGS)
def test_a_race_that_the_page_opens_with(name):
    assert size(race_file("ab" * 16, OPENINGS[name])["text"]) < LARGEST


def test_a_race_of_the_longest_records():
    lanes = sorted(GALLERY, key=lambda trace: sum(len(nodes_of(one)) for one in trace.iterations))[-MAX_LANES:]
    assert size(race_file("ab" * 16, lanes)["text"]) < LARGEST


def test_every_lesson_and_all_in_one():
    for lesson in LESSONS:
        assert size(lesson_document(lesson)) < LARGEST
    for kind in KINDS:
        assert size(pack(kind, LESSONS)[1]) < LARGEST
