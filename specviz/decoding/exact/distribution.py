"""The exact output distribution of a decoder on a small model: every coin enumerated, no sampling error."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.options import Option
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run
from specviz.dice import Dice, explore
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair

NO_WARP = {"temperature": 1.0, "top_k": None, "top_p": None}
ROOM = 64
N_TOKENS = Option("n_tokens", "integer", 1, "Tokens whose distribution is wanted.", 1, 1_000)


def exact_distribution(
    pair: ModelPair,
    method: str | Method,
    prompt_tokens: list[int] | tuple[int, ...],
    n_tokens: int,
    *,
    restart: bool = False,
    limit: int = 2_000_000,
    **options: Any,
) -> dict[tuple, float]:
    """Probability of every possible sequence of the first ``n_tokens`` tokens (1 to 1,000); shorter ones end with an
    end token. For methods that keep several beams: of every tuple of beams, in their order, when each has that many.

    Whole iterations run until there are enough tokens and are then marginalised, so no draft is cut short. By default
    nothing is warped. The cost is one decoding run per sequence of outcomes: keep vocabulary, gamma and ``n_tokens``
    small. With ``restart`` every iteration starts afresh from the text so far and equal texts are merged: far cheaper,
    and exact for decoders that carry nothing but the text from one iteration to the next (not ``gamma="auto"``,
    several beams, or a method whose ``carries`` is set). Raises RuntimeError past ``limit`` sequences, OptionError for
    wrong options.
    """
    n_tokens = N_TOKENS.check(n_tokens)
    method = find_method(method)
    if restart and method.carries:
        raise OptionError(
            f"restart must be false for {method.name!r}: it carries more than the text", argument="restart"
        )
    settings = NO_WARP | options

    def run(dice: Dice, text: tuple[int, ...], iterations: int) -> tuple:
        prompt = (*prompt_tokens, *text)
        decoding = Run(
            pair, method, prompt, options=settings, max_new_tokens=n_tokens + ROOM, dice=dice, recorded=False
        )
        decoding.start()
        for _ in range(iterations):
            before = decoding.texts.length
            decoding.step()
            if decoding.texts.history and decoding.texts.length >= n_tokens:
                return tuple(decoding.texts.history[n_tokens - before - 1])
            if decoding.stop is not None or len(text) + len(decoding.emitted) >= n_tokens:
                break
        if decoding.texts.history:
            return tuple(decoding.texts.history[-1])
        return (*text, *decoding.emitted)[:n_tokens]

    if not restart:
        return distribution_of(lambda dice: run(dice, (), n_tokens), limit)
    done: dict[tuple[int, ...], float] = defaultdict(float)
    going = {(): 1.0}
    while going:  # shortest texts first, so that equal ones meet before they go on
        text = min(going, key=len)
        probability = going.pop(text)
        for longer, share in distribution_of(lambda dice, text=text: run(dice, text, 1), limit).items():
            ended = len(longer) == n_tokens or longer[-1] in pair.end_tokens
            held = done if ended else going
            held[longer] = held.get(longer, 0.0) + probability * share
    return dict(done)


def distribution_of(run: Callable[[Dice], tuple], limit: int = 2_000_000) -> dict[tuple, float]:
    """The distribution of any function of the dice."""
    found: dict[tuple, float] = defaultdict(float)
    for probability, outcome in explore(run, limit):
        found[outcome] += probability
    return dict(found)


def target_distribution(
    pair: ModelPair, prompt_tokens: list[int] | tuple[int, ...], n_tokens: int, **options: Any
) -> dict[tuple[int, ...], float]:
    """The distribution of plain sampling from the target, warped as ``options`` say: what every lossless method must
    equal."""
    return exact_distribution(pair, "autoregressive", prompt_tokens, n_tokens, **options)
