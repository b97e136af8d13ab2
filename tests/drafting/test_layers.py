"""Drafts of whole layers: what they are drawn from, what the session keeps, and how likely it finds each text."""

import itertools
import math
from collections import defaultdict

import pytest

from specviz.decoding.registry.methods.beams import DSBD, SPECULATIVE_BEAM
from specviz.decoding.run.loop import Run
from specviz.dice import SeededDice, explore
from specviz.drafting.drafter import AcceptedBeam, Beam, ScoredForest
from specviz.drafting.layers import LayerDrafter, SearchDrafter
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from tests.decoding.methods.beam_distributions import independent, joint, p_beam
from tests.decoding.methods.models import random_pair

EXACT = 1e-9


def layers_in(forest):
    """The outputs drafted, layer by layer, in the order drawn; a beam drawn to stay as it is."""
    texts = {-1: ()}
    for number, node in enumerate(forest.nodes):
        texts[number] = (*texts[node.parent], node.token)
    return tuple(tuple(texts[draw] for draw in proposal.draws) for proposal in forest.layers)


def drafts(model, warp, gamma, width, ends, dice):
    session = model.open(64)
    session.extend([0], [-1])
    return LayerDrafter(session, warp, gamma, width, ends).draft([Beam([0, 1])], dice)


@pytest.mark.parametrize("ends", [frozenset(), frozenset({2})])
@pytest.mark.parametrize("warp", [Warp(), Warp(0.6), Warp(top_k=3)], ids=str)
def test_each_layer_is_drawn_from_q_beam_over_all_drafts_before(warp, ends):
    model = TableLM.random(3, 1)
    distribution = defaultdict(float)
    for probability, forest in explore(lambda dice: drafts(model, warp, 2, 2, ends, dice)):
        distribution[layers_in(forest)] += probability
    expected = defaultdict(float)
    for first, probability in independent(p_beam(model, (0, 1), ((),), warp, ends), 2).items():
        if all(text[-1] in ends for text in first):
            expected[(first,)] += probability
            continue
        for second, more in independent(p_beam(model, (0, 1), first, warp, ends), 2).items():
            expected[first, second] += probability * more
    assert sum(abs(distribution[key] - expected[key]) for key in {*distribution, *expected}) < EXACT


def test_a_node_says_how_likely_it_was_given_its_parent():
    forest = drafts(TableLM.random(4, 2), Warp(0.7, top_k=6), 3, 4, frozenset(), SeededDice(1))
    assert forest.proposals == tuple(forest.layers) and forest.drawing == "search"
    for proposal in forest.layers:
        assert sum(proposal.weights) == pytest.approx(1) and proposal.joint.probs.sum() == pytest.approx(1)
        weight = dict(zip(proposal.parents, proposal.weights, strict=True))
        for node in (forest.nodes[draw] for draw in proposal.draws):
            together = proposal.joint.prob(node.parent, node.token)
            assert together == proposal.joint.table()[node.parent, node.token]
            assert node.draft_prob * weight[node.parent] == pytest.approx(together)
    assert forest.submitted == list(range(12))


def test_children_grow_below_the_first_of_equal_drafts():
    model = TableLM(lambda context: [0.9, 0.1], 2)
    forest = drafts(model, Warp(), 2, 6, frozenset(), SeededDice(0))
    first = {forest.nodes[node].token: node for node in reversed(range(6))}
    assert len(first) < 6 and {node.parent for node in forest.nodes[6:12]} <= set(first.values())


def test_a_draft_that_rules_a_text_out_goes_on_drafting():
    model = TableLM(lambda context: [1.0, 0.0] if len(context) < 3 else [0.5, 0.5], 2)
    session = model.open(64)
    session.extend([0], [-1])
    drafter = LayerDrafter(session, Warp(), 1, 2)
    forest = drafter.draft([Beam([0, 0])], SeededDice(0))
    drafter.commit([AcceptedBeam(0, (), 1)], ScoredForest(forest, ()), None)
    again = drafter.draft([Beam([0, 0, 1], math.log(0.5))], SeededDice(0))
    assert len(again) == 2 and again.layers[0].joint.probs.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("top_k", [20, 2])
@pytest.mark.parametrize("method", [DSBD, SPECULATIVE_BEAM], ids=lambda method: method.name)
def test_the_session_keeps_what_it_read_of_the_beams(method, top_k):
    """After every iteration: rows of the beams' texts alone, and the draft's own joint probability of each output, of
    tokens too that its distributions do not list."""
    pair, checked = random_pair(4, 3), 0
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({3}))
    options = {"top_p": None, "top_k": top_k}
    for seed in range(6):
        run = Run(pair, method, [0, 1], options=options, max_new_tokens=8, dice=SeededDice(seed))
        rows = run._drafter._rows
        run.start()
        while run.stop is None:
            run.step()
            texts = {tuple(text) for text in run.beam_texts}
            paths = [rows._session.trie.path(row) for row in range(len(rows._session.trie))]
            assert len(set(paths)) == len(paths) and all(any(t[: len(p)] == p for t in texts) for p in paths)
            rows.read_beams(run.texts.beams)
            for index, beam in enumerate(run.texts.beams):
                expected = math.log(joint(pair.draft, (0, 1), beam.tokens[2:]))
                assert rows.at[-1 - index].logprob == pytest.approx(expected)
                checked += beam.finished and run.stop is None
            rows.keep([AcceptedBeam(index, ()) for index in range(len(run.texts.beams))], [])
    assert checked  # beams that had ended stood beside others


def test_the_search_keeps_the_best_by_what_is_known_of_each_beam():
    """The target's joint of the input beams, the draft's of what follows."""
    model = TableLM.random(4, 5)
    session = model.open(64)
    session.extend([0], [-1])
    drafter = SearchDrafter(session, Warp(), 2, 3)
    drafter.draft([Beam([0, 1])], SeededDice(0))
    drafter._rows.keep([AcceptedBeam(0, (), 2), AcceptedBeam(0, (), 3)], [])
    beams = [Beam([0, 1, 2], math.log(0.02)), Beam([0, 1, 3], math.log(0.6))]
    forest = drafter.draft(beams, SeededDice(0))
    known = {(2,): 0.02, (3,): 0.6}

    def score(text):
        return known[text[:1]] * joint(model, (0, 1, *text[:1]), text[1:])

    layer = sorted(((*text, token) for text in known for token in range(4)), key=score, reverse=True)[:3]
    found = {-1: (2,), -2: (3,)}
    for number, node in enumerate(forest.nodes):
        found[number] = (*found[node.parent], node.token)
    assert [found[node] for node in range(3)] == layer
    longer = sorted(((*text, token) for text in layer for token in range(4)), key=score, reverse=True)[:3]
    assert [found[node] for node in range(3, 6)] == longer
    total = sum(score((*text, token)) for text, token in itertools.product(known, range(4)))
    assert [node.score for node in forest.nodes[:3]] == pytest.approx([score(text) / total for text in layer])
    assert len(forest) == 6 and all(node.draft_prob == 1.0 for node in forest.nodes)
