"""A stranger's drafter and verifier work everywhere: registered by name, or given as specs that nobody registered."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import specviz
from specviz import __main__ as command_line
from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.exact.first_token import first_token_distribution
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.parts import (
    free_drafters,
    free_options,
    free_verifiers,
    register_drafter,
    register_verifier,
)
from specviz.decoding.registry.registry import register_method, unregister
from specviz.errors import OptionError, ReplayError
from specviz.options import Option
from specviz.trace.check import first_problem
from specviz.trace.distribution import total_variation
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.views import step_figures, step_texts, steps
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.registry.own_parts import (
    BLEND,
    BLENDED,
    FORGETFUL,
    HASTY,
    IN_HASTE,
    IN_PAIRS,
    METHODS,
    PATIENT,
    STRANGER,
    TWINS,
)
from tests.decoding.registry.own_parts import (
    PAIRS as PAIRED,
)
from tests.decoding.registry.test_custom import SMALL, pair_with_heads, sizes_of
from tests.decoding.replay.live import Live
from tests.decoding.replay.test_replay import differences
from tests.decoding.replay.test_replay_settings import numbers_of, same_uniform
from tests.decoding.run.test_properties import table_pair, transformer_pair
from tests.tiny_pair import write_pair

EXACT = 1e-9
PROMPT = [1, 2, 3]
PLAIN = {"temperature": 1.0, "top_k": None, "top_p": None}


@pytest.fixture
def registered():
    """The stranger's parts, known by name for as long as a test runs."""
    for spec in (TWINS, PAIRED, BLEND):
        register_drafter(spec)
    for spec in (PATIENT, HASTY):
        register_verifier(spec)
    yield [register_method(by_name(method)) for method in METHODS]
    for one in (TWINS, PAIRED, BLEND, PATIENT, HASTY, *METHODS):
        unregister(one.name)


def by_name(method):
    """The same method with its parts by their names."""
    drafter, verifier = method.pair({})
    return replace(method, drafter=drafter.name, verifier=verifier.name)


class Known(NamedTuple):
    """How a method is asked for: ``ask`` stands for it where one is chosen, ``given`` says it to what reads traces."""

    ask: str | Method
    given: dict[str, Any]


@pytest.fixture(params=["registered", "nobody registered"])
def way(request):
    """Gives how to ask for one of the methods."""
    if request.param == "registered":
        request.getfixturevalue("registered")
        return lambda method: Known(method.name, {})
    return lambda method: Known(method, {"method": method})


def decoded(known, pair=None, seed=1, **options):
    return specviz.decode(pair or transformer_pair(), known.ask, PROMPT, max_new_tokens=14, seed=seed, **options)


# Runs, races, distributions.


@pytest.mark.every(5)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("warp", [{}, {"temperature": 0.0}, PLAIN], ids=str)
def test_it_is_decoded_and_recorded(way, method, warp):
    known = way(method)
    for pair in (transformer_pair(), *(table_pair(seed, ends=True) for seed in range(5))):
        trace = decoded(known, pair, **warp)
        about = trace.header.method
        drafter, verifier = method.pair({})
        assert (about.name, about.drafter, about.verifier) == (method.name, drafter.name, verifier.name)
        assert about.guarantee == ("greedy" if warp == {"temperature": 0.0} else "target")
        assert trace.header.options.get("patience") == (None if method is IN_HASTE else 0.8)
        assert first_problem(trace) is None
        assert trace_from_json(trace_to_json(trace)) == trace
        light = specviz.decode(pair, known.ask, PROMPT, max_new_tokens=14, seed=1, record=False, **warp)
        assert light.tokens == trace.tokens
        if warp == {"temperature": 0.0}:
            assert trace.tokens == specviz.decode(pair, "autoregressive", PROMPT, max_new_tokens=14, **warp).tokens


def test_it_races(way):
    known, traces = way(STRANGER), {}
    lanes = ["autoregressive", known.ask, (known.ask, {"patience": 0.5})]
    for lane, _ in specviz.race(transformer_pair(), lanes, PROMPT, max_new_tokens=14, seed=1, twins=3):
        traces[lane.index] = lane.trace()
    assert [traces[index].header.options.get("patience") for index in range(3)] == [None, 0.8, 0.5]
    assert traces[1].tokens == decoded(known, twins=3).tokens
    assert traces[2].tokens == decoded(known, twins=3, patience=0.5).tokens


