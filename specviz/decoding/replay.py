"""A recorded step judged differently: another coin, another threshold, another warp, from the record alone.

The drafted tokens stay; their laws are warped anew from the recorded logits, and the method's own verifier judges them
with dice that fall as they fell. Where the record does not hold what that takes, ReplayError says what is missing.
"""

import json
import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from specviz.decoding.options import Option
from specviz.decoding.rebuild import rebuild
from specviz.decoding.retrace import traced
from specviz.decoding.step import Step, impossible, open_step, sound_record
from specviz.dice import RepeatedDice
from specviz.drafting.forest import ScoredForest
from specviz.errors import ReplayError, SpecvizError
from specviz.trace.decisions import Decision
from specviz.trace.record import Trace
from specviz.verifying.block import BlockVerifier
from specviz.verifying.joint import JointVerifier
from specviz.verifying.kseq import SequenceVerifier
from specviz.verifying.layered import LayeredVerifier
from specviz.verifying.recursive import RecursiveVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier
from specviz.verifying.verdict import Verdict, Verifier

COINS = ("coin", "kseq", "block", "beam-coin")
DRAWS = ("draw", "beam-draw")


def replay(trace: Trace, index: int, *, coins: Mapping[int, float] | None = None, **options: Any) -> Trace:
    """The trace up to iteration ``index``, with that iteration judged anew: its drafts stay, and nothing is asked of a
    model. Without changes it is what was recorded.

    ``coins`` maps decisions, counted from 1 as they come in the new verdict, to the uniform number (0 to 1) that their
    coin or draw is to have; the others keep the recorded numbers in their order. Where the verdict asks for more coins
    than were recorded they come from the run's seed, and ``notes["new_coins"]`` counts them. ``options`` are those that
    the method's rule depends on (``changeable`` lists them), temperature, top_k and top_p among them: both models' laws
    are then warped anew. The header shows the changed options; metrics are those of what is left.

    Raises ReplayError where the record is not complete enough or a change makes no sense at this step, OptionError for
    an option that is unknown, out of range or without a say in the verdict.
    """
    step, numbers = open_step(trace, index, options), _checked(coins or {})
    with sound_record():
        scored = rebuild(step)
        verdict, new_coins = _judge(step, scored, numbers)
        return traced(step, scored, verdict, new_coins)


def recorded_forest(trace: Trace, index: int, **options: Any) -> ScoredForest:
    """The forest of iteration ``index`` with the target's laws, as ``specviz.judge`` takes it, from the record alone;
    ``options`` (temperature, top_k, top_p) warp both models' laws anew. Raises as ``replay`` does, and ReplayError
    where the draft could not have proposed a drafted token at these options."""
    step = open_step(trace, index, options)
    with sound_record():
        scored = rebuild(step)
        for law in (*(root for root in scored.roots if root is not None), *scored.after.values()):
            _ = law.probs  # whatever is missing is said here
        _check_drafts(step, scored, scored.forest.submitted)
    return scored


def changeable(trace: Trace, index: int) -> dict[str, Any]:
    """What ``replay`` can change at this step, as JSON data::

        {"coins": [{"place": 2, "scene": "decision-2", "draw": 0.44, "label": 'coin of token 2: " the"'}, ...],
         "options": [{"name": "tau", "value": 0.1, "low": 0.0, "high": 1.0, "help": "...", "kind": "number",
                      "whole": false, "optional": false, "choices": []}, ...],
         "reason": None}

    ``reason`` says why nothing can be changed; both lists are empty then.
    """
    try:
        step = open_step(trace, index, {})
        with sound_record():
            _judge(step, rebuild(step), {})
    except SpecvizError as error:
        return {"coins": [], "options": [], "reason": str(error)}
    coins = [
        {"place": place, "scene": _scene(decision, place), "draw": decision.draw, "label": _label(step, decision)}
        for place, decision in enumerate(step.iteration.decisions, start=1)
        if getattr(decision, "draw", None) is not None
    ]
    options = [_described(step.method.options[name], step.options[name]) for name in step.method.ruled_by(step.options)]
    reason = None if coins or options else "Nothing in this step was left to chance, and its rule has nothing to set."
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


def _scene(decision: Decision, place: int) -> str:
    return {"draw": "draw", "beam-draw": f"draw-{place}"}.get(decision.rule, f"decision-{place}")


