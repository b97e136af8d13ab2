"""The page's formulas are held against Python's in theory.test.js, by a file that has to be fresh."""

from tests.player.theory_grid import FILE, theory_grid


def test_the_grid_is_fresh():
    assert FILE.read_text(encoding="utf-8") == theory_grid(), "python -m tests.player.theory_grid"
