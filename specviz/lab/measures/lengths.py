"""Draft lengths: speculative decoding with every fixed gamma and with ``auto``, which chooses as it goes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from specviz.decoding.run.loop import decode
from specviz.lab.bench.statistics import Estimate, estimate
from specviz.lab.prompts import PROMPTS
from specviz.lm.pair import ModelPair

AUTO = "auto"
FIXED = (1, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class LengthSpeed:
    """Tokens a second on the prompts of a ``domain`` with drafts of ``gamma`` tokens: one number a round."""

    domain: str
    gamma: int | str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Over the rounds."""
        return median(self.rounds)


def length_speeds(pair: ModelPair, rounds: int, tokens: int) -> Iterator[LengthSpeed]:
    """Every speed, by the runs' own clocks. Within a round all lengths take turns on each prompt, with one seed."""
    gammas = (AUTO, *FIXED)
    for domain in dict.fromkeys(prompt.domain for prompt in PROMPTS):
        texts = [prompt.text for prompt in PROMPTS if prompt.domain == domain]
        speeds: dict[int | str, list[float]] = {gamma: [] for gamma in gammas}
        for seed in range(rounds):
            written, seconds = dict.fromkeys(gammas, 0), dict.fromkeys(gammas, 0.0)
            for turn, text in enumerate(texts):
                first = (seed + turn) % len(gammas)
                for gamma in (*gammas[first:], *gammas[:first]):
                    settings = {"max_new_tokens": tokens, "seed": seed, "record": False}
                    metrics = decode(pair, "speculative", text, gamma=gamma, **settings).metrics
                    written[gamma] += metrics.tokens
                    seconds[gamma] += metrics.seconds
            for gamma in gammas:
                speeds[gamma].append(written[gamma] / seconds[gamma])
        yield from (LengthSpeed(domain, gamma, tuple(found)) for gamma, found in speeds.items())


def auto_over_best(speeds: Sequence[LengthSpeed]) -> tuple[int | str, Estimate]:
    """Of one domain: the fixed length that is fastest, and how many times as fast ``auto`` is, round by round."""
    (auto,) = (speed for speed in speeds if speed.gamma == AUTO)
    best = max((speed for speed in speeds if speed.gamma != AUTO), key=lambda speed: speed.median)
    return best.gamma, estimate([own / other for own, other in zip(auto.rounds, best.rounds, strict=True)])
