"""A draft that reads its target's hidden states, against its definition worked out without any cache."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.small_draft import SmallDraft
from specviz.lm.network.heard import Heard
from specviz.lm.network.joining import Joining
from specviz.lm.network.listening import ListeningLM
from specviz.zoo.draft.fresh import fresh_draft
from specviz.zoo.draft.unrolled import DEPTHS, said_by_draft

LOSSLESS = ("speculative", "block", "specinfer", "spectr", "dynamic-tree")
V, TEXT = 60, [7, 3, 50, 12, 9, 33, 21, 8, 44, 2, 17, 5]


@pytest.fixture(scope="module")
def target_model():
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=V, num_hidden_layers=3, tie_word_embeddings=True, **sizes)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(4.0 if weight.ndim == 2 else 1.0)
    return model


@pytest.fixture(scope="module")
def draft(target_model):
    made = fresh_draft(target_model, 1, torch.arange(V), reads=(-1,))
    torch.manual_seed(1)
    matrix = made.joining.matrix
    return made._replace(joining=made.joining._replace(matrix=matrix + 0.1 * torch.randn_like(matrix)))


@pytest.fixture
def pair(target_model, draft):
    listening = ListeningLM(draft.model, "listening", draft.joining, proposes=draft.vocabulary)
    return specviz.ModelPair(specviz.TransformerLM(target_model, "target"), listening)


def _said(draft: SmallDraft, target_model, text, heard):
    """Logits and own states [V], [width] after ``text``, of which the target has read the first ``heard`` tokens: row
    by row, every row's input from J, its keys from scratch."""
    states = target_model.model(torch.tensor([text]), use_cache=False).last_hidden_state[0]
    own, before = [], [torch.zeros(states.shape[-1])]
    for at in range(len(text)):
        before.append(states[at] if at < heard else None)
        embedded = target_model.model.embed_tokens(torch.tensor(text[: at + 1]))
        read = [own[i - 1] if before[i] is None else before[i] for i in range(at + 1)]
        inputs = torch.cat([embedded, torch.stack(read)], dim=-1) @ draft.joining.matrix.t()
        own.append(draft.model.model(inputs_embeds=inputs[None], use_cache=False).last_hidden_state[0, -1])
    return draft.model.lm_head(own[-1]), own[-1]


def _sessions(pair):
    heard = Heard()
    return pair.target.open(64, heard=heard), pair.draft.open(64, heard=heard)


@torch.no_grad()
def test_guesses_read_what_was_heard_and_then_what_they_said(pair, draft, target_model):
    target, guessing = _sessions(pair)
    target.extend(TEXT[:5], range(-1, 4), last_only=True)
    for read in range(1, 9):  # the target has read five
        found = guessing.extend([TEXT[read - 1]], [read - 2]).logits[0]
        expected, _ = _said(draft, target_model, TEXT[:read], 5)
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_what_was_guessed_is_read_again_once_it_is_heard(pair, draft, target_model):
    target, guessing = _sessions(pair)
    target.extend(TEXT[:5], range(-1, 4), last_only=True)
    guessing.extend(TEXT[:6], range(-1, 5))  # and three guesses: a chain, and beside it another token
    guessing.extend(TEXT[6:7], [5])
    guessing.extend([40, TEXT[7]], [6, 6])
    target.extend([*TEXT[5:8], 40], [4, 5, 6, 6])
    target.keep(range(8))
    guessing.keep([*range(7), 8])
    assert target.trie.tokens == guessing.trie.tokens == TEXT[:8]
    found = guessing.extend(TEXT[8:9], [7], last_only=True).logits[0]
    expected, _ = _said(draft, target_model, TEXT[:9], 8)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
    stale, _ = _said(draft, target_model, TEXT[:9], 5)
    assert (found - stale).abs().max() > 0.01


