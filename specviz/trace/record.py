"""The trace: everything one decoding run chose, as frozen plain data.

This is the waist of the house. Decoders write it; metrics, figures, pages, exports and benchmarks read nothing else.
Token strings travel in ``Trace.vocabulary``, what must be said about the method in ``Header.method``, so a saved trace
needs neither a model nor a tokenizer to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

VERSION = 1

Origin = Literal["accepted", "resampled", "bonus", "target"]
Outcome = Literal["accepted", "rejected", "dropped", "unjudged", "pruned"]
Role = Literal["target", "draft"]
Phase = Literal["draft", "target", "verify"]


@dataclass(frozen=True)
class Distribution:
    """A sparse distribution over the vocabulary, most probable first.

    ``probs`` are after the warp, ``logprobs`` the unwarped natural logarithms of the same tokens under the same model
    (None where the model gives the token no probability). ``rest`` is the probability of all tokens not listed, none of
    which is likelier than ``Header.probability_floor`` (0: nothing was left out). The drafted and the emitted tokens
    are always listed; tokens that the warp cut may be, with probability 0.
    """

    tokens: tuple[int, ...]
    probs: tuple[float, ...]
    logprobs: tuple[float | None, ...]
    rest: float


@dataclass(frozen=True)
class Node:
    """One drafted token. Nodes are numbered from 0 in the order drafted; a parent of -1 is the last context token.

    ``draft_prob`` is the warped probability the token was drawn with, given its parent (1 for a deterministic draft);
    ``draft_logprob`` the unwarped one. ``submitted`` says whether the target scored the node.
    """

    token: int
    parent: int
    depth: int
    draft_prob: float
    draft_logprob: float | None
    submitted: bool
    outcome: Outcome


@dataclass(frozen=True)
class Proposal:
    """What a group of nodes was drawn from: one parent (token methods) or a whole layer of beams.

    ``parents`` are node numbers (-1 = last context token); ``conditionals`` the warped draft distribution at each
    parent; ``parent_weights`` the probability of each parent's beam when the layer was drawn (1 for one parent);
    ``draws`` the nodes drawn, in order. Deterministic drafts have no proposal.
    """

    parents: tuple[int, ...]
    parent_weights: tuple[float, ...]
    conditionals: tuple[Distribution, ...]
    draws: tuple[int, ...]
    replacement: bool


@dataclass(frozen=True)
class ForestRecord:
    """All drafted nodes of one iteration and what they were drawn from."""

    nodes: tuple[Node, ...]
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True)
class CoinDecision:
    """Accept a drafted token with a coin: ``chance`` = min(1, target_prob / (lenience draft_prob)).

    ``draw`` is the uniform number of the coin, accepted when draw < chance; None when the rule flips no coin (greedy).
    """

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    target: Distribution
    draft: Distribution
    rule: Literal["coin"] = "coin"


@dataclass(frozen=True)
class JointDecision:
    """MTAD's test of one prefix: min(0, log_ratio) > log_threshold, with log_ratio the sum over the prefix so far.

    ``log_ratio`` and ``step_log_ratio`` are None where the target gives the prefix no probability (minus infinity);
    ``log_threshold`` is None for a threshold of 0. ``passes`` is the test; ``kept`` whether the prefix is part of the
    longest passing one.
    """

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    step_log_ratio: float | None
    log_ratio: float | None
    log_threshold: float | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["joint"] = "joint"


@dataclass(frozen=True)
class DrawDecision:
    """Draw one token: from the residual after a rejection, or from the target (bonus, or no draft at all).

    ``depth`` is the token's distance from the last context token (1 = the next one); ``draw`` the uniform number.
    ``target`` is the target's distribution at that place, ``source`` the one drawn from (the same unless a residual).
    """

    depth: int
    token: int
    origin: Origin
    draw: float | None
    target: Distribution
    source: Distribution
    rule: Literal["draw"] = "draw"


Decision = Annotated[CoinDecision | JointDecision | DrawDecision, Field(discriminator="rule")]


@dataclass(frozen=True)
class Emitted:
    """One token of the output. ``node`` is the drafted node it came from, if any; ``logprob`` is the unwarped
    log-probability under the target (None for minus infinity); ``piece`` its share of the text: joined pieces are the
    text, a character whose bytes span several tokens belongs to the last of them."""

    token: int
    origin: Origin
    node: int | None
    logprob: float | None
    piece: str


@dataclass(frozen=True)
class Call:
    """One forward call: which model, new tokens in, cache rows before, seconds (device time included)."""

    role: Role
    tokens: int
    rows: int
    seconds: float


@dataclass(frozen=True)
class Segment:
    """A stretch of the lane's own clock, seconds from the first iteration's start."""

    phase: Phase
    start: float
    end: float


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop. ``forest`` and ``decisions`` are empty in a run with ``record=False``.

    ``context_length`` counts the prompt and all tokens emitted before; ``context_tail`` is the last of them.
    ``offered`` counts drafted tokens on the judged path, ``accepted`` those kept, before any cut by the length limit.
    ``rows`` are the target's cache rows after the iteration (prompt + emitted - 1), ``rows_peak`` both models' rows at
    their highest within it. ``notes`` holds what the method wants shown, such as the gamma it chose.
    """

    index: int
    context_length: int
    context_tail: tuple[int, ...]
    forest: ForestRecord | None
    decisions: tuple[Decision, ...]
    emitted: tuple[Emitted, ...]
    offered: int
    accepted: int
    depth: int
    calls: tuple[Call, ...]
    segments: tuple[Segment, ...]
    rows: int
    rows_peak: int
    seconds: float
    record_seconds: float
    notes: dict[str, float]


