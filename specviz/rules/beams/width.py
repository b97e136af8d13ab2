"""How many beams a layer is to have: the probability that at least K of m drafts are accepted (dsbd.txt, section 3.2).

With alpha_j the probability that a draft is accepted after j - 1 rejections in a row (Eq. 4), and P(0, 0) = 1:

    P(m, k) = sum over i = 1 .. m of alpha_i prod_(j<i) (1 - alpha_j) P(m - i, k - 1)        (Eqs. 2, 3)
    P(m, 0) = prod_(j<=m) (1 - alpha_j)

Each acceptance starts the count of rejections afresh. (Eq. 5 must sum from k = 0, as Eq. 7 does.)

The picture is a falling curve over K, the threshold across it, the width a bracket under it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from specviz.facts.tokens import count, drafts_left, number, pair
from specviz.pictures.bars import OTHERS, bars_picture, bars_text, origin_entry
from specviz.pictures.charts import quarters, round_ticks, ticks_at
from specviz.pictures.pairs import NOTHING, compare, namer, nodes_after, paired_bars, pairs_picture, shared_notes
from specviz.pictures.shapes import Axis, Bracket, Chart, Column, KeyEntry, Level, LevelOption, Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.beams.beam import beam_choices
from specviz.trace.decisions import WidthTest
from specviz.trace.distribution import JointDistribution, overlap
from specviz.trace.ranges import Count, Depth, Probability
from specviz.trace.record import Iteration, Trace


@dataclass(frozen=True)
class BeamWidth(WidthTest):
    """How many beams a layer is to have, and the distributions its beams are judged by.

    ``offered`` drafts have a surviving parent; ``acceptances`` [offered] are alpha_j, the probability that the j-th is
    accepted after j - 1 rejections; ``at_least`` [offered] the probability that at least K = 1 .. offered are.
    ``width`` is max(``least``, the largest K whose probability reaches ``threshold``); with a threshold of None it is
    ``least``.
    ``target`` is p_beam, ``draft`` q_beam restricted to the surviving parents and renormalised (None: no drafts).
    """

    depth: Depth
    width: Count
    least: Count
    threshold: Probability | None
    offered: Count
    acceptances: tuple[Probability, ...]
    at_least: tuple[Probability, ...]
    target: JointDistribution
    draft: JointDistribution | None
    rule: Literal["layer"] = "layer"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not len(self.acceptances) == len(self.at_least) == self.offered:
            yield "", f"acceptances and at_least have one number for each of the {self.offered} offered drafts"

    def show(self, moment: Moment) -> Shown:
        """How many beams a layer is to have."""
        trace, iteration = moment.trace, moment.iteration
        extend = drafts_left(self.offered)
        if not self.offered:
            what = "No draft extends a beam that is left: every beam of this layer comes from the target."
        elif self.threshold is None:
            what = f"{extend}; the layer is always {self.least} wide."
        else:
            what = (
                f"{extend}. The layer is as wide as it can be with a "
                f"probability of {number(self.threshold)} to fill it with accepted drafts"
            )
            reached = any(probability >= self.threshold - ROUNDING for probability in self.at_least)
            what += "" if reached else ". No width has that probability, so it gets the least"
            what += f": {self.width}."
        panels = {
            "probabilities": (f"probabilities-{moment.decision_index}", pairs_of(trace, iteration, self)),
            "decision": (f"layer-{moment.decision_index}", layer_picture(self)),
        }
        telling = Telling(
            f"Layer {self.depth}: {self.width} wide",
            join(what, moment.said.get("rule", "") if len(moment.tests) == 1 else ""),
            layer_formula(self),
        )
        return Shown(telling, panels)


ROUNDING = 1e-12  # a probability this little below the threshold still reaches it


def probabilities_of_accepting(acceptances: Sequence[float]) -> np.ndarray:
    """P(m, k) for k = 0 .. m of all m drafts, [m + 1]; ``acceptances`` are alpha_1 .. alpha_m, each in [0, 1]."""
    most, alone = len(acceptances), [1.0]  # prod_(j<=i) (1 - alpha_j)
    for acceptance in acceptances:
        alone.append(alone[-1] * (1.0 - acceptance))
    first = [acceptance * before for acceptance, before in zip(acceptances, alone, strict=False)]
    table = [[1.0]]  # P(m, 0 .. m)
    for m in range(1, most + 1):
        accepted = [sum(first[i - 1] * table[m - i][k - 1] for i in range(1, m - k + 2)) for k in range(1, m + 1)]
        table.append([alone[m], *accepted])
    return np.array(table[most])


def probabilities_of_at_least(acceptances: Sequence[float]) -> list[float]:
    """The probability that at least K of m drafts are accepted, for K = 1 .. m (Eq. 5)."""
    return (1.0 - np.cumsum(probabilities_of_accepting(acceptances))[:-1]).tolist()


def layer_width(at_least: Sequence[float], threshold: float | None, min_beams: int) -> int:
    """max(``min_beams``, the largest K whose probability reaches the threshold) (Eqs. 6, 7); without a threshold
    ``min_beams``."""
    if threshold is None:
        return min_beams
    reached = [beams for beams, probability in enumerate(at_least, 1) if probability >= threshold - ROUNDING]
    return max([min_beams, *reached])


_NAMED = 12  # widths with a tick of their own, at most


def layer_formula(decision: BeamWidth) -> str:
    """How the width follows, with the numbers put in."""
    if decision.threshold is None:
        always = decision.width == decision.least
        return f"width = {decision.least}, always" if always else f"width, by the method’s own rule: {decision.width}"
    reached = [
        k for k, probability in enumerate(decision.at_least, start=1) if probability >= decision.threshold - ROUNDING
    ]
    largest = max(reached, default=0)
    beyond = decision.at_least[largest : largest + 1]
    values = (*decision.at_least[largest - 1 : largest], decision.threshold, *beyond)
    texts = pair(*values)
    if largest:
        reason = f"P(at least {largest} accepted) = {texts[0]} ≥ {texts[1]}"
        reason += f" > P(at least {largest + 1}) = {texts[2]}" if beyond else ""
    else:
        reason = f"P(at least 1 accepted) = {texts[1]} < {texts[0]}" if beyond else "no draft is left"
    if decision.width != max(decision.least, largest):
        return f"width, by the method’s own rule: {decision.width}"
    return f"{reason}; width = max({decision.least}, {largest}) = {decision.width}"


def layer_text(decision: BeamWidth) -> str:
    """The curve in sentences."""
    if not decision.offered:
        return f"No draft extends a beam that is left, so nothing is judged; the layer is {decision.width} wide."
    curve = ", ".join(f"{k}: {number(probability)}" for k, probability in enumerate(decision.at_least, start=1))
    threshold = "" if decision.threshold is None else f" The threshold is {number(decision.threshold)}."
    return (
        f"The probability that at least K of {count(decision.offered, 'draft')} are accepted, by K: {curve}."
        f"{threshold} The layer is {decision.width} wide."
    )


def layer_picture(decision: BeamWidth) -> Picture:
    """P(at least K accepted) over K, the threshold, and the width as a bracket under the axis."""
    most, threshold = max(decision.offered, decision.width, 1), decision.threshold
    left, right = 0.4, most + 0.6
    chart = Chart(
        Axis(left, right, ticks_at(*range(1, most + 1)) if most <= _NAMED else round_ticks(left, right)),
        Axis(0.0, 1.14, quarters()),
        columns=tuple(
            Column(k, probability, "accepted", number(probability), hollow=k > decision.width)
            for k, probability in enumerate(decision.at_least, start=1)
        ),
        levels=()
        if threshold is None
        else (Level(threshold, f"t = {number(threshold)}", setting=LevelOption("threshold")),),
        bracket=Bracket(0.7, decision.width + 0.3, f"width {decision.width}"),
    )
    key = (KeyEntry("accepted", "", "probability that at least K are accepted"),)
    return Picture((chart,), layer_text(decision), key, ("across: K", "bracket: the width of the layer"))


def pairs_of(trace: Trace, iteration: Iteration, decision: BeamWidth) -> Picture:
    """Target and draft over the pairs of beam and token; the target's alone where no draft is left."""
    if decision.draft is None:
        choices = beam_choices(trace, iteration, decision.target, None)
        words = bars_text("Target, beam and next token", choices, "drawn", OTHERS)
        return bars_picture("target", choices, origin_entry("target"), "target", words, others=OTHERS)
    name, rows = namer(trace, iteration), compare(decision.target, decision.draft, NOTHING)
    parts = [
        f"{OTHERS if row.key is None else f'“{name(row.key)}”'} target {number(row.target)}, draft {number(row.draft)}"
        for row in rows
    ]
    shared = number(overlap(decision.target, decision.draft))
    words = f"Layer {decision.depth}, beam and next token: {'; '.join(parts)}. Target and draft share {shared}."
    bars = paired_bars(rows, NOTHING, name, nodes_after(iteration))
    return pairs_picture([bars], words, shared_notes(decision.target, decision.draft))
