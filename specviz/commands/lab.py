"""``lab``: the cards of the Lab, run here; and what the papers promise, held against their rows."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.table import Table
from rich.text import Text

from specviz.commands import arguments, show
from specviz.commands.models import pair_of
from specviz.commands.output import make_folder, path, progress, refuse_models, wide, write_bytes, write_text
from specviz.lab.cards.card import FOLDER, Card, find_card, load_cards
from specviz.lab.cards.page import PAGE, judged_card, promises_page
from specviz.lab.cards.promises import Judged
from specviz.lab.cards.recorded import FILE, packed
from specviz.lab.cards.words import check_words
from specviz.lab.rivals.suite import lacks
from specviz.lab.sweep.grid import Setting
from specviz.lab.sweep.log import RowLog
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import plan_of, rows_of, run_plan
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import is_whole, path_of
from specviz.lm.pair import ModelPair


def add(command) -> None:
    lab = command("lab", _lab, "Run the Lab's cards and show whether what the papers promise holds.")
    lab.add_argument("cards", nargs="*", metavar="CARD", help="default: all")
    lab.add_argument("--recorded", action="store_true", help="run nothing: show what the recorded rows say")
    out = Path("build/lab")
    lab.add_argument("--work", type=path, default=out, metavar="DIR", help=f"rows while they are made, default {out}")
    kept = "where finished cards are packed to (default: DIR of work), with a page of what holds"
    lab.add_argument("--out", type=path, metavar="DIR", help=kept)
    arguments.add_models(lab)


def _lab(flags: argparse.Namespace) -> None:
    known = load_cards()
    cards = [find_card(known, name) for name in flags.cards] or known
    if flags.recorded:
        refuse_models(flags, "recorded rows are shown, nothing is run")
    else:
        for card, pair in _with_pairs(cards, flags):
            if rows := made_rows(card, pair, flags.work / card.name):
                make_folder(flags.out or flags.work)
                write_bytes((flags.out or flags.work) / FILE.format(name=card.name), packed(rows))
    folder = FOLDER if flags.recorded else flags.out or flags.work
    if flags.out:
        make_folder(flags.out)
        write_text(flags.out / PAGE, promises_page(cards, folder))
    wide(promises_table([(card, judged_card(card, folder)) for card in cards]))


def _with_pairs(cards: list[Card], flags: argparse.Namespace) -> Iterator[tuple[Card, ModelPair]]:
    """Each card with the models that are named, else with its own pair: those of one pair together. Says which are not
    run because theirs is not here."""
    if flags.target or flags.draft:
        pair = pair_of(flags)
        yield from ((card, pair) for card in cards)
        return
    for name in dict.fromkeys(card.pair for card in cards):
        own = [card for card in cards if card.pair == name]
        if name and not is_whole(path_of(find_model(name)), find_model(name)):
            hint = f"{name} is not here: specviz models get {name}"
            print(f"specviz: {', '.join(card.name for card in own)}: not run: {hint}", file=sys.stderr)
            continue
        pair = pair_of(argparse.Namespace(**{**vars(flags), "target": name or None}))
        yield from ((card, pair) for card in own)


def made_rows(card: Card, pair: ModelPair, work: Path) -> list[Row]:
    """The rows of a card with this pair, of which those missing in the folder ``work`` are made first, with progress.

    Rows of other models, or of settings that the card no longer has, stay in the folder and are left out; a setting
    has the name that the card gives it now. Settings that need a part which the pair lacks are not run."""
    settings = tuple(_with_parts(card, pair))
    if not settings:
        return []
    plan = plan_of(pair, replace(card.settings, settings=settings), card.read_prompts())
    with RowLog(work) as log:
        done = sum(task.key in log for task in plan)
    print(f"specviz: {card.name}: {len(plan)} runs, {done} of them are there", file=sys.stderr)
    with progress(len(plan), done) as advance:
        for _ in run_plan(plan, work, recorded=card.recorded):
            advance(card.name)
    return rows_of(plan, work)


def _with_parts(card: Card, pair: ModelPair) -> Iterator[Setting]:
    """The settings of a card that the pair has the parts for: heads, a further draft, a decision model. Says of others
    what it lacks."""
    for setting in card.settings.settings:
        lacking = lacks(pair, setting.method, setting.options, card.settings.max_new_tokens)
        if lacking is None:
            yield setting
        else:
            print(f"specviz: {card.name}: {setting.name} is not run: {lacking}", file=sys.stderr)


def promises_table(judged: list[tuple[Card, list[Judged]]]) -> Table:
    """What the papers promise, their numbers, the numbers here, and whether it holds."""
    table = Table("card", "promise", "paper", "here", "", title="What the papers promise (medians, 95 % intervals)")
    for card, promises in judged:
        for promise in promises:
            here = "; ".join(map(check_words, promise.checks)) or promise.because
            table.add_row(
                card.name, promise.promise.says, promise.promise.number, Text(show.printable(here)), promise.said
            )
    return table
