"""The exact output distribution of a decoder on a small model: every coin enumerated, no sampling error."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from specviz.decoding.exact.references import TargetReference, TextDistribution
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run
from specviz.dice import Dice, explore
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.lm.warp import Warp
from specviz.options import SHARED, Option, Options, resolve

T = TypeVar("T", bound=Hashable)
Written = tuple[Any, ...]
"""What a decoder writes: token ids, or the texts of several beams, each a tuple of token ids."""
NO_WARP: Options = {"temperature": 1.0, "top_k": None, "top_p": None}
ROOM = 64
N_TOKENS = Option("n_tokens", "integer", 1, "Tokens whose distribution is wanted.", 1, 1_000)
LIMIT = 2_000_000


def exact_distribution(
    pair: ModelPair,
    method: str | Method,
    prompt_tokens: Prompt,
    n_tokens: int,
    *,
    restart: bool = False,
    limit: int = LIMIT,
    **options: Any,
) -> dict[Written, float]:
    """Probability of every possible sequence of the first ``n_tokens`` tokens (1 to 1,000) behind a prompt, token ids
    or any other; shorter ones end with an end token. For methods that keep several beams: of every tuple of beams, in
    their order, when each has that many.

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
    runs = PossibleRuns(pair, method, pair.encode(prompt_tokens), n_tokens, NO_WARP | options, limit)
    return runs.of_every_text() if restart else runs.of_every_run()


@dataclass(frozen=True)
class PossibleRuns:
    """All ways in which ``method`` can go on after ``prompt`` until there are ``n_tokens`` tokens. ``seen`` is called
    with each run, the tokens that its text began with, and the probability of its outcomes."""

    pair: ModelPair
    method: Method
    prompt: Sequence[int]
    n_tokens: int
    options: Options
    limit: int = LIMIT
    seen: Callable[[Run, int, float], None] = lambda run, before, probability: None

    def start(self, dice: Dice, text: Sequence[int] = ()) -> Run:
        """A run after the prompt and ``text`` that has read them."""
        run = Run(
            *(self.pair, self.method, (*self.prompt, *text)),
            options=self.options,
            max_new_tokens=self.n_tokens + ROOM,
            dice=dice,
            recorded=False,
        )
        run.start()
        return run

    def of_every_run(self) -> dict[Written, float]:
        """The distribution of what whole runs write: nothing is assumed of what goes from one iteration to the next."""
        return distribution_of(self.of_one_run, self.limit)

    def of_one_run(self, dice: Dice) -> Written:
        """What one run writes."""
        return self._written(dice, (), self.n_tokens)

    def of_first_iteration(self) -> dict[Written, float]:
        """That of what the first iteration writes, cut at ``n_tokens``."""
        return distribution_of(lambda dice: self._written(dice, (), 1), self.limit)

    def of_every_text(self) -> dict[Written, float]:
        """The same as ``of_every_run`` where nothing but the text goes from one iteration to the next: equal texts are
        merged, and every iteration starts afresh."""
        done: dict[Written, float] = defaultdict(float)
        going: dict[Written, float] = {(): 1.0}
        while going:  # shortest texts first, so that equal ones meet before they go on
            text = min(going, key=len)
            probability = going.pop(text)
            for longer, share in distribution_of(
                lambda dice, text=text: self._written(dice, text, 1), self.limit
            ).items():
                ended = len(longer) == self.n_tokens or longer[-1] in self.pair.end_tokens
                held = done if ended else going
                held[longer] = held.get(longer, 0.0) + probability * share
        return dict(done)

    def _written(self, dice: Dice, text: Written, iterations: int) -> Written:
        """What a run behind ``text`` has written after so many iterations, or once there are ``n_tokens``."""
        run, beams = self.start(dice, text), None
        for _ in range(iterations):
            before = run.texts.length
            run.step()
            if run.texts.history and run.texts.length >= self.n_tokens:
                beams = tuple(run.texts.history[self.n_tokens - before - 1])
                break
            if run.stop is not None or len(text) + len(run.emitted) >= self.n_tokens:
                break
        self.seen(run, len(text), getattr(dice, "probability", 1.0))
        if beams is None and run.texts.history:
            beams = tuple(run.texts.history[-1])
        return (*text, *run.emitted)[: self.n_tokens] if beams is None else beams


def distribution_of(run: Callable[[Dice], T], limit: int = LIMIT) -> dict[T, float]:
    """The distribution of any function of the dice."""
    distribution: dict[T, float] = defaultdict(float)
    for probability, outcome in explore(run, limit):
        distribution[outcome] += probability
    return dict(distribution)


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
    warp_options = resolve(SHARED, {"temperature": temperature, "top_k": top_k, "top_p": top_p}, "target_distribution")
    return TargetReference(pair.target, pair.encode(prompt), Warp(**warp_options), pair.end_tokens).sampling(n_tokens)
