"""The trace: everything that one decoding run chose, as immutable data.

This is the waist of the hourglass: decoders write it; metrics, figures, pages, exports and benchmarks read only this.
Token strings are in ``Trace.vocabulary``, the method's description in ``Header.method``, so a saved trace can be shown
without a model or a tokenizer.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from specviz.trace.decisions import AnyDecision
from specviz.trace.forest import Forest, Origin
from specviz.trace.frame import data_frame
from specviz.trace.ranges import Amount, AnyNumber, Count, LogProb, Probability

if TYPE_CHECKING:
    from pandas import DataFrame

VERSION = 4

Value = float | int | str | bool | tuple[int, ...] | None
"""An option's value."""
WARP = "temperature", "top_k", "top_p"
"""The options that turn a model's logits into probabilities, the same for every method."""

TRAILING_SPACE = (
    "the prompt ends with a space, which most tokenizers write at the beginning of the next word: the text may go on "
    "better without it"
)

_TOKENS = ("iteration", "position", "token", "piece", "origin", "node", "depth", "logprob", "draft_prob")
_DECISIONS = (
    *("iteration", "decision", "rule", "node", "depth", "token", "piece", "acceptance_probability", "uniform"),
    *("accepted", "target_prob", "draft_prob"),
)

Role = Literal["target", "draft", "heads"]
Phase = Literal["draft", "target", "verify"]
Guarantee = Literal["target", "greedy", "beam", "beam search", "lossy"]


