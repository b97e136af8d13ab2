"""Blockwise parallel decoding, Medusa and SLiM as whole decoders: the greedy text, and how fast they get there."""

import copy
import itertools
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import torch

import specviz
from specviz.decoding.exact.distribution import exact_distribution
from specviz.decoding.registry.methods.heads import BPD, MEDUSA, SLIM
from specviz.decoding.run.loop import Run, iterations
from specviz.dice import SeededDice
from specviz.drafting.heads import HeadsDrafter
from specviz.errors import ModelError, OptionError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.heads import PredictionHeads, TableHeads
from specviz.lm.table import TableLM
from specviz.rules.greedy import GreedyVerifier
from specviz.trace.distribution import Distribution, total_variation
from specviz.trace.forest import Forest
from specviz.trace.store import trace_from_json, trace_to_json
from tests.decoding.registry.variants import variant
from tests.lm.models import VOCABULARY, tiny

V = 5
EPSILON, DELTA = 0.09, 0.3  # of typical acceptance, as Medusa sets them
METHODS = [
    (BPD, {}),
    (MEDUSA, {}),
    (MEDUSA, {"nodes": 8}),
    (SLIM, {}),
    (SLIM, {"keep": 1, "candidates": 2}),
    (SLIM, {"keep": 1000, "candidates": 4, "correlation": False}),
]
NAMES = [f"{method.name}-{options}" for method, options in METHODS]


def all_paths(count: int, ranks: int):
    """The static tree that holds every combination of ranks."""
    return tuple(path for depth in range(1, count + 1) for path in itertools.product(range(ranks), repeat=depth))


def table_pair(seed: int, *, heads: TableHeads | None = None, ends=frozenset(), order=None, vocab_size=V) -> ModelPair:
    target = TableLM.random(vocab_size, seed, sharpness=2.0, order=order)
    heads = heads or TableHeads.random(vocab_size, 3, seed + 1, tree=all_paths(3, 2))
    correlation = DenseCorrelation.random(vocab_size, seed + 2)
    return ModelPair(target, heads=heads, correlation=correlation, end_tokens=frozenset(ends))


def greedy_text(pair: ModelPair, prompt, length: int) -> tuple[int, ...]:
    text = tuple(prompt)
    while len(text) < len(prompt) + length and not (len(text) > len(prompt) and text[-1] in pair.end_tokens):
        text = (*text, int(pair.target.probabilities(text).argmax()))
    return text[len(prompt) :]


def run(pair, method, prompt, length, **options) -> Run:
    going = Run(pair, method, prompt, options=options, max_new_tokens=length, dice=SeededDice(0))
    for _ in iterations(going):
        pass
    return going


def clairvoyant(target: TableLM, count: int, vocab_size: int = V) -> TableHeads:
    """Heads that know: number i gives the token that the target will write i + 2 positions after the context."""

    def head(ahead):
        def function(context):
            for _ in range(ahead):
                context = (*context, int(target.probabilities(context).argmax()))
            return np.eye(vocab_size)[context[-1]]

        return function

    return TableHeads([head(i + 2) for i in range(count)], vocab_size, tree=all_paths(count, 2))


@pytest.mark.parametrize(("method", "options"), METHODS, ids=NAMES)
def test_the_text_is_greedy_whatever_the_heads_guess(method, options):
    assert method.guarantee_for(**options) == "greedy" and method.record(method.resolve(**options)).greedy
    for seed in range(12):
        pair = table_pair(seed)
        prompt = [seed % V, 2, 1][: 1 + seed % 3]  # a prompt of one token has no state to read at first
        for temperature in (0.0, 1.0):
            distribution = exact_distribution(pair, method, prompt, 7, limit=9, temperature=temperature, **options)
            assert distribution == {greedy_text(pair, prompt, 7): 1.0}  # one text: no coin was tossed


