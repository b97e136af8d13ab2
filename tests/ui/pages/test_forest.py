"""The page "Same forest, every verdict": its numbers are the engine's, and what it refuses it explains."""

import json
from dataclasses import replace

import pytest

import specviz
from specviz.decoding.exact.judge import finished
from specviz.decoding.registry.parts import free_verifiers
from specviz.errors import SpecvizError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.distribution import total_variation
from specviz.ui.pages import forest as page
from specviz.ui.pages import forest_verdict
from specviz.ui.pages.forest import draft_messages, open_forest
from specviz.ui.pages.forest_source import Forests, draft, draft_option_names, read_draft, recorded, steps_with_forests
from specviz.ui.serving import limits
from specviz.ui.serving.device import Device, Visitor
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns, recorded_run
from specviz.ui.settings import Refusal
from tests.ui.test_messages import Letters

PLAIN = {"temperature": 1.0, "top_k": None, "top_p": None}
FORM = {"form": "1", "prompt": "abc", "drafter": "tree", "options": {"k_config": "2x2", **PLAIN}, "seed": 3}


def judge_forest(*asked):
    return finished(page.judge_forest(*asked))


def compare_verdicts(*asked):
    return finished(page.compare_verdicts(*asked))


@pytest.fixture(scope="module")
def pair():
    return ModelPair(TableLM.random(5, 0), TableLM.random(5, 1), tokenizer=Letters())


@pytest.fixture(scope="module")
def loader(pair):
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(10)
    return loader


@pytest.fixture(scope="module")
def traces(pair):
    sizes = {"speculative": {"gamma": 3}, "specinfer": {"k_config": (2, 2)}, "mtad": {"gamma": 3, "beams": 2}}
    return {
        name: specviz.decode(pair, name, "abc", max_new_tokens=6, seed=1, top_k=4, top_p=None, **own)
        for name, own in sizes.items()
    }


@pytest.fixture
def forests(traces):
    return Forests(KeptRuns(list(traces.values())))


def source(name: str, step: int = 0, **warp) -> dict:
    return {"run": recorded_run([name]), "lane": 0, "step": step, "warp": warp}


@pytest.mark.parametrize("name", ["speculative", "specinfer", "mtad"])
def test_every_row_says_what_judge_says(forests, traces, name):
    answer = open_forest(forests, {"source": source(name)})
    scored = recorded(traces[name], 0, {}).scored
    assert [row["name"] for row in answer["rows"]] == list(free_verifiers())
    judges = 0
    for row in answer["rows"]:
        request = {"source": source(name), "verifier": row["name"], "seed": 5}
        if row["refused"]:
            one_chain = "tree" not in free_verifiers()[row["name"]].judges
            assert one_chain and not scored.forest.is_chain or name == "mtad"
            with pytest.raises(SpecvizError):
                judge_forest(forests, request)
            continue
        shown, judgement = judge_forest(forests, request), specviz.judge(scored, row["name"], seed=5)
        assert shown["accepted"] == judgement.expected_accepted and shown["tokens"] == judgement.expected_tokens
        assert sum(shown["lengths"]) == pytest.approx(1)
        mean = sum(kept * chance for kept, chance in enumerate(shown["lengths"]))
        assert mean == pytest.approx(judgement.expected_accepted)
        assert "".join(one["piece"] for one in shown["emitted"]) == "".join("abcde"[t] for t in judgement.tokens)
        _, view = finished(forest_verdict.judged(recorded(traces[name], 0, {}), row["name"], {}, 5))
        for node, chance in view.keep_probabilities.items():
            assert chance == pytest.approx(sum(p for path, p in judgement.kept.items() if node in path))
        judges += 1
    assert judges >= 4


def test_lossless_rows_have_the_target_s_first_token_and_others_do_not(forests):
    away, kept, exact = {}, {}, set()
    for name in free_verifiers():
        shown = judge_forest(forests, {"source": source("speculative"), "verifier": name, "options": {}, "seed": 0})
        away[name], kept[name] = shown["distance"], shown["first"]
        exact |= {name} if shown["guarantee"]["exact"] else set()
    assert exact == {"token", "block", "recursive", "kseq", "rejection", "traversal", "best-path"}
    assert away["rollback"] is kept["rollback"] is None  # needs probabilities that top-k left out of the record
    assert max(away[name] for name in exact) < 1e-9
    limit = open_forest(forests, {"source": source("speculative")})["limit"]
    assert all(kept[name] == pytest.approx(limit) for name in exact - {"rejection"})
    assert kept["rejection"] < limit < kept["typical"]
    assert min(away[name] for name in ("joint", "typical", "greedy")) > 0.01