OPTIONS = [
    (STRANGER, {"twins": 1, "gamma": 1}),
    (STRANGER, {"twins": 2, "gamma": 2, "patience": 0.5}),
    (STRANGER, {"twins": 3, "gamma": 1, "patience": 1.0}),
    (IN_PAIRS, {}),
    (IN_PAIRS, {"patience": 0.3}),
    (BLENDED, {"gamma": 2}),
    (BLENDED, {"gamma": 1, "evenness": 1.0, "patience": 0.6}),
    (IN_HASTE, {"gamma": 2}),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("method", "options"), OPTIONS, ids=lambda one: getattr(one, "name", str(one)))
@pytest.mark.parametrize("pair", ["random", "zeros", "disjoint"])
def test_it_follows_the_target_exactly(method, options, pair):
    found = exact_distribution(PAIRS[pair], method, [0, 1], 2, restart=True, **options)
    assert sum(found.values()) == pytest.approx(1, abs=EXACT)
    assert total_variation(found, target_distribution(PAIRS[pair], [0, 1], 2)) < EXACT


@pytest.mark.parametrize("warp", [{"temperature": 0.7, "top_k": 2}, {"top_p": 0.6}, {"temperature": 0.0}], ids=str)
@pytest.mark.parametrize(("method", "options"), [OPTIONS[1], OPTIONS[3], OPTIONS[5]], ids=str)
def test_the_warped_distribution_is_kept_too(method, options, warp):
    pair = random_pair(4, 9)
    found = exact_distribution(pair, method, [2, 0], 2, restart=True, **options, **warp)
    assert total_variation(found, target_distribution(pair, [2, 0], 2, **warp)) < EXACT


@pytest.mark.full
def test_nothing_hangs_on_the_restart(way):
    pair = random_pair(3, 22)
    found = exact_distribution(pair, way(STRANGER).ask, [1, 0], 2, twins=2, gamma=1)
    assert total_variation(found, target_distribution(pair, [1, 0], 2)) < EXACT


def test_another_residual_is_caught(record_property):
    """Negative control: the same coins with the residual of another rule."""
    forgetful, pair = replace(STRANGER, verifier=FORGETFUL), random_pair(3, 26, sharpness=2.0)
    assert forgetful.guarantee == "lossy"
    found = exact_distribution(pair, forgetful, [0], 1, twins=1, gamma=1, patience=0.6)
    distance = total_variation(found, target_distribution(pair, [0], 1))
    record_property("total_variation", float(distance))
    assert distance > 0.02


# One frozen forest.


def test_its_forest_is_judged_by_anyone_and_it_judges_any_forest(way):
    pair, known = random_pair(4, 8), way(STRANGER)
    drafters = [known.ask if isinstance(known.ask, Method) else "twins", TWINS, STRANGER]
    forests = [specviz.score_forest(pair, [0, 1], drafter, seed=3, gamma=2, **PLAIN) for drafter in drafters]
    assert len({tuple(node.token for node in scored.forest.nodes) for scored in forests}) == 1
    verifiers = [known.ask if isinstance(known.ask, Method) else "patient", PATIENT, STRANGER]
    for scored in forests:
        judged = [specviz.judge(scored, verifier, patience=0.6, **PLAIN) for verifier in verifiers]
        for one in judged:
            assert sum(one.outcomes.values()) == pytest.approx(1) and one.verifier == "patient"
            assert one.outcomes == judged[0].outcomes
        assert sum(specviz.judge(scored, "recursive").outcomes.values()) == pytest.approx(1)
    for drafter in ("chain", "tree", "distinct-tree", "sequences", "dynamic-tree"):
        scored = specviz.score_forest(pair, [0, 1], drafter, seed=3, **PLAIN, **sizes_of(drafter))
        assert sum(specviz.judge(scored, PATIENT).outcomes.values()) == pytest.approx(1)
    with pytest.raises(OptionError, match=r"patience must be a number in \(0, 1\], got 0"):
        specviz.judge(forests[0], PATIENT, patience=0)


@pytest.mark.parametrize("pair", PAIRS)
def test_over_all_drafts_its_first_token_is_the_target_s(pair):
    for seed in range(3):
        scored = specviz.score_forest(PAIRS[pair], [0, 1], TWINS, seed=seed, gamma=1, **PLAIN)
        found = first_token_distribution(scored, PATIENT, patience=0.7).distribution
        target = {token: prob for token, prob in scored.root.table().items() if prob > 0}
        assert total_variation(found, target) < EXACT


