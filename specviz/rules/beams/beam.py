"""Beam sampling and beam search on the target alone, one layer an iteration (dsbd.txt, section 2 and Eq. 1).

Beam sampling draws W beams with replacement from p_beam, the joint distribution of beams and tokens, warped once; beam
search keeps the W most likely. "Most likely" is by raw joint probability, not divided by length.
"""

from dataclasses import dataclass
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import joint_distribution, most_likely, pick
from specviz.facts.follows import is_left_over, is_same
from specviz.facts.iteration_facts import nodes_of_pairs
from specviz.facts.prefix_names import after_name, next_name, quoted_next
from specviz.facts.tokens import number
from specviz.lm.warp import Warp
from specviz.options import Option, Options
from specviz.pictures.bars import OTHERS, TokenChoice, bars_picture, bars_text, origin_entry
from specviz.pictures.pairs import TokenKey
from specviz.pictures.shapes import Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.beams.layer import input_beams, step_of
from specviz.rules.beams.search import search_step
from specviz.rules.draw import UNDER_STRIP, draw_strip, other_tone
from specviz.rules.spec import WARPS, VerifierSpec, VerifyContext
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.decisions import Draw, GuessTest, OfBeam, WidthTest
from specviz.trace.distribution import JointDistribution
from specviz.trace.forest import Origin
from specviz.trace.ranges import BeamToken, Depth, Prefix, Probability
from specviz.trace.record import Iteration, Trace


@dataclass(frozen=True)
class SampledBeam(Draw):
    """One beam drawn: the beam at the prefix ``parent`` goes on with ``token`` (-1: it has ended and stays); ``source``
    is p_beam or a residual of it."""

    parent: Prefix
    depth: Depth
    token: BeamToken
    origin: Origin
    uniform: Probability | None
    source: JointDistribution
    rule: Literal["beam-draw"] = "beam-draw"

    @property
    def prefix(self) -> int:
        return self.parent

    def show(self, moment: Moment) -> Shown:
        """One beam is drawn."""
        trace, iteration = moment.trace, moment.iteration
        prob = number(self.source.prob(self.parent, self.token))
        beam = f"“{next_name(trace, iteration, self.parent, self.token, 16)}”"
        where = "this one" if self.parent < 0 and len(iteration.inputs) < 2 else after_name(iteration, self.parent)
        kind = beam_source(iteration, self)
        sources = {"residual": "what the rejections left of the target", OWN: "a distribution that is the method's own"}
        source = sources.get(kind, "the target")
        comes = "comes" if self.uniform is None else "is drawn"
        sentence = (
            f"A beam {comes} from {source}, jointly over beams and next tokens: {where} goes on with "
            f"{quoted_next(trace, self.token)}, with probability {prob}."
        )
        last = moment.decision_index == len(iteration.decisions)
        drawn = "" if self.uniform is None else f"; drawn with random number {number(self.uniform)}"
        picture = beam_draw_picture(trace, iteration, self)
        telling = Telling(
            f"Layer {self.depth}, {'by its own rule' if kind == OWN else f'from the {kind}'}: {beam}",
            join(
                sentence,
                "Nothing is random here." if self.uniform is None else "",
                moment.said.get("finish", "") if last else "",
            ),
            f"{f'probability of {beam}' if kind == OWN else f'{kind}({beam})'} = {prob}{drawn}",
        )
        return Shown(telling, {"decision": (f"draw-{moment.decision_index}", picture)})


class BeamSampling(Verifier):
    """W beams, each drawn from p_beam = T(P(beam) P(token given beam)). With W = 1 that is sampling from p."""

    reads = "nothing"

    def __init__(self, warp: Warp, width: int):
        self._warp, self._width = warp, width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        joint = joint_distribution(layer, self._warp)
        drawn = [draw_beam(joint, 1, "target", dice, verdict) for _ in range(self._width)]
        verdict.layers.append([step_of(layer, beam.parent, beam.token, None, "target") for beam in drawn])
        return verdict


