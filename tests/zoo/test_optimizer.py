"""Muon orthogonalises; the two optimizers share out the parameters and remember their state."""

import pytest
import torch

from specviz.zoo.training.network import llama
from specviz.zoo.training.optimizer import MATRIX_RATE, VECTOR_RATE, Muon, Optimizers, orthogonalise


@pytest.mark.parametrize("shape", [(3, 64, 64), (2, 96, 64), (2, 64, 160)])
def test_singular_values_come_near_one_and_directions_stay(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    result = orthogonalise(matrices)
    assert result.shape == matrices.shape and result.dtype == matrices.dtype
    values = torch.linalg.svdvals(result)
    assert values.max() < 1.35 and values.median() > 0.6
    assert torch.linalg.svdvals(matrices).max() > 10  # they were far from orthogonal
    u, _, v = torch.linalg.svd(matrices, full_matrices=False)
    exact = u @ v
    for ours, factor in zip(result, exact, strict=True):
        assert torch.nn.functional.cosine_similarity(ours.flatten(), factor.flatten(), dim=0) > 0.95


def test_stacked_matrices_do_not_mix():
    matrices = torch.randn(3, 48, 32, generator=torch.Generator().manual_seed(1))
    together = orthogonalise(matrices)
    for index in range(3):
        torch.testing.assert_close(orthogonalise(matrices[index : index + 1])[0], together[index], atol=0.05, rtol=0)


def test_a_muon_step_has_the_stated_size():
    parameter = torch.nn.Parameter(torch.zeros(128, 32))
    parameter.grad = torch.randn(128, 32, generator=torch.Generator().manual_seed(2)) * 1e-4
    Muon([parameter], lr=0.02).step()
    values = torch.linalg.svdvals(parameter.detach())
    assert values.median() == pytest.approx(0.02 * 2.0, rel=0.35)  # sqrt(128 / 32) = 2, whatever the gradient's size


def test_every_parameter_is_trained_by_exactly_one():
    model = llama(50, 64, 2, 64)
    optimizers = Optimizers(model)
    muon, adam = ([id(p) for p in o.param_groups[0]["params"]] for o in optimizers._all)
    assert sorted(muon + adam) == sorted(id(p) for p in model.parameters())
    assert id(model.model.embed_tokens.weight) in adam and id(model.model.layers[0].mlp.up_proj.weight) in muon


def test_a_step_moves_all_scales_with_the_factor_and_clears_gradients():
    def moved(factor):
        torch.manual_seed(0)
        model = llama(50, 64, 1, 64)
        before = [p.detach().clone() for p in model.parameters()]
        model(torch.arange(20)[None]).logits.logsumexp(-1).mean().backward()
        optimizers = Optimizers(model)
        optimizers.step(factor)
        assert all(p.grad is None for p in model.parameters())
        assert [o.param_groups[0]["lr"] for o in optimizers._all] == [MATRIX_RATE * factor, VECTOR_RATE * factor]
        return [(p - b).norm().item() for p, b in zip(model.parameters(), before, strict=True)]

    assert not any(moved(0.0))
    half, full = moved(0.5), moved(1.0)
    assert all(full) and half == pytest.approx([size / 2 for size in full], rel=0.02)


def test_state_survives_saving():
    def trained(pause: bool):
        torch.manual_seed(0)
        model = llama(50, 64, 1, 64)
        optimizers = Optimizers(model)
        for step in range(4):
            if pause and step == 2:
                kept, optimizers = optimizers.state_dict(), Optimizers(model)
                optimizers.load_state_dict(kept)
            model(torch.arange(20)[None]).logits.logsumexp(-1).mean().backward()
            optimizers.step(1.0)
        return [p.detach() for p in model.parameters()]

    for straight, resumed in zip(trained(False), trained(True), strict=True):
        assert torch.equal(straight, resumed)
