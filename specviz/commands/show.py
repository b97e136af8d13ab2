"""Traces, methods and benchmarks as things for a terminal. Model text is never read as markup."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specviz.decoding.catalog import Method
from specviz.decoding.options import Option
from specviz.lab.comparison import IterationCost, Ratio, Row
from specviz.lab.statistics import Estimate
from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Trace

ORIGIN_STYLE = {
    "accepted": "#0072B2",
    "resampled": "underline #E69F00",
    "bonus": "bold #009E73",
    "target": "italic #CC79A7",
}
ORIGIN_MEANING = {
    "accepted": "drafted and accepted",
    "resampled": "drawn from the residual after a rejection",
    "bonus": "drawn from the target after a draft that passed whole",
    "target": "drawn from the target",
}
LAW_MEANING = {
    "target": "follows the target's law exactly",
    "greedy": "the target's most probable tokens",
    "lossy": "follows another law on purpose",
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
    """The text of a run after its prompt, each token coloured by where it came from."""
    text = Text().append(printable(trace.header.prompt_text or ""), style="dim")
    for iteration in trace.iterations:
        for emitted in iteration.emitted:
            text.append(printable(emitted.piece), style=ORIGIN_STYLE[emitted.origin])
    return text


def legend(traces: Sequence[Trace]) -> Text:
    """The origins that occur in ``traces``, each in its own style."""
    used = {e.origin for trace in traces for iteration in trace.iterations for e in iteration.emitted}
    text = Text()
    for origin in (origin for origin in ORIGIN_STYLE if origin in used):
        text.append("\n" if text else "")
        text.append(origin, style=ORIGIN_STYLE[origin]).append(f": {ORIGIN_MEANING[origin]}")
    return text


def metrics_table(traces: Sequence[Trace]) -> Table:
    """A row per metric, a column per trace."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for index, trace in enumerate(traces):
        table.add_column(Text(title(trace, index if len(traces) > 1 else None)), justify="right")
    table.add_row("law", *(trace.header.method.law for trace in traces))
    for name, about in METRIC_HELP.items():
        values = [getattr(trace.metrics, name) for trace in traces]
        if any(value is not None for value in values):
            table.add_row(Text(_label(about)), *(number(value) for value in values))
    table.add_row("stopped by", *(trace.stop for trace in traces))
    return table


def title(trace: Trace, index: int | None = None) -> str:
    """The method's name, with the lane's number (from 1) in front where there are several."""
    return ("" if index is None else f"{index + 1} ") + trace.header.method.name


def settings(trace: Trace) -> str:
    """All options of a run: ``temperature 1.0, top_k 20, gamma 4``."""
    return ", ".join(f"{name} {value}" for name, value in trace.header.options.items())


def _label(about: Any) -> str:
    return f"{about.label}, {about.unit}" if about.unit else about.label


def number(value: float | None) -> str:
    """Four significant digits, large numbers with an exponent, a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{value:.3g}" if abs(value) >= 1e6 else f"{value:.4g}"


def methods_list(known: dict[str, Method]) -> Group:
    """Every method with what it is, where it is from, its law and its options; then the options that all share."""
    everywhere = [set(method.options.values()) for method in known.values()]
    shared = [option for option in next(iter(known.values())).options.values() if all(option in o for o in everywhere)]
    parts: list[RenderableType] = []
    for method in known.values():
        parts += _method(method, [option for option in method.options.values() if option not in shared])
    return Group(*parts, Text("every method", style="bold"), _options(shared))


def _method(method: Method, own: Sequence[Option]) -> list[RenderableType]:
    law = f"law: {method.law} ({LAW_MEANING.get(method.law, method.law)})"
    about = Text(f"{method.title}\n{method.summary}\n{law}\npaper: {method.paper}")
    parts = [Text(method.name, style="bold"), Padding(about, (0, 0, 0, 2))]
    return [*parts, _options(own), Text()] if own else [*parts, Text()]


def _options(options: Sequence[Option]) -> RenderableType:
    table = Table("option", "default", "allowed", "what it does", box=SIMPLE_HEAD)
    for option in options:
        table.add_row(*(Text(str(cell)) for cell in (option.name, option.default, option.allowed, option.help)))
    return table


def bench_table(rows: Sequence[Row]) -> Table:
    """The contenders side by side."""
    table = Table(box=SIMPLE_HEAD)
    headings = ("tokens/s", "whole call", "per target call", "acceptance", "perplexity", "FLOPs/token")
    table.add_column("")
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        shares = (row.tokens_per_target_call, row.acceptance_rate, row.perplexity, row.flops_per_token)
        cells = interval(row.tokens_per_second), interval(row.whole_call), *(number(share) for share in shares)
        table.add_row(Text(row.contender), *cells)
    return table


def ratio_table(ratios: Sequence[Ratio]) -> Table:
    """The comparisons, with what each is of."""
    table = Table("ratio", "median", "interval", "of", box=SIMPLE_HEAD)
    for ratio in ratios:
        low, high = ratio.value.low, ratio.value.high
        table.add_row(Text(ratio.name), f"{ratio.value.median:.3f}", f"{low:.3f} .. {high:.3f}", Text(ratio.meaning))
    return table


def cost_line(cost: IterationCost) -> str:
    """What an iteration of the chain cost, in one line."""
    return (
        f"One-token target call {cost.unit * 1e3:.2f} ms; an iteration of gamma {cost.gamma}: drafting gamma c = "
        f"{cost.drafting:.3f}, verifying v = {cost.verifying:.3f} target calls; acceptance a = {cost.acceptance:.3f}"
    )


def interval(estimate: Estimate | None) -> str:
    """``138.2 (131.0 .. 142.7)``."""
    if estimate is None:
        return "-"
    return f"{estimate.median:.1f} ({estimate.low:.1f} .. {estimate.high:.1f})"


def bench_heading(report: dict[str, Any]) -> Text:
    """What was measured, on what and when."""
    settings = report["settings"]
    pair = " and ".join(report[role]["name"] for role in ("target", "draft") if report[role])
    facts = ", ".join(f"{name} {value}" for name, value in (report["machine"] | report["versions"]).items())
    return Text(
        f"{pair} on {settings['device']}, {settings['prompts']} prompts of three domains, {settings['tokens']} tokens "
        f"each, {settings['rounds']} rounds, {report['date']}\n{facts}\n"
    )


def bench_notes(report: dict[str, Any], cost: IterationCost | None) -> Text:
    """How to read the tables."""
    coverage = min(row["whole_call"]["coverage"] for row in report["rows"])
    notes = (
        f"\nSpeeds and ratios: median over rounds (interval of {coverage:.1%}); everything else over all tokens.\n"
        "tokens/s by the own clock, reading the prompt left out; whole call by the wall clock, everything included.\n"
        "End tokens are ignored on both sides, so every run has the same length."
    )
    return Text(notes + ("" if cost is None else "\n" + cost_line(cost)))
