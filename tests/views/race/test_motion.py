"""A race in motion: every moment comes from the record, nothing is lost, and what is drawn fits."""

from dataclasses import replace
from itertools import pairwise

import pytest

from specviz.facts import iteration_facts as facts
from specviz.views.drafts.mask import mask_matrix, own_columns
from specviz.views.drafts.node_states import final_states
from specviz.views.race.dials import dials
from specviz.views.race.motion import MOST_ROWS, lane_motion, newest_motion
from tests.recorded import load_gallery
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

GALLERY = {trace.header.method.name: trace for trace in load_gallery()}
EVERY = pytest.mark.parametrize("trace", GALLERY.values(), ids=GALLERY)


@EVERY
def test_moments_lie_in_their_phases_and_follow_each_other(trace):
    for iteration, motion in zip(trace.iterations, lane_motion(trace)["iterations"], strict=True):
        draft, target, verify = (motion["phases"][name] for name in ("draft", "target", "verify"))
        assert draft[0] <= draft[1] <= target[0] <= target[1] <= verify[0] <= verify[1]
        assert verify[1] == pytest.approx(iteration.segments[-1].end)
        for guess in motion["guesses"]:
            drafted = guess["name"].isdigit()
            assert (draft if drafted else verify)[0] <= guess["appears"] <= (draft if drafted else verify)[1]
            assert guess["appears"] <= guess["settles"] <= verify[1]
            assert 0 <= guess["weight"] <= 1


@EVERY
def test_a_deeper_guess_appears_later(trace):
    for motion in lane_motion(trace)["iterations"]:
        ends = {}
        for guess in motion["guesses"]:
            if guess["name"].isdigit():
                first, last = ends.get(guess["x"], (1e9, 0.0))
                ends[guess["x"]] = min(first, guess["appears"]), max(last, guess["appears"])
        for (_, one), (_, next_) in pairwise(sorted(ends.items())):
            assert one[1] <= next_[0] + 1e-9


@EVERY
def test_a_forest_fits_and_keeps_what_became_text(trace):
    for iteration, motion in zip(trace.iterations, lane_motion(trace)["iterations"], strict=True):
        rows = [guess["y"] for guess in motion["guesses"]] + [root["y"] for root in motion["roots"]]
        assert 0 == min(rows) <= max(rows) <= motion["rows"] - 1 < MOST_ROWS
        names = {guess["name"] for guess in motion["guesses"]} | {str(root["name"]) for root in motion["roots"]}
        assert all(guess["parent"] in names for guess in motion["guesses"])
        drawn = sum(guess["name"].isdigit() for guess in motion["guesses"])
        assert drawn + motion["folded"] == len(facts.nodes_of(iteration))
        states = final_states(iteration)
        for guess in motion["guesses"]:
            assert not guess["name"].isdigit() or guess["fate"] == states[int(guess["name"])]
        if not iteration.beams:
            written = {emitted.node for emitted in iteration.emitted if emitted.node is not None}
            assert {str(node) for node in written} <= names


@EVERY
def test_survivors_know_their_place_in_the_text(trace):
    before = 0
    for iteration, motion in zip(trace.iterations, lane_motion(trace)["iterations"], strict=True):
        slots = {guess["slot"]: guess for guess in motion["guesses"] if guess["slot"] is not None}
        for slot, guess in slots.items():
            emitted = iteration.emitted[slot - before]
            assert guess["name"] == str(emitted.node) if emitted.node is not None else guess["fate"] == emitted.origin
        if not iteration.beams:
            assert len(slots) == len(iteration.emitted)
        before += len(iteration.emitted)
        assert motion["tokens"] == before


@EVERY
def test_dials_end_as_the_lane_does(trace):
    motion = lane_motion(trace)
    assert len(motion["dials"]) == len(trace.iterations)
    assert motion["dials"][-1] == [(dial["text"], dial["unit"], dial["value"]) for dial in dials(trace)]


def test_the_dials_on_the_way_count_what_was_done_so_far():
    trace = GALLERY["speculative"]
    keys = [dial["key"] for dial in dials(trace)]
    for made, texts in enumerate(lane_motion(trace)["dials"], start=1):
        shown = dict(zip(keys, texts, strict=True))
        done = trace.iterations[:made]
        tokens = sum(len(iteration.emitted) for iteration in done)
        calls = sum(call.role == "target" for iteration in done for call in iteration.calls)
        assert float(shown["tokens_per_target_call"][0]) == pytest.approx(tokens / calls, rel=0.01)
        speed = tokens / sum(iteration.seconds for iteration in done)
        assert float(shown["tokens_per_second"][0]) == pytest.approx(speed, rel=0.01)
        assert float(shown["acceptance_rate"][0]) == pytest.approx(
            100 * sum(i.accepted for i in done) / sum(i.offered for i in done), abs=0.5
        )


@EVERY
def test_the_newest_iteration_is_the_last_of_the_lane(trace):
    assert newest_motion(trace)["iterations"] == lane_motion(trace)["iterations"][-1:]


@EVERY
def test_the_rows_of_the_call_are_those_of_the_mask(trace):
    for iteration, motion in zip(trace.iterations, lane_motion(trace)["iterations"], strict=True):
        rows = [name for name, _ in motion["reads"]]
        assert rows == [str(prefix) for prefix in facts.read_prefixes(iteration)[: len(rows)]]
        matrix, own = mask_matrix(iteration), len(own_columns(iteration))
        for row, cells in enumerate(matrix):
            seen, at = {row}, motion["reads"][row][1]
            while at >= 0:
                seen.add(at)
                at = motion["reads"][at][1]
            assert seen == {key for key, cell in enumerate(cells[1 + own :]) if cell != "hidden"}


def test_looks_differ():
    looks = {name: lane_motion(GALLERY[name])["look"] for name in ("speculative", "specinfer", "mtad", "medusa")}
    assert looks == {"speculative": "chain", "specinfer": "tree", "mtad": "beams", "medusa": "heads"}
    assert lane_motion(GALLERY["improved-mcsd"])["look"] == "forks"


def test_verdicts_fall_in_the_order_of_the_decisions():
    trace = speculative_trace()
    for iteration, motion in zip(trace.iterations, lane_motion(trace)["iterations"], strict=True):
        judged = [decision.node for decision in iteration.decisions if hasattr(decision, "node")]
        moments = {guess["name"]: guess["settles"] for guess in motion["guesses"]}
        order = [moments[str(node)] for node in judged]
        assert order == sorted(order) and len(set(order)) == len(order)


@pytest.mark.parametrize("made", [autoregressive_trace, speculative_trace, mtad_trace])
def test_a_run_without_a_record_has_its_phases(made):
    trace = made()
    bare = tuple(replace(iteration, forest=None, decisions=()) for iteration in trace.iterations)
    motion = lane_motion(replace(trace, iterations=bare, header=replace(trace.header, recorded=False)))
    assert [one["guesses"] for one in motion["iterations"]] == [[]] * len(bare)
    assert [one["tokens"] for one in motion["iterations"]][-1] == len(trace.tokens)
