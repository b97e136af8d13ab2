"""Methods that keep several beams, whole: exact distributions by brute force from the definitions, and pitfalls."""

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
import torch

import specviz
from specviz.decoding.exact.distribution import distribution_of, exact_distribution, target_distribution
from specviz.decoding.registry.methods.beams import BEAM, DSBD, MTJD, SPECULATIVE_BEAM
from specviz.decoding.run.loop import Run, iterations
from specviz.dice import SeededDice
from specviz.drafting import joint as joint_rules
from specviz.drafting import layers as drafting
from specviz.errors import ModelError, OptionError
from specviz.lm.language_model import Scores
from specviz.lm.pair import ModelPair
from specviz.lm.scoring import distributions
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from specviz.rules.beams import beam as beam_rules
from specviz.rules.beams import layered
from specviz.rules.beams.multi_token import particle_distribution
from specviz.trace.distribution import Distribution, JointDistribution, total_variation
from specviz.trace.forest import LayerBeam
from tests.decoding.methods.beam_distributions import (
    beam_distribution,
    best,
    continuations,
    distance_from_beams,
    iteration_distribution,
    joint,
    p_beam,
)
from tests.decoding.methods.models import PAIRS, random_pair

EXACT = 1e-9
WARPS = [{}, {"temperature": 0.6}, {"top_k": 3}, {"temperature": 1.5, "top_p": 0.7}]


def warp_of(options):
    return Warp(options.get("temperature", 1.0), options.get("top_k"), options.get("top_p"))


def ending(pair):
    return ModelPair(pair.target, pair.draft, end_tokens=frozenset({pair.target.vocab_size - 1}))


def finished_run(pair, method, prompt, max_new_tokens, seed=0, **options):
    run = Run(
        pair, method, prompt, options=options, max_new_tokens=max_new_tokens, dice=SeededDice(seed), recorded=False
    )
    for _ in iterations(run):
        pass
    return run


def test_the_average_width_is_that_of_the_layers():
    """Given where the width is fixed; falling with the threshold where it is chosen (DSBD, Equations 5 and 6)."""
    pair = random_pair(6, 3)

    def width(method, **options):
        found = [specviz.decode(pair, method, [0], max_new_tokens=24, seed=seed, **options) for seed in range(4)]
        assert all(one.metrics.average_width for one in found)
        return float(np.mean([one.metrics.average_width for one in found]))

    assert width(BEAM, beams=3) == width(BEAM, beams=3, record=False) == 3
    assert width(DSBD, threshold=None, min_beams=2, draft_beams=4) == 2
    narrow, middle, wide = (width(DSBD, threshold=threshold, draft_beams=4) for threshold in (0.95, 0.6, 0.1))
    assert 1 <= narrow < middle < wide < 4
    assert specviz.decode(pair, "speculative", [0], max_new_tokens=8).metrics.average_width is None


# Beam sampling and beam search


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize("width", [1, 2, 3])
def test_beam_sampling_draws_from_the_joint(width, warp):
    pair = random_pair(3, 1) if width < 3 else random_pair(2, 2)
    for given in (pair, ending(pair)):
        distribution = exact_distribution(given, BEAM, [0, 1], 2, beams=width, **warp)
        assert total_variation(distribution, beam_distribution(given, (0, 1), width, 2, warp_of(warp))) < EXACT


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("warp", WARPS, ids=str)
def test_one_beam_is_autoregressive(pair, warp):
    distribution = exact_distribution(pair, BEAM, [1], 3, beams=1, **warp)
    plain = {(text,): probability for text, probability in target_distribution(pair, [1], 3, **warp).items()}
    assert total_variation(distribution, plain) < EXACT
    (greedy,) = exact_distribution(pair, BEAM, [1], 3, beams=1, temperature=0.0)
    assert set(target_distribution(pair, [1], 3, temperature=0.0)) == set(greedy)


