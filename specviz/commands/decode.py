"""``decode``, ``compare`` and ``methods``."""

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.text import Text

from specviz.commands import arguments, show
from specviz.commands.methods import methods_list, methods_page
from specviz.commands.models import pair_of
from specviz.commands.output import ERRORS, OUTPUT, fitting, make_folder, path, prompt_of, write_text
from specviz.decoding.registry.plugins import PLUGINS
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.decoding.run.race import race
from specviz.trace.store import save_trace, trace_to_json


def add(command) -> None:
    single = command("decode", _decode, "Run one method on a prompt; show its tokens by origin, then its metrics.")
    single.add_argument("--method", default="speculative", help="name, or name:option=value,... (default speculative)")
    arguments.add_run(single)
    single.add_argument(
        "--json",
        type=path,
        metavar="FILE",
        help="save the trace; - writes it to the output, and all that is for people to the error stream",
    )

    many = command("compare", _compare, "Race several methods on one prompt and show their metrics side by side.")
    many.add_argument("methods", nargs="*", metavar="method", help="name, or name:option=value,... (default: all)")
    arguments.add_run(many)
    many.add_argument("--save", type=path, metavar="DIR", help="save every lane's trace in this folder")

    listing = command("methods", _methods, "List the methods with their options, guarantees and papers.")
    listing.add_argument("--out", type=path, metavar="FILE", help="write them as a page in Markdown")
    for each in (single, many):
        arguments.add_options(each)
        arguments.add_models(each)


def _decode(flags: argparse.Namespace) -> None:
    name, options = arguments.lane(flags.method, arguments.given_options(flags), skip_foreign=False)
    prompt = prompt_of(flags.prompt)
    run: dict[str, Any] = {"max_new_tokens": flags.max_new_tokens, "seed": flags.seed, **options}
    trace = decode(pair_of(flags), name, prompt, **run)
    to_output = flags.json == Path("-")
    if to_output:
        sys.stdout.buffer.write(trace_to_json(trace).encode() + b"\n")
    elif flags.json:
        save_trace(trace, flags.json)
    console = ERRORS if to_output else OUTPUT
    console.print(show.tokens(trace), soft_wrap=True)
    console.print()
    console.print(show.legend([trace]))
    console.print()
    console.print(show.metrics([trace]))


def _compare(flags: argparse.Namespace) -> None:
    entered = arguments.lanes(flags.methods or list(methods()), arguments.given_options(flags))
    prompt = prompt_of(flags.prompt)
    pair = pair_of(flags)
    if not flags.methods:
        entered = fitting(pair, entered, flags.max_new_tokens)
    if flags.save:
        make_folder(flags.save)
    lanes = {}
    with closing(race(pair, entered, prompt, max_new_tokens=flags.max_new_tokens, seed=flags.seed)) as turns:
        try:
            for lane, _ in turns:
                lanes[lane.index] = lane
        except KeyboardInterrupt:
            print("specviz: stopped, showing what there is", file=sys.stderr)
    traces = [lanes[index].trace() for index in sorted(lanes)]
    for index, trace in enumerate(traces):
        if flags.save:
            save_trace(trace, flags.save / f"{index + 1:0{len(str(len(traces)))}}-{trace.header.method.name}.json")
        OUTPUT.print(Text(show.title(trace, index), style="bold"), Text(show.settings(trace), style="dim"))
        OUTPUT.print(show.tokens(trace), soft_wrap=True)
        OUTPUT.print()
    OUTPUT.print(show.legend(traces))
    OUTPUT.print()
    OUTPUT.print(show.metrics(traces))


def _methods(flags: argparse.Namespace) -> None:
    if flags.out:
        write_text(flags.out, methods_page(methods()))
    else:
        OUTPUT.print(methods_list(methods(), PLUGINS))
