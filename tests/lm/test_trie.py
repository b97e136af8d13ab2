"""The trie's bookkeeping against a plain walk over parents."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.errors import SpecvizError
from specviz.lm.trie import TokenTrie


@st.composite
def parent_lists(draw, most=14):
    count = draw(st.integers(1, most))
    along = st.booleans()  # whether a row goes on where the last one ended
    return [row - 1 if draw(along) else draw(st.integers(-1, row - 1)) for row in range(count)]


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
        assert all(
            set(np.flatnonzero(trie.mask(start)[row - start])) == ancestors(parents, row) for start in range(row + 1)
        )
        assert trie.depths[row] == len(ancestors(parents, row)) - 1
        assert trie.path(row) == tuple(100 + r for r in sorted(ancestors(parents, row)))


@given(parent_lists(), st.data())
def test_a_part_of_the_rows_has_its_part_of_the_mask(parents, data):
    trie = grown(parents)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(parents))] * 2)))
    assert (trie.mask(start, end) == trie.mask()[start:end, :end]).all()


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
        assert set(np.flatnonzero(trie.mask()[row])) == ancestors(trie.parents, row)


@given(st.data())
def test_a_trie_that_grows_and_shrinks_again_and_again_forgets_nothing(data):
    trie = TokenTrie(40)
    for _ in range(4):
        for parent in data.draw(parent_lists(8)):
            trie.add([len(trie)], [parent if data.draw(st.booleans()) else len(trie) - 1])
        kept = set().union(*(ancestors(trie.parents, row) for row in data.draw(st.sets(st.integers(0, len(trie) - 1)))))
        trie.keep(sorted(kept))
        for row in range(len(trie)):
            assert set(np.flatnonzero(trie.mask()[row])) == ancestors(trie.parents, row)


def test_a_long_text_with_a_small_tree_costs_megabytes():
    tracemalloc.start()
    trie = TokenTrie(33_000)
    trie.add(range(32_000), range(-1, 31_999))
    trie.add(range(64), [31_999] * 64)
    assert trie.mask(32_000).sum() == 64 * 32_001
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6


def test_a_chain_added_at_once_equals_one_added_token_by_token():
    at_once, one_by_one = TokenTrie(6), TokenTrie(6)
    at_once.add([5, 6], [-1, 0])
    at_once.add([7, 8, 9], [0, 2, 3])
    for token, parent in ((5, -1), (6, 0), (7, 0), (8, 2), (9, 3)):
        one_by_one.add([token], [parent])
    assert (at_once.mask() == one_by_one.mask()).all() and at_once.depths == one_by_one.depths


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


@pytest.mark.parametrize("rows", [[1], [0, 2, 1], [0, 0], [0, 0, 2], [1, 0, 2], [0, 3], [-1]])
def test_rows_that_cannot_be_kept_are_refused(rows):
    trie = TokenTrie(4)
    trie.add([1, 2, 3], [-1, 0, 1])
    with pytest.raises(SpecvizError, match="rows to keep"):
        trie.keep(rows)