def searched(pair, prompt, width, length):
    """Beam search from its definition: equals keep the order of the beams, then of the tokens."""
    beams = [()]
    for _ in range(length):
        if all(beam and beam[-1] in pair.end_tokens for beam in beams):
            break
        found = [(text, p) for text, p in continuations(pair.target, prompt, beams, pair.end_tokens) if p > 0]
        beams = [text for text, _ in sorted(found, key=lambda pair: -pair[1])[:width]]
    return beams


@pytest.mark.parametrize("options", [{"deterministic": True}, {"temperature": 0.0}], ids=str)
@pytest.mark.parametrize("width", [1, 2, 4])
def test_beam_search_keeps_the_most_likely(width, options):
    for seed in range(8):
        for pair in (random_pair(4, seed, zeros=0.2), ending(random_pair(4, seed))):
            run = finished_run(pair, BEAM, [0], 6, beams=width, **options)
            expected = searched(pair, (0,), width, 6)
            assert [tuple(text[1:]) for text in run.beam_texts] == expected
            assert tuple(run.emitted) == expected[0]


def test_the_text_is_the_most_likely_beam():
    pair = ending(random_pair(4, 5))
    for seed in range(10):
        run = finished_run(pair, BEAM, [0], 6, seed, beams=3)
        assert tuple(run.emitted) == best([tuple(text[1:]) for text in run.beam_texts], pair.target, (0,))


# Multi-token joint decoding


def blocks_distribution(pair, prompt, tokens, width, most, warp, exact):
    """The distribution of the whole text, from the definition: every block from the joint of its own tokens alone."""
    ends = pair.end_tokens

    def one_of(context, beams, last):
        if exact:
            return p_beam(pair.target, context, beams, warp, ends)
        return one_of_particles(pair.target, context, beams, warp, ends, last)

    def block(context, length):
        distribution = {((),): 1.0}
        for number in range(1, length + 1):
            grown = defaultdict(float)
            for beams, probability in distribution.items():
                if exact and number < length:
                    chances = {tuple(t for t, p in continuations(pair.target, context, beams, ends) if p > 0): 1.0}
                else:
                    one = one_of(context, beams, number == length)
                    drawn = 1 if number == length else width
                    chances = {c: math.prod(one[t] for t in c) for c in itertools.product(one, repeat=drawn)}
                for combination, chance in chances.items():
                    over = number < length and all(text[-1] in ends for text in combination)
                    left = one_of(context, combination, True) if over else {}
                    for text, weight in left.items():
                        grown[(text,)] += probability * chance * weight
                    if not over:
                        grown[combination] += probability * chance
            distribution = defaultdict(float)
            for beams, probability in grown.items():
                distribution[beams] += probability
        return {beams[0]: probability for beams, probability in distribution.items()}

    done, going = defaultdict(float), {(): 1.0}
    while going:
        following = defaultdict(float)
        for text, probability in going.items():
            for more, chance in block((*prompt, *text), min(tokens, most - len(text))).items():
                longer = (*text, *more)
                ended = len(longer) == most or longer[-1] in ends
                (done if ended else following)[longer] += probability * chance
        going = following
    return dict(done)


def one_of_particles(model, prompt, particles, warp, ends, last):
    """{longer text: probability}: each copy counts P(token | particle)^(1/T); of the cuts, those that come then."""
    weights, logprobs = {}, {}
    for particle, copies in Counter(particles).items():
        found = dict(continuations(model, prompt, [particle], ends))
        likeliest = sorted(found, key=lambda text: -found[text])[: warp.top_k]
        for text in likeliest:
            weights[text] = copies * (found[text] / joint(model, prompt, particle)) ** (1 / warp.temperature)
            logprobs[text] = math.log(found[text])
    if last:
        texts = sorted(weights, key=lambda text: -logprobs[text])[: warp.top_k]
        total, mass, kept = sum(weights[text] for text in texts), 0.0, {}
        for text in texts:
            if mass < (warp.top_p or 1.0) * total:
                kept[text] = weights[text]
            mass += weights[text]
        weights = kept
    return {text: weight / sum(weights.values()) for text, weight in weights.items()}


