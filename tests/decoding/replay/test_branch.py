"""A run left at a step and gone on from there: the past stays, the law of what follows is the method's own."""

from dataclasses import replace

import pytest

import specviz
from specviz.decoding.exact.distribution import PossibleRuns, distribution_of
from specviz.decoding.registry.registry import find_method, methods
from specviz.decoding.replay import branch as branching
from specviz.decoding.replay.branch import branch_run
from specviz.decoding.run.loop import Run
from specviz.dice import SeededDice
from specviz.errors import OptionError, ReplayError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.rules.spec import one_text
from specviz.trace.check import first_problem
from specviz.trace.distribution import total_variation
from specviz.trace.forest import finite
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.views.race.motion import lane_motion
from specviz.views.story.scenes import iteration_payload
from tests.decoding.registry.test_every_guarantee import EXACT, PAIRS, small
from tests.decoding.run.test_properties import rows_needed, transformer_pair, with_parts

METHODS = methods()
ONE_TEXT = [name for name, method in METHODS.items() if method.pair({})[1].beams is one_text]
NO_WARP = {"temperature": 1.0, "top_k": None, "top_p": None}
PROMPT = [0, 1]


def recorded(pair, method, most=14, seed=1, prompt=(1, 2, 3), **options):
    return specviz.decode(pair, method, list(prompt), max_new_tokens=most, seed=seed, **options)


def written(run, start: int):
    """One step more: the tokens behind the first ``start``, or the beams."""
    run.step()
    return tuple(map(tuple, run.beam_texts)) if run.texts.history else tuple(run.emitted[start:])


@pytest.fixture
def chance(monkeypatch):
    """Dice that a test gives to a branch in place of seeded ones."""
    given = []
    monkeypatch.setattr(branching, "SeededDice", lambda seed: given.pop() if given else SeededDice(seed))
    return given


def laws(pair, method, trace, iteration, options, chance):
    """The exact law of the step after an iteration: of the run itself, and of the branch that leaves it there."""
    start = sum(len(one.emitted) for one in trace.iterations[: iteration + 1])

    def gone_on(dice):
        run = Run(pair, METHODS[method], PROMPT, options=options, max_new_tokens=40, dice=SeededDice(1))
        run.start()
        for _ in range(iteration + 1):
            run.step()
        run._dice = dice
        return written(run, start)

    def branched(dice):
        chance.append(dice)
        run = branch_run(pair, trace, iteration)
        run.start()
        return written(run, start)

    return distribution_of(gone_on), distribution_of(branched)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", METHODS)
def test_an_unchanged_branch_goes_on_by_the_law_of_the_run_itself(method, name, chance):
    """Every coin of the next step enumerated, in the branch and in the run that it left, whatever that carries on."""
    options, iteration = NO_WARP | small(METHODS[method]), 1
    trace = recorded(PAIRS[name], method, most=40, prompt=PROMPT, **options)
    if len(trace.iterations) < iteration + 2:
        pytest.skip("this text ends early")
    before, after = laws(PAIRS[name], method, trace, iteration, options, chance)
    assert name != "random" or len(before) > 1 or METHODS[method].guarantee_for(**options) in ("greedy", "beam search")
    assert total_variation(before, after) < EXACT


def test_what_a_verdict_left_undrawn_is_drawn_in_the_branch(chance):
    options, method, origins = NO_WARP | small(METHODS["improved-mcsd"]), "improved-mcsd", set()
    trace = recorded(PAIRS["random"], method, most=40, prompt=PROMPT, **options)
    for iteration, following in enumerate(trace.iterations[1:]):
        if following.forest.nodes[0].root in origins:
            continue
        before, after = laws(PAIRS["random"], method, trace, iteration, options, chance)
        assert total_variation(before, after) < EXACT
        other = specviz.branch(PAIRS["random"], trace, iteration)
        origins.add(other.iterations[iteration + 1].forest.nodes[0].root)
        assert following.forest.nodes[0].root == other.iterations[iteration + 1].forest.nodes[0].root
    assert origins == {"resampled", "bonus"}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", ONE_TEXT)
