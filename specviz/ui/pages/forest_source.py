"""Where the page's frozen forests come from, a recorded step or a visitor's draft, and where they are kept."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from specviz.decoding.exact.judge import judging_options, score_forest
from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.parts import find_drafter, find_verifier, free_drafters, free_options
from specviz.decoding.registry.registry import methods
from specviz.decoding.replay.judge_again import changeable, recorded_forest
from specviz.drafting.drafter import ScoredForest
from specviz.errors import SpecvizError
from specviz.facts.iteration_facts import submitted
from specviz.facts.tokens import piece
from specviz.rules.spec import DRAWINGS, WARPS
from specviz.trace.forest import Forest
from specviz.trace.record import Iteration, Trace
from specviz.ui.messages.forest import WarpSetup
from specviz.ui.serving.device import Visitor
from specviz.ui.serving.limits import MAX_FOREST_NODES, MAX_KEPT_FORESTS
from specviz.ui.serving.runs import KeptRuns, oldest_of_heaviest
from specviz.ui.settings import (
    CheckedRequest,
    LaneIndex,
    PairName,
    PromptText,
    Refusal,
    RunId,
    Seed,
    Values,
    one_of,
    read,
    read_options,
    says,
)
from specviz.views.same_forest.frozen import guesses

FORM = "forest"  # what the fields of the drafting form are called: forest-gamma
MANNERS = DRAWINGS | {"deterministic": "the draft's best ones, not drawn at random"}


def manner(forest: Forest) -> str:
    """How the guesses of a forest were made."""
    return MANNERS.get(forest.drawing, forest.drawing)


@dataclass(frozen=True)
class Frozen:
    """A frozen forest. ``vocabulary`` gives its tokens as text, ``last`` is the last token of the context and
    ``before`` the end of the context as text pieces; ``temperature`` is that of its distributions, ``drafter`` the
    name of who drafted it ("" where its method is not known here), ``method`` the name of the method that was recorded.
    ``known`` is for what was worked out about it."""

    scored: ScoredForest
    vocabulary: Mapping[int, str]
    last: int
    before: tuple[str, ...]
    end_tokens: frozenset[int]
    temperature: float
    drafter: str
    method: str | None = None
    known: dict = field(default_factory=dict, compare=False, repr=False)

    @property
    def drawn(self) -> str:
        """How its guesses were made, in words."""
        shape = "one chain" if self.scored.forest.is_chain else "a tree"
        return f"{guesses(len(self.scored.forest.submitted))} in {shape}, {manner(self.scored.forest)}"

    def refusal(self, verifier: str) -> str | None:
        """Why a verifier cannot judge it; None where it can."""
        spec, forest = find_verifier(verifier), self.scored.forest
        if not forest.is_chain and "tree" not in spec.judges:
            return "Judges one chain, and these guesses are a tree."
        if spec.drawings is not None and forest.drawing not in spec.drawings:
            wanted = " or ".join(MANNERS.get(name, name) for name in spec.drawings)
            return f"Needs guesses {wanted}; these are {manner(forest)}: its coins would not be fair."
        return None

    def guarantee(self, verifier: str, options: Mapping[str, Any]) -> str:
        """``target``, ``greedy`` or ``lossy``: what the text is distributed as when drafts like these are judged so."""
        spec = find_verifier(verifier)
        resolved = judging_options(spec, {"temperature": self.temperature, **options})
        return spec.guarantee_for(resolved, self.scored.forest.drawing)

    def method_of(self, verifier: str) -> str | None:
        """The method that is this pairing, if there is one; the forest's own first."""
        known = methods()
        own = [known[self.method]] if self.method in known else []
        for method in (*own, *known.values()):
            pair = tuple(spec.name for spec in method.pair({}))
            if method is not CUSTOM and pair == (self.drafter if method not in own else pair[0], verifier):
                return method.name
        return None


