"""What the command line has to do before the package imports anything else; for a program that uses the package nothing
changes.

Ctrl-C while it is still importing, and while the interpreter ends: quiet, as in between. And threads that compute
together sleep while they wait for each other, which they learn when torch is loaded: as torch starts them they spin,
and beside one busy program each holds the core that the other needs. Measured on 25 November 2026 on two idle cores of
an AMD EPYC (Zen 3), a model of 135 million parameters in float32, two threads, twice in turns: beside one, two and four
busy programs 6 to 7, 6 and 2 to 3 tokens/s became 15, 8 to 10 and 5 to 6; alone 14 to 17 became 13 to 14.
"""

import os
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
def interruptible() -> Iterator[None]:
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
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