def test_nobody_knows_the_first_token_of_drafts_drawn_in_a_way_of_its_own():
    scored = specviz.score_forest(random_pair(4, 8), [0, 1], PAIRED, **PLAIN)
    assert scored.forest.drawing == "in pairs" and first_token_distribution(scored, PATIENT) is None


# Replay.


def steps_of(known, pair=None, seeds=range(3), **options):
    for seed in seeds:
        trace = decoded(known, pair, seed, **options)
        yield from ((trace, index) for index in range(len(trace.iterations)))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_without_changes_it_is_what_was_recorded(way, method):
    known = way(method)
    for warp in ({}, {"temperature": 0.0}, {"temperature": 1.7, "top_k": 7}, {"top_k": None, "top_p": None}):
        for seed in range(2):
            trace = decoded(known, None, seed, **warp)
            saved = trace_from_json(trace_to_json(trace))
            for index, iteration in enumerate(trace.iterations):
                again = specviz.replay(trace, index, **known.given)
                assert differences(iteration, again.iterations[index], 1e-9) == []
                assert first_problem(again) is None
                assert specviz.replay(saved, index, **known.given) == again


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_another_coin_turns_the_verdict(way, method):
    known, turned = way(method), 0
    for trace, index in steps_of(known):
        for number, one in enumerate(trace.iterations[index].decisions, start=1):
            if one.rule != "coin" or not 0.001 < one.acceptance_probability < 0.999:
                continue
            sides = []
            for uniform in (math.nextafter(one.acceptance_probability, 0), one.acceptance_probability):
                again = specviz.replay(trace, index, coins={number: uniform}, **known.given)
                now = again.iterations[index].decisions[number - 1]
                assert now.uniform == uniform and now.node == one.node and first_problem(again) is None
                sides.append(now.accepted)
            assert sides == [True, False]
            turned += 1
    assert turned >= 4


CHANGES = [
    {"patience": 0.3},
    {"temperature": 0.6},
    {"temperature": 1.8},
    {"temperature": 0.0},
    {"top_k": 5},
    {"top_p": 0.5, "temperature": 2.5, "patience": 1.0},
]


@pytest.mark.full
@pytest.mark.every(5)
@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("kind", ["transformer", "table"])
def test_another_setting_is_what_the_models_say(way, change, kind):
    known, compared = way(STRANGER), 0
    pair = transformer_pair() if kind == "transformer" else table_pair(5, ends=True)
    for trace, index in steps_of(known, pair, seeds=range(6)):
        options = STRANGER.resolve(**{k: v for k, v in trace.header.options.items() if k != "max_new_tokens"} | change)
        live = Live(pair, trace, index, options, STRANGER)
        try:
            again = specviz.replay(trace, index, **change, **known.given)
        except ReplayError as error:
            assert "could not have proposed" in str(error)
            assert min(node.draft_prob for node in live.scored().forest.nodes) == 0.0
            continue
        _, verdict = live.verdict()
        decisions = again.iterations[index].decisions
        assert [(type(one), one.token) for one in verdict.decisions] == [(type(one), one.token) for one in decisions]
        for one, other in zip(verdict.decisions, decisions, strict=True):
            assert numbers_of(one) == pytest.approx(numbers_of(other), rel=1e-5, abs=1e-6) and same_uniform(one, other)
        compared += 1
    assert compared


def test_its_recorded_forest_is_judged_like_its_drafted_one(way):
    known, pair = way(STRANGER), random_pair(6, 1)
    trace = specviz.decode(pair, known.ask, [0, 1], max_new_tokens=64, seed=3, gamma=2, top_k=3)
    drafted = specviz.score_forest(pair, [0, 1], STRANGER, seed=3, gamma=2, top_k=3)
    forest = specviz.recorded_forest(trace, 0, **known.given)
    for verifier in (PATIENT, "recursive", "typical"):
        one, other = specviz.judge(drafted, verifier), specviz.judge(forest, verifier)
        assert one.outcomes == pytest.approx(other.outcomes, rel=1e-9)


def test_what_can_be_changed_is_listed(way):
    known = way(STRANGER)
    for trace, index in steps_of(known, patience=0.7):
        found = specviz.changeable(trace, index, **known.given)
        decisions = trace.iterations[index].decisions
        assert [coin["decision"] for coin in found["coins"]] == [
            number for number, one in enumerate(decisions, start=1) if one.uniform is not None
        ]
        assert [option["name"] for option in found["options"]] == ["patience", "temperature", "top_k", "top_p"]
        patience = found["options"][0]
        assert (patience["value"], patience["low"], patience["high"]) == (0.7, 0.0, 1.0)
        assert patience["help"] == PATIENT.options[0].help and found["reason"] is None