def text_distribution(pair, method, prompt, most, **options):
    """The distribution of the text that is put out in the end."""
    settings = {"temperature": 1.0, "top_k": None, "top_p": None} | options

    def run(dice):
        run = Run(pair, method, prompt, options=settings, max_new_tokens=most, dice=dice, recorded=False)
        for _ in iterations(run):
            pass
        return tuple(run.emitted)

    return distribution_of(run)


@pytest.mark.parametrize("warp", WARPS, ids=str)
@pytest.mark.parametrize(("tokens", "most"), [(1, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("exact", [True, False])
def test_a_block_is_drawn_from_its_joint(exact, tokens, most, warp):
    pair = random_pair(3 if exact or tokens < 3 else 2, 6)
    options = {"tokens": tokens, "beams": 2, "exact": exact, **warp}
    for given in (pair, ending(pair)):
        expected = blocks_distribution(given, (0, 1), tokens, 2, most, warp_of(warp), exact)
        assert total_variation(text_distribution(given, MTJD, [0, 1], most, **options), expected) < EXACT


def test_the_exact_joint_is_the_warped_distribution_of_all_continuations():
    """The same, with no beams at all in the definition."""
    pair, warp = random_pair(4, 7), {"temperature": 0.5, "top_p": 0.8}
    texts = list(itertools.product(range(4), repeat=3))
    weights = torch.tensor([[joint(pair.target, (2,), text) for text in texts]], dtype=torch.float64)
    expected = dict(zip(texts, warp_of(warp)(weights.log())[0].tolist(), strict=True))
    assert total_variation(text_distribution(pair, MTJD, [2], 3, tokens=3, exact=True, **warp), expected) < EXACT
    (text,) = text_distribution(pair, MTJD, [2], 3, tokens=3, exact=True, deterministic=True)
    assert text == best(texts, pair.target, (2,))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_the_exact_raw_joint_is_the_target(pair):
    assert MTJD.guarantee_for(exact=True, temperature=1, top_k=None, top_p=None) == "target"
    for given in (pair, ending(pair)):
        distribution = text_distribution(given, MTJD, [0], 3, tokens=2, exact=True)
        assert total_variation(distribution, text_distribution(given, BEAM, [0], 3, beams=1)) < EXACT


@pytest.mark.parametrize("width", [1, 2, 3])
def test_particles_without_a_warp_are_the_target(width):
    """At any width: a particle is drawn as the target draws, and one of them goes on as the target goes on."""
    raw = {"temperature": 1, "top_k": None, "top_p": None}
    assert MTJD.guarantee_for(beams=width, **raw) == "target"
    assert MTJD.guarantee_for(beams=width, deterministic=True, **raw) == "lossy"
    assert all(MTJD.guarantee_for(**raw | warp) == "lossy" for warp in WARPS if warp)
    pair = random_pair(3 if width < 3 else 2, 10)
    for given in (pair, ending(pair)):
        distribution = text_distribution(given, MTJD, [0], 3, tokens=2 if width > 1 else 3, beams=width)
        assert total_variation(distribution, target_distribution(given, [0], 3)) < EXACT


@pytest.mark.parametrize(
    "warp", [{"temperature": 0.5}, {"temperature": 2.0}, {"temperature": 0.7, "top_p": 0.8}], ids=str
)
def test_more_particles_approach_the_exact_joint(warp):
    """Each width's distribution over a block is known exactly: the particles' counts are multinomial."""
    pair = random_pair(3, 11)
    exact = text_distribution(pair, MTJD, [0], 2, tokens=2, exact=True, **warp)
    first = next_of_particles(pair, [()], warp, last=False)
    distances = []
    for width in (2, 4, 8, 32):
        met = defaultdict(float)
        for counts in itertools.product(range(width + 1), repeat=len(first)):
            if sum(counts) != width:
                continue
            ways = math.factorial(width) / math.prod(map(math.factorial, counts))
            chance = ways * math.prod(p**n for p, n in zip(first.values(), counts, strict=True))
            particles = [text for text, n in zip(first, counts, strict=True) for _ in range(n)]
            for text, prob in next_of_particles(pair, particles, warp, last=True).items():
                met[text] += chance * prob
        distances.append(total_variation(met, exact))
        if width == 2:
            assert total_variation(text_distribution(pair, MTJD, [0], 2, tokens=2, beams=2, **warp), met) < EXACT
    cut = "top_p" in warp  # whether a text is inside jumps with the counts, so not every step is nearer
    pairs = [(distances[0], distances[-1])] if cut else itertools.pairwise(distances)
    assert all(later < 0.8 * sooner for sooner, later in pairs), distances
    assert distances[-1] < 0.03


def next_of_particles(pair, particles, warp, last):
    """What the decoder's own rule draws from, as {text: probability}."""
    numbers = {text: -1 - index for index, text in enumerate(dict.fromkeys(particles))}
    names = {number: text for text, number in numbers.items()}
    following = {text: distributions_after(pair, (0, *text)) for text in numbers}
    layer = [LayerBeam(numbers[t], math.log(joint(pair.target, (0,), t)), following[t]) for t in particles]
    found = particle_distribution(layer, warp_of(warp), last=last)
    return {(*names[prefix], token): prob for (prefix, token), prob in found.table().items()}


def distributions_after(pair, text):
    logits = torch.from_numpy(pair.target.probabilities(text)).log()[None]
    return distributions(Scores(logits), Warp())[0]


@pytest.mark.parametrize("warp", [*WARPS, {"temperature": 0.0}, {"deterministic": True}], ids=str)
def test_a_block_of_one_is_autoregressive(warp):
    pair = random_pair(4, 8)
    plain = {"temperature": 0.0} if "deterministic" in warp else warp
    expected = target_distribution(pair, [0], 3, **plain)
    assert MTJD.guarantee_for(tokens=1, **warp) == ("greedy" if 0.0 in plain.values() else "target")
    assert total_variation(text_distribution(pair, MTJD, [0], 3, tokens=1, **warp), expected) < EXACT


def test_too_many_continuations_are_refused():
    pair = random_pair(30, 9)
    with pytest.raises(OptionError, match=r"30 \*\* 4 = 810000; at most 20000"):
        finished_run(pair, MTJD, [0], 4, exact=True)
    assert len(finished_run(pair, MTJD, [0], 4, exact=True, tokens=2).emitted) == 4


# Speculative beam search


@pytest.mark.parametrize(("beams", "draft_beams", "gamma"), [(1, 1, 3), (2, 2, 1), (2, 4, 3), (3, 5, 2), (4, 4, 4)])
def test_speculative_beam_search_is_beam_search(beams, draft_beams, gamma):
    """On every input: random models near and far, with zeros, ties and end tokens, cut anywhere."""
    saved = 0
    for seed in range(10):
        target = TableLM.random(4, seed, zeros=0.3 * (seed % 2), sharpness=1.0 + seed % 3)
        near = TableLM(
            lambda context, target=target: 0.9 * target.probabilities(context) + 0.025, 4
        )  # agrees most of the time
        even = TableLM(lambda context: np.full(4, 0.25), 4)
        for model, draft in ((target, target), (target, near), (target, even), (even, target), (near, even)):
            for ends in (frozenset(), frozenset({3})):
                pair, length = ModelPair(model, draft, end_tokens=ends), 1 + seed % 9
                options = {"beams": beams, "draft_beams": draft_beams, "gamma": gamma}
                run = finished_run(pair, SPECULATIVE_BEAM, [0, 2], length, **options)
                search = finished_run(pair, BEAM, [0, 2], length, beams=beams, deterministic=True)
                assert (run.beam_texts, run.emitted, run.stop) == (search.beam_texts, search.emitted, search.stop)
                assert [b.logprob for b in run.texts.beams] == [b.logprob for b in search.texts.beams]
                saved += len(search.iterations) - len(run.iterations)
    assert saved > 0  # some steps passed


def test_a_perfect_draft_passes_every_step():
    pair = ModelPair(PAIRS["random"].target, PAIRS["random"].target)
    run = finished_run(pair, SPECULATIVE_BEAM, [0], 12, gamma=3, beams=2, draft_beams=2)
    assert [iteration.steps for iteration in run.iterations] == [4, 4, 4]
    assert all(iteration.offered == iteration.accepted == 3 for iteration in run.iterations)


def test_fewer_draft_beams_than_beams_are_refused():
    with pytest.raises(OptionError, match=r"draft_beams must be at least beams \(3\), got 2"):
        finished_run(PAIRS["random"], SPECULATIVE_BEAM, [0], 4, beams=3, draft_beams=2)


@pytest.mark.parametrize("method", [SPECULATIVE_BEAM, DSBD], ids=lambda method: method.name)
def test_a_pair_without_a_draft_is_refused(method):
    with pytest.raises(ModelError, match=f"{method.name} needs a pair with a draft model"):
        finished_run(ModelPair(PAIRS["random"].target), method, [0], 4)


# Dynamic-width speculative beams


def dsbd_distribution(pair, prompt, gamma, draft_beams, min_beams=1, threshold=None, **warp_options):
    """The distribution of the layers of one iteration."""
    warp, ends = warp_of(warp_options), pair.end_tokens
    return iteration_distribution(
        pair,
        prompt,
        lambda session: drafting.LayerDrafter(session, warp, gamma, draft_beams, ends),
        lambda: layered.LayeredVerifier(warp, min_beams, threshold, end_tokens=ends),
        warp,
    )


def distances(distribution, pair, prompt, **warp_options):
    return distance_from_beams(distribution, pair.target, prompt, warp_of(warp_options), pair.end_tokens)


WIDTHS = [{"threshold": None}, {"threshold": 0.7}, {"threshold": 0.3, "min_beams": 2}]


@pytest.mark.full
@pytest.mark.every(7)
@pytest.mark.parametrize(
    ("pair", "options"),
    [("random", WIDTHS[2]), *itertools.product(["random", "sharp", "equal", "disjoint"], WIDTHS[:2])],
    ids=str,
)
def test_every_layer_is_drawn_from_p_beam(pair, options):
    """Layers 1 to 3 of a whole iteration: i.i.d. from p_beam, given the layers before and the width."""
    distribution = dsbd_distribution(PAIRS[pair], (0, 1), 2, 2, **options)
    found = distances(distribution, PAIRS[pair], (0, 1))
    assert found.keys() == ({1} if pair == "disjoint" else {1, 2, 3})
    assert sum(distribution.values()) == pytest.approx(1, abs=EXACT) and max(found.values()) < EXACT


@pytest.mark.parametrize("warp", WARPS[1:], ids=str)
def test_every_layer_is_drawn_from_the_warped_p_beam(warp):
    pair = random_pair(3, 14)
    found = distances(dsbd_distribution(pair, (0,), 2, 2, threshold=0.5, **warp), pair, (0,), **warp)
    assert len(found) == 3 and max(found.values()) < EXACT


@pytest.mark.parametrize("seed", [3, 8])
def test_layers_with_zeros_and_ended_beams(seed):
    pair = ending(random_pair(3, seed, zeros=0.3))
    distribution = dsbd_distribution(pair, (0,), 2, 2, threshold=0.5)
    assert any(text[-1] == 2 for layers in distribution for layer in layers[:-1] for text in layer)
    assert max(distances(distribution, pair, (0,)).values()) < EXACT


@pytest.mark.parametrize(
    ("vocab_size", "length", "gamma", "draft_beams", "min_beams"),
    [(3, 2, 1, 1, 1), (3, 2, 1, 2, 1), (3, 2, 2, 1, 1), (2, 2, 2, 2, 1), (2, 2, 1, 2, 2), (2, 3, 1, 2, 1)],
)
def test_at_a_fixed_width_the_whole_distribution_is_that_of_beam_sampling(
    vocab_size, length, gamma, draft_beams, min_beams
):
    pair = random_pair(vocab_size, 14)
    options = {"gamma": gamma, "draft_beams": draft_beams, "min_beams": min_beams, "threshold": None}
    for given in (pair, ending(pair)) if min_beams == 1 else (pair,):
        distribution = exact_distribution(given, DSBD, [0, 1], length, **options)
        assert total_variation(distribution, exact_distribution(given, BEAM, [0, 1], length, beams=min_beams)) < EXACT


def test_the_whole_distribution_of_a_warped_decoder():
    pair, warp = random_pair(2, 15), {"temperature": 0.6, "top_p": 0.9}
    options = {"gamma": 1, "draft_beams": 2, "min_beams": 2, "threshold": None}
    distribution = exact_distribution(pair, DSBD, [0], 2, **options, **warp)
    assert total_variation(distribution, beam_distribution(pair, (0,), 2, 2, warp_of(warp))) < EXACT


@pytest.mark.parametrize("single_cache", [False, True])
def test_temperature_zero_is_the_greedy_text(single_cache):
    for seed in range(5):
        pair = random_pair(4, seed)
        run = finished_run(pair, DSBD, [0, 1], 7, seed, temperature=0.0, single_cache=single_cache)
        assert DSBD.guarantee_for(temperature=0) == "greedy"
        assert set(target_distribution(pair, [0, 1], 7, temperature=0.0)) == {tuple(run.emitted)}


def test_one_cache_goes_on_with_the_output_of_lowest_perplexity():
    """Not with the most likely one, where an ended beam is shorter than the others."""
    options = {"temperature": 1.0, "top_k": None, "top_p": None, "single_cache": True, "min_beams": 3}
    differs = 0
    for seed in range(40):
        pair = ending(random_pair(4, seed))
        run = Run(pair, DSBD, [0], options=options, max_new_tokens=8, dice=SeededDice(seed), recorded=False)
        run.start()
        while run.stop is None:
            run.step()
            last = run.texts.history[-1]
            chosen = max(last, key=lambda text: math.log(joint(pair.target, (0,), text)) / len(text))
            if run.stop != "length":
                (text,) = (tuple(text[1:]) for text in run.beam_texts)
                assert text == chosen
                differs += text != best(last, pair.target, (0,))
    assert differs


@pytest.mark.parametrize("method", [BEAM, MTJD, SPECULATIVE_BEAM, DSBD], ids=lambda method: method.name)
def test_the_target_keeps_the_rows_of_its_beams_and_no_others(method):
    """Once per shared beginning, the newest token of each beam left out; one target call an iteration."""
    pair = ending(random_pair(4, 18))
    for seed in range(5):
        run = Run(pair, method, [0, 1], options={}, max_new_tokens=8, dice=SeededDice(seed), recorded=False)
        run.start()
        while run.stop is None:
            iteration = run.step()
            rows = {tuple(text[: i + 1]) for text in run.beam_texts for i in range(len(text) - 1)}
            assert [call.role for call in iteration.calls].count("target") == 1
            assert run.stop is not None or iteration.rows == len(rows)


# Negative controls: each pitfall put into the real rules, on models of a fixed seed.


def _inverted(monkeypatch):
    class Inverted(layered.LayeredVerifier):
        def _flip(self, draft, depth, left, draft_joint, dice):
            p, q = (joint.prob(draft.parent, draft.token) for joint in (left, draft_joint))
            chance = 1.0 if q >= p else q / p
            accepted = bool(dice.flip(chance))
            return layered.BeamCoin(
                *(draft.node, draft.parent, depth, draft.token, chance, None, accepted), left, draft_joint
            )

    monkeypatch.setattr(layered, "LayeredVerifier", Inverted)


class _Aliased(list):
    """p_beam and p' as one array: setting p' back changes nothing, and what was taken away stays away."""

    def __init__(self, distributions):
        super().__init__(distributions)
        self.asked = self.taken = 0

    def __getitem__(self, index):
        if isinstance(index, slice):
            return list(self)[index]
        self.taken, self.asked = self.taken + max(0, index - self.asked), index
        return super().__getitem__(self.taken)


def _aliased(monkeypatch):
    stock = layered.rejections
    monkeypatch.setattr(layered, "rejections", lambda *given: _Aliased(stock(*given)))


def _not_renormalised(monkeypatch):
    def cut(distribution, prefixes):
        inside = np.isin(distribution.prefixes, list(prefixes))
        return JointDistribution(
            distribution.prefixes[inside],
            distribution.tokens[inside],
            distribution.probs[inside],
            distribution.logprobs[inside],
        )

    monkeypatch.setattr(layered, "restricted", cut)


def _warped_again(monkeypatch, warp):
    stock = layered.restricted

    def again(distribution, prefixes):
        distribution = stock(distribution, prefixes)
        probs = warp(torch.from_numpy(distribution.probs).log()[None])[0].numpy()
        return JointDistribution(distribution.prefixes, distribution.tokens, probs, distribution.logprobs)

    monkeypatch.setattr(layered, "restricted", again)


def _warped_inside(distribution):
    """A distribution that is warped where p_beam asks for the raw one."""
    with np.errstate(divide="ignore"):
        logits = np.log(distribution.probs)
    given = (distribution.tokens, distribution.probs, logits, 0.0)
    return Distribution(*given, distribution.likeliest, distribution.complete)


def _joint_of(monkeypatch, change):
    stock = joint_rules.joint_distribution
    for room in (beam_rules, layered, drafting):
        monkeypatch.setattr(room, "joint_distribution", lambda beams, warp: stock(change(beams), warp))


def _warped_inside_too(monkeypatch):
    _joint_of(
        monkeypatch,
        lambda beams: [
            LayerBeam(b.prefix, b.logprob, None if b.next is None else _warped_inside(b.next)) for b in beams
        ],
    )


def _copies_merged(monkeypatch):
    _joint_of(monkeypatch, lambda beams: list({beam.prefix: beam for beam in beams}.values()))


class _Distinct:
    """Dice that draw from one distribution without replacement."""

    def __init__(self, dice):
        self._dice, self._left = dice, None

    def pick(self, weights):
        left = self._left = weights.copy() if self._left is None else self._left
        picked = self._dice.pick(left)
        if np.count_nonzero(left) > 1:
            left[picked.index] = 0.0
        return picked


def _without_replacement(monkeypatch):
    class Distinct(drafting.LayerDrafter):
        def _grow(self, forest, layer, dice):
            return super()._grow(forest, layer, _Distinct(dice))

    monkeypatch.setattr(drafting, "LayerDrafter", Distinct)


TWO = {"gamma": 1, "draft_beams": 2}
HALF = {"temperature": 0.5}
PITFALLS = {
    "inverted acceptance ratio": (_inverted, 22, 3, TWO),
    "p_beam aliased, never reset": (_aliased, 22, 3, TWO | {"min_beams": 2}),
    "q_beam not renormalised over survivors": (_not_renormalised, 22, 2, TWO | {"gamma": 2}),
    "restricted q_beam warped again": (lambda patch: _warped_again(patch, Warp(**HALF)), 22, 3, TWO | HALF),
    "warping inside and outside the joint": (_warped_inside_too, 22, 3, {"gamma": 1, "draft_beams": 1} | HALF),
    "drafts without replacement": (_without_replacement, 26, 3, TWO),
}


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    pitfall, seed, vocab_size, options = PITFALLS[name]
    pair, warp = random_pair(vocab_size, seed, sharpness=2.0), HALF if "temperature" in options else {}

    def distance():
        return max(distances(dsbd_distribution(pair, (0,), **options), pair, (0,), **warp).values())

    assert distance() < EXACT
    pitfall(monkeypatch)
    caught = distance()
    record_property("total_variation", float(caught))
    print(f"{name}: total variation {caught:.3f}")
    assert caught > 0.02


def test_merged_copies_are_caught(monkeypatch, record_property):
    """Three beams: two copies beside another weigh twice."""
    pair = random_pair(2, 26, sharpness=1.0)
    expected = beam_distribution(pair, (0,), 3, 2)
    assert total_variation(exact_distribution(pair, BEAM, [0], 2, beams=3), expected) < EXACT
    _copies_merged(monkeypatch)
    caught = total_variation(exact_distribution(pair, BEAM, [0], 2, beams=3), expected)
    record_property("total_variation", float(caught))
    print(f"copies merged into one: total variation {caught:.3f}")
    assert caught > 0.02
