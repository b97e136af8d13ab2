"""A recorded iteration judged differently: another coin, another threshold, another warp, from the record alone.

The drafted tokens stay; the method's own verifier, whichever it is, judges the recorded forest with dice that fall as
they fell. Where the record does not hold what that takes, ReplayError says what is missing.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple

from specviz.decoding.registry.method import Method
from specviz.decoding.replay.recorded import (
    CONTRADICTIONS,
    RecordedIteration,
    need_whole,
    open_iteration,
    scored_again,
    sound_record,
)
from specviz.decoding.replay.retrace import JudgedAnew, traced
from specviz.dice import RepeatedDice, Uniform
from specviz.drafting.drafter import ScoredForest
from specviz.errors import ReplayError, SpecvizError, as_given
from specviz.options import Option, is_whole
from specviz.rules.draw import SampledToken
from specviz.rules.spec import DRAWINGS, WARPS
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.decisions import ByChance, Decision, Draw, GuessTest, PrefixTest
from specviz.trace.record import Trace


def replay(
    trace: Trace,
    index: int,
    *,
    coins: Mapping[int, float] | None = None,
    method: str | Method | None = None,
    **options: Any,
) -> Trace:
    """The trace up to iteration ``index``, with that iteration judged anew: its drafts stay, and nothing is asked of a
    model. Without changes it is what was recorded.

    ``coins`` maps decisions, counted from 1 as they come in the new verdict, to the uniform number (0 to 1) that their
    coin or draw is to have; the others keep the recorded numbers in their order. Where the verdict asks for more coins
    than were recorded they come from the run's seed, and ``notes["new_coins"]`` counts them. ``options`` are those that
    the method's rule depends on (``changeable`` lists them), temperature, top_k and top_p among them: both models'
    distributions are then warped anew. The header shows the changed options; metrics are those of what is left.
    ``method`` (a name, or a Method) is the trace's, where that is not registered, or one with the same options; any
    other rule judges the drafts of ``recorded_forest``.

    Raises ReplayError where the record is not complete enough or a change makes no sense at this step, OptionError for
    a method or an option that is unknown, an option out of range or without a say in the verdict.
    """
    return judged_anew(trace, index, coins or {}, method, options).trace


def judged_anew(
    trace: Trace, index: int, coins: Mapping[int, float], method: str | Method | None, options: Mapping[str, Any]
) -> JudgedAnew:
    """What ``replay`` is made of: its trace, the new verdict, and the texts as they stand then."""
    recorded, numbers = open_iteration(trace, index, options, method), _checked(coins)
    with sound_record():
        scored = scored_again(recorded)
        verdict, new_coins = _judge(recorded, scored, numbers)
        return traced(recorded, scored, verdict, new_coins)


def recorded_forest(trace: Trace, index: int, *, method: str | Method | None = None, **options: Any) -> ScoredForest:
    """The forest of iteration ``index`` with the target's distributions, as ``specviz.judge`` takes it, from the record
    alone; ``options`` (temperature, top_k, top_p) warp both models' distributions anew. Raises as ``replay`` does, and
    ReplayError where the draft could not have proposed a drafted token at these options."""
    recorded = open_iteration(trace, index, options, method)
    with sound_record():
        scored = scored_again(recorded)
        _check_drafts(recorded, scored, scored.forest.submitted)
    return scored


def changeable(trace: Trace, index: int, *, method: str | Method | None = None) -> dict[str, Any]:
    """What ``replay`` can change at this step, as JSON data::

        {"coins": [{"decision": 2, "scene": "decision-2", "uniform": 0.44, "label": 'coin of token 2: " the"'}, ...],
         "options": [{"name": "tau", "value": 0.1, "low": 0.0, "high": 1.0, "help": "...", "kind": "number",
                      "whole": false, "optional": false, "choices": []}, ...],
         "reason": None}

    ``reason`` says why nothing can be changed; both lists are empty then.
    """
    try:
        recorded = open_iteration(trace, index, {}, method)
        with sound_record():
            _judge(recorded, scored_again(recorded), {})
    except SpecvizError as error:
        return {"coins": [], "options": [], "reason": str(error)}
    coins = [
        {
            "decision": number,
            "scene": _scene(decision, number),
            "uniform": decision.uniform,
            "label": _label(recorded, decision),
        }
        for number, decision in enumerate(recorded.iteration.decisions, start=1)
        if isinstance(decision, ByChance) and decision.uniform is not None
    ]
    warped = recorded.forest.drawing in DRAWINGS  # else nobody knows what another warp would have drawn from
    names = (name for name in recorded.method.changeable(recorded.options) if warped or name not in WARPS)
    options = [_described(recorded.method.options[name], recorded.options[name]) for name in names]
    reason = None if coins or options else "Nothing was left to chance in this iteration, and its rule sets nothing."
    return {"coins": coins, "options": options, "reason": reason}


def _described(option: Option, value: Any) -> dict[str, Any]:
    return {
        "name": option.name,
        "value": value,
        "low": option.low,
        "high": option.high,
        "help": option.help,
        "kind": option.kind,
        "whole": option.kind == "integer",
        "optional": option.optional,
        "choices": list(option.choices),
    }


def _scene(decision: Decision, number: int) -> str:
    if isinstance(decision, SampledToken):
        return "draw"
    return f"{'draw' if isinstance(decision, Draw) else 'decision'}-{number}"


def _label(recorded: RecordedIteration, decision: ByChance) -> str:
    what = "draw" if isinstance(decision, Draw) else "coin"
    token = (
        "the beam that has ended"
        if decision.token < 0
        else json.dumps(recorded.spelt(decision.token), ensure_ascii=False)
    )
    several = getattr(decision, "candidates", 1) > 1
    number = f", candidate {getattr(decision, 'candidate', 0) + 1}" if several else ""
    return f"{what} of token {decision.depth}{number}: {token}"


def _checked(coins: Mapping[int, float]) -> dict[int, float]:
    wanted = "coins map decisions, counted from 1, to numbers from 0 to 1, got "
    if not isinstance(coins, Mapping):
        raise ReplayError(wanted + as_given(coins), argument="coins")
    for index, number in coins.items():
        fine = isinstance(number, Real) and not isinstance(number, bool) and 0.0 <= number <= 1.0
        if not fine or not is_whole(index):
            raise ReplayError(f"{wanted}{as_given(index)}: {as_given(number)}", argument="coins")
    return {int(index): min(float(number), math.nextafter(1.0, 0.0)) for index, number in coins.items()}


def _judge(recorded: RecordedIteration, scored: ScoredForest, coins: dict[int, float]) -> tuple[Verdict, int]:
    """The verdict when the decisions at ``coins`` get those numbers, and how many numbers it needed that were not
    recorded."""
    verifier = _verifier(recorded)
    if _reads(verifier) == "all":
        _check_drafts(recorded, scored, scored.forest.submitted)
    try:
        judged = _asked(recorded, verifier, scored, _recorded_numbers(recorded), coins)
    except CONTRADICTIONS:
        _check_drafts(recorded, scored, scored.forest.submitted)  # a rule may have divided by a q of 0
        raise
    _check_drafts(recorded, scored, _read(verifier, scored, judged.verdict))
    for index in coins:
        if index not in judged.turns:
            raise ReplayError(
                f"Decision {index} of this verdict flips no coin; coins are flipped at "
                f"{'decision ' if judged.turns else ''}{', '.join(map(str, judged.turns)) or 'no decision'}.",
                argument="coins",
            )
    new = [turn for turn in judged.turns.values() if turn in judged.fresh and turn not in judged.given]
    return judged.verdict, len(new)


def _verifier(recorded: RecordedIteration) -> Verifier:
    _, spec = recorded.method.pair(recorded.options)
    return spec.build(recorded.verify_context(), recorded.method.full(recorded.options))


class _VerdictWithQuestions(NamedTuple):
    """A verdict and the questions it asked the dice, counted from 0: ``turns`` says which decision asked which,
    ``given`` the numbers that decisions were given, ``fresh`` which questions got a new number."""

    verdict: Verdict
    turns: dict[int, int]
    given: dict[int, float]
    fresh: set[int]


def _asked(
    recorded: RecordedIteration,
    verifier: Verifier,
    scored: ScoredForest,
    numbers: Sequence[float | None],
    coins: Mapping[int, float],
) -> _VerdictWithQuestions:
    """The verdict when questions get ``numbers``, and the decisions at ``coins`` those. Which question is which
    decision's is known only from a verdict: what is asked before the first change does not depend on it, so trying
    again settles one question after the other."""
    seed, forced = (recorded.trace.header.seed + 1) << 32 | recorded.index, dict[int, float]()
    while True:
        count = max(len(numbers), max(forced, default=-1) + 1)
        known = dict(enumerate(numbers)) | forced
        dice = RepeatedDice([known.get(turn) for turn in range(count)], seed)
        verdict = verifier.verify(scored, dice).plain()
        turns = {
            index: decision.uniform.turn
            for index, decision in enumerate(verdict.decisions, start=1)
            if isinstance(decision, ByChance) and isinstance(decision.uniform, Uniform)
        }
        settled = {turns[index]: number for index, number in coins.items() if index in turns}
        if settled == forced:
            return _VerdictWithQuestions(verdict, turns, forced, dice.fresh)
        forced = settled


def _recorded_numbers(recorded: RecordedIteration) -> list[float | None]:
    """The recorded numbers by the question that they answered, None for what was certain: whether a rule asks the dice
    about that is its own affair, and seen from its verdict on the record as it is."""
    decisions = recorded.iteration.decisions
    every = [
        decision.uniform for decision in decisions if isinstance(decision, ByChance)
    ]  # as rules do that ask about everything
    coins = {
        i: decision.uniform
        for i, decision in enumerate(decisions, 1)
        if isinstance(decision, ByChance) and decision.uniform is not None
    }
    before = replace(recorded, options=recorded.before)
    try:
        judged = _asked(before, _verifier(before), scored_again(before), every, coins)
    except (SpecvizError, *CONTRADICTIONS):  # the record allows no verdict but a changed one
        return every
    if not coins.keys() <= judged.turns.keys():  # a rule that does not hand over the dice's own numbers
        return every
    forced = judged.given
    return [forced.get(turn) for turn in range(max(forced, default=-1) + 1)]


# The rules that divide by q say so (``Verifier.reads``); a rule that does not say is held to read all.


def _reads(verifier: Verifier) -> str:
    return getattr(verifier, "reads", "all")


def _read(verifier: Verifier, scored: ScoredForest, verdict: Verdict) -> list[int]:
    """The nodes whose q the verdict read."""
    reads, children = _reads(verifier), scored.forest.children()
    judged = [decision.node for decision in verdict.decisions if isinstance(decision, GuessTest | PrefixTest)]
    if reads == "siblings":
        parents = {scored.forest.nodes[node].parent for node in judged}
        return [node for parent in parents for node in children[parent]]
    return judged if reads == "judged" else []


def _check_drafts(recorded: RecordedIteration, scored: ScoredForest, numbers: Iterable[int]) -> None:
    """Raises ReplayError where the draft would not have proposed one of these nodes, whose q the rule reads, or where
    the record leaves out some of that q."""
    for number in numbers:
        node = scored.forest.nodes[number]
        if node.root:
            continue
        if not node.draft_prob > 0.0:
            raise recorded.impossible(number)
        need_whole(recorded, node.draft, node.parent, "draft")
