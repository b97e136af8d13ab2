"""Rooms of a class: the teacher's screen, which many follow, and a question with its tally.

A room lives in memory, while its teacher is there. Of a student it knows a random id, for as long as the student's page
listens, and one vote in the question on screen; both go with the page, nothing is written down.
"""

import math
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from specviz.errors import SpecvizError, as_given
from specviz.ui.messages.rooms import ClassMessage, ClassPoll, ClassScreen, ClassState
from specviz.ui.serving import limits

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # of codes: without vowels no code is a word, and none has an I or O to misread
CODE_LENGTH = 4
ENDED = "The class has ended."
TEACHER_LEFT = "The class has ended: its teacher has gone."
MAX_MOMENT = 1e6  # seconds
_QUERY = re.compile(r"[\w.~*+%&=-]*", re.ASCII)

Tell = Callable[[ClassMessage], None]


class _Pace:
    """At most so many a second."""

    def __init__(self, most: int):
        self._times: deque[float] = deque(maxlen=most)

    def allows(self, now: float) -> bool:
        """Whether one more is fine now; if so it is counted."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < 1:
            return False
        times.append(now)
        return True


@dataclass
class _Member:
    tell: Tell
    teaches: bool
    votes: _Pace = field(default_factory=lambda: _Pace(limits.MAX_VOTES_A_SECOND))


@dataclass
class _Poll:
    number: int
    question: str
    choices: list[str]
    shown: bool = False
    votes: dict[str, int] = field(default_factory=dict)  # member id -> choice, from 0

    def told(self) -> ClassPoll:
        counts = [list(self.votes.values()).count(at) for at in range(len(self.choices))]
        return {
            "number": self.number,
            "question": self.question,
            "choices": self.choices,
            "answered": len(self.votes),
            "tally": counts if self.shown else None,
        }


@dataclass
class _Room:
    code: str
    token: str
    opened: float
    alone: float | None  # since when no page of the teacher listens
    members: dict[str, _Member] = field(default_factory=dict)
    screen: ClassScreen | None = None
    poll: _Poll | None = None
    polls: int = 0
    screens: _Pace = field(default_factory=lambda: _Pace(limits.MAX_SCREENS_A_SECOND))

    @property
    def students(self) -> int:
        return sum(not member.teaches for member in self.members.values())

    def tell(self, message: ClassMessage, *, teacher_only: bool = False) -> None:
        for member in list(self.members.values()):
            if member.teaches or not teacher_only:
                member.tell(message)

    def state(self) -> ClassState:
        return {"kind": "room", "students": self.students, "poll": self.poll and self.poll.told()}

    def tell_state(self, *, teacher_only: bool = False) -> None:
        self.tell(self.state(), teacher_only=teacher_only)


class Rooms:
    """The rooms of a server. Safe to use from several threads.

    ``grace`` are the seconds that a room goes on without its teacher; ``clock`` gives seconds. Every method that takes
    a ``code`` raises SpecvizError (``gone``) where there is no such room; those that take a ``token``
    (``not_allowed``) where it is not the one that the room's maker got. What a page is told goes to the ``tell`` that
    it joined with, in order, by whoever causes it: it must neither wait nor fail.
    """

    def __init__(self, *, grace: float = limits.ROOM_GRACE_SECONDS, clock: Callable[[], float] = time.monotonic):
        self._grace = grace
        self._clock = clock
        self._rooms: dict[str, _Room] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._rooms)

    def open(self) -> tuple[str, str]:
        """A new room: its code, for everybody, and its token, for the teacher alone. Raises SpecvizError (``too_many``)
        when there are MAX_ROOMS."""
        with self._lock:
            self._tidy()
            if len(self._rooms) >= limits.MAX_ROOMS:
                text = f"This server has {limits.MAX_ROOMS} classes at most, and all are taken. Try again later."
                raise SpecvizError(text, code="too_many")
            code = _new_code()
            while code in self._rooms:
                code = _new_code()
            now = self._clock()
            room = _Room(code, secrets.token_urlsafe(24), opened=now, alone=now)
            self._rooms[code] = room
            return room.code, room.token

    def join(self, code: Any, tell: Tell, token: Any = None) -> str:
        """Come into a room, as its teacher with the ``token``; the id of the page there. ``tell`` gets everything from
        now on, first ``welcome``. Raises SpecvizError (``too_many``) when the room has MAX_MEMBERS."""
        with self._lock:
            room = self._room(code) if token is None else self._taught(code, token)
            if len(room.members) >= limits.MAX_MEMBERS:
                text = f"The class {room.code} is full: it has {limits.MAX_MEMBERS} pages."
                raise SpecvizError(text, code="too_many")
            name = secrets.token_urlsafe(12)
            teaches = token is not None
            room.members[name] = _Member(tell, teaches)
            if teaches:
                room.alone = None
            state = room.state()
            tell({**state, "kind": "welcome", "code": room.code, "member": name, "screen": room.screen})
            if not teaches:
                room.tell_state(teacher_only=True)
            return name

    def leave(self, code: str, member: str) -> None:
        """A page has gone, and its vote with it. Fine for one that is not there."""
        with self._lock:
            room = self._rooms.get(code)
            if room is None or room.members.pop(member, None) is None:
                return
            if not any(one.teaches for one in room.members.values()):
                room.alone = self._clock() if room.alone is None else room.alone
            if room.poll:
                room.poll.votes.pop(member, None)
            room.tell_state(teacher_only=not (room.poll and room.poll.shown))

    def publish(self, code: Any, token: Any, address: Any, moment: Any = None) -> None:
        """What the teacher's page shows: the query of its address, and the moment of a race that is played again, in
        seconds from 0 to MAX_MOMENT. Raises SpecvizError for other values, and (``too_many``) beyond
        MAX_SCREENS_A_SECOND."""
        with self._lock:
            room = self._taught(code, token)
            screen: ClassScreen = {"address": _address(address), "moment": _moment(moment)}
            if not room.screens.allows(self._clock()):
                most = limits.MAX_SCREENS_A_SECOND
                raise SpecvizError(f"A class is shown {most} screens a second at most.", code="too_many")
            room.screen = screen
            room.tell({"kind": "screen", "screen": screen})

    def ask(self, code: Any, token: Any, question: Any, choices: Any) -> None:
        """Ask the class a question, in place of the last one: 1 to MAX_QUESTION_CHARACTERS characters, and 2 to
        MAX_CHOICES choices of 1 to MAX_CHOICE_CHARACTERS. Raises SpecvizError for others."""
        with self._lock:
            room = self._taught(code, token)
            most = limits.MAX_CHOICES
            if not (isinstance(choices, list) and 2 <= len(choices) <= most):
                raise SpecvizError(f"choices must be 2 to {most} texts, got {as_given(choices)}", argument="choices")
            words = [_text("choices", one, limits.MAX_CHOICE_CHARACTERS) for one in choices]
            asked = _text("question", question, limits.MAX_QUESTION_CHARACTERS)
            room.polls += 1
            room.poll = _Poll(room.polls, asked, words)
            room.tell_state()

    def show(self, code: Any, token: Any) -> None:
        """Show everybody the tally of the question, from now on with every vote. Raises SpecvizError where none is."""
        with self._lock:
            room = self._taught(code, token)
            if room.poll is None:
                raise SpecvizError("There is no question whose tally could be shown: ask one first.", argument="do")
            room.poll.shown = True
            room.tell_state()

    def close(self, code: Any, token: Any) -> None:
        """Take the question away, and its votes."""
        with self._lock:
            room = self._taught(code, token)
            room.poll = None
            room.tell_state()

    def vote(self, code: Any, member: Any, poll: Any, choice: Any) -> None:
        """A student's answer to the question of this number: a choice from 0. The newest counts. Raises SpecvizError
        (``not_allowed``) for who is no student here, (``gone``) for a question that is over, for a choice that the
        question does not have, and (``too_many``) beyond MAX_VOTES_A_SECOND."""
        with self._lock:
            room = self._room(code)
            voter = room.members.get(member) if isinstance(member, str) else None
            if voter is None or voter.teaches:
                raise SpecvizError(
                    f"Only the students of the class {room.code} have a vote: join it first.",
                    argument="member",
                    code="not_allowed",
                )
            asked = room.poll
            if asked is None or type(poll) is not int or poll != asked.number:
                raise SpecvizError("This question is over.", argument="poll", code="gone")
            last = len(asked.choices) - 1
            if type(choice) is not int or not 0 <= choice <= last:
                raise SpecvizError(f"choice must be from 0 to {last}, got {as_given(choice)}", argument="choice")
            if not voter.votes.allows(self._clock()):
                most = limits.MAX_VOTES_A_SECOND
                raise SpecvizError(f"A student has {most} votes a second at most.", code="too_many")
            asked.votes[member] = choice
            room.tell_state(teacher_only=not asked.shown)

    def end(self, code: Any, token: Any) -> None:
        """End the class: everybody is told, and all of it is forgotten."""
        with self._lock:
            self._end(self._taught(code, token), ENDED)

    def tidy(self) -> None:
        """End the rooms whose teacher has been gone for ``grace`` seconds, and those open for MAX_ROOM_SECONDS. Whoever
        keeps a page informed asks for it now and then."""
        with self._lock:
            self._tidy()

    def _tidy(self) -> None:
        now = self._clock()
        for room in list(self._rooms.values()):
            if room.alone is not None and now - room.alone >= self._grace:
                self._end(room, TEACHER_LEFT)
            elif now - room.opened >= limits.MAX_ROOM_SECONDS:
                self._end(room, f"The class has ended: it lasted {limits.MAX_ROOM_SECONDS / 3600:.0f} hours.")

    def _end(self, room: _Room, text: str) -> None:
        del self._rooms[room.code]
        room.tell({"kind": "ended", "text": text})

    def _room(self, code: Any) -> _Room:
        self._tidy()
        room = self._rooms.get(code.upper()) if isinstance(code, str) else None
        if room is None:
            text = f"There is no class {as_given(code, 20)} on this server, or no longer: "
            raise SpecvizError(f"{text}a code has {CODE_LENGTH} letters.", argument="code", code="gone")
        return room

    def _taught(self, code: Any, token: Any) -> _Room:
        room = self._room(code)
        if not (isinstance(token, str) and secrets.compare_digest(token.encode(errors="replace"), room.token.encode())):
            text = f"Only who opened the class {room.code} may do this, with the token got for it."
            raise SpecvizError(text, argument="token", code="not_allowed")
        return room


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def _address(given: Any) -> str:
    most = limits.MAX_ADDRESS_CHARACTERS
    if not (isinstance(given, str) and len(given) <= most and _QUERY.fullmatch(given)):
        text = f"address must be the query of an address, up to {most} of A-Z a-z 0-9 _ . ~ * + % & = -, got "
        raise SpecvizError(text + as_given(given), argument="address")
    return given


def _moment(given: Any) -> float | None:
    if given is None:
        return None
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (number and 0 <= given <= MAX_MOMENT and math.isfinite(given)):
        text = f"moment must be seconds from 0 to {MAX_MOMENT:.0f}, or null, got {as_given(given)}"
        raise SpecvizError(text, argument="moment")
    return float(given)


def _text(name: str, given: Any, most: int) -> str:
    if not (isinstance(given, str) and given.strip() and len(given) <= most):
        raise SpecvizError(f"{name} must have 1 to {most} characters each, got {as_given(given)}", argument=name)
    return given