@pytest.mark.parametrize(("method", "options"), METHODS, ids=NAMES)
@pytest.mark.parametrize("knowing", [False, True])
def test_it_ends_at_end_tokens_and_at_the_limit(method, options, knowing):
    stops = set()
    for seed, length in itertools.product(range(6), range(1, 9)):
        pair = table_pair(seed, ends={seed % V})
        if knowing:
            pair.heads = clairvoyant(pair.target, 3)
        done = run(pair, method, [(seed + 1) % V, 3], length, **options)
        assert tuple(done.emitted) == greedy_text(pair, [(seed + 1) % V, 3], length)
        stops.add(done.stop)
    assert stops == {"end", "length"}


@pytest.mark.parametrize(("method", "options"), METHODS, ids=NAMES)
def test_heads_that_know_have_every_guess_accepted(method, options):
    """Root, heads and hidden positions line up: all m - 1 guesses stand, and the target's own token makes m."""
    options = options | {"keep": 3} if options.get("keep") == 1 else options  # alone, a short one may be the best
    for seed in range(5):
        pair = table_pair(seed)
        pair.heads = clairvoyant(pair.target, 3)
        prompt = [1, *greedy_text(pair, [1], 1)]  # a prompt the heads foresee too
        trace = run(pair, method, prompt, 20, **options).trace()
        assert [len(iteration.emitted) for iteration in trace.iterations] == [4] * 5
        assert all(iteration.accepted == iteration.offered == 3 for iteration in trace.iterations)
        origins = {emitted.origin for iteration in trace.iterations for emitted in iteration.emitted}
        assert origins == {"accepted", "bonus"}
        one = run(pair, method, [1], 5, **options).trace()  # the first iteration has nothing to draft from
        assert [len(iteration.emitted) for iteration in one.iterations] == [1, 4]


class _ReadsTheHeadsTooLate(HeadsDrafter):
    """The pitfall of an off-by-one: heads read at the text's last token, as if the root were still to come."""

    def draft(self, beams, dice):
        return super().draft([replace(beams[0], tokens=[*beams[0].tokens, beams[0].tokens[-1]])], dice)


def mixed(fault):
    """Puts a fault before the class of what was built."""

    def change(built):
        built.__class__ = type("Changed", (fault, type(built)), {})
        return built

    return change


@pytest.mark.parametrize("method", [BPD, MEDUSA, SLIM], ids=lambda method: method.name)
def test_heads_read_one_position_off_lose_their_guesses(method):
    """Negative control: the text stays greedy, and only the count of accepted tokens tells."""
    pair = table_pair(2)
    pair.heads = clairvoyant(pair.target, 3)
    late = run(pair, variant(method, drafter=mixed(_ReadsTheHeadsTooLate)), [1, 2], 20)
    assert tuple(late.emitted) == greedy_text(pair, [1, 2], 20)
    accepted = sum(iteration.accepted for iteration in late.iterations)
    print(f"{method.name}: {accepted} guesses accepted in {len(late.iterations)} iterations")
    assert accepted < len(late.iterations)


class _DraftsTheRootAgain(HeadsDrafter):
    """The pitfall: the hypotheses x_1..x_l as Algorithm 1 prints them, with x_1, which is text already, as a node."""

    def draft(self, beams, dice):
        below, forest = super().draft(beams, dice), Forest(drawing="deterministic")
        if below.submitted:
            token = beams[0].tokens[-1]
            numbers = {-1: forest.add(token, -1, certain(token))}
            forest.nodes[0].root = "target"
            for number in below.submitted:
                node = below.nodes[number]
                numbers[number] = forest.add(node.token, numbers[node.parent], node.draft)
            forest.submit()
        return forest


class _EmitsTheRootAgain(GreedyVerifier):
    def verify(self, scored, dice):
        for node in scored.forest.nodes:
            if node.root:
                target = scored.forest.target | {-1: certain(node.token)}
                scored = replace(scored, forest=replace(scored.forest, target=target))
        return super().verify(scored, dice)


def certain(token):
    """All probability on one token."""
    return Distribution(np.array([token]), np.ones(1), np.zeros(1), 0.0, 0, False)


