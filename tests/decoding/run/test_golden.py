"""Every method writes what it wrote: tokens, iterations and coins at fixed seeds on the embedded pair, in float32 on
one thread of a processor, by transformers' forward pass. The code that wrote the record anew for a pair that had
learned on (23 November 2026) still wrote, with the pair before, what the code before the rewrite of the core had.

Our own pass and other processors round otherwise, by some hundred thousandths of a logit, and where a random number
falls that near to the end of a token's share the text is another. So a run has the first seed at which neither our own
pass nor a small change of all weights changes anything (``golden.py``).

``golden.json`` has a line a run: method, options, prompt, seed, then iterations, coins, the digest of all uniform
numbers in order, and tokens. Of every method at every one of its options there are the tale with one seed and the sum
with another, greedy one of the two. Every method at its defaults is in the quick set, each of its options in the full
one, all 302 runs with --every.
"""

import json

import pytest

import specviz
from tests.decoding.run.golden import FILE, decoded, lean_pair, stock_pair

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def _named(run: list) -> set[tuple[str, str | None]]:
    return {(run[0], name) for name in [None, *run[1]]}


def _first_of(runs: list) -> list:
    """Those that are the first with one of the options of their method, or at its defaults; greedy only where asked."""
    known, first = set(), []
    for run in runs:
        if (run[1].get("temperature") != 0 or len(run[1]) == 1) and not _named(run) <= known:
            first.append(run)
            known |= _named(run)
    return first


RUNS = _first_of(GOLDEN["runs"])
PLAIN = _first_of([run for run in RUNS if not run[1]])
REST = [run for run in GOLDEN["runs"] if run not in RUNS]


@pytest.fixture(scope="module")
def lean():
    return lean_pair()


@pytest.fixture(scope="module")
def pair():
    return stock_pair()


def _name(run: list) -> str:
    return "-".join([run[0], *(f"{name}={value}" for name, value in run[1].items()), run[2], str(run[3])])


@pytest.mark.every(1)
@pytest.mark.parametrize("run", PLAIN, ids=_name)
def test_a_method_at_its_defaults_writes_what_it_wrote(pair, run):
    assert decoded(pair, run, GOLDEN["prompts"]) == run[4:]


@pytest.mark.full
@pytest.mark.parametrize("run", [run for run in RUNS if run not in PLAIN], ids=_name)
def test_each_option_writes_what_it_wrote(pair, run):
    assert decoded(pair, run, GOLDEN["prompts"]) == run[4:]


@pytest.mark.full
@pytest.mark.every(7)
@pytest.mark.parametrize("run", REST, ids=_name)
def test_options_and_prompts_together_write_what_they_wrote(pair, run):
    assert decoded(pair, run, GOLDEN["prompts"]) == run[4:]


@pytest.mark.full
@pytest.mark.parametrize("run", PLAIN, ids=_name)
def test_our_own_pass_writes_the_same(lean, run):
    assert lean.target.forward == lean.draft.forward == "lean"
    assert decoded(lean, run, GOLDEN["prompts"]) == run[4:]


def test_every_method_and_option_is_among_them():
    methods = {method for method, *_ in RUNS}
    assert methods == {method for method, *_ in GOLDEN["runs"]} <= set(specviz.methods())
    options = {(method, name) for method, options, *_ in RUNS for name in options}
    assert options == {(method, name) for method, options, *_ in GOLDEN["runs"] for name in options}
