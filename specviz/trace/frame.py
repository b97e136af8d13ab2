"""A trace as tables for pandas: a row a token, or a row a decision. pandas is asked for here alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from specviz.errors import SpecvizError

if TYPE_CHECKING:
    from pandas import DataFrame

    from specviz.trace.record import Trace

TOKENS = ("iteration", "position", "token", "piece", "origin", "node", "depth", "logprob", "draft_prob")
DECISIONS = (
    *("iteration", "decision", "rule", "node", "depth", "token", "piece", "acceptance_probability", "uniform"),
    *("accepted", "target_prob", "draft_prob"),
)


def token_frame(trace: Trace) -> DataFrame:
    """A row for each emitted token (``Trace.to_frame``)."""
    return _frame(list(_token_rows(trace)), TOKENS, whole=("node", "depth"))


def decision_frame(trace: Trace) -> DataFrame:
    """A row for each decision (``Trace.decisions_to_frame``)."""
    return _frame(list(_decision_rows(trace)), DECISIONS, whole=("node", "depth", "token"))


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
            found: dict[str, Any] = {name: getattr(decision, name, None) for name in DECISIONS}
            kept = [getattr(decision, name) for name in ("accepted", "kept") if hasattr(decision, name)]
            found |= {"iteration": iteration.index, "decision": number, "accepted": kept[0] if kept else None}
            found["piece"] = trace.vocabulary.get(found["token"], None)
            yield found


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...], whole: tuple[str, ...]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise SpecvizError("data frames need the package pandas: pip install 'specviz[frames]'") from None
    return DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(whole, "Int64"))  # whole numbers, or missing
