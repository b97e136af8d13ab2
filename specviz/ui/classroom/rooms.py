"""Rooms of a class: the teacher's screen, which many follow, and a question with its tally.

A room lives in memory for as long as its teacher is there. It knows of a student a random id of the page and one of the
browser, their network, and one vote on the current question. All of it goes with the page; nothing is stored.

What a stranger may try is limited for each network, which a whole school may share: open classes, newly opened ones,
pages in a class, wrong codes. A network that tried too many codes can still join the classes it already takes part in,
so nobody can lock a school out of its own. A teacher with the token always gets in. Whether a code belongs to a class
is told only to those who join; without a token or a place in the class the answer is the same for every code.
"""

import math
import re
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from specviz.errors import SpecvizError, as_given
from specviz.ui.classroom.room import Member, Poll, Room, SendMessage
from specviz.ui.messages.rooms import ClassScreen
from specviz.ui.serving import limits
from specviz.ui.serving.budget import NetworkRateLimit

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # of codes: without vowels no code is a word, and none has an I or O to misread
CODE_LENGTH = 6  # 64 million codes
ENDED = "The class has ended."
TEACHER_LEFT = "The class has ended: its teacher has gone."
MAX_MOMENT = 1e6  # seconds
_QUERY = re.compile(r"[\w.~*+%&=-]*", re.ASCII)


