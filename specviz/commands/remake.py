"""``remake``: what was recorded and measured, and comes along with the project, made anew."""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from specviz.commands.arguments import whole
from specviz.commands.output import OUTPUT, make_folder, path
from specviz.errors import OptionError, SpecvizError
from specviz.lm.getting.catalog import MODELS

KING = "Once upon a time there was a king who had three sons, and the youngest of them"
WOOD = "There was once a poor woodcutter who lived with his wife at the edge of a great forest"
EVERY = (
    "autoregressive beam mtjd speculative block specinfer:k_config=4x2x2x1 mcsd spectr dynamic-tree improved-mcsd "
    "typical bild:fallback=0.1,rollback=4 mtad tree-mtad speculative-beam dsbd bpd medusa slim rejection "
    "traversal:k_config=2x2x2x1 best-path spechub greedy-drafts custom"
)
OPENING = (
    "compare autoregressive beam mtjd speculative block specinfer:k_config=4x2x2x1 mcsd spectr dynamic-tree "
    "improved-mcsd typical bild:fallback=0.1,rollback=4 mtad tree-mtad speculative-beam dsbd custom "
    "--pair smollm2 --dtype float32 --max-new-tokens 40 --save OUT "
    "--prompt 'What is the capital of France, and what is it known for?'"
)


class Made(NamedTuple):
    """What a command makes: ``line``, whose ``OUT`` stands for where, and which begins with a module where it is of the
    checkout's tests; ``out``, a file or a folder below the assets;
    ``whole``: the folder's older files go; ``pair``: the known pair that it is made with ("": the embedded one)."""

    line: str
    out: str
    whole: bool = False
    pair: str = ""

    @property
    def source(self) -> str:
        """How a lesson names the runs that are made."""
        kind, _, rest = self.out.partition("/")
        if kind == "openings":
            return f"gallery:{rest}/"
        return "gallery:" if kind == "gallery" else f"trace:{Path(self.out).relative_to('lessons/traces')}"


class Part(NamedTuple):
    about: str
    made: tuple[Made, ...]


PARTS = {
    "gallery": Part(
        "a recorded run of every method",
        (Made(f"compare {EVERY} --seed 257 --max-new-tokens 24 --save OUT --prompt '{KING}'", "gallery", True),),
    ),
    "openings": Part(
        "the races that the page opens with, every method of the papers that smollm2 can run",
        (
            Made(f"{OPENING} --temperature 0 --seed 1", "openings/greedy", True, "smollm2"),
            Made(f"{OPENING} --seed 1", "openings/sampled", True, "smollm2"),
        ),
    ),
    "lessons": Part(
        "the runs that lessons recorded besides; then every lesson is checked",
        (
            Made(
                "compare autoregressive speculative mcsd:k_config=6x4x2x1 speculative:draft=unigram,gamma=8 --seed 105 "
                f"--max-new-tokens 24 --save OUT --prompt '{WOOD}'",
                "lessons/traces/wood",
                True,
            ),
            Made(
                f"compare block speculative --seed 121 --max-new-tokens 24 --save OUT --prompt '{WOOD}'",
                "lessons/traces/block",
                True,
            ),
            Made(
                "compare mtad --pair smollm2 --dtype float32 --seed 12 --max-new-tokens 40 --save OUT "
                "--prompt 'Write a story about an old sailor.'",
                "lessons/traces/sailor",
                True,
                "smollm2",
            ),
        ),
    ),
    "calls": Part(
        "times of calls on 1 to 64 tokens, for the lesson on the target call (keep the machine free)",
        (
            Made("tests.measures.sizes --rounds 20 --json OUT", "lessons/calls/embedded.json"),
            Made(
                "tests.measures.sizes --rounds 20 --pair smollm2 --dtype float32 --json OUT",
                "lessons/calls/smollm2.json",
                pair="smollm2",
            ),
        ),
    ),
    "laws": Part(
        "how far every method is from the target's distribution, on each pair (with smollm2 an hour)",
        (
            Made("guarantees --out OUT", "guarantees/embedded.json"),
            Made("guarantees --pair smollm2 --dtype float32 --out OUT", "guarantees/smollm2.json", pair="smollm2"),
        ),
    ),
    "lab": Part(
        "the recorded rows of the Lab's cards, gone on with where it stopped (an hour or more; keep the machine free), "
        "and the page of what holds",
        (Made("lab --dtype auto --out OUT", "lab"),),
    ),
    "pictures": Part(
        "the pictures and films of every page, and how the models learned",
        (Made("tests.measures.pictures --out OUT", "screenshots"), Made("curves --out OUT", "models/curves.svg")),
    ),
    "benchmark": Part(
        "methods beside transformers' decoders; its tables are printed, for benchmarks.md (keep the machine free)",
        (Made("bench --dtype auto --best-rivals --picture OUT", "benchmarks.png"),),
    ),
}


