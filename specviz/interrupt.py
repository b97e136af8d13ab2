"""Ctrl-C while the command line is still importing, and while the interpreter ends: quiet, as in between. The package
imports this module before everything that takes long; for a program that uses the package nothing changes."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def _is_command_line() -> bool:
    """Whether this process is ``specviz`` or ``python -m specviz``: the package is imported before their own code."""
    if sys.argv[:1] == ["-m"]:  # as long as Python looks for the module to run
        words = sys.orig_argv
        return "-m" in words and words[words.index("-m") + 1] == "specviz"
    return bool(sys.argv) and Path(sys.argv[0]).name in ("specviz", "specviz.exe")


def end_quietly() -> None:
    """From here on Ctrl-C ends the process without a word, but where it does something else already."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def raising() -> Iterator[None]:
    """Within, Ctrl-C raises KeyboardInterrupt, also after ``end_quietly``; then it is as before."""
    quiet = signal.getsignal(signal.SIGINT) is signal.SIG_DFL and threading.current_thread() is threading.main_thread()
    if quiet:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if quiet:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if _is_command_line():
    end_quietly()
