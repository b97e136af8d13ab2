"""Runs that left others: where, what was changed there, and what came of it. Read from the traces alone."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from specviz.facts.prefix_names import phrase
from specviz.facts.tokens import count, number, quoted
from specviz.trace.record import Branch, Trace
from specviz.ui.catalog import LABELS
from specviz.ui.pages.changes import possible, worded
from specviz.views.race.race_types import ForkView, LaneView, RaceMessage
from specviz.views.race.race_view import race_view

MEETING = 4  # tokens in a row that two texts must share to meet again


def forked_view(run: str, state: str, lanes: Sequence[LaneView | None], traces: Sequence[Trace] = ()) -> RaceMessage:
    """``race_view`` with where lanes leave others."""
    there = (number for number, lane in enumerate(lanes) if lane is not None)
    forks = fork_views(dict(zip(there, traces, strict=False)), settled=state != "running")
    return race_view(run, state, lanes, traces, forks)


def fork_views(lanes: Mapping[int, Trace], *, settled: bool) -> list[ForkView]:
    """A fork for each lane, by number, that left another one of them; ``settled``: all are written."""
    found = list[ForkView]()
    for lane, trace in lanes.items():
        for of in range(lane):
            if of in lanes and _left(trace, lanes[of]):
                left, parent = trace.header.branches[-1], lanes[of]
                name, whose = f"branch {len(found) + 1}", _name(found, of)
                said = f"{_parting(name, whose, left, trace, parent)} {_pace(name, whose, left, trace, parent)}"
                fork: ForkView = {
                    "name": name,
                    "lane": lane,
                    "of": of,
                    "position": left.position,
                    "change": "",
                    "said": "",
                }
                fork["change"] = change_words(left, trace, parent)
                fork["said"] = said[0].upper() + said[1:] if settled else ""
                found.append(fork)
                break
    return found


def _name(found: list[ForkView], lane: int) -> str:
    """What a lane is called in a sentence."""
    return next((fork["name"] for fork in found if fork["lane"] == lane), "the record")


def _left(trace: Trace, parent: Trace) -> bool:
    """Whether a run left this one."""
    header, other = trace.header, parent.header
    if not header.branches or header.prompt_tokens != other.prompt_tokens:
        return False
    *before, left = header.branches
    known = [branch for branch in other.branches if branch.iteration <= left.iteration]
    start = max(0, left.iteration - 1)
    return known == before and trace.iterations[:start] == parent.iterations[:start]


def change_words(left: Branch, trace: Trace, parent: Trace) -> str:
    """What was changed, in a few words: ``coin of token 2: 0.44 → 0.91``, ``by hand: “ queen”``."""
    words = []
    if left.coins:
        old = {coin["decision"]: coin for coin in possible(parent, left.iteration)["coins"]}
        new = {coin["decision"]: coin for coin in possible(trace, left.iteration)["coins"]}
        for decision, uniform in sorted(left.coins.items()):
            coin = new.get(decision) or old.get(decision)
            before = f"{number(old[decision]['uniform'])} → " if decision in old else ""
            words.append(f"{coin.get('label') if coin else f'coin {decision}'}: {before}{number(uniform)}")
    for name, before in left.before.items():
        now = worded(trace.header.options.get(name))
        words.append(f"{LABELS.get(name, name.replace('_', ' '))}: {worded(before)} → {now}")
    if left.by_hand:
        words.append(f"by hand: {phrase(trace.vocabulary, left.by_hand)}")
    return "; ".join(words) or "other chance from here on"


def _parting(name: str, whose: str, left: Branch, trace: Trace, parent: Trace) -> str:
    """Where two texts part and whether they meet again."""
    ours, theirs = trace.tokens, parent.tokens
    both = min(len(ours), len(theirs))
    part = next((at for at in range(left.position, both) if ours[at] != theirs[at]), both)
    if part == both:
        return f"{name} says the same as {whose} for all of its {count(both, 'token')}."
    words = quoted(trace.vocabulary, ours[part]), quoted(parent.vocabulary, theirs[part])
    apart = f"{name} parts from {whose} at token {part + 1}: {words[0]} in place of {words[1]}"
    rest, other = ours[part:], theirs[part:]
    same = SequenceMatcher(None, rest, other, autojunk=False).find_longest_match()
    if same.size < MEETING:
        return f"{apart}. The texts do not meet again."
    shared = phrase(trace.vocabulary, rest[same.a : same.a + same.size])
    return f"{apart}. They meet again for {count(same.size, 'token')}: {shared}."


def _pace(name: str, whose: str, left: Branch, trace: Trace, parent: Trace) -> str:
    """How many tokens a target call gave from the fork on."""
    ours, theirs = _tokens_a_call(trace, left.iteration), _tokens_a_call(parent, left.iteration)
    if ours is None or theirs is None:
        return ""
    return f"From the fork on a target call gives {ours:.2f} tokens in {name}, {theirs:.2f} in {whose}."


def _tokens_a_call(trace: Trace, start: int) -> float | None:
    rest = trace.iterations[start:]
    calls = sum(call.role == "target" for iteration in rest for call in iteration.calls)
    own = sum(token.origin != "hand" for iteration in rest for token in iteration.emitted)
    return own / calls if calls else None
