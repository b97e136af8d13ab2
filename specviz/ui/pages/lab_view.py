"""What the rows of a sweep look like on the Lab's page: charts, points, promises, the runs behind a point."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from specviz.lab.cards.card import RANK, SETTING, Card, CardChart
from specviz.lab.cards.points import MeasuredSetting, chart_of, numbers_of, points
from specviz.lab.cards.promises import Judged, judged, numbers_needed
from specviz.lab.cards.words import check_words, made, shown, verdict_words
from specviz.lab.sweep.best_of import rank_scores
from specviz.lab.sweep.front import Quality, Speed, not_beaten
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate, Group, grouped
from specviz.trace.record import WARP
from specviz.ui.messages.lab import LabFigure, LabPoint, LabPromise, LabRun, LabRuns, LabView, TheoryPoint
from specviz.views.lab.chart import Mark, Panel, Span, chart
from specviz.views.plot.plain import plain
from specviz.views.race.dials import reading

VERDICTS = {"holds": "holds", "does not hold here": "fails", "cannot be tested here": "untested"}
MOST_RUNS = 200
"""Runs that are listed behind a point."""
BETTER = {"higher": "higher is better", "lower": "lower is better", "": ""}
BESIDE = {"autoregressive": "speculative"}
"""The lane beside a run that is made again: plain decoding, or beside that what it is compared with."""
FRONT = "front"
"""The key of the figure of quality against speed."""
RINGED = "no other setting beats it in both"
OVER_PLAIN = ("tokens_per_second", "flops_per_token", "ms_per_target_call")
"""Numbers that theory states in units of plain decoding."""
EQUAL = ("target", "greedy")
"""Guarantees of methods that write as well as plain decoding: any difference is chance."""


def card_view(card: Card, rows: Sequence[Row], dark: bool, category: str = "") -> LabView:
    """A card with its recorded rows, on prompts of a ``category`` where there are such. Charts are empty where it has
    none; where methods may differ in quality, one of that against speed is added."""
    groups = grouped(rows, list(dict.fromkeys([*numbers_of(card.chart), *numbers_needed(card)])))
    differ = any(group.first.guarantee not in EQUAL for group in groups)
    view = _view(rows, groups, card.chart, dark, category, fronted=differ)
    view.update(title=card.title, paper=card.paper, asks=card.asks, say=card.say, grid=card.file)
    view["promises"] = [promise_view(card, promise) for promise in judged(card, groups)]
    return view


def sweep_view(rows: Sequence[Row], numbers: Sequence[str], dark: bool, category: str = "") -> LabView:
    """A sweep of one's own, with the charts of these numbers, on prompts of a ``category`` where there are such."""
    groups = grouped(rows, numbers)
    return _view(rows, groups, chart_of(groups, numbers), dark, category, fronted=True)


def of_category(rows: Iterable[Row], category: str) -> list[Row]:
    """The rows on prompts of a category; all where it is "", or none is of it."""
    rows = list(rows)
    return [row for row in rows if row.category == category] or rows


def _view(
    rows: Sequence[Row], groups: Sequence[Group], chart: CardChart, dark: bool, category: str, *, fronted: bool
) -> LabView:
    """``groups`` are those of all ``rows``, ``fronted`` whether quality is drawn against speed, too."""
    categories = list(dict.fromkeys(row.category for row in rows))
    if category in categories:
        groups = grouped(of_category(rows, category), groups[0].metrics)
    settings = points(groups, chart)
    against = quality_against_speed(settings, chart) if fronted else None
    best = front(settings, against or chart)
    figures = [_figure(settings, chart, number, best, dark) for number in chart.y]
    if against:
        by_method = [replace(setting, line=setting.first.method) for setting in settings]
        figures.append({**_figure(by_method, against, against.y[0], best, dark), "key": FRONT})
    return {
        "title": "",
        "paper": "",
        "asks": "",
        "say": "",
        "grid": "",
        "seconds": sum(row.wall_seconds for row in rows),
        "category": category if category in categories else "",
        "categories": categories if len(categories) > 1 else [],
        "figures": figures,
        "columns": [NUMBERS[number].label for number in numbers_of(chart)],
        "points": [_point(at, setting, chart, at in best) for at, setting in enumerate(settings)],
        "promises": [],
        "made": made(rows),
    }


