"""The table of distributions in a file: each stands there once, and whatever is none is refused by name."""

import json
import math

import numpy as np
import pytest

from specviz.errors import TraceError
from specviz.trace.distribution import Distribution, Tempered
from specviz.trace.store import load_trace, trace_from_json, trace_to_json
from specviz.trace.table import GREEDY, TableReader, TableWriter, settings_of, shortest
from tests.beam_traces import layers_trace
from tests.trace.files import SAMPLES, changed, difference, mentions, parsed_file, reused, set_at
from tests.traces import mtad_trace, speculative_trace

VOCABULARY = range(14)
WARP = (1.0, 2, None)
INFINITY, NAN = float("inf"), float("nan")


def read(*entries, most: int = 100, warp=WARP) -> TableReader:
    return TableReader(list(entries), VOCABULARY, most, warp)


def found(*entries, kind: type = Distribution, **more):
    """The last of the entries, as an object."""
    return read(*entries, **more).find(len(entries) - 1, kind)


def plain(**changes) -> dict:
    entry = {"tokens": [5, 2], "logits": [1.0, 0.5], "log_total": 1.6, "probs": [0.7, 0.3]} | changes
    return {name: value for name, value in entry.items() if value is not ...}


# What the entries say.


def test_an_entry_is_read_as_its_words_say():
    given = found(plain(likeliest=1, complete=True, rest=0.0, tempered=[0.5, 0.4, 0.3]))
    assert given.tokens.tolist() == [2, 5] and given.logits.tolist() == [0.5, 1.0]
    assert given.table() == pytest.approx({5: 0.7, 2: 0.3}) and list(given.table()) == [5, 2]
    assert (given.probs.dtype, given.log_total) == (np.float32, float(np.float32(1.6)))
    assert (given.likeliest, given.complete, given.tempered) == (1, True, Tempered(0.5, 0.4, 0.3))
    assert found(plain()).likeliest == 2 and not found(plain()).complete
    assert found(plain(double=True)).probs.tolist() == [0.3, 0.7]
    assert found(plain(probs=[1.0])).probs.tolist() == [0.0, 1.0]  # zeros at the end are not written
    impossible = found({"tokens": [], "logits": [], "log_total": None, "probs": []})
    assert not impossible.possible and len(impossible) == 0
    assert found(plain(logits=[1.0, None], probs=[1.0])).logprob(2) == -math.inf


def test_probabilities_follow_from_the_logits():
    share = 1 / (1 + math.exp(-0.5))
    assert found(plain(probs=...)).table() == pytest.approx({5: share, 2: 1 - share}, rel=1e-6)
    assert found(plain(probs=..., greedy=True)).table() == {5: 1.0, 2: 0.0}
    assert found(plain(probs=...), warp=(0.5, 1, None)).table() == {5: 1.0, 2: 0.0}
    whole = found(plain(probs=..., complete=True), warp=(0.5, None, None))
    assert whole.prob(5) == pytest.approx(1 / (1 + math.exp(-1.0)), rel=1e-6)
    for warp in ((1.0, None, None), (1.0, 3, None), None):  # more tokens are needed than are listed; no warp is known
        with pytest.raises(TraceError, match=r"distributions\[0\].probs: are missing, and do not follow"):
            found(plain(probs=...), warp=warp)
    with pytest.raises(TraceError, match=r"distributions\[0\].probs: are missing, and do not follow"):
        found(plain(probs=..., rest=0.5))


def test_a_certain_token_a_joint_and_what_is_derived():
    given = found({"token": 3, "logprob": -1.25})
    assert (given.table(), given.logprob(3), given.likeliest, len(given)) == ({3: 1.0}, -1.25, 0, 1)
    assert found({"token": 3, "logprob": None}).logprob(3) == -math.inf
    base = plain()
    twice = read(base, {"of": 0, "probs": [0.25, 0.75]}, {"of": 1, "probs": [0.0, 1.0], "double": True})
    first, second, third = (twice.find(number, Distribution) for number in range(3))
    assert second.table() == {2: 0.75, 5: 0.25} and third.table() == {2: 1.0, 5: 0.0}
    assert second.base is first and third.base is first and second.tokens is first.tokens
    assert (second.probs.dtype, third.probs.dtype) == (np.float32, np.float64)
    assert found(base, {"of": 0, "probs": []}).probs.tolist() == [0.0, 0.0]  # nothing was left