@pytest.mark.parametrize("method", [BPD, MEDUSA, SLIM], ids=lambda method: method.name)
def test_a_root_emitted_twice_is_caught(method):
    pair = table_pair(2)
    again = variant(method, drafter=mixed(_DraftsTheRootAgain), verifier=lambda built: _EmitsTheRootAgain())
    twice = run(pair, again, [1, 2], 8)
    assert tuple(twice.emitted) != greedy_text(pair, [1, 2], 8)
    assert twice.emitted[0] == 2  # the prompt's last token once more
    unchanged = run(pair, variant(method, verifier=lambda built: GreedyVerifier()), [1, 2], 8)
    assert tuple(unchanged.emitted) == greedy_text(pair, [1, 2], 8)


def test_keeping_everything_is_medusa_on_the_same_set():
    """The same candidates in another order: the same tokens, the same accepted guesses, the same number of rows."""
    for seed in range(8):
        pair, accepted = table_pair(seed, order=2), 0
        for correlation in (True, False):
            slim = run(pair, SLIM, [1, 2], 24, candidates=2, keep=1000, correlation=correlation).trace()
            medusa = run(pair, MEDUSA, [1, 2], 24).trace()
            assert len(slim.iterations) == len(medusa.iterations)
            for one, other in zip(slim.iterations, medusa.iterations, strict=True):
                assert [e.token for e in one.emitted] == [e.token for e in other.emitted]
                assert [e.origin for e in one.emitted] == [e.origin for e in other.emitted]
                assert (one.accepted, one.rows_peak) == (other.accepted, other.rows_peak)
                accepted += one.accepted
        assert accepted > 0


def test_more_candidates_kept_never_accept_less_in_one_iteration():
    """From one text, the hypotheses of a larger ``keep`` hold those of a smaller one."""
    pair = table_pair(3, order=1)
    for prompt in itertools.product(range(V), repeat=2):
        accepted = [run(pair, SLIM, prompt, 4, keep=keep).iterations[0].accepted for keep in (1, 3, 20, 155)]
        assert accepted == sorted(accepted)


def typical_distribution(pair: ModelPair, prompt, n_tokens: int, temperature: float):
    """Medusa with typical acceptance, written again over tuples: static tree, longest path, ties by likelihood."""

    def soft(context):
        weights = pair.target.probabilities(context) ** (1.0 / temperature)
        return weights / weights.sum()

    def iteration(context):
        rows = pair.heads.logits(context[:-1], None).exp().numpy() if len(context) > 1 else []
        ranked = [np.argsort(-row) for row in rows]
        kept = [()]
        for path in pair.heads.tree if len(context) > 1 else ():
            text = tuple(int(ranked[i][rank]) for i, rank in enumerate(path))
            distribution = soft((*context, *text[:-1]))
            entropy = -sum(p * math.log(p) for p in distribution if p > 0)
            if text[:-1] in kept and distribution[text[-1]] > min(EPSILON, DELTA * math.exp(-entropy)):
                kept.append(text)

        def likelihood(text):
            return math.prod(pair.target.probabilities((*context, *text[:i]))[text[i]] for i in range(len(text)))

        best = max(kept, key=lambda text: (len(text), likelihood(text)))
        return {(*best, token): p for token, p in enumerate(soft((*context, *best)))}

    done, going = defaultdict(float), {(): 1.0}
    while going:
        following = defaultdict(float)
        for text, probability in going.items():
            for more, chance in iteration((*prompt, *text)).items():
                longer = (*text, *more)
                (done if len(longer) >= n_tokens else following)[longer[:n_tokens]] += probability * chance
        going = following
    return dict(done)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("prompt", [(0,), (0, 2)])
def test_medusa_with_typical_acceptance_by_brute_force(prompt, temperature):
    options = {"acceptance": "typical", "temperature": temperature}
    assert MEDUSA.guarantee_for(**options) == "lossy"
    for seed in (4, 5):
        heads = TableHeads.random(3, 2, seed, tree=all_paths(2, 2))
        pair = table_pair(seed, heads=heads, vocab_size=3)
        expected = typical_distribution(pair, prompt, 3, temperature)
        assert total_variation(exact_distribution(pair, MEDUSA, prompt, 3, **options), expected) < 1e-9
        assert total_variation(exact_distribution(pair, MEDUSA, prompt, 3, restart=True, **options), expected) < 1e-9
    assert (
        total_variation(expected, exact_distribution(pair, "autoregressive", prompt, 3, temperature=temperature)) > 0.01
    )