def test_a_method_that_nobody_registered_must_be_given():
    trace = decoded(Known(STRANGER, {}))
    for ask in (specviz.replay, specviz.recorded_forest):
        with pytest.raises(ReplayError, match="method 'stranger' is not registered, .*: give method="):
            ask(trace, 0)
    assert "give method=" in specviz.changeable(trace, 0)["reason"]


# A way of drawing of its own.


WARPED = [{"temperature": 0.6}, {"temperature": 0.0}, {"top_k": 5}, {"top_p": 0.5}]


@pytest.mark.parametrize(("method", "why"), [(IN_PAIRS, "in pairs"), (BLENDED, "draft model's distribution alone")])
def test_drafts_drawn_in_a_way_of_its_own_keep_their_probabilities_or_are_refused(way, method, why):
    """Never judged by other draft probabilities: neither where the drafter says how it draws, nor where it does not."""
    known = way(method)
    for trace, index in steps_of(known):
        drafts = [node.draft for node in trace.iterations[index].forest.nodes]
        for change in ({}, {"patience": 0.4}, {"coins": {1: 0.01}}):
            again = specviz.replay(trace, index, **change, **known.given).iterations[index].forest
            assert [node.draft for node in again.nodes] == drafts
        for change in WARPED:
            for ask in (specviz.replay, specviz.recorded_forest):
                with pytest.raises(ReplayError, match=f"draws in a way of its own .*{why}.* is not known"):
                    ask(trace, index, **change, **known.given)


def test_a_file_knows_no_more_of_it(way):
    """Where a large vocabulary is listed in part, too: the proportions of what is left tell what it was drawn from."""
    known, large = way(BLENDED), random_pair(400, 3, sharpness=1.0)
    trace = specviz.decode(large, known.ask, [0], max_new_tokens=8, seed=2, gamma=2, **PLAIN)
    saved = trace_from_json(trace_to_json(trace))
    assert any(node.draft.rest > 0 for node in trace.iterations[0].forest.nodes)
    for one in (trace, saved):
        with pytest.raises(ReplayError, match="draws in a way of its own"):
            specviz.replay(one, 0, top_k=10, **known.given)
    plain, judged = specviz.decode(large, STRANGER, [0], max_new_tokens=20, seed=2, gamma=1, twins=1, **PLAIN), 0
    for index in range(len(plain.iterations)):
        try:
            judged += bool(specviz.replay(plain, index, top_k=200, method=STRANGER))
        except ReplayError as error:
            assert "could not have proposed" in str(error)
    assert judged


def test_what_cannot_be_changed_is_not_offered(way):
    known = way(IN_PAIRS)
    found = specviz.changeable(decoded(known), 0, **known.given)
    assert [option["name"] for option in found["options"]] == ["patience"] and found["coins"]


def test_nobody_vouches_for_a_way_of_drawing_that_is_not_known():
    assert IN_PAIRS.guarantee == "target"  # its own verifier does
    assert Method(name="own", drafter=PAIRED, verifier="recursive").guarantee == "lossy"
    assert Method(name="own", drafter=PAIRED, verifier="recursive").guarantee_for(temperature=0) == "greedy"
    with pytest.raises(OptionError, match="'kseq' needs candidates drawn independently.*those of drafter 'pairs' are"):
        Method(name="own", drafter=PAIRED, verifier="kseq")
    scored = specviz.score_forest(random_pair(4, 8), [0, 1], PAIRED, **PLAIN)
    with pytest.raises(OptionError, match="'kseq' needs candidates drawn independently"):
        specviz.judge(scored, "kseq")


# Free pairings.


def test_its_parts_are_offered_in_free_pairings_while_they_are_registered(registered):
    drafter, verifier = (CUSTOM.options[name].choices for name in ("drafter", "verifier"))
    assert {"twins", "pairs", "blend"} <= set(drafter) and "patient" in verifier
    assert CUSTOM.options["twins"].used_by == ("twins",) and "twins" in CUSTOM.options["gamma"].used_by


