"""The state of one class: its pages, the screen, and the question with its votes."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from specviz.ui.messages.rooms import ClassMessage, ClassPoll, ClassScreen, ClassState
from specviz.ui.serving import limits

MOVED = "The class goes on in other pages of its teacher."

SendMessage = Callable[[ClassMessage], None]


class RateLimit:
    """At most ``most`` events a second."""

    def __init__(self, most: int):
        self._times: deque[float] = deque(maxlen=most)

    def allows(self, now: float) -> bool:
        """Whether one more is allowed now; if so, counts it."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < 1:
            return False
        times.append(now)
        return True


@dataclass
class Member:
    """A page of the class. ``browser`` has the vote, ``network`` is where it is."""

    tell: SendMessage
    teaches: bool
    network: str
    browser: str
    votes: RateLimit = field(default_factory=lambda: RateLimit(limits.MAX_VOTES_A_SECOND))


@dataclass
class Poll:
    """A question ``about`` a place (the query of an address), with its ``right`` choice, from 0; ``votes`` are choices
    by browser. ``shown``: how many chose what; ``answered``: the right one, too, and no vote is taken any more."""

    number: int
    question: str
    choices: list[str]
    right: int
    about: str
    shown: bool = False
    answered: bool = False
    votes: dict[str, int] = field(default_factory=dict)

    def told(self) -> ClassPoll:
        """What pages may know of it: tally and right choice only once they are shown."""
        counts = Counter(self.votes.values())
        return {
            "number": self.number,
            "question": self.question,
            "choices": self.choices,
            "about": self.about,
            "votes": len(self.votes),
            "tally": [counts[at] for at in range(len(self.choices))] if self.shown else None,
            "right": self.right if self.answered else None,
        }


@dataclass
class Room:
    """A class, opened from ``network``; ``alone``: since when it has had no page of its teacher."""

    code: str
    token: str
    network: str
    opened: float
    alone: float | None
    members: dict[str, Member] = field(default_factory=dict)
    screen: ClassScreen | None = None
    poll: Poll | None = None
    polls: int = 0
    screens: RateLimit = field(default_factory=lambda: RateLimit(limits.MAX_SCREENS_A_SECOND))

    @property
    def students(self) -> int:
        """The number of students' pages."""
        return sum(not member.teaches for member in self.members.values())

    @property
    def teachers(self) -> list[str]:
        """The teacher's pages, oldest first."""
        return [name for name, member in self.members.items() if member.teaches]

    def students_of(self, network: str) -> int:
        """The number of students' pages in one network."""
        return sum(not member.teaches and member.network == network for member in self.members.values())

    def is_known_in(self, network: str) -> bool:
        """Whether the class was opened from this network or has pages in it."""
        return network == self.network or any(member.network == network for member in self.members.values())

    def add(self, name: str, member: Member) -> None:
        """Add a page. Of the teacher's pages the newest MAX_TEACHER_PAGES stay."""
        self.members[name] = member
        for oldest in self.teachers[: -limits.MAX_TEACHER_PAGES]:
            self.members.pop(oldest).tell({"kind": "ended", "text": MOVED})

    def remove(self, name: str) -> bool:
        """Remove a page, and with the last page of a browser its vote. Returns whether it was there."""
        gone = self.members.pop(name, None)
        if gone and self.poll and all(member.browser != gone.browser for member in self.members.values()):
            self.poll.votes.pop(gone.browser, None)
        return gone is not None

    def tell(self, message: ClassMessage, *, teacher_only: bool = False) -> None:
        """Send a message to every page, or to the teacher's alone."""
        for member in list(self.members.values()):
            if member.teaches or not teacher_only:
                member.tell(message)

    def state(self) -> ClassState:
        """The numbers present, and the question."""
        return {"kind": "room", "students": self.students, "poll": self.poll and self.poll.told()}

    def tell_state(self, *, teacher_only: bool = False) -> None:
        """Send the state."""
        self.tell(self.state(), teacher_only=teacher_only)
