"""Logits of a model in half precision, unrounded where tokens are chosen."""

import torch

LIKELIEST = 64  # logits of a row that are computed anew
ROWS = 16  # for which they are at once: for each, as many rows of the vocabulary's matrix are copied


def with_exact_likeliest(
    logits: torch.Tensor, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
) -> torch.Tensor:
    """float32 [n, vocabulary]: ``logits`` with the ``LIKELIEST`` of each row computed anew. Between 16 and 32 bfloat16
    knows every eighth number, so that the best two are often equal, and which is the first of them says nothing.

    ``logits`` [n, vocabulary] are ``hidden`` [n, width] times ``weight`` [vocabulary, width], plus ``bias``
    [vocabulary], all of one type. The other logits stay as they were rounded; so do all of a float32 model.
    """
    if logits.dtype == torch.float32:
        return logits
    wide, exact = logits.float(), torch.float64 if logits.device.type == "cpu" else torch.float32
    for rows, states in zip(wide.split(ROWS), hidden.split(ROWS), strict=True):
        tokens = rows.topk(min(LIKELIEST, rows.shape[-1]), sorted=False).indices
        products = torch.bmm(weight[tokens].to(exact), states.to(exact)[..., None])[..., 0]
        rows.scatter_(-1, tokens, (products if bias is None else products + bias[tokens]).float())
    return wide
