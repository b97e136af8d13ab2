"""Exact table models and the drafts that count."""

import numpy as np
import pytest
import torch

from specviz.errors import ModelError
from specviz.lm.ngram import NgramLM, lookup
from specviz.lm.parts.correlation import Correlation
from specviz.lm.table import TableLM


def test_a_table_answers_with_its_function():
    model = TableLM(lambda context: [0.25, 0.75] if context[-1] == 0 else [1.0, 0.0], 2)
    session = model.open(4)
    logits = session.extend([0, 1, 0], [-1, 0, 0]).logits
    assert logits.dtype == torch.float64
    np.testing.assert_allclose(logits.exp().numpy(), [[0.25, 0.75], [1.0, 0.0], [0.25, 0.75]])


def test_random_tables_depend_on_seed_and_context_alone():
    one, same, other = TableLM.random(4, 7), TableLM.random(4, 7), TableLM.random(4, 8)
    assert (one.probabilities((1, 2)) == same.probabilities((1, 2))).all()
    assert (one.probabilities((1, 2)) != other.probabilities((1, 2))).any()
    assert (one.probabilities((1, 2)) != one.probabilities((2, 2))).any()


def test_random_tables_can_have_zeros():
    model = TableLM.random(5, 3, zeros=0.6)
    rows = np.array([model.probabilities((i,)) for i in range(5)])
    assert (rows == 0).any() and np.allclose(rows.sum(1), 1)


@pytest.mark.parametrize("wrong", [[0.5, 0.6], [1.5, -0.5], [1.0]])
def test_a_table_that_is_no_distribution_is_refused(wrong):
    with pytest.raises(ModelError, match="nonnegative numbers that sum to 1"):
        TableLM(lambda context: wrong, 2).probabilities((0,))


def probs(kind, context, vocab_size=6):
    return NgramLM(kind, vocab_size).logits(context).softmax(-1).tolist()


def test_unigram_counts_the_context():
    assert probs("unigram", (1, 1, 2, 1)) == pytest.approx([0, 0.75, 0.25, 0, 0, 0])


def test_bigram_counts_followers_and_falls_back_to_the_unigram():
    assert probs("bigram", (1, 2, 1, 3, 1)) == pytest.approx([0, 0, 0.5, 0.5, 0, 0])
    assert probs("bigram", (1, 1, 2)) == pytest.approx([0, 2 / 3, 1 / 3, 0, 0, 0])


def test_tables_count_a_corpus():
    seen = {(1, 2): 6, (1, 3): 2, (2, 1): 4}
    table = Correlation.from_counts(np.array([6 * a + b for a, b in seen]), np.array([*seen.values()]), 6)

    def found(kind, context):
        return NgramLM(kind, 6, table).logits(context).softmax(-1).tolist()

    assert found("bigram", (2, 2, 1)) == pytest.approx([0, 0, 0.75, 0.25, 0, 0])
    assert found("bigram", (1, 2)) == pytest.approx([0, 1, 0, 0, 0, 0])
    anywhere = [0, 4 / 12, 6 / 12, 2 / 12, 0, 0]
    assert found("unigram", (5, 5)) == found("bigram", (1, 5)) == pytest.approx(anywhere)  # nothing followed token 5
    assert NgramLM("prompt", 6, table).logits((1, 2, 1))[2] == 0.0  # copies what it has read, whatever a corpus says
    other = Correlation.from_counts(np.array([8]), np.array([3]), 6)
    names = {NgramLM("bigram", 6, given).fingerprint for given in (table, other, None)}
    assert len(names) == 3
    with pytest.raises(ModelError, match="table must be of 7 tokens, got one of 6"):
        NgramLM("bigram", 7, table)


def test_prompt_lookup_copies_after_the_longest_most_recent_match():
    assert lookup((1, 2, 3, 9, 2, 3, 4, 2, 3)) == 4
    assert lookup((5, 1, 2, 7, 9, 1, 2, 8, 5, 1, 2)) == 7  # a longer suffix beats a more recent one
    assert lookup((1, 2, 3)) is None
    assert NgramLM("prompt", 6).logits((1, 2, 3)).max() == float("-inf")


def test_random_is_even():
    assert probs("random", (1,), 4) == pytest.approx([0.25] * 4)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ModelError, match="kind must be one of unigram, bigram, prompt, random, got 'trigram'"):
        NgramLM("trigram", 5)
