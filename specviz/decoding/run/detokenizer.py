"""Text while it is being written: each token's share of the text, never a broken character."""

from collections.abc import Sequence
from os.path import commonprefix

from specviz.lm.pair import ModelPair

BROKEN = "\N{REPLACEMENT CHARACTER}"


class Detokenizer:
    """Turns tokens into pieces whose concatenation is the text. A character whose bytes span several tokens belongs to
    the last of them, also where the prompt ends inside it; one that stays incomplete to no token; end tokens have no
    text."""

    def __init__(self, pair: ModelPair, prompt_tokens: Sequence[int]):
        self._pair = pair
        self._tokens = list(prompt_tokens)
        self._shown = len(self._tokens)  # tokens whose text is out
        self._start = 0  # where the last piece began: some context, without which a word may lose its space

    def piece(self, token: int) -> str:
        """The text that ``token`` completes; empty while a character is incomplete."""
        if token in self._pair.end_tokens:
            return ""
        self._tokens.append(token)
        before = self._pair.decode(self._tokens[self._start : self._shown])
        after = self._pair.decode(self._tokens[self._start :])
        held = self._tokens[self._shown :]
        if after.endswith(BROKEN) and len(held) < 4 and not self._is_whole(held):
            return ""
        self._start, self._shown = self._shown, len(self._tokens)
        return after[len(commonprefix([before, after])) :]

    def _is_whole(self, tokens: Sequence[int]) -> bool:
        """Whether the tokens' own bytes are whole characters, the replacement character among them."""
        try:
            return bool(b"".join(map(self._pair.token_bytes, tokens)).decode())
        except UnicodeDecodeError:
            return False
