"""Streams and batches: whole documents, the stated mixture, the same batch for the same step."""

import numpy as np
import pytest
import torch

from specviz.errors import SpecvizError
from specviz.zoo.corpus import DOMAINS
from specviz.zoo.training.batches import (
    LAST_MIXTURE,
    MIXTURE,
    Batches,
    cached_streams,
    evaluation_windows,
    token_stream,
)
from specviz.zoo.vocabulary import END_ID

BASE = dict(zip(DOMAINS, (0, 10_000, 20_000), strict=True))


@pytest.fixture
def streams():
    """Tokens that tell where they come from: a domain's base plus the position."""
    return {domain: np.arange(base, base + 5_000, dtype=np.uint16) for domain, base in BASE.items()}


def test_a_stream_is_all_documents_with_ends_between(tokenizer):
    documents = ["The miller slept late.", "Question: 1 + 1?\n", "x"]
    stream = token_stream(tokenizer, documents)
    ends = np.flatnonzero(stream == END_ID)
    assert ends[0] == 0 and ends[-1] == len(stream) - 1 and len(ends) == 4
    pieces = [tokenizer.decode(stream[a + 1 : b]) for a, b in zip(ends, ends[1:], strict=False)]
    assert pieces == documents


def test_streams_are_written_whole_or_not_at_all(tokenizer, corpus, tmp_path, monkeypatch):
    def cut_off(path, **_):
        path.write_bytes(b"PK half a file")
        raise KeyboardInterrupt

    path = tmp_path / "streams.npz"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(np, "savez", cut_off)
        cached_streams(tokenizer, corpus.training, path)
    assert set(cached_streams(tokenizer, corpus.training, path)) == set(DOMAINS)
    assert [file.name for file in tmp_path.iterdir()] == ["streams.npz"]


def test_streams_are_kept_for_a_resumed_training(tokenizer, corpus, tmp_path):
    path = tmp_path / "streams.npz"
    first = cached_streams(tokenizer, corpus.training, path)
    again = cached_streams(None, corpus.training, path)  # nothing is tokenized again
    assert all(np.array_equal(first[domain], again[domain]) for domain in DOMAINS)
    other = corpus.training | {"tales": ["Another book."]}
    with pytest.raises(SpecvizError, match="was made from another corpus"):
        cached_streams(None, other, path)


def test_the_same_step_gives_the_same_batch(streams):
    first, again, other = Batches(streams), Batches(streams), Batches(streams, seed=1)
    assert torch.equal(first.draw(7, 8, 64)[0], again.draw(7, 8, 64)[0])
    assert not torch.equal(first.draw(7, 8, 64)[0], first.draw(8, 8, 64)[0])
    assert not torch.equal(first.draw(7, 8, 64)[0], other.draw(7, 8, 64)[0])


def test_targets_are_the_next_tokens(streams):
    inputs, targets = Batches(streams).draw(3, 16, 64)
    assert inputs.shape == targets.shape == (16, 64) and inputs.dtype == torch.int64
    assert torch.equal(targets, inputs + 1)  # streams count up, and no window runs from one domain into the next


@pytest.mark.parametrize("mixture", [MIXTURE, LAST_MIXTURE], ids=["main", "last"])
def test_domains_come_in_the_stated_mixture(streams, mixture):
    batches = Batches(streams, mixture=mixture)
    rows = torch.cat([batches.draw(step, 16, 4)[0][:, 0] for step in range(200)])
    shares = [((rows >= base) & (rows < base + 10_000)).float().mean().item() for base in BASE.values()]
    assert shares == pytest.approx([mixture[domain] for domain in DOMAINS], abs=0.01)
    assert sum(mixture.values()) == pytest.approx(1)


def test_an_epoch_covers_the_text_evenly(streams):
    batches = Batches(streams)
    starts = torch.cat([batches.draw(step, 16, 4)[0][:, 0] for step in range(200)])
    tales = starts[starts < 5_000]
    counts = torch.histc(tales.float(), bins=20, min=0, max=5_000)
    assert counts.min() > 0.7 * counts.mean() and counts.max() < 1.3 * counts.mean()


def test_evaluation_windows_are_spread_and_do_not_overlap():
    stream = np.arange(1_000, dtype=np.uint16)
    windows = evaluation_windows(stream, 100, limit=4)
    assert windows.shape == (4, 101) and windows[0, 0] == 0 and windows[-1, -1] == 999
    assert (windows[1:, 0] >= windows[:-1, -1]).all()
    assert evaluation_windows(stream, 100, limit=99).shape == (9, 101)
    assert evaluation_windows(stream, 999, limit=5).shape == (1, 1000)


def test_a_stream_holds_ids_of_large_vocabularies_and_ends_documents_as_asked():
    stream = token_stream(lambda documents: {"input_ids": [[70_000, 5] for _ in documents]}, ["a", "b"], end=151_645)
    assert stream.tolist() == [151_645, 70_000, 5, 151_645, 70_000, 5, 151_645]
