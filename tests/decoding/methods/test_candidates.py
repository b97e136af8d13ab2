"""Whole decoders with several candidates, block verification, and what came after: every coin enumerated, texts follow
the target."""

import itertools

import pytest
import torch

import specviz
from specviz.decoding.exact.distribution import distribution_of, exact_distribution, target_distribution
from specviz.decoding.registry.methods.candidates import BLOCK, DYNAMIC_TREE, MCSD, SPECINFER, SPECTR
from specviz.decoding.registry.methods.later import BEST_PATH, GREEDY_DRAFTS, SPECHUB, TRAVERSAL
from specviz.decoding.registry.methods.speculative import REJECTION, SPECULATIVE
from specviz.decoding.run.loop import Run
from specviz.dice import SeededDice
from specviz.errors import ModelError, OptionError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.distribution import total_variation
from tests.decoding.methods.models import PAIRS, random_pair
from tests.lm.models import tiny

EXACT = 1e-9
METHODS = (SPECINFER, MCSD, SPECTR, BLOCK, DYNAMIC_TREE, REJECTION, TRAVERSAL, BEST_PATH, SPECHUB, GREEDY_DRAFTS)
SMALL = [
    *[(SPECINFER, {"k_config": k}) for k in ((1,), (2,), (3,), (2, 1), (1, 2))],
    *[(MCSD, {"k_config": k}) for k in ((1,), (2,), (3,), (2, 1))],
    (MCSD, {"k_config": (2,), "replacement": True}),
    *[(SPECTR, {"drafts": drafts, "gamma": gamma}) for drafts, gamma in ((1, 1), (1, 2), (2, 1), (3, 1), (2, 2))],
    *[(BLOCK, {"gamma": gamma}) for gamma in (1, 2, 3)],
    *[(DYNAMIC_TREE, {"nodes": nodes, "depth": depth}) for nodes, depth in ((1, 1), (2, 1), (4, 2), (6, 3), (64, 3))],
    *[(REJECTION, {"gamma": gamma}) for gamma in (1, 2, 3)],
    *[(TRAVERSAL, {"k_config": k}) for k in ((1,), (3,), (2, 1), (1, 2), (1, 1, 1))],
    *[(TRAVERSAL, {"k_config": k, "replacement": True}) for k in ((2,), (2, 1))],
    *[(BEST_PATH, {"drafts": drafts, "gamma": gamma}) for drafts, gamma in ((1, 2), (2, 1), (3, 1), (2, 2))],
    *[(SPECHUB, {"k_config": k}) for k in ((2,), (2, 1), (1, 2), (2, 2))],
    *[(GREEDY_DRAFTS, {"k_config": k}) for k in ((1,), (3,), (4,), (3, 2))],
]
LONG = [
    (SPECINFER, {"k_config": (2,)}),
    (MCSD, {"k_config": (2,)}),
    (SPECTR, {"drafts": 2, "gamma": 1}),
    (BLOCK, {"gamma": 2}),
    (DYNAMIC_TREE, {"nodes": 5, "depth": 2}),
    (REJECTION, {"gamma": 2}),
    (TRAVERSAL, {"k_config": (1, 2)}),
    (BEST_PATH, {"drafts": 2, "gamma": 1}),
    (SPECHUB, {"k_config": (2, 2)}),
    (GREEDY_DRAFTS, {"k_config": (3,)}),
]
DEEP = [
    (SPECINFER, {"k_config": (2, 1)}),
    (MCSD, {"k_config": (2, 1)}),
    (SPECTR, {"drafts": 2, "gamma": 2}),
    (BLOCK, {"gamma": 3}),
    (DYNAMIC_TREE, {"nodes": 6, "depth": 3}),
    (REJECTION, {"gamma": 3}),
    (TRAVERSAL, {"k_config": (2, 1)}),
    (BEST_PATH, {"drafts": 2, "gamma": 2}),
    (SPECHUB, {"k_config": (2, 2, 1)}),
]
WARPS = [{}, {"temperature": 0.7, "top_k": 2}, {"top_p": 0.6}, {"temperature": 2.0}]


def case(value):
    return getattr(value, "name", str(value))


def error_of(pair, method, prompt, length, **options):
    distribution = exact_distribution(pair, method, prompt, length, restart=True, **options)
    warp = {name: value for name, value in options.items() if name in ("temperature", "top_k", "top_p")}
    return total_variation(distribution, target_distribution(pair, prompt, length, **warp))


@pytest.mark.every(4)
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("method", "options"), SMALL, ids=case)
def test_two_tokens_follow_the_target(method, options, pair):
    assert method.guarantee_for(**options) == "target"
    assert error_of(pair, method, [0, 1, 0], 2, **options) < EXACT


