"""Do likelier texts answer better? Scores by perplexity, of several texts of a question (MTAD, Table 1).

Of a question's N scored texts, one for each seed, any n are as likely to be drawn. Sorted by perplexity, the i-th of
the N (from 1, the likeliest) has rank r among the n drawn with probability

    P(i, r) = C(i - 1, r - 1) C(N - i, n - r) / C(N, n),

r - 1 of the drawn before it and n - r behind it. So the expected score at rank r is sum over i of P(i, r) score(i),
exactly, without drawing; rank 1 is the best of n by perplexity. Texts of the same perplexity are in any order: each
counts with the mean score of all of them.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import comb
from operator import itemgetter

import numpy as np

from specviz.errors import OptionError
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import COVERAGE, SAMPLES, Estimate, Group, check_kinds, setting_of


@dataclass(frozen=True)
class Ranked:
    """Of a setting, on questions of ``category`` (None: all): the expected ``scores`` and ``perplexities`` of n texts
    of a question from the likeliest to the least likely, [n] each, both means over questions. Of ``questions`` these
    are; ``left_out`` have fewer than n texts with a score and a perplexity."""

    setting: str
    category: str | None
    kind: str
    scores: tuple[float, ...]
    perplexities: tuple[float, ...]
    questions: int
    left_out: int

    @property
    def best(self) -> float:
        """The expected score of the likeliest of n texts."""
        return self.scores[0]


def by_perplexity(rows: Iterable[Row], n: int, *, by_category: bool = False) -> list[Ranked]:
    """For every setting in the order of its first row (and every category), what ``n`` texts of a question score by
    perplexity. Settings without a question that has n texts are left out.

    Raises OptionError for n below 1, and for scores of several kinds in one setting (and category).
    """
    if n < 1:
        raise OptionError(f"n must be 1 or more, got {n}", argument="n")
    names, kinds = {}, defaultdict[object, set[str]](set)
    texts = defaultdict[object, dict[str, list[tuple[float, float]]]](lambda: defaultdict(list))
    for row in rows:
        if row.score is None or row.score_kind is None or row.metrics.perplexity is None:
            continue
        about = setting_of(row), row.category if by_category else None
        names[about] = row.setting, about[1]
        kinds[about].add(row.score_kind)
        texts[about][row.prompt].append((row.metrics.perplexity, row.score))
    found = []
    for about, (setting, category) in names.items():
        check_kinds(kinds[about], setting)
        ranked = [expected_by_rank(own, n) for own in texts[about].values() if len(own) >= n]
        if ranked:
            perplexities, scores = (tuple(map(float, mean)) for mean in np.mean(ranked, axis=0).T)
            left_out = len(texts[about]) - len(ranked)
            found.append(Ranked(setting, category, min(kinds[about]), scores, perplexities, len(ranked), left_out))
    return found


def expected_by_rank(texts: Iterable[tuple[float, float]], n: int) -> np.ndarray:
    """Expected perplexity and score at each rank among ``n`` of these texts, given by perplexity and score, drawn
    without replacement: [n, 2]."""
    ordered = []
    for perplexity, tied in groupby(sorted(texts), key=itemgetter(0)):
        scores = [score for _, score in tied]
        ordered += [(perplexity, sum(scores) / len(scores))] * len(scores)
    count = len(ordered)
    chances = [[comb(i, r) * comb(count - 1 - i, n - 1 - r) for i in range(count)] for r in range(n)]  # from 0
    return np.array([[chance / comb(count, n) for chance in row] for row in chances]) @ np.array(ordered)


def rank_gain(group: Group, rank: int, other: int, samples: int = SAMPLES, seed: int = 0) -> Estimate:
    """How much more texts of ``rank`` among all texts of a question are expected to score than those of the ``other``
    rank, counted from 1, the likeliest: -1 to 1, a mean over questions. ``group`` has the numbers score and perplexity.
    The interval draws questions anew; there is none with a single one."""
    scores = _scores(group)
    questions, most = scores.shape
    if max(rank, other) > most:
        return Estimate(None, None, None, most, questions)
    return _mean(scores[:, rank - 1] - scores[:, other - 1], most, samples, seed)


def rank_scores(group: Group, samples: int = SAMPLES, seed: int = 0) -> list[Estimate]:
    """What texts of each rank among all texts of a question are expected to score, from the likeliest: 0 to 1, means
    over questions with intervals like those of ``rank_gain``."""
    scores = _scores(group)
    return [_mean(own, scores.shape[1], samples, seed) for own in scores.T]


def _scores(group: Group) -> np.ndarray:
    """Expected scores by rank, of the questions that have the most texts: [questions, texts]."""
    texts = group.texts("perplexity", "score")
    most = max(map(len, texts), default=0)
    whole = [[(perplexity, score) for perplexity, score in own.tolist()] for own in texts if len(own) == most]
    return np.array([expected_by_rank(own, most)[:, 1] for own in whole]).reshape(len(whole), most)


def _mean(values: np.ndarray, texts: int, samples: int, seed: int) -> Estimate:
    means = np.random.default_rng(seed).choice(values, (samples, len(values))).mean(axis=1)
    tail = (1 - COVERAGE) / 2
    low, high = map(float, np.quantile(means, (tail, 1 - tail))) if len(values) > 1 else (None, None)
    return Estimate(float(values.mean()), low, high, texts, len(values))
