"""Improved MCSD: exactly speculative at width 1, brute force beyond, temperature 0, early stop, what is recorded."""

import itertools
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import torch

import specviz
from specviz.decoding.exact.distribution import distribution_of, exact_distribution, target_distribution
from specviz.decoding.registry.methods.forks import IMPROVED_MCSD
from specviz.decoding.run.loop import Run
from specviz.drafting import fork
from specviz.drafting.fork import ForkDrafter
from specviz.errors import ModelError, OptionError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.deciding import DecisionModel, FunctionDecider
from specviz.lm.table import TableLM
from specviz.rules.fork import ForkVerifier
from specviz.trace.distribution import total_variation
from tests.decoding.methods.brute_force import ordered_draws, warped
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.registry.variants import as_kind, variant
from tests.lm.models import tiny

EXACT = 1e-9
NO_WARP = {"temperature": 1.0, "top_k": None, "top_p": None}


def excess_distribution(p, q):
    """norm((p - q)+), or p where that is empty."""
    excess = np.maximum(p - q, 0.0)
    return excess / excess.sum() if excess.sum() > 0 else p


def forks_of(q, context, roots, depth, ends, worth):
    """The distribution of the chains below ``roots``, grown together, until no open one's newest token is ``worth``
    it."""
    distribution, done = {tuple((root,) for root in roots): 1.0}, defaultdict(float)
    for step in range(depth):
        grown = defaultdict(float)
        for chains, probability in distribution.items():
            open_chains = [chain for chain in chains if chain[-1] not in ends and len(chain) == step + 1]
            if not open_chains or (step > 0 and not any(worth(chain[-1]) for chain in open_chains)):
                done[chains] += probability
                continue
            choices = [
                [(chain, 1.0)]
                if chain not in open_chains
                else [((*chain, x), qx) for x, qx in enumerate(q((*context, *chain))) if qx > 0]
                for chain in chains
            ]
            for combination in itertools.product(*choices):
                chance = np.prod([one for _, one in combination])
                grown[tuple(chain for chain, _ in combination)] += probability * chance
        distribution = grown
    for chains, probability in distribution.items():
        done[chains] += probability
    return done


def judged(p, q, context, chain):
    """The distribution of (accepted part of the chain, root included; whether all of it was)."""
    distribution, alive = defaultdict(float), 1.0
    for i in range(1, len(chain)):
        here = (*context, *chain[:i])
        chance = min(1.0, p(here)[chain[i]] / q(here)[chain[i]])
        distribution[chain[:i], False] += alive * (1 - chance)
        alive *= chance
    distribution[chain, True] += alive
    return {outcome: probability for outcome, probability in distribution.items() if probability > 0}


def iteration_distribution(pair, width, depth, worth=lambda token: True, **warp):
    """(context, whether the last chain was accepted whole) -> {(emitted tokens, the same of this one): probability}."""
    p, q = (warped(model.probabilities, **warp) for model in (pair.target, pair.draft))
    ends = pair.end_tokens

    def iteration(context, whole):
        root_distribution = p(context) if whole else excess_distribution(p(context), q(context))
        distribution = defaultdict(float)
        for roots, chance in ordered_draws(dict(enumerate(root_distribution)), width).items():
            for chains, drafted in forks_of(q, context, roots, depth, ends, worth).items():
                for outcomes in itertools.product(*(judged(p, q, context, chain).items() for chain in chains)):
                    kept = max((outcome for outcome, _ in outcomes), key=lambda outcome: len(outcome[0]))
                    distribution[kept] += chance * drafted * np.prod([probability for _, probability in outcomes])
        return distribution

    return iteration


def fork_distribution(pair, prompt, n_tokens, width, depth, worth=lambda token: True, **warp):
    """The whole decoder, written from the rule: what is carried is the text and whether the last chain was whole."""
    iteration, done = iteration_distribution(pair, width, depth, worth, **warp), defaultdict(float)
    going = {((), True): 1.0}
    while going:
        following = defaultdict(float)
        for (text, whole), probability in going.items():
            for (more, accepted), chance in iteration((*prompt, *text), whole).items():
                longer = (*text, *more)[:n_tokens]
                if len(longer) == n_tokens or longer[-1] in pair.end_tokens:
                    done[longer] += probability * chance
                else:
                    following[longer, accepted] += probability * chance
        going = following
    return dict(done)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("depth", [1, 2])
