"""Beam methods written again from their definitions, over tuples and dictionaries; outputs are tuples of tokens."""

import itertools
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import torch

from specviz.dice import explore
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.lm.language_model import Scores
from specviz.lm.scoring import distributions
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
    distribution = defaultdict(float)
    for text, prob in zip(texts, probs, strict=True):
        distribution[text] += prob
    return {text: prob for text, prob in distribution.items() if prob > 0}


def independent(distribution, width):
    """The distribution of ``width`` i.i.d. draws, in order."""
    return {
        combination: math.prod(distribution[text] for text in combination)
        for combination in itertools.product(distribution, repeat=width)
    }


def beam_distribution(pair, prompt, width, length, warp=None):
    """{tuple of beams: probability} of beam sampling; it ends early once all beams have ended."""
    distribution, ends = {((),): 1.0}, pair.end_tokens
    for _ in range(length):
        grown = defaultdict(float)
        for beams, probability in distribution.items():
            if all(beam and beam[-1] in ends for beam in beams):
                grown[beams] += probability
                continue
            for combination, chance in independent(p_beam(pair.target, prompt, beams, warp, ends), width).items():
                grown[combination] += probability * chance
        distribution = grown
    return dict(distribution)


def best(texts, model, prompt):
    """The most likely text, the first of equals."""
    return max(texts, key=lambda text: joint(model, prompt, text))


def scored(model, beams, forest, warp):
    """The forest with the model's distributions after every input beam that goes on and every node."""
    texts = {-1 - i: tuple(beam.tokens) for i, beam in enumerate(beams) if not beam.finished}
    for number, node in enumerate(forest.nodes):
        texts[number] = (*texts[node.parent], node.token)
    logits = torch.from_numpy(np.stack([model.probabilities(text) for text in texts.values()])).log()
    found = distributions(Scores(logits), warp)
    return ScoredForest(replace(forest, target=dict(zip(texts, found, strict=True))), beams)


def layers_of(verdict, beams=((),)):
    """The outputs that a verdict makes of ``beams``, layer by layer."""
    layers, before = [], list(beams)
    for steps in verdict.layers:
        before = [before[s.before] if s.token is None else (*before[s.before], s.token) for s in steps]
        layers.append(tuple(before))
    return tuple(layers)


def iteration_distribution(pair, prompt, drafter, verifier, warp=None):
    """The distribution of the layers that one iteration grows: {(layer, layer, ..): probability}, a layer being the
    tuple of its beams' outputs in order. ``drafter(session)`` and ``verifier()`` make fresh ones; each forest is
    drafted once."""
    beams, distribution = (Beam(prompt),), defaultdict(float)

    def drafted(dice):
        session = pair.draft.open(64)
        if prompt[:-1]:
            session.extend(prompt[:-1], range(-1, len(prompt) - 2))
        return drafter(session).draft(beams, dice)

    for drawn, forest in explore(drafted):
        known = scored(pair.target, beams, forest, warp or Warp())
        for judged, layers in explore(lambda dice, known=known: layers_of(verifier().verify(known, dice))):
            distribution[layers] += drawn * judged
    return distribution


def distance_from_beams(distribution, model, prompt, warp=None, ends=frozenset()):
    """{depth: total variation}: how far each layer's beams are from i.i.d. draws from p_beam, given the layers before
    and the width, averaged over these."""
    given = defaultdict(lambda: defaultdict(float))
    for layers, probability in distribution.items():
        for depth, layer in enumerate(layers):
            given[(*layers[:depth], len(layer))][layer] += probability
    distances = defaultdict(float)
    for (*before, width), found in given.items():
        total = sum(found.values())
        expected = independent(p_beam(model, prompt, before[-1] if before else ((),), warp, ends), width)
        gaps = (abs(found.get(beams, 0.0) / total - expected.get(beams, 0.0)) for beams in found.keys() | expected)
        distances[len(before) + 1] += total * sum(gaps) / 2
    return dict(distances)