def steps_with_forests(trace: Trace) -> list[int]:
    """The iterations whose guesses other verifiers could judge: of one text, with nothing that the target drew
    itself."""
    return [index for index, iteration in enumerate(trace.iterations) if _usable(trace, iteration)]


def _usable(trace: Trace, iteration: Iteration) -> bool:
    nodes = iteration.forest.nodes if iteration.forest and trace.header.recorded else ()
    return len(iteration.inputs) < 2 and bool(submitted(nodes)) and not any(node.root for node in nodes)


def recorded(trace: Trace, index: int, options: Mapping[str, Any]) -> Frozen:
    """The forest of a recorded step; ``options`` warp its distributions anew. Raises SpecvizError with the reason where
    the record does not hold one that others can judge."""
    if not 0 <= index < len(trace.iterations):
        raise SpecvizError(f"iteration must be 1 to {len(trace.iterations)}, got {index + 1}", argument="step")
    iteration, header = trace.iterations[index], trace.header
    if not _usable(trace, iteration):
        raise SpecvizError(
            f"Iteration {index + 1} of {header.method.title} has no guesses that other verifiers could judge: it "
            "drafted nothing, keeps several texts at once, or began with tokens of the target."
        )
    scored = recorded_forest(trace, index, **options)
    method = methods().get(header.method.name)
    own = "" if method is None else method.pair(header.options)[0].name
    temperature = float(options.get("temperature", header.options.get("temperature", 1.0)))
    return Frozen(
        scored,
        trace.vocabulary,
        iteration.context_tail[-1],
        tuple(piece(trace.vocabulary, token) for token in iteration.context_tail),
        frozenset(header.end_tokens),
        0.0 if is_greedy(scored) else temperature,
        own,
        header.method.name,
    )


def warp_options(trace: Trace, index: int) -> WarpSetup:
    """What of temperature, top-k and top-p can be changed in a recorded step that can be judged, and why nothing."""
    setup = changeable(trace, index)
    options = [option for option in setup["options"] if option["name"] in WARPS]
    why = "The method of this iteration draws nothing by temperature, so there is none to change."
    return {"options": options, "reason": None if options else why}


@dataclass(frozen=True)
class DraftSettings:
    """What a visitor wants drafted: the form of ``read_draft``, checked."""

    prompt: str
    drafter: str
    options: dict[str, Any]
    seed: int
    pair: str | None = None


class DraftForm(CheckedRequest):
    """What a visitor wants drafted, as the page sends it; ``form`` is the page's own name for it."""

    drafter: Annotated[str, one_of("drafter must be one of", free_drafters)]
    options: Values = {}
    seed: Seed
    prompt: PromptText
    pair: PairName = None
    form: Any = None


def read_draft(data: Any) -> DraftSettings:
    """The settings in a form (``DraftForm``). Raises Refusal, which names the field."""
    form = read(DraftForm, data, form=FORM, what="form")
    known = {name: CUSTOM.options[name] for name in (*draft_option_names(form.drafter), *WARPS)}
    return DraftSettings(form.prompt, form.drafter, read_options(FORM, form.options, known), form.seed, form.pair)


class DraftedSource(CheckedRequest):
    """A forest that was drafted here, by its id."""

    id: Any


class RecordedSource(CheckedRequest):
    """The forest of a recorded step; ``warp`` is another temperature, top-k or top-p."""

    run: RunId
    lane: LaneIndex
    step: Annotated[int, Field(ge=0), says("iteration must be a whole number from 1, got {value}")]
    warp: Values = {}


def read_source(data: Any) -> DraftedSource | RecordedSource:
    """Where a forest comes from. Raises Refusal with the reason."""
    drafted = isinstance(data, Mapping) and "id" in data
    return read(DraftedSource if drafted else RecordedSource, data, what="forest")


def draft_option_names(drafter: str) -> tuple[str, ...]:
    """The options of a drafter that a visitor may set; none for "" or a name that is not offered."""
    return tuple(option.name for option in free_options(find_drafter(drafter))) if drafter in free_drafters() else ()


