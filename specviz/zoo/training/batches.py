"""Token streams and the batches cut from them."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from specviz.errors import SpecvizError
from specviz.zoo.vocabulary import END_ID

MIXTURE = {"tales": 0.58, "sums": 0.14, "queries": 0.28}  # share of the training windows
LAST_MIXTURE = {"tales": 0.46, "sums": 0.14, "queries": 0.40}  # copying names is what takes longest to learn


def token_stream(tokenizer, documents: list[str], end: int = END_ID) -> np.ndarray:
    """All documents as one array of ids (uint16, or uint32 where they are larger), each preceded by the id ``end``."""
    stream: list[int] = []
    for start in range(0, len(documents), 1000):
        for ids in tokenizer(documents[start : start + 1000])["input_ids"]:
            stream.append(end)
            stream.extend(ids)
    stream.append(end)
    return np.array(stream, dtype=np.uint16 if max(stream) < 2**16 else np.uint32)


def cached_streams(tokenizer, documents: dict[str, list[str]], path: Path, end: int = END_ID) -> dict[str, np.ndarray]:
    """Streams by domain, kept in ``path`` (.npz) so that a resumed training need not tokenize again.

    Raises SpecvizError when the file was made from other documents.
    """
    digest = hashlib.sha256()
    for texts in documents.values():
        for document in texts:
            digest.update(document.encode())
    source = digest.hexdigest()
    if not path.exists():
        streams = {domain: token_stream(tokenizer, texts, end) for domain, texts in documents.items()}
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, allow_pickle=False, source=source, **streams)
        partial.replace(path)
    with np.load(path) as saved:
        if str(saved["source"]) != source:
            raise SpecvizError(f"{path} was made from another corpus: give another --work folder to begin anew")
        return {domain: saved[domain] for domain in documents}


@dataclass
class Batches:
    """Draws windows at random offsets, domain by domain in the stated mixture; its state is its step number."""

    streams: dict[str, np.ndarray]
    seed: int = 0
    mixture: dict[str, float] = field(default_factory=lambda: dict(MIXTURE))

    def draw(self, step: int, count: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Inputs and next tokens, int64 [count, length] each; the same step gives the same batch.

        Offsets follow a golden-ratio sequence per domain, so an epoch covers the text evenly.
        """
        generator = np.random.default_rng((self.seed, step))
        windows = []
        for row in range(count):
            share = (row + generator.random()) / count
            domain = _domain_at(share, self.mixture)
            stream = self.streams[domain]
            turn = ((step * count + row) * 0.6180339887498949 + generator.random() * 0.001) % 1.0
            start = int(turn * (len(stream) - length - 1))
            windows.append(stream[start : start + length + 1].astype(np.int64))
        batch = torch.from_numpy(np.stack(windows))
        return batch[:, :-1].contiguous(), batch[:, 1:].contiguous()


def _domain_at(share: float, mixture: dict[str, float]) -> str:
    for domain, part in mixture.items():
        share -= part
        if share < 0:
            return domain
    return list(mixture)[-1]


def evaluation_windows(stream: np.ndarray, length: int, limit: int) -> torch.Tensor:
    """At most ``limit`` windows of ``length`` + 1 ids spread evenly over a held-out stream, int64."""
    count = min(limit, (len(stream) - 1) // length)
    starts = np.linspace(0, len(stream) - length - 1, num=max(count, 1)).astype(int)
    return torch.from_numpy(np.stack([stream[s : s + length + 1].astype(np.int64) for s in starts]))
