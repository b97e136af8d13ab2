"""Decision models: their inputs, their layers, how they are kept, and which pairs refuse them."""

import json
import math

import pytest
import torch

from specviz.errors import ModelError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.deciding import DecisionModel, FunctionDecider, entropy_inputs, load_deciders, save_deciders
from tests.lm.models import tiny


def _decider(kind: str) -> DecisionModel:
    torch.manual_seed(0)
    return DecisionModel(kind, 32, 61, draft="abc")


def test_the_entropy_inputs_are_top_probabilities_and_entropy():
    probs = torch.tensor([[0.5, 0.125, 0.25, 0.125], [0.0, 1.0, 0.0, 0.0]])
    inputs = entropy_inputs(probs.log())
    assert inputs.shape == (2, 11)
    assert inputs[0].tolist() == pytest.approx([0.5, 0.25, 0.125, 0.125, *[0.0] * 6, 1.75 * math.log(2)])
    assert inputs[1].tolist() == pytest.approx([1.0, *[0.0] * 10])


def test_the_inputs_do_not_depend_on_the_logits_level():
    logits = torch.randn(3, 61)
    torch.testing.assert_close(entropy_inputs(logits), entropy_inputs(logits + 5), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("kind", "layers"), [("hidden", 3), ("entropy", 2)])
def test_the_layers_are_the_paper_s(kind, layers):
    assert sum(isinstance(layer, torch.nn.Linear) for layer in _decider(kind).layers) == layers


@pytest.mark.parametrize("kind", ["hidden", "entropy"])
def test_estimates_are_chances_of_each_row_whatever_the_token(kind):
    decider, logits, hidden = _decider(kind), torch.randn(3, 61), torch.randn(3, 32)
    estimates = decider.estimate(logits, hidden, [1, 2, 3])
    assert len(set(estimates)) == 3 and all(0 < estimate < 1 for estimate in estimates)
    assert decider.estimate(logits, hidden, [3, 1, 1]) == estimates
    for row in range(3):
        alone = decider.estimate(logits[row : row + 1], hidden[row : row + 1], [2])
        assert alone == pytest.approx(estimates[row : row + 1])
    changed = decider.estimate(logits.flip(1) * 2, hidden, [1, 2, 3])
    assert (changed == estimates) == (kind == "hidden")
    changed = decider.estimate(logits, hidden + 1, [1, 2, 3])
    assert (changed == estimates) == (kind == "entropy")


@pytest.mark.parametrize("hidden", [None, torch.zeros(2, 31)])
def test_a_missing_or_foreign_hidden_state_is_refused(hidden):
    with pytest.raises(ModelError, match=r"hidden must be the draft's last hidden states, \[n, 32\], got"):
        _decider("hidden").estimate(torch.zeros(2, 61), hidden, [1, 2])


def test_saved_deciders_are_the_same(tmp_path):
    deciders = {kind: _decider(kind) for kind in ("hidden", "entropy")}
    deciders["hidden"].usual = 0.7
    save_deciders(deciders, tmp_path / "some-deciders")
    loaded = load_deciders(tmp_path / "some-deciders")
    logits, hidden = torch.randn(4, 61), torch.randn(4, 32)
    for kind, decider in deciders.items():
        assert loaded[kind].estimate(logits, hidden, [0] * 4) == decider.estimate(logits, hidden, [0] * 4)
        assert (loaded[kind].name, loaded[kind].draft) == (f"some-deciders/{kind}", "abc")
    assert [loaded[kind].usual for kind in deciders] == [0.7, 0.4]


def test_files_without_a_threshold_have_that_of_the_paper(tmp_path):
    save_deciders({"hidden": _decider("hidden")}, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["hidden"]["usual"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert load_deciders(tmp_path)["hidden"].usual == 0.4


@pytest.mark.parametrize("content", [None, "{", '{"hidden": {}}', '{"hidden": 3}', "[1]"])
def test_damaged_files_are_refused_by_name(tmp_path, content):
    save_deciders({"hidden": _decider("hidden")}, tmp_path)
    (tmp_path / "config.json").unlink()
    if content:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(ModelError, match=r"deciders '.*' could not be loaded"):
        load_deciders(tmp_path)


def test_unknown_kinds_are_refused():
    with pytest.raises(ModelError, match="kind must be one of hidden, entropy, got 'other'"):
        DecisionModel("other", 32, 61)


def test_deciders_given_by_functions():
    logits = torch.zeros(2, 5)
    assert FunctionDecider(0.25).estimate(logits, None, [4, 1]) == [0.25, 0.25]
    assert FunctionDecider(lambda token: token / 10).estimate(logits, None, [4, 1]) == [0.4, 0.1]


def test_a_pair_refuses_deciders_of_another_draft():
    target, draft = TransformerLM(tiny("llama"), "tiny"), TransformerLM(tiny("gpt2"), "small")
    assert ModelPair(target, draft, deciders={"hidden": _decider("hidden")}).deciders
    with pytest.raises(ModelError, match="decider 'hidden decider' reads hidden states of width 16, draft 'small'"):
        ModelPair(target, draft, deciders={"hidden": DecisionModel("hidden", 16, 61)})
    with pytest.raises(ModelError, match="decider 'entropy decider' has a vocabulary of 60, draft 'small' one of 61"):
        ModelPair(target, draft, deciders={"entropy": DecisionModel("entropy", 32, 60)})
