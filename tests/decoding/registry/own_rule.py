"""A stranger's rules with classes of decisions of their own, all in one file. ``MARGIN`` has no coin: a guess stays
while the target finds it at least ``share`` times as likely as its favourite. ``FAIR`` is the token rule with a coin
that is not ours."""

from dataclasses import dataclass
from typing import Literal

from specviz.decoding.registry.method import Method
from specviz.facts.tokens import number, quoted
from specviz.options import Option
from specviz.pictures.charts import failing, passing
from specviz.pictures.shapes import Bar, BarRow, Bars, Level, Picture
from specviz.pictures.shown import Shown, Telling
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import TokenVerifier
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace import decisions
from specviz.trace.decisions import ByChance, GuessTest, OfBoth, OfToken
from specviz.trace.distribution import Distribution
from specviz.trace.ranges import Depth, NodeNumber, Probability, Token


@dataclass(frozen=True)
class MarginTest(OfToken, GuessTest):
    """Accepted where the token's probability is at least ``needed``."""

    node: NodeNumber
    depth: Depth
    token: Token
    favourite: Token
    needed: Probability
    accepted: bool
    target: Distribution
    rule: Literal["margin"] = "margin"

    def show(self, moment):
        token, verdict = quoted(moment.trace.vocabulary, self.token), "accepted" if self.accepted else "rejected"
        favourite, sign = quoted(moment.trace.vocabulary, self.favourite), "≥" if self.accepted else "<"
        prob, needed = number(self.target_prob), number(self.needed)
        mark = passing("stays") if self.accepted else failing("goes")
        row = BarRow(token, (Bar(mark.tone, self.target_prob, prob),), mark.glyph, self.node)
        sentence = f"The target gives {token} probability {prob}; {needed} are needed, for it prefers {favourite}."
        picture = Picture((Bars((row,), 1.0, level=Level(self.needed, needed, upright=True)),), sentence, (mark,))
        telling = Telling(f"Token {self.depth}, {token}: {verdict}", sentence, f"{prob} {sign} {needed}: {verdict}")
        return Shown(telling, {"decision": (f"margin-{moment.decision_index}", picture)})


@dataclass(frozen=True)
class FairCoin(OfBoth, GuessTest, ByChance):
    """A coin with a probability of ``chance``."""

    node: NodeNumber
    depth: Depth
    token: Token
    chance: Probability
    uniform: Probability | None
    accepted: bool
    target: Distribution
    draft: Distribution
    rule: Literal["fair"] = "fair"

    def show(self, moment):
        return Shown(Telling(f"Coin of {moment.token}", moment.reason, f"chance {number(self.chance)}"), {})


KINDS = MarginTest, FairCoin
for kind in KINDS:
    decisions.forget(kind.rule)  # known to the tests that ask for it alone


class MarginVerifier(Verifier):
    """Keeps the chain up to the first guess that the target finds too unlikely."""

    reads = "nothing"

    def __init__(self, share, end_tokens):
        self._share, self._end_tokens = share, end_tokens

    def verify(self, scored, dice):
        verdict = Verdict(offered=len(scored.forest.submitted))
        for node in scored.forest.submitted:
            drafted = scored.forest.nodes[node]
            target = scored.target_at(drafted.parent)
            needed = self._share * target.prob(target.best)
            accepted = target.prob(drafted.token) >= needed
            verdict.decisions.append(
                MarginTest(node, drafted.depth, drafted.token, target.best, needed, accepted, target)
            )
            if not accepted:
                break
            verdict.path.append(node)
        return sample_after(verdict, scored, dice, self._end_tokens)


class FairVerifier(TokenVerifier):
    """The token rule, with decisions of its own."""

    def _flip(self, number, node, target, dice):
        coin = super()._flip(number, node, target, dice)
        told = coin.acceptance_probability, coin.uniform, coin.accepted
        return FairCoin(number, node.depth, node.token, *told, target, node.draft)


FAIR = Method(
    name="fair",
    drafter="chain",
    verifier=VerifierSpec(
        "fair",
        "coins of its own",
        lambda context, options: FairVerifier(1.0, context.end_tokens),
        judges=("chain",),
        exact=("independent",),
    ),
)
MARGIN = Method(
    name="margin",
    drafter="chain",
    verifier=VerifierSpec(
        "margin",
        "near the target's favourite",
        lambda context, options: MarginVerifier(options["share"], context.end_tokens),
        (Option("share", "number", 0.5, "Of the favourite's probability that is enough.", 0.0, 1.0),),
        judges=("chain",),
    ),
)
