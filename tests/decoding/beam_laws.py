"""Beam methods written again from their definitions, over tuples and dictionaries; outputs are tuples of tokens."""

import itertools
import math
from collections import defaultdict

import torch

from specviz.decoding.exact import NO_WARP, law_of
from specviz.decoding.loop import Run
from specviz.lm.warp import Warp


def joint(model, prompt, text):
    """Probability of an output after the prompt."""
    return math.prod(model.probabilities((*prompt, *text[:i]))[text[i]] for i in range(len(text)))


def continuations(model, prompt, beams, ends=frozenset()):
    """Every (longer text, joint probability), beam after beam; copies counted, ended beams as they are."""
    for beam in beams:
        if beam and beam[-1] in ends:
            yield beam, joint(model, prompt, beam)
        else:
            yield from (((*beam, token), joint(model, prompt, (*beam, token))) for token in range(model.vocab_size))


def p_beam(model, prompt, beams, warp=None, ends=frozenset()):
    """{longer text: probability}: Eq. 1 of dsbd.txt, the warp applied once to the joint over all copies."""
    texts, weights = zip(*continuations(model, prompt, beams, ends), strict=True)
    probs = (warp or Warp())(torch.tensor([weights], dtype=torch.float64).log())[0].tolist()
    law = defaultdict(float)
    for text, prob in zip(texts, probs, strict=True):
        law[text] += prob
    return {text: prob for text, prob in law.items() if prob > 0}


def independent(law, width):
    """The law of ``width`` i.i.d. draws, in order."""
    return {
        combination: math.prod(law[text] for text in combination)
        for combination in itertools.product(law, repeat=width)
    }


def beam_law(pair, prompt, width, length, warp=None):
    """{tuple of beams: probability} of beam sampling; it ends early once all beams have ended."""
    law, ends = {((),): 1.0}, pair.end_tokens
    for _ in range(length):
        grown = defaultdict(float)
        for beams, probability in law.items():
            if all(beam and beam[-1] in ends for beam in beams):
                grown[beams] += probability
                continue
            for combination, chance in independent(p_beam(pair.target, prompt, beams, warp, ends), width).items():
                grown[combination] += probability * chance
        law = grown
    return dict(law)


def best(texts, model, prompt):
    """The most likely text, the first of equals."""
    return max(texts, key=lambda text: joint(model, prompt, text))


def iteration_law(pair, method, prompt, **options):
    """The law of the layers that the first iteration grows: {(layer, layer, ..): probability}, a layer being the tuple
    of its beams' outputs in order."""

    def run(dice):
        run = Run(pair, method, prompt, options=NO_WARP | options, max_new_tokens=32, dice=dice, recorded=False)
        run.start()
        run.step()
        return tuple(tuple(layer) for layer in run.texts.history)

    return law_of(run)


def distance_from_beams(law, model, prompt, warp=None, ends=frozenset()):
    """{depth: total variation}: how far each layer's beams are from i.i.d. draws from p_beam, given the layers before
    and the width, averaged over these."""
    given = defaultdict(lambda: defaultdict(float))
    for layers, probability in law.items():
        for depth, layer in enumerate(layers):
            given[(*layers[:depth], len(layer))][layer] += probability
    distances = defaultdict(float)
    for (*before, width), found in given.items():
        total = sum(found.values())
        expected = independent(p_beam(model, prompt, before[-1] if before else ((),), warp, ends), width)
        gaps = (abs(found.get(beams, 0.0) / total - expected.get(beams, 0.0)) for beams in found.keys() | expected)
        distances[len(before) + 1] += total * sum(gaps) / 2
    return dict(distances)
