"""Whatever is sent in place of a request is refused in a short sentence, with a code; nothing is converted."""

import json

import pytest

from specviz.errors import SpecvizError
from specviz.ui.api import DecodeRequest, JudgeRequest
from specviz.ui.island import answering
from specviz.ui.pages.forest import PairRequest, VerdictRequest, open_forest
from specviz.ui.pages.forest_source import DraftForm, Forests, RecordedSource
from specviz.ui.pages.lab_sweeps import SweepFigureRequest, SweepFileRequest, SweepRequest, SweepRunsRequest
from specviz.ui.pages.library import LanesRequest, RunFigureRequest, ShelfRequest
from specviz.ui.pages.microscope import ChangesRequest, StepFigureRequest, StepRequest, microscope_calls
from specviz.ui.pages.race import race_messages
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.settings import RaceForm, Refusal, read

STEP = {"run": "ab" * 16, "lane": 0, "iteration": 0}
VERIFIER = {"verifier": "token", "options": {}}
DECODE = {"prompt": "abc", "method": "mtad", "options": {}, "max_new_tokens": 4, "seed": 0}
SWEEP = {"id": "ab" * 16}
LANE = {"method": "mtad", "options": {}}
GOOD = {
    RaceForm: {"run": "0" * 32, "prompt": "abc", "lanes": [LANE, LANE], "shared": {}, "max_new_tokens": 4, "seed": 0},
    DraftForm: {"prompt": "abc", "drafter": "tree", "options": {}, "seed": 0},
    RecordedSource: {"run": "ab" * 16, "lane": 0, "step": 0},
    VerdictRequest: {"source": {}, **VERIFIER},
    PairRequest: {"source": {}, "pair": [VERIFIER]},
    StepRequest: STEP,
    ChangesRequest: STEP | {"coins": {"1": 0.5}, "options": {}},
    StepFigureRequest: STEP | {"figure": "mask", "format": "png"},
    ShelfRequest: {"runs": []},
    LanesRequest: {"lanes": [["ab" * 16, 0]]},
    RunFigureRequest: {"key": "dials", "run": "ab" * 16},
    SweepRequest: SWEEP,
    SweepFileRequest: SWEEP | {"format": "csv"},
    SweepRunsRequest: SWEEP | {"setting": "mtad"},
    SweepFigureRequest: SWEEP | {"key": "alpha"},
    DecodeRequest: DECODE,
    JudgeRequest: {"prompt": "abc", "drafter": "tree", "verifiers": ["token"], "options": {}, "seed": 0},
}
NUMBERS = {"seed", "max_new_tokens", "lane", "step", "iteration"}


def deep() -> list:
    nested: list = []
    for _ in range(50_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize("model", GOOD, ids=lambda model: model.__name__)
def test_hostile_requests_are_refused_in_a_short_sentence(model):
    assert read(model, GOOD[model])
    wrong = [None, 7, [], "x", True, {}, {"x": 1}, GOOD[model] | {"surprise": 1}, GOOD[model] | {"\ud800": 1}]
    for name in NUMBERS & GOOD[model].keys():
        hostile = (True, 1.5, 1.0, "1", None, -1, float("nan"), float("inf"), [1], {"a": 1}, deep(), -(10**5000))
        wrong += [GOOD[model] | {name: value} for value in hostile]
    for request in wrong:
        with pytest.raises(Refusal) as refused:
            read(model, request)
        assert 0 < len(str(refused.value)) < 900 and refused.value.code and "pydantic" not in str(refused.value)
        json.dumps(str(refused.value))


def test_a_form_refuses_options_that_are_none_of_a_kind():
    form = GOOD[RaceForm] | {"run": "0" * 32}
    for value in (10**5000, deep(), "x" * 10**6, {"a": 1}, float("nan"), True):
        lanes = [LANE, {"method": "mtad", "options": {"tau": value}}]
        loader = PairLoader(lambda: None)
        (told,) = race_messages(loader, KeptRuns(), Device(), form | {"lanes": lanes})
        assert (told["kind"], told["field"], told["code"]) == ("refused", "lane-2-tau", "option")
        assert len(told["message"]) < 300


def test_what_is_no_longer_kept_says_so_by_its_code():
    runs = KeptRuns()
    for name, call in microscope_calls(runs).items():
        more = {"figure": "mask", "format": "png"} if name == "figure" else {}
        assert json.loads(answering(call)(STEP | more))["code"] == "gone"
    for source in ({"id": "nothing"}, {"run": "ab" * 16, "lane": 0, "step": 0}):
        with pytest.raises(SpecvizError) as refused:
            open_forest(Forests(runs), {"source": source})
        assert refused.value.code == "gone"