def test_behind_a_token_put_by_hand_the_law_is_that_of_this_prompt(method, name, chance):
    options, pair = NO_WARP | small(METHODS[method]), PAIRS[name]
    trace = recorded(pair, method, most=40, prompt=PROMPT, **options)
    kept = trace.iterations[0].emitted[:1]
    if kept[0].token in pair.end_tokens:
        pytest.skip("this text ends early")

    def branched(dice):
        chance.append(dice)
        run = branch_run(pair, trace, 0, at=1, token=1)
        run.start()
        return written(run, 2)

    runs = PossibleRuns(pair, find_method(method), (*PROMPT, kept[0].token, 1), 40, options)
    assert total_variation(distribution_of(branched), runs.of_first_iteration()) < EXACT


def sound(pair, trace, other, iteration):
    """What holds for any branch; returns where it left."""
    left = other.header.branches[-1]
    assert first_problem(other) is None and trace_from_json(trace_to_json(other)) == other
    assert other.iterations[: max(0, left.iteration - 1)] == trace.iterations[: max(0, left.iteration - 1)]
    assert other.tokens[: left.position] == trace.tokens[: left.position]
    assert iteration <= left.iteration <= iteration + 1
    output, clock = [], 0.0
    for step in other.iterations:
        assert step.context_length == len(trace.header.prompt_tokens) + len(output)
        output += [token.token for token in step.emitted]
        assert step.rows == rows_needed(trace.header.prompt_tokens, output, step) or step is other.iterations[-1]
        for segment in step.segments:
            assert segment.start == pytest.approx(clock, abs=1e-6)
            clock = segment.end
    for step in other.iterations[max(0, left.iteration - 1) : left.iteration + 2]:
        iteration_payload(other, step.index)
    lane_motion(other)
    assert "".join(pair.decode([token]) for token in other.tokens if token not in pair.end_tokens) == other.text
    assert other.metrics.tokens == len(output) <= other.header.options["max_new_tokens"]
    assert other.stop in ("length", "end")
    return left


PAIRS_OF = {
    "tables": lambda: with_parts(*(TableLM.random(6, seed, zeros=0.1) for seed in (1, 2, 3))),
    "networks": transformer_pair,
}


