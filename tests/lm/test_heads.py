"""Prediction heads: what they compute, how they are kept, and which pairs refuse them."""

import json

import pytest
import torch

from specviz.errors import ModelError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.heads import Heads, PredictionHeads, TableHeads, chain_tree, check_tree, choose_tree
from specviz.lm.table import TableLM
from tests.lm.models import tiny

TREE = ((0,), (1,), (0, 0), (0, 2))


def _heads(**arguments) -> PredictionHeads:
    torch.manual_seed(0)
    return PredictionHeads(3, 32, 61, **arguments)


def test_logits_are_the_paper_s_formula():
    heads, hidden = _heads(), torch.randn(1, 32)
    with torch.no_grad():
        for i in range(3):
            inner = hidden @ heads.linear[i].weight.T
            expected = (hidden + inner * torch.sigmoid(inner)) @ heads.projection[i].weight.T
            torch.testing.assert_close(heads.logits([1], hidden)[i], expected[0])
            torch.testing.assert_close(heads.logits([1], hidden[0])[i], expected[0])


def test_the_hidden_state_of_a_session_is_what_the_heads_read():
    model = TransformerLM(tiny("llama"), "tiny")
    scores = model.open(4, hidden=True).extend([3, 5, 7], [-1, 0, 1], last_only=True)
    heads = _heads()
    assert scores.hidden.shape == (1, 32) and heads.logits([3, 5, 7], scores.hidden).shape == (3, 61)
    with torch.no_grad():  # a head that changes nothing says what the model says
        heads.linear[0].weight.zero_()
        heads.projection[0].weight.copy_(model.model.get_output_embeddings().weight)
    torch.testing.assert_close(heads.logits([3, 5, 7], scores.hidden)[:1], scores.logits)


def test_saved_heads_are_the_same_heads(tmp_path):
    heads = _heads(target="abc", tree=TREE, accuracy=((0.5, 0.25), (0.3,), ()))
    with torch.no_grad():
        for weight in heads.parameters():
            weight.copy_(weight.bfloat16())
    heads.save(tmp_path / "some-heads")
    loaded = PredictionHeads.load(tmp_path / "some-heads")
    assert (loaded.name, loaded.target, loaded.tree, loaded.accuracy) == ("some-heads", "abc", TREE, heads.accuracy)
    assert loaded.fingerprint == heads.fingerprint != _heads().fingerprint
    hidden = torch.randn(32)
    assert torch.equal(loaded.logits([1], hidden), heads.logits([1], hidden))
    half = PredictionHeads.load(tmp_path / "some-heads", dtype=torch.bfloat16)
    assert half.linear[0].weight.dtype == torch.bfloat16 and half.logits([1], hidden).dtype == torch.float32
    assert half.fingerprint == heads.fingerprint


def test_the_nearest_heads_guess_as_before_with_a_tree_of_their_own():
    accuracy = ((0.6, 0.2), (0.5, 0.1), (0.4,))
    heads, hidden = _heads(target="abc", tree=TREE, accuracy=accuracy), torch.randn(32)
    few = heads.first(2)
    assert torch.equal(few.logits([1], hidden), heads.logits([1], hidden)[:2])
    assert (few.count, few.target, few.accuracy) == (2, "abc", accuracy[:2])
    assert few.tree == choose_tree(accuracy[:2]) and few.fingerprint != heads.fingerprint
    assert sum(weight.numel() for weight in few.parameters()) * 3 == sum(w.numel() for w in heads.parameters()) * 2
    tree = ((0,), (0, 0), (0, 0, 1), (1,))
    assert TableHeads.random(5, 3, 1, tree=tree).first(2).tree == ((0,), (0, 0), (1,))  # nothing is known: what is left
    whole = TableHeads.random(5, 3, 1)
    assert torch.equal(whole.first(1).logits([1, 2], None), whole.logits([1, 2], None)[:1])


def _without_config(folder):
    (folder / "config.json").unlink()


def _damaged(folder):
    (folder / "heads.safetensors").write_bytes(b"nothing")


def _other_shape(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"width": 16}))


def _no_count(folder):
    (folder / "config.json").write_text("{}")


@pytest.mark.parametrize("damage", [_without_config, _damaged, _other_shape, _no_count])
def test_damaged_files_are_refused_by_name(tmp_path, damage):
    _heads().save(tmp_path / "broken")
    damage(tmp_path / "broken")
    with pytest.raises(ModelError, match=r"heads '.*broken' could not be loaded: ."):
        PredictionHeads.load(tmp_path / "broken")


@pytest.mark.parametrize("hidden", [None, torch.zeros(31), torch.zeros(2, 32)])
def test_a_missing_or_foreign_hidden_state_is_refused(hidden):
    with pytest.raises(ModelError, match=r"hidden must be the target's last hidden state, \[32\], got"):
        _heads().logits([1], hidden)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (((0,), (0,)), "all different"),
        (tuple((i,) for i in range(65)), "at most 64 nodes"),
        (((0, 0),), r"lacks its parent \(0,\)"),
        (((0,), (0, 0), (0, 0, 0)), "must hold 1 to 2 ranks"),
        (((),), "must hold 1 to 2 ranks"),
        (((200,),), r"each in 0..99"),
    ],
)
def test_unsound_trees_are_refused(tree, message):
    with pytest.raises(ModelError, match=message):
        check_tree(tree, 2, 100)


def test_the_chain_is_a_tree():
    assert chain_tree(3) == ((0,), (0, 0), (0, 0, 0))
    check_tree(chain_tree(3), 3, 5)


def test_table_heads_give_log_probabilities_in_double():
    heads = TableHeads([lambda context: [0.5, 0.5, 0.0], lambda context: [0.0, 0.0, 1.0]], 3)
    logits = heads.logits([1, 2], None)
    assert logits.dtype == torch.float64 and logits.exp().tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    assert heads.tree == ((0,), (0, 0))


def test_random_table_heads_depend_on_context_head_and_seed():
    heads: Heads = TableHeads.random(4, 2, seed=1)
    first = heads.logits((1, 2), None)
    assert torch.equal(first, TableHeads.random(4, 2, seed=1).logits([1, 2], None))
    torch.testing.assert_close(first.exp().sum(1), torch.ones(2, dtype=torch.float64))
    others = (heads.logits((2, 1), None)[0], first[1], TableHeads.random(4, 2, seed=2).logits((1, 2), None)[0])
    assert not any(torch.equal(first[0], other) for other in others)


@pytest.mark.parametrize("row", [[0.5, 0.6], [1.5, -0.5], [1.0]])
def test_table_heads_must_give_probabilities(row):
    with pytest.raises(ModelError, match="must give 2 nonnegative numbers that sum to 1"):
        TableHeads([lambda context: row], 2).logits([0], None)


def test_a_pair_refuses_heads_of_another_vocabulary_or_width():
    with pytest.raises(
        ModelError, match="heads 'random heads 0' has a vocabulary of 4, target 'random table 0' one of 5"
    ):
        ModelPair(TableLM.random(5, 0), heads=TableHeads.random(4, 2, 0))
    target = TransformerLM(tiny("llama"), "tiny")
    assert ModelPair(target, heads=_heads()).heads.count == 3
    with pytest.raises(ModelError, match="reads hidden states of width 16, target 'tiny' has width 32"):
        ModelPair(target, heads=PredictionHeads(2, 16, 61))
