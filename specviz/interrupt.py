"""What the command line has to do before the package imports anything else; for a program that uses the package nothing
changes.

Ctrl-C while it is still importing, and while the interpreter ends: quiet, as in between. And threads that compute
together sleep while they wait for each other, which they learn when torch is loaded: as torch starts them they spin,
and beside one busy program each holds the core that the other needs. Measured on 25 November 2026 on two cores of an
AMD EPYC (Zen 3), two threads: the embedded pair's ``speculative`` beside two busy programs 2.4 tokens/s became 43, a
model of 135 million parameters beside one 7 became 13; shares of a fair share were .08 to .54 and are .88 to 1.3.
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
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