@pytest.mark.every(5)
@pytest.mark.parametrize("models", PAIRS_OF)
@pytest.mark.parametrize("where", [0, 1, -1], ids=["first", "second", "last"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_branches_anywhere(method, where, models):
    pair = PAIRS_OF[models]()
    trace = recorded(pair, method)
    index = range(len(trace.iterations))[where]
    other = specviz.branch(pair, trace, index, max_new_tokens=20)
    left = sound(pair, trace, other, index)
    assert left.position == sum(len(one.emitted) for one in trace.iterations[: left.iteration])
    assert left.iteration == index + 1 or where == -1  # the length limit may have cut the last one
    assert specviz.branch(pair, trace, index, max_new_tokens=20).tokens == other.tokens
    assert len(other.tokens) == 20
    if trace.header.method.guarantee not in ("greedy", "beam search"):
        others = (specviz.branch(pair, trace, index, seed=seed, max_new_tokens=20) for seed in range(5))
        assert any(one.tokens != other.tokens for one in others)
    coins = specviz.changeable(trace, index)["coins"]
    for coin in coins[:1]:
        changed = {coin["decision"]: 0.97 if coin["uniform"] < 0.5 else 0.03}
        left = sound(pair, trace, specviz.branch(pair, trace, index, coins=changed, max_new_tokens=20), index)
        assert left.iteration == index and left.coins == changed
    if method in ONE_TEXT:
        for at in {0, 1, len(trace.iterations[index].emitted)}:
            put = specviz.branch(pair, trace, index, at=at, token=5, max_new_tokens=20)
            left = sound(pair, trace, put, index)
            step = put.iterations[left.iteration + (0 < at < len(trace.iterations[index].emitted))]
            assert (step.emitted[0].token, step.emitted[0].origin, step.calls, step.accepted) == (5, "hand", (), 0)
            assert put.tokens[left.position] == 5 and left.by_hand == (5,)
            assert step.emitted[0].logprob == finite(step.forest.target[-1].logprob(5))


@pytest.mark.parametrize("method", ["mtad", "typical", "speculative", "beam"])
def test_options_change_from_the_branch_on_alone(method):
    pair = transformer_pair()
    trace = recorded(pair, method, most=30)
    change = {"mtad": {"tau": 0.9}, "typical": {"epsilon": 0.9}}.get(method, {"temperature": 0.5})
    other = specviz.branch(pair, trace, 2, max_new_tokens=40, **change)
    (name, value), (left,) = *change.items(), other.header.branches
    assert other.header.options[name] == value and left.before == {name: trace.header.options[name]}
    for index in range(2):
        again = specviz.replay(other, index)
        assert again.iterations[index].emitted == trace.iterations[index].emitted
        assert again.header.options[name] == trace.header.options[name] and not again.header.branches
    assert specviz.replay(other, 2).iterations[2].emitted == other.iterations[2].emitted
    later = specviz.branch(pair, other, 3, max_new_tokens=50)
    assert [one.iteration for one in later.header.branches] == [2, 4] and later.header.options[name] == value
    earlier = specviz.branch(pair, other, 0)
    assert [one.iteration for one in earlier.header.branches] == [1]
    assert earlier.header.options == {**trace.header.options, "max_new_tokens": 40}


def test_tokens_put_by_hand_count_in_no_rate():
    pair = transformer_pair()
    trace = recorded(pair, "speculative")
    other = specviz.branch(pair, trace, 0, token=7)
    own = [token for step in other.iterations for token in step.emitted if token.origin != "hand"]
    calls = sum(call.role == "target" for step in other.iterations for call in step.calls)
    assert (other.metrics.tokens, len(own)) == (14, 13)
    assert other.metrics.tokens_per_target_call == pytest.approx(13 / calls)
    assert other.metrics.perplexity == pytest.approx(specviz.measure.quality.perplexity(t.logprob for t in own))
    assert other.metrics.seconds_to_first_token > trace.prefill_seconds
    assert other.metrics.joules_per_token is None and "another" in other.no_energy


def test_text_put_by_hand_is_a_step_for_each_of_its_tokens():
    pair = specviz.load_pair()
    trace = specviz.decode(pair, "mtad", "Once upon a time", max_new_tokens=10)
    other = specviz.branch(pair, trace, 1, token=" a golden queen")
    left = other.header.branches[-1]
    assert len(left.by_hand) > 1 and " a golden queen" in other.text
    assert [one.emitted[0].token for one in other.iterations[left.iteration :][: len(left.by_hand)]] == [*left.by_hand]
    with pytest.raises(ReplayError, match="put by hand: nothing was drafted or judged"):
        specviz.replay(other, left.iteration)
    first = iteration_payload(other, left.iteration)
    assert any("put here by hand" in scene["sentence"] for scene in first["scenes"])


def test_an_end_token_put_by_hand_ends_the_text():
    pair = PAIRS["ends"]
    trace = recorded(pair, "speculative", prompt=PROMPT)
    other = specviz.branch(pair, trace, 0, token=2)
    assert (other.tokens, other.stop, len(other.iterations)) == ((2,), "end", 1)


def test_a_run_without_a_record_is_cut_all_the_same():
    pair = transformer_pair()
    trace = specviz.decode(pair, "speculative", [1], max_new_tokens=9, record=False)
    other = specviz.branch(pair, trace, 1, token=5)
    assert 5 in other.tokens and first_problem(other) is None and not other.header.recorded
    with pytest.raises(ReplayError, match="was not recorded"):
        specviz.branch(pair, trace, 1)


REFUSED = [
    ("speculative", {"iteration": 99}, ReplayError, "iteration must be 0 to .*, got 99"),
    ("speculative", {"iteration": True}, ReplayError, "iteration must be 0 to"),
    ("speculative", {"iteration": 0, "at": 9}, OptionError, "at must be a whole number from 0 to .*, got 9"),
    ("speculative", {"iteration": 0, "token": 61}, OptionError, "token must be an id from 0 to 60, or text, got 61"),
    ("speculative", {"iteration": 0, "token": "a"}, OptionError, "this pair has no tokenizer"),
    (
        "speculative",
        {"iteration": 0, "token": 1, "coins": {1: 0.5}},
        OptionError,
        "coins cannot be changed where .* cut",
    ),
    ("speculative", {"iteration": 0, "token": 1, "lenience": 0.5}, OptionError, "lenience cannot be changed"),
    ("speculative", {"iteration": 0, "coins": {77: 0.5}}, ReplayError, "Decision 77 of this verdict flips no coin"),
    ("speculative", {"iteration": 0, "gamma": 2}, OptionError, "gamma does not rule this iteration's verdict"),
    ("speculative", {"iteration": 0, "seed": -1}, OptionError, "seed must be"),
    ("speculative", {"iteration": 0, "max_new_tokens": 0}, OptionError, "max_new_tokens must be"),
    ("speculative", {"iteration": -1}, ReplayError, "iteration must be 0 to"),
    ("speculative", {"iteration": "last", "at": None}, ReplayError, "the text has 14 tokens already"),
    ("speculative", {"iteration": 3, "token": 1, "max_new_tokens": 2}, OptionError, "max_new_tokens must be more"),
    ("beam", {"iteration": 1, "token": 5}, ReplayError, "beam keeps several texts at a time, so no token"),
    ("dsbd", {"iteration": 1, "at": 0}, ReplayError, "dsbd keeps several texts at a time"),
]


@pytest.mark.parametrize(("method", "asked", "error", "sentence"), REFUSED, ids=[str(case[1]) for case in REFUSED])
def test_what_cannot_be_is_refused_in_a_sentence(method, asked, error, sentence):
    pair = transformer_pair()
    trace = recorded(pair, method)
    last = {"iteration": len(trace.iterations) - 1} if asked["iteration"] == "last" else {}
    with pytest.raises(error, match=sentence):
        specviz.branch(pair, trace, **asked | last)


def test_a_text_that_has_ended_is_refused():
    pair = PAIRS["ends"]
    trace = next(
        trace for seed in range(50) if (trace := recorded(pair, "speculative", prompt=PROMPT, seed=seed)).stop == "end"
    )
    for asked in ({}, {"at": len(trace.iterations[-1].emitted)}):
        with pytest.raises(ReplayError, match="the text has ended with its token"):
            specviz.branch(pair, trace, len(trace.iterations) - 1, **asked)


@pytest.mark.parametrize("part", ["target", "draft"])
def test_other_models_are_refused_by_name(part):
    pair = transformer_pair()
    other = replace(pair, **{part: pair.drafts[0]})
    with pytest.raises(ReplayError, match=f"its {part} is 'model [12]' .*, this pair's is 'model 3'"):
        specviz.branch(other, recorded(pair, "speculative"), 0)
    assert specviz.branch(replace(pair, draft=pair.drafts[0]), recorded(pair, "autoregressive"), 0, token=1)


def test_a_method_of_ones_own_is_given_again():
    pair = ModelPair(TableLM.random(5, 1), TableLM.random(5, 2))
    own = specviz.Method("my-own", "chain", "token")
    trace = specviz.decode(pair, own, [0], max_new_tokens=8)
    with pytest.raises(ReplayError, match="'my-own' is not registered"):
        specviz.branch(pair, trace, 0, token=1)
    assert specviz.branch(pair, trace, 0, token=1, method=own).header.method.name == "my-own"
