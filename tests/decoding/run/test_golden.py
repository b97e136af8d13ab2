"""Every method writes what it wrote: tokens, iterations and coins at fixed seeds on the embedded pair, in float32 on
one thread of a processor, by transformers' forward pass. The code that wrote the record anew for a pair that had
learned on (23 November 2026) still wrote, with the pair before, what the code before the rewrite of the core had.

Our own pass and other processors round otherwise, by some hundred thousandths of a logit, and where a random number
falls that near to the end of a token's share the text is another. So a run has the first seed at which neither our own
pass nor a small change of all weights changes anything (``golden.py``).

``golden.json`` has a line a run: method, options, prompt, seed, then iterations, coins, the digest of all uniform
numbers in order, and tokens. Of every method at every one of its options there are the tale with one seed and the sum
with another, greedy one of the two. Some 60 runs are in the quick set, all 252 in the full one.
"""

import json

import pytest

import specviz
from tests.decoding.run.golden import FILE, decoded, lean_pair, stock_pair

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def _few(runs: list) -> list:
    """Of every method one run at its defaults, one with each of its options and a third of the others; prompts and
    seeds in turn."""
    cases: dict[str, list] = {}
    for run in runs:
        method, options, *_ = run
        if options.get("temperature") == 0 and len(options) > 1:
            continue
        cases.setdefault(f"{method} {options}", []).append(run)
    few, known = [], set()
    for index, found in enumerate(cases.values()):
        run = found[index % len(found)]
        named = {(run[0], name) for name in [None, *run[1]]}
        if index % 3 == 0 or not named <= known:
            few.append(run)
            known |= named
    return few


RUNS = _few(GOLDEN["runs"])
REST = [run for run in GOLDEN["runs"] if run not in RUNS]


@pytest.fixture(scope="module")
def lean():
    return lean_pair()


@pytest.fixture(scope="module")
def pair():
    return stock_pair()


def _name(run: list) -> str:
    return "-".join([run[0], *(f"{name}={value}" for name, value in run[1].items()), run[2], str(run[3])])


@pytest.mark.parametrize(
    "run", [*RUNS, *(pytest.param(run, marks=pytest.mark.full, id=_name(run)) for run in REST)], ids=_name
)
def test_a_run_is_what_it_was(pair, run):
    assert decoded(pair, run, GOLDEN["prompts"]) == run[4:]


@pytest.mark.every(2)
@pytest.mark.parametrize("half", [0, 1])
def test_our_own_pass_writes_the_same(lean, half):
    assert lean.target.forward == lean.draft.forward == "lean"
    runs = RUNS[half::2]
    assert [_name(run) for run in runs if decoded(lean, run, GOLDEN["prompts"]) != run[4:]] == []


def test_every_method_and_option_is_among_them():
    methods = {method for method, *_ in RUNS}
    assert methods == {method for method, *_ in GOLDEN["runs"]} <= set(specviz.methods())
    options = {(method, name) for method, options, *_ in RUNS for name in options}
    assert options == {(method, name) for method, options, *_ in GOLDEN["runs"] for name in options}
