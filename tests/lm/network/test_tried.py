"""What is looked at when a model is made: numbers for tokens from all of its vocabulary."""

import pytest
import torch
from transformers import LlamaForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.transformer import TransformerLM
from tests.lm.models import tiny
from tests.tiny_pair import write_pair


@pytest.mark.parametrize("token", [0, 1, 40, 57, 59])
def test_a_model_is_tried_with_tokens_from_all_of_its_vocabulary(token):
    model = tiny("opt")
    with torch.no_grad():
        model.get_input_embeddings().weight[token] = float("nan")
    with pytest.raises(
        ModelError, match=r"^model 'broken' \(opt\) cannot be used: it gives NaN for logits at position"
    ):
        TransformerLM(model, "broken")


def test_a_model_that_overflows_is_not_loaded_and_another_dtype_is(tmp_path):
    target, draft = write_pair(tmp_path)
    model = LlamaForCausalLM.from_pretrained(target)
    with torch.no_grad():
        model.lm_head.weight.mul_(1e6)
    model.save_pretrained(target)
    for given, argument in (((target, draft), "target"), ((draft, target), "draft")):
        with pytest.raises(
            ModelError, match=r"^model 'target' \(llama\) cannot be used: it gives .* in float16"
        ) as caught:
            load_pair(*given, device="cpu", dtype="float16")
        assert "use dtype='bfloat16' or 'float32'" in str(caught.value) and caught.value.argument == argument
        assert specviz.decode(load_pair(*given, device="cpu"), "speculative", "Once", max_new_tokens=3).tokens
