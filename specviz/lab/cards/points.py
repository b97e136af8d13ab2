"""A sweep's rows as a chart: a point for each setting, in lines along one option."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specviz.lab.cards.card import RANK, SETTING, CardChart
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Group, Summary, grouped
from specviz.options import Value, label

USUAL = ("tokens_per_target_call", "tokens_per_second", "perplexity")


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting of a sweep: ``line`` is its name without the option along the chart (its method, where a number is
    along it), ``at`` that option's value (None: it has none, so it is the same everywhere); ``numbers`` by name."""

    setting: str
    line: str
    at: Value
    numbers: dict[str, Summary]
    group: Group

    @property
    def first(self) -> Row:
        """The first of its runs."""
        return self.group.first


def measured(rows: Iterable[Row], chart: CardChart) -> list[MeasuredSetting]:
    """The settings in the order of their first rows, with the chart's numbers. Raises OptionError for an unknown
    number."""
    return points(grouped(rows, numbers_of(chart)), chart)


def numbers_of(chart: CardChart) -> tuple[str, ...]:
    """The chart's numbers, that along it among them."""
    along = "perplexity" if chart.x == RANK else chart.x
    return tuple(dict.fromkeys([*chart.y, *([along] if along in NUMBERS else [])]))


def points(groups: Sequence[Group], chart: CardChart) -> list[MeasuredSetting]:
    """A point for each group that has the chart's numbers."""
    options = _differ(groups)
    return [
        MeasuredSetting(
            group.first.setting,
            group.first.method if chart.x in NUMBERS else _line(group, options, chart.x),
            group.first.options.get(chart.x),
            {number: group.summary(number) for number in numbers_of(chart)},
            group,
        )
        for group in groups
    ]


def chart_of(groups: Sequence[Group], y: Sequence[str] = USUAL) -> CardChart:
    """A default chart: along the numeric option with the most values, or bars."""
    values: dict[str, set[Value]] = {}
    for group in groups:
        for name, value in group.first.options.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(name, set()).add(value)
    most = max(values, key=lambda name: len(values[name]), default=SETTING)
    return CardChart(most if len(values.get(most, ())) > 2 else SETTING, tuple(y))


def _differ(groups: Sequence[Group]) -> dict[str, list[str]]:
    """By method, the options in which its settings differ."""
    names: dict[str, list[str]] = {}
    for method in dict.fromkeys(group.first.method for group in groups):
        options = [group.first.options for group in groups if group.first.method == method]
        names[method] = [name for name in options[0] if len({repr(option.get(name)) for option in options}) > 1]
    return names


def _line(group: Group, differ: dict[str, list[str]], x: str) -> str:
    first = group.first
    return label(first.method, {name: first.options[name] for name in differ[first.method] if name != x})