@dataclass(frozen=True)
class ModelRecord:
    """A model as far as a reader of the trace must know it. Shape numbers are 0 for models that are not networks."""

    name: str
    fingerprint: str
    parameters: int
    embedding_parameters: int
    layers: int
    width: int
    vocab_size: int
    dtype: str


@dataclass(frozen=True)
class MethodRecord:
    """What the page says about the method: its law at these options, its source, and texts by phase
    (``rule``, ``draft``, ``verify``, ``accept``, ``reject``, ``finish``)."""

    name: str
    title: str
    paper: str
    law: str
    summary: str
    texts: dict[str, str]


@dataclass(frozen=True)
class Header:
    """Where a trace comes from. ``options`` are all options of the run, defaults included."""

    method: MethodRecord
    options: dict[str, float | int | str | bool | None]
    target: ModelRecord
    draft: ModelRecord | None
    prompt_text: str | None
    prompt_tokens: tuple[int, ...]
    seed: int
    device: str
    versions: dict[str, str]
    end_token: int | None
    probability_floor: float
    cost_ratio: float | None
    recorded: bool


@dataclass(frozen=True)
class Metrics:
    """One meaning each, defined in ``measure/summary.py``; None where a number does not exist for the run."""

    tokens: int
    seconds: float
    tokens_per_second: float | None
    seconds_to_first_token: float
    tokens_per_target_call: float | None
    acceptance_rate: float | None
    longest_accepted: float | None
    perplexity: float | None
    flops_per_token: float | None
    kv_rows_peak: int
    target_calls: int
    draft_calls: int
    joules_per_token: float | None
    record_seconds: float


@dataclass(frozen=True)
class Trace:
    """A whole run. ``stop`` says why it ended: ``length``, ``end`` (the end token) or ``stopped`` (by the user)."""

    header: Header
    iterations: tuple[Iteration, ...]
    metrics: Metrics
    vocabulary: dict[int, str]
    prefill_seconds: float
    stop: Literal["length", "end", "stopped"]
    version: int = VERSION

    @property
    def tokens(self) -> tuple[int, ...]:
        """The emitted token ids, in order."""
        return tuple(e.token for iteration in self.iterations for e in iteration.emitted)

    @property
    def text(self) -> str:
        """The emitted text, without the prompt."""
        return "".join(e.piece for iteration in self.iterations for e in iteration.emitted)

    def save(self, path: str) -> None:
        """Write the trace as versioned JSON (``trace/store.py``)."""
        from specviz.trace.store import save_trace

        save_trace(self, path)