def _label(step: Step, decision: Decision) -> str:
    what = "draw" if decision.rule in DRAWS else "coin"
    token = (
        "the beam that has ended" if decision.token < 0 else json.dumps(step.spelt(decision.token), ensure_ascii=False)
    )
    number = f", candidate {decision.candidate + 1}" if getattr(decision, "candidates", 1) > 1 else ""
    return f"{what} of token {decision.depth}{number}: {token}"


def _checked(coins: Mapping[int, float]) -> dict[int, float]:
    for place, number in coins.items():
        fine = isinstance(number, Real) and not isinstance(number, bool) and 0.0 <= number <= 1.0
        if not fine or isinstance(place, bool) or not isinstance(place, int):
            raise ReplayError(f"coins map decisions, counted from 1, to numbers from 0 to 1, got {place!r}: {number!r}")
    return {place: min(float(number), math.nextafter(1.0, 0.0)) for place, number in coins.items()}


def _judge(step: Step, scored: ScoredForest, coins: dict[int, float]) -> tuple[Verdict, int]:
    """The verdict when the decisions at ``coins`` get those numbers, and how many numbers it needed that were not
    recorded. Which question is which decision's is known only from a verdict: what is asked before the first change
    does not depend on it, so trying again settles one question after the other."""
    verifier = step.method.judge(step.setting(), step.options)
    _check_drafts(step, scored, scored.forest.submitted if _reads_all(verifier) else ())
    recorded = [one.draw for one in step.iteration.decisions if one.rule in (*COINS, *DRAWS)]
    seed = (step.trace.header.seed + 1) << 32 | step.index
    wanted: dict[int, float] = {}
    while True:
        numbers = recorded + [None] * max(0, max(wanted, default=-1) + 1 - len(recorded))
        for turn, number in wanted.items():
            numbers[turn] = number
        dice = RepeatedDice(numbers, seed)
        verdict = verifier.verify(scored, dice)
        places = _places(verdict, dice)
        found = {turn: coins[place] for turn, place in places.items() if place in coins}
        if found == wanted:
            break
        wanted = found
    _check_drafts(step, scored, _read(verifier, scored, verdict))
    _check_coins(coins, verdict)
    new = [place for turn, place in places.items() if dice.asked[turn][1] and turn not in wanted]
    return verdict, sum(verdict.decisions[place - 1].draw is not None for place in new)


def _places(verdict: Verdict, dice: RepeatedDice) -> dict[int, int]:
    """The number of every question the dice were asked -> the decision that it was about, counted from 1."""
    found = {}
    for kind, names in (("flip", ("Coin", "SequenceTest", "BlockTest", "BeamCoin")), ("pick", ("Draw", "BeamDraw"))):
        turns = [turn for turn, (asked, _) in enumerate(dice.asked) if asked == kind]
        places = [place for place, one in enumerate(verdict.decisions, start=1) if type(one).__name__ in names]
        found |= zip(turns, places, strict=False)  # at temperature 0 coins are decided without dice
    return found


def _check_coins(coins: dict[int, float], verdict: Verdict) -> None:
    there = [place for place, one in enumerate(verdict.decisions, start=1) if getattr(one, "draw", None) is not None]
    for place in coins:
        if place not in there:
            raise ReplayError(
                f"coins: decision {place} of this verdict has no coin; its coins are at "
                f"{', '.join(map(str, there)) or 'no decision'}"
            )


# The rules that divide by q.


def _reads_all(verifier: Verifier) -> bool:
    return isinstance(verifier, BlockVerifier | JointVerifier | LayeredVerifier)


def _read(verifier: Verifier, scored: ScoredForest, verdict: Verdict) -> list[int]:
    """The nodes whose q the verdict read; the greedy token rule reads none, K-SEQ all candidates of a place."""
    rule, forest = getattr(verifier, "rule", verifier), scored.forest
    judged = [one.node for one in verdict.decisions if hasattr(one, "node")]
    if isinstance(rule, SequenceVerifier):
        children = forest.children()
        return [node for place in {forest.parents[node] for node in judged} for node in children[place]]
    reads = isinstance(rule, TokenVerifier | RecursiveVerifier) and not isinstance(rule, GreedyTokenVerifier)
    return judged if reads else []


def _check_drafts(step: Step, scored: ScoredForest, nodes: Iterable[int]) -> None:
    """Raises ReplayError where the draft would not have proposed one of ``nodes``, whose q the rule reads."""
    for node in nodes:
        if node not in scored.forest.roots and not scored.forest.draft_prob(node) > 0.0:
            raise impossible(step, node)
