"""What a draft reads that is of EAGLE's kind, and how its agreement with the target falls as it reads itself."""

from specviz.facts import iteration_facts as facts
from specviz.measure.summary import agreement_by_depth
from specviz.pictures.charts import quarters, ticks_at
from specviz.pictures.shapes import Axis, Chart, Column, KeyEntry, Line, Picture, Point, Tick
from specviz.trace.record import Iteration, ModelRecord, Trace

_READS = KeyEntry("target", "●", "the target’s hidden states, read by the first guess")
_OWN = KeyEntry("draft", "○", "the draft’s own, read by the guesses after it")
_UNDER = 0.16
"""Of the target's layers, between the lowest and the draft."""


def listening_draft(trace: Trace, iteration: Iteration) -> ModelRecord | None:
    """The draft model of the iteration's first guess, if it reads hidden states of the target."""
    drafts, nodes = (trace.header.draft, *trace.header.drafts), facts.nodes_of(iteration)
    number = nodes[0].model if nodes else 0
    draft = drafts[number] if number < len(drafts) else None
    return draft if draft and draft.reads else None


def independent_beside(trace: Trace, others: tuple[Trace | None, ...]) -> Trace | None:
    """For a trace whose draft reads hidden states: of other lanes the first with the same prompt and target whose draft
    reads none."""
    if not trace.header.draft or not trace.header.draft.reads:
        return None
    return next((other for other in others if other is not None and _independent(trace, other)), None)


def _independent(trace: Trace, other: Trace) -> bool:
    own, its = trace.header, other.header
    same = (its.prompt_tokens, its.target.fingerprint) == (own.prompt_tokens, own.target.fingerprint)
    return same and its.draft is not None and not its.draft.reads and bool(agreement_by_depth(other.iterations))


def reads_words(trace: Trace, draft: ModelRecord, depth: int) -> str:
    """What the guesses of a depth are drafted from, beside the tokens."""
    if depth > 1:
        return "The target has not read that far yet, so in place of its states the draft reads its own."
    layers, last = draft.reads, trace.header.target.layers
    if layers == (last,):
        return f"It reads the target's hidden states, too, after the last of its {last} layers."
    listed = f"{', '.join(map(str, layers[:-1]))} and {layers[-1]}"
    return f"It reads the target's hidden states, too, after layers {listed} of {last}, joined into one."


def listening_picture(trace: Trace, index: int, beside: Trace | None = None) -> Picture:
    """Over each guess of iteration ``index`` the layers whose states it was drafted from; under it how far target and
    draft agreed there on average, over the whole run; ``beside``: and in a lane whose draft reads none."""
    iteration = facts.iteration_of(trace, index)
    draft = listening_draft(trace, iteration)
    assert draft is not None
    deepest = max(node.depth for node in facts.nodes_of(iteration))
    agreed = agreement_by_depth(trace.iterations)
    others = agreement_by_depth(beside.iterations) if beside else ()
    guesses = max(deepest, len(agreed), len(others))
    whose = beside.header.draft.name if beside and beside.header.draft else ""
    key = (KeyEntry("muted", "┄", f"{whose}, which reads only tokens"),) if others else ()
    shapes = (_layers(trace, draft, deepest, guesses), *([_agreement(agreed, others, guesses)] if agreed else []))
    words = [reads_words(trace, draft, depth) for depth in range(1, min(deepest, 2) + 1)]
    words += [f"Agreement by guess: {', '.join(map(_share, agreed))}."] if agreed else []
    words += [f"That of {whose}: {', '.join(map(_share, others))}."] if others else []
    marks = (_READS, *([_OWN] if deepest > 1 else []), *key)
    return Picture(shapes, " ".join(words), marks, title="What the draft reads")


def _layers(trace: Trace, draft: ModelRecord, deepest: int, guesses: int) -> Chart:
    layers = trace.header.target.layers
    own = -_UNDER * layers
    points = [Point(1, layer, "target", "●", f"the target’s states after layer {layer}") for layer in draft.reads]
    points += [Point(depth, own, "draft", "○", "the draft’s own states") for depth in range(2, deepest + 1)]
    lines = [Line("target", ((1, max(draft.reads)), (1, own)))]
    lines += [Line("draft", ((1, own), (deepest, own)), "dashed")] if deepest > 1 else []
    ticks = (Tick(own, "draft"), *(Tick(layer, f"layer {layer}") for layer in draft.reads))
    upright = Axis(1.7 * own, 1.08 * layers, ticks, f"reads of {layers} layers of the target")
    return Chart(_guesses(guesses), upright, lines=tuple(lines), points=tuple(points), tall=0.8)


def _agreement(agreed: tuple[float, ...], others: tuple[float, ...], guesses: int) -> Chart:
    columns = tuple(Column(depth, value, "draft", _share(value)) for depth, value in enumerate(agreed, start=1))
    lines = (Line("muted", tuple(enumerate(others, start=1)), "dashed"),) if others else ()
    upright = Axis(0.0, 1.0, quarters(), "agreement with the target, over the run")
    return Chart(_guesses(guesses, "guess"), upright, columns, lines, tall=0.7)


def _guesses(guesses: int, title: str = "") -> Axis:
    return Axis(0.4, guesses + 0.6, ticks_at(*range(1, guesses + 1)), title)


def _share(value: float) -> str:
    return f"{value:.2f}".lstrip("0")
