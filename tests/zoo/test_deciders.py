"""Rollouts judged as by hand, collected across an interruption; fits that learn; calibration that adds up."""

import math

import numpy as np
import pytest
import torch

from specviz.lm.parts.deciding import entropy_inputs
from specviz.zoo.corpus import DOMAINS
from specviz.zoo.report.evaluation import WARP
from specviz.zoo.training import deciders as deciding
from specviz.zoo.training.batches import Batches
from specviz.zoo.training.network import Network, llama
from specviz.zoo.training.parts import judge

V = 40


def _model(seed: int, layers: int = 1):
    torch.manual_seed(seed)
    model = llama(V, 64, layers, 64).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def _contexts(count=6, length=9):
    return torch.randint(V, (count, length), generator=torch.Generator().manual_seed(3))


def test_every_position_is_judged_as_by_hand():
    draft, target, seen = _model(0), _model(1), []

    def target_logits(tokens):
        seen.append(tokens)
        return target(tokens).logits[:, -1 - deciding.DEPTH : -1]

    judged = deciding.roll_out(draft, target_logits, _contexts(), torch.Generator().manual_seed(4))
    row = 0
    with torch.no_grad():
        for tokens in seen[0]:
            for position in range(9, 9 + deciding.DEPTH):
                output = draft(tokens[None, :position], output_hidden_states=True)
                q = WARP(output.logits[:, -1])[0, tokens[position]]
                p = WARP(target(tokens[None, :position]).logits[:, -1])[0, tokens[position]]
                assert q > 0 and judged.acceptance_probability[row].item() == pytest.approx(
                    min(1.0, (p / q).item()), abs=1e-4
                )
                torch.testing.assert_close(judged.hidden[row], output.hidden_states[-1][0, -1], atol=1e-4, rtol=1e-4)
                torch.testing.assert_close(
                    judged.entropy[row], entropy_inputs(output.logits[:, -1])[0], atol=1e-4, rtol=1e-4
                )
                row += 1
    assert row == len(judged.acceptance_probability) == len(judged.accepted)
    assert torch.equal(seen[0][:, :9], _contexts())
    assert (judged.accepted[judged.acceptance_probability == 0] == 0).all() and (
        judged.accepted[judged.acceptance_probability == 1] == 1
    ).all()


def test_a_draft_that_is_the_target_is_always_accepted():
    model = _model(0)
    judged = deciding.roll_out(
        model, lambda tokens: model(tokens).logits[:, -6:-1], _contexts(), torch.Generator().manual_seed(4)
    )
    assert judged.acceptance_probability.min() > 0.999


def test_the_fast_judge_reads_the_positions_that_drew_the_tokens():
    target, tokens = _model(1, 2), _contexts(2, 14)
    with torch.no_grad():
        fast = judge(Network(target, compiled=False))(tokens)
        stock = target(tokens).logits[:, 8:13]
    assert fast.shape == (2, 5, V) and (fast - stock).abs().max() / stock.std() < 0.12


def test_collecting_goes_on_where_it_was_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(deciding.training, "CHECKPOINT_EVERY", 0.0)
    stream = (np.arange(3_000) % V).astype(np.uint16)
    drawn = []

    class Watched(Batches):
        def draw(self, step, count, length):
            drawn.append(step)
            if len(drawn) == 4:
                raise KeyboardInterrupt
            return super().draw(step, count, length)

    draft, target = _model(0), _model(1)
    arguments = (draft, judge(Network(target, compiled=False)), Watched({domain: stream for domain in DOMAINS}))
    path = tmp_path / "rollouts.pt"
    with pytest.raises(KeyboardInterrupt):
        deciding.collect(*arguments, 1.0, path, torch.device("cpu"))
    before = torch.load(path, weights_only=False)
    judged, outcome = deciding.collect(*arguments, before["outcome"].seconds / 60 + 0.005, path, torch.device("cpu"))
    assert drawn[:6] == [0, 1, 2, 3, 3, 4] or (drawn[:5] == [0, 1, 2, 3, 3] and outcome.steps == 4)
    assert (
        len(judged.acceptance_probability) == outcome.tokens == outcome.steps * 160
        and outcome.steps > before["outcome"].steps == 3
    )
    assert torch.equal(judged.hidden[: 3 * 160], before["judged"].hidden)
    count = len(drawn)
    enough = math.nextafter(outcome.seconds / 60, 0)  # x / 60 * 60 can be more than x
    again, same = deciding.collect(*arguments, enough, path, torch.device("cpu"))
    assert len(drawn) == count and same == outcome and torch.equal(again.hidden, judged.hidden)


def test_both_kinds_learn_what_decides():
    """Where the first hidden number decides, the hidden model finds it; where the first probability does, the other."""
    generator = torch.Generator().manual_seed(0)
    hidden, entropy = torch.randn(6_000, 64, generator=generator), torch.rand(6_000, 11, generator=generator)
    chance = (hidden[:, 0] > 0).float() * 0.8 + 0.1
    accepted = (entropy[:, 0] > 0.5).float()
    deciders = deciding.fit_deciders(_model(0), deciding.JudgedDrafts(hidden, entropy, chance, accepted))
    with torch.no_grad():
        estimates = deciders["hidden"](hidden).sigmoid()
        assert (estimates - chance).abs().mean() < 0.2  # 0.4 for a constant
        assert ((deciders["entropy"](entropy) > 0) == (accepted > 0.5)).float().mean() > 0.9


def test_fitting_is_reproducible_and_leaves_chance_alone():
    judged = deciding.JudgedDrafts(torch.randn(50, 64), torch.rand(50, 11), torch.rand(50), torch.ones(50))
    draft, state = _model(0), torch.get_rng_state()
    first, second = (deciding.fit_deciders(draft, judged) for _ in range(2))
    assert torch.equal(first["hidden"](judged.hidden), second["hidden"](judged.hidden))
    assert torch.equal(torch.get_rng_state(), state)


def test_calibration_counts_every_position_once():
    estimates, accepted = np.array([0.05, 0.15, 0.151, 0.95, 1.0]), np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    found = deciding.calibrate(estimates, accepted)
    assert [(row["from"], row["positions"], row["observed"]) for row in found["bins"]] == [
        (0.0, 1, 0.0),
        (0.1, 2, 0.5),
        (0.9, 2, 1.0),
    ]
    assert found["accepted"] == pytest.approx(0.6)
    assert found["brier"] == pytest.approx((0.05**2 + 0.85**2 + 0.151**2 + 0.05**2) / 5)
    assert found["brier_constant"] == pytest.approx(0.24)
