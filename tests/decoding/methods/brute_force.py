"""Whole decoders written again over tuples and dictionaries, without dice, sessions or forests: the parts they share.

A distribution is a dictionary {outcome: probability}, a model a function from a context (a tuple) to probabilities.
"""

from collections import defaultdict

import numpy as np


def warped(model, temperature=1.0, top_k=None):
    """A model whose probabilities went through the temperature and the top-k cut, in this order."""

    def distribution(context):
        probs = model(context) ** (1.0 / temperature)
        if top_k is not None:
            probs = np.where(probs >= np.sort(probs)[-top_k], probs, 0.0)
        return probs / probs.sum()

    return distribution


def sequences(model, context, length, ends=frozenset(), goes_on=lambda context: True):
    """The distribution of up to ``length`` tokens drawn in turn, none after an end token or where not ``goes_on``."""
    distribution, done = {(): 1.0}, defaultdict(float)
    for _ in range(length):
        grown = {}
        for drafted, probability in distribution.items():
            if (drafted and drafted[-1] in ends) or not goes_on((*context, *drafted)):
                done[drafted] += probability
                continue
            for token, q in enumerate(model((*context, *drafted))):
                if q > 0:
                    grown[(*drafted, token)] = probability * q
        distribution = grown
    for drafted, probability in distribution.items():
        done[drafted] += probability
    return dict(done)


def with_next(distribution, model, context, ends=frozenset()):
    """Each kept run of tokens, then one drawn from ``model``; nothing after an end token."""
    longer = defaultdict(float)
    for kept, probability in distribution.items():
        if kept and kept[-1] in ends:
            longer[kept] += probability
            continue
        for token, p in enumerate(model((*context, *kept))):
            if p > 0:
                longer[(*kept, token)] += probability * p
    return dict(longer)


def repeated(iteration, prompt, n_tokens, ends=frozenset()):
    """The distribution of the first ``n_tokens`` tokens; ``iteration(context)`` is that of what one iteration emits."""
    done, going = defaultdict(float), {(): 1.0}
    while going:
        following = defaultdict(float)
        for text, probability in going.items():
            for more, chance in iteration((*prompt, *text)).items():
                longer = (*text, *more)[:n_tokens]
                over = len(longer) == n_tokens or longer[-1] in ends
                (done if over else following)[longer] += probability * chance
        going = following
    return dict(done)


def ordered_draws(weights, count):
    """The distribution of ``count`` different keys drawn in turn, in proportion to what is left of ``weights``."""
    positive = {key: weight for key, weight in weights.items() if weight > 0}
    if count == 0 or not positive:
        return {(): 1.0}
    total, distribution = sum(positive.values()), {}
    for key, weight in positive.items():
        rest = {other: w for other, w in positive.items() if other != key}
        for later, probability in ordered_draws(rest, count - 1).items():
            distribution[(key, *later)] = weight / total * probability
    return distribution
