"""The heads' loss against its definition; the target is left alone."""

import pytest
import torch

from specviz.lm.network.transformer import fingerprint
from specviz.zoo.training.heads import fresh_heads, heads_loss
from specviz.zoo.training.network import Network, llama
from specviz.zoo.training.optimizer import Optimizers

V = 50


@pytest.fixture
def target():
    torch.manual_seed(0)
    model = llama(V, 64, 2, 96).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def _heads(target):
    heads = fresh_heads(target)
    with torch.no_grad():
        for parameter in heads.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return heads


def _tokens(rows=3, length=24):
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(1))


def test_fresh_heads_say_what_the_target_says_next(target):
    heads = fresh_heads(target)
    with torch.no_grad():
        output = target(_tokens(), output_hidden_states=True)
        for logits in heads(output.hidden_states[-1].flatten(0, 1)):
            torch.testing.assert_close(logits, output.logits.flatten(0, 1), atol=1e-5, rtol=1e-5)
    assert heads.target == fingerprint(target) and heads.count == 4


def test_the_loss_is_the_cross_entropy_from_the_distribution_of_the_guessed_token(target):
    heads, tokens = _heads(target), _tokens()
    loss = heads_loss(heads, Network(target, compiled=False), compiled=False)(tokens, tokens)
    with torch.no_grad():
        output = target(tokens, output_hidden_states=True)
        distributions, values = output.logits.softmax(-1), []
        for i in range(4):
            for t in range(24 - 4):  # the head at t guesses token t + i + 2, whose distribution stands at t + i + 1
                guess = heads(output.hidden_states[-1][:, t])[i].log_softmax(-1)
                values.append(-(distributions[:, t + i + 1] * guess).sum(-1).mean())
    assert loss.item() == pytest.approx(torch.stack(values).mean().item(), rel=0.01)


def test_only_the_heads_learn(target):
    with torch.no_grad():
        target.model.embed_tokens.weight.mul_(4)  # distributions far from even
    heads, tokens, before = fresh_heads(target), _tokens(8, 32), fingerprint(target)
    loss, optimizers = heads_loss(heads, Network(target, compiled=False), compiled=False), Optimizers(heads)
    values = []
    for _ in range(30):
        values.append(loss(tokens, tokens))
        values[-1].backward()
        assert all(parameter.grad is None for parameter in target.parameters())
        assert all(parameter.grad.abs().sum() > 0 for parameter in heads.parameters())
        optimizers.step(0.5)
    assert values[-1] < values[0] - 0.3 and fingerprint(target) == before


def test_the_network_s_hidden_states_are_those_after_the_final_norm(target):
    with torch.no_grad():
        fast = Network(target, compiled=False).hidden(_tokens()).float()
        stock = target.model(_tokens()).last_hidden_state
    assert (fast - stock).abs().max() / stock.std() < 0.12
