"""What Python sends is what its types say, and the scripts' types are made from those."""

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from specviz.decoding.exact.judge import finished
from specviz.decoding.run.loop import decode
from specviz.lab.lessons.lesson import lesson_data
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.pictures.data import KIND, unpacked
from specviz.pictures.shapes import Bars, Picture
from specviz.trace.bundle import bundle_to_json
from specviz.trace.store import trace_to_json
from specviz.ui.island import answering
from specviz.ui.messages.forest import ComparedVerdicts, DraftedMessage, ForestSetup, OpenedForest, VerdictAnswer
from specviz.ui.messages.header import HeaderSetup
from specviz.ui.messages.lab import LabSetup
from specviz.ui.messages.library import LessonsSetup, LibrarySetup, OpenedFile, RaceFigure, SavedFile, Shelf, ShownRace
from specviz.ui.messages.microscope import FileAnswer, MicroscopePayload, ReplayAnswer
from specviz.ui.messages.race import RaceSetup, RefusedMessage, WaitingMessage
from specviz.ui.page import build_page
from specviz.ui.pages import library
from specviz.ui.pages.forest import compare_verdicts, draft_messages, judge_forest, open_forest
from specviz.ui.pages.forest_source import Forests
from specviz.ui.pages.microscope import microscope_calls
from specviz.ui.pages.race import race_messages
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns
from specviz.views.lessons.lesson import find_lesson, gallery_runs
from specviz.views.race.race_types import RaceMessage
from specviz.views.story import payload_types as payloads
from tests.player.typescript import FILE, typescript
from tests.recorded import load_gallery
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace
from tests.ui.test_messages import Letters

RUN = "ab" * 16
WARP = {"temperature": 1.0, "top_k": None, "top_p": None}