def shown(value: Value, separator: str = ",") -> str:
    """An option's value as it is typed: a list of numbers without brackets, a whole number bare, none, true, false."""
    if isinstance(value, tuple):
        return separator.join(map(str, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value).removesuffix(".0")


@dataclass(frozen=True)
class Emitted:
    """One token of the output. ``node`` is the drafted node it came from, if any; ``logprob`` is the raw
    log-probability under the target (None for minus infinity); ``piece`` its share of the text: joined pieces are the
    text, a character whose bytes span several tokens belongs to the last of them."""

    token: int
    origin: Origin
    node: int | None
    logprob: LogProb | None
    piece: str


@dataclass(frozen=True)
class Call:
    """One forward call: which model, new tokens in, cache rows before, seconds (device time included). ``draft``
    numbers the draft model where there are several."""

    role: Role
    tokens: Count
    rows: Count
    seconds: Amount
    draft: Count = 0


@dataclass(frozen=True)
class BeamRecord:
    """One of several texts kept at a time: the ``tokens`` that were not output before, since the beams differed in them
    (in the last iteration one of the beams becomes output), ``last``, its last token, its raw joint
    log-probability under the target, prompt left out (None for minus infinity), and whether it has ended. ``origins``
    and ``logprobs`` are those of its ``tokens``, as they will be emitted."""

    tokens: tuple[int, ...]
    last: int
    logprob: LogProb | None
    finished: bool
    origins: tuple[Origin, ...] = ()
    logprobs: tuple[LogProb | None, ...] = ()


@dataclass(frozen=True)
class Segment:
    """A stretch of the lane's own clock, seconds from the first iteration's start."""

    phase: Phase
    start: Amount
    end: Amount


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop. ``forest`` and ``decisions`` are empty in a run with ``record=False``.

    ``context_length`` counts the prompt and all tokens emitted before; ``context_tail`` is the last of them.
    ``offered`` counts drafted tokens on the judged path, ``accepted`` those kept, before any cut by the length limit.
    ``rows`` are the target's cache rows after the iteration (prompt + emitted - 1, for each beam, shared ones once),
    ``rows_peak`` all models' rows at their highest within it. ``notes`` holds what the method wants shown, such as the
    gamma it chose; of a step judged anew how many ``new_coins`` the verdict needed beyond the recorded ones; and where
    the text is longer than a draft model can read, how many tokens that is (``draft_context``).
    Methods that keep several beams list those they began with (``inputs``) and ended with (``beams``), copies repeated;
    tokens are emitted once all beams agree on them, at the end those of the most likely beam. ``steps`` counts the
    tokens by which every beam grew.
    """

    index: int
    context_length: int
    context_tail: tuple[int, ...]
    forest: Forest | None
    decisions: tuple[AnyDecision, ...]
    emitted: tuple[Emitted, ...]
    offered: Count
    accepted: Count
    depth: Count
    calls: tuple[Call, ...]
    segments: tuple[Segment, ...]
    rows: Count
    rows_peak: Count
    seconds: Amount
    record_seconds: Amount
    notes: dict[str, AnyNumber]
    inputs: tuple[BeamRecord, ...] = ()
    beams: tuple[BeamRecord, ...] = ()
    steps: Count | None = None


@dataclass(frozen=True)
class ModelRecord:
    """A model as far as a reader of the trace must know it. Shape numbers are 0 for models that are not networks.
    ``forward`` says whose forward pass computed it: ``lean`` (``lm/network/lean.py``) or ``stock`` (transformers');
    empty for models that are no transformers, and in files from before there were two. ``graphs``: its calls were
    replayed on a GPU as CUDA graphs. ``weight_bytes`` are those of the weights that a call reads, ``row_bytes`` of one
    cache row in all layers, keys and values (0: no network, or a file from before they were kept). ``reads``: the
    layers of the target, counted from 1, after which a draft reads its hidden states."""

    name: str
    fingerprint: str
    parameters: Count
    embedding_parameters: Count
    layers: Count
    width: Count
    vocab_size: Count
    dtype: str
    forward: Literal["", "lean", "stock"] = ""
    graphs: bool = False
    weight_bytes: Count = 0
    row_bytes: Count = 0
    reads: tuple[Count, ...] = ()


@dataclass(frozen=True)
class MethodRecord:
    """What the page says about the method: its ``guarantee`` at these options (what the output is distributed as), its
    source, and texts by phase (``rule``, ``draft``, ``verify``, ``accept``, ``reject``, ``finish``). ``distance`` is a
    lossy method's total variation from the target's distribution on the reference model, at the default options;
    ``greedy``: it decodes greedily whatever the temperature. ``drafter`` and ``verifier`` are their names."""

    name: str
    title: str
    paper: str
    guarantee: Guarantee
    summary: str
    texts: dict[str, str]
    drafter: str
    verifier: str
    distance: Probability | None = None
    greedy: bool = False


@dataclass(frozen=True)
class Branch:
    """Where a run left another one. The iterations before ``iteration`` are the other's, and so are the first
    ``position`` tokens of the output; from there on chance came from ``seed``. What was changed: ``coins``, by the
    number of their decision in ``iteration``; options, of which ``before`` has the values up to there; tokens put
    ``by_hand``."""

    iteration: Count
    position: Count
    seed: Count
    coins: dict[int, Probability] = field(default_factory=dict)
    before: dict[str, Value] = field(default_factory=dict)
    by_hand: tuple[int, ...] = ()


@dataclass(frozen=True)
class Header:
    """Where a trace comes from. ``options`` are all options of the run, defaults included. ``drafts`` are further draft
    models (number 1 on), ``heads`` the prediction heads on the target, where the method uses them. ``end_tokens`` are
    all tokens that end a text, ``end_token`` the first of them. ``branches`` say where the run left others, in order;
    none for a run that was made at one go."""

    method: MethodRecord
    options: dict[str, Value]
    target: ModelRecord
    draft: ModelRecord | None
    prompt_text: str | None
    prompt_tokens: tuple[int, ...]
    seed: int
    device: str
    versions: dict[str, str]
    end_token: int | None
    probability_floor: Probability
    cost_ratio: Amount | None
    recorded: bool
    drafts: tuple[ModelRecord, ...] = ()
    heads: ModelRecord | None = None
    end_tokens: tuple[int, ...] = ()
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Metrics:
    """One meaning each, defined in ``measure/summary.py``; None where a number does not exist for the run."""

    tokens: Count
    seconds: Amount
    tokens_per_second: Amount | None
    seconds_to_first_token: Amount
    tokens_per_target_call: Amount | None
    acceptance_rate: Amount | None
    longest_accepted: Amount | None
    perplexity: Amount | None
    flops_per_token: Amount | None
    kv_rows_peak: Count
    target_calls: Count
    draft_calls: Count
    joules_per_token: Amount | None
    record_seconds: Amount
    processor_share: Amount | None = None
    call_slowdown: Amount | None = None
    alpha: Probability | None = None
    acceptance_by_depth: tuple[Probability, ...] = ()
    bytes_per_token: Amount | None = None
    kv_bytes_peak: Count | None = None
    kv_bytes_separate: Count | None = None
    drafts_stopped: Amount | None = None
    average_width: Amount | None = None
    ms_per_target_call: Amount | None = None
    ms_per_draft_call: Amount | None = None


@dataclass(frozen=True)
class Trace:
    """A whole run. ``stop`` says why it ended: ``length``, ``end`` (the end token) or ``stopped`` (by the user);
    ``no_energy`` why its joules were not counted (empty where they were)."""

    header: Header
    iterations: tuple[Iteration, ...]
    metrics: Metrics
    vocabulary: dict[int, str]
    prefill_seconds: Amount
    stop: Literal["length", "end", "stopped"]
    version: int = VERSION
    no_energy: str = ""

    def __repr__(self) -> str:
        method = reprlib.repr(self.header.method.name)
        return f"Trace({method}, {len(self.iterations)} iterations, {self.metrics.tokens} tokens)"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """What a notebook shows: the run's steps, by a room above this one, which is imported only then."""
        return import_module("specviz.notebook").mimebundle(self, include, exclude)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The emitted token ids, in order."""
        return tuple(e.token for iteration in self.iterations for e in iteration.emitted)

    @property
    def text(self) -> str:
        """The emitted text, without the prompt."""
        return "".join(e.piece for iteration in self.iterations for e in iteration.emitted)

    @property
    def pending(self) -> tuple[int, ...]:
        """Tokens of the most likely beam that are not output, since the beams differ in them; none once a run has ended
        by itself."""
        beams = self.iterations[-1].beams if self.iterations and self.stop == "stopped" else ()
        likeliest = max(beams, key=lambda beam: -math.inf if beam.logprob is None else beam.logprob, default=None)
        return likeliest.tokens if likeliest else ()

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with a row for each emitted token: ``iteration`` (from 0), ``position`` in the whole text
        (prompt counted), ``token``, ``piece``, ``origin``, ``node`` and ``depth`` of the guess it was, its raw
        ``logprob`` under the target (nats) and its ``draft_prob``. Missing: there is none, or nothing was recorded.

        Raises SpecvizError, naming the extra, where pandas is not installed.

        >>> import specviz
        >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
        >>> frame = specviz.decode(pair, "speculative", [0], max_new_tokens=6).to_frame()
        >>> len(frame), int(frame.position.iloc[-1]), set(frame.origin) <= {"accepted", "resampled", "bonus"}
        (6, 6, True)
        """
        return data_frame(_token_rows(self), _TOKENS, whole=("node", "depth"))

    def decisions_to_frame(self) -> DataFrame:
        """A pandas DataFrame with a row for each decision: ``iteration`` (from 0), ``decision`` (from 1), ``rule``, the
        ``node``, ``depth``, ``token`` and ``piece`` it is about, ``acceptance_probability`` and the coin's ``uniform``
        number (both 0 to 1), whether it was ``accepted`` (kept in the text, by rules that judge whole prefixes),
        ``target_prob`` and ``draft_prob`` of the token. What a rule does not have is missing; a run without a record
        has no rows. Raises as ``to_frame`` does."""
        return data_frame(_decision_rows(self), _DECISIONS, whole=("node", "depth", "token"))


def _token_rows(trace: Trace) -> Iterator[dict[str, Any]]:
    position = len(trace.header.prompt_tokens)
    for iteration in trace.iterations:
        for emitted in iteration.emitted:
            forest, number = iteration.forest, emitted.node
            node = None if forest is None or number is None else forest.nodes[number]
            yield {
                "iteration": iteration.index,
                "position": position,
                "token": emitted.token,
                "piece": emitted.piece,
                "origin": emitted.origin,
                "node": number,
                "depth": node and node.depth,
                "logprob": emitted.logprob,
                "draft_prob": node and node.draft_prob,
            }
            position += 1


def _decision_rows(trace: Trace) -> Iterator[dict[str, Any]]:
    for iteration in trace.iterations:
        for number, decision in enumerate(iteration.decisions, start=1):
            row: dict[str, Any] = {name: getattr(decision, name, None) for name in _DECISIONS}
            verdicts = [getattr(decision, name) for name in ("accepted", "kept") if hasattr(decision, name)]
            row |= {"iteration": iteration.index, "decision": number, "accepted": verdicts[0] if verdicts else None}
            row["piece"] = trace.vocabulary.get(row["token"], None)
            yield row
