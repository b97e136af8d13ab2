"""``models``: those that are known by name are listed, got, verified and removed; and ``--pair`` gets its own."""

import argparse
import os
from pathlib import Path

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from specviz.commands.output import ERRORS, OUTPUT, models_of, path
from specviz.errors import ModelError
from specviz.lm.getting import sources
from specviz.lm.getting.catalog import MODELS, KnownModel, Wheel, find_model
from specviz.lm.getting.getting import arrived_bytes, get_model, is_whole, known_path, path_of, remove_model
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair


def add(command) -> None:
    parser = command("models", _list, "List the models that can be had by name, or get, verify or remove one.")
    actions = parser.add_subparsers(metavar="action")

    def action(name: str, function, help: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.set_defaults(command=function)
        return made

    action("list", _list, "List them, with licence, size, sources and whether they are here (as without an action).")
    get = action("get", _get, "Get a model. Interrupted, it goes on from there the next time.")
    get.add_argument(
        "--from", dest="given", type=path, metavar="FILE", help="a wheel or GGUF file that was fetched elsewhere"
    )
    verify = action("verify", _verify, "Check a model, or all that are here, against the published hash.")
    remove = action("remove", _remove, "Remove a model.")
    for each in (get, remove):
        each.add_argument("name", choices=tuple(MODELS))
    verify.add_argument("name", nargs="?", choices=tuple(MODELS))


def get_shown(name: str, file: Path | None = None) -> Path:
    """Get a model, saying on the error stream what it is and how far it is; at once where it is here."""
    model = find_model(name)
    if is_whole(path_of(model), model):
        return path_of(model)
    _say(_about(model), ERRORS)
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    try:
        with Progress(*columns, console=ERRORS, transient=True, disable=not ERRORS.is_terminal) as shown:
            task = shown.add_task("", total=None)

            def tell(progress: sources.Progress) -> None:
                total = progress.total or None
                shown.update(task, description=progress.doing, completed=progress.done, total=total)

            path = get_model(name, tell, file=file)
    except KeyboardInterrupt:
        arrived = arrived_bytes(model)
        raise KeyboardInterrupt(
            f"; {arrived:,} bytes are kept, the same again goes on from there" * bool(arrived)
        ) from None
    _say(f"{name} is here: {path}", ERRORS)
    return path


def get_asked(flags: argparse.Namespace) -> None:
    """Get the target where it is a known model that is not here."""
    if flags.target in MODELS and not os.path.exists(flags.target):
        get_shown(flags.target)


def pair_of(flags: argparse.Namespace) -> ModelPair:
    """The pair of the command line, whose target is got where it is a known model that is not here."""
    get_asked(flags)
    return load_pair(**models_of(flags))


def _about(model: KnownModel) -> str:
    places = (
        f"{source.requirement} of the package index ({source.bytes:,} bytes)"
        if isinstance(source, Wheel)
        else f"{source.repository} of the hub ({model.bytes:,} bytes)"
        for source in model.sources
    )
    return f"{model.name}: {model.title}; licence {model.licence}; from {', else '.join(places)}"


def _list(flags: argparse.Namespace) -> None:
    for model in MODELS.values():
        here, arrived = path_of(model).exists(), arrived_bytes(model)
        state = f"here: {path_of(model)}" if here else f"not here: specviz models get {model.name}"
        _say(f"{_about(model)}\n  {state}" + f" ({arrived:,} bytes have arrived)" * bool(arrived))


def _get(flags: argparse.Namespace) -> None:
    _say(str(get_shown(flags.name, flags.given)))


def _verify(flags: argparse.Namespace) -> None:
    names = [flags.name] if flags.name else [name for name, model in MODELS.items() if path_of(model).exists()]
    if not names:
        raise ModelError("no model is here: specviz models lists those that can be had")
    for name in names:
        _say(f"{name} is what was published: {known_path(name)}")


def _remove(flags: argparse.Namespace) -> None:
    size = remove_model(flags.name)
    if not size:
        raise ModelError(f"model {flags.name!r} is not here", argument="name")
    _say(f"{flags.name} is removed: {size:,} bytes")


def _say(text: str, console=OUTPUT) -> None:
    console.print(text, markup=False, soft_wrap=True)
