"""Target against draft at one position: paired bars, what they share solid, the excess of each hatched.

The solid length of either side is the overlap, sum of min(target, draft): how often a token of this draft is accepted.
The hatched excess of the target, renormalised, is the residual. Joint distributions of a layer of beams are shown in
the same way, a row for each beam and next token."""

from collections.abc import Callable, Iterable, Sequence
from operator import truediv
from typing import NamedTuple

from specviz.facts.iteration_facts import nodes_of, nodes_of_pairs
from specviz.facts.prefix_names import next_name
from specviz.facts.tokens import label, number, worked
from specviz.pictures.bars import OTHERS, REST, SHOWN, reach
from specviz.pictures.shapes import Bar, BarRow, Bars, KeyEntry, Picture
from specviz.trace.decisions import OfBeam, UnderBoth
from specviz.trace.distribution import Distribution, JointDistribution, overlap
from specviz.trace.record import Iteration, Trace

_LABEL = 20

AnyDistribution = Distribution | JointDistribution
TokenKey = int | tuple[int, int]
"""A token, or a pair of beam and token."""
NOTHING: TokenKey = (0, -2)
"""A key that no row has: there is no token -2."""


class Pair(NamedTuple):
    """One token, or pair of beam and token (None: all others): its target and draft probabilities, and the part they
    share."""

    key: TokenKey | None
    target: float
    draft: float
    shared: float

    @property
    def token(self) -> int | None:
        """The token of the row."""
        return self.key[1] if isinstance(self.key, tuple) else self.key


def compare(target: AnyDistribution, draft: AnyDistribution, key: TokenKey, shown: int = SHOWN) -> tuple[Pair, ...]:
    """The union of both lists, likeliest under either first: ``shown`` rows and that of ``key``, then the rest.

    The shared part of the rest counts listed tokens alone, so all shared parts add up to the sum of min(target, draft).
    """
    p: dict[TokenKey, float] = dict(target.table().items())
    q: dict[TokenKey, float] = dict(draft.table().items())
    rows = [Pair(k, p.get(k, 0.0), q.get(k, 0.0), min(p.get(k, 0.0), q.get(k, 0.0))) for k in dict.fromkeys((*p, *q))]
    rows = [row for row in rows if max(row.target, row.draft) > 0 or row.key == key]
    rows.sort(key=lambda row: -max(row.target, row.draft))
    listed = [row for rank, row in enumerate(rows) if rank < shown or row.key == key]
    hidden = [row for row in rows if row not in listed]
    rest = Pair(
        None,
        target.rest + sum(row.target for row in hidden),
        draft.rest + sum(row.draft for row in hidden),
        sum(row.shared for row in hidden),
    )
    return tuple(listed) + ((rest,) if max(rest.target, rest.draft) > 1e-6 else ())


def key_of(decision: UnderBoth) -> TokenKey:
    """What is judged, as a key of the decision's distributions: a token, or the pair of beam and token."""
    return (decision.parent, decision.token) if isinstance(decision, OfBeam) else decision.token


def namer(trace: Trace, iteration: Iteration | None = None) -> Callable[[TokenKey], str]:
    """How rows are called: tokens by their text, pairs by the end of their beam too (which needs the iteration)."""

    def name(key: TokenKey) -> str:
        if isinstance(key, tuple):
            assert iteration is not None  # the pairs are of its beams
            return next_name(trace, iteration, *key)
        return label(trace.vocabulary, key, _LABEL)

    return name


def probabilities_text(trace: Trace, decision: UnderBoth, iteration: Iteration | None = None) -> str:
    """The pairs in a sentence, and the overlap. ``iteration`` is needed for the distributions of a layer."""
    parts, name = [], namer(trace, iteration)
    rows = compare(decision.target, decision.draft, key_of(decision))
    for row in rows:
        who = rest_name(rows) if row.key is None else f"“{name(row.key)}”"
        mark = " (drafted)" if row.key == key_of(decision) else ""
        parts.append(f"{who}{mark} target {number(row.target)}, draft {number(row.draft)}")
    shared = number(overlap(decision.target, decision.draft))
    return f"Depth {decision.depth}, next token: " + "; ".join(parts) + f". Target and draft share {shared}."


def probabilities_picture(trace: Trace, iteration: Iteration, decision: UnderBoth) -> Picture:
    """Paired bars at the position of one decision."""
    key = key_of(decision)
    rows = compare(decision.target, decision.draft, key)
    bars = paired_bars(rows, key, namer(trace, iteration), nodes_after(iteration, decision))
    words = probabilities_text(trace, decision, iteration)
    return pairs_picture([bars], words, shared_notes(decision.target, decision.draft, "▸ drafted"))


def shared_notes(target: AnyDistribution, draft: AnyDistribution, *more: str) -> tuple[str, ...]:
    """How the bars are read, with the overlap."""
    return f"solid: shared, {number(overlap(target, draft))} in all", "hatched: excess", *more


def pairs_picture(bars: Iterable[Bars], words: str, notes: tuple[str, ...], of: str = "") -> Picture:
    """A picture of paired bars; ``of`` says more about what they are of."""
    return Picture(
        tuple(bars), words, (KeyEntry("target", "", f"target{of}"), KeyEntry("draft", "", f"draft{of}")), notes
    )


def paired_bars(
    rows: Sequence[Pair],
    key: TokenKey,
    name: Callable[[TokenKey], str],
    node_of: Callable[[TokenKey], int | None],
    *,
    most: float | None = None,
    title: str = "",
) -> Bars:
    """Rows with the target's bar over the draft's; that of ``key`` is marked. ``most``: the probability at the right
    end, where not the rows alone decide it."""
    drawn = tuple(
        BarRow(
            rest_name(rows) if row.key is None else name(row.key),
            tuple(
                Bar(tone, prob, text, row.shared)
                for tone, prob, text in zip(("target", "draft"), (row.target, row.draft), _texts(row, key), strict=True)
            ),
            "▸" if row.key == key else "",
            None if row.key is None else node_of(row.key),
            rest=row.key is None,
        )
        for row in rows
    )
    return Bars(drawn, widest(rows) if most is None else most, title)


def _texts(row: Pair, key: TokenKey) -> tuple[str, ...]:
    """Its probabilities; of the row that is judged, with the decimals from which their ratio can be worked out."""
    if row.key != key or not 0.0 < row.target < row.draft:
        return number(row.target), number(row.draft)
    return worked(number(row.target / row.draft), truediv, row.target, row.draft)


def widest(rows: Iterable[Pair]) -> float:
    """Where the axis of some rows ends."""
    return reach(max(row.target, row.draft) for row in rows)


def nodes_after(iteration: Iteration, decision: UnderBoth | None = None) -> Callable[[TokenKey], int | None]:
    """A function of a key: the drafted node that it is, None where there is none; of a token, after the prefix that the
    decision's node follows."""
    node_of = nodes_of_pairs(iteration)
    prefix = nodes_of(iteration)[decision.node].parent if decision else None

    def node_at(key: TokenKey) -> int | None:
        if isinstance(key, tuple):
            return node_of(*key)
        return None if prefix is None else node_of(prefix, key)

    return node_at


def rest_name(rows: Sequence[Pair]) -> str:
    """What the row of all others is called."""
    return OTHERS if any(isinstance(row.key, tuple) for row in rows) else REST
