"""The values that a lesson may use from a recorded run: every number of its text is looked up here, none is written by
hand.

A path names a value. ``speculative.7.decision-1.acceptance_probability`` is a field of the decision of that scene of
iteration 7 of the run ``speculative``; ``speculative.7.emitted`` one of the iteration;
``speculative.tokens_per_second`` one of the run; ``calls.times`` one of measured calls. A bare field belongs to the
step at hand: to its decision, else to its iteration, else to its run."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from specviz.errors import SpecvizError
from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import log_number, phrase
from specviz.facts.tokens import number, quoted, worked
from specviz.measure.summary import METRIC_HELP
from specviz.trace.decisions import Decision, UnderBoth
from specviz.trace.distribution import overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.posterior import displaced
from specviz.views.lessons.costs import MeasuredCalls, cost_value
from specviz.views.race.dials import reading as metric_text


class SceneRef(NamedTuple):
    """A scene of a recorded run: ``speculative.7.decision-1``."""

    run: str
    iteration: int
    scene: str

    @classmethod
    def read(cls, text: str) -> "SceneRef":
        """Raises SpecvizError for anything that is not RUN.ITERATION.SCENE."""
        match = re.fullmatch(r"([a-z][\w-]*)\.(\d{1,4})\.([a-z][a-z0-9-]*)", text)
        if not match:
            raise SpecvizError(f"{text[:80]!r} names no scene: write RUN.ITERATION.SCENE, such as speculative.7.draw")
        return cls(match[1], int(match[2]), match[3])


class FactValue(NamedTuple):
    """A value as it is recorded and as a sentence shows it."""

    raw: float | int | bool | str
    text: str


_TOKENS = {"token", "favourite"}  # whole numbers that are token ids
_FACTORS = ("target_prob", "draft_prob")


def decision_of(iteration: Iteration, scene: str) -> Decision | None:
    """The decision that a scene shows; None for a scene that shows none."""
    if scene == "draw":
        return facts.draw_of(iteration.decisions)
    match = re.fullmatch(r"(?:decision|draw)-(\d+)", scene)
    number = int(match[1]) if match else 0
    return iteration.decisions[number - 1] if 1 <= number <= len(iteration.decisions) else None


def _favourite(decision: Any) -> int:
    return next(iter(decision.target.table()))


def _raw(distribution: Any, token: int) -> float:
    return math.exp(distribution.logprob(token))


def _twice(decision: Any) -> float:
    favourite = _favourite(decision)
    target, draft = decision.target.prob(favourite), decision.draft.prob(favourite)
    return min(target, draft) + (1.0 - overlap(decision.target, decision.draft)) * target


DECISION: dict[str, Callable[[Any], Any]] = {
    "favourite": _favourite,
    "favourite_prob": lambda d: d.target.prob(_favourite(d)),
    "favourite_draft": lambda d: d.draft.prob(_favourite(d)),
    "favourite_left": lambda d: d.source.prob(_favourite(d)),
    "prob": lambda d: d.source.prob(d.token),
    "target_before": lambda d: d.target.prob(d.token),
    "raw_target": lambda d: _raw(d.target, d.token),
    "raw_draft": lambda d: _raw(d.draft, d.token),
    "favourite_twice": _twice,
    "overlap": lambda d: overlap(d.target, d.draft),
    "turned_away": lambda d: 1.0 - overlap(d.target, d.draft),
    "reject_chance": lambda d: 1.0 - d.acceptance_probability,
    "ratio": lambda d: d.target_prob / d.draft_prob,
    "token_chance": lambda d: min(1.0, d.target_prob / d.draft_prob),
    "joint_ratio": lambda d: math.exp(d.log_ratio),
    "reached": lambda d: d.at_least[d.width - 1],
    "not_reached": lambda d: d.at_least[d.width],
}
"""Fields of a decision beside those that its record has (``trace/decisions.py``). ``favourite``: the target's likeliest
token; ``favourite_twice`` how likely it would be if rejected tokens were replaced by draws from the target."""

NODE: dict[str, Callable[[Iteration, int], Any]] = {
    "ancestors": lambda i, n: sum(prefix >= 0 for prefix in facts.ancestors(facts.nodes_of(i), n)),
    "position": lambda i, n: facts.position(i, n),
}
"""Fields of the drafted token that a decision is about: its drafted ancestors, its position in the text."""

ITERATION: dict[str, Callable[[Trace, Any], Any]] = {
    "emitted": lambda t, i: len(i.emitted),
    "written": lambda t, i: phrase(t.vocabulary, [token.token for token in i.emitted]),
    "nodes": lambda t, i: len(facts.nodes_of(i)),
    "sent": lambda t, i: len(facts.submitted(facts.nodes_of(i))),
    "rows": lambda t, i: len(facts.read_prefixes(i)),
    "branches": lambda t, i: sum(node.depth == 1 for node in facts.nodes_of(i)),
    "most": lambda t, i: 1 + max(node.depth for node in facts.nodes_of(i)),
    "steps": lambda t, i: i.steps,
    "rows_kept": lambda t, i: len(facts.kept_prefixes(i)),
    "accepted_tokens": lambda t, i: i.accepted,
    "considered": lambda t, i: i.forest.considered,
    "candidates_kept": lambda t, i: sum(candidate.kept for candidate in i.forest.hypotheses),
    "displaced": lambda t, i: displaced(i.forest.hypotheses),
    "times_as_likely": lambda t, i: math.prod(
        d.target_prob / d.draft_prob for d in i.decisions if d.rule in ("coin", "block", "joint")
    ),
    "all_chance": lambda t, i: math.prod(
        min(1.0, d.target_prob / d.draft_prob) for d in i.decisions if d.rule in ("coin", "block", "joint")
    ),
    "block_chance": lambda t, i: [d for d in i.decisions if d.rule == "block"][-1].acceptance_probability,
}
"""Fields of an iteration. ``all_chance``: the probability that every drafted token of a chain passes a coin of its own;
``times_as_likely``: the probability of the whole chain under the target over that under the draft; ``most``: the tokens
that it could write at most; ``displaced``: candidates kept only for the correlation of neighbours."""

RUN: dict[str, Callable[[Any], Any]] = {
    "method": lambda t: t.header.method.title,
    "guarantee": lambda t: t.header.method.guarantee,
    "iterations": lambda t: len(t.iterations),
    "milliseconds": lambda t: 1000.0 * t.metrics.seconds / len(t.iterations),
    "text": lambda t: phrase(t.vocabulary, t.tokens, 400),
    "same_text": lambda t: t.text,
    "target_parameters": lambda t: t.header.target.parameters,
    "draft_parameters": lambda t: t.header.draft.parameters,
    "target_layers": lambda t: t.header.target.layers,
    "draft_layers": lambda t: t.header.draft.layers,
    "distance": lambda t: t.header.method.distance,
}
"""Fields of a run (``milliseconds``: of one iteration, on average) beside its options (``gamma``, ``tau``, ...) and its
metrics (``tokens_per_second``, ...)."""


class Facts:
    """Values of the recorded runs of a lesson and of its measured calls, by path."""

    def __init__(self, runs: Mapping[str, Trace], measured: Mapping[str, MeasuredCalls] | None = None):
        self.runs, self.measured = runs, measured or {}

    def at(self, ref: SceneRef) -> tuple[Trace, Iteration]:
        """The run and the iteration of a scene. Raises SpecvizError where there is none."""
        trace = self.run(ref.run)
        return trace, facts.iteration_of(trace, ref.iteration)

    def run(self, name: str) -> Trace:
        """The trace of a run. Raises SpecvizError for an unknown name."""
        if name not in self.runs:
            raise SpecvizError(f"run must be one of {', '.join(self.runs)}, got {name[:40]!r}", argument="run")
        return self.runs[name]

    def value(self, path: str, ref: SceneRef | None = None) -> FactValue:
        """The value at ``path``, a bare field being looked up at ``ref``. Raises SpecvizError where there is none."""
        parts = path.split(".")
        if len(parts) == 1:
            if ref is None:
                raise SpecvizError(f"{path!r} stands where no step is shown: write RUN.{path}")
            value = self._search(path, ref)
        elif len(parts) == 2 and parts[0] in self.measured:
            raw = cost_value(self.measured[parts[0]], parts[1])
            value = (
                FactValue(raw, f"{raw:,.0f}" if raw >= 1000 else f"{raw:.3g}")
                if isinstance(raw, float)
                else _shown(raw)
            )
        elif len(parts) == 2:
            value = _of_run(self.run(parts[0]), parts[1])
        elif len(parts) == 3 and parts[1].isdigit():
            value = _of_iteration(*self.at(SceneRef(parts[0], int(parts[1]), "")), parts[2])
        elif len(parts) == 4:
            there = SceneRef.read(".".join(parts[:3]))
            trace, iteration = self.at(there)
            value = _of_decision(trace, iteration, there.scene, parts[3])
        else:
            raise SpecvizError(f"{path[:80]!r} is no path to a value: write RUN.FIELD, RUN.ITERATION.FIELD or longer")
        if value is None:
            raise SpecvizError(f"{path[:80]!r}: the record has no such value there")
        return value

    def _search(self, field: str, ref: SceneRef) -> FactValue | None:
        trace, iteration = self.at(ref)
        value = _of_decision(trace, iteration, ref.scene, field)
        value = _of_iteration(trace, iteration, field) if value is None else value
        return _of_run(trace, field) if value is None else value

    def holds(self, claim: str, ref: SceneRef | None = None) -> bool:
        """Whether a comparison of two values is true: ``uniform < acceptance_probability``, ``accepted == true``,
        ``guarantee == "target"``."""
        match = re.fullmatch(r"\s*(\S+)\s+(<=|>=|==|!=|<|>)\s+(.+?)\s*", claim)
        if not match:
            raise SpecvizError(
                f"{claim[:80]!r} is no claim: write VALUE SIGN VALUE, such as uniform < acceptance_probability"
            )
        left, right = self._operand(match[1], ref), self._operand(match[3], ref)
        if isinstance(left, str) != isinstance(right, str):
            raise SpecvizError(f"{claim[:80]!r} compares words with a number")
        return _SIGNS[match[2]](left, right)

    def _operand(self, text: str, ref: SceneRef | None) -> Any:
        if text in ("true", "false"):
            return text == "true"
        if re.fullmatch(r'"[^"]*"', text):
            return text[1:-1]
        if re.fullmatch(r"-?\d+(\.\d+)?", text):
            return float(text)
        return self.value(text, ref).raw


_SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _of_decision(trace: Trace, iteration: Iteration, scene: str, field: str) -> FactValue | None:
    decision = decision_of(iteration, scene)
    if decision is None:
        return None
    try:
        if field in NODE:
            raw = NODE[field](iteration, getattr(decision, "node"))  # noqa: B009 (a lesson may ask any decision)
        else:
            raw = DECISION[field](decision) if field in DECISION else getattr(decision, field, None)
    except (AttributeError, KeyError, IndexError, TypeError, ZeroDivisionError):
        return None
    if field in _TOKENS and isinstance(raw, int):
        return FactValue(raw, quoted(trace.vocabulary, raw))
    if raw is not None and field in _FACTORS and isinstance(decision, UnderBoth) and decision.draft_prob:
        return FactValue(raw, _factors(decision)[_FACTORS.index(field)])
    return _shown(raw)


def _factors(decision: UnderBoth) -> tuple[str, ...]:
    """Target and draft probability with enough digits to reproduce their ratio."""
    target, draft = decision.target_prob, decision.draft_prob
    return worked(number(min(1.0, target / draft)), lambda p, q: min(1.0, p / q), target, draft)


def _of_iteration(trace: Trace, iteration: Iteration, field: str) -> FactValue | None:
    try:
        return _shown(ITERATION[field](trace, iteration)) if field in ITERATION else None
    except (AttributeError, IndexError):
        return None


def _of_run(trace: Trace, field: str) -> FactValue | None:
    if field in METRIC_HELP and isinstance(raw := getattr(trace.metrics, field), float):
        text, unit = metric_text(field, raw, METRIC_HELP[field].unit)
        return FactValue(raw, text if field == "tokens_per_second" else f"{text} {unit}".strip())
    if field in RUN:
        return _shown(RUN[field](trace)) if field != "draft_parameters" or trace.header.draft else None
    if field in trace.header.options:
        return _shown(trace.header.options[field])
    return _shown(getattr(trace.metrics, field, None))


def _shown(raw: Any) -> FactValue | None:
    """A plain value as shown in a sentence; None for one that cannot be shown in a word."""
    if isinstance(raw, bool):
        return FactValue(raw, "yes" if raw else "no")
    if isinstance(raw, int):
        return FactValue(raw, f"{raw:,}")
    if isinstance(raw, float):
        return FactValue(raw, log_number(raw))
    return FactValue(raw, raw) if isinstance(raw, str) else None
