"""Prediction heads: guesses of the tokens after the next one, read off its last hidden state (slim.txt 3.2)."""

import hashlib
import heapq
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from specviz.errors import ModelError

Paths = tuple[tuple[int, ...], ...]
Accuracies = tuple[tuple[float, ...], ...]
TREE_LIMIT = 64


class Heads(Protocol):
    """g_2 .. g_m on a target: head number i (from 0) predicts the token i + 2 positions after a context.

    ``count`` is m - 1. ``tree`` is Medusa's static tree: each entry is a path of ranks from the root (the model's own
    next token), so (0,) is the best token of the first head and (0, 2) the third best of the second head below it;
    every path's ancestors are entries too, at most 64 in all. ``accuracy[i][r]`` in [0, 1] is the calibrated
    probability that the token of rank r of head i is the right one; it may be empty."""

    @property
    def name(self) -> str:
        """What traces and errors call them."""
        ...

    @property
    def count(self) -> int:
        """m - 1."""
        ...

    @property
    def vocab_size(self) -> int:
        """How many token ids there are."""
        ...

    @property
    def fingerprint(self) -> str:
        """Tells their weights from others."""
        ...

    @property
    def tree(self) -> Paths:
        """Medusa's static tree."""
        ...

    @property
    def accuracy(self) -> Accuracies:
        """Calibrated probabilities by head and rank."""
        ...

    def logits(self, context: Sequence[int], hidden: Tensor | None) -> Tensor:
        """[count, vocab_size], unnormalised, of the tokens 2 .. m after ``context``.

        ``hidden``, [width] or [1, width], is the target's last hidden state at the last token of ``context``.
        """
        ...

    def first(self, count: int) -> "Heads":
        """The nearest ``count`` of them, 1 .. m - 1, with a tree of their own."""
        ...


def check_tree(tree: Paths, count: int, vocab_size: int) -> None:
    """Raises ModelError unless ``tree`` has at most 64 different nodes, each at most ``count`` deep, with ancestors."""
    nodes = set(tree)
    if len(nodes) != len(tree) or len(tree) > TREE_LIMIT:
        raise ModelError(f"tree must have at most {TREE_LIMIT} nodes, all different, got {len(tree)}", argument="tree")
    for path in tree:
        if not 1 <= len(path) <= count or not all(0 <= rank < vocab_size for rank in path):
            raise ModelError(
                f"tree node {path} must hold 1 to {count} ranks, each in 0..{vocab_size - 1}", argument="tree"
            )
        if len(path) > 1 and path[:-1] not in nodes:
            raise ModelError(f"tree node {path} lacks its parent {path[:-1]}", argument="tree")


def first_tree(heads: Heads, count: int) -> Paths:
    """The tree of the nearest ``count`` of ``heads``: chosen anew where it is known how often they are right, else what
    is left of theirs."""
    if heads.accuracy:
        return choose_tree(heads.accuracy[:count])
    return tuple(path for path in heads.tree if len(path) <= count)


def chain_tree(count: int) -> Paths:
    """The smallest tree: the best token of every head, one below the other."""
    return tuple((0,) * depth for depth in range(1, count + 1))


def choose_tree(accuracy: Accuracies, nodes: int = TREE_LIMIT) -> Paths:
    """Medusa's static tree: the ``nodes`` paths of ranks most likely to be right, taking the heads as independent.

    A path's probability is the product of its ranks' accuracies, so a parent is never less likely than its child; nodes
    come in the order taken, parents first."""
    waiting: list[tuple[float, tuple[int, ...]]] = [
        (-probability, (rank,)) for rank, probability in enumerate(accuracy[0])
    ]
    heapq.heapify(waiting)
    tree = []
    while waiting and len(tree) < nodes:
        negative, path = heapq.heappop(waiting)
        tree.append(path)
        if len(path) < len(accuracy):
            for rank, probability in enumerate(accuracy[len(path)]):
                heapq.heappush(waiting, (negative * probability, (*path, rank)))
    return tuple(tree)