# What is no entry.

JOINT = {"prefixes": [-1, -2], "tokens": [3, -1], "probs": [0.5, 0.5], "logprobs": [-1.0, None]}
DEEP: list = []
for _ in range(200):
    DEEP = [DEEP]
WRONG_ENTRIES = [
    (plain(tokens=[5, 77]), ".tokens: token 77 is not in the vocabulary"),
    (plain(tokens=[5, -1]), ".tokens: token -1 is not in the vocabulary"),
    (plain(tokens=[5, 10**30]), f".tokens: token {10**30} is not in the vocabulary"),
    (plain(tokens=[5, 5]), ".tokens: a token is listed twice"),
    (plain(tokens=[5]), ": tokens, logits have different lengths"),
    (plain(tokens=[5, 2.0]), ".tokens.1: input should be a valid integer"),
    (plain(tokens=...), ".tokens: field required"),
    (plain(logits=[1.0]), ": tokens, logits have different lengths"),
    (plain(logits=["x", 0.5]), ".logits.0: input should be a valid number"),
    (plain(logits=[NAN, 0.5]), ".logits.0: input should be a finite number"),
    (plain(logits=[INFINITY, 0.5]), ".logits.0: input should be a finite number"),
    (plain(logits=[1e39, 0.5], log_total=1e39), ".logits: are too large for float32"),
    (plain(log_total=0.5), ".log_total: is 0.5, less than the largest logit 1.0"),
    (plain(log_total=None), ".log_total: is -inf, less than the largest logit 1.0"),
    (plain(log_total=NAN), ".log_total: input should be a finite number"),
    (plain(log_total=...), ".log_total: field required"),
    (plain(likeliest=-1), ".likeliest: is -1, 2 tokens are listed"),
    (plain(likeliest=3), ".likeliest: is 3, 2 tokens are listed"),
    (plain(likeliest=10**30), f".likeliest: is {10**30}, 2 tokens are listed"),
    (plain(likeliest=True), ".likeliest: input should be a valid integer"),
    (plain(complete=1), ".complete: input should be a valid boolean"),
    (plain(probs=[0.9, 0.3]), ": probs and rest sum to 1.200000, they make one"),
    (plain(probs=[0.5, 0.2]), ": probs and rest sum to 0.700000, they make one"),
    (plain(probs=[]), ": probs and rest sum to 0.000000, they make one"),
    (plain(rest=0.5), ": probs and rest sum to 1.500000, they make one"),
    (plain(probs=[1.5, -0.5]), ".probs[0]: is 1.5, a probability lies from 0 to 1"),
    (plain(probs=[0.5, -0.5], rest=1.0), ".probs[1]: is -0.5, a probability lies from 0 to 1"),
    (plain(probs=[1.0], rest=-0.1), ".rest: is -0.1, a probability lies from 0 to 1"),
    (plain(probs=[0.4, 0.3, 0.3]), ".probs: has 3 numbers for 2 tokens"),
    (plain(probs=[NAN, 0.3]), ".probs.0: input should be a finite number"),
    (plain(rest=INFINITY), ".rest: input should be a finite number"),
    (plain(tempered=[0.0, 1.0, 1.0]), ".tempered: is (0.0, 1.0, 1.0), its numbers cannot be negative"),
    (plain(tempered=[1.0, 1.0, -1.0]), ".tempered: is (1.0, 1.0, -1.0), its numbers cannot be negative"),
    (plain(tempered=[1.0, 1.0]), ".tempered.2: field required"),
    (plain(double="yes"), ".double: input should be a valid boolean"),
    (plain(mood=1), ".mood: unexpected keyword argument"),
    (plain(probs=..., greedy=1), ".greedy: input should be a valid boolean"),
    ({"token": 77, "logprob": 0.0}, ".tokens: token 77 is not in the vocabulary"),
    ({"token": 3, "logprob": "x"}, ".logprob: input should be a valid number"),
    ({"token": 3, "logprob": 1e39}, ".logprob: is too large for float32"),
    ({"token": 3}, ".logprob: field required"),
    ({"token": 3, "logprob": 0.0, "probs": [1.0]}, ".probs: unexpected keyword argument"),
    (JOINT | {"prefixes": [-1, -1], "tokens": [3, 3]}, ".tokens: a pair of beam and token is listed twice"),
    (JOINT | {"prefixes": [-1]}, ": prefixes, tokens, logprobs have different lengths"),
    (JOINT | {"prefixes": [-1, 10**30]}, ".prefixes: are no prefixes of any forest"),
    (JOINT | {"tokens": [3, 77]}, ".tokens: token 77 is not in the vocabulary"),
    (JOINT | {"tokens": [3, -2]}, ".tokens: token -2 is not in the vocabulary"),
    (JOINT | {"probs": [0.5]}, ": probs and rest sum to 0.500000, they make one"),
    (JOINT | {"logprobs": [NAN, None]}, ".logprobs.0: input should be a finite number"),
    (JOINT | {"double": True}, ".double: unexpected keyword argument"),
    ({"of": 1, "probs": [1.0]}, ".of: is 1, 1 distributions stand before it"),
    ({"of": -1, "probs": [1.0]}, ".of: is -1, 1 distributions stand before it"),
    ({"of": 10**30, "probs": [1.0]}, f".of: is {10**30}, 1 distributions stand before it"),
    ({"of": True, "probs": [1.0]}, ".of: input should be a valid integer"),
    ({"of": 0, "probs": [0.4, 0.3, 0.3]}, ".probs: has 3 numbers for 2 tokens"),
    ({"of": 0, "probs": [0.4, 0.3]}, ": probs and rest sum to 0.700000, they make one"),
    ({"of": 0, "probs": [0.4, 0.6], "rest": 0.0}, ".rest: unexpected keyword argument"),
    ({"of": 0}, ".probs: field required"),
    ({}, ".tokens: field required"),
    ([], ": input should be an object"),
    (None, ": input should be an object"),
    (3, ": input should be an object"),
    ("tokens", ": input should be an object"),
    (DEEP, ": input should be an object"),
    ({"\ud800": 1}, ": "),
    (plain(tokens="\ud800"), ": "),
]


