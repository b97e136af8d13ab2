"""Candidates ranked by their posterior: with the correlation of neighbouring tokens, and as if they were independent.

One row per candidate, best first; a filled mark at its posterior, a hollow one at what it would be without the
correlation (slim.txt, Eq. 3), on a logarithmic axis. What the reduction keeps is solid, the rest is faint.
"""

from collections.abc import Sequence
from math import log10

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import phrase
from specviz.facts.tokens import count, number, worked
from specviz.pictures.shapes import Axis, Chart, KeyEntry, Line, Picture, Point, Tick
from specviz.pictures.shown import Shown, Telling, join
from specviz.trace.forest import Hypothesis
from specviz.trace.record import Iteration, Trace

BEST, LAST, CUT = 12, 3, 5  # rows: the best kept, the last kept, the first left out
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def listed(hypotheses: Sequence[Hypothesis]) -> tuple[tuple[int, Hypothesis], ...]:
    """The candidates shown, with their ranks from 1: the best, the last that are kept, the first that are not."""
    ranked = list(enumerate(hypotheses, start=1))
    survivors = [entry for entry in ranked if entry[1].kept]
    cut = [entry for entry in ranked if not entry[1].kept]
    return tuple(sorted({rank: (rank, h) for rank, h in (*survivors[:BEST], *survivors[-LAST:], *cut[:CUT])}.values()))


def displaced(hypotheses: Sequence[Hypothesis]) -> int:
    """How many kept candidates would be dropped if the listed ones were ranked as if their tokens were independent."""
    survivors = sum(hypothesis.kept for hypothesis in hypotheses)
    ranked = sorted(hypotheses, key=lambda hypothesis: -hypothesis.independent)
    return sum(not hypothesis.kept for hypothesis in ranked[:survivors])


def posterior_text(trace: Trace, iteration: Iteration) -> str:
    """The shown candidates in sentences."""
    hypotheses, considered = facts.forest_of(iteration).hypotheses, facts.forest_of(iteration).considered
    lines = [f"{count(considered, 'candidate')} considered; the best {len(hypotheses)} are recorded."]
    for rank, candidate in listed(hypotheses):
        lines.append(
            f"{rank}: {phrase(trace.vocabulary, candidate.tokens)}, posterior {number(candidate.posterior)}, "
            f"independent {number(candidate.independent)}, {'kept' if candidate.kept else 'left out'}."
        )
    return "\n".join(lines)


def posterior_picture(trace: Trace, iteration: Iteration) -> Picture:
    """One row per candidate: a filled mark at its posterior, a hollow one at what it would be if tokens were
    independent, faint if it was dropped. Zeros are at the left end."""
    rows = listed(facts.forest_of(iteration).hypotheses)
    positive = [v for _, candidate in rows for v in (candidate.posterior, candidate.independent) if v > 0]
    floor = min(map(log10, positive), default=-1.0) - 0.3
    lines, points, names = [], [], []
    for y, (rank, candidate) in enumerate(rows):
        alone, both = (log10(v) if v > 0 else floor for v in (candidate.independent, candidate.posterior))
        names.append(
            Tick(y, f"{'✓ ' if candidate.kept else ''}{rank} {phrase(trace.vocabulary, candidate.tokens, 22)[1:-1]}")
        )
        lines.append(Line("muted", ((both, y), (alone, y))))
        words = f"{rank}: {number(candidate.independent)} if tokens were independent"
        points.append(Point(alone, y, "resampled", "", words, candidate.node, hollow=True, faint=not candidate.kept))
        words = f"{rank}: posterior {number(candidate.posterior)}"
        points.append(Point(both, y, "accepted", "", words, candidate.node, faint=not candidate.kept))
    right = max((point.x for point in points), default=0.0) + 0.3
    chart = Chart(
        Axis(floor, right, _powers(floor, right)),
        Axis(len(rows) - 0.4, -0.6, tuple(names)),
        lines=tuple(lines),
        points=tuple(points),
    )
    key = KeyEntry("accepted", "●", "posterior"), KeyEntry("resampled", "○", "if tokens were independent")
    return Picture((chart,), posterior_text(trace, iteration), key, ("✓ kept", "faint: left out"))


def _powers(left: float, right: float) -> tuple[Tick, ...]:
    """Ticks at powers of ten, at most about six."""
    every = max(1, round((right - left) / 5))
    powers = [power for power in range(int(left) - 1, int(right) + 2) if left <= power <= right and power % every == 0]
    return tuple(Tick(power, "1" if power == 0 else f"10{str(power).translate(_RAISED)}") for power in powers)


def _formula(name: str, best: Hypothesis, share: float | None) -> str:
    """How the best candidate's posterior follows from its independent one, and its share of the sum, with the
    numbers."""
    made = number(best.posterior)
    formula = f"best: posterior({name}) = {made}"
    if best.posterior != best.independent and best.independent > 0:
        factor = best.posterior / best.independent
        alone, times = worked(made, lambda independent, factor: independent * factor, best.independent, factor)
        formula = f"best: posterior({name}) = independent {alone} × correlation {times} = {made}"
    if not share:
        return formula
    part = number(share)
    mine, whole = worked(part, lambda mine, whole: mine / whole, best.posterior, best.posterior / share)
    return f"{formula}; its share of all = {mine} / {whole} = {part}"


def show_reduction(trace: Trace, iteration: Iteration) -> Shown:
    """Candidates are ranked by their posterior, and only the best go to the target."""
    hypotheses, considered = facts.forest_of(iteration).hypotheses, facts.forest_of(iteration).considered
    survivors = sum(hypothesis.kept for hypothesis in hypotheses)
    sent = len(facts.submitted(facts.nodes_of(iteration)))
    moved = displaced(hypotheses)
    other = any(h.posterior != h.independent for h in hypotheses)
    changed = (
        f"Without the correlation of neighbouring tokens, {moved} of those kept would give way to others in the list."
        if moved
        else "Without the correlation of neighbouring tokens, the same ones of the list would be kept."
    )
    best = hypotheses[0]
    share = None if best.node is None else facts.nodes_of(iteration)[best.node].score
    telling = Telling(
        f"Reduced: {survivors} of {considered:,} candidates kept",
        join(
            f"Each of {count(considered, 'candidate')} is ranked by its own posterior; the best {survivors}, with the "
            f"tokens that lead to them, make {count(sent, 'node')} for the target. The mask shrinks with them.",
            changed if other else "",
        ),
        _formula(phrase(trace.vocabulary, best.tokens), best, share),
    )
    return Shown(telling, {"decision": ("posterior", posterior_picture(trace, iteration))})