@torch.no_grad()
def test_branches_hear_the_row_of_their_own_text(pair, draft, target_model):
    """Two texts share their beginning, and the target's rows are numbered otherwise than the draft's."""
    target, guessing = _sessions(pair)
    one, other = [*TEXT[:4], 30, 31], [*TEXT[:4], 40, 41]
    target.extend(TEXT[:4], range(-1, 3))
    target.extend([40, 30, 31, 41], [3, 3, 5, 4])
    guessing.extend(TEXT[:4], range(-1, 3))
    found = guessing.extend([30, 31, 40, 41, 20, 20], [3, 4, 3, 6, 5, 7]).logits
    for text, row in ((one, 1), (other, 3), ([*one, 20], 4), ([*other, 20], 5)):
        torch.testing.assert_close(found[row], _said(draft, target_model, text, 6)[0], atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_rows_that_wait_for_each_other_are_read_one_after_the_other(pair, draft, target_model):
    target, guessing = _sessions(pair)
    target.extend(TEXT[:3], range(-1, 2))
    found = guessing.extend(TEXT, range(-1, len(TEXT) - 1)).logits
    for read in (1, 3, 4, 5, len(TEXT)):
        expected, _ = _said(draft, target_model, TEXT[:read], 3)
        torch.testing.assert_close(found[read - 1], expected, atol=1e-4, rtol=1e-4)
    _, alone = _sessions(pair)
    last = alone.extend(TEXT, range(-1, len(TEXT) - 1), last_only=True).logits
    assert last.shape == (1, V), "of a target that has read nothing"


@torch.no_grad()
def test_the_depths_of_training_are_what_sessions_say(pair, draft, target_model):
    tokens = torch.tensor([TEXT, TEXT[::-1]])
    states = target_model.model(tokens, use_cache=False).last_hidden_state
    found = said_by_draft(draft, tokens, states, torch.ones_like(tokens, dtype=torch.bool))
    assert len(found) == DEPTHS
    for text, row in ((TEXT, 0), (TEXT[::-1], len(TEXT))):
        for depth, logits in enumerate(found):
            for at in (depth, 5, len(TEXT) - 1):
                expected, _ = _said(draft, target_model, text[: at + 1], at - depth)
                torch.testing.assert_close(logits[row + at], expected, atol=1e-4, rtol=1e-4)


def test_a_prompt_that_was_read_before_is_heard_again(pair):
    prompt = [(11 * i) % V for i in range(300)]

    def run(seed=0):
        return specviz.decode(pair, "speculative", prompt, max_new_tokens=12, seed=seed)

    first = run()
    assert run().tokens == first.tokens and len(pair.target.prompts._readings) == 1
    pair.target.prompts.forget()
    specviz.decode(pair, "autoregressive", prompt, max_new_tokens=2)  # nobody listens
    again = run()
    assert again.tokens == first.tokens and again.metrics.alpha == pytest.approx(first.metrics.alpha, abs=1e-4)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        *((lossless, {}) for lossless in LOSSLESS),
        ("improved-mcsd", {"beta": 0.4}),
        ("mtad", {"beams": 4}),
        ("tree-mtad", {"beams": 4}),
        ("dsbd", {}),
    ],
)
def test_every_way_of_drafting_works_with_one_that_listens(pair, method, options):
    trace = specviz.decode(pair, method, TEXT, max_new_tokens=16, temperature=0.8, seed=3, **options)
    assert len(trace.tokens) == 16
    if method in LOSSLESS:
        greedy, plain = (
            specviz.decode(pair, name, TEXT, max_new_tokens=16, temperature=0.0) for name in (method, "autoregressive")
        )
        assert greedy.tokens == plain.tokens


def test_a_model_of_another_family_cannot_listen():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_embd=32, n_layer=1, n_head=4, n_positions=64))
    with pytest.raises(ModelError, match="'d' reads hidden states, and gpt2 is not of the Llama family"):
        ListeningLM(model, "d", Joining(torch.zeros(32, 64)), proposes=torch.arange(V))
