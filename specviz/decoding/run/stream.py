"""One method, iteration by iteration, as it runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run, check_seed
from specviz.dice import SeededDice
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.options import Value
from specviz.trace.record import Iteration, Trace


class Stream(Iterator[Iteration]):
    """A run under way: each ``next`` makes one iteration. ``trace()`` is the trace so far; once the run has ended it is
    also what ``yield from`` gives."""

    def __init__(self, run: Run):
        self._run, self._started = run, False

    def __next__(self) -> Iteration:
        if not self._started:
            self._run.start()
            self._started = True
        if self._run.stop is not None:
            raise StopIteration(self.trace())
        return self._run.step()

    @property
    def text(self) -> str:
        """What has been written so far, without the prompt."""
        return "".join(emitted.piece for iteration in self._run.iterations for emitted in iteration.emitted)

    def trace(self) -> Trace:
        """The trace so far; its ``stop`` is ``stopped`` until the run has ended by itself."""
        return self._run.trace()


def stream(
    pair: ModelPair,
    method: str | Method,
    prompt: Prompt,
    *,
    max_new_tokens: int = 64,
    seed: int = 0,
    record: bool = True,
    template_arguments: Mapping[str, Any] | None = None,
    **options: Value,
) -> Stream:
    """Run one method and hand over each iteration as soon as it is made; then the trace, which is that of ``decode``.

    Arguments are those of ``decode``. What is wrong with them is raised here, before the first token: OptionError,
    PromptError or ModelError. Leaving the loop early stops the run.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> run = specviz.stream(pair, "speculative", [0], max_new_tokens=6, gamma=2)
    >>> for iteration in run:
    ...     assert 1 <= len(iteration.emitted) <= 3
    >>> run.trace().stop, len(run.trace().tokens)
    ('length', 6)
    """
    run = Run(
        pair,
        find_method(method),
        prompt,
        options=dict(options),
        max_new_tokens=max_new_tokens,
        dice=SeededDice(check_seed(seed)),
        seed=seed,
        recorded=record,
        template_arguments=template_arguments,
    )
    return Stream(run)
