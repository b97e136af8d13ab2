"""What is kept so that a step can be judged differently: the laws of its places before any warp.

Of a large law the likeliest tokens are enough, as long as it is said how many: a warp that looks no further can be
repeated exactly.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from specviz.drafting.forest import Forest, Law, ScoredForest
from specviz.lm.warp import Warp
from specviz.trace.laws import LawTable, UnwarpedLaw

DECIMALS = 7  # of a float32 model's log-probabilities: no digits that float32 does not have
SUM_DECIMALS = 10  # a sum of many terms has more
SMALLEST = 1e-4  # of a law that is too large to be listed, nothing rarer than this is, past the FEWEST
FEWEST = 20


@dataclass
class _Wanted:
    """A law to be kept: the place after which it stands, and the tokens that must be listed."""

    after: int
    law: Law
    tokens: dict[int, None] = field(default_factory=dict)


def target_laws(scored: ScoredForest, entries: int, cut: bool, temperature: float) -> LawTable:
    """The target's laws at all places of ``scored``, equal texts once, with the ``entries`` likeliest tokens; where
    ``cut``, only as many of them as are not rare. ``temperature`` is the one that the laws are softened by."""
    forest = scored.forest
    wanted: dict[int, _Wanted] = {}
    places = [(-1 - i, law) for i, law in enumerate(scored.roots) if law is not None]
    for after, law in (*places, *scored.after.items()):
        if law.known is None:
            wanted.setdefault(id(law), _Wanted(after, law))
    for node in forest.submitted:
        found = wanted.get(id(_law_or_none(scored, forest.parents[node])))
        if found is not None:
            found.tokens[forest.tokens[node]] = None
    listed = list(wanted.values())
    rows = zip(_parts(listed, entries, cut), _softened(listed, temperature), strict=True)
    return LawTable.of(UnwarpedLaw(*part, *soft) for part, soft in rows)


def draft_laws(forest: Forest, entries: int, cut: bool) -> LawTable:
    """The laws of drawn tokens that no proposal shows."""
    if forest.drawing in ("certain", "search"):
        return LawTable.of(_beam_laws(forest, entries, cut))
    shown = {node for proposal in forest.proposals for node in proposal.draws}
    wanted: dict[tuple[int, int], _Wanted] = {}
    for node in forest.submitted:
        if node not in shown and node not in forest.roots and forest.draft_laws[node].known is None:
            parent = forest.parents[node]
            found = wanted.setdefault((parent, forest.models.get(node, 0)), _Wanted(parent, forest.draft_laws[node]))
            found.tokens[forest.tokens[node]] = None
    parts = _parts(list(wanted.values()), entries, cut)
    return LawTable.of(UnwarpedLaw(*part, draft=draft) for part, (_, draft) in zip(parts, wanted, strict=True))


def _beam_laws(forest: Forest, entries: int, cut: bool) -> Iterable[UnwarpedLaw]:
    """What the joints of layers were made of."""
    beams = {beam.place: beam for proposal in forest.proposals for beam in proposal.beams}
    tokens: dict[int, dict[int, None]] = {place: {} for place in beams}
    for node, parent in enumerate(forest.parents):
        if parent in tokens:
            tokens[parent][forest.tokens[node]] = None
    living = [_Wanted(place, beam.law, tokens[place]) for place, beam in beams.items() if beam.law is not None]
    parts = {part[0]: part for part in _parts(living, entries, cut)}
    for place, beam in beams.items():
        logprob = beam.logprob if beam.logprob > -math.inf else None
        yield UnwarpedLaw(*parts.get(place, (place, (), (), 0.0, 0)), logprob=logprob)


def _law_or_none(scored: ScoredForest, place: int) -> Law | None:
    return scored.roots[-1 - place] if place < 0 else scored.after.get(place)


def _parts(wanted: Sequence[_Wanted], entries: int, cut: bool) -> list[tuple]:
    """``after``, ``tokens``, ``logits``, ``log_total`` and ``likeliest`` of every law."""
    best = likeliest([one.law for one in wanted], entries)
    return [(one.after, *_listed(one, *top, cut)) for one, top in zip(wanted, best, strict=True)]


def _listed(one: _Wanted, tokens: list[int], values: list[float], cut: bool) -> tuple:
    law, size = one.law, len(one.law.logits)
    count = len(tokens)
    if cut and count < size:
        common = sum(value - law.log_total >= math.log(SMALLEST) for value in values)
        count = min(count, max(common, FEWEST))
        tokens, values = tokens[:count], values[:count]
    if count == size or -math.inf in values:  # everything that is possible is there
        tokens, count = [token for token, value in zip(tokens, values, strict=True) if value > -math.inf], size
    tokens = [*tokens, *(token for token in one.tokens if token not in set(tokens))]
    (total,) = short(torch.tensor([law.log_total], dtype=law.logits.dtype))
    logits = tuple(value if value > -math.inf else None for value in short(law.logits[tokens]))
    return tuple(tokens), logits, total, count


def likeliest(listed: Sequence[Law], entries: int) -> list[tuple[list[int], list[float]]]:
    """Of every law the ``entries`` likeliest tokens with their logits, best first, and all that equal the last."""
    found: list[tuple[list[int], list[float]]] = [([], [])] * len(listed)
    for dtype in {law.logits.dtype for law in listed}:
        which = [i for i, law in enumerate(listed) if law.logits.dtype == dtype]
        rows = torch.stack([listed[i].logits for i in which])
        top = rows.topk(min(entries + 1, rows.shape[1]), dim=-1)
        for i, row, values, tokens in zip(which, rows, top.values.tolist(), top.indices.tolist(), strict=True):
            last = values[min(entries, len(values)) - 1]
            tokens, values = tokens[:entries], values[:entries]
            if len(values) < rows.shape[1] and top.values.shape[1] > entries and last > -math.inf:
                equal = torch.nonzero(row == last).flatten().tolist()
                more = [token for token in equal if token not in tokens]
                tokens, values = tokens + more, values + [last] * len(more)
            found[i] = tokens, values
    return found


def _softened(wanted: Sequence[_Wanted], temperature: float) -> list[tuple[float | None, float | None]]:
    """``entropy`` and ``soft_total`` of every law."""
    if temperature == 0.0 or not wanted:
        return [(None, None)] * len(wanted)
    logits = torch.stack([one.law.logits for one in wanted])
    entropies = torch.special.entr(Warp(temperature)(logits).double()).sum(-1).clamp_min(0.0)
    best = logits.amax(-1, keepdim=True)
    totals = ((logits - best).double() / temperature).logsumexp(-1)
    if logits.dtype != torch.float64:
        entropies, totals = entropies.round(decimals=SUM_DECIMALS), totals.round(decimals=SUM_DECIMALS)
    return list(zip(entropies.tolist(), totals.tolist(), strict=True))


def short(values: torch.Tensor) -> list[float]:
    """The numbers with as many digits as tell them apart from their float32 neighbours; all digits of float64."""
    return shortest(values.numpy())


def shortest(values: np.ndarray) -> list[float]:
    """As ``short``, of an array."""
    return values.tolist() if values.dtype == np.float64 else [float(str(value)) for value in values]
