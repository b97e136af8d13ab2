"""What a class of decisions lacks is said when it is defined; a number that makes no sense is found in any field."""

import math
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Literal, get_type_hints

import pytest

from specviz.pictures.shown import Shown
from specviz.trace import forest, record
from specviz.trace.check import first_problem
from specviz.trace.decisions import ByChance, Decision, GuessTest, PrefixTest, known_kinds
from specviz.trace.distribution import Distribution
from specviz.trace.ranges import Amount, Depth, NodeNumber, Probability, Token, numbers_of, ranges_of, without_range
from tests.beam_traces import BEAM_TRACES
from tests.decoded_traces import DECODED_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import mtad_trace, speculative_trace

MADE = RULE_TRACES | BEAM_TRACES | DECODED_TRACES
TRACES = [make() for make in (speculative_trace, mtad_trace, *MADE.values())]
RECORDS = (
    *(record.Call, record.Emitted, record.BeamRecord, record.Segment, record.Iteration, record.ModelRecord),
    *(record.MethodRecord, record.Header, record.Metrics, record.Trace),
    *(forest.Node, forest.LayerBeam, forest.Proposal, forest.Hypothesis, forest.Forest),
)


def shown(self, moment) -> Shown:
    raise NotImplementedError


def defined(*bases, rule="vote", show=shown, **types):
    """A class of decisions with fields of these types, as a class statement makes it."""
    of_rule = {"rule": Literal[rule]} if rule else {}
    body = {"__annotations__": types | of_rule, "__module__": __name__, **({"rule": rule} if rule else {})}
    return dataclass(frozen=True)(type("Vote", bases, body | ({"show": show} if show else {})))


GUESS = {"node": NodeNumber, "depth": Depth, "token": Token, "accepted": bool}
PREFIX = {"node": NodeNumber, "depth": Depth, "token": Token, "passes": bool, "kept": bool}
WRONG = {
    "of no kind": (
        (Decision,),
        {"node": NodeNumber},
        "is of nothing that is judged or drawn: derive it from GuessTest",
    ),
    "a guess that is none": ((ByChance,), GUESS | {"uniform": Probability}, "has the field accepted, but is no GuessT"),
    "a prefix that is none": ((GuessTest,), GUESS | PREFIX, "has the field passes, but is no PrefixTest: derive"),
    "a coin that is none": ((GuessTest,), GUESS | {"uniform": Probability | None}, "derive it from ByChance too"),
    "a coin without its number": ((GuessTest, ByChance), GUESS, "lacks what its kind has: add the fields uniform"),
    "no verdict": ((PrefixTest,), {"node": NodeNumber, "depth": Depth, "token": Token}, "add the fields passes, kept"),
    "a number of no range": ((GuessTest,), GUESS | {"score": float}, "what its numbers may be: give score a type of"),
    "several of no range": ((GuessTest,), GUESS | {"scores": tuple[float | None, ...]}, "give scores a type of trace"),
    "a whole number of no range": ((GuessTest,), GUESS | {"rank": int}, "give rank a type of trace/ranges.py"),
    "a rule there is": ((GuessTest,), GUESS | {"rule": "coin"}, "has the rule 'coin', which specviz.rules.token"),
    "no rule": ((GuessTest,), GUESS | {"rule": ""}, "says no rule: write rule: Literal"),
    "no view": ((GuessTest,), GUESS | {"show": None}, "cannot be shown: write show\\(self, moment\\), which returns"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_class_lacks_is_said_when_it_is_defined(name):
    bases, given, message = WRONG[name]
    with pytest.raises(TypeError, match=rf"test_kinds.Vote .*{message}"):
        defined(*bases, **given)
    assert "vote" not in {kind.rule for kind in known_kinds()}


def test_a_class_that_lacks_nothing_is_known(monkeypatch):
    monkeypatch.setattr("specviz.trace.decisions._KINDS", {kind.rule: kind for kind in known_kinds()})
    for _ in range(2):  # a cell of a notebook is run again
        vote = defined(GuessTest, **GUESS, score=Amount)
        assert known_kinds()[-1] is vote and len(known_kinds()) == len({kind.rule for kind in known_kinds()})
    assert vote(0, 1, 2, True, 0.5).passed and ranges_of(vote).keys() == {"depth", "score"}


@pytest.mark.parametrize("kind", [*known_kinds(), *RECORDS], ids=lambda kind: kind.__name__)
def test_every_number_says_what_it_may_be(kind):
    floats = {name for name in without_range(kind) if "float" in str(get_type_hints(kind)[name])}
    assert floats <= {"options"}
    assert kind not in known_kinds() or without_range(kind) == ()


RANGED = [
    (kind, name)
    for kind in (*known_kinds(), *RECORDS)
    for name in ranges_of(kind)
    if (kind, name) != (record.Metrics, "tokens")
]


def holders(thing, kind, path=()):
    """Where a trace holds objects of a class: each as the way to it."""
    if type(thing) is kind:
        yield path
    if isinstance(thing, Distribution):
        return
    if is_dataclass(thing):
        parts = [(one.name, getattr(thing, one.name)) for one in fields(thing)]
    else:
        parts = list(enumerate(thing)) if isinstance(thing, tuple) else []
    for name, part in parts:
        yield from holders(part, kind, (*path, name))


def changed(thing, path, name, value):
    """A copy of a trace in which the field of the object at the end of the way has another value."""
    if not path:
        return replace(thing, **{name: value})
    part = thing[path[0]] if isinstance(thing, tuple) else getattr(thing, path[0])
    other = changed(part, path[1:], name, value)
    if isinstance(thing, tuple):
        return (*thing[: path[0]], other, *thing[path[0] + 1 :])
    return replace(thing, **{path[0]: other})


@pytest.mark.parametrize(("kind", "name"), RANGED, ids=lambda one: getattr(one, "__name__", one))
def test_nonsense_in_any_field_is_found(kind, name):
    allowed, found = ranges_of(kind)[name], 0
    beyond = [math.nan, math.inf, -math.inf, allowed.low - 1, allowed.high + 1]
    for trace in TRACES:
        path = next(holders(trace, kind), None)
        for value in beyond if path is not None else ():
            now = trace
            for part in path:
                now = now[part] if isinstance(now, tuple) else getattr(now, part)
            held = getattr(now, name)
            wrong = (value,) if isinstance(held, tuple) else {"one": value} if isinstance(held, dict) else value
            problem = first_problem(changed(trace, path, name, wrong))
            assert problem is not None, (name, value)
            found += f"{name}" in problem and allowed.otherwise in problem
    assert found


def test_what_whole_numbers_stand_for():
    assert {name: one.what for name, one in numbers_of(GuessTest).items()} == {"node": "node", "token": "token"}
    assert ranges_of(forest.Forest).keys() == {"considered", "planned_depth"}