def draft(pair: Any, settings: DraftSettings) -> Frozen:
    """Draft a forest and score it with the target; the caller holds the device. Raises Refusal for a forest that is too
    large to look at, and what ``score_forest`` raises."""
    scored = score_forest(pair, settings.prompt, settings.drafter, seed=settings.seed, **settings.options)
    nodes, names = len(scored.forest.submitted), draft_option_names(settings.drafter)
    if nodes > MAX_FOREST_NODES:
        sizes = ", ".join(f"{name}={settings.options.get(name, CUSTOM.options[name].default)}" for name in names)
        raise Refusal(
            f"{sizes} drafted {nodes} guesses; this page shows up to {MAX_FOREST_NODES}: choose smaller sizes",
            field=f"{FORM}-{names[0] if names else 'drafter'}",
            code="too_many",
        )
    if not nodes:
        raise Refusal(f"drafter {settings.drafter!r} has nothing to propose after this prompt", field=f"{FORM}-drafter")
    tokens = scored.beams[0].tokens
    temperature = float(settings.options.get("temperature", CUSTOM.options["temperature"].default))
    before = tuple(pair.piece(token) for token in tokens[-24:])
    temperature = 0.0 if is_greedy(scored) else temperature
    return Frozen(scored, Pieces(pair.piece), tokens[-1], before, pair.end_tokens, temperature, settings.drafter)


def is_greedy(scored: ScoredForest) -> bool:
    """Whether the target draws nothing at random anywhere: it was warped at temperature 0."""
    return all(target.certain for target in scored.forest.target.values())


class Pieces(Mapping):
    """A vocabulary that decodes a token when it is looked up."""

    def __init__(self, piece: Callable[[int], str]):
        self._piece = piece

    def __getitem__(self, token: int) -> str:
        return self._piece(token)

    def __contains__(self, token: object) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Forests:
    """The last MAX_KEPT_FORESTS forests by source. When there are too many, the visitor who has most loses the oldest.
    A recorded forest is built again from its record; a drafted one has to be drafted again. Thread-safe.
    """

    def __init__(self, runs: KeptRuns):
        self._runs = runs
        self._kept: OrderedDict[tuple, tuple[Frozen, Visitor]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, name: str, frozen: Frozen, visitor: Visitor = Visitor()) -> None:  # noqa: B008
        """Remember a forest that was drafted for the ``visitor``."""
        self._keep((name,), frozen, visitor)

    def _keep(self, key: tuple, frozen: Frozen, visitor: Visitor = Visitor()) -> None:  # noqa: B008
        with self._lock:
            self._kept[key] = frozen, visitor
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT_FORESTS:
                owners = {name: owner for name, (_, owner) in self._kept.items()}
                del self._kept[oldest_of_heaviest(owners, dict.fromkeys(owners, 1))]

    def _find(self, key: tuple) -> Frozen | None:
        with self._lock:
            return self._kept.get(key, (None,))[0]

    def find(self, source: DraftedSource | RecordedSource) -> Frozen:
        """The forest of a source. Raises SpecvizError with the reason."""
        if isinstance(source, DraftedSource):
            frozen = self._find((str(source.id),))
            if frozen is None:
                raise SpecvizError(
                    "This forest is no longer kept on the server. Draft it again to look at it.", code="gone"
                )
            return frozen
        warp = read_options(FORM, source.warp, {name: CUSTOM.options[name] for name in WARPS})
        trace = self.trace(source)
        key = (source.run, source.lane, source.step, len(trace.iterations), *sorted(warp.items()))
        frozen = self._find(key)
        if frozen is None:
            frozen = recorded(trace, source.step, warp)
            self._keep(key, frozen)
        return frozen

    def trace(self, source: RecordedSource) -> Trace:
        """The trace of a recorded forest. Raises SpecvizError when it does not exist (any more)."""
        return self._runs.trace(source.run, source.lane)
