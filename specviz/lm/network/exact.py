"""What rounding to half precision would leave to the shape of a call, computed so that it does not.

In bfloat16 a number is rounded to 8 bits after every step. A sum that comes out a little differently, because a call
has other rows or because a row's ancestors lie elsewhere in the cache, is now and then rounded to the next number, and
dozens of layers make of that a change of .05 in a logit. Then a drafted text is no longer that of plain decoding. Here
such sums are so fine that they are always rounded to the same number, and the best logits are not rounded at all.
"""

import torch

LIKELIEST = 64  # logits of a row that are computed anew
ROWS = 16  # for which they are at once: for each, as many rows of the vocabulary's matrix are copied


def attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None, *, enable_gqa: bool
) -> torch.Tensor:
    """``scaled_dot_product_attention`` summed in float64 and rounded once: where the rows that are seen lie, and how
    many others there are, makes no difference.

    ``queries`` [1, heads, n, size], ``keys`` and ``values`` [1, key heads, m, size], ``mask`` [n, m], which is added
    (None: nothing is). ``enable_gqa``: ``heads`` may be a multiple of the key heads.
    """
    _, heads, count, size = queries.shape
    key_heads = keys.shape[1] if enable_gqa else heads
    scaled = queries[0].double().mul_(size**-0.5).reshape(key_heads, -1, size)  # a key head's queries below each other
    scores = torch.matmul(scaled, keys[0].double().transpose(1, 2))
    if mask is not None:
        scores.view(heads, count, -1).add_(mask)
    return torch.matmul(scores.softmax(-1), values[0].double()).view(queries.shape).to(queries.dtype)


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
