"""Quality against speed: the settings that no other beats in both, and how sure that is."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from specviz.errors import OptionError
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import SAMPLES, Group, Summary, check_kinds, grouped

Speed = Literal["tokens_per_second", "tokens_per_target_call"]
Quality = Literal["score", "perplexity"]


@dataclass(frozen=True)
class FrontPoint:
    """A setting, on prompts of its summaries' category: its ``speed``, higher is better, and its ``quality``, higher is
    better for a score, lower for a perplexity.

    ``on_front``: no other setting is at least as good in both and better in one, by their medians. ``share`` is that of
    the bootstrap's samples, of prompts and seeds together and the same for all settings, in which it is on the front;
    None where there are too few rounds or prompts for intervals.
    """

    speed: Summary
    quality: Summary
    on_front: bool
    share: float | None

    @property
    def setting(self) -> str:
        return self.speed.setting

    @property
    def category(self) -> str | None:
        return self.speed.category


def front(
    rows: Iterable[Row],
    speed: Speed = "tokens_per_second",
    quality: Quality = "score",
    *,
    by_category: bool = False,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[FrontPoint]:
    """A point for every setting in the order of its first row, with a front for all of them, or for each category.

    Only runs with a score count where ``quality`` is that; disturbed ones are left out of tokens per second. Settings
    without a run that has both are left out. Raises OptionError for another speed or quality, and for scores of several
    kinds on one front.
    """
    for name, value, allowed in (("speed", speed, get_args(Speed)), ("quality", quality, get_args(Quality))):
        if value not in allowed:
            raise OptionError(f"{name} must be among {', '.join(allowed)}, got {value!r}", argument=name)
    used = (row for row in rows if quality != "score" or row.score is not None)
    by_front = defaultdict[str | None, list[Group]](list)
    for group in grouped(used, (speed, quality), by_category=by_category):
        by_front[group.category].append(group)
    return [point for groups in by_front.values() for point in _points(groups, speed, quality, samples, seed)]


def not_beaten(speeds: np.ndarray, qualities: np.ndarray) -> np.ndarray:
    """Which settings are on the front, higher being better in both: [settings, ...], of each further index by itself.
    nan is on no front and beats nothing."""
    there = ~np.isnan(speeds) & ~np.isnan(qualities)
    unbeaten = []
    for own_speed, own_quality in zip(speeds, qualities, strict=True):
        as_good = (speeds >= own_speed) & (qualities >= own_quality)
        better = (speeds > own_speed) | (qualities > own_quality)
        unbeaten.append(~(as_good & better).any(axis=0))
    return np.array(unbeaten, dtype=bool).reshape(there.shape) & there


def _points(groups: list[Group], speed: str, quality: str, samples: int, seed: int) -> list[FrontPoint]:
    if quality == "score":
        check_kinds(set().union(*(group.kinds for group in groups)), "the front")
    estimates = [
        (group, group.summary(speed, samples, seed), group.summary(quality, samples, seed)) for group in groups
    ]
    estimates = [(group, *both) for group, *both in estimates if all(estimate.median is not None for estimate in both)]
    if not estimates:
        return []
    settings, speeds, qualities = zip(*estimates, strict=True)
    sign = -1 if quality == "perplexity" else 1
    medians = [np.array([[estimate.median] for estimate in of]) for of in (speeds, qualities)]
    on_front = not_beaten(medians[0], sign * medians[1])[:, 0]
    shares = [None] * len(settings)
    if all(estimate.low is not None for estimate in (*speeds, *qualities)):
        resampled = [
            np.array([group.resampled(metric, samples, seed) for group in settings]) for metric in (speed, quality)
        ]
        shares = map(float, not_beaten(resampled[0], sign * resampled[1]).mean(axis=1))
    points = zip(speeds, qualities, map(bool, on_front), shares, strict=True)
    return [FrontPoint(*point) for point in points]
