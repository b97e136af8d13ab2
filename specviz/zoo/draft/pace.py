"""Batch sizes: a few texts keep a CPU busy, a GPU needs many."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class TrainingPace:
    """How many questions are answered together (``prompts``), texts the target is asked about (``texts``), ``answers``
    learned from in a step, and AdamW's ``rate`` for that many. The sizes for GPUs ran on an H200 and are not tuned."""

    prompts: int
    texts: int
    answers: int
    rate: float


ON_PROCESSOR = TrainingPace(prompts=128, texts=8, answers=8, rate=4e-4)
ON_GPU = TrainingPace(prompts=256, texts=64, answers=64, rate=1e-3)


def pace_of(device: torch.device) -> TrainingPace:
    """The batch sizes for a device."""
    return ON_GPU if device.type == "cuda" else ON_PROCESSOR