def test_typical_acceptance_at_temperature_zero_is_greedy():
    assert MEDUSA.guarantee_for(acceptance="typical", temperature=0.0) == "greedy"
    for seed in range(6):
        pair = table_pair(seed)
        distribution = exact_distribution(pair, MEDUSA, [1, 2], 7, acceptance="typical", temperature=0.0)
        assert distribution == {greedy_text(pair, [1, 2], 7): 1.0}


class _Listening(PredictionHeads):
    """Real heads that note what they were given."""

    def logits(self, context, hidden):
        self.heard.append((list(context), hidden.clone()))
        return super().logits(context, hidden)


def transformer_pair(family: str = "llama") -> ModelPair:
    target = TransformerLM(tiny(family, 3), "target")
    torch.manual_seed(5)
    heads = _Listening(4, 32, VOCABULARY, tree=all_paths(2, 4) + tuple((0, 0, *p) for p in all_paths(2, 2)))
    heads.heard = []
    heads.eval().requires_grad_(False)
    return ModelPair(target, heads=heads, correlation=DenseCorrelation.random(VOCABULARY, 1))


def generated(model, prompt, length):
    with torch.inference_mode():
        output = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=length, eos_token_id=None)
    return output[0, len(prompt) :].tolist()


@pytest.mark.parametrize("prompt", [[7, 8, 9], [7]], ids=str)
@pytest.mark.parametrize(("method", "options"), METHODS, ids=NAMES)
def test_a_transformer_s_heads_read_the_state_of_the_last_token_but_one(method, options, prompt):
    pair = transformer_pair()
    done = run(pair, method, prompt, 40, **(options | {"temperature": 1.0}))
    assert done.emitted == generated(pair.target.model, prompt, 40)
    assert len(pair.heads.heard) == len(done.iterations) - (len(prompt) == 1)
    text = [*prompt, *done.emitted]
    with torch.inference_mode():
        states = pair.target.model.model(torch.tensor([text]), use_cache=False).last_hidden_state[0]
    for context, hidden in pair.heads.heard:
        assert context == text[: len(context)]
        assert torch.allclose(hidden, states[len(context) - 1], atol=1e-4)
        assert not torch.allclose(hidden, states[len(context)], atol=1e-2)


def test_typical_acceptance_on_a_transformer_keeps_the_states_in_step():
    pair = transformer_pair()
    done = run(pair, MEDUSA, [7, 8, 9], 60, acceptance="typical", temperature=2.0, top_k=None, top_p=None)
    assert any(iteration.accepted for iteration in done.iterations)
    text = [7, 8, 9, *done.emitted]
    with torch.inference_mode():
        states = pair.target.model.model(torch.tensor([text]), use_cache=False).last_hidden_state[0]
    for context, hidden in pair.heads.heard:
        assert torch.allclose(hidden, states[len(context) - 1], atol=1e-4)


def test_a_trace_tells_what_was_drafted_and_what_it_cost():
    pair = transformer_pair()
    trace = run(pair, SLIM, [7, 8, 9], 12, keep=5).trace()
    assert trace.header.heads.parameters == sum(weight.numel() for weight in pair.heads.parameters())
    assert all([call.role for call in i.calls] == ["heads", "target"] for i in trace.iterations)
    for iteration in trace.iterations:
        forest = iteration.forest
        assert forest.considered == 10 + 100 + 1000 + 10000 and len(forest.hypotheses) == len(forest.nodes) == 60
        assert {node.outcome for node in forest.nodes if not node.submitted} == {"pruned"}
        assert iteration.calls[1].tokens == 1 + sum(node.submitted for node in forest.nodes)
    assert trace_from_json(trace_to_json(trace)) == trace
    light = Run(pair, SLIM, [7, 8, 9], options={}, max_new_tokens=12, dice=SeededDice(0), recorded=False)
    assert all(iteration.forest is None for iteration in iterations(light))
    assert light.emitted == [emitted.token for iteration in trace.iterations for emitted in iteration.emitted]


