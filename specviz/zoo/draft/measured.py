"""What a small draft is worth on answers that it never saw."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch.nn.functional import log_softmax, pad

from specviz.lm.loading.small_draft import SmallDraft
from specviz.zoo.draft.answers import FEW
from specviz.zoo.draft.lessons import TaughtAnswer, TaughtAnswers
from specviz.zoo.draft.loss import tokens_per_call
from specviz.zoo.draft.unrolled import depths_of, said_by_draft
from specviz.zoo.report.evaluation import WARP

GAMMAS = (2, 4, 6)


@dataclass(frozen=True)
class DraftAgreement:
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
    depths: list[float] = field(default_factory=list)
    """``warped`` of a first guess, a second, ... where the draft reads its own states from the second on."""

    @property
    def sentence(self) -> str:
        calls = ", ".join(f"{count:.2f} with {gamma} guesses" for gamma, count in self.per_call.items())
        where = f"held out ({self.positions:,} positions)"
        deeper = "".join(f", at depth {depth} {alpha:.3f}" for depth, alpha in enumerate(self.depths[1:], 2))
        return (
            f"{where}: agreement {self.agreement:.3f}, warped {self.warped:.3f}{deeper}, the same likeliest token "
            f"{self.same:.3f}; its vocabulary covers {self.covered:.1%}; tokens a call: {calls}"
        )


@torch.inference_mode()
def measure_draft(draft: SmallDraft, lessons: TaughtAnswers, some: Sequence[TaughtAnswer]) -> DraftAgreement:
    """Of ``draft`` on ``some`` of the lessons, at least one."""
    agreements, same, covered = [], [], []
    warped: dict[str, list[torch.Tensor]] = defaultdict(list)
    depths: list[list[torch.Tensor]] = [[] for _ in depths_of(draft)]
    calls: dict[str, list[float]] = {str(gamma): [] for gamma in GAMMAS}
    vocabulary = draft.vocabulary
    for lesson in some:
        tokens = torch.from_numpy(lesson.tokens.astype("int64"))[None].to(vocabulary.device)
        positions = torch.zeros_like(tokens, dtype=torch.bool)
        positions[0, lesson.first : -1] = True
        p = lessons.logits(lessons.said([lesson])[0])
        states = pad(lessons.states(lesson), (0, 0, 0, 1))[None]
        overlaps = []
        for depth, q in enumerate(said_by_draft(draft, tokens, states, positions)):
            p_few, q_few = p.topk(min(FEW, p.shape[-1])), q.float().topk(min(FEW, q.shape[-1]))
            equal = p_few.indices[:, :, None] == vocabulary[q_few.indices][:, None, :]
            least = torch.minimum(WARP(p_few.values)[:, :, None], WARP(q_few.values)[:, None, :])
            overlaps.append((least * equal).sum((-1, -2)))
            depths[depth].append(overlaps[-1])
            if depth == 0:
                q_all = log_softmax(q.float(), -1).exp()
                agreements.append(torch.minimum(p.softmax(-1)[:, vocabulary], q_all).sum(-1))
                same.append(equal[:, 0, 0].float())
        warped[lesson.kind].append(overlaps[0])
        covered.append(torch.isin(tokens[0, lesson.first + 1 :], vocabulary).float())
        for gamma in GAMMAS:
            calls[str(gamma)].append(tokens_per_call(overlaps, gamma))
    return DraftAgreement(
        positions=sum(map(len, same)),
        agreement=_mean(torch.cat(agreements)),
        warped=_mean(torch.cat(depths[0])),
        same=_mean(torch.cat(same)),
        covered=_mean(torch.cat(covered)),
        per_call={gamma: round(sum(counts) / len(counts), 3) for gamma, counts in calls.items()},
        kinds={kind: _mean(torch.cat(parts)) for kind, parts in sorted(warped.items())},
        depths=[_mean(torch.cat(parts)) for parts in depths],
    )


def _mean(values: torch.Tensor) -> float:
    return round(values.mean().item(), 4)
