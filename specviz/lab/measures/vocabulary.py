"""What a vocabulary as large as a hub model's costs: bookkeeping beside one top-k and one log-sum-exp of the same rows.

The pair is made up: two small networks of random weights over 151,936 tokens (as many as Qwen's), the draft a slightly
shaken copy of the target, so that some of its tokens are accepted. Words it has none.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.decoding.run.loop import decode
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for
from specviz.options import Options, label
from specviz.trace.record import Iteration, Trace

VOCABULARY = 151_936
WIDTH, LAYERS = 64, 2
SHAKEN = 0.05  # of the spread of the target's weights, by which the draft's differ
SHARP = 30.0  # times the usual spread of a head's weights: random logits are flat otherwise
METHODS = ("autoregressive", "speculative", "mtad", "mcsd", "dsbd")
PROMPT = tuple(range(100, 116))
LISTED = 21  # of the likeliest: top-k 20, and one more to see ties


@dataclass(frozen=True)
class VocabularyCost:
    """Milliseconds of an iteration of ``method``, medians over all of them: ``outside`` the models' calls, and of one
    ``selection`` (top-k and log-sum-exp of the rows that its calls scored). ``recorded`` is the wall time of whole runs
    with a record over that without."""

    method: str
    top_k: int | None
    outside: float
    selection: float
    recorded: float

    @property
    def ratio(self) -> float:
        """``outside`` in selections."""
        return self.outside / self.selection


def random_pair(vocab_size: int = VOCABULARY, seed: int = 0) -> ModelPair:
    """Two networks of random weights over ``vocab_size`` tokens, alike but not equal."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
    )
    target, draft = LlamaForCausalLM(config), LlamaForCausalLM(config)
    target.lm_head.weight.data *= SHARP
    draft.load_state_dict(target.state_dict())
    for weight in draft.parameters():
        weight.data += SHAKEN * weight.std() * torch.randn_like(weight)
    return ModelPair(TransformerLM(target, "random-target"), TransformerLM(draft, "random-draft"))


def vocabulary_costs(
    pair: ModelPair, methods: Sequence[tuple[str, Options]], rounds: int, tokens: int
) -> Iterator[VocabularyCost]:
    """The costs of every method, with top-k and without; ``rounds`` runs of ``tokens`` tokens each way, in turn."""
    for top_k in (20, None):
        for method, own in methods:
            options: Options = {**own, "top_k": top_k, "top_p": 0.9 if top_k else None}
            yield _cost(pair, method, label(method, own), options, rounds, tokens)


def _cost(pair: ModelPair, method: str, name: str, options: Options, rounds: int, tokens: int) -> VocabularyCost:
    bare: list[Trace] = []
    walls: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(-1, rounds):  # the first warms up
        for record in (False, True):
            started = time.perf_counter()
            trace = decode(pair, method, PROMPT, max_new_tokens=tokens, seed=max(seed, 0), record=record, **options)
            if seed >= 0:
                walls[record].append(time.perf_counter() - started)
                bare += [] if record else [trace]
    iterations = [iteration for trace in bare for iteration in trace.iterations]
    with threads_for(pair):
        selections = {rows: _selection(rows, pair.target.vocab_size) for rows in {_rows(i) for i in iterations}}
    top_k = options["top_k"]
    assert top_k is None or isinstance(top_k, int)
    return VocabularyCost(
        method=name,
        top_k=top_k,
        outside=1e3 * median(one.seconds - sum(call.seconds for call in one.calls) for one in iterations),
        selection=1e3 * median(selections[_rows(one)] for one in iterations),
        recorded=median(full / plain for full, plain in zip(walls[True], walls[False], strict=True)),
    )


def _rows(iteration: Iteration) -> tuple[int, ...]:
    """How many rows each call of an iteration scored."""
    return tuple(sorted(call.tokens for call in iteration.calls))


@torch.inference_mode()
def _selection(calls: Sequence[int], vocab_size: int, times: int = 9) -> float:
    """Seconds of one top-k and one log-sum-exp over rows that ``calls`` scored."""
    logits = [torch.randn(rows, vocab_size) for rows in calls]
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        for rows in logits:
            rows.topk(LISTED, dim=-1)
            rows.logsumexp(-1)
        seconds.append(time.perf_counter() - started)
    return median(seconds)
