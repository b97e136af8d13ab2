"""Grids: every combination, read from TOML or a dict, and refused by name."""

import re
import textwrap
from dataclasses import replace

import pytest

from specviz.decoding.registry.registry import find_method
from specviz.errors import OptionError
from specviz.lab.sweep import grid as grids
from specviz.lab.sweep.grid import Grid, as_grid, as_seeds
from tests.decoding.registry.own_parts import STRANGER


def test_every_combination_with_all_options_resolved():
    given = {
        "method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, "auto"], "draft": "bigram"}],
        "shared": {"temperature": [0, 1], "top_k": "none"},
        "seeds": [3, 1],
        "max_new_tokens": 8,
    }
    grid = as_grid(given)
    assert [setting.name for setting in grid.settings] == [
        "autoregressive temperature=0",
        "autoregressive temperature=1",
        "speculative gamma=2 draft=bigram temperature=0",
        "speculative gamma=auto draft=bigram temperature=0",
        "speculative gamma=2 draft=bigram temperature=1",
        "speculative gamma=auto draft=bigram temperature=1",
    ]
    options = {"temperature": 1.0, "top_k": None, "gamma": "auto", "draft": "bigram"}
    assert grid.settings[-1].options == find_method("speculative").resolve(**options)
    assert (grid.seeds, grid.max_new_tokens) == ((3, 1), 8)


def test_a_methods_own_value_wins_over_the_shared_one():
    given = {"method": [{"name": "mtad", "temperature": 0.5}, {"name": "bild"}], "shared": {"temperature": [0, 1]}}
    assert [s.name for s in as_grid(given).settings] == [
        "mtad temperature=0.5",
        "bild temperature=0",
        "bild temperature=1",
    ]


@pytest.mark.parametrize(
    ("given", "configs"),
    [("4x2", [(4, 2)]), ([4, 2], [(4, 2)]), (["4x2", "2,2,2"], [(4, 2), (2, 2, 2)]), ([[4, 2], [2]], [(4, 2), (2,)])],
)
def test_an_option_that_is_a_list(given, configs):
    settings = as_grid({"method": [{"name": "specinfer", "k_config": given}]}).settings
    assert [setting.options["k_config"] for setting in settings] == configs


def test_the_example_is_a_grid(tmp_path):
    example = re.search(r"^\n(    max_new_tokens.*)", grids.__doc__, re.DOTALL | re.MULTILINE)
    file = tmp_path / "grid.toml"
    file.write_text(textwrap.dedent(example[1]), "utf-8")
    grid = as_grid(file)
    assert len(grid.settings) == 2 * (3 + 2) and grid.seeds == (0, 1, 2, 3, 4, 5)
    assert as_grid(grid) is grid


MANY = ", ".join(f"{i / 2000}" for i in range(1001))
REFUSED = {
    "methods = 3": "a grid has no option 'methods'; its options are method, shared, seeds, max_new_tokens",
    "seeds = 3": "method must be a list of tables, [[method]], got None",
    "method = []": "method must be a list of tables",
    "shared = 1\n[[method]]\nname = 'mtad'": "shared must be a table, [shared], got 1",
    "[[method]]\nname = 'magic'": "method 1: method must be one of autoregressive, beam,",
    "[[method]]\ngamma = 2": "method 1: method must be one of autoregressive, beam,",
    "[[method]]\nname = 'mtad'\n[[method]]\nname = 'mtad'\nlenience = 1": "method 2: method 'mtad' has no option "
    "'lenience'; its options are gamma, beams, draft, tau",
    "[shared]\ngamma = 2\n[[method]]\nname = 'mtad'": "shared has no option 'gamma'; its options are temperature, "
    "top_k, top_p",
    "[[method]]\nname = 'mtad'\ngamma = [2, 99]": "method 1: gamma must be a whole number in [1, 16], got 99",
    "[[method]]\nname = 'mtad'\ngamma = []": "method 1: gamma lists no value",
    "[[method]]\nname = 'mtad'\ngamma = {a = 1}": "method 1: gamma must be a whole number in [1, 16], got {'a': 1}",
    "[[method]]\nname = 'mtad'\n[[method]]\nname = 'mtad'\ngamma = 4": "method 2: 'mtad gamma=4' is there already",
    "max_new_tokens = 0\n[[method]]\nname = 'mtad'": "max_new_tokens must be a whole number in [1, 100000], got 0",
    "seeds = 0\n[[method]]\nname = 'mtad'": "seeds must be 1 to 10000, or a list, got 0",
    "seeds = 'x'\n[[method]]\nname = 'mtad'": "seeds must be a whole number, or a list, got 'x'",
    "seeds = [1, 1]\n[[method]]\nname = 'mtad'": "seeds must be 1 to 10000 that differ, got 2, 1 of them different",
    "seeds = [-1]\n[[method]]\nname = 'mtad'": "seed must be a whole number in",
    "a = \nb = 2": "is no TOML file: Invalid value (at line 1, column 5)",
    f"[[method]]\nname = 'mtad'\ntau = [{MANY}]": "method 1: method 'mtad' has more than 1000 combinations",
}


@pytest.mark.parametrize("text", REFUSED, ids=REFUSED.values())
def test_what_is_no_grid_is_refused_by_name(tmp_path, text):
    file = tmp_path / "grid.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(OptionError) as refused:
        as_grid(file)
    assert str(refused.value).startswith(f"{file}") and REFUSED[text] in str(refused.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(OptionError, match=r"none.toml cannot be read \(No such file"):
        as_grid(tmp_path / "none.toml")
    (tmp_path / "grid.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(OptionError, match="is no TOML file: 'utf-8' codec"):
        as_grid(str(tmp_path / "grid.toml"))
    with pytest.raises(OptionError, match="grid must be a TOML file or a dict, got 3"):
        as_grid(3)


def test_seeds():
    assert as_seeds(3) == (0, 1, 2) and as_seeds(iter([5, 2])) == (5, 2)
    assert Grid(()).seeds == as_seeds(grids.ROUNDS)


def test_a_method_of_ones_own_stands_for_itself():
    known = find_method("mtad")
    grid = as_grid({"method": [{"name": STRANGER, "patience": [0.3, 1]}, {"name": known}, {"name": "block"}]})
    assert [(one.name, one.method) for one in grid.settings] == [
        ("stranger patience=0.3", "stranger"),
        ("stranger patience=1", "stranger"),
        ("mtad", "mtad"),
        ("block", "block"),
    ]
    assert [one.rule for one in grid.settings] == [STRANGER, STRANGER, known, find_method("block")]
    with pytest.raises(OptionError, match=r"method 1: patience must be a number in \(0, 1\], got 2"):
        as_grid({"method": [{"name": STRANGER, "patience": 2}]})


OTHER = replace(STRANGER, verifier="recursive")


@pytest.mark.parametrize(
    "methods", [(STRANGER, OTHER), (replace(STRANGER, name="mtad"),), ("mtad", replace(OTHER, name="mtad"))]
)
def test_rows_know_a_method_by_its_name_so_no_two_have_the_same(methods):
    with pytest.raises(
        OptionError, match=f"method {len(methods)}: another method is called '.*': give yours its own name"
    ):
        as_grid({"method": [{"name": method} for method in methods]})
    with pytest.raises(OptionError, match="method 2: 'stranger' is there already"):
        as_grid({"method": [{"name": STRANGER}, {"name": STRANGER}]})