def test_width_one_is_exactly_speculative(depth, pair):
    assert IMPROVED_MCSD.guarantee_for(width=1) == "target"
    n_tokens = 3 if depth == 1 else 2
    distribution = exact_distribution(pair, IMPROVED_MCSD, [1, 0], n_tokens, width=1, depth=depth)
    assert total_variation(distribution, target_distribution(pair, [1, 0], n_tokens)) < EXACT


@pytest.mark.parametrize("warp", [{"temperature": 0.7, "top_k": 2}, {"temperature": 2.0}], ids=str)
def test_width_one_keeps_the_warped_distribution(warp):
    pair = random_pair(3, 9)
    distribution = exact_distribution(pair, IMPROVED_MCSD, [2, 0], 2, width=1, depth=2, **warp)
    assert total_variation(distribution, target_distribution(pair, [2, 0], 2, **warp)) < EXACT


@pytest.mark.full
@pytest.mark.parametrize("beta", [0.4, 1.0])
def test_width_one_keeps_the_distribution_when_it_stops_early(beta):
    pair = random_pair(3, 11)
    pair.deciders = {"entropy": FunctionDecider(lambda token: token / 2)}
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 2, width=1, depth=3, decision="entropy", beta=beta)
    assert total_variation(distribution, target_distribution(pair, [0], 2)) < EXACT


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_width_two_equals_brute_force(pair):
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 2, width=2, depth=1)
    expected = fork_distribution(pair, (0,), 2, width=2, depth=1)
    assert sum(distribution.values()) == pytest.approx(1)
    assert total_variation(distribution, expected) < EXACT


@pytest.mark.parametrize("warp", [{"temperature": 0.7, "top_k": 2}, {"temperature": 2.0}], ids=str)
def test_warped_width_two_equals_brute_force(warp):
    pair = random_pair(3, 9)
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 2, width=2, depth=1, **warp)
    assert total_variation(distribution, fork_distribution(pair, (0,), 2, width=2, depth=1, **warp)) < EXACT


def one_iteration(pair, prompt, **options):
    """The distribution of what the first iteration of the real decoder emits."""

    def run(dice):
        decoding = Run(
            pair, IMPROVED_MCSD, prompt, options=NO_WARP | options, max_new_tokens=9, dice=dice, recorded=False
        )
        decoding.start()
        decoding.step()
        return tuple(decoding.emitted)

    return distribution_of(run)


@pytest.mark.full
@pytest.mark.parametrize(("pair", "width", "depth"), [("random", 2, 2), ("sharp", 3, 1), ("equal", 3, 1)])
def test_a_deeper_and_a_wider_fork_equal_brute_force(width, depth, pair):
    """One iteration; at width 3 the roots are the whole vocabulary."""
    distribution = one_iteration(PAIRS[pair], (0,), width=width, depth=depth)
    expected = defaultdict(float)
    for (emitted, _), probability in iteration_distribution(PAIRS[pair], width, depth)((0,), True).items():
        expected[emitted] += probability
    assert total_variation(distribution, expected) < EXACT


@pytest.mark.full
@pytest.mark.parametrize("beta", [0.3, 0.8])
def test_stopping_early_equals_brute_force(beta):
    """Estimates by token: 0, 1/2, 1. A token under the threshold in every chain is still judged, nothing below it."""
    pair = random_pair(3, 21)
    pair.deciders = {"entropy": FunctionDecider(lambda token: token / 2)}
    distribution = one_iteration(pair, (0,), width=2, depth=2, decision="entropy", beta=beta)
    expected = defaultdict(float)
    iteration = iteration_distribution(pair, 2, 2, worth=lambda token: token / 2 >= beta)
    for (emitted, _), probability in iteration((0,), True).items():
        expected[emitted] += probability
    assert total_variation(distribution, expected) < EXACT


def test_a_text_that_ends():
    """End tokens among the roots and in the chains: nothing below them, nothing after them."""
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 2, width=2, depth=1)
    assert total_variation(distribution, fork_distribution(pair, (0,), 2, width=2, depth=1)) < EXACT
    assert any(len(text) < 2 for text in distribution) and all(2 not in text[:-1] for text in distribution)
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 3, width=1, depth=2)
    assert total_variation(distribution, target_distribution(pair, [0], 3)) < EXACT


