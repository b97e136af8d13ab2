"""Drafts that cost next to nothing: counts over a corpus or over the context itself, and copying from it.

Each is a language model like any other, so that it drafts for any target: what it proposes depends on the context
alone, which keeps every lossless verifier lossless.
"""

import torch

from specviz.errors import ModelError
from specviz.lm.contextual import ContextSession
from specviz.lm.language_model import ModelShape
from specviz.lm.parts.correlation import Correlation

KINDS = ("unigram", "bigram", "prompt", "random")
LONGEST_SUFFIX = 4


class NgramLM:
    """``unigram``: how often each token occurred; ``bigram``: what followed the last token, the unigram where nothing
    did. Both count the pairs of ``table``, those of a corpus; without one, the context. ``prompt``: certainty on the
    token that followed the most recent earlier occurrence of the longest matching suffix (up to 4 tokens), nothing at
    all where no suffix occurred before; ``random``: every token equally likely.

    "Nothing" is a row of minus infinities: a drafter stops there (``may_abstain``). (speculative-decoding.txt, section
    3.6 uses unigram and bigram drafts; prompt lookup after Saxena 2023.) Raises ModelError for an unknown kind, and for
    a table of another vocabulary.
    """

    dtype = torch.float64
    device = torch.device("cpu")
    context = None
    shape = ModelShape()

    def __init__(self, kind: str, vocab_size: int, table: Correlation | None = None):
        if kind not in KINDS:
            raise ModelError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}", argument="kind")
        if table is not None and table.vocab_size != vocab_size:
            raise ModelError(f"table must be of {vocab_size} tokens, got one of {table.vocab_size}", argument="table")
        self.kind, self.vocab_size, self.may_abstain = kind, vocab_size, kind == "prompt"
        self.table = table if kind in ("unigram", "bigram") else None
        self.name = self.fingerprint = kind if kind != "prompt" else "prompt lookup"
        if self.table is not None:
            self.name, self.fingerprint = f"{kind} table", f"{kind} {self.table.fingerprint}"

    def open(self, capacity: int, hidden: bool = False) -> ContextSession:
        """A new session for up to ``capacity`` rows; hidden states: none."""
        return ContextSession(self.logits, capacity)

    def logits(self, context: tuple[int, ...]) -> torch.Tensor:
        """float64 [vocab_size]: unnormalised log probabilities after ``context``, which is not empty."""
        if self.kind == "random":
            return torch.zeros(self.vocab_size, dtype=torch.float64)
        if self.kind == "prompt":
            row = torch.full((self.vocab_size,), float("-inf"), dtype=torch.float64)
            copied = lookup(context)
            if copied is not None:
                row[copied] = 0.0
            return row
        if self.table is not None:
            return self._counted(self.table, context[-1]).double().log()
        followers = list(context)
        if self.kind == "bigram":
            after = [context[i + 1] for i in range(len(context) - 1) if context[i] == context[-1]]
            followers = after or followers
        return torch.bincount(torch.tensor(followers), minlength=self.vocab_size).double().log()

    def _counted(self, table: Correlation, last: int) -> torch.Tensor:
        """How often each token was seen after ``last`` in the corpus; anywhere, where nothing was."""
        if self.kind == "bigram":
            tokens, counts = table.followers(last)
            if len(tokens):
                return torch.zeros(self.vocab_size, dtype=torch.float32).index_add(0, tokens, counts.float())
        return table.seconds


def lookup(context: tuple[int, ...]) -> int | None:
    """The token after the most recent earlier occurrence of the longest suffix of ``context`` that has one, of
    ``LONGEST_SUFFIX`` tokens at most."""
    for length in range(min(LONGEST_SUFFIX, len(context) - 1), 0, -1):
        suffix = context[-length:]
        for start in range(len(context) - length - 1, -1, -1):
            if context[start : start + length] == suffix:
                return context[start + length]
    return None
