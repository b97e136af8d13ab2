"""Traces and benchmarks as things for a terminal. Model text is never read as markup."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from specviz.facts.tokens import isolated
from specviz.facts.words import ORIGINS
from specviz.lab.bench.comparison import MethodRow, Ratio
from specviz.lab.bench.iteration_costs import Account, IterationCost
from specviz.lab.sweep.summary import Estimate
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
    said: list[str] = []
    for index, trace in enumerate(traces):
        name = f"lane {title(trace, index)}" if len(traces) > 1 else "it"
        said += [disturbance(name, trace)] if disturbed_by(trace.metrics) else []
        said += [without_draft(name, trace)]
    return Group(
        _columns(traces) if len(traces) <= FEW else _rows(traces), *(Text(sentence) for sentence in said if sentence)
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


def bench_table(rows: Sequence[MethodRow]) -> Table:
    """The contenders side by side."""
    headings = ("guarantee", "tokens/s", "tokens/\ntarget call", "accep-\ntance", "longest/\ndepth", "perplex-\nity")
    table = _wide("", *headings, "MFLOP/\ntoken", "KV\nrows", "target\ncalls", "draft\ncalls")
    for row in rows:
        flops = None if row.flops_per_token is None else row.flops_per_token / 1e6
        shares = (row.tokens_per_target_call, row.acceptance_rate, row.longest_accepted, row.perplexity, flops)
        counts = (row.kv_rows_peak, row.target_calls, row.draft_calls)
        cells = (row.guarantee or "-", interval(row.tokens_per_second), *map(brief, shares), *map(brief, counts))
        table.add_row(Text(row.contender), *cells)
    return table


def account_table(rows: Sequence[MethodRow], accounts: Sequence[Account]) -> Table:
    """Speed by the wall clock, and where an average iteration goes."""
    headings = ("whole call,\ntokens/s", "iteration,\nms", "target\ncalls", "drafting", "outside\nmodels")
    table = _wide("", *headings, "tokens\nread", "tokens\nemitted")
    accounts_by_name = {account.contender: account for account in accounts}
    for row in rows:
        account, cells = accounts_by_name.get(row.contender), ()
        if account is not None:
            seconds = (account.seconds, account.target, account.drafting, account.outside)
            cells = (*(brief(1e3 * each) for each in seconds), brief(account.read), brief(account.tokens))
        table.add_row(Text(row.contender), interval(row.whole_call), *cells)
    return table


def _wide(first: str, *headings: str) -> Table:
    """A table of numbers whose lines are never broken."""
    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def ratio_table(ratios: Sequence[Ratio]) -> Table:
    """The comparisons, with what each is of."""
    table = Table("ratio", "median", "interval", "of", box=SIMPLE_HEAD)
    for ratio in ratios:
        low, high = ratio.value.low, ratio.value.high
        between = "-" if low is None else f"{low:.3f} .. {high:.3f}"
        table.add_row(Text(ratio.name), f"{ratio.value.median:.3f}", between, Text(ratio.meaning))
    return table


def cost_line(cost: IterationCost) -> str:
    """What an iteration of the chain cost, in one line."""
    return (
        f"One-token target call {cost.unit * 1e3:.2f} ms; an iteration of gamma {cost.gamma}: drafting gamma c = "
        f"{cost.drafting:.3f}, verifying v = {cost.verifying:.3f} target calls; acceptance a = {cost.acceptance:.3f}"
    )


def interval(estimate: Estimate | None) -> str:
    """``138.2 (131..143)``; without the interval where there is none."""
    if estimate is None:
        return "-"
    return f"{estimate.median:.1f}" + ("" if estimate.low is None else f" ({estimate.low:.0f}..{estimate.high:.0f})")


def brief(value: float | None) -> str:
    """Three significant digits, whole numbers whole, a dash for none."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def bench_heading(report: dict[str, Any]) -> Text:
    """What was measured, on what and when."""
    settings = report["settings"]
    pair = " and ".join(report[role]["name"] for role in ("target", "draft") if report[role])
    facts = ", ".join(f"{name} {value}" for name, value in (report["machine"] | report["versions"]).items())
    return Text(
        f"{pair} on {settings['device']}, {settings['prompts']} prompts of three domains, {settings['tokens']} tokens "
        f"each, {settings['rounds']} rounds, {report['date']}\n{facts}\n{_choice(report)}"
    )


def _choice(report: dict[str, Any]) -> str:
    """How the suite was chosen, a line for each fact."""
    lines = [f"not run, {name}: {reason}" for name, reason in report["left_out"].items()]
    if report["average_width"] is not None:
        lines.append(
            f"dsbd's layers are {report['average_width']:.2f} beams wide on average (measured before, on these "
            "prompts): beam runs with the whole widths around that"
        )
    return "".join(f"{line}\n" for line in lines)


def bench_notes(report: dict[str, Any], cost: IterationCost | None) -> Text:
    """How to read the tables."""
    notes = (
        "\nSpeeds and ratios: median over rounds (95 % interval over prompts and rounds; none below six rounds); "
        "everything else over all tokens.\n"
        "tokens/s by the own clock, reading the prompt left out; whole call by the wall clock, everything included.\n"
        "Calls are per run, KV rows the most that a run held at a time; an iteration's parts are means, in ms.\n"
        "What the papers promise, and whether it holds: specviz lab.\n"
        "End tokens are ignored on both sides, so every run has the same length; perplexity counts up to the first."
    )
    if disturbed := sum(row["disturbed"] for row in report["rows"]):
        notes += f"\n{disturbed} runs were disturbed by other programs and are left out of what is timed."
    return Text(notes + ("" if cost is None else "\n" + cost_line(cost)))