@pytest.mark.parametrize(("entry", "message"), WRONG_ENTRIES, ids=[message for _, message in WRONG_ENTRIES])
def test_what_is_no_distribution_is_named(entry, message):
    with pytest.raises(TraceError) as caught:
        read(plain(), entry)
    assert str(caught.value).startswith(f"distributions[1]{message}")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [-1, 2, 10**30, True, 1.0, "0", None, [0], {}])
def test_a_number_that_no_distribution_has_is_refused(number):
    with pytest.raises(ValueError, match="a number from 0 to 1 of the file's distributions is needed"):
        read(plain(), JOINT).find(number, Distribution)


def test_another_kind_of_distribution_is_refused():
    with pytest.raises(ValueError, match="distribution 1 is a JointDistribution, a Distribution is needed"):
        read(plain(), JOINT).find(1, Distribution)


OPTIONS = [
    ({"temperature": 0.5, "top_k": 3, "top_p": 0.9}, (0.5, 3, 0.9)),
    ({"temperature": 1, "top_p": 1}, (1.0, None, 1.0)),
    ({"temperature": 0.0, "top_k": None, "top_p": None}, GREEDY),
    *(({"temperature": value}, None) for value in (None, "1", True, -1.0, NAN, INFINITY, 10**400, [1])),
    *(({"temperature": 1.0, "top_k": value}, None) for value in (0, -1, 2.0, True, "3")),
    *(({"temperature": 1.0, "top_p": value}, None) for value in (-0.1, 1.5, NAN, 10**400, True, "1")),
    *((value, None) for value in ({}, None, [], 3)),
]


@pytest.mark.parametrize(("options", "settings"), OPTIONS, ids=str)
def test_the_warp_of_a_file_is_that_of_its_options(options, settings):
    assert settings_of(options) == settings