def misfits(value: Any, hint: Any, where: str = "") -> Iterator[str]:
    """Where JSON data is not what a type says."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        if not isinstance(value, dict) or not hint.__required_keys__ <= value.keys() <= hints.keys():
            yield f"{where}: {sorted(value) if isinstance(value, dict) else value!r} is no {hint.__name__}"
            return
        for key, part in value.items():
            yield from misfits(part, hints[key], f"{where}.{key}")
    elif is_dataclass(hint):
        hints, needed = get_type_hints(hint), {one.name for one in fields(hint) if one.default is MISSING} | {KIND}
        if not isinstance(value, dict) or not needed & hints.keys() <= value.keys() <= hints.keys():
            yield f"{where}: {sorted(value) if isinstance(value, dict) else value!r} is no {hint.__name__}"
            return
        for key, part in value.items():
            yield from misfits(part, hints[key], f"{where}.{key}")
    elif origin in (Union, UnionType):
        if all(any(misfits(value, one)) for one in arguments):
            yield from misfits(value, arguments[0], where)
    elif origin is Literal:
        if value not in arguments:
            yield f"{where}: {value!r}"
    elif origin is tuple and arguments[-1] is Ellipsis:
        yield from misfits(value, list[arguments[0]], where)
    elif origin is tuple:
        if not isinstance(value, list) or len(value) != len(arguments):
            yield f"{where}: {value!r} is no {hint}"
        else:
            for at, part in enumerate(value):
                yield from misfits(part, arguments[at], f"{where}[{at}]")
    elif origin in (list, dict):
        if not isinstance(value, origin):
            yield f"{where}: {value!r} is no {hint}"
        else:
            for key, part in value.items() if origin is dict else enumerate(value):
                yield from misfits(part, arguments[-1], f"{where}[{key}]")
    elif hint is not Any:
        kinds = {float: (int, float)}.get(hint, hint)
        if not isinstance(value, kinds) or (isinstance(value, bool) and hint is not bool):
            yield f"{where}: {value!r} is no {getattr(hint, '__name__', hint)}"


def check(value: Any, hint: Any) -> None:
    assert list(misfits(json.loads(json.dumps(value)), hint)) == []


@pytest.mark.parametrize(
    "value, hint",
    [
        ({"kind": "waiting", "form": "x", "queue_position": "1", "text": ""}, WaitingMessage),
        ({"kind": "waiting", "form": "x", "queue_position": 1}, WaitingMessage),
        ({"kind": "gone", "form": "x", "queue_position": 1, "text": ""}, WaitingMessage),
        ({"kind": "drafted", "form": "x", "id": "x", "more": 1}, DraftedMessage),
        ([["a", 1]], list[tuple[str, str]]),
        ({"a": None}, dict[str, float]),
        (True, int | None),
        ({"kind": "bars", "rows": []}, Bars),
        ({"rows": [], "most": 1}, Bars),
        ({"kind": "bars", "rows": [{"label": "a", "bars": [], "mark": 1}], "most": 1}, Bars),
    ],
)
def test_a_misfit_is_found(value, hint):
    assert list(misfits(value, hint))


def test_the_scripts_types_are_fresh():
    assert FILE.read_text(encoding="utf-8") == typescript(), "python -m tests.player.typescript"


@pytest.fixture(scope="module")
def lived():
    pair = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1), tokenizer=Letters())
    made = {"beams": 3, "gamma": 3, "tau": 0.5}
    return pair, (
        decode(pair, "speculative", "abc", max_new_tokens=12, seed=3, gamma=3, **WARP),
        decode(pair, "mtad", "abc", max_new_tokens=12, seed=3, **made, **WARP),
        decode(pair, "autoregressive", "abc", max_new_tokens=3, seed=3, **WARP),
    )


@pytest.fixture(scope="module")
def runs(lived):
    runs = KeptRuns((autoregressive_trace(), speculative_trace(), mtad_trace()))
    runs.keep(RUN, (*lived[1], None))
    return runs


@pytest.fixture(scope="module")
def loader(lived):
    loader = PairLoader(lambda: lived[0])
    loader.start()
    assert loader.wait(10)
    return loader


def test_steps(runs):
    calls = {name: answering(call) for name, call in microscope_calls(runs).items()}
    for lane in range(3):
        step = {"run": RUN, "lane": lane, "iteration": 0}
        check(json.loads(calls["iteration"](step)), MicroscopePayload)
        check(json.loads(calls["trace"](step)), FileAnswer)
    step = {"run": RUN, "lane": 0, "iteration": 0}
    coins = json.loads(calls["iteration"](step))["changeable"]["coins"]
    changes = {"coins": {str(coins[0]["decision"]): 0.5}}
    check(json.loads(calls["replay"](step | changes)), ReplayAnswer)
    check(json.loads(calls["step"](step)), FileAnswer)


def test_races(lived, runs, loader):
    lanes = [{"method": name, "options": {}} for name in ("autoregressive", "speculative")]
    form = {"run": RUN, "prompt": "abc", "lanes": lanes, "shared": {}, "max_new_tokens": 4, "seed": 0}
    told = list(race_messages(loader, KeptRuns(), Device(), form))
    assert told[-1]["state"] == "finished"
    refused = list(race_messages(loader, KeptRuns(), Device(), form | {"lanes": []}))
    for message in [*told, *refused]:
        check(message, RaceMessage | WaitingMessage | RefusedMessage)


def test_forests(runs, loader):
    forests = Forests(runs)
    source = {"run": RUN, "lane": 0, "step": 0, "warp": {}}
    check(open_forest(forests, {"source": source}), OpenedForest)
    check(finished(judge_forest(forests, {"source": source, "verifier": "token", "seed": 1})), VerdictAnswer)
    pair = [{"verifier": "token"}, {"verifier": "joint"}]
    check(finished(compare_verdicts(forests, {"source": source, "pair": pair, "seed": 1})), ComparedVerdicts)
    form = {"form": "x", "prompt": "abc", "drafter": "chain", "options": {}, "seed": 0}
    for asked in (form, form | {"drafter": "nobody"}):
        for message in draft_messages(loader, forests, Device(), asked):
            check(message, DraftedMessage | WaitingMessage | RefusedMessage)


def test_the_library(lived, runs):
    check(library.shelf(runs, {"runs": [RUN, "gone"]}), Shelf)
    check(library.show(runs, {"run": RUN}), ShownRace)
    check(library.save(runs, {"lanes": [[RUN, 0]]}), SavedFile)
    check(library.open_text(runs, trace_to_json(lived[1][0])), OpenedFile)
    bundle = bundle_to_json(lived[1][:2], {"view": "race"})
    check(library.open_text(runs, bundle), OpenedFile)
    check(library.figure(runs, {"run": RUN, "key": "dials"}), RaceFigure)


def test_lessons_and_files():
    lesson = find_lesson("coin", gallery_runs())
    data = lesson_data(lesson)
    check(data, payloads.LessonData)
    for shown in data["pictures"]:
        for picture in json.loads(json.dumps(shown["pictures"])).values():
            check(unpacked(picture, shown["fields"]), Picture)


def test_setups(loader):
    with build_page(loader, load_gallery()) as page:
        setups = {
            block.elem_id: json.loads(block.props["setup"]) for block in page.blocks.values() if _is_island(block)
        }
    kinds = {
        "sv-header": HeaderSetup,
        "sv-lab": LabSetup,
        "sv-race": RaceSetup,
        "sv-forest": ForestSetup,
        "sv-lessons": LessonsSetup,
        "sv-library": LibrarySetup,
        "sv-microscope": NoneType,
    }
    assert setups.keys() == kinds.keys()
    for name, hint in kinds.items():
        check(setups[name], hint)


def _is_island(block: Any) -> bool:
    return (getattr(block, "elem_id", None) or "").startswith("sv-")
