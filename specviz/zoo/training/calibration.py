"""How often each rank of each prediction head is right, and the static tree that follows from it.

A head's guess is right when it is the token that comes. Two kinds of text are asked: held-out text, and the target's
own greedy continuations of held-out text. The second is what the heads meet when decoding, since their hypotheses are
verified against the target's argmax; it decides over the tree.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from transformers import PreTrainedModel

from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.heads import Accuracies, Paths, PredictionHeads

RANKS = 10
PROMPT, CONTINUATION = 64, 64
FEWEST = 8  # tokens of a continuation at least, even out of time


@dataclass(frozen=True)
class HeadRanks:
    """``plain`` and ``corrected`` int64 [positions, heads]: the rank (0 best) of the right token among each head's ten
    best, ``RANKS`` where it is not among them. ``corrected`` ranks the same ten by ``g(y) r(x, y)``, x the token
    before, taken as known: in a hypothesis whose beginning is right it is the right one (slim.txt, Eq. 3, Table 6)."""

    plain: np.ndarray
    corrected: np.ndarray

    def __add__(self, other: "HeadRanks") -> "HeadRanks":
        return HeadRanks(
            np.concatenate([self.plain, other.plain]),
            np.concatenate([self.corrected, other.corrected]),
        )


def log_correlation(correlation: Correlation) -> torch.Tensor:
    """float32 [vocab_size, vocab_size]: log r of every pair."""
    everything = range(correlation.vocab_size)
    return correlation.r(everything, everything).log().float()


@torch.inference_mode()
def rank_guesses(
    target: PreTrainedModel, heads: PredictionHeads, log_r: torch.Tensor | None, tokens: torch.Tensor, first: int = 0
) -> HeadRanks:
    """Ranks at each position of ``tokens`` int64 [batch, length] from column ``first`` on, the last few left out;
    without ``log_r`` nothing is corrected."""
    log_r = None if log_r is None else log_r.to(target.device)
    plain, corrected = [], []
    for batch in tokens.split(8):
        batch = batch.to(target.device)
        positions = range(first, batch.shape[1] - 1 - heads.count)
        hidden = target.base_model(batch, use_cache=False).last_hidden_state[:, positions.start : positions.stop]
        by_head = []
        for i, scores in enumerate(
            heads(hidden.flatten(0, 1).to(next(heads.parameters()).dtype))
        ):  # head i guesses the token i + 2 further on
            before, right = (batch[:, positions.start + n : positions.stop + n].flatten() for n in (i + 1, i + 2))
            by_head.append(_ranks(scores, before, right, log_r))
        plain.append(torch.stack([ranks for ranks, _ in by_head], dim=1).cpu().numpy())
        corrected.append(torch.stack([ranks for _, ranks in by_head], dim=1).cpu().numpy())
    return HeadRanks(np.concatenate(plain), np.concatenate(corrected))


def _ranks(scores, before, right, log_r) -> tuple[torch.Tensor, torch.Tensor]:
    # scores [n, vocab_size]; before, right [n]
    values, candidates = scores.float().topk(RANKS, dim=-1)
    hits = candidates == right[:, None]
    order = (values if log_r is None else values + log_r[before[:, None], candidates]).argsort(
        dim=-1, descending=True, stable=True
    )
    return _first(hits), _first(hits.gather(1, order))


def _first(hits: torch.Tensor) -> torch.Tensor:
    """The column of the one true entry of each row; ``RANKS`` where there is none."""
    return torch.where(hits.any(-1), hits.int().argmax(-1), RANKS)


@torch.inference_mode()
def greedy_continuations(
    target: PreTrainedModel, windows: torch.Tensor, go_on: Callable[[], bool] = lambda: True
) -> torch.Tensor:
    """int64 [n, PROMPT + CONTINUATION]: the first ``PROMPT`` tokens of each window and what the target writes after
    them, always taking its most probable token; it writes on after an end of text. Of at most 32 windows, fewer tokens
    (``FEWEST`` or more) where ``go_on()`` is false."""
    written = []
    for prompts in windows[:, :PROMPT].split(32):
        tokens, cache = prompts.to(target.device), None
        inputs = tokens
        for count in range(CONTINUATION):
            if count >= FEWEST and not go_on():
                break
            output = target(inputs, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache, inputs = output.past_key_values, output.logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, inputs], dim=1)
        written.append(tokens)
    return torch.cat(written)


def accuracies(ranks: np.ndarray) -> Accuracies:
    """accuracy[i][r] in [0, 1]: the share of positions where the token of rank r of head i was the right one."""
    return tuple(
        tuple((np.bincount(column, minlength=RANKS + 1)[:RANKS] / len(column)).round(6).tolist()) for column in ranks.T
    )


def expected_depth(tree: Paths, accuracy: Accuracies) -> float:
    """How many guesses are right on average along the best path, by the accuracies (heads taken as independent)."""
    return sum(float(np.prod([accuracy[i][rank] for i, rank in enumerate(path)])) for path in tree)


def measured_depth(tree: Paths, ranks: np.ndarray) -> float:
    """The same, counted: the mean over ``ranks`` [positions, heads] of the longest path of the tree that was right."""
    nodes = set(tree)
    depths = [next((d for d in range(len(row), 0, -1) if row[:d] in nodes), 0) for row in map(tuple, ranks.tolist())]
    return float(np.mean(depths))