class Rooms:
    """The rooms of a server. Safe to use from several threads.

    ``grace`` are the seconds that a room goes on without its teacher; ``clock`` gives seconds. Every method that takes
    a ``token`` raises SpecvizError (``not_allowed``) where it is not the one that the maker of a room of this ``code``
    got. Messages for a page go to the ``tell`` that it joined with, in order, on the caller's thread: ``tell`` must
    neither block nor raise. A ``network`` is the caller's (``access.network_of``).
    """

    def __init__(self, *, grace: float = limits.ROOM_GRACE_SECONDS, clock: Callable[[], float] = time.monotonic):
        self._grace = grace
        self._clock = clock
        self._rooms: dict[str, Room] = {}
        self._openings = NetworkRateLimit(limits.MAX_OPENED_ROOMS, limits.ROOM_OPENING_SECONDS, clock)
        self._wrong_codes = NetworkRateLimit(limits.MAX_WRONG_CODES, limits.WRONG_CODE_SECONDS, clock)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._rooms)

    def open(self, network: str = "") -> tuple[str, str]:
        """A new room: its code, for everybody, and its token, for the teacher alone. Raises SpecvizError (``too_many``)
        when there are MAX_ROOMS, MAX_ROOMS_OF_NETWORK of the network's, or it opened too many one after the other."""
        with self._lock:
            self._tidy()
            if len(self._rooms) >= limits.MAX_ROOMS:
                text = f"This server has {limits.MAX_ROOMS} classes at most, and all are taken. Try again later."
                raise SpecvizError(text, code="too_many")
            if sum(room.network == network for room in self._rooms.values()) >= limits.MAX_ROOMS_OF_NETWORK:
                text = (
                    f"Your network has {limits.MAX_ROOMS_OF_NETWORK} classes here, and no more can be: end one first."
                )
                raise SpecvizError(text, code="too_many")
            if not self._openings.allows(network):
                text = "Your network opened many classes one after the other. Try again in half a minute."
                raise SpecvizError(text, code="too_many")
            self._openings.spend(network)
            code = _new_code()
            while code in self._rooms:
                code = _new_code()
            now = self._clock()
            room = Room(code, secrets.token_urlsafe(24), network, opened=now, alone=now)
            self._rooms[code] = room
            return room.code, room.token

    def join(
        self, code: Any, tell: SendMessage, token: Any = None, *, network: str = "", browser: str | None = None
    ) -> str:
        """Come into a room, as its teacher with the ``token``; the id of the page there. ``tell`` gets everything from
        now on, first ``welcome``. The pages of one ``browser`` have one vote together (None: this one has its own).

        A teacher always finds a place. Raises SpecvizError for students: ``gone`` where there is no such room;
        ``too_many`` after MAX_WRONG_CODES of the network, or when the room has MAX_STUDENTS, or
        MAX_STUDENTS_OF_NETWORK of the network's."""
        with self._lock:
            teaches = token is not None
            room = self._taught(code, token) if teaches else self._attended(code, network)
            name = secrets.token_urlsafe(12)
            room.add(name, Member(tell, teaches, network, browser or name))
            if teaches:
                room.alone = None
            state = room.state()
            tell({**state, "kind": "welcome", "code": room.code, "member": name, "screen": room.screen})
            if not teaches:
                room.tell_state(teacher_only=True)
            return name

    def leave(self, code: str, member: str) -> None:
        """Remove a page, and its vote. Does nothing for one that is not there."""
        with self._lock:
            room = self._rooms.get(code)
            if room is None or not room.remove(member):
                return
            if not room.teachers:
                room.alone = self._clock() if room.alone is None else room.alone
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

    def ask(self, code: Any, token: Any, question: Any, choices: Any, right: Any, about: Any) -> None:
        """Ask the class a question, in place of the last one: 1 to MAX_QUESTION_CHARACTERS characters, and 2 to
        MAX_CHOICES choices of 1 to MAX_CHOICE_CHARACTERS; ``right`` is the number of one of them, from 0, and ``about``
        the query of the address where its evidence is. Raises SpecvizError for others."""
        with self._lock:
            room = self._taught(code, token)
            most = limits.MAX_CHOICES
            if not (isinstance(choices, list) and 2 <= len(choices) <= most):
                raise SpecvizError(f"choices must be 2 to {most} texts, got {as_given(choices)}", argument="choices")
            words = [_text("choices", choice, limits.MAX_CHOICE_CHARACTERS) for choice in choices]
            text = _text("question", question, limits.MAX_QUESTION_CHARACTERS)
            right, about = _choice("right", right, len(words)), _address(about)
            room.polls += 1
            room.poll = Poll(room.polls, text, words, right, about)
            room.tell_state()

    def show(self, code: Any, token: Any) -> None:
        """Show everybody the tally of the question and keep it up to date. Raises SpecvizError if no question is
        asked."""
        with self._lock:
            room = self._taught(code, token)
            _asked_in(room).shown = True
            room.tell_state()

    def answer(self, code: Any, token: Any) -> None:
        """Show everybody the right choice and the tally, and take no more votes. Raises SpecvizError if no question is
        asked."""
        with self._lock:
            room = self._taught(code, token)
            poll = _asked_in(room)
            poll.shown = poll.answered = True
            room.tell_state()

    def close(self, code: Any, token: Any) -> None:
        """Remove the question and its votes."""
        with self._lock:
            room = self._taught(code, token)
            room.poll = None
            room.tell_state()

    def vote(self, code: Any, member: Any, poll: Any, choice: Any) -> None:
        """A student's answer to the question of this number: a choice from 0. The newest of a browser counts. Raises
        SpecvizError (``not_allowed``) for who is no student there, (``gone``) for a question that is over or whose
        answer has been shown, for a choice that the question does not have, and (``too_many``) beyond
        MAX_VOTES_A_SECOND."""
        with self._lock:
            room = self._found(code)
            voter = room.members.get(member) if room and isinstance(member, str) else None
            if room is None or voter is None or voter.teaches:
                raise SpecvizError(
                    f"Only the students of a class have a vote: join the class {as_given(code, 20)} first, if there is "
                    "one.",
                    argument="member",
                    code="not_allowed",
                )
            open_poll = room.poll
            if open_poll is None or type(poll) is not int or poll != open_poll.number:
                raise SpecvizError("This question is over.", argument="poll", code="gone")
            if open_poll.answered:
                raise SpecvizError("The answer has been shown: no more votes are taken.", argument="poll", code="gone")
            choice = _choice("choice", choice, len(open_poll.choices))
            if not voter.votes.allows(self._clock()):
                most = limits.MAX_VOTES_A_SECOND
                raise SpecvizError(f"A student has {most} votes a second at most.", code="too_many")
            open_poll.votes[voter.browser] = choice
            room.tell_state(teacher_only=not open_poll.shown)

    def end(self, code: Any, token: Any) -> None:
        """End the class: tell everybody, and forget it."""
        with self._lock:
            self._end(self._taught(code, token), ENDED)

    def tidy(self) -> None:
        """End the rooms whose teacher has been gone for ``grace`` seconds, and those open for MAX_ROOM_SECONDS. Called
        now and then by the streams of the pages."""
        with self._lock:
            self._tidy()

    def _tidy(self) -> None:
        now = self._clock()
        for room in list(self._rooms.values()):
            if room.alone is not None and now - room.alone >= self._grace:
                self._end(room, TEACHER_LEFT)
            elif now - room.opened >= limits.MAX_ROOM_SECONDS:
                self._end(room, f"The class has ended: it lasted {limits.MAX_ROOM_SECONDS / 3600:.0f} hours.")

    def _end(self, room: Room, text: str) -> None:
        del self._rooms[room.code]
        room.tell({"kind": "ended", "text": text})

    def _found(self, code: Any) -> Room | None:
        self._tidy()
        return self._rooms.get(code.upper()) if isinstance(code, str) else None

    def _attended(self, code: Any, network: str) -> Room:
        """The room that a student may come into."""
        room = self._found(code)
        if not (room and room.is_known_in(network)) and not self._wrong_codes.allows(network):
            text = "Too many wrong codes came from your network: check the code, and try again in a minute."
            raise SpecvizError(text, argument="code", code="too_many")
        if room is None:
            self._wrong_codes.spend(network)
            text = f"There is no class {as_given(code, 20)} here, or it has ended. A code is {CODE_LENGTH} letters"
            raise SpecvizError(f"{text}: check it on the teacher's screen.", argument="code", code="gone")
        own, most = room.students_of(network), limits.MAX_STUDENTS_OF_NETWORK
        if own >= most:
            text = f"The class {room.code} has {most} pages of students from your network, and no more can be."
            raise SpecvizError(text, code="too_many")
        if room.students >= limits.MAX_STUDENTS:
            text = f"The class {room.code} is full: it has {limits.MAX_STUDENTS} pages of students."
            raise SpecvizError(text, code="too_many")
        return room

    def _taught(self, code: Any, token: Any) -> Room:
        """The room, for its teacher: checks the token."""
        room = self._found(code)
        offered = token.encode(errors="replace") if isinstance(token, str) else b""
        if room is None or not secrets.compare_digest(offered, room.token.encode()):
            text = f"Only who opened the class {as_given(code, 20)} may do this, while it lasts, by its token."
            raise SpecvizError(text, argument="token", code="not_allowed")
        return room


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def _address(value: Any) -> str:
    most = limits.MAX_ADDRESS_CHARACTERS
    if not (isinstance(value, str) and len(value) <= most and _QUERY.fullmatch(value)):
        text = f"address must be the query of an address, up to {most} of A-Z a-z 0-9 _ . ~ * + % & = -, got "
        raise SpecvizError(text + as_given(value), argument="address")
    return value


def _asked_in(room: Room) -> Poll:
    if room.poll is None:
        raise SpecvizError("The class has not been asked a question: ask one first.", argument="do")
    return room.poll


def _choice(name: str, value: Any, choices: int) -> int:
    if type(value) is not int or not 0 <= value < choices:
        raise SpecvizError(f"{name} must be from 0 to {choices - 1}, got {as_given(value)}", argument=name)
    return value


def _moment(value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 <= value <= MAX_MOMENT and math.isfinite(value)):
        text = f"moment must be seconds from 0 to {MAX_MOMENT:.0f}, or null, got {as_given(value)}"
        raise SpecvizError(text, argument="moment")
    return float(value)


def _text(name: str, value: Any, most: int) -> str:
    if not (isinstance(value, str) and value.strip() and len(value) <= most):
        raise SpecvizError(f"{name} must have 1 to {most} characters each, got {as_given(value)}", argument=name)
    return value