# What a file writes once.


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_distribution_that_stands_in_several_parts_is_written_once(sample):
    trace = sample()
    parsed = parsed_file(trace)
    entries = parsed["distributions"]
    assert len(entries) == len({json.dumps(entry) for entry in entries}) == reused(trace)
    assert set(mentions(parsed)) == set(range(len(entries)))  # and none is written that nothing refers to
    assert reused(trace_from_json(json.dumps(parsed)), by_identity=True) == len(entries)


def test_what_is_as_usual_is_left_out():
    given = Distribution(np.array([2, 5]), np.float32([0.3, 0.7]), np.float32([0.5, 1.0]), 1.5, 2, False)
    writer = TableWriter(WARP)
    assert writer.number(given) == 0 == writer.number(given)
    assert writer.entries == [{"tokens": [5, 2], "logits": [1.0, 0.5], "log_total": 1.5, "probs": [0.7, 0.3]}]
    half = given.with_probs(np.float32([0.0, 1.0]))
    assert writer.number(half) == 1 and writer.entries[1] == {"of": 0, "probs": [1.0]}
    assert writer.number(given.with_probs(np.float32([0.0, 1.0]))) == 1  # equal ones share a number
    assert writer.number(given.with_probs(np.float32([0.0, 0.0]))) == 2 and writer.entries[2] == {"of": 0, "probs": []}


def test_numbers_have_as_many_digits_as_tell_them_apart():
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32) * np.float32(10) ** np.arange(-20, 20, 0.04)
    values = values.astype(np.float32)
    written = shortest(values)
    assert np.array_equal(np.array(written, dtype=np.float32), values)
    assert max(len(f"{abs(value):e}".split("e")[0]) for value in written) <= 8
    assert shortest(np.array([1 / 3])) == [1 / 3]
    assert json.dumps(shortest(np.float32([0.1]))) == "[0.1]"


def test_a_number_that_is_none_is_not_written():
    """A model that is broken gives NaN: that is no minus infinity, and no trace."""
    trace = speculative_trace()
    trace.iterations[0].decisions[0].target.logits[1] = NAN
    with pytest.raises(TraceError, match=r"distributions\[\d+\].logits.\d: input should be a finite number"):
        trace_to_json(trace)


# A small file stays small.


def repeating(times: int) -> str:
    """A file in which one distribution of 2000 tokens is the base of many."""
    parsed = parsed_file(speculative_trace())
    parsed["vocabulary"] |= {str(token): "" for token in range(100, 2100)}
    base = {"tokens": list(range(100, 2100)), "logits": [None] * 2000, "log_total": None, "probs": [1.0]}
    last = len(parsed["distributions"])
    parsed["distributions"] += [base] + [{"of": last, "probs": [1.0]}] * times
    return json.dumps(parsed)


def test_references_cannot_blow_up_the_memory():
    text = repeating(20)
    assert trace_from_json(text, limit=8 * 2000 * 25)
    with pytest.raises(TraceError, match=r"distributions\[\d+\].of: too many probabilities are repeated"):
        trace_from_json(text, limit=8 * 2000 * 15)


def test_derived_from_derived_is_counted_too():
    chain = [plain(), *({"of": number, "probs": [1.0]} for number in range(50))]
    assert found(*chain, most=100).base is not None
    with pytest.raises(TraceError, match=r"distributions\[50\].of: too many probabilities are repeated"):
        read(*chain, most=99)


def test_a_file_that_was_saved_is_loaded_however_much_it_repeats(tmp_path):
    """What may be repeated does not depend on how small the file is: a long list with few probabilities is short."""
    path = tmp_path / "run.json"
    path.write_text(repeating(200))
    trace = load_trace(path)
    assert len(trace_to_json(trace)) < len(path.read_text())
    assert difference(trace_from_json(trace_to_json(trace)), trace) is None


def test_a_table_is_read_before_the_fields_that_refer_to_it():
    with pytest.raises(TraceError, match=r"^distributions\[0\].probs\[0\]: is 2.0"):
        trace_from_json(changed(set_at("distributions.0.probs", [2.0]), mtad_trace))
    with pytest.raises(TraceError, match=r"^distributions\[3\].probs: has 4 numbers for 3 tokens"):
        trace_from_json(changed(set_at("distributions.3.probs", [0.25] * 4), layers_trace))
