"""What a verifier hands over: its decisions in order (``trace/decisions.py``), and the tokens that become text; and how
it ends, with or without a coin."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.rules.draw import SampledToken
from specviz.trace.decisions import Decision, GuessTest, PrefixTest
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Origin, Outcome
from specviz.trace.plain import as_number, as_numbers, plain

Reads = Literal["nothing", "judged", "siblings", "all"]


@dataclass(frozen=True)
class BeamStep:
    """One beam of a new layer: which beam of the layer before it extends (``before``: its index there; the first layer
    extends the input beams), by which ``token`` (None: it has ended and stays), drafted as ``node`` (None: drawn), with
    the ``target`` distribution there (None for one that stays)."""

    before: int
    token: int | None
    node: int | None
    origin: Origin
    target: Distribution | None

    @property
    def logprob(self) -> float:
        """The raw log-probability of its token under the target; 0 where it stays."""
        return 0.0 if self.token is None or self.target is None else self.target.logprob(self.token)


@dataclass
class Verdict:
    """What becomes text. Methods that write one text fill ``path``, the accepted nodes from depth 1 on, and
    ``sampled``, the token drawn after them, if any. Methods that keep several beams fill ``layers``, one list of beams
    per token, and ``surviving`` where not all beams of the last layer go on (indices into it).

    ``offered`` counts the drafted tokens on the judged path, ``accepted`` those accepted (None: the path's length).
    ``next_distribution`` is that of the token after the path, where none was drawn from it.
    """

    path: list[int] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    sampled: SampledToken | None = None
    offered: int = 0
    accepted: int | None = None
    layers: list[list[BeamStep]] = field(default_factory=list)
    surviving: tuple[int, ...] | None = None
    next_distribution: Distribution | None = None
    next_origin: Origin = "target"

    @property
    def accepted_count(self) -> int:
        """Drafted tokens accepted."""
        return len(self.path) if self.accepted is None else self.accepted

    def plain(self) -> "Verdict":
        """The verdict with Python's own numbers in place of numpy's or torch's. Raises SpecvizError that names the
        field for one that holds none; decisions are seen to when they are recorded."""
        self.path = list(as_numbers(self.path, int, "Verdict.path"))
        self.offered = as_number(self.offered, int, "Verdict.offered")
        self.accepted = None if self.accepted is None else as_number(self.accepted, int, "Verdict.accepted")
        self.sampled = None if self.sampled is None else plain(self.sampled)
        self.layers = [[plain(step) for step in layer] for layer in self.layers]
        if self.surviving is not None:
            self.surviving = as_numbers(self.surviving, int, "Verdict.surviving")
        return self

    def sample_next(
        self, dice: Dice, scored: ScoredForest, after: int, origin: Origin, source: Distribution | None = None
    ) -> None:
        """Draw the token after the prefix ``after`` from ``source`` (default: the target's distribution there) and end
        the verdict with it."""
        target = scored.target_at(after)
        source = source or target
        pick = dice.pick(source.probs)
        uniform = None if source.probs[pick.index] == 1.0 else pick.uniform  # a certain token needs no chance
        depth = scored.forest.nodes[after].depth + 1 if after >= 0 else 1
        self.sampled = SampledToken(after, depth, int(source.tokens[pick.index]), origin, uniform, target, source)
        self.decisions.append(self.sampled)

    def outcomes(self, scored: ScoredForest, became_text: set[int]) -> dict[int, Outcome]:
        """What became of the nodes that were judged or are text: ``accepted`` when in ``became_text``, ``dropped`` when
        accepted for nothing (past the end, or on a way that was not taken), ``rejected``."""
        outcomes: dict[int, Outcome] = {}
        for decision in self.decisions:
            if isinstance(decision, GuessTest | PrefixTest) and outcomes.get(decision.node) != "dropped":
                outcomes[decision.node] = "dropped" if decision.passed else "rejected"
        roots = (number for number, node in enumerate(scored.forest.nodes) if node.root)
        layered = (step.node for layer in self.layers for step in layer if step.node is not None)
        dropped: dict[int, Outcome] = dict.fromkeys((*roots, *self.path, *layered), "dropped")
        accepted: dict[int, Outcome] = dict.fromkeys(became_text, "accepted")
        return outcomes | dropped | accepted


class Verifier:
    """Judges a forest: a class with ``verify``, a function of the forest and the dice alone.

    ``reads`` says of which nodes the rule reads the draft's probability: of those it judges, of these and their
    siblings, of all that were submitted, or of none. ``entries`` is how many of the target's likeliest tokens it looks
    at after every prefix, whatever the warp.
    """

    reads: Reads = "all"
    entries: int = 0

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        """What of the forest becomes text, where ``dice`` make all that is left to chance."""
        raise NotImplementedError


def sample_after(verdict: Verdict, scored: ScoredForest, dice: Dice, end_tokens: Collection[int]) -> Verdict:
    """The verdict with one token more, drawn from the target after the kept path: a bonus where the draft ends with it,
    the target's own choice where the draft went on and was turned down (or there was none). Nothing follows an end
    token."""
    forest, path = scored.forest, verdict.path
    last = path[-1] if path else -1
    if last >= 0 and forest.nodes[last].token in end_tokens:
        return verdict
    whole = last >= 0 and last not in forest.children()
    verdict.sample_next(dice, scored, last, "bonus" if whole else "target")
    return verdict


def longest_path(scored: ScoredForest, ends: Iterable[int]) -> list[int]:
    """The path to the deepest of ``ends``, nodes in the order drafted; [] where there is none.

    Among equally deep ones the path with the greatest joint likelihood under the target, raw; then the first.
    """
    forest, ends = scored.forest, list(ends)
    depth = max((forest.nodes[node].depth for node in ends), default=0)
    deepest = [node for node in ends if forest.nodes[node].depth == depth]
    if len(deepest) > 1:
        return forest.path(max(deepest, key=lambda node: joint_logprob(scored, node)))
    return forest.path(deepest[0]) if deepest else []


def joint_logprob(scored: ScoredForest, node: int) -> float:
    """Raw joint log-probability of the path to ``node`` under the target; minus infinity possible."""
    drafted = (scored.forest.nodes[number] for number in scored.forest.path(node))
    return sum(scored.target_at(guess.parent).logprob(guess.token) for guess in drafted)
