"""Registered methods with a part exchanged: how a pitfall is put into a real decoder."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.drafting.drafter import ScoredForest


def variant(
    method: str | Method, *, drafter: Callable[[Any], Any] | None = None, verifier: Callable[[Any], Any] | None = None
) -> Method:
    """``method`` with another drafter or verifier: each function is given the one that the method builds, and returns
    what stands in its place."""
    method = find_method(method)
    drafts, judges = method.pair({})
    changed: dict[str, Any] = {"acceptance": None}  # the verifier stays the one that it is by default
    if drafter is not None:
        changed["drafter"] = replace(drafts, build=lambda context, options: drafter(drafts.build(context, options)))
    if verifier is not None:
        changed["verifier"] = replace(judges, build=lambda context, options: verifier(judges.build(context, options)))
    return replace(method, **changed)


def as_kind(kind: type) -> Callable[[Any], Any]:
    """Makes of what was built one of ``kind``, a class of its family."""

    def change(built: Any) -> Any:
        built.__class__ = kind
        return built

    return change


def shortened(scored: ScoredForest, submitted: Collection[int]) -> ScoredForest:
    """The scored forest as if only these nodes had been submitted."""
    nodes = [replace(node, submitted=number in submitted) for number, node in enumerate(scored.forest.nodes)]
    return replace(scored, forest=replace(scored.forest, nodes=nodes))
