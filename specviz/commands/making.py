"""What comes along with the project, made anew: ``curves``, ``guarantees``, ``lesson``, ``schema``, ``train``."""

import argparse
import json
from functools import partial
from pathlib import Path

from specviz.commands import arguments
from specviz.commands.models import pair_of
from specviz.commands.output import ERRORS, OUTPUT, fitting, path, write_bytes, write_text
from specviz.decoding.registry.registry import find_method, methods
from specviz.errors import OptionError, SpecvizError
from specviz.trace.store import trace_schema


def add(command) -> None:
    guarantees = command(
        "guarantees",
        _guarantees,
        "Measure which methods keep the target's distribution, and how far off others are.",
    )
    out = Path("assets/guarantees/embedded.json")
    guarantees.add_argument("--out", type=path, default=out, metavar="FILE", help=f"default {out}")
    guarantees.add_argument(
        "--work", type=path, default=Path("build/guarantees.json"), metavar="FILE", help="keeps unfinished work"
    )
    guarantees.add_argument(
        "--samples", type=arguments.whole, default=2000, metavar="N", help="runs a method, default 2000"
    )
    guarantees.add_argument(
        "--methods",
        nargs="+",
        metavar="METHOD",
        help="names (default: all that the models allow); "
        "what the file has of others stays, where it was measured with the same models and versions",
    )
    arguments.add_models(guarantees)

    lesson = command("lesson", _lesson, "Write a lesson as one HTML file that opens offline, or list the lessons.")
    lesson.add_argument("name", nargs="?", help="such as coin; none: list them")
    files = lesson.add_mutually_exclusive_group()
    for flag, about in _PACKS.items():
        files.add_argument(f"--{flag}", dest="pack", action="store_const", const=flag, help=about)
    lesson.add_argument("--out", type=path, metavar="FILE", help="default: specviz-lesson-NAME.html, or the like")

    curves = command("curves", _curves, "Draw how the embedded models learned, from the report of their training.")
    curves.add_argument(
        "--report", type=path, default=Path("assets/models/report.json"), metavar="FILE", help="as train writes it"
    )
    curves.add_argument(
        "--out", type=path, metavar="FILE", help="a .svg, .png or .pdf; default: curves.svg beside the report"
    )

    schema = command("schema", _schema, "Write the JSON schema of trace files (docs/trace-format.md explains it).")
    schema.add_argument("--out", type=path, metavar="FILE", help="default: the output")

    _add_train(command)


def _add_train(command) -> None:
    train = command(
        "train",
        _train,
        "Train the embedded models and write them with their report; with --for, prediction heads, a bigram table and "
        "(with --draft) decision models for a target of your own; with --draft-for, a small draft for one.",
    )
    train.add_argument(
        "--corpus",
        type=path,
        metavar="DIR",
        help="folder with tales and gsm8k; with --for any folder or file of text (.txt, .md) or JSON lines of texts "
        "and chats (.jsonl; the target's chat template is applied); with --draft-for as for the embedded models: the "
        "openings of its texts are prompts",
    )
    train.add_argument(
        "--for", dest="target", metavar="DIR", help="directory or hub id of the target that parts are trained for"
    )
    train.add_argument("--draft", metavar="DIR", help="directory or hub id of the draft that gets decision models")
    train.add_argument(
        "--draft-for",
        metavar="DIR",
        help="directory or hub id of a target that a small draft is trained for, on its own answers",
    )
    train.add_argument(
        "--prompts",
        nargs="+",
        type=path,
        metavar="FILE",
        help="what --draft-for asks: JSON lines, or texts (.txt, .md) to ask about; without, prompts from templates",
    )
    train.add_argument("--answers", type=path, metavar="DIR", help="where the answers are kept, or are already")
    train.add_argument("--layers", type=arguments.whole, metavar="N", help="of the small draft; default 2, or 1")
    train.add_argument(
        "--listening",
        nargs="?",
        const="last",
        choices=("last", "three"),
        help="the small draft has one layer and reads the target's hidden states, too: the last (EAGLE's kind), or "
        "those of three layers, low, middle and high (EAGLE-3's); default last",
    )
    train.add_argument(
        "--out",
        type=path,
        metavar="DIR",
        help="default assets/models; with --for build/parts; with --draft-for build/draft",
    )
    train.add_argument("--work", type=path, default=Path("build/zoo"), metavar="DIR", help="checkpoints, to go on from")
    train.add_argument(
        "--from", dest="start", type=path, metavar="DIR", help="folder that train wrote before: what is there learns on"
    )
    train.add_argument(
        "--minutes",
        type=float,
        metavar="N",
        help="time budget of the training, default 165; with --for of everything, 30; with --draft-for, 60",
    )
    train.add_argument("--device", help="cpu or cuda (default: cuda when there is one)")


def _guarantees(flags: argparse.Namespace) -> None:
    from specviz.lab.guarantees.measured import ROOM, beside_earlier, measure_guarantees

    pair = pair_of(flags)
    wanted = [(find_method(name).name, {}) for name in flags.methods or methods()]
    names = [name for name, _ in fitting(pair, wanted, ROOM)]
    report = measure_guarantees(pair, samples=flags.samples, methods=names, work=flags.work, tell=ERRORS.print)
    whole = beside_earlier(report, flags.out) if flags.methods else report
    write_text(flags.out, json.dumps(whole, indent=1, ensure_ascii=False))
    for entry in report["methods"].values():
        OUTPUT.print(f"{entry['word']}: {entry['measured']['sentence']}", soft_wrap=True)


