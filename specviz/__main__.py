"""The command line: ``specviz COMMAND`` or ``python -m specviz COMMAND``; ``--help`` lists the commands.

Results go to the output, everything else to the error stream. What a user can get wrong ends with one clear line and
exit code 2.
"""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence

from specviz import command_line
from specviz.commands import app, bench, decode, lab, making, models, remake, saved, show, sweep
from specviz.errors import SpecvizError
from specviz.version import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 2 for a wrong input, 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character shows a question mark
    with command_line.interruptible():
        try:
            _command(argv)
        except SpecvizError as error:
            print(f"specviz: error: {show.printable(str(error))}", file=sys.stderr)
            return 2
        except KeyboardInterrupt as stopped:
            print(f"specviz: stopped{stopped}", file=sys.stderr)
            return 130
        except BrokenPipeError:  # the reader of our output has gone: what is left of it goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
                raise
            print(f"specviz: error: the output cannot be written: {error.strerror}", file=sys.stderr)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 2
    return 0


def _command(argv: Sequence[str] | None) -> None:
    """Run one command; all of its output is out when this ends, however it ends."""
    try:
        flags = build_parser().parse_args(argv)
        flags.command(flags)
    finally:
        sys.stdout.flush()


def build_parser() -> argparse.ArgumentParser:
    """Every command with its arguments."""
    parser = argparse.ArgumentParser("specviz", description="Speculative decoding you can watch.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"specviz {__version__}")
    parser.set_defaults(run=_command)  # for a command that is made of others
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, function, help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.set_defaults(command=function)
        return made

    for part in (decode, saved, app, models, bench, sweep, lab, making, remake):
        part.add(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
