"""How far a draft is from its target: the training loss, and the measures."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import log_softmax

SHARPNESS = 3.0
DEEPER = 0.8


@dataclass(frozen=True)
class Distance:
    """The ``loss`` to minimise; ``kl`` (nats) and ``agreement`` (0 to 1), means over positions: tensors, so that
    nothing waits for a GPU."""

    loss: torch.Tensor
    kl: torch.Tensor
    agreement: torch.Tensor


def distance(draft_logits: torch.Tensor, target_log_probs: torch.Tensor, *, hybrid: bool) -> Distance:
    """Of a draft's logits [n, k] over the k tokens that it proposes from the target's log probabilities [n, k] of them,
    which sum to less than 1: what the target puts on other tokens no draft of this vocabulary can agree with.

    ``KL = sum p (log p - log q)`` over the k tokens, ``TV = 1 - sum min(p, q)``: how likely a drafted token is to be
    rejected. The loss is KL, or if ``hybrid`` ``lambda KL + (1 - lambda) TV`` with ``lambda = exp(-3 alpha)``,
    ``alpha = sum min(p, q)`` the mean over the batch: total variation has weak gradients where they agree little.
    """
    log_q = log_softmax(draft_logits.float(), dim=-1)
    p = target_log_probs.exp()
    kl = (p * (target_log_probs - log_q)).sum(-1).mean()
    overlap = torch.minimum(p, log_q.exp()).sum(-1).mean()
    weight = torch.exp(-SHARPNESS * overlap.detach())
    loss = weight * kl + (1 - weight) * (1 - overlap) if hybrid else kl
    return Distance(loss, kl.detach(), overlap.detach())


def joined(depths: Sequence[Distance]) -> Distance:
    """The mean over depths, each weighing ``DEEPER`` times what the one before does; KL and agreement of the first."""
    weights = [DEEPER**depth for depth in range(len(depths))]
    losses = [weight * depth.loss for weight, depth in zip(weights, depths, strict=True)]
    return Distance(torch.stack(losses).sum() / sum(weights), depths[0].kl, depths[0].agreement)


def tokens_per_call(overlaps: Sequence[torch.Tensor], gamma: int) -> float:
    """Tokens that a call of the target gives with chains of ``gamma`` guesses, where ``overlaps`` ([n] each) are the
    probabilities that a first, second, ... guess is accepted at each position of one text (later ones: as the last):
    the mean of ``1 + sum over k of the product of the next k``. Guesses follow the text here, not each other."""
    total, product = torch.ones(max(len(overlaps[0]) - gamma + 1, 0)), 1.0
    for ahead in range(gamma):
        overlap = overlaps[min(ahead, len(overlaps) - 1)]
        product = product * overlap[ahead : ahead + len(total)].cpu()
        total = total + product
    return total.mean().item() if len(total) else 1.0
