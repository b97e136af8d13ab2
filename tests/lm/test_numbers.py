"""Numbers that are none: NaN, infinity, or minus infinity alone, from any model, on every way in."""

import numpy as np
import pytest
import torch

import specviz
from specviz.errors import ModelError, SpecvizError
from specviz.lm.language_model import Scores
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import PredictionHeads, TableHeads
from specviz.lm.scoring import distributions
from specviz.lm.source import ScoreSource
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from tests.lm.models import FAMILIES, VOCABULARY, tiny

PROMPT, WRONG = [3, 1, 4], 2  # a token that no model is tried with when it is made
METHODS = specviz.methods()
DRAFTING = [name for name, method in METHODS.items() if method.uses == "model"]
BAD = {"NaN": float("nan"), "infinity": float("inf"), "nothing but minus infinity": float("-inf")}


class Spoilt(TableLM):
    """A table whose logits are ``bad`` from position ``since`` on."""

    def __init__(self, name, bad, since, seed=1):
        table = TableLM.random(VOCABULARY, seed)
        super().__init__(table._next_token, VOCABULARY, name)
        self._bad, self._since = bad, since

    def _row(self, context):
        row = super()._row(context)
        if len(context) <= self._since:
            return row
        return (
            torch.full_like(row, self._bad) if self._bad < 0 else row.clone().index_fill_(0, torch.tensor(5), self._bad)
        )


def parts():
    return {
        "heads": TableHeads.random(VOCABULARY, 3, 7),
        "correlation": DenseCorrelation.random(VOCABULARY, 3),
        "deciders": {kind: FunctionDecider(0.5) for kind in ("hidden", "entropy")},
    }


def refused(pair, method, **options):
    with pytest.raises(ModelError) as caught:
        specviz.decode(pair, method, PROMPT, max_new_tokens=8, **options)
    return caught.value


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_target_without_numbers_is_an_error(method, recorded):
    for what, bad in BAD.items():
        pair = ModelPair(Spoilt("big", bad, 4), TableLM.random(VOCABULARY, 2), **parts())
        error = refused(pair, method, record=recorded, temperature=0.8)
        assert str(error).startswith(f"target 'big' gives {what} for logits at position 4, in float64: ")
        assert (error.argument, error.code) == ("target", "model")


@pytest.mark.parametrize("warp", [{}, {"temperature": 0.0}, {"top_k": None}, {"top_k": None, "top_p": None}])
@pytest.mark.parametrize("method", DRAFTING)
def test_a_draft_without_numbers_does_not_make_a_method_plain(method, warp):
    for what, bad in BAD.items():
        pair = ModelPair(TableLM.random(VOCABULARY, 1), Spoilt("small", bad, 2), **parts())
        error = refused(pair, method, **warp)
        position = 3 if method == "improved-mcsd" else 2  # the first that is read
        assert str(error).startswith(f"draft 'small' gives {what} for logits at position {position}, in float64: ")
        assert error.argument == "draft"


def test_a_draft_that_may_have_nothing_to_propose_is_none_of_them():
    pair = ModelPair(TableLM.random(VOCABULARY, 1), NgramLM("prompt", VOCABULARY))
    assert len(specviz.decode(pair, "speculative", PROMPT, max_new_tokens=8).tokens) == 8
    as_target = ModelPair(NgramLM("prompt", VOCABULARY))
    assert "target 'prompt lookup' gives nothing but minus infinity" in str(refused(as_target, "autoregressive"))


def test_a_table_of_no_counts_is_an_error():
    empty = Correlation.from_counts(np.array([], dtype=np.int64), np.array([], dtype=np.int64), VOCABULARY)
    pair = ModelPair(TableLM.random(VOCABULARY, 1), correlation=empty)
    assert "draft 'bigram table' gives nothing but minus" in str(refused(pair, "speculative", draft="bigram"))


@pytest.mark.parametrize("make", [lambda row: TableLM(lambda _: row, 2), lambda row: TableHeads([lambda _: row], 2)])
@pytest.mark.parametrize("row", [[float("nan"), 1.0], [float("nan")] * 2, [float("inf"), 0.0], [-1.0, 2.0], [0.0, 0.0]])
def test_tables_of_no_probabilities_are_refused(make, row):
    made = make(row)
    with pytest.raises(ModelError, match="nonnegative numbers that sum to 1"):
        made.probabilities([0]) if isinstance(made, TableLM) else made.logits([0], None)


def test_a_correlation_is_of_positive_numbers():
    for value in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ModelError, match="must be positive numbers"):
            DenseCorrelation(torch.tensor([[1.0, value], [1.0, 1.0]]))


# Networks: one damaged row of the embedding, that of the token WRONG.


def damaged(family, dtype=torch.float32, graphs=None):
    model = tiny(family).to(dtype)
    head = model.get_output_embeddings()
    head.weight = torch.nn.Parameter(head.weight.detach().clone())  # where it was tied to the embedding
    with torch.no_grad():
        model.get_input_embeddings().weight[WRONG] = float("nan")
    return TransformerLM(model, "damaged", graphs=graphs)


