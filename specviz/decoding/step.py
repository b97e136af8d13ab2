"""One recorded step, to be judged again: what it was decoded with, and whether its record is complete enough to try."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specviz.decoding.catalog import METHODS
from specviz.decoding.method import WARPS, Method
from specviz.decoding.options import Options
from specviz.decoding.workbench import Setting
from specviz.errors import OptionError, ReplayError, SpecvizError
from specviz.lm.warp import Warp
from specviz.trace import record

CONTRADICTIONS = (ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError)
_SPELT = 100  # characters of a token in a message
LARGEST = 2**27  # bytes of all laws of one model in a step; judging it takes about six times as much


@dataclass(frozen=True)
class Step:
    """One iteration of a trace, its method, and the options it was decoded with; ``options`` are to judge it by."""

    trace: record.Trace
    index: int
    method: Method
    before: Options
    options: Options

    @property
    def iteration(self) -> record.Iteration:
        return self.trace.iterations[self.index]

    @property
    def forest(self) -> record.ForestRecord:
        return self.iteration.forest

    @cached_property
    def end_tokens(self) -> frozenset[int]:
        return frozenset(self.trace.header.end_tokens)

    @cached_property
    def context(self) -> tuple[int, ...]:
        """Prompt and output before this iteration; of several beams what they share."""
        emitted = (one.token for iteration in self.trace.iterations[: self.index] for one in iteration.emitted)
        return (*self.trace.header.prompt_tokens, *emitted)

    @property
    def most(self) -> int:
        """Tokens that the run was to write at most."""
        return int(self.trace.header.options.get("max_new_tokens", 2**31))

    @property
    def warp(self) -> Warp:
        """The target's at the new options."""
        return self.method.warp(self.options)

    @property
    def size(self) -> int:
        return self.trace.header.target.vocab_size

    def setting(self) -> Setting:
        """What the verifier is made for."""
        return Setting(self.warp, self.end_tokens, len(self.trace.header.prompt_tokens), self.most, self.size)

    def spelt(self, token: int) -> str:
        """A token's text for a message: the beginning of a long one."""
        return self.trace.vocabulary[token][:_SPELT]

    def name(self, place: int) -> str:
        """A place in words, for messages: ``after token 2 (" the")``."""
        if place < 0:
            return "after the text" if len(self.iteration.inputs) < 2 else f"after beam {-place}"
        node = self.forest.nodes[place]
        return f"after token {node.depth} ({self.spelt(node.token)!r})"


@contextmanager
def sound_record() -> Iterator[None]:
    """Whatever goes wrong inside with a record that no run wrote is a ReplayError."""
    try:
        yield
    except SpecvizError:
        raise
    except CONTRADICTIONS as error:
        raise ReplayError(f"the record contradicts itself ({type(error).__name__}: {error})") from error


def open_step(trace: record.Trace, index: int, changed: Mapping[str, Any]) -> Step:
    """The step, its options changed. Raises ReplayError for one that is not there or was not recorded, OptionError for
    an option that the verdict does not depend on, or out of range."""
    if not trace.iterations:
        raise ReplayError("the trace has no iterations")
    if not 0 <= index < len(trace.iterations):
        raise ReplayError(f"index must be 0 to {len(trace.iterations) - 1}, got {index}")
    name, forest = trace.header.method.name, trace.iterations[index].forest
    method = METHODS.get(name)
    if method is None or method.judge is None:
        raise ReplayError(f"method {name!r:.80} is not in the catalog: its rule is not known here")
    if forest is None:
        raise ReplayError("the run was not recorded: decode with record=True")
    before = method.resolve(**{k: v for k, v in trace.header.options.items() if k != "max_new_tokens"})
    options = method.resolve(**{**before, **changed})
    ruled = {*method.ruled_by(before), *method.ruled_by(options)}
    for option in options:
        if options[option] != before[option] and option not in ruled:
            raise OptionError(
                f"{option} does not rule this step's verdict, the draft stays as it was recorded; "
                f"what can be changed is {', '.join(sorted(ruled)) or 'nothing'}, got {option}={options[option]!r}"
            )
    _check_complete(trace, forest)
    return Step(trace, index, method, before, options)


def _check_complete(trace: record.Trace, forest: record.ForestRecord) -> None:
    if not forest.target_laws.after:
        raise ReplayError(
            "the record lacks the target's laws at the places where nothing was decided, as files of versions 1 and 2 "
            "do: decode again to have them"
        )
    size, known = trace.header.target.vocab_size, trace.vocabulary.keys()
    if min(known, default=0) < 0 or max(known, default=0) >= size:
        raise ReplayError(f"the record names tokens outside of the target's vocabulary of {size}")
    models = (trace.header.target, trace.header.draft, *trace.header.drafts)
    width = 8 if any(model and model.dtype == "float64" for model in models) else 4
    if width * size * (1 + len(forest.nodes)) > LARGEST:
        raise ReplayError(f"a step of {len(forest.nodes)} nodes over {size} tokens is too large to be judged anew")


def first_of_text(iteration: record.Iteration) -> dict[int, int]:
    """Every place of an iteration -> the first place that has the same text."""
    found: dict[int, int] = {}
    texts: dict[Any, int] = {}
    for index, beam in enumerate(iteration.inputs):
        found[-1 - index] = texts.setdefault(beam.tokens, -1 - index)
    found.setdefault(-1, -1)
    pairs: dict[tuple[int, int], int] = {}
    for number, node in enumerate(iteration.forest.nodes):
        found[number] = pairs.setdefault((found[node.parent], node.token), number)
    return found


def impossible(step: Step, number: int) -> ReplayError:
    """What is said of a drafted token that the draft would not have proposed at the new options."""
    node = step.forest.nodes[number]
    changed = ", ".join(f"{name}={step.options[name]!r}" for name in WARPS if step.options[name] != step.before[name])
    token = step.spelt(node.token)
    return ReplayError(
        f"the draft could not have proposed token {node.depth} ({token!r}) at {changed or 'these options'}: "
        "its probability q is 0"
    )
