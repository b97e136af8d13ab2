"""How good newly trained parts are, compared with what costs nothing, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from specviz.lm.parts.deciding import DecisionModel
from specviz.lm.parts.heads import PredictionHeads, chain_tree
from specviz.zoo.training.bigrams import followers
from specviz.zoo.training.calibration import measured_depth
from specviz.zoo.training.deciders import JudgedDrafts, calibrate, unseen

FEW = 0.1  # right guesses per call: with fewer, checking guesses does not pay


@dataclass(frozen=True)
class Reached:
    """Right guesses a call of the target on text that nothing was trained on, the mean of ``positions`` positions: by
    the ``chain`` of every head's best guess and by the ``tree``; by the chain of the heads as they began
    (``untrained``) and of each token's likeliest follower in the training text (``follower``)."""

    positions: int
    accuracy: tuple[float, ...]
    """By head: how often its best guess is right, 0 to 1."""
    chain: float
    tree: float
    untrained: float
    follower: float

    @property
    def warning(self) -> str:
        """Why these heads are of no use; "" if they are useful."""
        rivals = {"the heads before training": self.untrained, "each token's likeliest follower": self.follower}
        better = max(rivals, key=lambda rival: rivals[rival])
        if self.chain <= rivals[better]:
            return (
                f"these heads are worse than nothing: {better} would make {rivals[better]:.2f} right guesses a call, "
                f"they make {self.chain:.2f}; give more --minutes"
            )
        if self.tree < FEW:
            return f"these heads are of no use: {self.tree:.2f} right guesses a call do not pay; give more --minutes"
        return ""

    @property
    def sentence(self) -> str:
        """What was measured."""
        by_head = ", ".join(f"{share:.0%}" for share in self.accuracy)
        return (
            f"heads: right guesses {by_head} (2 to {len(self.accuracy) + 1} tokens ahead); a call gives "
            f"{1 + self.chain:.2f} tokens by the chain and {1 + self.tree:.2f} by the tree, {1 + self.untrained:.2f} "
            f"before training, {1 + self.follower:.2f} by likeliest followers ({self.positions:,} positions of the "
            "target's own continuations of held-out text)"
        )


def reached(heads: PredictionHeads, ranks: np.ndarray, untrained: np.ndarray, follower: float) -> Reached:
    """Of the heads as they are (``ranks``) and as they began (``untrained``), both [positions, heads] like
    ``HeadRanks.plain``."""
    chain = chain_tree(heads.count)
    return Reached(
        len(ranks),
        tuple((ranks == 0).mean(0).tolist()),
        measured_depth(chain, ranks),
        measured_depth(heads.tree, ranks),
        measured_depth(chain, untrained),
        follower,
    )


def follower_depth(stream: np.ndarray, texts: Sequence[torch.Tensor], first: int, count: int, vocab_size: int) -> float:
    """Right guesses a call where each guess is the likeliest follower, in ``stream``, of the one before: the mean over
    ``texts`` int64 [batch, length] each, at the positions that ``rank_guesses`` asks ``count`` heads at."""
    following, right = followers(stream, vocab_size), []
    for text in map(torch.Tensor.numpy, texts):
        for position in range(first, text.shape[1] - 1 - count):
            guess, still = text[:, position + 1], np.ones(len(text), bool)
            for ahead in range(count):
                guess = following[guess]
                still &= guess == text[:, position + 2 + ahead]
                right.append(still.copy())
    return float(np.concatenate(right).mean() * count)


def decider_sentences(deciders: dict[str, DecisionModel], judged: JudgedDrafts) -> list[str]:
    """How good the decision models are on positions that they were not fitted on."""
    rest = unseen(judged)
    said = [f"draft: {judged.acceptance_probability.mean():.0%} of its tokens are accepted"]
    for kind, decider in deciders.items():
        with torch.no_grad():
            estimates = decider(getattr(rest, kind)).sigmoid().numpy()
        measures = calibrate(estimates, rest.accepted.numpy())
        score, constant = measures["brier"], measures["brier_constant"]
        worse = "" if score < constant else ": worse than nothing; give more --minutes"
        said.append(
            f"decision model {kind!r}: Brier score {score:.4f}, that of a constant {constant:.4f} "
            f"({measures['positions']:,} positions){worse}"
        )
    return said
