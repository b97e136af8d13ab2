"""Whose context is the limit: the target's for all, a draft's for those that open it, and only as far as they draft."""

import pytest
import torch

import specviz
from specviz.commands import show
from specviz.errors import PromptError
from specviz.lm.language_model import Scores
from specviz.lm.limited import LimitedSession
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.deciding import DecisionModel
from specviz.lm.parts.heads import TableHeads
from specviz.lm.table import TableLM
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.views.race.verdict import verdict
from specviz.views.story.story import target_pass
from tests.lm.models import VOCABULARY, tiny
from tests.printing import printed

SHORT, PROMPT, MORE = 9, [1, 2, 3, 4], 14
METHODS = specviz.methods()
DRAFTING = [name for name, method in METHODS.items() if method.uses == "model"]


class ShortTable(TableLM):
    context = SHORT


class TinyTable(TableLM):
    context = 2


def network(seed, context=None):
    model = TransformerLM(tiny("llama", seed), f"model {seed}")
    model.context = context or model.context
    return model


def tables(draft=ShortTable, vocab_size=7):
    return ModelPair(TableLM.random(vocab_size, 1), draft.random(vocab_size, 2))


@pytest.mark.parametrize("method", [name for name in METHODS if name not in DRAFTING])
def test_a_draft_that_is_not_opened_is_no_limit(method):
    pair = ModelPair(TableLM.random(7, 1), TinyTable.random(7, 2), heads=TableHeads.random(7, 3, 7))
    options = {"correlation": False} if method == "slim" else {}
    trace = specviz.decode(pair, method, PROMPT, max_new_tokens=MORE, **options)
    assert len(trace.tokens) == MORE and not any(iteration.notes.get("draft_context") for iteration in trace.iterations)


@pytest.mark.parametrize("draft", ["prompt", "bigram", "unigram", "random"])
def test_neither_is_one_that_counts_stand_in_for(draft):
    assert (
        len(specviz.decode(tables(TinyTable), "speculative", PROMPT, max_new_tokens=MORE, draft=draft).tokens) == MORE
    )


def test_the_error_says_whose_context_it_is():
    draft = TinyTable.random(7, 2)
    draft.name = "small"
    with pytest.raises(
        PromptError, match=r"prompt of 4 tokens .* the context of 2 of draft 'small', with which mcsd"
    ) as one:
        specviz.decode(ModelPair(TableLM.random(7, 1), draft), "mcsd", PROMPT)
    draft.name = "big"
    with pytest.raises(PromptError, match=r"exceeds the context of 2 of target 'big'; at most 0 fit") as other:
        specviz.decode(ModelPair(draft, TableLM.random(7, 1)), "speculative", PROMPT)
    assert {(error.value.argument, error.value.code) for error in (one, other)} == {("prompt", "too_long")}


@pytest.mark.parametrize("number", ["2", "3"])
def test_of_several_drafts_the_one_that_is_opened_counts(number):
    pair = ModelPair(
        TableLM.random(7, 1), TinyTable.random(7, 2), drafts=(TableLM.random(7, 3), TinyTable.random(7, 4))
    )
    if number == "2":
        assert len(specviz.decode(pair, "speculative", PROMPT, max_new_tokens=MORE, draft=number).tokens) == MORE
    else:
        with pytest.raises(PromptError, match="context of 2 of draft 'random table 4'"):
            specviz.decode(pair, "speculative", PROMPT, max_new_tokens=MORE, draft=number)


@pytest.mark.parametrize("method", DRAFTING)
def test_drafts_end_with_the_context_and_the_text_goes_on(method):
    """No call reads a position that the draft has not; it is called up to the last that it has, and not after."""
    draft = network(1, SHORT)
    read, extend = [], type(draft.open(1)).extend

    class Noted(type(draft.open(1))):
        def extend(self, tokens, parents, **options):
            scores = extend(self, tokens, parents, **options)
            read.append(max(self.trie.depths[-len(tokens) :]))
            return scores

    draft.open = lambda capacity, hidden=False: Noted(draft, capacity, hidden)
    pair = ModelPair(network(1), draft, drafts=(draft,))
    trace = specviz.decode(pair, method, PROMPT, max_new_tokens=MORE, temperature=0.0)
    assert len(trace.tokens) == MORE and max(read) < SHORT
    for iteration in trace.iterations:
        longest = iteration.context_length + max((len(beam.tokens) for beam in iteration.inputs), default=0)
        assert (iteration.notes.get("draft_context") == SHORT) is (longest > SHORT)
        drafted = any(call.role == "draft" for call in iteration.calls)
        assert drafted if longest < SHORT else longest == SHORT or not drafted
    assert "draft_context" in trace.iterations[-1].notes and "draft_context" not in trace.iterations[0].notes
    if trace.header.method.guarantee == "greedy":
        plain = specviz.decode(ModelPair(network(1)), "autoregressive", PROMPT, max_new_tokens=MORE, temperature=0.0)
        assert trace.tokens == plain.tokens
    light = specviz.decode(pair, method, PROMPT, max_new_tokens=MORE, temperature=0.0, record=False)
    assert light.tokens == trace.tokens and trace_from_json(trace_to_json(trace)) == trace


