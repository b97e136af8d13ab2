"""A crowd at the door, for real: the app as its own process with the tiny pair, 12 clients that speak like the page."""

from dataclasses import replace

import httpx
import pytest

from specviz.commands.show_page import memory_table
from specviz.errors import SpecvizError
from specviz.lab.page.load import Load, Visit, crowd, load_test, race_event
from specviz.lab.page.memory import memory_after
from specviz.lab.page.server import serving
from specviz.ui.serving.limits import MAX_TOGETHER
from tests.printing import printed
from tests.tiny_pair import write_pair

CLIENTS = 12
GROWTH = 64_000_000  # bytes above the level after the warm-up


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    with serving([f"--target={target}", f"--draft={draft}", "--device=cpu"]) as page:
        crowd(page.url, 1, tokens=1)  # the models are there
        yield page


@pytest.mark.full
def test_everybody_is_served_a_few_in_turns_and_the_others_after_them(served):
    load = load_test(*served, clients=CLIENTS, rounds=1, warm=1, tokens=12)
    assert len(load.visits) == CLIENTS
    assert load.count("failed") == 0, {visit.said for visit in load.visits}
    assert load.count("finished") == len(load.visits)
    for visit in load.visits:
        assert visit.updates and visit.updates == tuple(range(1, len(visit.updates) + 1))
        assert list(visit.queue_positions) == sorted(set(visit.queue_positions), reverse=True)
    assert load.told >= CLIENTS // 2 and load.dropped == 0 and load.together == MAX_TOGETHER
    if load.growth is not None:
        assert load.growth < GROWTH, (load.level, load.after)


@pytest.mark.full
def test_what_is_over_leaves_little_in_memory(served):
    kept = memory_after(*served, few=4, many=16, tokens=4)
    if kept is not None:
        assert kept.ratio < 1.15, kept
        assert "1.00" in printed(memory_table(replace(kept, after_many=kept.after_few)))


@pytest.mark.full
def test_after_the_crowd_the_next_one_need_not_wait(served):
    (visit,) = crowd(served.url, 1, tokens=4)
    assert visit.outcome == "finished" and visit.queue_positions == ()
    assert httpx.get(f"{served.url}gradio_api/queue/status").json()["queue_size"] == 0


def test_something_else_at_the_address_is_said(served):
    with pytest.raises(SpecvizError, match="does not answer like a specviz page"):
        race_event(f"{served.url}specviz/")


def test_a_load_counts_what_was_dropped():
    def visit(*updates, begin, end, outcome="finished", queue_positions=()):
        return Visit(outcome, "", queue_positions, updates, begin, end)

    apart = visit(1, 2, 3, begin=0.0, end=1.0), visit(1, 3, begin=2.0, end=3.0, queue_positions=(1,))
    load = Load(2, (*apart, visit(begin=0.5, end=0.5, outcome="refused")), 100, (150, 90))
    assert [one.dropped for one in load.visits] == [0, 1, 0]
    assert (load.dropped, load.told, load.growth) == (1, 1, -10)
    assert load.count("finished") == 2 and load.count("refused") == 1
