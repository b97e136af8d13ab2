"""Parts trained for a target of one's own: in the time asked for, said what they are worth, and read by load_pair."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import specviz
from specviz.errors import ModelError, SpecvizError
from specviz.lm.network.transformer import TransformerLM, fingerprint
from specviz.zoo.for_target import train_for
from specviz.zoo.report.reached import Reached, follower_depth, reached
from specviz.zoo.training import stages
from specviz.zoo.training.calibration import measured_depth
from specviz.zoo.training.heads import fresh_heads, heads_loss
from specviz.zoo.training.network import Network, Stock, llama
from tests.tiny_pair import byte_tokenizer, write_pair

MINUTES = 2.0


@pytest.fixture(scope="module")
def pair_of_two(tmp_path_factory):
    """A GPT-2 with an embedding larger than its tokenizer needs, and a Llama as its draft."""
    folder = tmp_path_factory.mktemp("own")
    _, draft = write_pair(folder)
    torch.manual_seed(2)
    config = GPT2Config(vocab_size=272, n_embd=32, n_layer=2, n_head=4, n_positions=256, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(folder / "gpt")
    byte_tokenizer().save_pretrained(folder / "gpt")
    return folder / "gpt", draft


class Clock:
    """Seconds that pass with the tokens that models read, ``pace`` a second: the same ones on every machine."""

    def __init__(self):
        self.seconds, self.pace = 0.0, 60.0

    def __call__(self) -> float:
        return self.seconds

    def read(self, module, inputs, _output) -> None:
        if isinstance(module, torch.nn.Embedding) and module.num_embeddings > 256:  # no embedding of positions
            self.seconds += inputs[0].numel() / self.pace


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("specviz.zoo.training.deciders.EPOCHS", 1)


@pytest.fixture
def clock():
    clock = Clock()
    handle = torch.nn.modules.module.register_module_forward_hook(clock.read)
    yield clock
    handle.remove()


@pytest.fixture
def train(pair_of_two, corpus_directory, tmp_path, clock):
    """``train_for`` with the usual arguments, and what it told."""

    def train(draft=None, **more):
        given = {"draft": draft, "work": tmp_path / "work", "minutes": MINUTES, "device": "cpu", "clock": clock}
        told = []
        made = train_for(pair_of_two[0], corpus_directory, tmp_path / "parts", tell=told.append, **given | more)
        return made, told

    return train


def test_parts_are_trained_for_a_given_target(pair_of_two, train, tmp_path):
    target, draft = pair_of_two
    before = specviz.load_pair(target, draft, device="cpu")
    made, told = train(draft)
    assert sorted(made) == ["correlation", "deciders", "heads"]
    pair = specviz.load_pair(target, draft, device="cpu", **made)
    assert pair.heads.target == pair.target.fingerprint and pair.heads.vocab_size == pair.target.vocab_size == 272
    assert sorted(pair.deciders) == ["entropy", "hidden"] and pair.correlation.total > 1000
    assert pair.deciders["hidden"].draft == pair.draft.fingerprint
    assert len(pair.heads.accuracy) == pair.heads.count and len(pair.heads.tree) > 4
    for method in ("bpd", "medusa", "slim"):
        assert 1 <= len(specviz.decode(pair, method, "One morning", max_new_tokens=8).tokens) <= 8
    assert isinstance(pair.target, TransformerLM), "the models stay as they are"
    assert fingerprint(pair.target.model) == before.target.fingerprint
    assert [line.split(":")[0] for line in told[:4]] == ["text", "target", "heads", "heads"]
    assert not list((tmp_path / "work").iterdir()), "only unfinished work is kept"


@pytest.mark.full
@pytest.mark.parametrize(("pace", "drafts"), [(60, False), (60, True), (150, True)])
def test_the_time_asked_for_is_the_time_taken(pair_of_two, train, clock, pace, drafts):
    clock.pace = float(pace)
    _, told = train(pair_of_two[1] if drafts else None)
    assert 0.85 * MINUTES <= clock.seconds / 60 <= 1.05 * MINUTES
    assert told[-1] == f"time: {clock.seconds / 60:.1f} of 2 minutes"
    steps = next(line for line in told if "steps" in line).split()
    assert int(steps[1].replace(",", "")) > 50 and float(steps[-3]) > float(steps[-1]), "it learned"


def test_without_a_draft_there_are_no_decision_models(pair_of_two, train):
    made, _ = train(minutes=0.5)
    assert sorted(made) == ["correlation", "heads"] and specviz.load_pair(pair_of_two[0], device="cpu", **made).heads


def test_a_time_that_is_too_short_says_what_came_of_it(train, clock):
    clock.pace = 10.0
    _, told = train(minutes=0.1)
    assert any("no step was taken" in line for line in told)
    assert any(line.startswith("these heads are worse than nothing") for line in told)


def test_an_interrupted_training_goes_on_in_the_time_that_was_left(train, clock, monkeypatch):
    monkeypatch.setattr(stages, "CHECKPOINT_EVERY", 5.0)
    real = stages.Optimizers.step

    def cut_off(self, factor):
        real(self, factor)
        if clock.seconds > 60:
            raise KeyboardInterrupt

    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr(stages.Optimizers, "step", cut_off)
        train()
    kept = clock.seconds
    _, told = train()
    assert kept > 60 and 0.85 * MINUTES <= clock.seconds / 60 <= 1.05 * MINUTES + 5 / 60
    assert told[0].startswith("heads: "), "nothing is read again"


def test_unfinished_work_of_another_corpus_is_refused(train, clock, monkeypatch, tmp_path):
    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr("specviz.zoo.for_target.run_stage", _interrupted)
        train()
    other = tmp_path / "other.txt"
    other.write_text("A single line. " * 500)
    monkeypatch.setattr("specviz.zoo.for_target.text_files", lambda _: [other])
    with pytest.raises(SpecvizError, match="was made from another corpus: give another --work"):
        train()


def _interrupted(*_):
    raise KeyboardInterrupt


def test_too_short_a_context_is_refused(train, monkeypatch):
    monkeypatch.setattr("specviz.zoo.for_target.SHORTEST_CONTEXT", 300)
    with pytest.raises(ModelError, match="context is 256: training parts needs at least 300"):
        train()


@pytest.mark.parametrize(
    ("chain", "tree", "untrained", "follower", "said"),
    [
        (0.03, 0.05, 0.01, 0.2, "worse than nothing: each token's likeliest follower would make 0.20"),
        (0.3, 0.5, 0.3, 0.2, "worse than nothing: the heads before training would make 0.30"),
        (0.03, 0.05, 0.01, 0.02, "of no use: 0.05 right guesses a call"),
        (0.5, 0.6, 0.1, 0.2, ""),
    ],
)
def test_heads_worth_less_than_nothing_say_so(chain, tree, untrained, follower, said):
    warning = Reached(100, (chain,), chain, tree, untrained, follower).warning
    assert said in warning if said else warning == ""


def test_what_is_reached_is_counted(train):
    heads = fresh_heads(llama(50, 64, 1, 64))
    ranks = np.array([[0, 0, 10, 0], [1, 0, 0, 0], [0, 10, 0, 0]])
    found = reached(heads, ranks, np.full((3, 4), 10), 0.4)
    assert found.accuracy == pytest.approx((2 / 3, 2 / 3, 2 / 3, 1.0)) and found.chain == pytest.approx(1.0)
    assert (found.untrained, found.follower, found.tree) == (0.0, 0.4, measured_depth(heads.tree, ranks))
    assert "right guesses 67%, 67%, 67%, 100% (2 to 5 tokens ahead); a call gives 2.00 tokens by" in found.sentence


def test_likeliest_followers_guess_one_after_another():
    stream = np.array([1, 2, 3, 1, 2, 4, 1, 2, 3], dtype=np.uint16)  # 1 2 3 1 2 3 ...
    text = torch.tensor([[9, 1, 2, 3, 1, 5, 9, 9]])
    # after the 1 at column 1: 2, 3, 1 are right; after the 2 at column 2: 3, 1 are, 2 is not; after 3: 1 is, then not
    assert follower_depth(stream, [text], first=0, count=3, vocab_size=10) == pytest.approx((3 + 2 + 1 + 0) / 4)


def test_the_stock_pass_scores_as_the_fast_one():
    torch.manual_seed(0)
    model = llama(50, 64, 2, 96).eval()
    tokens = torch.randint(50, (3, 20), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        fast, stock = Network(model, compiled=False).scored(tokens), Stock(model).scored(tokens)
    for ours, theirs in zip(fast, stock, strict=True):
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours.float(), theirs.float(), atol=0.05, rtol=0.05)
    heads = fresh_heads(model)
    losses = [
        heads_loss(heads, one, compiled=False)(tokens, tokens).item() for one in (Network(model, False), Stock(model))
    ]
    assert losses[0] == pytest.approx(losses[1], rel=0.01)
