"""The bigram table: how often each token followed each other one in the training text."""

from collections.abc import Iterable

import numpy as np

from specviz.lm.parts.correlation import Correlation


def count_bigrams(streams: Iterable[np.ndarray], vocab_size: int) -> Correlation:
    """The correlation of adjacent tokens (slim.txt, Eq. 5) over token streams [n] each; every pair seen is kept.

    Pairs across the ends of documents count: the streams hold the end-of-text id between them.
    """
    tokens = [stream.astype(np.int64) for stream in streams]
    seen = np.concatenate([stream[:-1] * vocab_size + stream[1:] for stream in tokens])
    return Correlation.from_counts(*np.unique(seen, return_counts=True), vocab_size)


def followers(stream: np.ndarray, vocab_size: int) -> np.ndarray:
    """int64 [vocab_size]: the token that most often followed each one in a stream [n]; 0 for those never seen."""
    before, after = stream[:-1].astype(np.int64), stream[1:].astype(np.int64)
    pairs, counts = np.unique(before * vocab_size + after, return_counts=True)
    likeliest = np.zeros(vocab_size, dtype=np.int64)
    order = np.argsort(counts, kind="stable")  # a later entry overwrites one of fewer counts
    likeliest[pairs[order] // vocab_size] = pairs[order] % vocab_size
    return likeliest
