"""The trie cache of real transformers: a tree scored at once equals its paths scored one at a time."""

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import (
    RobertaConfig,
    RobertaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from specviz.errors import ModelError
from specviz.lm.network.suitable import refuse_unsuitable
from specviz.lm.network.transformer import TransformerLM
from tests.lm.models import CONTEXT, FAMILIES, VOCABULARY, tiny
from tests.lm.test_trie import ancestors, parent_lists

MODELS = {}


def model_of(family: str) -> TransformerLM:
    if family not in MODELS:
        MODELS[family] = TransformerLM(tiny(family), family)
    return MODELS[family]


def logits_of_path(model: TransformerLM, tokens) -> torch.Tensor:
    """The stock forward pass, no cache: logits after the last token."""
    with torch.inference_mode():
        return model.model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0, -1]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parents=parent_lists(), data=st.data())
def test_tree_logits_equal_path_logits(family, parents, data):
    model = model_of(family)
    tokens = data.draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=len(parents), max_size=len(parents)))
    pieces = data.draw(st.integers(1, 3))
    session, cut, rows = model.open(len(parents)), max(1, len(parents) // pieces), []
    for start in range(0, len(parents), cut):
        rows.append(session.extend(tokens[start : start + cut], parents[start : start + cut]).logits)
    logits = torch.cat(rows)
    for row in range(len(parents)):
        path = [tokens[ancestor] for ancestor in sorted(ancestors(parents, row))]
        torch.testing.assert_close(logits[row], logits_of_path(model, path), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("last_only", [False, True])
def test_a_long_call_is_made_in_pieces(monkeypatch, last_only):
    model = TransformerLM(tiny("llama"), "pieces")
    tokens, parents = [3, 1, 4, 1, 5, 9, 2], [-1, 0, 1, 1, 3, 0, 4]
    whole = model.open(7, hidden=True).extend(tokens, parents, last_only=last_only)
    monkeypatch.setattr("specviz.lm.network.cache.GrowingCache.longest_call", 3)
    session = model.open(7, hidden=True)
    pieces = session.extend(tokens, parents, last_only=last_only)
    assert len(whole.logits) == len(pieces.logits) == (1 if last_only else 7) and len(session.trie) == 7
    torch.testing.assert_close(whole.logits, pieces.logits, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(whole.hidden, pieces.hidden, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=12, deadline=None)
@given(parents=parent_lists(), data=st.data())
def test_keep_leaves_the_next_logits_unchanged(family, parents, data):
    model = model_of(family)
    tokens = data.draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=len(parents), max_size=len(parents)))
    leaves = data.draw(st.sets(st.integers(0, len(parents) - 1), min_size=1))
    rows = sorted(set().union(*(ancestors(parents, leaf) for leaf in leaves)))
    session = model.open(len(parents) + 4)
    session.extend(tokens, parents)
    session.keep(rows)
    parent = data.draw(st.integers(0, len(rows) - 1))
    following = session.extend([7, 9], [parent, len(rows)]).logits
    path = [tokens[ancestor] for ancestor in sorted(ancestors(parents, rows[parent]))]
    torch.testing.assert_close(following[0], logits_of_path(model, [*path, 7]), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(following[1], logits_of_path(model, [*path, 7, 9]), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_models_follow_the_tree(dtype):
    model = TransformerLM(tiny("llama").to(dtype), "half")
    session = model.open(4)
    logits = session.extend([3, 5, 7], [-1, 0, 0]).logits
    assert logits.dtype == torch.float32  # the likeliest are not rounded
    torch.testing.assert_close(logits[2], logits_of_path(model, [3, 7]).float(), atol=0.1, rtol=0.05)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU on this machine")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_cuda_equals_cpu(dtype):
    on_gpu = TransformerLM(tiny("llama").to("cuda", dtype), "gpu")
    on_cpu = TransformerLM(tiny("llama"), "cpu")
    tokens, parents = [3, 5, 7, 9], [-1, 0, 0, 2]
    gpu = on_gpu.open(4).extend(tokens, parents).logits.float().cpu()
    cpu = on_cpu.open(4).extend(tokens, parents).logits
    torch.testing.assert_close(gpu, cpu, atol=1e-3 if dtype == torch.float32 else 0.3, rtol=0.05)


def test_last_only_gives_the_last_row():
    model = model_of("llama")
    whole = model.open(3).extend([3, 5, 7], [-1, 0, 1]).logits
    last = model.open(3).extend([3, 5, 7], [-1, 0, 1], last_only=True).logits
    assert last.shape == (1, VOCABULARY)
    torch.testing.assert_close(last[0], whole[2], atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_hidden_states_are_what_the_vocabulary_projection_reads(family):
    model = model_of(family)
    session = model.open(6, hidden=True)
    prompt = session.extend([3, 5], [-1, 0], last_only=True)
    tree = session.extend([7, 9, 2], [1, 1, 2])
    assert prompt.hidden.shape == (1, model.shape.width) and tree.hidden.shape == (3, model.shape.width)
    with torch.inference_mode():
        for scores in (prompt, tree):
            again = model.model.get_output_embeddings()(scores.hidden)
            torch.testing.assert_close(again, scores.logits, atol=1e-5, rtol=1e-5)
        inputs = torch.tensor([[3, 5, 7, 2]])
        alone = model.model(input_ids=inputs, use_cache=False, output_hidden_states=True).hidden_states[-1][0, -1]
    if family != "opt":  # whose list may end before its last norm
        torch.testing.assert_close(tree.hidden[2], alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("last_only", [False, True])
def test_hidden_states_are_left_out_unless_asked_for(last_only):
    model = model_of("llama")
    assert model.open(3).extend([3, 5], [-1, 0], last_only=last_only).hidden is None
    assert not model.model.get_output_embeddings()._forward_pre_hooks
    model.open(3, hidden=True).extend([3, 5], [-1, 0], last_only=last_only)
    assert not model.model.get_output_embeddings()._forward_pre_hooks


def test_the_fingerprint_tells_weights_apart():
    assert TransformerLM(tiny("llama", 0), "a").fingerprint == TransformerLM(tiny("llama", 0), "b").fingerprint
    assert TransformerLM(tiny("llama", 0), "a").fingerprint != TransformerLM(tiny("llama", 1), "a").fingerprint


def test_shape_and_context_are_read():
    model = model_of("gpt2")
    assert model.shape.layers == 2 and model.shape.width == 32 and model.context == CONTEXT
    assert model.shape.parameters == sum(p.numel() for p in model.model.parameters())


def test_an_encoder_decoder_is_refused_by_name():
    config = T5Config(vocab_size=VOCABULARY, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    with pytest.raises(ModelError, match="'five' is an encoder-decoder"):
        TransformerLM(T5ForConditionalGeneration(config), "five")


def test_a_model_that_ignores_the_mask_is_refused(monkeypatch):
    model = tiny("opt")
    stock = type(model).forward

    def forward(self, *args, attention_mask=None, **kwargs):
        if attention_mask is not None:
            attention_mask = torch.ones_like(attention_mask).tril()
        return stock(self, *args, attention_mask=attention_mask, **kwargs)

    monkeypatch.setattr(type(model), "forward", forward)
    with pytest.raises(ModelError, match="follows no tree mask"):
        TransformerLM(model, "blind")


def test_a_model_whose_positions_are_its_own_is_refused():
    """Roberta counts positions from the padding id on: its cache rows cannot be placed by depth alone."""
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48,
        max_position_embeddings=CONTEXT, is_decoder=True, pad_token_id=1,
    )  # fmt: skip
    model = RobertaForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(8.0)
    with pytest.raises(ModelError, match="follows no tree mask"):
        TransformerLM(model, "roberta")


def test_a_window_in_a_nested_configuration_is_found():
    from transformers import Gemma3Config, Gemma3TextConfig

    text = Gemma3TextConfig(num_hidden_layers=2, layer_types=["sliding_attention", "full_attention"])
    refuse_unsuitable(Gemma3Config(text_config=text), "gemma3")
    text.sliding_window = None
    with pytest.raises(ModelError, match="sliding_attention"):
        refuse_unsuitable(Gemma3Config(text_config=text), "gemma3")


def test_out_of_memory_is_explained(monkeypatch):
    model = TransformerLM(tiny("opt"), "large")
    session = model.open(4)

    def fail(*args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(model.model, "forward", fail)
    with pytest.raises(ModelError, match="out of memory on cpu while 'large' held 1 cache rows"):
        session.extend([1], [-1])
