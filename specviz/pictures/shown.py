"""How a decision is shown: the moment at which it is made, its words and its pictures."""

from typing import Any, NamedTuple

from specviz.facts.tokens import quoted
from specviz.pictures.shapes import Picture
from specviz.trace.record import Iteration, Trace


class Telling(NamedTuple):
    """The words of one scene, all plain text."""

    title: str
    sentence: str
    formula: str


class Shown(NamedTuple):
    """What a rule shows of one decision: its words and, by panel, a picture with its key."""

    telling: Telling
    panels: dict[str, tuple[str, Picture]]


class Moment(NamedTuple):
    """One decision of an iteration, the ``decision_index``-th, counted from 1."""

    trace: Trace
    iteration: Iteration
    decision_index: int

    @property
    def decision(self) -> Any:
        """The decision itself."""
        return self.iteration.decisions[self.decision_index - 1]

    @property
    def made(self) -> tuple[Any, ...]:
        """All decisions up to this one."""
        return self.iteration.decisions[: self.decision_index]

    @property
    def said(self) -> dict[str, str]:
        """The method's texts by phase."""
        return self.trace.header.method.texts

    @property
    def tests(self) -> list[Any]:
        """The decisions of the same rule up to this one."""
        return [decision for decision in self.made if decision.rule == self.decision.rule]

    @property
    def total(self) -> int:
        """How many decisions of the same rule the iteration has."""
        return sum(decision.rule == self.decision.rule for decision in self.iteration.decisions)

    @property
    def token(self) -> str:
        """The token that the decision is about, quoted."""
        return quoted(self.trace.vocabulary, self.decision.token)

    @property
    def reason(self) -> str:
        """What the method says of a guess, or a prefix, that came out as this one did."""
        return self.said.get("accept" if self.decision.passed else "reject", "")

    def option(self, name: str) -> float | None:
        """A numeric option of the run; None where it has none of that name."""
        value = self.trace.header.options.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def join(*sentences: str) -> str:
    """Sentences in a row, empty ones left out."""
    return " ".join(sentence for sentence in sentences if sentence)


class Views:
    """What is shown of the decisions of one iteration; of each it is made once, when it is first asked for."""

    def __init__(self, trace: Trace, iteration: Iteration):
        self._trace, self._iteration = trace, iteration
        self._made: dict[int, Shown] = {}

    def of(self, decision_index: int) -> Shown:
        """The words and pictures of the decision with this number, counted from 1."""
        if decision_index not in self._made:
            moment = Moment(self._trace, self._iteration, decision_index)
            self._made[decision_index] = moment.decision.show(moment)
        return self._made[decision_index]