def quality_against_speed(settings: Sequence[MeasuredSetting], chart: CardChart) -> CardChart | None:
    """The chart of the first quality and the first speed, among the numbers of another chart, that are known of every
    setting: one without would be beaten by none. None where there is no such pair."""
    there = [number for number in chart.y if all(setting.numbers[number].median is not None for setting in settings)]
    speed, quality = (next((name for name in get_args(of) if name in there), None) for of in (Speed, Quality))
    return CardChart(speed, (quality,)) if speed and quality else None


def front(settings: Sequence[MeasuredSetting], chart: CardChart) -> set[int]:
    """In a chart of one number against another, the settings that no other beats in one without losing in the other."""
    if chart.x not in NUMBERS:
        return set()
    signs = [-1.0 if NUMBERS[name].better == "lower" else 1.0 for name in (chart.x, chart.y[0])]
    values = [[setting.numbers[name].median for setting in settings] for name in (chart.x, chart.y[0])]
    speeds, qualities = (sign * np.array([own], dtype=float).T for sign, own in zip(signs, values, strict=True))
    return {at for at, best in enumerate(not_beaten(speeds, qualities)[:, 0]) if best}


def _figure(settings: Sequence[MeasuredSetting], plot: CardChart, number: str, best: set[int], dark: bool) -> LabFigure:
    about = NUMBERS[number]
    kind = "bars" if plot.x == SETTING else "against" if plot.x in NUMBERS else "lines"
    marks = [_mark(at, setting, plot, number, at in best) for at, setting in enumerate(settings)]
    label = about.label
    x_label, notes, words = plot.x, [BETTER[about.better]], _words(settings, number)
    if plot.x == RANK:
        marks = [mark for at, setting in enumerate(settings) for mark in _ranks(at, setting)]
        x_label, words = "rank by perplexity (1: the likeliest)", _rank_words(marks)
    if kind == "against":
        x_label, label = _axis(plot.x), f"{about.label} against {NUMBERS[plot.x].label}"
        notes = [f"{NUMBERS[name].label}: {BETTER[NUMBERS[name].better]}" for name in (plot.x, number)]
        notes.append(f"ringed: {RINGED}")
        words = (
            f"{_words(settings, plot.x)} {words} Settings that no other beats in both: {_best_words(settings, best)}."
        )
    panel = Panel(kind, x_label, _axis(number), marks, "; ".join(filter(None, notes)))
    return {
        "key": number,
        "label": label,
        "help": about.meaning,
        "figure": plain(chart(panel, dark)),
        "words": words,
    }


def _best_words(settings: Sequence[MeasuredSetting], best: set[int]) -> str:
    return "; ".join(settings[at].setting for at in sorted(best)) or "none"


def _axis(number: str) -> str:
    about = NUMBERS[number]
    return f"{about.label} ({about.unit})" if about.unit else about.label


def _mark(at: int, setting: MeasuredSetting, chart: CardChart, number: str, best: bool) -> Mark:
    x: float | Span | None
    if chart.x in NUMBERS:
        x = _span(setting.numbers[chart.x])
    else:
        x = float(setting.at) if isinstance(setting.at, int | float) and not isinstance(setting.at, bool) else None
    texts = tuple(_said(setting, name) for name in numbers_of(chart) if name in (number, chart.x))
    return Mark(at, setting.setting, setting.line, x, _span(setting.numbers[number]), texts, best)


def _ranks(at: int, setting: MeasuredSetting) -> list[Mark]:
    """A mark for each rank of a setting's texts by perplexity, with its mean score."""
    marks = []
    for rank, score in enumerate(rank_scores(setting.group), start=1):
        value, interval = shown("score", score)
        text = f"rank {rank}: score {value}" + (f" ({interval})" if interval else "")
        marks.append(Mark(at, setting.setting, setting.line, float(rank), _span(score), (text,)))
    return marks


def _rank_words(marks: Sequence[Mark]) -> str:
    names = dict.fromkeys(mark.name for mark in marks)
    parts = (f"{name}, {'; '.join(mark.texts[0] for mark in marks if mark.name == name)}" for name in names)
    return f"Mean scores of a question's texts by perplexity, with 95 % intervals over questions: {'. '.join(parts)}."


def _span(estimate: Estimate) -> Span | None:
    if estimate.median is None:
        return None
    if estimate.low is None or estimate.high is None:
        return estimate.median, estimate.median, estimate.median
    return estimate.median, estimate.low, estimate.high


def _said(setting: MeasuredSetting, number: str) -> str:
    value, interval = shown(number, setting.numbers[number])
    return f"{NUMBERS[number].label} {value}" + (f" ({interval})" if interval else "")


