"""Training the decision models: drafts rolled out from the text, judged by the target, and two small fits."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from transformers import PreTrainedModel

from specviz.lm.network.transformer import fingerprint
from specviz.lm.parts.deciding import KINDS, DecisionModel, entropy_inputs
from specviz.zoo.report.evaluation import WARP
from specviz.zoo.training import stages as training
from specviz.zoo.training.batches import Batches
from specviz.zoo.training.stages import StageOutcome

CONTEXT, DEPTH = 123, 5
BATCH = 32
EPOCHS = 12
_FIELDS = ("hidden", "entropy", "acceptance_probability", "accepted")


@dataclass(frozen=True)
class JudgedDrafts:
    """Positions at which the draft drew a token, with the target's verdict; float32, in the order drafted.

    ``hidden`` [n, width] and ``entropy`` [n, 11] are what the two decision models read there;
    ``acceptance_probability`` [n] is ``min(1, p / q)`` of the drawn token under the papers' warp; ``accepted`` [n] is 1
    if a coin with that probability accepted it, else 0."""

    hidden: torch.Tensor
    entropy: torch.Tensor
    acceptance_probability: torch.Tensor
    accepted: torch.Tensor


def join(parts: list[JudgedDrafts]) -> JudgedDrafts:
    """All positions in one."""
    return JudgedDrafts(*(torch.cat([getattr(part, field) for part in parts]) for field in _FIELDS))


@torch.no_grad()
def roll_out(
    draft: PreTrainedModel,
    target_logits: Callable[[torch.Tensor], torch.Tensor],
    contexts: torch.Tensor,
    generator: torch.Generator,
    vocab_size: int | None = None,
) -> JudgedDrafts:
    """Draft ``DEPTH`` tokens after each of ``contexts`` int64 [batch, length] and judge every one of them.

    ``target_logits(tokens)`` gives [batch, DEPTH, vocab_size] at the last ``DEPTH`` positions before the last token:
    those that the drafted tokens were drawn at. Only the first ``vocab_size`` tokens are drafted (default: all).
    """
    tokens, inputs, cache, projection = contexts, contexts, None, draft.get_output_embeddings()
    assert projection is not None, "a causal model projects to its vocabulary"
    hidden, logits, drawn, draft_probs = [], [], [], []
    for _ in range(DEPTH):
        output = draft.base_model(inputs, past_key_values=cache, use_cache=True)
        cache = output.past_key_values
        hidden.append(output.last_hidden_state[:, -1])
        logits.append(projection(hidden[-1])[:, :vocab_size])
        probs = WARP(logits[-1])
        inputs = torch.multinomial(probs.cpu(), 1, generator=generator).to(probs.device)
        draft_probs.append(probs.gather(1, inputs))
        drawn.append(inputs)
        tokens = torch.cat([tokens, inputs], dim=1)
    token = torch.cat(drawn, dim=1)
    p = WARP(target_logits(tokens).flatten(0, 1)).view(*token.shape, -1).gather(2, token[..., None]).squeeze(-1)
    acceptance_probability = (p / torch.cat(draft_probs, dim=1)).clamp_max(1.0).flatten().cpu()
    return JudgedDrafts(
        torch.stack(hidden, dim=1).flatten(0, 1).float().cpu(),
        entropy_inputs(torch.stack(logits, dim=1).flatten(0, 1)).cpu(),
        acceptance_probability,
        (torch.rand(len(acceptance_probability), generator=generator) < acceptance_probability).float(),
    )


def collect(
    draft: PreTrainedModel,
    target_logits: Callable[[torch.Tensor], torch.Tensor],
    batches: Batches,
    minutes: float,
    checkpoint: Path,
    device: torch.device,
    vocab_size: int | None = None,
    elapsed: Callable[[], float] | None = None,
    batch: int = BATCH,
) -> tuple[JudgedDrafts, StageOutcome]:
    """Roll out for ``minutes`` (as ``run_stage`` counts them, but at least once), ``batch`` at a time, from the
    training text; go on from ``checkpoint`` (.pt) when it is there."""
    outcome, parts = StageOutcome("rollouts", 0, 0, 0.0, []), []
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=False)
        outcome, parts = saved["outcome"], [saved["judged"]]
    elapsed = elapsed or training.counted(device, outcome.seconds)
    saved_at = elapsed()
    while outcome.seconds < minutes * 60 or not parts:
        contexts, _ = batches.draw(outcome.steps, batch, CONTEXT)
        generator = torch.Generator().manual_seed(outcome.steps)
        parts.append(roll_out(draft, target_logits, contexts.to(device), generator, vocab_size))
        outcome.steps += 1
        outcome.tokens += batch * DEPTH
        outcome.seconds = elapsed()
        if outcome.seconds - saved_at > training.CHECKPOINT_EVERY or outcome.seconds >= minutes * 60:
            parts = [join(parts)]
            torch.save({"outcome": outcome, "judged": parts[0]}, checkpoint.with_suffix(".partial"))
            checkpoint.with_suffix(".partial").replace(checkpoint)
            saved_at = outcome.seconds
    return join(parts), outcome


def fit_deciders(
    draft: PreTrainedModel,
    judged: JudgedDrafts,
    vocab_size: int | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> dict[str, DecisionModel]:
    """Both decision models of ``draft``, by kind: "hidden" learns the probability, "entropy" the coin's outcome.
    ``vocab_size`` is that of the pair it drafts in (default: its own); where ``go_on()`` is false no further epoch is
    begun after the first."""
    config = draft.config.get_text_config()
    labels = {"hidden": judged.acceptance_probability, "entropy": judged.accepted}
    deciders = {}
    with torch.random.fork_rng():
        for kind in KINDS:
            torch.manual_seed(0)
            sizes = config.hidden_size, vocab_size or config.vocab_size
            decider = DecisionModel(kind, *sizes, name=f"fable-deciders/{kind}", draft=fingerprint(draft))
            _fit(decider, getattr(judged, kind), labels[kind], go_on)
            decider.usual = usual_estimate(decider, judged)
            deciders[kind] = decider.eval().requires_grad_(False)
    return deciders


def _fitted(count: int) -> int:
    """The number of positions to fit on: all but the last tenth."""
    return max(1, count * 9 // 10)


def unseen(judged: JudgedDrafts) -> JudgedDrafts:
    """The positions that nothing was fitted on; all where there are too few."""
    count = len(judged.accepted)
    rest = slice(_fitted(count) % count, None)
    return JudgedDrafts(*(getattr(judged, field)[rest] for field in _FIELDS))


@torch.no_grad()
def usual_estimate(decider: DecisionModel, judged: JudgedDrafts) -> float:
    """The median of its estimates, in [0, 1], to four digits."""
    return round(decider(getattr(judged, decider.kind)).sigmoid().median().item(), 4)


def _fit(decider: DecisionModel, inputs: torch.Tensor, labels: torch.Tensor, go_on: Callable[[], bool]) -> None:
    """Cross-entropy, AdamW; of the epochs' weights, those that do best on the last tenth, which is not trained on."""
    cut = _fitted(len(inputs))
    optimizer = torch.optim.AdamW(decider.parameters(), lr=1e-3, weight_decay=0.01)
    generator = torch.Generator().manual_seed(0)
    best, best_weights = float("inf"), {}
    for epoch in range(EPOCHS):
        if epoch and not go_on():
            break
        for rows in torch.randperm(cut, generator=generator).split(256):
            F.binary_cross_entropy_with_logits(decider(inputs[rows]), labels[rows]).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            rest = slice(cut % len(inputs), None)
            value = F.binary_cross_entropy_with_logits(decider(inputs[rest]), labels[rest]).item()
        if value < best:
            best, best_weights = value, {name: weight.clone() for name, weight in decider.state_dict().items()}
    decider.load_state_dict(best_weights)


def calibrate(estimates: np.ndarray, accepted: np.ndarray, bins: int = 10) -> dict:
    """Predicted against observed: estimates [n] in [0, 1], accepted [n] (1 or 0).

    ``brier`` is the mean squared difference, ``brier_constant`` that of always saying the mean. ``bins`` have equal
    width; each has its lower and upper edge, how many estimates fell in, their mean, and the share accepted.
    """
    position = np.minimum((estimates * bins).astype(int), bins - 1)
    rows = [
        {
            "from": number / bins,
            "to": (number + 1) / bins,
            "positions": int((position == number).sum()),
            "predicted": float(estimates[position == number].mean()),
            "observed": float(accepted[position == number].mean()),
        }
        for number in range(bins)
        if (position == number).any()
    ]
    return {
        "positions": len(estimates),
        "accepted": float(accepted.mean()),
        "brier": float(((estimates - accepted) ** 2).mean()),
        "brier_constant": float(((accepted.mean() - accepted) ** 2).mean()),
        "bins": rows,
    }