@pytest.mark.full
def test_the_embedded_pair_writes_its_greedy_text():
    pair = specviz.load_pair(device="cpu", dtype="float32")
    pair.end_tokens = frozenset()
    greedy = specviz.decode(pair, "autoregressive", "Once upon a time", max_new_tokens=40, temperature=0.0)
    for method, options in [(BPD, {}), (MEDUSA, {}), (SLIM, {}), (SLIM, {"keep": 1})]:
        done = run(pair, method, "Once upon a time", 40, **options)
        assert done.emitted == list(greedy.tokens)
        assert any(iteration.accepted for iteration in done.iterations)


def test_a_trace_tells_what_heads_are_computed_in():
    pair = transformer_pair()
    narrow = replace(pair, heads=copy.deepcopy(pair.heads).to(torch.bfloat16))
    table = replace(pair, heads=TableHeads.random(pair.target.vocab_size, 2, 1))
    for asked, dtype in ((pair, "float32"), (narrow, "bfloat16"), (table, "float64")):
        assert run(asked, BPD, [7, 8, 9], 2).trace().header.heads.dtype == dtype


@pytest.mark.parametrize("method", [BPD, MEDUSA, SLIM], ids=lambda method: method.name)
def test_fewer_heads_guess_less_far_and_cost_less(method):
    pair = transformer_pair()
    all_heads, two = (run(pair, method, [7, 8, 9], 12, heads=count).trace() for count in (None, 2))
    assert run(pair, method, [7, 8, 9], 12, heads=pair.heads.count).trace().header.heads == all_heads.header.heads
    assert {len(all_heads.tokens), len(two.tokens)} == {12} and all_heads.tokens == two.tokens  # greedy, both
    deepest = [max(n.depth for i in one.iterations for n in i.forest.nodes) for one in (two, all_heads)]
    assert deepest[0] <= 2 < deepest[1] or method is SLIM  # which may prune all that is deeper
    assert method is not SLIM or {iteration.forest.considered for iteration in two.iterations} == {10 + 100}
    assert two.header.heads.parameters * pair.heads.count == all_heads.header.heads.parameters * 2
    with pytest.raises(OptionError, match=f"heads must be at most {pair.heads.count}, got 16"):
        run(pair, method, [7, 8, 9], 12, heads=16)


def test_a_share_of_the_corpus_needs_counts():
    pair = table_pair(0)
    with pytest.raises(ModelError, match="corpus=0.5 needs counts of neighbours"):
        run(pair, SLIM, [1, 2], 4, corpus=0.5)
    embedded = specviz.load_pair(device="cpu", dtype="float32")
    counts = {share: run(embedded, SLIM, "Once upon a time", 40, corpus=share).trace() for share in (1.0, 0.0005)}
    assert counts[1.0].tokens == counts[0.0005].tokens
    assert counts[1.0].metrics.target_calls < counts[0.0005].metrics.target_calls


def test_what_is_missing_is_refused_with_the_reason():
    bare = ModelPair(TableLM.random(V, 1))
    for method in (BPD, MEDUSA, SLIM):
        with pytest.raises(ModelError, match=f"{method.name} needs a pair with prediction heads"):
            run(bare, method, [1, 2], 4)
    uncorrelated = ModelPair(bare.target, heads=TableHeads.random(V, 3, 1))
    with pytest.raises(ModelError, match="needs a pair with the correlation .* correlation=False"):
        run(uncorrelated, SLIM, [1, 2], 4)
    assert len(run(uncorrelated, SLIM, [1, 2], 4, correlation=False).emitted) == 4
    many = ModelPair(TableLM.random(40, 1), heads=TableHeads.random(40, 5, 1))
    with pytest.raises(OptionError, match="candidates must make at most 1000000 prefixes, got 30 for each of 5 heads"):
        run(many, SLIM, [1, 2], 4, candidates=30, correlation=False)
    for options in ({"keep": 0}, {"candidates": 0}, {"keep": 1001}):
        with pytest.raises(OptionError, match=next(iter(options))):
            run(uncorrelated, SLIM, [1, 2], 4, **options)
