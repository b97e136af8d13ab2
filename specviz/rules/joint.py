"""MTAD's joint rule: keep the longest draft prefix whose joint likelihood ratio exceeds a threshold.

mtad.txt, section 3.2, Algorithm 1 (which prints ``eta <- j`` for ``eta <- i`` and starts eta at -1 for 0).

The picture is a staircase: the running log-ratio of every prefix against log tau. Ringed: the longest passing prefix.
Failing prefixes inside it were jumped over. A rule that tested each token alone would have stopped at the first step
that falls by log tau or more. In a tree the staircase is that of the path to the node at hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log
from typing import Literal, NamedTuple

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts import iteration_facts as facts
from specviz.facts.follows import follows
from specviz.facts.prefix_names import log_number
from specviz.facts.tokens import count, number, pair, quoted, worked
from specviz.options import Option, Options
from specviz.pictures.charts import failing, passing, point_of, round_ticks, stairs, token_axis
from specviz.pictures.shapes import Axis, Chart, Level, LevelOption, Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.coin import gives, own_words, panels
from specviz.rules.spec import VerifierSpec, target_or_greedy
from specviz.rules.verdict import Verdict, Verifier, longest_path, sample_after
from specviz.trace.decisions import OfBoth, PrefixTest
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Drawing, finite
from specviz.trace.ranges import AnyNumber, Depth, NodeNumber, Token
from specviz.trace.record import Guarantee, Trace


@dataclass(frozen=True)
class JointRatioTest(OfBoth, PrefixTest):
    """MTAD's test of one prefix: min(0, log_ratio) > log_threshold, with log_ratio the sum over the prefix so far.

    ``log_ratio`` and ``step_log_ratio`` are None where the target gives the prefix no probability (minus infinity);
    ``log_threshold`` is None for a threshold of 0. ``passes`` is the test; ``kept`` whether the prefix is part of the
    longest passing one.
    """

    node: NodeNumber
    depth: Depth
    token: Token
    step_log_ratio: AnyNumber | None
    log_ratio: AnyNumber | None
    log_threshold: AnyNumber | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["joint"] = "joint"
    jumps = True

    def show(self, moment: Moment) -> Shown:
        """The test of one prefix."""
        tests = path_tests(moment)
        nodes = facts.nodes_of(moment.iteration)
        deepest = max(nodes[d.node].depth for d in moment.iteration.decisions if isinstance(d, JointRatioTest))
        picture = staircase_picture(moment.trace, tests, total=deepest)
        token, verdict = moment.token, "passes" if self.passes else "fails"
        target, draft, *_ = stair(self)
        what = f"{gives(token, target, draft)[:-1]}; what counts is the whole prefix of {count(self.depth, 'token')}."
        if not by_the_sum(self):
            what = join(gives(token, target, draft), own_words(moment))
        telling = Telling(
            f"Prefix of length {self.depth}, ending in {token}: {verdict}",
            join(what, consequence(moment, tests, _rank(moment))),
            joint_formula(self),
        )
        return Shown(telling, panels(moment, "staircase", picture))


class JointVerifier(Verifier):
    """For each prefix x_1..x_i: min(1, prod p / prod q) > tau, with p and q warped per token.

    Computed as min(0, sum log p - sum log q) > log tau, with no stop at a failing prefix: a longer one may pass. The
    longest passing prefix is kept and one token is drawn from p after it; no coin, no residual. tau in [0, 1]:
    0 keeps the longest prefix that the target gives any probability, 1 keeps nothing.

    On a tree every node is the end of a prefix and judged alike; of the deepest that pass, the one with the greatest
    joint likelihood under the target is kept (the paper's stated future work).
    """

    reads = "all"

    def __init__(self, tau: float, end_tokens: frozenset[int] = frozenset()):
        self._log_tau = log(tau) if tau > 0.0 else -inf
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, submitted = scored.forest, scored.forest.submitted
        ratios, steps = {-1: 0.0}, {}
        for index in submitted:
            node = forest.nodes[index]
            p, q = scored.target_at(node.parent).prob(node.token), node.draft_prob
            steps[index] = log(p) - log(q) if p > 0.0 else -inf
            ratios[index] = ratios[node.parent] + steps[index]
        passes = {index: min(0.0, ratios[index]) > self._log_tau for index in submitted}
        path = longest_path(scored, (index for index in submitted if passes[index]))
        verdict = Verdict(path=path, offered=forest.submitted_depth)
        for index in submitted:
            node = forest.nodes[index]
            logs = (finite(steps[index]), finite(ratios[index]), finite(self._log_tau))
            both = (scored.target_at(node.parent), node.draft)
            verdict.decisions.append(
                JointRatioTest(index, node.depth, node.token, *logs, passes[index], index in path, *both)
            )
        return sample_after(verdict, scored, dice, self._end_tokens)


def _guarantee(options: Options, drawing: Drawing) -> Guarantee:
    """tau = 1 keeps no draft; at temperature 0 a ratio is 1 for the greedy tokens and 0 for all others."""
    return target_or_greedy(options) if options["tau"] == 1.0 or options["temperature"] == 0 else "lossy"


SPEC = VerifierSpec(
    "joint",
    "MTAD's joint rule",
    lambda context, options: JointVerifier(options["tau"], context.end_tokens),
    (Option("tau", "number", 0.1, "Joint likelihood ratio that a prefix must exceed to be kept.", 0.0, 1.0),),
    guarantee=_guarantee,
    title="MTAD's joint rule",
    sentence="No coin: keeps the longest prefix whose whole likelihood ratio, target / draft multiplied up, is "
    "above τ. Weak guesses inside a strong sentence stay.",
)


class Stair(NamedTuple):
    """The numbers of a test as they are written: enough digits for a reader to find the step from the probabilities,
    and the new sum from ``before`` and the step."""

    target: str
    draft: str
    step: str
    before: str
    total: str
    threshold: str


def stair(decision: JointRatioTest) -> Stair:
    """The numbers of a prefix's log-ratio."""
    step, ratio, threshold = decision.step_log_ratio, decision.log_ratio, decision.log_threshold
    target, draft = number(decision.target_prob), number(decision.draft_prob)
    if step is None or ratio is None:
        return Stair(target, draft, log_number(step), "", log_number(ratio), log_number(threshold))
    total, level = pair(ratio, threshold) if threshold is not None else (number(ratio), "-∞")
    before, made = worked(total, lambda before, step: before + step, round(ratio - step, 9), step)
    target, draft = worked(made, lambda p, q: log(p / q), decision.target_prob, decision.draft_prob)
    return Stair(target, draft, *(text.replace("-", "−") for text in (made, before, total, level)))


def joint_formula(decision: JointRatioTest) -> str:
    """The test of one prefix with the numbers put in."""
    target, draft, step, before, total, threshold = stair(decision)
    verdict = "passes" if decision.passes else "fails"
    if not by_the_sum(decision):
        return f"by the method’s own rule, at {total} against {threshold}: the prefix {verdict}"
    added = "" if decision.depth == 1 or not before else f"{before} {_signed(step)} = "
    return (
        f"log({target} / {draft}) = {step}; sum so far {added}{total}; "
        f"min(0, {total}) {'>' if decision.passes else '≤'} log τ = {threshold}: the prefix {verdict}"
    )


def by_the_sum(decision: JointRatioTest) -> bool:
    """Whether the test is MTAD's: the step is log(target / draft), and the sum so far passes where it is above log
    tau."""
    target, draft, step = decision.target_prob, decision.draft_prob, decision.step_log_ratio
    threshold = -inf if decision.log_threshold is None else decision.log_threshold
    made = target == 0.0 if step is None else follows(step, lambda: log(target / draft))
    ratio = -inf if decision.log_ratio is None else min(0.0, decision.log_ratio)
    alone = decision.depth > 1 or decision.log_ratio == step
    return made and alone and decision.passes == (ratio > threshold)


def _signed(text: str) -> str:
    """A number as what is added: ``+ 0.50``, ``− 0.50``."""
    return f"− {text[1:]}" if text.startswith("−") else f"+ {text}"


def path_tests(moment: Moment) -> list[JointRatioTest]:
    """The tests made so far on the way to the node at hand, by depth."""
    nodes, node = facts.nodes_of(moment.iteration), moment.decision.node
    path = {node, *facts.ancestors(nodes, node)}
    return sorted((d for d in moment.tests if d.node in path), key=lambda d: d.depth)


def consequence(moment: Moment, tests: Sequence[PrefixTest], rank: str = "") -> str:
    """What follows from the last of the ``tests`` on a path: what is kept with it and its ``rank`` among others, or why
    a failing prefix is no end."""
    if moment.decision.kept and not moment.decision.passes:
        return "It fails, but that is no end: a longer prefix passes and keeps this token too."
    if not moment.decision.passes:
        return moment.reason
    jumped = ", ".join(str(d) for d in jumped_over(tests) if d > longest_passing(tests[:-1]))
    kept_too = f"Failing prefixes inside it are kept with it (length {jumped})." if jumped else ""
    return join(moment.reason, kept_too, rank)


def _rank(moment: Moment) -> str:
    """Where a passing prefix stands among those on other branches; "" in a chain."""
    nodes = facts.nodes_of(moment.iteration)
    tests = [decision for decision in moment.iteration.decisions if isinstance(decision, JointRatioTest)]
    if all(nodes[after.node].parent == before.node for before, after in pairwise(tests)):
        return ""
    if facts.best_prefix(nodes, moment.tests) == moment.decision.node:
        return "It is the best so far: the deepest, or likelier than another as deep."
    return "Another prefix is deeper, or as deep and likelier under the target."


def longest_passing(decisions: Sequence[PrefixTest]) -> int:
    """The length of the longest passing prefix, 0 when none passes."""
    return max((decision.depth for decision in decisions if decision.passes), default=0)


def jumped_over(decisions: Sequence[PrefixTest]) -> tuple[int, ...]:
    """The lengths of failing prefixes inside the longest passing one."""
    longest = longest_passing(decisions)
    return tuple(d.depth for d in decisions if not d.passes and d.depth < longest)


def longest_lines(decisions: Sequence[PrefixTest]) -> list[str]:
    """The same in sentences."""
    longest, jumped = longest_passing(decisions), ", ".join(map(str, jumped_over(decisions)))
    lines = [f"Longest passing prefix so far: {longest}." if longest else "No prefix passes so far."]
    return [*lines, f"Failing prefixes jumped over: {jumped}."] if jumped else lines


def longest_note(decisions: Sequence[PrefixTest]) -> tuple[str, ...]:
    """What the ring is around, and what it jumped over."""
    longest, jumped = longest_passing(decisions), ", ".join(map(str, jumped_over(decisions)))
    ringed = f"ringed: the longest passing prefix, {longest}" if longest else "no prefix passes yet"
    return (ringed, f"jumped over: {jumped}") if jumped else (ringed,)


def per_token_cut(decisions: Sequence[JointRatioTest]) -> int | None:
    """The depth of the first token that min(1, target / draft) > tau alone would refuse; None when it refuses none."""
    for decision in decisions:
        step, threshold = decision.step_log_ratio, decision.log_threshold
        if step is None or (threshold is not None and min(0.0, step) <= threshold):
            return decision.depth
    return None


def staircase_text(trace: Trace, decisions: Sequence[JointRatioTest]) -> str:
    """The staircase in sentences; ``decisions`` are those made so far, in order."""
    lines = [f"log τ is {log_number(decisions[0].log_threshold)}."]
    for decision in decisions:
        verdict = "passes" if decision.passes else "fails"
        lines.append(
            f"Prefix of length {decision.depth}, ending in {quoted(trace.vocabulary, decision.token)}: "
            f"step {stair(decision).step}, sum {stair(decision).total}, {verdict}."
        )
    longest, cut = longest_passing(decisions), per_token_cut(decisions)
    lines += longest_lines(decisions)
    if cut is not None and cut <= longest:
        lost = longest - cut + 1
        lines.append(f"A test of each token alone would stop before token {cut} and lose {lost} of the {longest} kept.")
    return "\n".join(lines)


def staircase_picture(trace: Trace, decisions: Sequence[JointRatioTest], *, total: int) -> Picture:
    """Steps of the running log-ratio, prefix by prefix, for the decisions made so far, one at least; ``total`` is how
    many prefixes there will be. Prefixes with no target probability (minus infinity) stand on the floor."""
    threshold, longest, cut = decisions[0].log_threshold, longest_passing(decisions), per_token_cut(decisions)
    finite: list[float] = [d.log_ratio for d in decisions if d.log_ratio is not None]
    lowest: float = min([0.0, *finite, *([threshold] if threshold is not None else [])])
    highest: float = max([0.0, *finite])
    margin = 0.25 * max(highest - lowest, 1.0)
    floor = lowest - margin
    heights = [floor if d.log_ratio is None else d.log_ratio for d in decisions]
    low, high = floor - 0.3 * margin, highest + margin
    levels = [
        Level(0.0, "above 0 counts as 0", "muted", "solid"),
        Level(
            floor if threshold is None else threshold,
            f"log τ {log_number(threshold)}",
            setting=LevelOption("tau", log=True),
        ),
    ]
    if cut is not None:
        levels.append(Level(cut - 0.5, "a test of each token alone would stop here", "muted", "dotted", upright=True))
    chart = Chart(
        token_axis(trace, decisions, total, start=True),
        Axis(low, high, round_ticks(low, high), "sum of log(target / draft)"),
        lines=(stairs([0.0, *heights]),),
        points=tuple(
            point_of(
                d,
                d.depth,
                height,
                f"{d.depth}: {stair(d).total}",
                ringed=d.depth == longest,
                beyond="−∞" if d.log_ratio is None else "",
            )
            for d, height in zip(decisions, heights, strict=True)
        ),
        levels=tuple(levels),
    )
    key = passing("prefix passes"), failing("prefix fails")
    return Picture((chart,), staircase_text(trace, decisions), key, longest_note(decisions))
