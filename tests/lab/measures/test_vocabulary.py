"""The costs of a large vocabulary, measured on a small one: real runs, both ways, and what the numbers mean."""

import pytest

from specviz.commands.show_measures import vocabulary_table
from specviz.lab.measures.vocabulary import METHODS, VOCABULARY, VocabularyCost, random_pair, vocabulary_costs
from tests.printing import printed


def test_every_method_is_measured_with_top_k_and_without():
    pair = random_pair(500)
    assert pair.target.vocab_size == pair.draft.vocab_size == 500 < VOCABULARY
    assert pair.target.fingerprint != pair.draft.fingerprint
    found = list(vocabulary_costs(pair, [(name, {}) for name in METHODS], rounds=1, tokens=4))
    assert [(one.method, one.top_k) for one in found] == [(name, top_k) for top_k in (20, None) for name in METHODS]
    assert all(one.outside > 0 and one.selection > 0 and one.recorded > 0 for one in found)


def test_the_draft_is_like_the_target_but_not_equal():
    import specviz

    trace = specviz.decode(random_pair(500), "speculative", [1, 2, 3], max_new_tokens=64, top_k=20)
    assert 0 < trace.metrics.acceptance_rate < 1


def test_the_ratio_is_bookkeeping_in_selections():
    cost = VocabularyCost("mtad", None, outside=9.0, selection=6.0, recorded=1.1)
    assert cost.ratio == pytest.approx(1.5)
    assert "none" in printed(vocabulary_table([cost])) and "1.50" in printed(vocabulary_table([cost]))
