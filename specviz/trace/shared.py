"""Distributions that the file of a trace writes once: siblings are judged by the same laws, and were drawn from them.

Within an iteration the distributions stand in the order of ``_slots``; one that stood there before is written as its
number, from 0, among those written out. Reading puts the distribution back.
"""

from collections.abc import Iterator
from typing import Any

from pydantic_core import to_json

from specviz.errors import TraceError

FIELDS = ("target", "draft", "source")  # of a decision, in this order


def shared(parsed: dict[str, Any]) -> dict[str, Any]:
    """The parsed trace with numbers in place of repeated distributions; changed in place."""
    for iteration in parsed["iterations"]:
        known: dict[bytes, int] = {}
        for holder, key, _ in _slots(iteration):
            text = to_json(holder[key])
            if text in known:
                holder[key] = known[text]
            else:
                known[text] = len(known)
    return parsed


def spell_out(parsed: dict[str, Any], most: int) -> bool:
    """Put distributions in place of their numbers; says whether there were any. Raises TraceError naming the field for
    a number that none has, or where those put back have more than ``most`` tokens: a small file is to stay small. What
    is no trace is left for others to refuse."""
    repeated, found = 0, False
    iterations = parsed.get("iterations")
    for index, iteration in enumerate(iterations if isinstance(iterations, list) else ()):
        known: list[Any] = []
        for holder, key, path in _slots(iteration):
            number = holder[key]
            if isinstance(number, bool) or not isinstance(number, int):
                known.append(number)
                continue
            if not 0 <= number < len(known):
                raise TraceError(f"iterations[{index}].{path}: is {number}, {len(known)} distributions stand before it")
            holder[key], found = known[number], True
            tokens = known[number].get("tokens") if isinstance(known[number], dict) else None
            repeated += 1 + (len(tokens) if isinstance(tokens, list) else 0)
            if repeated > most:
                raise TraceError(f"iterations[{index}].{path}: more than {most:,} tokens of distributions are repeated")
    return found


def with_numbers(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a trace in which a number may stand wherever a distribution may."""

    def changed(part: Any) -> Any:
        if isinstance(part, list):
            return [changed(item) for item in part]
        if not isinstance(part, dict):
            return part
        if part.get("$ref") in ("#/$defs/Distribution", "#/$defs/LayerDistribution"):
            number = {"type": "integer", "minimum": 0, "description": "the number of one that stands before it"}
            return {"anyOf": [part, number]}
        return {key: changed(value) for key, value in part.items()}

    return changed(schema)


def _slots(iteration: Any) -> Iterator[tuple[Any, Any, str]]:
    """Where the distributions of an iteration stand, in order: what holds each, under which key, and its path."""
    if not isinstance(iteration, dict):
        return
    forest = iteration.get("forest")
    for i, proposal in _objects(forest.get("proposals") if isinstance(forest, dict) else None):
        path, conditionals = f"forest.proposals[{i}]", proposal.get("conditionals")
        for j in range(len(conditionals) if isinstance(conditionals, list) else 0):
            yield conditionals, j, f"{path}.conditionals[{j}]"
        if proposal.get("joint") is not None:
            yield proposal, "joint", f"{path}.joint"
    for i, decision in _objects(iteration.get("decisions")):
        for name in FIELDS:
            if decision.get(name) is not None:
                yield decision, name, f"decisions[{i}].{name}"


def _objects(items: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for i, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield i, item
