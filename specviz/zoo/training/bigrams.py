"""The bigram table: how often each token followed each other one in the training text."""

from collections.abc import Iterable

import numpy as np

from specviz.lm.correlation import Correlation


def count_bigrams(streams: Iterable[np.ndarray], vocab_size: int) -> Correlation:
    """The correlation of adjacent tokens (slim.txt, Eq. 5) over token streams [n] each; every pair seen is kept.

    Pairs across the ends of documents count: the streams hold the end-of-text id between them.
    """
    seen = np.zeros(vocab_size**2, dtype=np.int64)
    for stream in streams:
        tokens = stream.astype(np.int64)
        seen += np.bincount(tokens[:-1] * vocab_size + tokens[1:], minlength=vocab_size**2)
    pairs = np.flatnonzero(seen)
    return Correlation.from_counts(pairs, seen[pairs], vocab_size)
