"""The fast forward pass is the stock model's."""

import pytest
import torch
import torch.nn.functional as F

from specviz.zoo.build import distillation_loss
from specviz.zoo.training.network import QUERY_BLOCK, Network, llama


def _model(layers: int = 3, seed: int = 0):
    torch.manual_seed(seed)
    model = llama(300, 128, layers, 176)
    with torch.no_grad():  # away from the initial values, so that every part matters
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return model.eval()


def _tokens(rows: int, length: int, seed: int = 1):
    return torch.randint(300, (rows, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("length", [1, 7, QUERY_BLOCK, QUERY_BLOCK + 45])
def test_logits_equal_the_stock_model_to_bfloat16(length):
    model, tokens = _model(), _tokens(2, length)
    with torch.no_grad():
        fast = Network(model, compiled=False).logits(tokens).float().view(2, length, 300)
        stock = model(tokens).logits
        bfloat16 = _model().to(torch.bfloat16)(tokens).logits.float()  # the stock model at the same precision
    scale = stock.std()
    assert (fast - stock).abs().max() / scale < 0.12
    assert (fast - stock).pow(2).mean().sqrt() <= 1.2 * (bfloat16 - stock).pow(2).mean().sqrt()


def test_later_tokens_do_not_change_earlier_logits():
    model, tokens = _model(), _tokens(1, QUERY_BLOCK + 20)
    changed = tokens.clone()
    changed[0, QUERY_BLOCK + 5 :] = 3
    network = Network(model, compiled=False)
    with torch.no_grad():
        before, after = network.logits(tokens), network.logits(changed)
    assert torch.equal(before[: QUERY_BLOCK + 5], after[: QUERY_BLOCK + 5])
    assert not torch.equal(before[QUERY_BLOCK + 5 :], after[QUERY_BLOCK + 5 :])


def test_gradients_point_where_the_stock_model_s_do():
    model, stock = _model(), _model()
    tokens = _tokens(2, 65)
    Network(model, compiled=False).cross_entropy(tokens[:, :-1], tokens[:, 1:]).backward()
    logits = stock(tokens[:, :-1]).logits
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
    for (name, ours), theirs in zip(model.named_parameters(), stock.parameters(), strict=True):
        assert F.cosine_similarity(ours.grad.flatten(), theirs.grad.flatten(), dim=0) > 0.99, name


def test_a_drafts_loss_is_total_variation_and_a_little_kl_from_the_teacher():
    student, teacher, tokens = _model(1), _model(2, seed=5), _tokens(2, 30)
    networks = Network(student, compiled=False), Network(teacher, compiled=False)
    with torch.no_grad():
        q, p = (network.logits(tokens).float().log_softmax(-1) for network in networks)
        rejected = 1 - torch.minimum(p.exp(), q.exp()).sum(-1)
        direct = (rejected + 0.05 * (p.exp() * (p - q)).sum(-1)).mean()
        assert distillation_loss(*networks)(tokens, tokens) == pytest.approx(direct.item(), rel=1e-4)
        assert distillation_loss(networks[1], networks[1])(tokens, tokens) == pytest.approx(0, abs=1e-6)
    distillation_loss(*networks)(tokens, tokens).backward()
    assert all(parameter.grad is None for parameter in teacher.parameters())