EXACT = [
    ("speculative", {"gamma": 2}),
    ("block", {"gamma": 2}),
    ("mcsd", {"k_config": (2, 1)}),
    ("spectr", {"gamma": 2, "drafts": 2}),
]


@pytest.mark.full
@pytest.mark.parametrize("method, options", EXACT)
def test_the_distribution_is_the_targets_beyond_the_end(method, options):
    pair, prompt = tables(vocab_size=3), [0] * (SHORT - 1)  # the first draft can be of one token, the second of none
    found = specviz.exact_distribution(pair, method, prompt, n_tokens=3, **options)
    plain = specviz.exact_distribution(ModelPair(pair.target), "autoregressive", prompt, n_tokens=3)
    assert specviz.total_variation(found, plain) < 1e-12


def test_a_step_beyond_the_end_is_judged_anew():
    trace = specviz.decode(tables(), "speculative", PROMPT, max_new_tokens=MORE, seed=4)
    last = trace.iterations[-1]
    assert last.offered == 0 and last.notes["draft_context"] == SHORT
    assert specviz.replay(trace, last.index).iterations[last.index].emitted == last.emitted


def test_a_decision_model_sees_no_states_that_were_not_read():
    decider = DecisionModel("hidden", 32, VOCABULARY, name="sure").eval()
    pair = ModelPair(network(1), network(2, SHORT), deciders={"hidden": decider})
    trace = specviz.decode(pair, "improved-mcsd", PROMPT, max_new_tokens=MORE, decision="hidden", width=3, seed=2)
    assert len(trace.tokens) == MORE


def test_readers_are_told():
    trace = specviz.decode(tables(), "speculative", PROMPT, max_new_tokens=MORE, seed=4)
    first = next(iteration for iteration in trace.iterations if "draft_context" in iteration.notes)
    said = f"From token {first.context_length} of the text on {{}} went on without its draft model, whose context is 9"
    assert any(one.startswith(said.format("Speculative decoding")) for one in verdict([trace]))
    assert said.format("it") in " ".join(printed(show.metrics([trace])).split())
    assert "Nothing was drafted: the text is longer than the 9 tokens that the draft can read." in (
        target_pass(trace, first).sentence
    )
    whole = specviz.decode(tables(TableLM), "speculative", PROMPT, max_new_tokens=MORE, seed=4)
    assert not [one for one in verdict([whole]) if "went on without" in one]


# The session.


def limited(context=3, model=None):
    model = model or network(1)
    inner = model.open(32)
    return LimitedSession(inner, model, context), inner, model


def test_rows_beyond_the_context_propose_nothing():
    session, inner, model = limited()
    scores = session.extend([1, 2, 3, 4, 5], [-1, 0, 1, 2, 1])  # depths 0 1 2 3 2
    alone = model.open(32).extend([1, 2, 3, 5], [-1, 0, 1, 1])
    nothing = torch.full((1, VOCABULARY), -torch.inf)
    torch.testing.assert_close(scores.logits, torch.cat([alone.logits[:3], nothing, alone.logits[3:]]))
    assert isinstance(scores, Scores) and scores.source.positions == [0, 1, 2, 3, 2] and scores.source.silent_from == 3
    assert inner.trie.tokens == [1, 2, 3, 5] and session.trie.tokens == [1, 2, 3, 4, 5]
    session.keep([0, 1, 4])
    assert inner.trie.tokens == [1, 2, 5] and session.trie.tokens == [1, 2, 5]
    more = session.extend([6, 7], [1, 2])  # depths 2 3
    torch.testing.assert_close(more.logits[:1], model.open(32).extend([1, 2, 6], [-1, 0, 1]).logits[-1:])
    assert (more.logits[1] == -torch.inf).all() and inner.trie.tokens == [1, 2, 5, 6]


def test_a_chain_across_the_end():
    session, inner, model = limited()
    first = session.extend([1, 2], [-1, 0], last_only=True)
    torch.testing.assert_close(first.logits, model.open(32).extend([1, 2], [-1, 0], last_only=True).logits)
    across = session.extend([3, 4], [1, 2], last_only=True)
    assert across.logits.shape == (1, VOCABULARY) and (across.logits == -torch.inf).all()
    assert session.extend([5], [3], last_only=True).logits.shape == (1, VOCABULARY) and len(inner.trie) == 2
    session.keep(range(4))
    assert len(inner.trie) == 2 and len(session.trie) == 4


def test_hidden_states_of_rows_that_are_not_read_are_zero():
    model = network(1)
    session = LimitedSession(model.open(32, hidden=True), model, 2)
    hidden = session.extend([2, 3, 4], [-1, 0, 1]).hidden
    assert hidden.shape == (3, 32) and hidden[:2].all() and not hidden[2].any()