class BeamSearch(Verifier):
    """The W most likely continuations. Ties: the beam that ranked higher goes first, then the smaller token id."""

    reads = "nothing"

    def __init__(self, width: int):
        self._width = self.entries = width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        best = most_likely(layer, self._width)
        verdict.decisions.append(search_step(1, best, (None,) * len(best), (), False))
        verdict.layers.append([step_of(layer, prefix, token, None, "target") for prefix, token, _ in best])
        return verdict


def draw_beam(joint: JointDistribution, depth: int, origin: Origin, dice: Dice, verdict: Verdict) -> SampledBeam:
    """Draw one beam and note it."""
    prefix, token, uniform = pick(joint, dice)
    drawn = SampledBeam(prefix, depth, token, origin, uniform, joint)
    verdict.decisions.append(drawn)
    return drawn


DETERMINISTIC = Option("deterministic", "flag", False, "Keep the most likely instead of drawing.")


def is_certain(options: Options) -> bool:
    """Whether nothing is left to chance."""
    return options["deterministic"] or options["temperature"] == 0


def sampling_changeable(options: Options) -> tuple[str, ...]:
    """The options that a draw on the target alone depends on."""
    return ("deterministic", *(() if options["deterministic"] else WARPS))


def _build(context: VerifyContext, options: Options) -> Verifier:
    return BeamSearch(options["beams"]) if is_certain(options) else BeamSampling(context.warp, options["beams"])


SPEC = VerifierSpec(
    "beam",
    "beams drawn from the target's joint distribution",
    _build,
    (Option("beams", "integer", 4, "Beams kept at a time (W).", 1, 64), DETERMINISTIC),
    judges=("nothing",),
    guarantee=lambda options, drawing: "beam search" if is_certain(options) else "beam",
    changeable=sampling_changeable,
    beams=lambda context, options: (options["beams"], None),
    carries=True,
    free=False,
)


OWN = "own"
"""The kind of a distribution that is neither the target's nor a residual of it."""


def beam_source(iteration: Iteration, decision: SampledBeam) -> str:
    """What a beam was drawn from: ``target``, ``residual``, or ``OWN`` where the layer's record says another thing."""
    before = iteration.decisions[: [other is decision for other in iteration.decisions].index(True)]
    layer = next((test for test in before if isinstance(test, WidthTest) and test.depth == decision.depth), None)
    if decision.origin != "resampled":
        return "target" if layer is None or is_same(decision.source, layer.target) else OWN
    coins = (coin for coin in reversed(before) if isinstance(coin, OfBeam) and isinstance(coin, GuessTest))
    last = next((coin for coin in coins if coin.depth == decision.depth), None)
    left = last is not None and not last.accepted and is_left_over(decision.source, last.target, last.draft)
    return "residual" if left else OWN


def _title(iteration: Iteration, decision: SampledBeam) -> str:
    kind = beam_source(iteration, decision)
    return f"{'distribution of the method’s own' if kind == OWN else kind} over beam and next token"


def beam_draw_picture(trace: Trace, iteration: Iteration, decision: SampledBeam) -> Picture:
    """Bars of the joint distribution over pairs of beam and token, the drawn one marked with the look of its origin,
    and above them the strip on which the random number fell."""
    choices = beam_choices(trace, iteration, decision.source, (decision.parent, decision.token))
    title = _title(iteration, decision)
    how, word = ("Drawn from", "drawn") if decision.uniform is not None else ("From", "taken")
    words = bars_text(f"{how} the {title}", choices, word, OTHERS)
    words += "" if decision.uniform is None else f" The uniform number was {number(decision.uniform)}."
    strip = draw_strip(iteration, decision, decision.source, lambda key: next_name(trace, iteration, *key, 16))
    origin, plain = origin_entry(decision.origin), other_tone(decision)
    return bars_picture(title, choices, origin, plain, words, others=OTHERS, shown=UNDER_STRIP, above=strip)


def beam_choices(
    trace: Trace, iteration: Iteration, source: JointDistribution, drawn: TokenKey | None
) -> tuple[TokenChoice, ...]:
    """The pairs of beam and next token of a joint distribution, and which of them was drawn, if any."""
    node_of = nodes_of_pairs(iteration)
    return tuple(
        TokenChoice(next_name(trace, iteration, *key), prob, key == drawn, node_of(*key))
        for key, prob in source.table().items()
    )
