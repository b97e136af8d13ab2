"""The rivals do what we say they do: same distribution, same length, constant gamma, and nothing of the pair is
changed."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from specviz.decoding.run.loop import decode
from specviz.lab.rivals import transformers
from specviz.lab.sweep.written import logprobs_of
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.zoo.draft.fresh import fresh_draft

PROMPT = tuple(range(5, 25))
WARP = {"temperature": 1.0, "top_k": 20, "top_p": 0.9}


@pytest.mark.parametrize("gamma", [None, 4])
def test_greedy_rivals_write_what_we_write(pair, gamma):
    ours = decode(pair, "autoregressive", PROMPT, max_new_tokens=24, temperature=0).tokens
    theirs = transformers.generate(pair, PROMPT, 24, 0, gamma=gamma, temperature=0.0).tokens
    assert theirs[: len(ours)] == ours


@pytest.mark.parametrize("gamma", [None, 3])
def test_the_warp_is_honoured_and_the_length_full(pair, gamma):
    greedy = transformers.generate(pair, PROMPT, 24, 0, gamma=None, temperature=0.0).tokens
    assert transformers.generate(pair, PROMPT, 24, 5, gamma=gamma, **(WARP | {"top_k": 1})).tokens == greedy
    sampled = {transformers.generate(pair, PROMPT, 24, seed, gamma=gamma, **WARP).tokens for seed in range(3)}
    assert len(sampled) == 3
    assert {len(tokens) for tokens in sampled} == {24}
    assert transformers.generate(pair, PROMPT, 24, 1, gamma=gamma, **WARP).tokens in sampled  # by its seed


def test_assistance_drafts_a_constant_number(pair):
    widths = {"target": Counter(), "draft": Counter()}

    def watch(role):
        return lambda module, args, kwargs, output: widths[role].update([kwargs["input_ids"].shape[1]])

    hooks = [
        model.model.register_forward_hook(watch(role), with_kwargs=True)
        for role, model in (("target", pair.target), ("draft", pair.draft))
    ]
    transformers.generate(pair, PROMPT, 60, 0, gamma=3, **WARP)
    for hook in hooks:
        hook.remove()
    assert widths["target"].pop(len(PROMPT) + 3) == 1  # the prompt with the first draft
    full = widths["target"].pop(4)
    assert full > 5
    assert all(width < 4 for width in widths["target"])  # the end is cut short
    assert sum(widths["target"].values()) <= 3


def test_settings_are_given_back(pair):
    before = pair.target.model.generation_config, pair.draft.model.generation_config
    transformers.generate(pair, PROMPT, 4, 0, gamma=2, **WARP)
    assert pair.target.model.generation_config is before[0]
    assert pair.draft.model.generation_config is before[1]


def test_rivals_are_judged_like_we_are(pair):
    trace = decode(pair, "speculative", PROMPT, max_new_tokens=24, seed=3)
    ours = [emitted.logprob for iteration in trace.iterations for emitted in iteration.emitted]
    assert logprobs_of(pair.target, PROMPT, trace.tokens) == pytest.approx(ours, abs=1e-4)


def test_a_table_has_no_rival(pair):
    table = TableLM.random(5, 0)
    assert transformers.rival_pair(pair) is pair
    assert transformers.rival_pair(ModelPair(table, table)) is None
    assert transformers.rival_pair(ModelPair(pair.target)).draft is None


def test_a_draft_of_a_part_of_the_vocabulary_gets_a_row_for_every_token(pair):
    some = torch.arange(3, pair.target.vocab_size, 2)
    draft = TransformerLM(fresh_draft(pair.target.model, 1, some).model, "few", proposes=some)
    whole = transformers.rival_pair(replace(pair, draft=draft))
    logits, few = (one.open(9).extend(PROMPT[:8], range(-1, 7)).logits for one in (whole.draft, draft))
    assert torch.allclose(logits[:, some], few[:, some], atol=1e-5)
    others = torch.ones(logits.shape[1], dtype=torch.bool).index_fill(0, some, False)
    assert (logits[:, others] < -9e3).all()
    greedy = transformers.generate(pair, PROMPT, 24, 0, gamma=None, temperature=0.0).tokens
    assert transformers.generate(whole, PROMPT, 24, 0, gamma=3, temperature=0.0).tokens == greedy


def test_a_draft_that_listens_assists_nobody(pair):
    some = torch.arange(3, pair.target.vocab_size, 2)
    small = fresh_draft(pair.target.model, 1, some, reads=(-1,))
    draft = ListeningLM(small.model, "listens", small.joining, proposes=some)
    assert transformers.rival_pair(replace(pair, draft=draft)).draft is None


@pytest.mark.parametrize("gamma", [None, 3])
def test_end_tokens_do_not_end_a_rival(pair, gamma, monkeypatch):
    for model in (pair.target.model, pair.draft.model):
        monkeypatch.setattr(model.generation_config, "eos_token_id", list(range(pair.target.vocab_size)))
    assert len(transformers.generate(pair, PROMPT, 24, 0, gamma=gamma, **WARP).tokens) == 24


@pytest.mark.parametrize("gamma", [None, 3])
def test_calls_are_noted_and_reading_the_prompt_is_told_apart(pair, gamma):
    found = transformers.generate(pair, PROMPT, 24, 0, gamma=gamma, **WARP)
    roles = Counter(call.role for call in found.calls)
    assert found.reading > 0 and all(call.seconds > 0 for call in found.calls)
    if gamma is None:
        assert roles == {"target": 23} and {call.tokens for call in found.calls} == {1}
    else:
        assert 5 <= roles["target"] < 23 and roles["draft"] > 2 * roles["target"]
        assert max(call.tokens for call in found.calls) == gamma + 1
    assert not pair.target.model._forward_hooks and not pair.draft.model._forward_pre_hooks


def test_the_other_dtype_is_another_pair_and_leaves_this_one_as_it_is(pair):
    other = transformers.in_other_dtype(pair)
    assert {other.target.dtype, other.draft.dtype} == {torch.bfloat16} and pair.target.dtype == torch.float32
    assert transformers.in_other_dtype(other).target.dtype == torch.float32
    assert len(transformers.generate(other, PROMPT, 4, 0, gamma=None, **WARP).tokens) == 4


@pytest.mark.full
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_compiled_it_writes_the_same(pair, temperature):
    settings = WARP | {"temperature": temperature}
    plain = transformers.generate(pair, PROMPT, 6, 0, gamma=None, **settings)
    found = transformers.generate(pair, PROMPT, 6, 0, gamma=None, compiled=True, **settings)
    assert found.tokens == plain.tokens and found.calls == ()
