"""Decision models: small networks that estimate, while a draft is being made, how likely the target is to accept it.

improved-mcsd.txt, section 3.3. The paper's y_i "for token i" is read here as the position that drew token i: the
distribution the token was drawn from and the hidden state behind it. Both are known as soon as the token is, before any
further call. The token itself is no input, in either kind: the estimate is the probability that a token drawn there is
accepted. Both were trained on drafts sampled under the papers' warp (temperature 1, top-k 20, top-p .9), and both read
the draft *before* any warp, so an estimate does not depend on the warp in use."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from specviz.errors import ModelError

KINDS = ("hidden", "entropy")
USUAL = 0.4
"""The threshold that the paper stops at, for models that know no better."""
TOP = 10
ENTROPY_WIDTH = 32


class Decider(Protocol):
    """``kind`` is "hidden" (needs the draft's hidden states) or "entropy" (needs its logits alone); ``usual``, in
    [0, 1], the estimate that drafting stops below where no other threshold is asked for."""

    kind: str
    name: str
    usual: float

    def estimate(self, logits: Tensor, hidden: Tensor | None, tokens: Sequence[int]) -> list[float]:
        """In [0, 1], one per token: the estimated probability that ``tokens[i]``, drawn at row i, is accepted.

        ``logits`` [n, vocab_size] are the draft's raw logits at the positions that drew the tokens, ``hidden``
        [n, width] its last hidden states there (None: not known).
        """
        ...


def entropy_inputs(logits: Tensor) -> Tensor:
    """float32 [n, TOP + 1]: the 10 highest draft probabilities, descending, then the entropy in nats (raw)."""
    log_probs = logits.float().log_softmax(-1)
    top = min(TOP, log_probs.shape[-1])
    highest = log_probs.topk(top, dim=-1).values.exp()
    entropy = -(log_probs.exp() * log_probs.clamp_min(-1e4)).sum(-1, keepdim=True)
    return torch.cat([nn.functional.pad(highest, (0, TOP - top)), entropy], dim=-1)


class DecisionModel(nn.Module):
    """``P = MLP(...)`` behind a sigmoid.

    "hidden": three layers, width - width - width - 1, on the draft's last hidden state; trained towards
    ``min(1, p / q)`` of the drawn token (the paper prints max, which is never below 1). "entropy": two layers,
    11 - 32 - 1, on the draft's ten highest probabilities and its entropy; trained towards what verification said,
    1 accepted or 0 rejected. SiLU between layers. ``draft`` is the fingerprint of the model it was trained on;
    ``usual`` the median of its estimates there: a fixed threshold that they never fall below would decide nothing.
    Raises ModelError for an unknown kind.
    """

    def __init__(
        self, kind: str, width: int, vocab_size: int, *, name: str = "", draft: str = "", usual: float = USUAL
    ):
        super().__init__()
        if kind not in KINDS:
            raise ModelError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}", argument="kind")
        self.kind, self.width, self.vocab_size, self.draft = kind, width, vocab_size, draft
        self.name, self.usual = name or f"{kind} decider", usual
        sizes = (width, width, width, 1) if kind == "hidden" else (TOP + 1, ENTROPY_WIDTH, 1)
        layers: list[nn.Module] = []
        for inputs, outputs in zip(sizes, sizes[1:], strict=False):
            layers += [nn.Linear(inputs, outputs), nn.SiLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, inputs: Tensor) -> Tensor:
        """Log odds [n] of hidden states [n, width] or of ``entropy_inputs`` [n, 11]."""
        return self.layers(inputs).squeeze(-1)

    @torch.inference_mode()
    def estimate(self, logits: Tensor, hidden: Tensor | None, tokens: Sequence[int]) -> list[float]:
        """See ``Decider``. Raises ModelError when the kind is hidden and there are no hidden states of its width."""
        if self.kind == "hidden" and (hidden is None or hidden.shape[-1] != self.width):
            actual = "none" if hidden is None else f"shape {tuple(hidden.shape)}"
            raise ModelError(
                f"hidden must be the draft's last hidden states, [n, {self.width}], got {actual}", argument="hidden"
            )
        device = next(self.layers.parameters()).device
        inputs = hidden.float() if hidden is not None and self.kind == "hidden" else entropy_inputs(logits)
        return self(inputs.to(device)).sigmoid().tolist()


class FunctionDecider:
    """A decider given by ``probability(token) -> float`` in [0, 1], or by one number for every token: for table
    models."""

    kind, usual = "entropy", USUAL

    def __init__(self, probability: float | Callable[[int], float], name: str = "function decider"):
        self.name = name
        self._probability = probability if callable(probability) else lambda _token: float(probability)

    def estimate(self, logits: Tensor, hidden: Tensor | None, tokens: Sequence[int]) -> list[float]:
        """``probability(token)`` for each of ``tokens``; nothing else is looked at."""
        return [float(self._probability(int(token))) for token in tokens]


def save_deciders(deciders: dict[str, DecisionModel], directory: str | Path) -> None:
    """Write ``config.json`` and one ``KIND.safetensors`` (float32) per decision model into ``directory``."""
    directory = Path(os.path.expanduser(directory))
    directory.mkdir(parents=True, exist_ok=True)
    config = {}
    for kind, decider in deciders.items():
        save_file({k: v.detach().cpu().contiguous() for k, v in decider.state_dict().items()}, directory / _file(kind))
        config[kind] = {name: getattr(decider, name) for name in ("width", "vocab_size", "draft", "usual")}
    (directory / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def load_deciders(directory: str | os.PathLike[str], device: torch.device | str = "cpu") -> dict[str, DecisionModel]:
    """The decision models by kind. Raises ModelError when a file is missing, damaged or of other shapes."""
    directory = Path(os.path.expanduser(directory))
    deciders = {}
    try:
        for kind, config in json.loads((directory / "config.json").read_text()).items():
            name = f"{directory.name}/{kind}"
            sizes, usual = (config["width"], config["vocab_size"]), float(config.get("usual", USUAL))
            decider = DecisionModel(kind, *sizes, name=name, draft=config["draft"], usual=usual)
            decider.load_state_dict(load_file(directory / _file(kind)))
            deciders[kind] = decider.to(device).eval().requires_grad_(False)
    except ModelError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        raise ModelError(
            f"deciders {str(directory)!r} could not be loaded: {str(error)[:200]}", argument="deciders"
        ) from error
    return deciders


def _file(kind: str) -> str:
    return f"{kind}.safetensors"
