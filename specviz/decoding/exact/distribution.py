"""The exact output distribution of a decoder on a small model: every coin enumerated, no sampling error."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from specviz.decoding.exact.references import Reference, TextDistribution
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.options import SHARED, Option, Options, resolve
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run
from specviz.dice import Dice, explore
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.lm.warp import Warp

Outcome = TypeVar("Outcome", bound=Hashable)
Written = tuple[Any, ...]
"""What a decoder writes: token ids, or the texts of several beams, each a tuple of token ids."""
NO_WARP: Options = {"temperature": 1.0, "top_k": None, "top_p": None}
ROOM = 64
N_TOKENS = Option("n_tokens", "integer", 1, "Tokens whose distribution is wanted.", 1, 1_000)
LIMIT = 2_000_000


def exact_distribution(
    pair: ModelPair,
    method: str | Method,
    prompt_tokens: Sequence[int],
    n_tokens: int,
    *,
    restart: bool = False,
    limit: int = LIMIT,
    **options: Any,
) -> dict[Written, float]:
    """Probability of every possible sequence of the first ``n_tokens`` tokens (1 to 1,000); shorter ones end with an
    end token. For methods that keep several beams: of every tuple of beams, in their order, when each has that many.

    Whole iterations run until there are enough tokens and are then marginalised, so no draft is cut short. By default
    nothing is warped. The cost is one decoding run per sequence of outcomes: keep vocabulary, gamma and ``n_tokens``
    small. With ``restart`` every iteration starts afresh from the text so far and equal texts are merged: far cheaper,
    and exact for decoders that carry nothing but the text from one iteration to the next (not ``gamma="auto"``,
    several beams, or a method whose ``carries`` is set). Raises TooManyOutcomes past ``limit`` sequences, OptionError
    for wrong options.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(3, seed=1), specviz.TableLM.random(3, seed=2))
    >>> found = specviz.exact_distribution(pair, "speculative", [0], n_tokens=2, gamma=2)
    >>> specviz.total_variation(found, specviz.target_distribution(pair, [0], 2)) < 1e-9
    True
    """
    n_tokens = N_TOKENS.whole(n_tokens)
    method = find_method(method)
    if restart and method.carries:
        raise OptionError(
            f"restart must be false for {method.name!r}: it carries more than the text", argument="restart"
        )
    settings = NO_WARP | options

    def run(dice: Dice, text: tuple[int, ...], iterations: int) -> Written:
        prompt, asked = (*prompt_tokens, *text), n_tokens + ROOM
        decoding = Run(pair, method, prompt, options=settings, max_new_tokens=asked, dice=dice, recorded=False)
        return _written(decoding, text, n_tokens, iterations)

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


def _written(decoding: Run, text: tuple[int, ...], n_tokens: int, iterations: int) -> Written:
    """What a run behind ``text`` has written after so many iterations, or once there are ``n_tokens``."""
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


def distribution_of(run: Callable[[Dice], Outcome], limit: int = LIMIT) -> dict[Outcome, float]:
    """The distribution of any function of the dice."""
    found: dict[Outcome, float] = defaultdict(float)
    for probability, outcome in explore(run, limit):
        found[outcome] += probability
    return dict(found)


def target_distribution(
    pair: ModelPair,
    prompt: Prompt,
    n_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> TextDistribution:
    """The exact distribution of the next ``n_tokens`` tokens under plain sampling from the target: what every lossless
    method must equal. No decoder takes part (``references.py``).

    Texts are tuples of token ids; one that ends early ends with an end token. Probabilities sum to one. Without warp by
    default; at temperature 0 all probability is on the greedy text. The cost is one target call per text that is
    shorter than ``n_tokens`` and possible: vocab_size ** (n_tokens - 1) of them without top-k. Raises OptionError for
    a value out of range, PromptError for a prompt that cannot be read.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM(lambda context: [0.9, 0.1], 2))
    >>> {text: round(p, 4) for text, p in specviz.target_distribution(pair, [0], 2).items()}
    {(0, 0): 0.81, (0, 1): 0.09, (1, 0): 0.09, (1, 1): 0.01}
    """
    n_tokens = N_TOKENS.whole(n_tokens)
    given = resolve(SHARED, {"temperature": temperature, "top_k": top_k, "top_p": top_p}, "target_distribution")
    return Reference(pair.target, pair.encode(prompt), Warp(**given), pair.end_tokens).sampling(n_tokens)