class _RootsFromTheTarget(ForkDrafter):
    """New roots from p where the kept chain was rejected too."""

    def commit(self, accepted_beams, scored, verdict):
        super().commit(accepted_beams, scored, verdict)
        if self._source is not None:
            self._source = self._source.base or self._source  # a residual keeps the target it was taken from


class _LastOfEquals(ForkVerifier):
    def verify(self, scored, dice):
        return super().verify(replace(scored, forest=_with_roots_reversed(scored.forest)), dice)


def _with_roots_reversed(forest):
    children = forest.children()
    children[-1] = children[-1][::-1]
    backwards = replace(forest)
    backwards.children = lambda: children
    return backwards


def _with_replacement(weights, count, dice):
    return [dice.pick(weights).index for _ in range(count)]


PITFALLS = {
    "roots from p after a rejection": (variant(IMPROVED_MCSD, drafter=as_kind(_RootsFromTheTarget)), 1),
    "roots drawn with replacement": (IMPROVED_MCSD, 2),
    "the last of equally long chains": (variant(IMPROVED_MCSD, verifier=as_kind(_LastOfEquals)), 2),
}


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    method, width = PITFALLS[name]
    if name.endswith("replacement"):
        monkeypatch.setattr(fork, "draw_without_replacement", _with_replacement)
    pair = random_pair(3, 31, sharpness=1.0)
    n_tokens = 2 if width == 1 else 1
    distribution = exact_distribution(pair, method, [0], n_tokens, width=width, depth=1)
    distance = float(total_variation(distribution, fork_distribution(pair, (0,), n_tokens, width=width, depth=1)))
    record_property("total_variation", float(distance))
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.02


def test_it_is_lossy_beyond_width_one_and_says_so():
    assert IMPROVED_MCSD.guarantee == IMPROVED_MCSD.guarantee_for(width=2, temperature=0.0) == "lossy"
    pair = random_pair(3, 26, sharpness=2.0)
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0], 2, width=2, depth=1)
    distance = total_variation(distribution, target_distribution(pair, [0], 2))
    print(f"width 2: total variation from the target {distance:.3f}")
    assert distance > 0.05


# Temperature 0


def greedy_forks(pair, prompt, n_tokens, width, depth):
    """Top-W roots by p, greedy chains, greedy judgement; no chance anywhere."""
    p, q = pair.target.probabilities, pair.draft.probabilities
    text = ()
    while len(text) < n_tokens:
        context = (*prompt, *text)
        distribution, best = p(context), ()
        for root in sorted(range(len(distribution)), key=lambda token: -distribution[token])[:width]:
            if distribution[root] == 0:
                continue
            kept = (root,)
            while len(kept) <= depth and q((*context, *kept)).argmax() == p((*context, *kept)).argmax():
                kept = (*kept, int(q((*context, *kept)).argmax()))
            best = max(best, kept, key=len)
        text = (*text, *best)
    return text[:n_tokens]


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize(("width", "depth"), [(1, 2), (2, 1), (2, 3), (16, 2)])
def test_temperature_zero_is_deterministic(width, depth, pair):
    distribution = exact_distribution(pair, IMPROVED_MCSD, [0, 1], 6, temperature=0.0, width=width, depth=depth)
    assert distribution == {greedy_forks(pair, (0, 1), 6, width, depth): 1.0}
    if width == 1:
        assert IMPROVED_MCSD.guarantee_for(width=1, temperature=0.0) == "greedy"
        assert distribution == exact_distribution(pair, "autoregressive", [0, 1], 6, temperature=0.0)


def test_temperature_zero_may_leave_the_greedy_text():
    """The second most likely root is followed by what the draft expects, the first is not: the second is written."""
    target = TableLM(lambda context: [0.5, 0.4, 0.1] if len(context) == 1 else [0.1, 0.2, 0.7], 3)
    draft = TableLM(lambda context: [0.9, 0.1, 0.0] if context[-1] == 0 else [0.0, 0.1, 0.9], 3)
    distribution = exact_distribution(
        ModelPair(target, draft), IMPROVED_MCSD, [0], 2, temperature=0.0, width=2, depth=1
    )
    assert distribution == {(1, 2): 1.0}


