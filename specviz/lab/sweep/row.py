"""What a sweep keeps of a run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from specviz.errors import SpecvizError
from specviz.options import Value
from specviz.trace.record import Metrics


@dataclass(frozen=True)
class Row:
    """One run. ``key`` says what was run (``plan.py``), ``setting`` is its method with the options given, ``options``
    are all of them; ``prompt`` is the prompt's id, ``round`` counts seeds from 0.

    ``token_ids`` and ``text`` are what was written, ``stop`` says why it ended, ``guarantee`` what it is distributed
    as; ``metrics`` are explained by ``METRIC_HELP``; ``offered`` draft tokens were judged, ``accepted`` of them kept.
    ``wall_seconds`` are those of the whole call, ``cpu_seconds`` what the process had of its processors meanwhile;
    ``disturbed`` is the metric that shows that other programs kept the run waiting, or who shared the machine or the
    models with it, so that its speed says nothing about the method (None: nothing did). ``models`` are name and
    fingerprint by role, ``cost_ratio`` what a call of its draft costs in target calls (None: its gamma does not depend
    on that); ``recorded``: with forests and distributions; ``date`` is UTC.

    ``parts`` of the run's own clock: seconds in calls of the ``target``, in ``drafting`` calls (prediction heads'
    among them) and ``verifying``; besides, how many target ``calls`` those are, which ``read`` so many tokens, of how
    many ``iterations``; the draft tokens ``judged`` until the first that was rejected; the tokens ``scored`` where
    perplexity counts some. Of transformers an iteration is a target call, the one that reads the prompt included. Empty
    where calls cannot be seen, and in rows from before it was noted.

    ``score``, 0.0 to 1.0, is that of ``text`` against the prompt's answer, of the kind ``score_kind``
    (``quality/reference.py``); None where the prompt has none.
    """

    key: str
    setting: str
    method: str
    options: Mapping[str, Value]
    max_new_tokens: int
    prompt: str
    category: str
    seed: int
    round: int
    guarantee: str
    stop: str
    token_ids: tuple[int, ...]
    text: str
    metrics: Metrics
    offered: int
    accepted: int
    wall_seconds: float
    cpu_seconds: float
    disturbed: str | None
    models: Mapping[str, Mapping[str, str]]
    cost_ratio: float | None
    recorded: bool
    device: str
    machine: Mapping[str, str]
    versions: Mapping[str, str]
    date: str
    score: float | None = None
    score_kind: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    def flat(self) -> dict[str, Any]:
        """Every column by name, the metrics among them; JSON-ready."""
        record = asdict(self)
        metrics = record.pop("metrics")
        return record | metrics


METRICS = tuple(field.name for field in fields(Metrics))


def _columns() -> dict[str, Any]:
    """Each column with its type, without None; mappings without their parameters."""
    hints: dict[str, Any] = get_type_hints(Row) | get_type_hints(Metrics)
    plain = {
        name: get_args(hint)[0] if get_origin(hint) in (Union, UnionType) else hint for name, hint in hints.items()
    }
    return {name: Mapping if get_origin(hint) is Mapping else hint for name, hint in plain.items() if name != "metrics"}


COLUMNS = _columns()
"""The columns of a table of rows, in order: int, float, str, bool, a tuple of numbers or Mapping."""


def row_of(flat: Any) -> Row:
    """The row of ``flat()``. Raises SpecvizError naming what it lacks, or what no row has."""
    if not isinstance(flat, dict):
        raise SpecvizError("is no row of a sweep")
    flat = {"parts": {}} | flat
    for name in sorted(COLUMNS.keys() - flat.keys()):
        raise SpecvizError(f"has no {name}")
    for name in sorted(flat.keys() - COLUMNS.keys()):
        raise SpecvizError(f"has {name!r}, which this version of specviz does not know")
    flat = {name: tuple(value) if isinstance(value, list) else value for name, value in flat.items()}
    own = {name: value for name, value in flat.items() if name not in METRICS}
    own["options"] = {k: tuple(v) if isinstance(v, list) else v for k, v in own["options"].items()}
    return Row(**own, metrics=Metrics(**{name: flat[name] for name in METRICS}))
