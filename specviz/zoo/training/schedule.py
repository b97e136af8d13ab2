"""Time budgets, and the learning rate and window length that follow from them.

Schedules run on the share of the time budget that is used, so the same plan fits a laptop and a GPU.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Stage:
    """One stretch of training on one model."""

    name: str
    minutes: float
    batch_tokens: int
    lengths: tuple[tuple[float, int], ...]  # (share of the stage from which it holds, window length)
    warm_steps: int
    decay_from: float  # share of the stage at which the linear decay to ``floor`` starts; 1 = no decay
    peak: float = 1.0  # the highest rate factor
    floor: float = 0.0  # the last one

    def length(self, share: float) -> int:
        """Window length at ``share`` (0 to 1) of the stage."""
        return [length for start, length in self.lengths if share >= start][-1]

    def rate(self, share: float, step: int) -> float:
        """Learning-rate factor: linear warm-up by steps, stable, linear decay by time."""
        warm = min(1.0, (step + 1) / self.warm_steps)
        decay = 1.0 if share < self.decay_from else max(0.0, (1.0 - share) / (1.0 - self.decay_from))
        return warm * (self.floor + (self.peak - self.floor) * decay)


ANEW = {"shallow": 0.25, "deep": 0.20, "polish": 0.04, "distil": 0.15, "small": 0.15, "heads": 0.18, "rollouts": 0.03}
FURTHER = {"further": 0.54, "polish": 0.11, "distil": 0.16, "small": 0.06, "heads": 0.10, "rollouts": 0.03}
POLISH_RATE = 0.2  # at which the last stretch of the target's training takes over
LENGTHS = ((0.0, 256), (0.4, 512), (0.9, 1024))  # of the drafts' windows


@dataclass(frozen=True)
class Budget:
    """Minutes for the whole command, split over its stages; ``learned``: all models were trained before."""

    minutes: float
    learned: bool = False

    def _stage(self, name: str, *details, **more) -> Stage:
        return Stage(name, self._minutes(name), *details, **more)

    def _minutes(self, name: str) -> float:
        return self.minutes * (FURTHER if self.learned else ANEW)[name]

    @property
    def shallow(self) -> Stage:
        """Four layers: the cheapest tokens come first."""
        return self._stage("shallow", 16 * 256, ((0.0, 256),), warm_steps=60, decay_from=1.0)

    @property
    def deep(self) -> Stage:
        """The grown model: stable, then decay with ever longer windows up to the context."""
        return self._whole("deep")

    @property
    def further(self) -> Stage:
        """A target that was trained before, at full depth from the start."""
        return replace(self._whole("further"), peak=0.7)

    def _whole(self, name: str) -> Stage:
        lengths = ((0.0, 256), (0.60, 512), (0.85, 1024))
        return self._stage(name, 16 * 256, lengths, warm_steps=20, decay_from=0.25, floor=POLISH_RATE)

    @property
    def polish(self) -> Stage:
        """The last stretch of the decay, on a mixture with more of what takes longest: copying names into queries."""
        lengths = ((0.0, 512), (0.6, 1024))
        return self._stage("polish", 16 * 256, lengths, warm_steps=20, decay_from=0.0, peak=POLISH_RATE)

    @property
    def full(self) -> Stage:
        """The whole target at full depth from the start, in large batches, in the time of shallow and deep: for a
        GPU."""
        minutes = self._minutes("shallow") + self._minutes("deep")
        return Stage(
            "full", minutes, 64 * 512, ((0.0, 512), (0.80, 1024)), warm_steps=100, decay_from=0.45, floor=POLISH_RATE
        )

    @property
    def distil(self) -> Stage:
        """The draft learns the target's full distribution."""
        return self._draft("distil")

    @property
    def small(self) -> Stage:
        """The second, smaller draft learns the same."""
        return self._draft("small")

    def _draft(self, name: str) -> Stage:
        peak = 0.6 if self.learned else 1.0
        return self._stage(name, 16 * 256, LENGTHS, warm_steps=60, decay_from=0.4, peak=peak)

    @property
    def heads(self) -> Stage:
        """The prediction heads, on the target as it is."""
        return self._stage("heads", 8 * 512, ((0.0, 512),), warm_steps=20, decay_from=0.3, peak=0.5)

    @property
    def rollouts(self) -> float:
        """Minutes of drafting and judging, from which the decision models learn."""
        return self._minutes("rollouts")