def test_another_seed_is_another_verdict_on_the_same_numbers(forests):
    shown = [
        judge_forest(forests, {"source": source("speculative"), "verifier": "token", "seed": seed})
        for seed in range(12)
    ]
    assert len({one["accepted"] for one in shown}) == 1
    assert len({one["words"] for one in shown}) > 1


def test_a_slider_reaches_the_rule(forests):
    ask = {"source": source("speculative"), "verifier": "joint", "seed": 0}
    strict, lax = (judge_forest(forests, ask | {"options": {"tau": tau}})["accepted"] for tau in (1.0, 0.0))
    assert strict < lax == pytest.approx(3)
    lenient = judge_forest(forests, ask | {"verifier": "token", "options": {"lenience": 0.1}})
    assert not lenient["guarantee"]["exact"] and lenient["distance"] > 0.01
    with pytest.raises(SpecvizError, match=r"tau must be a number in \[0, 1\], got 3"):
        judge_forest(forests, ask | {"options": {"tau": 3}})


def test_the_temperature_of_a_recorded_forest_can_be_changed(forests):
    warm, cold = (source("speculative", temperature=temperature) for temperature in (1.0, 0.5))
    ask = {"verifier": "token", "seed": 0}
    assert judge_forest(forests, ask | {"source": warm})["accepted"] == pytest.approx(
        judge_forest(forests, ask | {"source": source("speculative")})["accepted"]
    )
    changed = judge_forest(forests, ask | {"source": cold})
    assert changed["accepted"] != judge_forest(forests, ask | {"source": warm})["accepted"]
    assert changed["distance"] < 1e-9  # still lossless
    options = {one["name"]: one["value"] for one in open_forest(forests, {"source": cold})["warp"]["options"]}
    assert options["temperature"] == 0.5


def test_two_side_by_side(forests):
    pair_ = [{"verifier": "token", "options": {}}, {"verifier": "joint", "options": {"tau": 0.2}}]
    answer = compare_verdicts(forests, {"source": source("speculative"), "pair": pair_, "seed": 0})
    (counts,), (first,) = answer["counts"]["shapes"], answer["free"]["picture"]["shapes"]
    assert {len(row["bars"]) for row in counts["rows"]} == {2} and {len(row["bars"]) for row in first["rows"]} == {3}
    assert answer["free"]["distances"][0] == "exactly the target's distribution"
    assert answer["frozen"]["distances"][0] != "exactly the target's distribution"  # it favours the frozen guesses
    assert json.loads(json.dumps(answer))["notes"]
    searched = compare_verdicts(forests, {"source": source("mtad"), "pair": pair_, "seed": 0})
    assert searched["free"] is None and "unknown" in searched["notes"][0]


def test_steps_that_others_can_judge(pair, traces):
    assert steps_with_forests(traces["speculative"]) == list(range(len(traces["speculative"].iterations)))
    alone = specviz.decode(pair, "autoregressive", "abc", max_new_tokens=3)
    beams = specviz.decode(pair, "dsbd", "abc", max_new_tokens=4, gamma=2)
    assert steps_with_forests(alone) == []
    with pytest.raises(SpecvizError, match="no guesses that other verifiers could judge"):
        recorded(alone, 0, {})
    assert all(len(beams.iterations[step].inputs) < 2 for step in steps_with_forests(beams))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"run": "f" * 32, "lane": 0, "step": 0}, "no longer kept"),
        ({"run": recorded_run(["speculative"]), "lane": 4, "step": 0}, "There is no lane 5: this race has 1"),
        ({"run": recorded_run(["speculative"]), "lane": 0, "step": 99}, "iteration must be 1 to"),
        ({"run": recorded_run(["speculative"]), "lane": 0, "step": -1}, "iteration must be"),
        ({"run": recorded_run(["speculative"]), "lane": 0, "step": 0, "warp": {"temperature": -1}}, "temperature must"),
        ({"run": recorded_run(["speculative"]), "lane": 0, "step": 0, "warp": {"gamma": 2}}, "no option 'gamma'"),
        ({"id": "nothing"}, "Draft it again"),
        ("forest", "could not be read"),
    ],
)
def test_forests_that_are_not_there(forests, wrong, said):
    with pytest.raises(SpecvizError, match=said):
        open_forest(forests, {"source": wrong})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verifier": "oracle"}, "verifier must be one of token"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": True}, "seed must be"),
        ({"options": [1]}, "The options could not be read"),
    ],
)
def test_verdicts_that_cannot_be_asked_for(forests, change, said):
    with pytest.raises(SpecvizError, match=said):
        judge_forest(forests, {"source": source("speculative"), "verifier": "token", "seed": 0} | change)