def test_nothing_of_it_is_left_behind():
    names = {*CUSTOM.options["drafter"].choices, *CUSTOM.options["verifier"].choices, *specviz.methods()}
    assert not names & {"twins", "pairs", "blend", "patient", "hasty", "stranger", "in-pairs", "blended", "in-haste"}
    assert "patience" not in CUSTOM.options
    with pytest.raises(OptionError, match="method must be one of"):
        specviz.decode(random_pair(3, 1), "stranger", [0])


@pytest.mark.full
def test_every_free_pairing_with_its_parts_keeps_what_it_guarantees(registered):
    drafters, verifiers, pair = free_drafters(), free_verifiers(), pair_with_heads()
    pairings = [("twins", verifier) for verifier in verifiers] + [(drafter, "patient") for drafter in drafters]
    expected = {guarantee: target_distribution(pair, [0, 1], 2, **warp) for guarantee, warp in GUARANTEED.items()}
    seen = set()
    for drafter, verifier in pairings:
        options = SMALL | {"drafter": drafter, "verifier": verifier, "twins": 2, "patience": 0.7, "evenness": 0.5}
        if not offered_fits(drafter, verifier):
            with pytest.raises(OptionError):
                specviz.decode(pair, "custom", [0], drafter=drafter, verifier=verifier)
            continue
        guarantee = CUSTOM.guarantee_for(**options)
        n_tokens = 2 if guarantee in expected else 1  # nothing but a sum is known of a lossy one
        afresh = drafters[drafter].uses != "heads"
        found = exact_distribution(pair, CUSTOM, [0, 1], n_tokens, restart=afresh, **options)
        assert sum(found.values()) == pytest.approx(1, abs=EXACT)
        if guarantee in expected:
            assert total_variation(found, expected[guarantee]) < EXACT
        seen.add((drafter, verifier, guarantee))
    assert {("twins", "patient", "target"), ("twins", "recursive", "target"), ("chain", "patient", "target")} <= seen
    assert ("beam", "patient", "lossy") in seen and ("twins", "joint", "lossy") in seen


GUARANTEED = {"target": {}, "greedy": {"temperature": 0.0}}


def offered_fits(drafter, verifier):
    """Whether a verifier that may be the stranger's can judge what a drafter that may be the stranger's drafts."""
    source, judge = free_drafters()[drafter], free_verifiers()[verifier]
    options = CUSTOM.full(CUSTOM.resolve(drafter=drafter, verifier=verifier))
    return source.shape in judge.judges and (judge.drawings is None or source.drawing(options) in judge.drawings)


# What is shown and said.


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_scene_is_drawn(way, method):
    trace = decoded(way(method))
    for index in range(2):
        shown = steps(trace, index)
        assert [scene.key for scene in shown][0] == "context" and shown[-1].key == "commit"
        for scene in shown:
            figures, texts = step_figures(trace, index, scene.key), step_texts(trace, index, scene.key)
            assert texts["story"] and texts.keys() - {"story"} == figures.keys()


def test_the_command_line_knows_it(registered, capsys, tmp_path):
    target, draft = write_pair(tmp_path)
    capsys.readouterr()  # transformers says how far the writing is
    models = ["--target", str(target), "--draft", str(draft), "--device", "cpu"]
    words = ["--prompt", "Once", "--max-new-tokens", "6", "--json", str(tmp_path / "run.json")]
    assert command_line.main(["decode", "--method", "stranger:patience=0.5,twins=3", *words, *models]) == 0
    assert capsys.readouterr().err == ""
    saved = specviz.load_trace(tmp_path / "run.json")
    assert saved.header.options["patience"] == 0.5 and saved.header.options["twins"] == 3
    assert specviz.replay(saved, 0).iterations[0].emitted == saved.iterations[0].emitted
    assert command_line.main(["decode", "--method", "blended", "--evenness", "0.9", *words, *models]) == 0
    assert command_line.main(["compare", "stranger", "in-pairs", *words[:4], *models]) == 0
    assert "stranger" in capsys.readouterr().out
    assert command_line.main(["methods"]) == 0
    said = capsys.readouterr().out
    assert "A stranger's method" in said and "patience" in said and "twins" in said
    assert command_line.main(["decode", "--method", "stranger:patience=2", *words, *models]) == 2
    assert "patience must be a number in (0, 1], got" in capsys.readouterr().err


# The registry.