@pytest.mark.full
@pytest.mark.every(2)
@pytest.mark.parametrize("pair", ["random", "zeros", "disjoint"])
@pytest.mark.parametrize("method", [SPECINFER, MCSD], ids=case)
def test_two_layers_of_two_candidates_follow_the_target(method, pair):
    assert error_of(PAIRS[pair], method, [0], 2, k_config=(2, 2)) < EXACT


@pytest.mark.parametrize("vocab_size", [3, 4])
@pytest.mark.parametrize(("method", "options"), LONG, ids=case)
def test_three_tokens_follow_the_target(method, options, vocab_size):
    assert error_of(random_pair(vocab_size, 21), method, [1, 0], 3, **options) < EXACT


@pytest.mark.parametrize(("method", "options"), [LONG[0], *LONG[3:5], *LONG[6:]], ids=case)
def test_nothing_hangs_on_the_restart(method, options):
    """Iterations one after the other in one run, with what the draft session keeps between them."""
    pair = random_pair(3, 22)
    distribution = exact_distribution(pair, method, [1, 0], 2, **options)
    assert total_variation(distribution, target_distribution(pair, [1, 0], 2)) < EXACT


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize(("method", "options"), LONG, ids=case)
def test_the_warped_distribution_is_kept_too(method, options, warp):
    assert error_of(random_pair(4, 9), method, [2, 0], 2, **options, **warp) < EXACT


@pytest.mark.parametrize(("method", "options"), [*LONG, *DEEP], ids=case)
def test_a_text_that_ends_keeps_the_distribution(method, options):
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    distribution = exact_distribution(pair, method, [0], 3, restart=True, **options)
    assert total_variation(distribution, target_distribution(pair, [0], 3)) < EXACT
    assert any(len(text) < 3 for text in distribution) and all(2 not in text[:-1] for text in distribution)


@pytest.mark.parametrize("pair", ["random", "zeros", "equal", "disjoint"])
@pytest.mark.parametrize("method", METHODS, ids=case)
def test_temperature_zero_is_the_greedy_text(method, pair):
    for options in ({}, *(options for other, options in SMALL if other is method)):
        assert method.guarantee_for(temperature=0.0, **options) == "greedy"
        distribution = exact_distribution(PAIRS[pair], method, [0, 1], 5, temperature=0.0, **options)
        assert distribution == target_distribution(PAIRS[pair], [0, 1], 5, temperature=0.0)


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize(("k_config", "drafts"), [((2,), 2), ((3,), 2), ((3,), 3), ((2, 1), 2), ((1, 2), 2)], ids=str)
def test_several_draft_models_keep_the_distribution(k_config, drafts, zeros):
    assert error_of(pair_of_three(5, zeros), SPECINFER, [0, 1], 2, k_config=k_config, drafts=drafts) < EXACT


def pair_of_three(seed, zeros=0.0):
    """One target and three draft models."""
    pair = random_pair(3, seed, zeros=zeros)
    others = tuple(TableLM.random(3, seed + other, zeros=zeros, sharpness=1.5) for other in (2000, 3000))
    return ModelPair(pair.target, pair.draft, drafts=others)


def test_more_draft_models_than_the_pair_has_are_refused():
    with pytest.raises(ModelError, match="specinfer needs a pair with 2 draft models, this has 1"):
        exact_distribution(PAIRS["random"], SPECINFER, [0], 1, drafts=2)


def test_a_tree_beyond_measure_is_refused():
    with pytest.raises(
        OptionError, match="k_config must make a tree of at most 256 nodes, got '8,8,8', which makes 584"
    ):
        exact_distribution(PAIRS["random"], MCSD, [0], 1, k_config=(8, 8, 8))


@pytest.mark.parametrize("method", METHODS, ids=case)
def test_a_pair_without_a_draft_model_is_refused(method):
    with pytest.raises(ModelError, match="needs a pair with a draft model"):
        exact_distribution(ModelPair(PAIRS["random"].target), method, [0], 1)


# How many tokens are accepted.


def expected_accepted(pair, method, context=(0,), **options):
    """Accepted drafted tokens of the first iteration, on average over every outcome."""

    def run(dice):
        settings = {"temperature": 1.0, "top_k": None, "top_p": None, **options}
        decoding = Run(pair, method, context, options=settings, max_new_tokens=64, dice=dice, recorded=False)
        decoding.start()
        return (decoding.step().accepted,)

    return sum(count * probability for (count,), probability in distribution_of(run).items())


def brute_force_accepted(pair, gamma, weight, context=(0,)):
    """Sum over all prefixes of Q(prefix) times the chance that judging reaches its end."""
    total = 0.0
    for length in range(1, gamma + 1):
        for tokens in itertools.product(range(pair.target.vocab_size), repeat=length):
            drafted, chance = 1.0, 1.0
            for i, token in enumerate(tokens):
                p, q = (m.probabilities((*context, *tokens[:i]))[token] for m in (pair.target, pair.draft))
                drafted, chance = drafted * q, weight(chance, p, q) if q > 0 else 0.0
            total += drafted * chance
    return total