@pytest.mark.parametrize("graphs", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_networks_are_named_with_the_position(family, graphs):
    model = damaged(family, graphs=graphs)
    assert model.forward == ("lean" if family in ("llama", "qwen3") else "stock") and model.graphs is graphs
    for method in ("autoregressive", "speculative", "dsbd"):
        pair = ModelPair(model, TransformerLM(tiny(family, 1), "draft"))
        with pytest.raises(ModelError, match="^target 'damaged' gives NaN for logits at position 2, in float32"):
            specviz.decode(pair, method, [3, 1, WRONG, 4], max_new_tokens=4)  # in what is read before the first draft
        with pytest.raises(ModelError, match="^target 'damaged' gives NaN for logits at position 1, in float32"):
            specviz.decode(pair, method, [3, WRONG], max_new_tokens=4)
    pair = ModelPair(TransformerLM(tiny(family, 1), "target"), model)
    with pytest.raises(ModelError, match="^draft 'damaged' gives NaN for logits at position 1, in float32"):
        specviz.decode(pair, "speculative", [3, WRONG], max_new_tokens=4)


@pytest.mark.parametrize("dtype, out", [("bfloat16", "use dtype='float32'"), ("float16", "'bfloat16' or 'float32'")])
def test_another_dtype_is_the_way_out(dtype, out):
    model = damaged("opt", getattr(torch, dtype))
    with pytest.raises(ModelError, match=f"position 1, in {dtype}: .*{out}"):
        specviz.decode(ModelPair(model), "autoregressive", [3, WRONG], max_new_tokens=4)


def test_hidden_states_of_the_prompt_that_are_no_numbers_are_the_targets():
    heads = PredictionHeads(2, 32, VOCABULARY).eval().requires_grad_(False)
    pair = ModelPair(damaged("llama"), heads=heads)
    with pytest.raises(ModelError, match="^target 'damaged' gives NaN for logits at position 0"):
        specviz.decode(pair, "medusa", [WRONG, 3], max_new_tokens=4)


def test_heads_without_numbers_are_named():
    heads = PredictionHeads(2, 32, VOCABULARY, name="broken").eval().requires_grad_(False)
    heads.projection[1].weight.fill_(float("nan"))
    pair = ModelPair(TransformerLM(tiny("llama"), "target"), heads=heads)
    for method in ("bpd", "medusa"):
        with pytest.raises(
            ModelError, match="^heads 'broken' gives NaN for logits at position 1, in float32"
        ) as caught:
            specviz.decode(pair, method, [1, 2, 3], max_new_tokens=4)
        assert caught.value.argument == "heads"


@pytest.mark.parametrize("estimate", [float("nan"), -0.1, 1.1])
def test_deciders_without_numbers_are_named(estimate):
    decider = FunctionDecider(estimate, "unsure")
    pair = ModelPair(TableLM.random(5, 1), TableLM.random(5, 2), deciders={"entropy": decider})
    with pytest.raises(
        ModelError, match=r"decider 'unsure' must give numbers from 0 to 1, got .* at position \d"
    ) as caught:
        specviz.decode(pair, "improved-mcsd", [0], max_new_tokens=4, decision="entropy")
    assert caught.value.argument == "deciders"


def test_what_is_enumerated_and_what_is_raced_say_so_too():
    pair = ModelPair(Spoilt("big", float("nan"), 3), TableLM.random(VOCABULARY, 2))
    with pytest.raises(ModelError, match="target 'big' gives NaN for logits at position 3"):
        specviz.exact_distribution(pair, "autoregressive", PROMPT, n_tokens=2)
    with pytest.raises(ModelError, match="target 'big' gives NaN"):
        list(specviz.race(pair, ["autoregressive", "speculative"], PROMPT, max_new_tokens=8))
    with pytest.raises(ModelError, match="target 'big' gives NaN"):
        specviz.score_forest(pair, [*PROMPT, 1], "tree", k_config=(2,))


# The check itself.


def test_rows_of_every_kind():
    inf = float("inf")
    good = torch.tensor([[0.0, -inf, 1.0], [-inf, -inf, 3.0]])
    for warp in (Warp(), Warp(0.0), Warp(top_k=1), Warp(top_k=2, top_p=0.5)):
        assert len(distributions(Scores(good), warp)) == 2
        for bad in (float("nan"), inf):
            with pytest.raises(SpecvizError, match="draft 'x' gives .* at position 7, in bfloat16"):
                rows = torch.stack([good[0], torch.tensor([0.0, bad, 1.0])])
                distributions(Scores(rows, source=ScoreSource("draft", "x", torch.bfloat16, (4, 7), 0)), warp)
        nothing = torch.full((2, 3), -inf)
        assert not any(one.possible for one in distributions(Scores(nothing), warp))
        with pytest.raises(SpecvizError, match="gives nothing but minus infinity for logits at position 4"):
            distributions(Scores(nothing, source=ScoreSource("draft", "x", torch.float32, (4, 7), 5)), warp)
