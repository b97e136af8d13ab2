"""A draft that reads its target's hidden states, EAGLE's kind of drafting (Li et al., 2024, arXiv 2401.15077).

A row reads the embedding of its token and the target's states at the token before, from which the target drew this one,
joined as ``lm/network/joining.py`` says. Where the target has not read that token yet, since it is a guess itself, it
reads what the draft computed there. Such a row is read again once the target has been heard, so that what follows reads
what was said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from specviz.errors import ModelError
from specviz.lm.language_model import Scores, Session
from specviz.lm.network.cache import GrowingCache, Outputs
from specviz.lm.network.heard import Heard
from specviz.lm.network.joining import Joining
from specviz.lm.network.lean import LeanForward
from specviz.lm.network.narrow import Rounded
from specviz.lm.network.prompts import BLOCK
from specviz.lm.network.transformer import TransformerLM, fingerprint
from specviz.lm.network.widened import WidenedSession
from specviz.lm.trie import TokenTrie


class ListeningLM(TransformerLM):
    """``model`` of the Llama family that reads by ``joining``, proposing ``proposes`` (int64 [n]). Raises ModelError as
    TransformerLM does, and for a model that has no lean forward pass."""

    def __init__(
        self,
        model: PreTrainedModel,
        name: str,
        joining: Joining,
        *,
        proposes: torch.Tensor,
        narrow: Mapping[torch.nn.Linear, Rounded] | None = None,
    ):
        super().__init__(model, name, graphs=False, narrow=narrow, proposes=proposes)
        if self.lean is None:
            raise ModelError(f"draft {name!r} reads hidden states, and {self.lean_refused}")
        self._forward = self.lean
        matrix = joining.matrix.detach().to(self.device, self.dtype)
        self._joining, sizes = joining._replace(matrix=matrix), self.shape
        self.shape = replace(
            sizes, parameters=sizes.parameters + matrix.numel(), weight_bytes=sizes.weight_bytes + matrix.nbytes
        )
        self.fingerprint = fingerprint(model, narrow=self.lean.narrow, besides={"joining": matrix})

    @property
    def reads_layers(self) -> tuple[int, ...]:
        """After which layers of the target it reads its states, 1 being the first; -1: after all of them and the final
        norm."""
        return self._joining.layers

    def open(self, capacity: int, hidden: bool = False, heard: Heard | None = None) -> Session:
        """A new session for up to ``capacity`` rows that hears what is in ``heard``, the states after ``reads_layers``
        among them; where nobody speaks (None), states
        are 0: good for taking the time, not for guessing."""
        if not hasattr(self, "_joining"):  # still being tried, as the plain model that it is behind J
            return super().open(capacity, hidden)
        cache = GrowingCache(self.shape.layers, capacity, self.device)
        session = ListeningSession(self._forward, self._joining, cache, TokenTrie(capacity), heard, hidden)
        return WidenedSession(session, self._own_vocab_size, self.vocab_size, self.unshared, self.proposes)


class ListeningSession:
    """A trie whose rows read the target's states, or the draft's own."""

    def __init__(
        self,
        forward: LeanForward,
        joining: Joining,
        cache: GrowingCache,
        trie: TokenTrie,
        heard: Heard | None,
        hidden: bool,
    ):
        self.trie = trie
        self._forward, self._joining, self._cache, self._heard, self._hidden = forward, joining, cache, heard, hidden
        self._own = joining.matrix.new_zeros(trie.capacity, len(joining.matrix))
        self._guessed: list[bool] = []  # of each row: whether it has read the draft's own state

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        new = len(self.trie)
        self.trie.add(tokens, parents)
        rows = range(new, len(self.trie))
        before = self._heard.rows_of(self.trie, self.trie.parents) if self._heard else [-1] * len(self.trie)
        stale = (row for row in range(new) if self._guessed[row] and before[row] >= 0)
        start, parts = min(stale, default=new), list[Scores]()
        while start < rows.stop:
            end = self._end(start, before)
            parts.append(self._scored(start, end, before, last_only))
            start = end
        scores = parts[-1] if last_only or len(parts) == 1 else Scores.joined(parts)
        surplus = len(scores.logits) - (1 if last_only else len(rows))
        return scores.after(surplus) if surplus else scores

    def _end(self, start: int, before: Sequence[int]) -> int:
        """How far the rows from ``start`` on can be read at once: as long as the states that they read are there."""
        for row in range(start + 1, min(start + BLOCK, len(self.trie))):
            if self._heard and before[row] < 0 and self.trie.parents[row] >= start:
                return row
        return min(start + BLOCK, len(self.trie))

    def _scored(self, start: int, end: int, before: Sequence[int], last_only: bool) -> Scores:
        rows = range(start, end)
        states = self._own.new_zeros(end - start, self._own.shape[-1])
        said = [row - start for row in rows if before[row] >= 0]
        guessed = [row - start for row in rows if before[row] < 0 and self.trie.parents[row] >= 0]
        if self._heard and said:
            heard = self._heard.states([before[start + row] for row in said], self._joining.layers)
            states[said] = self._joining.heard(heard)
        if self._heard and guessed:
            states[guessed] = self._own[[self.trie.parents[start + row] for row in guessed]]
        embedded = self._forward.embedding[torch.tensor(self.trie.tokens[start:end], device=states.device)]
        inputs = self._joining.inputs(embedded, states)

        def forward(
            tokens: torch.Tensor,
            positions: torch.Tensor,
            mask: torch.Tensor | None,
            cache: Cache,
            last_only: bool,
            layers: tuple[int, ...],
        ) -> Outputs:
            mask = self._without_first_tokens(mask, start, end) if self._joining.is_eagle3 else mask
            return self._forward(tokens, positions, mask, cache, last_only, layers, inputs)

        logits, hidden, own = self._cache.scored(forward, self.trie, start, end, last_only, (self._joining.own,))
        assert hidden is not None and own is not None, "the lean pass gives them"
        self._own[start:end] = own
        self._guessed[start:end] = [before[row] < 0 and self.trie.parents[row] >= 0 for row in rows]
        return Scores(logits, hidden[-len(logits) :] if self._hidden else None)

    def _without_first_tokens(self, mask: torch.Tensor | None, start: int, end: int) -> torch.Tensor:
        """``mask`` [end - start, end] of the rows from ``start`` on, in which the first token of a text is seen by
        itself alone."""
        seen = torch.ones(end - start, end, dtype=torch.bool, device=self._own.device) if mask is None else mask.clone()
        first = [0, *(row for row in range(self.trie.trunk, end) if self.trie.parents[row] < 0)]
        seen[:, first] = False
        for row in first:
            if row >= start:
                seen[row - start, row] = True
        return seen

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        stay = self.trie.keep(rows)
        self._guessed = [self._guessed[row] for row in rows]
        if stay < len(rows):
            self._cache.move(rows[stay:], stay)
            self._own[stay : len(rows)] = self._own[list(rows[stay:])]
