"""Muon for the matrices, AdamW for embeddings, vocabulary projections and gains.

Muon (Jordan et al. 2024) steps along the orthogonalised momentum; the orthogonal factor comes from a quintic
Newton-Schulz iteration. Matrices of one shape are stacked, so each iteration is one batched product.
"""

import torch

MATRIX_RATE = 0.02
VECTOR_RATE = 0.003
_QUINTIC = (3.4445, -4.7750, 2.0315)


def orthogonalise(matrices: torch.Tensor, steps: int = 5) -> torch.Tensor:
    """Approximate orthogonal factors of a stack [n, rows, columns], bfloat16 inside."""
    a, b, c = _QUINTIC
    x = matrices.to(torch.bfloat16)
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.transpose(-1, -2).contiguous()
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(-1, -2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.transpose(-1, -2) if tall else x).to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Momentum .95 (Nesterov), orthogonalised, scaled by sqrt(max(1, rows / columns))."""

    def __init__(self, parameters, lr: float, momentum: float = 0.95, weight_decay: float = 0.0):
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            shapes: dict[torch.Size, list[tuple[torch.Tensor, torch.Tensor]]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    shapes.setdefault(parameter.shape, []).append((parameter, parameter.grad))
            for shape, stack in shapes.items():
                self._step_stack(stack, group, scale=max(1.0, shape[0] / shape[1]) ** 0.5)

    def _step_stack(self, stack: list[tuple[torch.Tensor, torch.Tensor]], group: dict, scale: float) -> None:
        """One step for matrices of one shape, each with its gradient."""
        directions = []
        for parameter, gradient in stack:
            state = self.state[parameter]
            if "momentum" not in state:
                state["momentum"] = torch.zeros_like(parameter)
            state["momentum"].lerp_(gradient, 1 - group["momentum"])
            directions.append(gradient.lerp(state["momentum"], group["momentum"]))
        updates = orthogonalise(torch.stack(directions))
        for (parameter, _), update in zip(stack, updates, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.add_(update, alpha=-group["lr"] * scale)


def _per_token(name: str) -> bool:
    """Whether a matrix has a row per vocabulary entry: embeddings and the projections of prediction heads."""
    return "embed" in name or "projection" in name


class Optimizers:
    """Both optimizers under one learning-rate factor."""

    def __init__(self, model: torch.nn.Module, matrix_rate: float = MATRIX_RATE, vector_rate: float = VECTOR_RATE):
        named = list(model.named_parameters())
        matrices = [p for name, p in named if p.ndim == 2 and not _per_token(name)]
        rest = [p for name, p in named if p.ndim != 2 or _per_token(name)]
        self._all = (
            Muon(matrices, lr=matrix_rate, weight_decay=0.05),
            torch.optim.AdamW(rest, lr=vector_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True),
        )
        self._rates = (matrix_rate, vector_rate)

    def step(self, factor: float) -> None:
        """One update at ``factor`` times the full rates, then clear the gradients."""
        for optimizer, rate in zip(self._all, self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> list[dict]:
        return [optimizer.state_dict() for optimizer in self._all]

    def load_state_dict(self, states: list[dict]) -> None:
        for optimizer, state in zip(self._all, states, strict=True):
            optimizer.load_state_dict(state)