def test_a_drafted_forest_is_kept_and_judged(pair, loader, forests):
    *_, told = draft_messages(loader, forests, Device(), FORM)
    assert told["kind"] == "drafted" and told["form"] == "1"
    *_, again = draft_messages(loader, forests, Device(), FORM)
    assert again["id"] == told["id"]
    opened = open_forest(forests, {"source": {"id": told["id"]}})
    assert "guesses in a tree" in opened["drawn"] and opened["warp"]["options"] == []
    shown = judge_forest(forests, {"source": {"id": told["id"]}, "verifier": "recursive", "seed": 2})
    scored = specviz.score_forest(pair, "abc", "tree", seed=3, k_config=(2, 2), **PLAIN)
    assert shown["accepted"] == specviz.judge(scored, "recursive").expected_accepted and shown["distance"] < 1e-9
    refused = {row["name"]: row["refused"] is not None for row in opened["rows"]}
    assert refused == {name: "tree" not in specviz.verifiers()[name].judges for name in refused}
    assert refused["token"] and refused["rollback"] and not refused["recursive"]


def test_a_recorded_forest_has_every_end_token(traces):
    trace = traces["speculative"]
    assert recorded(trace, 0, {}).end_tokens == frozenset()
    several = replace(trace, header=replace(trace.header, end_token=1, end_tokens=(1, 3)))
    assert recorded(several, 0, {}).end_tokens == {1, 3}


def test_only_so_many_forests_are_kept(loader, forests):
    names = []
    for seed in range(limits.MAX_KEPT_FORESTS + 1):
        visitor = Visitor("b" if seed else "a")
        *_, told = draft_messages(loader, forests, Device(), FORM | {"seed": seed}, visitor)
        names.append(told["id"])
    open_forest(forests, {"source": {"id": names[-1]}})
    open_forest(forests, {"source": {"id": names[0]}})  # of another visitor, who has but one
    with pytest.raises(SpecvizError, match="Draft it again"):
        open_forest(forests, {"source": {"id": names[1]}})


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"prompt": " "}, "prompt", "empty"),
        ({"prompt": "x" * (limits.MAX_PROMPT_CHARACTERS + 1)}, "prompt", "characters"),
        ({"drafter": "oracle"}, "forest-drafter", "drafter must be one of chain"),
        ({"options": {"k_config": "9x9"}}, "forest-k_config", "whole numbers in"),
        ({"options": {"k_config": "8x8x8"}}, "forest-k_config", "at most 256 nodes"),
        ({"drafter": "distinct-tree", "options": {"k_config": "5x4x3", **PLAIN}}, "forest-k_config", "up to 64"),
        ({"options": {"temperature": -1}}, "forest-temperature", "temperature must be"),
        ({"options": {"gamma": 3}}, "forest-gamma", "no option 'gamma'"),
        ({"drafter": "posterior", "options": {}}, "forest-drafter", "prediction heads"),
        ({"seed": "soon"}, "forest-seed", "seed must be a whole number"),
        ({"options": 7}, "forest", "reload the page"),
    ],
)
def test_drafts_that_are_refused_name_the_field(loader, forests, change, field, said):
    *_, told = draft_messages(loader, forests, Device(), FORM | change)
    assert told["kind"] == "refused" and told["field"] == field and said in told["message"]


def test_a_draft_waits_for_its_turn(loader, forests):
    device = Device()
    with device.ticket():
        told = draft_messages(loader, forests, device, FORM)
        text = "One person is before you; the draft starts by itself …"
        assert next(told) == {"kind": "waiting", "form": "1", "queue_position": 1, "text": text}
        told.close()
    assert len(device) == 0


def test_too_many_outcomes_are_said(pair, monkeypatch):
    frozen = draft(pair, read_draft(FORM))
    monkeypatch.setattr("specviz.ui.pages.forest_verdict.MAX_FOREST_OUTCOMES", 3)
    with pytest.raises(SpecvizError, match="fewer candidates, or a smaller top-k"):
        finished(forest_verdict.judged(frozen, "recursive", {}, 0))


def test_greedy_forests_know_that_they_are(pair):
    frozen = draft(pair, read_draft(FORM | {"options": {"k_config": "2", "temperature": 0}}))
    assert frozen.temperature == 0 and frozen.guarantee("recursive", {}) == "greedy"
    assert (
        total_variation(
            finished(forest_verdict.first_distribution(frozen, "recursive", {})).distribution,
            {int(frozen.scored.root.probs.argmax()): 1.0},
        )
        == 0
    )


def test_sizes_of_a_drafter():
    assert draft_option_names("chain") == ("gamma", "draft")
    assert draft_option_names("beam") == ("gamma", "beams", "draft")
    with pytest.raises(Refusal):
        read_draft(None)
