"""A recorded step with something changed: the requests and the answers."""

from collections.abc import Iterator
from math import exp
from typing import Any, NamedTuple

from specviz.decoding.replay.judge_again import changeable, replay
from specviz.errors import SpecvizError, as_given
from specviz.facts.prefix_names import quoted_next
from specviz.facts.tokens import count, emitted_piece, label, number, piece
from specviz.trace.record import Iteration, Trace
from specviz.ui.catalog import LABELS
from specviz.ui.messages.microscope import Changeable, ChangeableOption, ReplayAnswer, TokenPlace
from specviz.views.story.scenes import iteration_payload


class Changes(NamedTuple):
    """Coins by the number of their decision (from 1), options by name. Empty ones are falsy."""

    coins: dict[int, float]
    options: dict[str, Any]

    def __bool__(self) -> bool:
        return bool(self.coins or self.options)


def possible(trace: Trace, index: int) -> Changeable:
    """What a replay may change of an iteration: ``changeable`` with the page's names for things."""
    known, decisions = changeable(trace, index), trace.iterations[index].decisions

    def coin_name(coin: dict[str, Any]) -> str:
        token = decisions[coin["decision"] - 1].token
        return f"{coin['label'].partition(':')[0]}, {quoted_next(trace, token)}"

    def option_name(option: ChangeableOption) -> str:
        return LABELS.get(option["name"], option["name"].replace("_", " ").capitalize())

    return {
        "coins": [coin | {"label": coin_name(coin)} for coin in known["coins"]],
        "options": [option | {"label": option_name(option)} for option in known["options"]],
        "reason": known["reason"],
    }


def judged_again(trace: Trace, index: int, changes: Changes) -> Trace:
    """The trace with the iteration judged again. Raises SpecvizError, naming the argument, if the step has no such coin
    or option, a value is out of range, or the record is not complete enough."""
    known = changeable(trace, index)
    if known["reason"]:
        raise SpecvizError(known["reason"])
    _check_coins(trace, index, changes)
    names = [option["name"] for option in known["options"]]
    for name in changes.options:
        if name not in names:
            raise SpecvizError(
                f"option {as_given(name, 40)} has no effect on this verdict; "
                f"{', '.join(names) or 'none'} can be changed",
                argument=name,
                code="unknown_option",
            )
    return replay(trace, index, coins=changes.coins, **changes.options)


def _check_coins(trace: Trace, index: int, changes: Changes) -> None:
    labels = {coin["decision"]: coin["label"] for coin in possible(trace, index)["coins"]}
    for decision_index, uniform in changes.coins.items():
        if isinstance(uniform, bool) or not isinstance(uniform, int | float) or not 0 <= uniform <= 1:
            coin = labels.get(decision_index, f"coin of decision {decision_index}")
            comma = "," * ("," in coin)
            raise SpecvizError(
                f"The {coin}{comma} cannot be {as_given(uniform, 40)}: write a number from 0 to 1.",
                argument="coins",
            )


def replayed_view(trace: Trace, index: int, changes: Changes) -> ReplayAnswer:
    """What the page shows of a replay::

        {"payload": {...},                    # of views/story/scenes.py
         "said": "Replayed: coin of token 2 at 0.80 instead of 0.44. Recorded: 2 tokens; now: 4 tokens.",
         "recorded": [[[piece, origin], ...]], "now": ...,   # what it writes: one line, or one for each beam
         "coins": [...]}                      # of the replay, like those of ``possible``

    Raises what ``judged_again`` raises.
    """
    again = judged_again(trace, index, changes)
    before, after = trace.iterations[index], again.iterations[index]
    recorded, now = possible(trace, index), possible(again, index)
    changed = "; ".join(_told(recorded, now, changes)) or "nothing changed"
    new = int(after.notes.get("new_coins", 0))
    fresh = f" This needed {count(new, 'new coin')}, which the run's seed gave." if new else ""
    lines = _lines(trace, before), _lines(again, after)
    same = " What is written stays the same." if lines[0] == lines[1] else ""
    return {
        "payload": iteration_payload(again, index),
        "said": f"Replayed: {changed}. Recorded: {_amount(before)}; now: {_amount(after)}.{same}{fresh}",
        "recorded": lines[0],
        "now": lines[1],
        "coins": now["coins"],
    }


def _told(recorded: Changeable, now: Changeable, changes: Changes) -> Iterator[str]:
    """Every change in words, with what the record has."""
    old = {coin["decision"]: coin for coin in recorded["coins"]}
    new = {coin["decision"]: coin for coin in now["coins"]}
    for decision_index, uniform in sorted(changes.coins.items()):
        coin = new.get(decision_index) or old.get(decision_index) or {"label": f"coin of decision {decision_index}"}
        instead = (
            f"instead of {number(old[decision_index]['uniform'])}"
            if decision_index in old
            else "where the record flipped none"
        )
        yield f"{coin['label']} at {number(uniform)} {instead}"
    labels = {option["name"]: option for option in recorded["options"]}
    for name, value in changes.options.items():
        yield f"{labels[name].get('label', name)} {worded(value)} instead of {worded(labels[name]['value'])}"


def worded(value: Any) -> str:
    """An option's value as a reader sees it."""
    if value is None:
        return "off"
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


SHOWN_TOKENS = 8  # of the target's distribution, to choose one from


def places(trace: Trace, index: int) -> list[TokenPlace]:
    """Where in an iteration another token can be put, with the likeliest there as far as they are recorded."""
    iteration = trace.iterations[index]
    if iteration.steps is not None:
        return []
    found, prefix = list[TokenPlace](), -1
    for at, emitted in enumerate(iteration.emitted):
        target = iteration.forest.target.get(prefix) if iteration.forest and prefix is not None else None
        likeliest = []
        if target is not None:
            ranked = target.ranked(min(SHOWN_TOKENS, len(target))).tolist()
            likeliest = [(token, label(trace.vocabulary, token), exp(target.logprob(token))) for token in ranked]
        found.append({"at": at, "label": label(trace.vocabulary, emitted.token), "likeliest": likeliest})
        prefix = emitted.node
    return found


def _amount(iteration: Iteration) -> str:
    """``2 tokens``, or ``2 beams of 3 tokens``."""
    beams = len(iteration.beams)
    tokens = count(iteration.steps or 0 if beams else len(iteration.emitted), "token")
    return f"{count(beams, 'beam')} of {tokens}" if beams else tokens


def _lines(trace: Trace, iteration: Iteration) -> list[list[tuple[str, str | None]]]:
    """What an iteration writes, as [piece, origin] lines: its tokens, or the ends of its beams (no origin)."""
    if not iteration.beams:
        return [[(emitted_piece(trace, token), token.origin) for token in iteration.emitted]]
    steps = iteration.steps or 0
    return [[(piece(trace.vocabulary, token), None) for token in beam.tokens[-steps:]] for beam in iteration.beams]