@pytest.mark.full
@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_block_verification_accepts_at_least_as_many(gamma):
    more = 0
    models = [*PAIRS.values(), *(random_pair(3, seed, sharpness=2.0) for seed in range(30, 35))]
    models += [random_pair(4, seed, zeros=0.3) for seed in range(40, 43)]
    for pair in models:
        ours, theirs = expected_accepted(pair, BLOCK, gamma=gamma), expected_accepted(pair, SPECULATIVE, gamma=gamma)
        assert ours >= theirs - EXACT
        assert ours == pytest.approx(brute_force_accepted(pair, gamma, lambda w, p, q: min(1.0, w * p / q)))
        assert theirs == pytest.approx(brute_force_accepted(pair, gamma, lambda w, p, q: w * min(1.0, p / q)))
        more += ours > theirs + 0.01
    assert (more > 3) == (gamma > 1)


@pytest.mark.parametrize("gamma", [1, 2])
def test_one_sequence_is_speculative_decoding(gamma):
    pair, twins = random_pair(3, 23), {"drafts": 1, "gamma": gamma}
    assert expected_accepted(pair, SPECTR, **twins) == pytest.approx(expected_accepted(pair, SPECULATIVE, gamma=gamma))
    for seed in range(5):
        texts = {
            specviz.decode(pair, method.name, [0], seed=seed, max_new_tokens=20, **options).tokens
            for method, options in ((SPECTR, twins), (SPECULATIVE, {"gamma": gamma}))
        }
        assert len(texts) == 1


@pytest.mark.parametrize("method", [SPECINFER, MCSD])
def test_a_tree_of_single_children_is_speculative_decoding(method):
    pair = random_pair(6, 24)
    for seed in range(5):
        ours = specviz.decode(pair, method.name, [0], seed=seed, max_new_tokens=20, k_config=(1, 1, 1))
        theirs = specviz.decode(pair, "speculative", [0], seed=seed, max_new_tokens=20, gamma=3)
        assert ours.tokens == theirs.tokens


@pytest.mark.full
def test_more_candidates_are_accepted_more_often():
    for seed in range(10):
        pair = random_pair(3, seed)
        for method, one, three in (
            (SPECINFER, {"k_config": (1,)}, {"k_config": (3,)}),
            (MCSD, {"k_config": (1,)}, {"k_config": (3,)}),
            (SPECTR, {"drafts": 1, "gamma": 1}, {"drafts": 3, "gamma": 1}),
            (DYNAMIC_TREE, {"nodes": 1, "depth": 1}, {"nodes": 3, "depth": 1}),
        ):
            assert expected_accepted(pair, method, **three) > expected_accepted(pair, method, **one) + EXACT
    assert expected_accepted(pair, DYNAMIC_TREE, nodes=3, depth=1) == pytest.approx(1.0)  # every token is a candidate


# Cached rows.


@pytest.mark.parametrize("options", [{}, {"drafts": 2, "k_config": (3, 2, 1, 2)}, {"temperature": 0.0, "drafts": 2}])
def test_cached_rows_never_change_what_any_draft_says(options):
    target, *drafts = (TransformerLM(tiny("llama", seed), f"model {seed}") for seed in (1, 2, 3))
    pair = ModelPair(target, drafts[0], drafts=tuple(drafts[1:]))
    run = Run(pair, SPECINFER, [5, 9], options={"top_k": None, **options}, max_new_tokens=16, dice=SeededDice(1))
    run.start()
    used = set()
    while run.stop is None:
        context = [5, 9, *run.emitted]
        nodes = run.step().forest.nodes
        for node in nodes:
            path, above = [], node.parent
            while above >= 0:
                path.insert(0, nodes[above].token)
                above = nodes[above].parent
            with torch.inference_mode():
                logits = drafts[node.model].model(input_ids=torch.tensor([context + path]), use_cache=False).logits
            expected = float(logits[0, -1].log_softmax(-1)[node.token])
            assert node.draft_logprob == pytest.approx(expected, abs=1e-4)
            used.add(node.model)
    assert used == set(range(options.get("drafts", 1)))


@pytest.mark.parametrize("method", METHODS, ids=case)
def test_a_recorded_run_is_sound(method):
    """Every decision and outcome of default runs survives the trace's own check and its file."""
    from specviz.trace.check import first_problem
    from specviz.trace.store import trace_from_json, trace_to_json

    for temperature in (0.0, 1.0):
        trace = specviz.decode(
            random_pair(6, 25), method.name, [0, 3], seed=1, max_new_tokens=30, temperature=temperature
        )
        assert first_problem(trace) is None and trace_from_json(trace_to_json(trace)) == trace
        for iteration in trace.iterations:
            nodes = [emitted.node for emitted in iteration.emitted if emitted.node is not None]
            parents = [iteration.forest.nodes[node].parent for node in nodes]
            assert parents == [-1, *nodes][: len(nodes)]  # the text goes down one way of the tree