class PredictionHeads(nn.Module):
    """Learned heads: ``logits_i = projection_i(x + silu(linear_i(x)))``, x the hidden state (slim.txt, 3.3).

    The first linear layer is width to width, the second width to vocabulary; neither has a bias. ``target`` is the
    fingerprint of the model they were trained on. Raises ModelError for an unsound tree.
    """

    def __init__(
        self,
        count: int,
        width: int,
        vocab_size: int,
        *,
        name: str = "heads",
        target: str = "",
        tree: Paths | None = None,
        accuracy: Accuracies = (),
    ):
        super().__init__()
        self.count, self.width, self.vocab_size = count, width, vocab_size
        self.name, self.target = name, target
        self.tree = chain_tree(count) if tree is None else tree
        self.accuracy = accuracy
        self._fingerprint: str | None = None
        check_tree(self.tree, count, vocab_size)
        self.linear = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(count))
        self.projection = nn.ModuleList(nn.Linear(width, vocab_size, bias=False) for _ in range(count))

    @property
    def fingerprint(self) -> str:
        """SHA-256 (16 hex digits) of all weights, as float32; computed once."""
        if self._fingerprint is None:
            self._fingerprint = self._digest()
        return self._fingerprint

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for name, weight in sorted(self.state_dict().items()):
            digest.update(f"{name}{tuple(weight.shape)}".encode())
            digest.update(weight.float().cpu().numpy().tobytes())
        return digest.hexdigest()[:16]

    def forward(self, x: Tensor) -> list[Tensor]:
        """One [n, vocab_size] per head for hidden states [n, width]."""
        return [
            projection(x + nn.functional.silu(linear(x)))
            for linear, projection in zip(self.linear, self.projection, strict=True)
        ]

    @torch.inference_mode()
    def logits(self, context: Sequence[int], hidden: Tensor | None) -> Tensor:
        """float32 [count, vocab_size]; ``context`` is not looked at. Raises ModelError without a hidden state."""
        if hidden is None or hidden.numel() != self.width:
            actual = "none" if hidden is None else f"shape {tuple(hidden.shape)}"
            raise ModelError(
                f"hidden must be the target's last hidden state, [{self.width}], got {actual}", argument="hidden"
            )
        weight = next(self.linear.parameters())
        return torch.cat(self(hidden.reshape(1, -1).to(weight.device, weight.dtype))).float()

    def first(self, count: int) -> "PredictionHeads":
        """See ``Heads``; the weights are shared."""
        with torch.device("meta"):
            made = PredictionHeads(
                count,
                self.width,
                self.vocab_size,
                name=self.name,
                target=self.target,
                tree=first_tree(self, count),
                accuracy=self.accuracy[:count],
            )
        made.linear, made.projection = self.linear[:count], self.projection[:count]
        return made.eval()

    def save(self, directory: str | Path) -> None:
        """Write ``heads.safetensors`` (bfloat16) and ``config.json`` into ``directory``."""
        directory = Path(os.path.expanduser(directory))
        directory.mkdir(parents=True, exist_ok=True)
        weights = {name: w.detach().to(torch.bfloat16).cpu().contiguous() for name, w in self.state_dict().items()}
        save_file(weights, directory / "heads.safetensors")
        config = {
            "count": self.count,
            "width": self.width,
            "vocab_size": self.vocab_size,
            "target": self.target,
            "tree": self.tree,
            "accuracy": self.accuracy,
        }
        (directory / "config.json").write_text(json.dumps(config) + "\n")

    @classmethod
    def load(
        cls, directory: str | os.PathLike[str], device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
    ) -> "PredictionHeads":
        """Read what ``save`` wrote. Raises ModelError when a file is missing, damaged or of other shapes."""
        directory = Path(os.path.expanduser(directory))
        try:
            config = json.loads((directory / "config.json").read_text())
            weights = load_file(directory / "heads.safetensors")
            heads = cls(
                config["count"],
                config["width"],
                config["vocab_size"],
                name=directory.name,
                target=config["target"],
                tree=tuple(tuple(path) for path in config["tree"]),
                accuracy=tuple(tuple(ranks) for ranks in config["accuracy"]),
            )
            heads.load_state_dict(weights)
        except ModelError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            raise ModelError(
                f"heads {str(directory)!r} could not be loaded: {_short(error)}", argument="heads"
            ) from error
        return heads.to(device, dtype).eval().requires_grad_(False)


def _short(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0][:200]


class TableHeads:
    """Heads given by functions: ``functions[i](context) -> probabilities`` [vocab_size] of the token i + 2 positions
    on.

    For table models; float64. Probabilities are nonnegative and sum to one (checked to 1e-9). ``tree`` defaults to the
    chain of every head's best token. Raises ModelError for an unsound tree or unsound probabilities.
    """

    dtype = torch.float64

    def __init__(
        self,
        functions: Sequence[Callable[[tuple[int, ...]], Sequence[float] | np.ndarray]],
        vocab_size: int,
        *,
        tree: Paths | None = None,
        accuracy: Accuracies = (),
        name: str = "table heads",
    ):
        self.name, self.fingerprint = name, name
        self.count, self.vocab_size, self.accuracy = len(functions), vocab_size, accuracy
        self.tree = chain_tree(self.count) if tree is None else tree
        check_tree(self.tree, self.count, vocab_size)
        self._functions = tuple(functions)

    @classmethod
    def random(cls, vocab_size: int, count: int, seed: int, *, tree: Paths | None = None) -> "TableHeads":
        """Heads drawn at random: each head and context gets probabilities of its own, a function of the seed."""

        def head(number: int) -> Callable[[tuple[int, ...]], np.ndarray]:
            def function(context: tuple[int, ...]) -> np.ndarray:
                weights = np.random.default_rng((seed, number, len(context), *context)).exponential(size=vocab_size)
                return weights / weights.sum()

            return function

        return cls([head(i) for i in range(count)], vocab_size, tree=tree, name=f"random heads {seed}")

    def first(self, count: int) -> "TableHeads":
        """See ``Heads``."""
        tree, functions = first_tree(self, count), self._functions[:count]
        return TableHeads(functions, self.vocab_size, tree=tree, accuracy=self.accuracy[:count], name=self.name)

    def logits(self, context: Sequence[int], hidden: Tensor | None) -> Tensor:
        """float64 [count, vocab_size]: log probabilities after ``context``; ``hidden`` is not looked at."""
        rows = np.array([function(tuple(context)) for function in self._functions], dtype=np.float64)
        sound = (rows >= 0).all() and (abs(rows.sum(-1) - 1) <= 1e-9).all()  # false of NaN
        if rows.shape != (self.count, self.vocab_size) or not sound:
            raise ModelError(f"every head must give {self.vocab_size} nonnegative numbers that sum to 1, got {rows}")
        return torch.from_numpy(rows).log()
