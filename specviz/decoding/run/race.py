"""Several methods on one prompt, taking turns on one device so that each lane's clock counts its own work alone."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run, check_seed
from specviz.dice import SeededDice
from specviz.errors import OptionError, SpecvizError, as_given
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.trace.record import Iteration, MethodRecord, Trace
from specviz.trace.titles import Titled, lane_names

LaneSpec = str | Method | tuple[str | Method, dict[str, Any]]
MAX_LANES = 32


class Lane:
    """One method in a race. ``index`` counts from 0; ``options`` are its options that the caller named. ``title`` is
    the method's, with the options that tell it from other lanes (and its number, where they do not)."""

    def __init__(self, index: int, run: Run, options: dict[str, Any]):
        self.index, self.options, self._run = index, options, run
        self.title = run.method.title

    @property
    def name(self) -> str:
        return self._run.method.name

    @property
    def method(self) -> MethodRecord:
        return self._run.method.record(self._run.options)

    @property
    def clock(self) -> float:
        """Seconds of the lane's own work so far, reading the prompt left out."""
        return self._run.clock.seconds

    @property
    def finished(self) -> bool:
        return self._run.stop is not None

    def trace(self) -> Trace:
        """The lane's trace so far."""
        return self._run.trace()


def race(
    pair: ModelPair,
    lanes: Sequence[LaneSpec],
    prompt: Prompt,
    *,
    max_new_tokens: int = 64,
    seed: int = 0,
    record: bool = True,
    template_arguments: Mapping[str, Any] | None = None,
    **shared: Any,
) -> Generator[tuple[Lane, Iteration], None, None]:
    """Yield (lane, iteration) as they happen; the lane furthest behind on its own clock goes next.

    A lane is a method's name or (name, options); ``shared`` options hold for every lane that has them, a lane's own
    options come first; prompt and ``template_arguments`` are as in ``decode``. Every lane gets the same seed.
    Everything is checked before the first token, when the first item is asked for. Closing the generator stops the
    race. Raises OptionError, PromptError or ModelError, its ``lane`` saying which lane cannot be run.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> lanes = {lane.name: lane for lane, iteration in specviz.race(pair, ["speculative", "mtad"], [0])}
    >>> sorted((name, len(lane.trace().tokens)) for name, lane in lanes.items())
    [('mtad', 64), ('speculative', 64)]
    """
    if not isinstance(lanes, Sequence) or isinstance(lanes, str):
        raise OptionError(f"lanes must be a list of methods, got {as_given(lanes)}", argument="lanes")
    if not 1 <= len(lanes) <= MAX_LANES:
        raise OptionError(f"lanes must be 1 to {MAX_LANES} methods, got {len(lanes)}", argument="lanes")
    seed = check_seed(seed)
    settings: dict[str, Any] = {"max_new_tokens": max_new_tokens, "seed": seed, "recorded": record}
    settings["template_arguments"] = template_arguments
    entered = [_entered(pair, index, spec, prompt, shared, settings) for index, spec in enumerate(lanes)]
    known = {option for _, run in entered for option in run.method.options}
    for name in shared:
        if name not in known:
            raise OptionError(
                f"no lane has an option {name!r}; known are {', '.join(sorted(known))}",
                argument=name,
                code="unknown_option",
            )
    titled = [Titled(run.method.name, run.method.title, run.options) for _, run in entered]
    for (lane, run), title in zip(entered, lane_names(titled), strict=True):
        lane.title = title
        run.start()
    while racing := [(lane, run) for lane, run in entered if not lane.finished]:
        lane, run = min(racing, key=lambda entry: entry[0].clock)
        yield lane, run.step()


def _entered(
    pair: ModelPair,
    index: int,
    spec: LaneSpec,
    prompt: Prompt,
    shared: dict[str, Any],
    settings: dict[str, Any],
) -> tuple[Lane, Run]:
    """A lane that is ready to start. What is wrong with it carries its number."""
    name, own = _named(spec)
    method = find_method(name)
    options = {key: value for key, value in shared.items() if key in method.options} | own
    try:
        run = Run(pair, method, prompt, options=options, dice=SeededDice(settings["seed"]), **settings)
    except SpecvizError as error:
        error.lane = index
        raise
    return Lane(index, run, own), run


def _named(spec: LaneSpec) -> tuple[str | Method, dict[str, Any]]:
    if isinstance(spec, str | Method):
        return spec, {}
    if isinstance(spec, tuple | list) and len(spec) == 2 and isinstance(spec[1], dict):
        return spec[0], spec[1]
    raise OptionError(f"a lane must be a method's name or (name, options), got {as_given(spec)}", argument="lanes")
