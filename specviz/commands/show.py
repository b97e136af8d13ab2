"""Traces as things for a terminal. Model text is never read as markup."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from specviz.facts.tokens import isolated
from specviz.facts.words import ORIGINS
from specviz.measure.disturbance import disturbed_by
from specviz.measure.summary import METRIC_HELP
from specviz.trace.forest import Origin
from specviz.trace.record import Trace, shown
from specviz.views.race.dials import reading
from specviz.views.race.verdict import disturbance, without_draft

ORIGIN_STYLE: dict[Origin, str] = {
    "accepted": "#0072B2",
    "resampled": "underline #E69F00",
    "bonus": "bold #009E73",
    "target": "italic #CC79A7",
    "hand": "reverse",
}
UNSETTLED = "dim underline"  # tokens of the most likely beam that the beams still differ in
FEW = 4  # traces that a table shows as columns
LANE_COLUMNS = {  # of a table with a row per trace: metric -> heading
    "tokens_per_second": "tokens/s",
    "tokens_per_target_call": "tokens a call",
    "acceptance_rate": "accepted",
    "perplexity": "perplexity",
    "flops_per_token": "FLOP a token",
}


def printable(text: str) -> str:
    """``text`` with control characters made visible: no model steers the terminal. Line ends and tabs stay."""
    return "".join(_picture(character) for character in text)


def _picture(character: str) -> str:
    code = ord(character)
    if character in "\n\t":
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\N{REPLACEMENT CHARACTER}" if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 else character


def tokens(trace: Trace) -> Text:
    """The text of a run after its prompt, each token coloured by where it came from; of a run that was stopped with
    several beams also what the most likely one says beyond. Every line is read in its own direction."""
    text = Text().append(printable(trace.header.prompt_text or ""), style="dim")
    for iteration in trace.iterations:
        for emitted in iteration.emitted:
            text.append(printable(emitted.piece), style=ORIGIN_STYLE[emitted.origin])
    pending = "".join(trace.vocabulary[token] for token in trace.pending)
    text.append(printable(pending), style=UNSETTLED)
    return Text("\n").join(_isolated(line) for line in text.split("\n", allow_blank=True))


def _isolated(line: Text) -> Text:
    return line if isolated(line.plain) == line.plain else Text.assemble("\u2068", line, "\u2069")


def legend(traces: Sequence[Trace]) -> Text:
    """The origins that occur in ``traces``, each in its own style."""
    used = {e.origin for trace in traces for iteration in trace.iterations for e in iteration.emitted}
    lines = [(origin, style, ORIGINS[origin].meaning) for origin, style in ORIGIN_STYLE.items() if origin in used]
    if any(trace.pending for trace in traces):
        lines.append(("unsettled", UNSETTLED, "the most likely beam's; the others differ there"))
    return Text("\n").join(Text().append(word, style=style).append(f": {meaning}") for word, style, meaning in lines)


def metrics(traces: Sequence[Trace]) -> Group:
    """Of a few traces every metric, a column per trace; of many the main ones, a row per trace. Then the traces whose
    speed says nothing, since the machine was disturbed, and those that outgrew their draft model."""
    notes: list[str] = []
    for index, trace in enumerate(traces):
        name = f"lane {title(trace, index)}" if len(traces) > 1 else "it"
        notes += [disturbance(name, trace)] if disturbed_by(trace.metrics) else []
        notes += [without_draft(name, trace)]
    return Group(
        _columns(traces) if len(traces) <= FEW else _rows(traces), *(Text(sentence) for sentence in notes if sentence)
    )


def _columns(traces: Sequence[Trace]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for index, trace in enumerate(traces):
        table.add_column(Text(title(trace, index if len(traces) > 1 else None)), justify="right")
    table.add_row("guarantee", *(trace.header.method.guarantee for trace in traces))
    for name, about in METRIC_HELP.items():
        values = [getattr(trace.metrics, name) for trace in traces]
        if any(value not in (None, ()) for value in values):
            table.add_row(Text(_label(about)), *(number(value) for value in values))
    table.add_row("stopped by", *(trace.stop for trace in traces))
    return table


def _rows(traces: Sequence[Trace]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("guarantee")
    for heading in LANE_COLUMNS.values():
        table.add_column(heading, justify="right")
    for index, trace in enumerate(traces):
        cells = (" ".join(reading(name, getattr(trace.metrics, name), "")).strip() for name in LANE_COLUMNS)
        table.add_row(Text(title(trace, index)), trace.header.method.guarantee, *cells)
    return table


def title(trace: Trace, index: int | None = None) -> str:
    """The method's name, with the lane's number (from 1) in front where there are several."""
    return ("" if index is None else f"{index + 1} ") + trace.header.method.name


def settings(trace: Trace) -> str:
    """All options of a run: ``temperature 1.0, top_k 20, k_config 4,2,2,1``."""
    return ", ".join(f"{name} {shown(value)}" for name, value in trace.header.options.items())


def _label(about: Any) -> str:
    return f"{about.label}, {about.unit}" if about.unit else about.label


def number(value: float | tuple[float, ...] | None) -> str:
    """Four significant digits, large numbers with an exponent, a dash for none; several with spaces between them."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(f"{part:.2g}" for part in value)
    if isinstance(value, int):
        return str(value)
    return f"{value:.3g}" if abs(value) >= 1e6 else f"{value:.4g}"