def test_a_name_is_taken_once(registered):
    for register, one in ((register_drafter, TWINS), (register_verifier, PATIENT)):
        assert register(one) is one  # the same again is no change
        with pytest.raises(OptionError, match=f"{one.name!r} is registered already"):
            register(replace(one, about="another"))
    with pytest.raises(OptionError, match="method 'stranger' is registered already"):
        register_method(STRANGER)
    with pytest.raises(OptionError, match="drafter 'chain' is registered already"):
        register_drafter(replace(TWINS, name="chain"))


def test_an_option_means_one_thing_in_free_pairings():
    other = replace(TWINS, name="other", options=(replace(TWINS.options[0], high=99),))
    message = (
        r"option 'gamma' of 'other' must be a whole number in \[1, 16\], .*: give it another name, or leave it out of"
    )
    with pytest.raises(OptionError, match=message):
        register_drafter(other)
    try:  # what to do: keep it out of free pairings, or offer the others of its options there
        for free in (False, ("twins",)):
            register_drafter(replace(other, free=free))
            assert "gamma" not in {one.name for one in free_options(replace(other, free=free))}
            method = Method(name="wide", drafter="other", verifier="recursive")
            assert method.resolve(gamma=99)["gamma"] == 99 and CUSTOM.options["gamma"].high == 16
            unregister("other")
    finally:
        unregister("other")
    assert "other" not in specviz.drafters()
    kept = register_drafter(replace(other, free=False))  # it is not offered there
    assert specviz.drafters()["other"] is kept
    unregister("other")
    hot = replace(PATIENT, name="hot", options=(specviz.Option("temperature", "integer", 1, "Heat.", 0, 9),))
    with pytest.raises(OptionError, match="option 'temperature' of 'hot' must be a number"):
        register_verifier(hot)


def test_a_method_of_parts_that_do_not_fit_is_refused_when_it_is_made():
    with pytest.raises(OptionError, match="verifier 'token' judges one chain, and drafter 'twins' is a tree"):
        replace(STRANGER, verifier="token")
    with pytest.raises(OptionError, match="verifier 'layered' judges layers of beams, and drafter 'twins' is a tree"):
        replace(STRANGER, verifier="layered")
    with pytest.raises(OptionError, match="drafter must be one of none, chain, .*, got 'triplets'"):
        replace(STRANGER, drafter="triplets")
    with pytest.raises(ValueError, match="family must be one of target, chain, .*, got 'aliens'"):
        replace(STRANGER, family="aliens")


def test_a_method_shows_the_options_it_names():
    """A hidden option keeps its default, a stand-in has one of its own."""
    fewer = replace(STRANGER, name="fewer", shows=("twins",), defaults={"patience": 0.4, "gamma": 1, "twins": 3})
    assert [option.name for option in fewer.own_options] == ["twins"]
    assert fewer.resolve()["twins"] == 3 and fewer.full(fewer.resolve())["patience"] == 0.4
    with pytest.raises(OptionError, match="method 'fewer' has no option 'patience'"):
        fewer.resolve(patience=0.5)
    trace = decoded(Known(fewer, {}))
    assert all(
        one.acceptance_probability <= 0.4 for step in trace.iterations for one in step.decisions if one.rule == "coin"
    )
    assert specviz.changeable(trace, 0, method=fewer)["options"][0]["name"] == "temperature"
    assert np.isclose(sum(exact_distribution(random_pair(3, 1), fewer, [0], 1).values()), 1.0)


def test_an_option_means_one_thing_in_a_method():
    """Of its drafter, its verifier and all methods; and none is called like an argument of decode."""

    def named(name, kind="integer", high=9):
        return Option(name, kind, 1, "Of one's own.", 0, high)

    for option, message in (
        (
            named("temperature"),
            r"'temperature' of '.*' must be a number in \[0, 10\], as that of all methods is, got a whole",
        ),
        (named("seed"), "'seed' of '.*' is called like an argument of decode: give it another name"),
    ):
        drafter, verifier = (replace(one, options=(*one.options, option), free=False) for one in (TWINS, PATIENT))
        for refused in (lambda d=drafter: register_drafter(d), lambda v=verifier: register_verifier(v)):
            with pytest.raises(OptionError, match=message):
                refused()
        with pytest.raises(OptionError, match=message):
            Method(name="own", drafter=drafter, verifier="recursive")
    both = [replace(one, options=(named("size", high=high),)) for one, high in ((TWINS, 9), (PATIENT, 99))]
    with pytest.raises(
        OptionError, match=r"'size' of 'patient' must be .* \[0, 9\], as that of 'twins' is, got .* \[0, 99\]"
    ):
        Method(name="own", drafter=both[0], verifier=both[1])