_PACKS = {
    "all": "write all lessons as one HTML file that opens offline",
    "handout": "write a handout to print, without answers; of one lesson where it is named",
    "answers": "write the handout with the answers",
    "notes": "write the speaker's notes of the way through the lessons in 45 minutes",
}


def _lesson(flags: argparse.Namespace) -> None:
    from specviz.lab.lessons.lesson import lesson_document
    from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names

    if flags.pack:
        _pack(flags)
        return
    if flags.name is None:
        OUTPUT.print("\n".join(lesson_names()), markup=False)
        return
    out = flags.out or Path(f"specviz-lesson-{flags.name}.html")
    write_text(out, lesson_document(find_lesson(flags.name, gallery_runs())))
    OUTPUT.print(f"{out} is written", markup=False)


def _pack(flags: argparse.Namespace) -> None:
    from specviz.lab.lessons.pack import pack
    from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names

    if flags.name and flags.pack not in ("handout", "answers"):
        raise OptionError(f"--{flags.pack} is of all lessons: name none", argument="name")
    recorded = gallery_runs()
    names = [flags.name] if flags.name else list(lesson_names())
    name, text = pack(flags.pack, [find_lesson(lesson_name, recorded) for lesson_name in names])
    out = flags.out or Path(name)
    write_text(out, text)
    OUTPUT.print(f"{out} is written, {len(text) / 1e6:.1f} MB", markup=False)


def _curves(flags: argparse.Namespace) -> None:
    _draw_curves(flags.report, flags.out or flags.report.parent / "curves.svg")


def _draw_curves(report: Path, out: Path) -> None:
    from specviz.lab.curves import curves_figure
    from specviz.views.plot.images import figure_image

    try:
        figure = curves_figure(json.loads(report.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionError(f"{report} is no report of a training: {error!r:.200}", argument="report") from None
    write_bytes(out, figure_image(figure, out.suffix.removeprefix("."), scale=1.0))
    OUTPUT.print(f"{out} is written", markup=False)


def _schema(flags: argparse.Namespace) -> None:
    text = json.dumps(trace_schema(), indent=1, ensure_ascii=False)
    if flags.out is None:
        OUTPUT.print(text, markup=False, soft_wrap=True)
    else:
        write_text(flags.out, text)


def _train(flags: argparse.Namespace) -> None:
    from specviz.zoo.build import build
    from specviz.zoo.for_target import train_for

    if flags.minutes is not None and not flags.minutes > 0:
        raise SpecvizError(f"minutes is {flags.minutes:g}: it must be more than 0", argument="minutes")
    others = {"for": flags.target, "draft": flags.draft}
    own = {"prompts": flags.prompts, "answers": flags.answers, "layers": flags.layers}
    own["listening"] = flags.listening
    for name, value in (own if flags.draft_for is None else others).items():
        if value is not None:
            how = "is for" if name in own else "does not go with"
            raise SpecvizError(f"--{name} {how} --draft-for", argument=name)
    if flags.draft_for is not None:
        return _train_draft(flags)
    if flags.corpus is None:
        raise SpecvizError("give --corpus, a folder of text to train on", argument="corpus")
    if flags.target is None:
        if flags.draft is not None:
            raise SpecvizError("draft is for parts of a target of your own: give --for, too", argument="draft")
        out, minutes = flags.out or Path("assets/models"), flags.minutes or 165.0
        build(flags.corpus, out, work=flags.work, start=flags.start, minutes=minutes, device=flags.device)
        try:
            return _draw_curves(out / "report.json", out / "curves.svg")
        except SpecvizError as error:  # the models are there all the same
            return OUTPUT.print(f"curves.svg is not drawn: {error}", markup=False, soft_wrap=True)
    if flags.start is not None:
        raise SpecvizError("from is for the embedded models: it does not go with --for", argument="from")
    made = train_for(
        flags.target,
        flags.corpus,
        flags.out or Path("build/parts"),
        draft=flags.draft,
        work=flags.work,
        minutes=flags.minutes or 30.0,
        device=flags.device,
        tell=partial(OUTPUT.print, markup=False, soft_wrap=True),
    )
    arguments = ", ".join(f"{part}={str(path)!r}" for part, path in made.items())
    OUTPUT.print(f"written; load_pair({flags.target!r}, {flags.draft!r}, {arguments})", markup=False, soft_wrap=True)


def _train_draft(flags: argparse.Namespace) -> None:
    from specviz.zoo.draft.train import train_draft

    if flags.corpus is not None and flags.prompts is not None:
        raise SpecvizError("--prompts does not go with --corpus, whose texts begin as prompts", argument="prompts")
    if flags.start is not None and flags.layers is not None:
        raise SpecvizError("--layers does not go with --from, whose draft has its own", argument="layers")
    if flags.start is not None and flags.listening:
        raise SpecvizError("--listening does not go with --from, whose draft listens or not", argument="listening")
    made = train_draft(
        flags.draft_for,
        flags.out or Path("build/draft"),
        prompts=flags.prompts or (),
        corpus=flags.corpus,
        answers=flags.answers,
        work=flags.work,
        minutes=flags.minutes or 60.0,
        layers=flags.layers,
        listening=flags.listening,
        start=flags.start,
        device=flags.device,
        tell=partial(OUTPUT.print, markup=False, soft_wrap=True),
    )
    OUTPUT.print(f"written; load_pair({flags.draft_for!r}, {str(made)!r})", markup=False, soft_wrap=True)
