"""What the trained pair can do, measured on text it never saw; plain numbers out, for the report to print.

Both models are measured as shipped: weights rounded to bfloat16, arithmetic in float32.
"""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from transformers import LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

from specviz.lm.warp import Warp
from specviz.zoo.corpus import problem_prompt, stated_result
from specviz.zoo.sql import task as sql
from specviz.zoo.sql.judge import names_copied, predicted_query
from specviz.zoo.sql.task import QUESTION_SEED
from specviz.zoo.training.batches import evaluation_windows, token_stream
from specviz.zoo.vocabulary import CONTEXT

WARP = Warp(temperature=1.0, top_k=20, top_p=0.9)
WINDOW_LIMIT = 128
SQL_QUESTIONS = 240
WORD_PROBLEMS = 100


@dataclass(frozen=True)
class Fit:
    """Target and draft on the held-out text of one domain, read in windows that do not overlap.

    Losses are nats per token. Agreement is the mean over positions of sum(min(p, q)), the probability that one drafted
    token is accepted: on the full distributions, and after the warp (temperature 1, then top-k 20, then top-p .9,
    renormalised). ``characters_per_token`` is over all held-out text of the domain."""

    tokens: int
    windows: int
    window_length: int
    target_loss: float
    draft_loss: float
    agreement: float
    agreement_warped: float
    characters_per_token: float


@dataclass(frozen=True)
class Score:
    """``right`` of ``asked`` questions answered correctly."""

    right: int
    asked: int

    @property
    def share(self) -> float:
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True)
class Sample:
    """One continuation: what was asked, what the model wrote, under which seed."""

    domain: str
    seed: int
    prompt: str
    text: str


def as_shipped(model: LlamaForCausalLM) -> LlamaForCausalLM:
    """A copy whose parameters hold the bfloat16 values of the saved file, in float32, ready to evaluate."""
    shipped = copy.deepcopy(model).float().eval()
    with torch.no_grad():
        for parameter in shipped.parameters():
            parameter.grad = None
            parameter.copy_(parameter.to(torch.bfloat16))
    return shipped


def _overlap(p: torch.Tensor, q: torch.Tensor) -> float:
    return torch.minimum(p, q).sum().item()


@torch.inference_mode()
def measure_fit(
    target: LlamaForCausalLM, draft: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, documents: list[str]
) -> Fit | None:
    """Losses and agreement on at most ``WINDOW_LIMIT`` windows spread evenly over ``documents``; None without text."""
    stream = token_stream(tokenizer, documents)
    length = min(CONTEXT, len(stream) - 1)
    if length < 1:
        return None
    windows = evaluation_windows(stream, length, WINDOW_LIMIT)
    target_loss = draft_loss = agreement = agreement_warped = 0.0
    for batch in windows.split(2):
        batch = batch.to(target.device)
        inputs, following = batch[:, :-1], batch[:, 1:].reshape(-1)
        p_logits = target(inputs, use_cache=False).logits.float().flatten(0, 1)
        q_logits = draft(inputs, use_cache=False).logits.float().flatten(0, 1)
        target_loss += F.cross_entropy(p_logits, following, reduction="sum").item()
        draft_loss += F.cross_entropy(q_logits, following, reduction="sum").item()
        agreement += _overlap(p_logits.softmax(-1), q_logits.softmax(-1))
        agreement_warped += _overlap(WARP(p_logits), WARP(q_logits))
    count = windows.shape[0] * length
    return Fit(
        tokens=count,
        windows=windows.shape[0],
        window_length=length,
        target_loss=target_loss / count,
        draft_loss=draft_loss / count,
        agreement=agreement / count,
        agreement_warped=agreement_warped / count,
        characters_per_token=sum(map(len, documents)) / (len(stream) - len(documents) - 1),
    )


@torch.inference_mode()
def continuations(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    prompts: list[str],
    *,
    max_new_tokens: int,
    seed: int | None = None,
    batch: int = 40,
) -> list[str]:
    """What ``model`` writes after each prompt, up to the end of text: greedy, or sampled (warped) under ``seed``.

    Prompts go in as typed, without a start token, the latest tokens of those that leave no room in the context.
    """
    written: list[str] = []
    generate = cast("Callable[..., torch.Tensor]", model.generate)  # transformers does not type it for its own models
    if seed is None:
        choice = {"do_sample": False}
    else:
        choice = {"do_sample": True, "temperature": WARP.temperature, "top_k": WARP.top_k, "top_p": WARP.top_p}
        torch.manual_seed(seed)
    for start in range(0, len(prompts), batch):
        rows = [ids[-(CONTEXT - max_new_tokens) :] for ids in tokenizer(prompts[start : start + batch])["input_ids"]]
        width = max(map(len, rows))
        padded = torch.tensor([[tokenizer.pad_token_id] * (width - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        output = generate(
            padded.to(model.device),
            attention_mask=mask.to(model.device),
            max_new_tokens=max_new_tokens,
            pad_token_id=tokenizer.pad_token_id,
            **choice,
        )
        written += tokenizer.batch_decode(output[:, width:], skip_special_tokens=True)
    return written


def sql_scores(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> dict[str, Score]:
    """Greedy answers to ``SQL_QUESTIONS`` questions about unseen schemas: execution accuracy on all, on one table, on
    two; and how many name only what the question's tables have, to the letter."""
    questions = list(sql.examples(QUESTION_SEED, SQL_QUESTIONS, "held_out"))
    answers = continuations(model, tokenizer, [q.prompt for q in questions], max_new_tokens=96)
    queries = [predicted_query(answer) for answer in answers]
    pairs = list(zip(questions, queries, strict=True))
    verdicts = [(len(question.tables), sql.execution_match(question, query)) for question, query in pairs]
    copied = [names_copied(question, query) for question, query in pairs]
    return {
        "all": Score(sum(right for _, right in verdicts), len(verdicts)),
        "one table": Score(sum(right for n, right in verdicts if n == 1), sum(n == 1 for n, _ in verdicts)),
        "two tables": Score(sum(right for n, right in verdicts if n == 2), sum(n == 2 for n, _ in verdicts)),
        "names copied whole": Score(sum(copied), len(copied)),
    }


def sum_score(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, problems: list[str]) -> Score:
    """Greedy exact-answer accuracy on ``WORD_PROBLEMS`` of the held-out problems, drawn with a fixed seed."""
    chosen = random.Random(QUESTION_SEED).sample(problems, min(WORD_PROBLEMS, len(problems)))
    answers = continuations(model, tokenizer, [problem_prompt(problem) for problem in chosen], max_new_tokens=240)
    right = [
        stated_result(answer) == stated_result(problem) != "" for answer, problem in zip(answers, chosen, strict=True)
    ]
    return Score(sum(right), len(right))


def write_samples(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, problems: list[str], per_domain: int = 2
) -> list[Sample]:
    """``per_domain`` sampled continuations a domain, one seed each: tales from typed openings, the rest unseen."""
    openings = ("Once upon a time there was a king who", "The old fox looked at the little girl and said,")
    questions = [question.prompt for question in sql.examples(QUESTION_SEED + 1, per_domain, "held_out")]
    prompts = {
        "tales": [openings[seed % len(openings)] for seed in range(per_domain)],
        "sums": [
            problem_prompt(problem) for problem in random.Random(1).sample(problems, min(per_domain, len(problems)))
        ],
        "queries": questions,
    }
    return [
        Sample(
            domain, seed, prompt, continuations(model, tokenizer, [prompt], max_new_tokens=150, seed=seed)[0].rstrip()
        )
        for domain, texts in prompts.items()
        for seed, prompt in enumerate(texts)
    ]
