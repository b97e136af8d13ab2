"""Several candidates for one position: a small target and draft panel for each, so that the residual is seen to shrink.

After every rejection the target's distribution becomes norm((target - draft)+); without replacement the draft's loses
the rejected token. All panels list the same tokens."""

from collections.abc import Sequence
from itertools import pairwise

from specviz.trace.decisions import Coin
from specviz.trace.distribution import overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.follows import is_left_over
from specviz.views.facts.tokens import number, quoted
from specviz.views.pictures.pairs import Pair, namer, nodes_after, paired_bars, pairs_picture, widest
from specviz.views.pictures.shapes import Picture

MOST = 4  # panels in a figure: the latest candidates
_TOKENS = 3  # listed in every panel, besides the candidates


def cascade_rows(decisions: Sequence[Coin]) -> list[tuple[Pair, ...]]:
    """The rows of every panel: the same tokens in the same order (None: all others)."""
    height: dict[int, float] = {}
    for decision in decisions:
        for distribution in (decision.target, decision.draft):
            for token, prob in distribution.table().items():
                height[token] = max(prob, height.get(token, 0.0))
    judged = {decision.token for decision in decisions}
    ranked = sorted(height, key=lambda token: -height[token])
    listed = [t for rank, t in enumerate(ranked) if rank < _TOKENS or t in judged]
    panels = []
    for decision in decisions:
        p, q = decision.target.table(), decision.draft.table()
        rows = [Pair(t, p.get(t, 0.0), q.get(t, 0.0), min(p.get(t, 0.0), q.get(t, 0.0))) for t in listed]
        target, draft = (max(0.0, 1.0 - sum(getattr(row, side) for row in rows)) for side in ("target", "draft"))
        shared = max(0.0, overlap(decision.target, decision.draft) - sum(row.shared for row in rows))
        panels.append((*rows, Pair(None, target, draft, shared)))
    if all(max(panel[-1].target, panel[-1].draft) <= 1e-6 for panel in panels):
        panels = [panel[:-1] for panel in panels]
    return panels


def verdict_of(decision: Coin) -> str:
    """What became of a candidate, with its acceptance probability."""
    verdict = "accepted" if decision.accepted else "rejected"
    return f"{verdict}, acceptance probability {number(decision.acceptance_probability)}"


def cascade_text(trace: Trace, decisions: Sequence[Coin]) -> str:
    """The cascade in sentences: one line a candidate; ``decisions`` are those judged for the position so far. What
    became of the newest is in the picture of the decision."""
    lines = []
    for decision in decisions:
        parts = [
            f"“{namer(trace)(token)}” target {number(prob)}, draft {number(decision.draft.table().get(token, 0.0))}"
            for token, prob in list(decision.target.table().items())[: _TOKENS + 1]
            if prob > 0
        ]
        verdict = f": {verdict_of(decision)}" if decision is not decisions[-1] else ""
        lines.append(
            f"Candidate {decision.candidate + 1} of {decision.candidates}, {quoted(trace.vocabulary, decision.token)}"
            f"{verdict}. Judged by {'; '.join(parts)}; target and draft share "
            f"{number(overlap(decision.target, decision.draft))}."
        )
    return "\n".join(lines)


def cascade_picture(trace: Trace, iteration: Iteration, decisions: Sequence[Coin]) -> Picture:
    """Bars for each of the latest ``MOST`` candidates judged for a position, the newest at the bottom."""
    shown, name = list(decisions)[-MOST:], namer(trace)
    panels = cascade_rows(shown)
    most = widest(row for rows in panels for row in rows)
    bars = [
        paired_bars(
            rows,
            one.token,
            name,
            nodes_after(iteration, one),
            most=most,
            title=_title(one, name(one.token), one is decisions[-1]),
        )
        for one, rows in zip(shown, panels, strict=True)
    ]
    left = len(decisions) - len(panels)
    shrinks = all(is_left_over(now.target, before.target, before.draft) for before, now in pairwise(decisions))
    notes = ("solid: shared", "hatched: excess", "▸ the candidate", *([f"{left} earlier not shown"] if left else []))
    of = ", what is left" if shrinks else ", as judged by"
    return pairs_picture(bars, cascade_text(trace, decisions), notes, of)


def _title(decision: Coin, name: str, newest: bool) -> str:
    """What the bars of a candidate are about; the newest one's verdict is in the picture of the decision."""
    which = f"{decision.candidate + 1} of {decision.candidates}: {name}"
    return which if newest else f"{which}, {verdict_of(decision)}"
