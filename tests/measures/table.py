"""What the measures share: their arguments, and a table that is printed and saved as JSON."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from specviz.commands import arguments
from specviz.commands.models import pair_of
from specviz.commands.output import models_of, wide
from specviz.lab.machine import machine, versions
from specviz.lm.pair import ModelPair

METHODS = ("autoregressive", "speculative", "mtad", "mcsd", "dsbd")


def parsed(words: Sequence[str] | None = None, about: str | None = None) -> argparse.Namespace:
    """The arguments of every measure, those of the models among them."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--rounds", type=int, default=6, help="default 6")
    parser.add_argument("--tokens", type=int, default=64, help="of a run, default 64")
    parser.add_argument("--pages", type=int, default=20, help="at once, default 20")
    parser.add_argument("--methods", nargs="+", default=METHODS, help="name, or name:option=value,...")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the numbers")
    parser.add_argument("--out", type=Path, default=Path("assets/screenshots"), help="of pictures")
    arguments.add_options(parser)
    arguments.add_models(parser)
    return parser.parse_args(words)


def pair(args: argparse.Namespace, **other: Any) -> ModelPair:
    """The pair that is asked for, with ``other`` arguments of ``load_pair`` in place of those named."""
    return pair_of(argparse.Namespace(**vars(args) | other))


def lanes(args: argparse.Namespace) -> list[tuple[str, dict[str, Any]]]:
    """The methods that are asked for, with their options."""
    return arguments.lanes(args.methods, arguments.given_options(args))


def app_flags(args: argparse.Namespace) -> list[str]:
    """The same models for a page of its own."""
    flags = {name.replace("_", "-"): value for name, value in models_of(args).items()}
    switches = {True: "--{}", False: "--no-{}"}
    return [switches[v].format(name) if isinstance(v, bool) else f"--{name}={v}" for name, v in flags.items()]


def report(
    measure: Callable[[argparse.Namespace], Any],
    about: str | None,
    rows: Callable[[Any], Sequence[Mapping[str, Any]]] = lambda measured: measured,
) -> None:
    """Measure, save what was measured, and print its ``rows``: a column for each name."""
    args = parsed(about=about)
    measured = measure(args)
    if args.json:
        args.json.write_text(json.dumps(measured, indent=1) + "\n")
    lines = rows(measured)
    table = Table(*lines[0], caption=", ".join(f"{name} {one}" for name, one in {**machine(), **versions()}.items()))
    for line in lines:
        table.add_row(*map(_cell, line.values()))
    wide((about or "").partition("\n")[0], table)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return "-" if value is None else str(value)
