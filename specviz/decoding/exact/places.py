"""The places of a rule that an enumeration went through: how deep it accepted, after how many guesses it rejected one,
the bonus, an accepted end token.

A distance says nothing of what was never run. Runs are counted here by what they wrote inside the horizon, token by
token; ``missing`` names what drafts of that depth can come to and did not.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from specviz.decoding.run.loop import Run

BONUS = "the token after a fully accepted draft"
END = "an accepted end token"
ROUNDING = 1e-6
"""Probability of an outcome that may be there because of rounding alone."""


def accepted(depth: int) -> str:
    """A guess was accepted at this depth, from 1."""
    return f"a guess accepted at depth {depth}"


def rejected(after: int) -> str:
    """The guess that follows ``after`` accepted ones was rejected."""
    return f"a rejection after {after} accepted"


@dataclass
class Places:
    """How many outcomes of enumerations reached each place (``counts``); ``depth`` is the most tokens that were drafted
    in a row, ``ends`` whether there are end tokens."""

    counts: Counter[str] = field(default_factory=Counter)
    depth: int = 0
    ends: bool = False

    def see(self, run: Run, before: int, probability: float, horizon: int) -> None:
        """Count one outcome, as far as the first ``horizon`` tokens go; its text began with ``before`` of them. One
        whose ``probability`` is rounding, as a coin of two equal probabilities has, is none."""
        if probability < ROUNDING:
            return
        self.ends |= bool(run.pair.end_tokens)
        self.depth = max(self.depth, *(iteration.depth for iteration in run.iterations))
        self.counts.update({*(_of_beams(run, horizon) if run.texts.history else _of_text(run, before, horizon))})

    @property
    def missing(self) -> tuple[str, ...]:
        """The places that such drafts have and that no outcome reached."""
        if not self.depth:
            return ()
        every = [accepted(depth) for depth in range(1, self.depth + 1)]
        every += [rejected(after) for after in range(self.depth)]
        every += [BONUS, *([END] if self.ends else [])]
        return tuple(place for place in every if not self.counts[place])


def _of_text(run: Run, before: int, horizon: int) -> Iterator[str]:
    """A token that was not a guess stands behind those accepted before it, of the iteration before where nothing is
    drawn at an iteration's end."""
    written, guesses = before, 0
    for iteration in run.iterations:
        for token in iteration.emitted:
            written += 1
            if written > horizon:
                return
            if token.origin == "accepted":
                guesses += 1
                yield accepted(guesses)
                if token.token in run.pair.end_tokens:
                    yield END
                continue
            if token.origin == "bonus" or (guesses and guesses == iteration.depth):
                yield BONUS
            elif iteration.depth:
                yield rejected(guesses)
            guesses = 0


def _of_beams(run: Run, horizon: int) -> Iterator[str]:
    """A layer that drafted beams filled counts as accepted; the last of an iteration is drawn."""
    grown = 0
    for iteration in run.iterations:
        layers = iteration.steps or 0
        full = layers if all(beam.finished for beam in iteration.beams) else layers - 1
        yield from (accepted(depth) for depth in range(1, full + 1) if grown + depth <= horizon)
        grown += layers
        if full < layers and grown <= horizon and iteration.depth:
            yield BONUS if full == iteration.depth else rejected(full)
    if run.stop == "end" and grown <= horizon:
        yield END
