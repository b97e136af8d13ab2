"""The trie's bookkeeping against a plain walk over parents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.errors import SpecvizError
from specviz.lm.trie import TokenTrie


@st.composite
def parent_lists(draw, most=14):
    count = draw(st.integers(1, most))
    return [draw(st.integers(-1, row - 1)) for row in range(count)]


def ancestors(parents, row):
    seen = set()
    while row >= 0:
        seen.add(row)
        row = parents[row]
    return seen


def grown(parents, pieces=1):
    trie = TokenTrie(len(parents))
    cut = len(parents) // pieces or 1
    for start in range(0, len(parents), cut):
        part = parents[start : start + cut]
        trie.add([100 + start + i for i in range(len(part))], part)
    return trie


@given(parent_lists(), st.integers(1, 4))
def test_a_row_sees_itself_and_its_ancestors_and_nothing_else(parents, pieces):
    trie = grown(parents, pieces)
    for row in range(len(parents)):
        assert set(np.flatnonzero(trie.visible[row])) == ancestors(parents, row)
        assert trie.depths[row] == len(ancestors(parents, row)) - 1
        assert trie.path(row) == tuple(100 + r for r in sorted(ancestors(parents, row)))


@given(parent_lists(), st.data())
def test_keep_renumbers_survivors_and_forgets_the_rest(parents, data):
    trie = grown(parents)
    leaves = data.draw(st.sets(st.integers(0, len(parents) - 1)))
    rows = sorted(set().union(*(ancestors(parents, leaf) for leaf in leaves))) if leaves else []
    paths = [trie.path(row) for row in rows]
    stay = trie.keep(rows)
    assert [trie.path(row) for row in range(len(rows))] == paths
    assert list(rows[:stay]) == list(range(stay)) and (stay == len(rows) or rows[stay] != stay)
    for row in range(len(rows)):
        assert set(np.flatnonzero(trie.visible[row])) == ancestors(trie.parents, row)
    assert not trie.visible[len(rows) :].any()


def test_a_chain_added_at_once_equals_one_added_token_by_token():
    at_once, one_by_one = TokenTrie(6), TokenTrie(6)
    at_once.add([5, 6], [-1, 0])
    at_once.add([7, 8, 9], [0, 2, 3])
    for token, parent in ((5, -1), (6, 0), (7, 0), (8, 2), (9, 3)):
        one_by_one.add([token], [parent])
    assert (at_once.visible == one_by_one.visible).all() and at_once.depths == one_by_one.depths


@pytest.mark.parametrize(
    ("tokens", "parents", "message"),
    [
        ([1], [0], "parent of row 2"),
        ([1], [2], "parent of row 2"),
        ([1, 2], [0], "one entry per token"),
        ([1] * 3, [0] * 3, "holds 4 rows"),
        ([1], [-2], "parent of row 2"),
    ],
)
def test_wrong_rows_are_refused(tokens, parents, message):
    trie = TokenTrie(4)
    trie.add([1, 2], [-1, 0])
    if message == "parent of row 2" and parents == [0]:
        parents = [5]
    with pytest.raises(SpecvizError, match=message):
        trie.add(tokens, parents)
    assert len(trie) == 2


@pytest.mark.parametrize("rows", [[1], [0, 2, 1], [0, 0], [0, 3], [-1]])
def test_rows_that_cannot_be_kept_are_refused(rows):
    trie = TokenTrie(4)
    trie.add([1, 2, 3], [-1, 0, 1])
    with pytest.raises(SpecvizError, match="rows to keep"):
        trie.keep(rows)
