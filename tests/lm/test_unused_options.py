"""An option of ``load_pair`` that would change nothing of the models at hand is refused by name, on the command line,
too."""

import pytest
import torch
from transformers import LlamaForCausalLM

from specviz.__main__ import main
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.parts.deciding import DecisionModel, save_deciders
from tests.tiny_pair import byte_tokenizer, write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture
def loaded(paths):
    return [LlamaForCausalLM.from_pretrained(path) for path in paths]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"device": "cuda:1"},
            "device='cuda:1' would change nothing: these models are loaded already, and stay on cpu",
        ),
        ({"device": "auto"}, "device='auto' would change nothing"),
        ({"dtype": "bfloat16"}, "dtype='bfloat16' would change nothing: .* stay in float32"),
        ({"dtype": "auto"}, "dtype='auto' would change nothing"),
    ],
)
def test_loaded_models_stay_what_they_are(loaded, options, message):
    with pytest.raises(ModelError, match=message) as caught:
        load_pair(*loaded, **options)
    assert caught.value.argument == next(iter(options))


def test_what_is_so_anyway_or_is_for_the_other_model_is_taken(paths, loaded):
    assert load_pair(*loaded, device="cpu", dtype="float32").target.model is loaded[0]
    mixed = load_pair(loaded[0], paths[1], dtype="bfloat16")
    assert (mixed.target.dtype, mixed.draft.dtype) == (torch.float32, torch.bfloat16)


def test_without_a_draft_its_options_are_refused(paths, tmp_path):
    save_deciders({"hidden": DecisionModel("hidden", 32, len(byte_tokenizer()))}, tmp_path / "deciders")
    for name, value in {"cost_ratio": 0.1, "deciders": tmp_path / "deciders"}.items():
        with pytest.raises(ModelError, match=f"{name}=.* would change nothing: there is no draft") as caught:
            load_pair(paths[0], device="cpu", **{name: value})
        assert caught.value.argument == name
    assert load_pair(*paths, device="cpu", cost_ratio=0.1, deciders=tmp_path / "deciders").deciders


def test_graphs_that_are_asked_for_and_cannot_be_are_refused(paths, monkeypatch):
    assert load_pair(*paths, device="cpu", graphs=True).target.graphs
    monkeypatch.setattr("specviz.lm.network.transformer._why_no_static", lambda model, wanted: "it is spread")
    with pytest.raises(ModelError, match="graphs=True, and 'target' has none: it is spread") as caught:
        load_pair(*paths, device="cpu", graphs=True)
    assert caught.value.argument == "graphs"
    assert load_pair(*paths, device="cpu", graphs=False).target.graphs_refused == "it is spread"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["bench", "--gpu", "--device", "cpu", "--draft", "a"], "draft='a' would change nothing: without a target"),
        (["lab", "--recorded", "--no-chat"], "chat=False would change nothing: recorded rows are shown"),
    ],
)
def test_commands_that_load_no_such_models_say_so(capsys, command, message):
    assert main(command) == 2
    assert message in capsys.readouterr().err
