"""Training the prediction heads on a target that stays as it is.

Every head learns the target's own distribution at the position it guesses (soft labels: the target's full distribution,
read off the same forward pass, given the text up to there), rather than the one token that the text has there. Both
have the same best answer where the target models the text well, but the distribution says at every position what a
token says only on average, so fewer steps are needed; and what verification compares a guess with is the target, not
the text."""

from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.network.transformer import fingerprint
from specviz.lm.parts.heads import PredictionHeads
from specviz.zoo.training.network import Network, Stock

HEADS = 4


def fresh_heads(target: PreTrainedModel) -> PredictionHeads:
    """Heads that all repeat the target's next-token prediction: linear layers zero, projections the target's own."""
    config, own = target.config.get_text_config(), target.get_output_embeddings()
    assert own is not None, "a causal model projects to its vocabulary"
    sizes = (HEADS, config.hidden_size, config.vocab_size)
    heads = PredictionHeads(*sizes, name="fable-heads", target=fingerprint(target))
    with torch.no_grad():
        for linear, projection in zip(_weights(heads.linear), _weights(heads.projection), strict=True):
            linear.zero_()
            projection.copy_(own.get_parameter("weight"))
    return heads


def learned_heads(directory: Path, target: PreTrainedModel) -> PredictionHeads:
    """The heads of ``directory``, taught on an earlier state of ``target``, to learn on. Raises ModelError where there
    are none, or of other shapes."""
    heads, earlier = fresh_heads(target), PredictionHeads.load(directory)
    if (earlier.count, earlier.width, earlier.vocab_size) != (heads.count, heads.width, heads.vocab_size):
        raise ModelError(f"heads {str(directory)!r} are not of the target's shape", argument="heads")
    heads.load_state_dict(earlier.state_dict())
    return heads


def _weights(layers: torch.nn.ModuleList) -> list[torch.Tensor]:
    return [layer.get_parameter("weight") for layer in layers]


def heads_loss(
    heads: PredictionHeads, target: Network | Stock, compiled: bool = True
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Loss of a batch: cross-entropy of every head from the target's distribution where it guesses, averaged over the
    heads."""
    cross_entropy = torch.compile(_cross_entropy, dynamic=False) if compiled else _cross_entropy

    def loss(inputs: torch.Tensor, _targets: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            hidden, logits = target.scored(inputs)
        return cross_entropy(hidden, logits, _weights(heads.linear), _weights(heads.projection))

    return loss


def _cross_entropy(hidden, logits, linears, projections):
    # hidden: [batch, length, width], logits: [batch, length, vocabulary] at positions t;
    # head i guesses token t + i + 2, whose distribution is at t + i + 1
    width, span = hidden.shape[-1], hidden.shape[1] - len(linears)
    x = hidden[:, :span].reshape(-1, width)
    distributions = logits.float().softmax(-1)
    total = torch.zeros((), device=hidden.device)
    for i, (linear, projection) in enumerate(zip(linears, projections, strict=True)):
        mixed = x + F.silu(x @ linear.to(torch.bfloat16).t())
        guess = F.log_softmax((mixed @ projection.to(torch.bfloat16).t()).float(), dim=-1)
        distribution = distributions[:, i + 1 : i + 1 + span].reshape(guess.shape)
        total = total - (distribution * guess).sum(-1).mean()
    return total / len(linears)