# What is drafted, called and recorded


def test_the_forest_of_an_iteration():
    pair = random_pair(5, 3)
    pair.deciders = {"hidden": FunctionDecider(lambda token: token / 5)}
    options = {"width": 3, "depth": 4, "decision": "hidden", "beta": 0.5, "top_k": None, "top_p": None}
    trace = specviz.decode(pair, IMPROVED_MCSD.name, [0, 1], max_new_tokens=60, seed=5, **options)
    depths, origins = set(), set()
    for iteration in trace.iterations:
        forest = iteration.forest
        roots = [node for node in forest.nodes if node.root]
        assert len({node.token for node in roots}) == len(roots) <= 3 and all(node.depth == 1 for node in roots)
        assert all((node.estimate is None) == (node.root is not None) for node in forest.nodes)
        assert all(node.estimate == node.token / 5 for node in forest.nodes if not node.root)
        deepest = max(node.depth for node in forest.nodes) - 1
        low = [d for d in range(1, deepest + 1) if all(n.token < 2.5 for n in forest.nodes if n.depth == d + 1)]
        assert low in ([], [deepest]) and (low or deepest == 4)  # stops right after the first hopeless layer
        assert forest.planned_depth == iteration.depth == 4
        assert len([call for call in iteration.calls if call.role == "draft"]) == deepest
        assert iteration.offered == deepest and iteration.accepted <= deepest
        origins.add(iteration.emitted[0].origin)
        depths.add(deepest)
        if iteration is not trace.iterations[-1]:
            assert len(iteration.emitted) == iteration.accepted + 1  # the root, the accepted drafts and no bonus
    assert len(depths) > 1 and origins == {"target", "resampled", "bonus"}
    assert trace.iterations[0].emitted[0].origin == "target"


def test_a_decision_model_reads_the_draft():
    """On transformers: hidden states reach the decision model, and both kinds give estimates."""
    target, draft = (TransformerLM(tiny("llama", seed), f"model {seed}") for seed in (1, 2))
    width, size = draft.shape.width, draft.vocab_size
    torch.manual_seed(0)
    deciders = {kind: DecisionModel(kind, width, size) for kind in ("hidden", "entropy")}
    pair = ModelPair(target, draft, deciders=deciders)
    options = {"max_new_tokens": 12, "width": 3, "depth": 2}
    for kind in deciders:
        run = specviz.decode(pair, "improved-mcsd", [5, 6], decision=kind, beta=0.0, **options)
        estimates = [n.estimate for i in run.iterations for n in i.forest.nodes if not n.root]
        assert len(set(estimates)) > 5 and all(0.0 < estimate < 1.0 for estimate in estimates)
    plain = specviz.decode(pair, "improved-mcsd", [5, 6], **options)
    assert plain.tokens == run.tokens  # a threshold of 0 never stops a draft


@pytest.mark.parametrize(("usual", "share"), [(0.6, 1.0), (0.5, 0.0)])
def test_auto_stops_below_what_the_decision_model_usually_says(usual, share):
    pair, decider = random_pair(4, 1), FunctionDecider(0.5)
    decider.usual = usual
    pair.deciders = {"entropy": decider}
    options = {"max_new_tokens": 9, "width": 2, "depth": 3}
    run = specviz.decode(pair, "improved-mcsd", [0], decision="entropy", **options)
    assert run.header.options["beta"] == "auto" and run.metrics.drafts_stopped == share
    assert specviz.decode(pair, "improved-mcsd", [0], record=False, **options).metrics.drafts_stopped is None
    fixed = specviz.decode(pair, "improved-mcsd", [0], decision="entropy", beta=usual, **options)
    assert fixed.tokens == run.tokens


def test_what_is_refused():
    pair = random_pair(3, 1)
    with pytest.raises(ModelError, match="decision='hidden' needs a pair with that decision model.*has none"):
        exact_distribution(pair, IMPROVED_MCSD, [0], 1, decision="hidden")
    with pytest.raises(ModelError, match="improved-mcsd needs a pair with a draft model"):
        exact_distribution(ModelPair(pair.target), IMPROVED_MCSD, [0], 1)
    with pytest.raises(OptionError, match="restart must be false for 'improved-mcsd'"):
        exact_distribution(pair, IMPROVED_MCSD, [0], 1, restart=True)
