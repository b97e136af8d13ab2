"""What a small draft is worth on answers that it never saw."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch.nn.functional import log_softmax
from transformers import PreTrainedModel

from specviz.zoo.draft.lessons import Lesson, Lessons
from specviz.zoo.draft.loss import tokens_per_call
from specviz.zoo.report.evaluation import WARP

FEW = 32  # likeliest tokens, of which the warp keeps 20 at most
GAMMAS = (2, 4, 6)


@dataclass(frozen=True)
class Measured:
    """Means over ``positions``: the probability that a drafted token is accepted, sum min(p, q), of the full
    distributions (``agreement``) and under the papers' warp (``warped``); how often both have the same likeliest token
    (``same``); the share of tokens said that the draft can propose (``covered``); tokens a call of the target under the
    warp, by number of guesses, where guesses follow the target's own text (``per_call``)."""

    positions: int
    agreement: float
    warped: float
    same: float
    covered: float
    per_call: dict[str, float]
    kinds: dict[str, float] = field(default_factory=dict)
    """``warped`` by kind of prompt."""

    @property
    def sentence(self) -> str:
        calls = ", ".join(f"{count:.2f} with {gamma} guesses" for gamma, count in self.per_call.items())
        return (
            f"held out ({self.positions:,} positions): agreement {self.agreement:.3f}, warped {self.warped:.3f}, the "
            f"same likeliest token {self.same:.3f}; its vocabulary covers {self.covered:.1%}; tokens a call: {calls}"
        )


@torch.inference_mode()
def measure_draft(
    draft: PreTrainedModel, vocabulary: torch.Tensor, lessons: Lessons, some: Sequence[Lesson]
) -> Measured:
    """Of ``draft``, which proposes ``vocabulary``, on ``some`` of the lessons, at least one."""
    agreements, same, covered = [], [], []
    warped: dict[str, list[torch.Tensor]] = defaultdict(list)
    calls: dict[str, list[float]] = {str(gamma): [] for gamma in GAMMAS}
    for lesson in some:
        tokens = torch.from_numpy(lesson.tokens.astype("int64"))[None].to(vocabulary.device)
        q = draft(tokens, use_cache=False).logits[0, lesson.first : -1].float()
        p = lessons.logits(lessons.said([lesson])[0])
        agreements.append(torch.minimum(p.softmax(-1)[:, vocabulary], log_softmax(q, -1).exp()).sum(-1))
        p_few, q_few = p.topk(min(FEW, p.shape[-1])), q.topk(min(FEW, q.shape[-1]))
        equal = p_few.indices[:, :, None] == vocabulary[q_few.indices][:, None, :]
        least = torch.minimum(WARP(p_few.values)[:, :, None], WARP(q_few.values)[:, None, :])
        overlap = (least * equal).sum((-1, -2))
        warped[lesson.kind].append(overlap)
        same.append(equal[:, 0, 0].float())
        covered.append(torch.isin(tokens[0, lesson.first + 1 :], vocabulary).float())
        for gamma in GAMMAS:
            calls[str(gamma)].append(tokens_per_call(overlap, gamma))
    everywhere = torch.cat([part for parts in warped.values() for part in parts])
    return Measured(
        positions=len(everywhere),
        agreement=_mean(torch.cat(agreements)),
        warped=_mean(everywhere),
        same=_mean(torch.cat(same)),
        covered=_mean(torch.cat(covered)),
        per_call={gamma: round(sum(counts) / len(counts), 3) for gamma, counts in calls.items()},
        kinds={kind: _mean(torch.cat(parts)) for kind, parts in sorted(warped.items())},
    )


def _mean(values: torch.Tensor) -> float:
    return round(values.mean().item(), 4)
