"""Numbers of files, as large as they may be and larger, and half characters: refused by name, or shown as what they
are."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from specviz import decode
from specviz.errors import LARGEST, SpecvizError, TraceError
from specviz.trace.store import trace_from_json, trace_from_parsed, trace_to_json
from specviz.ui.island import answering
from specviz.ui.pages.library import FIGURES, figure, open_text, save
from specviz.ui.pages.microscope import microscope_calls
from specviz.ui.serving.runs import KeptRuns
from tests.traces import mtad_trace, speculative_trace

FILES = {make.__name__: trace_to_json(make()) for make in (speculative_trace, mtad_trace)}


def numbers(parsed: Any, path: tuple = ()) -> Iterator[tuple]:
    """The path of every number; table of distributions aside, whose numbers are probabilities or sum to them."""
    if isinstance(parsed, dict | list):
        for key, value in parsed.items() if isinstance(parsed, dict) else enumerate(parsed):
            if (*path, key) != ("distributions",):
                yield from numbers(value, (*path, key))
    elif isinstance(parsed, int | float) and not isinstance(parsed, bool):
        yield path


def kind(path: tuple) -> str:
    return ".".join("*" if isinstance(part, int) else part for part in path)


KINDS = sorted({(name, kind(path)) for name, text in FILES.items() for path in numbers(json.loads(text))})


def filled(name: str, wanted: str, value: float) -> dict[str, Any]:
    """The file with this value for every number of a kind."""
    parsed = json.loads(FILES[name])
    for path in numbers(parsed):
        if kind(path) == wanted:
            holder = parsed
            for part in path[:-1]:
                holder = holder[part]
            holder[path[-1]] = value
    return parsed


@pytest.mark.tries("files", count=4)
@pytest.mark.parametrize("name, wanted", KINDS)
def test_a_number_that_sums_do_not_survive_is_refused_by_name(name, wanted):
    for value in (1.7e308, -1e308, 10**400, 10**31):
        with pytest.raises(TraceError) as refused:
            trace_from_parsed(filled(name, wanted, value))
        assert str(refused.value).startswith(wanted.split(".")[0]), refused.value


def strict(text: str) -> Any:
    def refuse(number: str) -> None:
        raise AssertionError(f"{number} in an answer")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.every(11)
@pytest.mark.tries("files", count=2)
@pytest.mark.parametrize("name, wanted", KINDS)
def test_no_answer_about_the_largest_numbers_holds_one_that_is_none(name, wanted, caplog):
    caplog.set_level(logging.CRITICAL)
    for value in (LARGEST, -LARGEST, int(LARGEST)):
        runs = KeptRuns()
        try:
            opened = open_text(runs, json.dumps(filled(name, wanted, value)))
        except SpecvizError as error:
            assert len(str(error)) > 20 and "Error:" not in str(error)
            continue
        strict(json.dumps(opened))
        run = opened["race"]["run"]
        for key in FIGURES:
            strict(figure(runs, {"run": run, "key": key})["figure"])
        strict(save(runs, {"lanes": [[run, 0]]})["text"])
        calls = {name: answering(call) for name, call in microscope_calls(runs).items()}
        for index in (0, 1):
            asked = {"run": run, "lane": 0, "iteration": index}
            assert "error" not in strict(calls["iteration"](asked))
            strict(calls["replay"](asked))


def test_a_prompt_with_half_a_character_is_recorded_as_it_was_read(loader):
    trace = decode(loader.pair, "autoregressive", "a\ud800b", max_new_tokens=2)
    assert trace.header.prompt_text == "a?b" and tuple(loader.pair.encode("a?b")) == trace.header.prompt_tokens
    assert trace_from_json(trace_to_json(trace)) == trace
