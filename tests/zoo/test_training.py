"""One stage of training: it learns, keeps to its time, and goes on from a checkpoint as if nothing had happened."""

import numpy as np
import pytest
import torch

from specviz.errors import SpecvizError
from specviz.zoo.corpus import DOMAINS
from specviz.zoo.training.batches import Batches
from specviz.zoo.training.network import Network, llama
from specviz.zoo.training.optimizer import Optimizers
from specviz.zoo.training.schedule import Stage
from specviz.zoo.training.stages import run_stage

CPU = torch.device("cpu")


class Interrupted(Exception):
    """Stands for a power cut."""


@pytest.fixture
def batches():
    """A language of one rule: the next token is the last one plus 1, modulo 40."""
    stream = (np.arange(4_000) % 40).astype(np.uint16)
    return Batches({domain: stream for domain in DOMAINS})


def _stage(seconds: float) -> Stage:
    return Stage("trial", seconds / 60, 512, ((0.0, 64),), warm_steps=5, decay_from=0.6)


def _model():
    torch.manual_seed(0)
    return llama(40, 64, 1, 64)


def _run(model, batches, path, seconds):
    return run_stage(_stage(seconds), model, Network(model, compiled=False).cross_entropy, batches, path, CPU)


@pytest.mark.full
def test_learns_within_its_time(batches, tmp_path):
    model = _model()
    inputs, targets = batches.draw(999, 8, 64)
    with torch.no_grad():
        before = Network(model, compiled=False).cross_entropy(inputs, targets).item()
    outcome = _run(model, batches, tmp_path / "trial.pt", 5.0)
    with torch.no_grad():
        after = Network(model, compiled=False).cross_entropy(inputs, targets).item()
    assert before > 3.5 and after < 0.5
    assert outcome.finished and outcome.tokens == outcome.steps * 512
    assert outcome.seconds == pytest.approx(5.0, abs=1.0)
    assert [tokens for tokens, _ in outcome.losses] == sorted(tokens for tokens, _ in outcome.losses)


def test_a_finished_stage_is_not_trained_again(batches, tmp_path):
    model = _model()
    outcome = _run(model, batches, tmp_path / "trial.pt", 0.5)
    fresh = _model()
    again = _run(fresh, batches, tmp_path / "trial.pt", 0.5)
    assert again == outcome
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), fresh.parameters(), strict=True))


def test_resumes_with_weights_optimizer_and_step(batches, tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.zoo.training.stages.CHECKPOINT_EVERY", 0.0)
    path, real = tmp_path / "trial.pt", Optimizers.step

    def cut_off(self, factor):
        real(self, factor)
        if path.exists() and torch.load(path, weights_only=False)["outcome"].steps == 3:
            raise Interrupted

    model = _model()
    with monkeypatch.context() as cut, pytest.raises(Interrupted):
        cut.setattr(Optimizers, "step", cut_off)
        _run(model, batches, path, 60.0)
    saved = torch.load(path, weights_only=False)
    assert (saved["done"], saved["outcome"].steps) == (False, 3)

    drawn, seen = [], []

    class Watched(Batches):
        def draw(self, step, count, length):
            drawn.append(step)
            return super().draw(step, count, length)

    def first_step(self, factor):
        seen.extend(self._all[0].state.values())
        raise Interrupted

    resumed = _model()
    with monkeypatch.context() as cut, pytest.raises(Interrupted):
        cut.setattr(Optimizers, "step", first_step)
        _run(resumed, Watched(batches.streams), path, 60.0)
    assert drawn == [3]
    for name, weight in saved["model"].items():
        assert torch.equal(resumed.state_dict()[name], weight), name
    kept = saved["optimizers"][0]["state"].values()
    assert [s["momentum"].sum() for s in seen] == [s["momentum"].sum() for s in kept]
    assert not path.with_suffix(".partial").exists()


def test_another_budget_is_refused_by_name(batches, tmp_path):
    _run(_model(), batches, tmp_path / "trial.pt", 0.5)
    with pytest.raises(SpecvizError, match="belongs to a stage of .* give the same --minutes"):
        _run(_model(), batches, tmp_path / "trial.pt", 1.0)
