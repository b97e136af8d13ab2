"""Where commands write to, and what they share: the prompt, the arguments of models, files and folders."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from specviz.commands.arguments import LaneArguments
from specviz.errors import OptionError, PromptError, SpecvizError, as_given
from specviz.lm.pair import ModelPair


class Terminal(Console):
    """A console that leaves it to the command line what becomes of output that nobody reads any more."""

    def on_broken_pipe(self) -> None:
        raise


OUTPUT, ERRORS = Terminal(highlight=False), Terminal(highlight=False, stderr=True)
MODELS = (
    *("target", "draft", "device", "dtype", "chat", "control_tokens", "threads", "bits", "graphs"),
    "ignore_generation_config",
)
"""Arguments of the command line that are those of ``load_pair``."""
TABLES = 140  # characters that the benchmark's tables need


def wide(*parts: RenderableType) -> None:
    """Print tables at their full width, also where the output is narrower or a file."""
    wide = Terminal(highlight=False, width=max(OUTPUT.width, TABLES))
    for part in parts:
        wide.print(part)


@contextmanager
def progress(total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """A bar on the error stream, where that is a terminal, with the time left; each call of what is yielded is one more
    done, and says what it was."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    left = (TextColumn("left"), TimeRemainingColumn(elapsed_when_finished=False))
    with Progress(*columns, *left, console=ERRORS, transient=True, disable=not ERRORS.is_terminal) as shown:
        bar = shown.add_task("", total=total, completed=done)
        yield lambda what: shown.update(bar, advance=1, description=what)


def models_of(flags: argparse.Namespace) -> dict[str, Any]:
    """What ``load_pair`` takes, as far as it is given."""
    return {name: value for name in MODELS if (value := getattr(flags, name)) is not None}


def refuse_models(flags: argparse.Namespace, why: str, names: Iterable[str] = MODELS) -> None:
    """Raises OptionError for an argument of the models that is given and, as ``why`` says, would change nothing."""
    for name, value in models_of(flags).items():
        if name in names:
            raise OptionError(f"{name}={as_given(value)} would change nothing: {why}", argument=name)


def prompt_of(text: str) -> str:
    """The prompt itself, or the input stream for ``-`` (without the line end that closes it)."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise PromptError(f"prompt from the input is not UTF-8 text: {error.reason} at byte {error.start}") from None


def fitting(pair: ModelPair, entered: list[LaneArguments], tokens: int) -> list[LaneArguments]:
    """Those that ``pair`` has the models for; the error stream says what the others lack."""
    from specviz.lab.rivals.suite import lacks

    missing = {name: lacks(pair, name, options, tokens) for name, options in entered}
    for name, reason in missing.items():
        if reason:
            print(f"specviz: {name} is left out: {reason}", file=sys.stderr)
    return [lane for lane in entered if not missing[lane[0]]]


def path(text: str) -> Path:
    """A path, for argparse; ``~`` is the home folder."""
    return Path(os.path.expanduser(text))


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpecvizError(f"{path}: the folder cannot be made ({error.strerror})") from None


def write_text(path: Path, text: str) -> None:
    write_bytes(path, f"{text}\n".encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Raises SpecvizError, naming the file and the reason, where it cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise SpecvizError(f"{path}: the file cannot be written ({error.strerror})") from None
