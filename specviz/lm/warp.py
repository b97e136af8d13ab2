"""The warp: logits to the probabilities sampled from. Temperature, then top-k, then top-p, then renormalise."""

from dataclasses import dataclass

import torch

from specviz.errors import OptionError


@dataclass(frozen=True)
class Warp:
    """The papers' warping operation T.

    ``temperature`` >= 0 (0: all probability on the first of the most probable tokens); ``top_k`` >= 1 or None;
    ``top_p`` in (0, 1] or None. Tokens that tie with the last one inside a cut stay inside, so the result does not
    depend on an order among equals. Raises OptionError for values outside these ranges.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self):
        if not 0.0 <= self.temperature < float("inf"):
            raise OptionError(f"temperature must be 0 or more, got {self.temperature}", argument="temperature")
        if self.top_k is not None and self.top_k < 1:
            raise OptionError(f"top_k must be 1 or more, or None, got {self.top_k}", argument="top_k")
        if self.top_p is not None and not 0.0 < self.top_p <= 1.0:
            raise OptionError(f"top_p must be in (0, 1], or None, got {self.top_p}", argument="top_p")

    @property
    def greedy(self) -> bool:
        return self.temperature == 0.0

    def __call__(self, logits: torch.Tensor) -> torch.Tensor:
        """Probabilities [n, m] from the logits of all m possible outcomes [n, m]: float64 stays, all else becomes
        float32. A row without any finite logit (a model with nothing to propose) becomes all zeros."""
        x = logits if logits.dtype == torch.float64 else logits.float()
        if self.greedy:
            probs = torch.zeros_like(x).scatter_(-1, x.argmax(-1, keepdim=True), 1.0)
            return probs * (x.amax(-1, keepdim=True) > float("-inf"))
        x = self.tempered(x)
        if self.top_k is not None and self.top_k < x.shape[-1]:
            x = x.masked_fill(x < x.topk(self.top_k, dim=-1).values[..., -1:], float("-inf"))
        probs = x.softmax(-1).nan_to_num(0.0)
        return probs if self.top_p in (None, 1.0) else _nucleus(probs, self.top_p)

    def tempered(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits [..., m] divided by the temperature, relative to the best one and in double, so that no temperature is
        too small; as they are at 0 and 1."""
        if self.temperature in (0.0, 1.0):
            return logits
        best = logits.amax(-1, keepdim=True).clamp_min(torch.finfo(logits.dtype).min)
        return ((logits.double() - best) / self.temperature).to(logits.dtype)


def _nucleus(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Keep the outcomes before which less than ``top_p`` of the probability lies, and renormalise."""
    ordered = probs.sort(dim=-1, descending=True).values
    before = ordered.cumsum(-1) - ordered
    inside = (before < top_p).sum(-1, keepdim=True) - 1
    last = ordered.gather(-1, inside.clamp_min(0))
    probs = probs.masked_fill(probs < last, 0.0)
    return probs / probs.sum(-1, keepdim=True).clamp_min(1e-30)
