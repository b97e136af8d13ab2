"""Dynamic-width speculative beam decoding: drafted beams accepted layer by layer (dsbd.txt, section 3, Algorithm 1).

For every layer, with p_beam the target's joint distribution over (beam, token) pairs and q_beam the draft's:

    p' = p_beam; for each draft x whose parent survived, in order:
        accept with min(1, p'(x) / q_beam(x));  accepted: p' = p_beam;  rejected: p' = norm((p' - q_beam)+)
    until W_L are accepted. Fewer: one more beam from p', the others from p_beam, and the iteration ends.

The beams of a layer are then i.i.d. from p_beam (Theorem 3.1). (The paper's text and Algorithm 1 print the ratio upside
down; its proof does not.) The width W_L follows the probability of acceptance (section 3.2, ``width.py``).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import joint_distribution
from specviz.facts.follows import is_left_over
from specviz.facts.prefix_names import next_name
from specviz.lm.warp import Warp
from specviz.options import Option, Options
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.beams.beam import draw_beam
from specviz.rules.beams.layer import drafted_layer, input_beams, step_of
from specviz.rules.beams.width import BeamWidth, layer_width, probabilities_of_at_least
from specviz.rules.coin import (
    OWN,
    by_the_ratio,
    coin_formula,
    coin_panel,
    coin_reason,
    fall,
    gives,
    odds,
    own_words,
    probabilities_panel,
)
from specviz.rules.spec import WARPS, VerifierSpec, VerifyContext
from specviz.rules.verdict import BeamStep, Verdict, Verifier
from specviz.trace.decisions import ByChance, GuessTest, OfBeam
from specviz.trace.distribution import STAYS, JointDistribution, joint_residual, restricted
from specviz.trace.forest import Forest, LayerBeam, Proposal
from specviz.trace.ranges import BeamNode, BeamToken, Depth, Prefix, Probability


@dataclass(frozen=True)
class BeamCoin(OfBeam, GuessTest, ByChance):
    """One drafted beam accepted with min(1, target_prob / draft_prob); ``target`` is p' (p_beam, or what is left of it
    after the rejections since the last acceptance), ``draft`` q_beam. ``parent`` is the beam it extends; a ``token`` of
    -1: that beam has ended and was drawn to stay, and ``node`` is its own prefix."""

    node: BeamNode
    parent: Prefix
    depth: Depth
    token: BeamToken
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: JointDistribution
    draft: JointDistribution
    rule: Literal["beam-coin"] = "beam-coin"
    closes = False

    def show(self, moment: Moment) -> Shown:
        """One drafted beam meets its coin."""
        iteration = moment.iteration
        beam = f"“{next_name(moment.trace, iteration, self.parent, self.token, 16)}”"
        verdict = "accepted" if self.accepted else "rejected"
        earlier = [d for d in moment.tests[:-1] if d.depth == self.depth]
        rejections = 0
        for decision in reversed(earlier):
            if decision.accepted:
                break
            rejections += 1
        if rejections and not is_left_over(self.target, earlier[-1].target, earlier[-1].draft):
            rejections = 0  # by a rule of its own
        since = "the rejection" if rejections == 1 else f"the {rejections} rejections"
        left = f"p' is what {since} before left of the target's joint distribution over beams." if rejections else ""
        layer = next((d for d in moment.made if d.rule == "layer" and d.depth == self.depth), None)
        accepted = sum(d.accepted for d in moment.tests if d.depth == self.depth)
        full = f"That makes {accepted} of the {layer.width} beams of this layer." if layer and self.accepted else ""
        target, draft, *_ = odds(self)
        odds_words = gives(f"the beam {beam}", target, draft, left=bool(rejections))
        so, words = ("So it", "") if by_the_ratio(self) else (OWN, own_words(moment))
        sentence = join(left, odds_words, words, fall(self, so), full, coin_reason(moment))
        telling = Telling(f"Layer {self.depth}, beam {beam}: {verdict}", sentence, coin_formula(self))
        return Shown(telling, {"probabilities": probabilities_panel(moment)} | coin_panel(moment))


@dataclass(frozen=True)
class _Draft:
    """A drafted beam: the ``node`` that was drawn (the beam itself where one that has ended stays), and what it is: the
    beam at ``parent`` going on with ``token``."""

    node: int
    parent: int
    token: int


class LayeredVerifier(Verifier):
    """Draft and verification for beam sampling, with ``min_beams`` >= 1 beams a layer or, with a ``threshold`` in
    [0, 1], as many as are all accepted with at least that probability. ``single_cache``: of the output beams only the
    one of lowest perplexity goes on (section 3.4); ``prompt_length`` tells output from prompt there.
    """

    reads = "all"

    def __init__(
        self,
        warp: Warp,
        min_beams: int = 1,
        threshold: float | None = 0.7,
        *,
        single_cache: bool = False,
        prompt_length: int = 0,
        end_tokens: frozenset[int] = frozenset(),
    ):
        self._warp, self._min_beams, self._threshold = warp, min_beams, threshold
        self._single_cache, self._prompt_length, self._end_tokens = single_cache, prompt_length, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        verdict, layer = Verdict(accepted=0), input_beams(scored)
        for depth, proposal in enumerate(scored.forest.layers, 1):
            full = self._judge(scored.forest, layer, depth, proposal, dice, verdict)
            if not full:
                break
            layer = drafted_layer(scored, layer, verdict.layers[-1], self._end_tokens)
            if all(beam.next is None for beam in layer):
                break
        else:
            self._one_more(layer, dice, verdict)
        if self._single_cache:
            verdict.surviving = (self._least_perplexed(scored, verdict),)
        return verdict

    def _judge(
        self, forest: Forest, layer: list[LayerBeam], depth: int, proposal: Proposal, dice: Dice, verdict: Verdict
    ) -> bool:
        """One layer in the order of Algorithm 1; whether drafted beams filled it."""
        target = joint_distribution(layer, self._warp)
        prefixes = {beam.prefix for beam in layer}
        drafts = [draft for draft in _drafts(forest, proposal, depth) if draft.parent in prefixes]
        draft_joint = restricted(_joint_of(proposal), prefixes) if drafts else None
        draft_probs = np.zeros(len(target)) if draft_joint is None else draft_joint.probs_of(target)
        left = rejections(target, draft_probs, len(drafts))
        acceptances = [float(np.minimum(draft_probs, joint.probs).sum()) for joint in left[:-1]]  # alpha_j, Eq. 4
        width = self._width(depth, target, draft_joint, acceptances, verdict)
        steps: list[BeamStep] = []
        rejected = 0  # since the last acceptance, which sets p' back to p_beam
        for draft in drafts:
            if len(steps) == width:
                break
            assert draft_joint is not None  # there are drafts
            coin = self._flip(draft, depth, left[rejected], draft_joint, dice)
            verdict.decisions.append(coin)
            verdict.offered += 1
            rejected = 0 if coin.accepted else rejected + 1
            if coin.accepted:
                node = None if draft.token == STAYS else draft.node
                steps.append(step_of(layer, draft.parent, draft.token, node, "accepted"))
        verdict.accepted = verdict.accepted_count + len(steps)
        full = len(steps) == width
        while len(steps) < width:
            drawn = draw_beam(left[rejected], depth, "resampled" if rejected else "target", dice, verdict)
            steps.append(step_of(layer, drawn.parent, drawn.token, None, drawn.origin))
            rejected = 0  # the others come from p_beam
        verdict.layers.append(steps)
        return full

    def _width(
        self,
        depth: int,
        target: JointDistribution,
        draft: JointDistribution | None,
        acceptances: list[float],
        verdict: Verdict,
    ) -> int:
        """W_L by section 3.2, noted with what it was found from; ``acceptances`` are alpha_1 .. alpha_m."""
        at_least = probabilities_of_at_least(acceptances)
        width, offered = layer_width(at_least, self._threshold, self._min_beams), len(acceptances)
        shown = (tuple(acceptances), tuple(at_least), target, draft)
        verdict.decisions.append(BeamWidth(depth, width, self._min_beams, self._threshold, offered, *shown))
        return width

    def _flip(
        self, draft: _Draft, depth: int, left: JointDistribution, draft_joint: JointDistribution, dice: Dice
    ) -> BeamCoin:
        p, q = left.prob(draft.parent, draft.token), draft_joint.prob(draft.parent, draft.token)
        probability = 1.0 if p >= q else p / q
        flip = None if self._warp.greedy else dice.flip(probability)  # at temperature 0 nothing is left to chance
        accepted, uniform = (probability == 1.0, None) if flip is None else (flip.heads, flip.uniform)
        return BeamCoin(
            *(draft.node, draft.parent, depth, draft.token, probability, uniform, accepted), left, draft_joint
        )

    def _one_more(self, layer: list[LayerBeam], dice: Dice, verdict: Verdict) -> None:
        """All drafted layers are full: one more from p_beam, as wide as the last."""
        width, origin = (len(verdict.layers[-1]), "bonus") if verdict.layers else (self._min_beams, "target")
        joint, depth = joint_distribution(layer, self._warp), len(verdict.layers) + 1
        drawn = [draw_beam(joint, depth, origin, dice, verdict) for _ in range(width)]
        verdict.layers.append([step_of(layer, beam.parent, beam.token, None, origin) for beam in drawn])

    def _least_perplexed(self, scored: ScoredForest, verdict: Verdict) -> int:
        """The output beam with the greatest log-probability per token, ended beams over the tokens they have."""
        beams = [(beam.logprob, len(beam.tokens) - self._prompt_length) for beam in scored.beams]
        for steps in verdict.layers:
            beams = [_grown(*beams[step.before], step) for step in steps]
        return max(range(len(beams)), key=lambda index: beams[index][0] / beams[index][1])


def _grown(logprob: float, length: int, step: BeamStep) -> tuple[float, int]:
    return (logprob, length) if step.token is None else (logprob + step.logprob, length + 1)


def _joint_of(proposal: Proposal) -> JointDistribution:
    """What a whole layer was drawn from."""
    assert proposal.joint is not None
    return proposal.joint


def _drafts(forest: Forest, proposal: Proposal, depth: int) -> list[_Draft]:
    """The drafts of a layer in the order drawn."""
    drafts = []
    for draw in proposal.draws:
        new = draw >= 0 and forest.nodes[draw].depth == depth
        drafts.append(
            _Draft(draw, forest.nodes[draw].parent, forest.nodes[draw].token) if new else _Draft(draw, draw, STAYS)
        )
    return drafts


def rejections(target: JointDistribution, draft_probs: np.ndarray, count: int) -> list[JointDistribution]:
    """p_1 = p_beam, then p_(j+1) = norm((p_j - q_beam)+) up to j = ``count``: what p' is after so many rejections.
    ``draft_probs`` is q_beam at the pairs of p_beam. Where nothing is left, p' stays as it is."""
    left = [target]
    for _ in range(count):
        left.append(joint_residual(left[-1], draft_probs))
    return left


def _build(context: VerifyContext, options: Options) -> Verifier:
    return LayeredVerifier(
        context.warp,
        options["min_beams"],
        options["threshold"],
        single_cache=options["single_cache"],
        prompt_length=context.prompt_length,
        end_tokens=context.end_tokens,
    )


SPEC = VerifierSpec(
    "layered",
    "drafted beams layer by layer, of a width that changes",
    _build,
    (
        Option("min_beams", "integer", 1, "Beams that a layer has at least.", 1, 64),
        Option(
            "threshold",
            "number",
            0.7,
            "A layer gets as many beams as are all accepted with this probability; None: min_beams, always.",
            0.0,
            1.0,
            optional=True,
        ),
        Option("single_cache", "flag", False, "Only the output beam of lowest perplexity goes on: less memory."),
    ),
    judges=("layers",),
    guarantee=lambda options, drawing: "greedy" if options["temperature"] == 0 else "beam",
    changeable=lambda options: ("threshold", "min_beams", *WARPS),
    beams=lambda context, options: (
        1 if options["single_cache"] else max(options["draft_beams"], options["min_beams"]),
        None,
    ),
    carries=True,
    free=False,
)