def _words(settings: Sequence[MeasuredSetting], number: str) -> str:
    """The chart in words: every setting with its number."""
    label = NUMBERS[number].label
    parts = "; ".join(f"{setting.setting} {_said(setting, number).removeprefix(label).strip()}" for setting in settings)
    return f"{label}, medians over rounds with 95 % intervals: {parts}."


def _point(at: int, setting: MeasuredSetting, chart: CardChart, best: bool) -> LabPoint:
    summaries = [setting.numbers[number] for number in numbers_of(chart)]
    return {
        "number": at,
        "name": setting.setting,
        "best": best,
        "runs": len(setting.group.disturbed),
        "left_out": sum(setting.group.disturbed),
        "values": [shown(summary.metric, summary) for summary in summaries],
    }


def promise_view(card: Card, promise: Judged) -> LabPromise:
    """A promise with its verdict."""
    return {
        "card": card.name,
        "says": promise.promise.says,
        "paper": card.paper,
        "number": promise.promise.number,
        "here": [check_words(check) for check in promise.checks],
        "verdict": VERDICTS[promise.verdict],
        "clear": promise.clear,
        "words": verdict_words(promise),
    }


def theory_points(card: Card, rows: Sequence[Row]) -> list[TheoryPoint]:
    """The card's chains of guesses by the pair's own draft, where their agreement is known and plain decoding ran
    beside them under the same warp."""
    groups = grouped(rows, ("alpha", "tokens_per_target_call", *OVER_PLAIN, "ms_per_draft_call"))
    marks = list[TheoryPoint]()
    for group in groups:
        first = group.first
        plain = next(
            (other for other in groups if other.first.method == "autoregressive" and _same_warp(other, group)), None
        )
        alpha, tokens = (group.summary(number).median for number in ("alpha", "tokens_per_target_call"))
        gamma = first.options.get("gamma")
        if (first.method, first.options.get("draft")) != ("speculative", "model") or plain is None:
            continue
        if alpha is None or tokens is None or type(gamma) is not int:
            continue
        speed, arithmetic, v = (group.over(plain, number).median for number in OVER_PLAIN)
        guess, call = group.summary("ms_per_draft_call").median, plain.summary("ms_per_target_call").median
        marks.append(
            {
                "name": first.setting,
                "card": card.name,
                "alpha": alpha,
                "gamma": gamma,
                "c": guess / call if guess is not None and call else None,
                "v": v,
                "tokens": tokens,
                "speed": speed,
                "arithmetic": arithmetic,
            }
        )
    return marks


def _same_warp(group: Group, other: Group) -> bool:
    return all(group.first.options.get(name) == other.first.options.get(name) for name in WARP)


def runs_view(rows: Iterable[Row], name: str, numbers: Sequence[str], prompts: dict[str, str], pair: str) -> LabRuns:
    """The runs of a setting, up to MOST_RUNS; ``prompts`` are their texts by id, ``pair`` is the name of the models."""
    runs = [row for row in rows if row.setting == name]
    return {
        "name": name,
        "columns": [NUMBERS[number].label for number in numbers],
        "rows": [_run(row, numbers, prompts, pair) for row in runs[:MOST_RUNS]],
        "left_out": max(0, len(runs) - MOST_RUNS),
    }


def _run(row: Row, numbers: Sequence[str], prompts: dict[str, str], pair: str) -> LabRun:
    values = []
    for number in numbers:
        part, whole = NUMBERS[number].parts(row)
        value = float(NUMBERS[number].finish(part / whole)) if whole else None
        values.append(" ".join(reading(number, value, NUMBERS[number].unit)).strip())
    text = prompts.get(row.prompt, "")
    return {
        "prompt": row.prompt,
        "text": text,
        "category": row.category,
        "seed": row.seed,
        "disturbed": row.disturbed,
        "values": values,
        "made": {
            "tokens": row.metrics.tokens,
            "tokens_per_target_call": row.metrics.tokens_per_target_call,
            "perplexity": row.metrics.perplexity,
        },
        "form": {**_form(row, text), "pair": pair},
    }


def _form(row: Row, text: str) -> dict[str, Any]:
    """The race that makes a run again: its lane, and one to compare it with under the same shared options."""
    shared = {name: row.options[name] for name in WARP if name in row.options}
    own = {name: value for name, value in row.options.items() if name not in shared}
    beside = BESIDE.get(row.method, "autoregressive")
    lanes = [{"method": row.method, "options": own}, {"method": beside, "options": {}}]
    return {"prompt": text, "lanes": lanes, "shared": shared, "max_new_tokens": row.max_new_tokens, "seed": row.seed}
