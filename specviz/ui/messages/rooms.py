"""A class: its screen, its questions, and what is told to teacher and students."""

from typing import Literal, TypedDict


class ClassScreen(TypedDict):
    """What a class looks at."""

    address: str
    """The query of the teacher's address."""
    moment: float | None
    """Of a race that is played again, in seconds on its axis."""


class ClassPoll(TypedDict):
    """A question to a class."""

    number: int
    """From 1, of the questions of this class."""
    question: str
    choices: list[str]
    about: str
    """The query of the address where its evidence is."""
    votes: int
    tally: list[int] | None
    """Votes by choice; null until the teacher shows them."""
    right: int | None
    """The right choice, from 0; null until the teacher shows it."""


class ClassWelcome(TypedDict):
    """The first message to a page that joins a class."""

    kind: Literal["welcome"]
    code: str
    member: str
    """The id that votes are made with, for as long as this page listens."""
    students: int
    screen: ClassScreen | None
    poll: ClassPoll | None


class ClassMoved(TypedDict):
    """The teacher looks at something else."""

    kind: Literal["screen"]
    screen: ClassScreen


class ClassState(TypedDict):
    """Who is there, and what is asked."""

    kind: Literal["room"]
    students: int
    poll: ClassPoll | None


class ClassEnded(TypedDict):
    """The last message."""

    kind: Literal["ended"]
    text: str


ClassMessage = ClassWelcome | ClassMoved | ClassState | ClassEnded


class OpenedClass(TypedDict):
    """A new class."""

    code: str
    token: str
    """For the teacher's page alone."""
    address: str
    """Where students join; where no phone can, the page on this machine itself."""
    picture: str
    """The same as a QR picture, a data URI; empty where no phone could open it."""
    unreachable: str
    """Why no phone can open it, in a sentence; empty where one can."""
    restart: str
    """The command that starts the server so that phones can; empty where there is none."""
