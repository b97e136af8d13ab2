"""What methods are compared with: the distributions of plain decoding, written down from the target's probabilities
alone.

No decoder takes part, so that a fault of the decoders cannot hide here. Texts are tuples of the tokens written after
the prompt; one that ends early ends with an end token.
"""

import itertools
import math
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from specviz.lm.language_model import LanguageModel
from specviz.lm.source import ScoreSource
from specviz.lm.warp import Warp

Text = tuple[int, ...]
TextDistribution = dict[Text, float]


class TargetReference:
    """The target after one ``prompt``. What it says after a text is computed once and kept."""

    def __init__(self, target: LanguageModel, prompt: Sequence[int], warp: Warp, end_tokens: frozenset[int]):
        self._target, self._prompt, self._warp, self._end_tokens = target, list(prompt), warp, end_tokens
        self._logprobs: dict[Text, torch.Tensor] = {}

    def sampling(self, n_tokens: int) -> TextDistribution:
        """The distribution of the first ``n_tokens`` tokens of plain sampling; at temperature 0 all of it is on one
        text."""
        return self.completed({(): 1.0}, n_tokens)

    def completed(self, distribution: TextDistribution, n_tokens: int) -> TextDistribution:
        """The same texts, those that are shorter than ``n_tokens`` and have not ended continued by plain sampling."""
        done: TextDistribution = defaultdict(float)
        going = dict(distribution)
        while going:
            text = next(iter(going))
            probability = going.pop(text)
            if len(text) == n_tokens or self._ended(text):
                done[text] += probability
                continue
            probs = self._warp(self._after(text)[None])[0]
            for token in probs.nonzero()[:, 0].tolist():
                longer = (*text, token)
                going[longer] = going.get(longer, 0.0) + probability * float(probs[token])
        return dict(done)

    def layer(self, beams: Sequence[Text]) -> TextDistribution:
        """p_beam: the distribution of one beam of the layer that follows ``beams``, warped once over all continuations
        of all beams, copies counted."""
        probs, texts = self._warp(self._continued(beams)[None])[0], self._named(beams)
        distribution: TextDistribution = defaultdict(float)
        for index in probs.nonzero()[:, 0].tolist():
            distribution[texts(index)] += float(probs[index])
        return dict(distribution)

    def layer_together(self, beams: Sequence[Text], width: int) -> dict[tuple[Text, ...], float]:
        """The distribution of a whole layer of ``width`` beams after ``beams``: independent draws from ``layer``, in
        order."""
        distribution = self.layer(beams)
        return {
            drawn: math.prod(distribution[text] for text in drawn)
            for drawn in itertools.product(distribution, repeat=width)
        }

    def beam_sampling(self, width: int) -> TextDistribution:
        """The distribution of the first two tokens of any one beam, where ``width`` beams are drawn for the first
        layer: over every set of beams that the first layer may consist of."""
        first, distribution = self.layer([()]), defaultdict(float)
        for drawn in itertools.combinations_with_replacement(first, width):
            orders = math.factorial(width) / math.prod(math.factorial(times) for times in Counter(drawn).values())
            prob = orders * math.prod(first[text] for text in drawn)
            for text, probability in self.layer(drawn).items():
                distribution[text] += prob * probability
        return dict(distribution)

    def beam_search(self, width: int, n_tokens: int) -> tuple[Text, ...]:
        """The beams of plain beam search when each has ``n_tokens`` tokens, likeliest first."""
        beams: list[Text] = [()]
        for _ in range(n_tokens):
            logprobs, texts = self._continued(beams), self._named(beams)
            order = torch.argsort(-logprobs, stable=True)[:width]  # equals keep the order of the beams
            beams = [texts(index) for index in order.tolist() if logprobs[index] > -math.inf]
        return tuple(beams)

    def _ended(self, text: Text) -> bool:
        return bool(text) and text[-1] in self._end_tokens

    def _continued(self, beams: Sequence[Text]) -> torch.Tensor:
        """Raw joint log-probabilities of all that ``beams`` may go on to, float64, beam after beam: [vocab_size]
        of them each, one for a beam that has ended and stays as it is."""
        return torch.cat(
            [
                self._logprob(beam)[None] if self._ended(beam) else self._after(beam) + self._logprob(beam)
                for beam in beams
            ]
        )

    def _named(self, beams: Sequence[Text]) -> Callable[[int], Text]:
        """What each entry of ``_continued`` stands for."""
        starts = list(
            itertools.accumulate((1 if self._ended(b) else self._target.vocab_size for b in beams), initial=0)
        )

        def text(index: int) -> Text:
            owner = bisect(starts, index) - 1
            beam = beams[owner]
            return beam if self._ended(beam) else (*beam, index - starts[owner])

        return text

    def _logprob(self, text: Text) -> torch.Tensor:
        """Joint log-probability of the text, raw."""
        return torch.stack(
            [torch.zeros((), dtype=torch.float64), *(self._after(text[:i])[t] for i, t in enumerate(text))]
        ).sum()

    def _after(self, text: Text) -> torch.Tensor:
        """Log-probabilities float64 [vocab_size] of the token that follows, raw."""
        if text not in self._logprobs:
            tokens = [*self._prompt, *text]
            scores = self._target.open(len(tokens)).extend(tokens, range(-1, len(tokens) - 1), last_only=True)
            source = ScoreSource("target", self._target.name, self._target.dtype, [len(tokens) - 1])
            replace(scores, source=source).check()
            self._logprobs[text] = scores.logits[-1].cpu().double().log_softmax(-1)
        return self._logprobs[text]