def add(command) -> None:
    remake = command(
        "remake",
        _remake,
        "Make anew what was recorded and measured and comes along: all of it, or some parts. "
        + " ".join(f"{name}: {part.about}." for name, part in PARTS.items()),
    )
    remake.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all, in this order)")
    remake.add_argument("--pair", choices=tuple(MODELS), help="only what is made with this known pair")
    out = Path("assets")
    remake.add_argument("--out", type=path, default=out, metavar="DIR", help=f"the folder of them, default {out}")
    remake.add_argument(
        "--seek",
        type=whole,
        default=0,
        metavar="N",
        help="for runs that lessons show: try N seeds more, until the lessons hold",
    )
    remake.add_argument("--list", action="store_true", help="show the commands and run none")


def _remake(flags: argparse.Namespace) -> None:
    for name in flags.parts:
        if name not in PARTS:
            raise OptionError(f"part must be one of {', '.join(PARTS)}, got {name[:40]!r}", argument="parts")
    if flags.seek < 0:
        raise OptionError(f"seek must be 0 or more, got {flags.seek}", argument="seek")
    parts = flags.parts or PARTS
    of_pair = {name: [made for made in part.made if flags.pair in (None, made.pair)] for name, part in PARTS.items()}
    chosen = {name: all_made for name, all_made in of_pair.items() if name in parts and all_made}
    if flags.list:
        for name, all_made in chosen.items():
            for made in all_made:
                line = _line(made, flags.out / made.out)
                runs = "python -m" if line.startswith("tests.") else "specviz"
                OUTPUT.print(f"{name}: {runs} {line}", markup=False, soft_wrap=True)
        return
    errors = Console(stderr=True, highlight=False)
    for name, all_made in chosen.items():
        errors.print(f"{name}: {PARTS[name].about}", soft_wrap=True)
        for made in all_made:
            if flags.seek > 0 and "--seed" in made.line:
                seed = seek(made, flags.out, flags.run, flags.seek)
                errors.print(f"{name}: the lessons on {made.out} hold at --seed {seed}: enter it in {__file__}")
            else:
                make(made, flags.out, flags.run)
    if {"gallery", "openings", "lessons", "calls"} & chosen.keys() and (refused := refused_lessons(flags.out)):
        raise SpecvizError("lessons that do not hold any more, to be written anew: " + "; ".join(refused))


def make(made: Made, out: Path, run: Callable[[Sequence[str]], None]) -> None:
    """Make it; ``run`` runs a command of specviz. All that the command makes appears at once, when it has ended; until
    then, and where it fails, what was there stays."""
    target = out / made.out
    make_folder(target.parent)
    with tempfile.TemporaryDirectory(prefix=".remake-", dir=target.parent) as scratch:
        fresh = Path(scratch) / target.name
        words = shlex.split(_line(made, fresh))
        if words[0].startswith("tests."):
            _run_module(words)
        else:
            run(words)
        _place(fresh, target, made.whole)


def _run_module(words: Sequence[str]) -> None:
    """Raises SpecvizError where it fails: it has said why, or there is no checkout here."""
    if subprocess.run([sys.executable, "-m", *words]).returncode:
        raise SpecvizError(f"{words[0]} made nothing: it is run in a checkout, by python -m specviz remake")


def seek(made: Made, out: Path, run: Callable[[Sequence[str]], None], more: int) -> int:
    """Make it with the first seed, of its own and ``more`` after that, at which every lesson holds that shows it; that
    seed. Raises SpecvizError where there is none among them, and what was there stays."""
    words = shlex.split(made.line)
    place = words.index("--seed") + 1
    first = int(words[place])
    make_folder(out)
    with tempfile.TemporaryDirectory(prefix=".remake-", dir=out) as scratch:
        trial = Path(scratch)
        for folder in filter(Path.is_dir, (out / "gallery", out / "openings", out / "lessons")):
            shutil.copytree(folder, trial / folder.name)
        refused: list[str] = []
        for seed in range(first, first + more + 1):
            words[place] = str(seed)
            make(made._replace(line=shlex.join(words)), trial, run)
            refused = refused_lessons(trial, made.source)
            if not refused:
                _place(trial / made.out, out / made.out, made.whole)
                return seed
    tried = f"at no seed from {first} to {first + more} do the lessons on {made.out} hold"
    raise SpecvizError(f"{tried}; at the last: {'; '.join(refused)}")


def refused_lessons(out: Path, source: str = "") -> list[str]:
    """Every lesson of the folder that does not hold, with the reason: of all, or of those with runs from ``source``."""
    from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names

    refused, recorded = [], gallery_runs(out / "gallery")
    for name, file in lesson_names(out / "lessons").items():
        try:
            if f'= "{source}' in file.read_text(encoding="utf-8"):
                find_lesson(name, recorded, out / "lessons")
        except SpecvizError as error:
            refused.append(f"{name}: {error}")
    return refused


def _line(made: Made, out: Path) -> str:
    return " ".join(shlex.quote(str(out)) if word == "OUT" else shlex.quote(word) for word in shlex.split(made.line))


def _place(fresh: Path, target: Path, whole: bool) -> None:
    make_folder(target.parent)
    if not fresh.is_dir():
        fresh.replace(target)
        return
    made = sorted(fresh.iterdir())
    make_folder(target)
    for old in sorted(target.glob("*.json")) if whole else ():
        old.unlink()
    for file in made:
        shutil.move(file, target / file.name)
