"""A prompt is read once: the next run takes over what it needs of it, to the last bit, within a bound of bytes."""

import pytest
import torch

import specviz
from specviz.lm.network.prompts import BLOCK, PromptMemory
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.ngram import NgramLM
from tests.lm.models import VOCABULARY, tiny

LONG = [(7 * n * n + 3 * n) % VOCABULARY for n in range(2 * BLOCK - 60)]


@pytest.fixture(params=["llama", "opt"])
def model(request):
    return TransformerLM(tiny(request.param), request.param)


@pytest.fixture
def scored(monkeypatch):
    """How many rows each forward pass had."""
    rows, stock = [], specviz.lm.network.transformer.TransformerSession._scored

    def spied(session, start, end, last_only):
        rows.append(end - start)
        return stock(session, start, end, last_only)

    monkeypatch.setattr(specviz.lm.network.transformer.TransformerSession, "_scored", spied)
    return rows


def read(model, tokens, hidden=False, room=9):
    """Scores of the prompt's last row, and of a fork after it."""
    session = model.open(len(tokens) + room, hidden)
    last = session.extend(tokens, range(-1, len(tokens) - 1), last_only=True)
    fork = session.extend([3, 5, 7], [len(tokens) - 1, len(tokens) - 1, len(tokens)])
    return [last.logits, fork.logits, *([last.hidden, fork.hidden] if hidden else [])]


def afresh(model, tokens, hidden=False):
    model.prompts.forget()
    found = read(model, tokens, hidden)
    model.prompts.forget()
    return found


def same(one, other):
    return len(one) == len(other) and all(map(torch.equal, one, other))


def test_the_same_prompt_is_not_read_again(model, scored):
    first = read(model, LONG)
    assert scored == [BLOCK, len(LONG) - BLOCK, 3]
    scored.clear()
    assert same(read(model, LONG, room=40), first) and scored == [3]


def test_a_longer_one_that_starts_with_it_reads_on_from_the_last_whole_block(model, scored):
    longer = [*LONG, *range(1, 40)]
    fresh = afresh(model, longer)
    read(model, LONG)
    scored.clear()
    assert same(read(model, longer), fresh) and scored == [len(longer) - BLOCK, 3]


def test_a_shorter_or_a_different_one_takes_over_what_both_have(model, scored):
    for other in (LONG[: BLOCK + 9], LONG[:BLOCK], [*LONG[: BLOCK + 3], 1, 2, 3]):
        fresh = afresh(model, other)
        read(model, LONG)
        scored.clear()
        assert same(read(model, other), fresh)
        assert scored == ([len(other)] if len(other) == BLOCK else [len(other) - BLOCK]) + [3]
    strange = [1 + LONG[0] % 2, *LONG[1:]]
    fresh = afresh(model, strange)
    read(model, LONG)
    assert same(read(model, strange), fresh)


def test_hidden_states_are_those_of_the_prompt(scored):
    model = TransformerLM(tiny("opt"), "opt")
    fresh = afresh(model, LONG, hidden=True)
    read(model, LONG)
    assert same(read(model, LONG, hidden=True), fresh)
    scored.clear()
    assert same(read(model, LONG, hidden=True), fresh) and scored == [3]


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(scored):
    model = TransformerLM(tiny("llama"), "llama")
    read(model, LONG)
    size = model.prompts._readings[0].size
    model.prompts = PromptMemory(limit=int(2.5 * size))
    prompts = [[first, *LONG[1:]] for first in (1, 2, 3)]
    read(model, prompts[0])
    read(model, prompts[1])
    read(model, prompts[0])
    read(model, prompts[2])
    scored.clear()
    assert [reading.tokens[0] for reading in model.prompts._readings] == [1, 3]
    assert sum(reading.size for reading in model.prompts._readings) <= model.prompts.limit
    model.prompts = PromptMemory(limit=size - 1)
    read(model, LONG)
    assert model.prompts._readings == []


def test_a_prompt_beyond_the_bound_is_not_even_copied(monkeypatch):
    model = TransformerLM(tiny("llama"), "llama")
    model.prompts = PromptMemory(limit=1000)
    monkeypatch.setattr("specviz.lm.network.cache.TrieLayer.copy", lambda *_: pytest.fail("copied"))
    read(model, LONG)
    assert model.prompts._readings == []


def test_runs_do_not_change_each_other():
    """What is taken over is a copy: the second run writes and compacts its own rows."""
    pair = specviz.ModelPair(TransformerLM(tiny("llama"), "llama"), NgramLM("prompt", VOCABULARY))
    prompt = LONG[: BLOCK + 7]
    runs = [specviz.decode(pair, "speculative", prompt, max_new_tokens=12, seed=seed) for seed in (1, 2, 1)]
    pair.target.prompts.forget()
    again = specviz.decode(pair, "speculative", prompt, max_new_tokens=12, seed=1)
    assert runs[0].tokens == runs[2].tokens == again.tokens
    assert [i.decisions for i in runs[0].iterations] == [i.decisions for i in again.iterations]
