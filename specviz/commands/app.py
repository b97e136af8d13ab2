"""``specviz app``: load the models in the background, serve the page."""

import argparse
import logging
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from specviz.commands import arguments
from specviz.commands.models import get_asked, pair_of
from specviz.commands.output import models_of, path
from specviz.errors import OptionError
from specviz.lm.getting.catalog import MODELS
from specviz.lm.getting.getting import path_of
from specviz.lm.loading.pairs import load_pair
from specviz.ui.serving.limits import MAX_STORED_BYTES, MAX_TOGETHER, RUN_SECONDS

if TYPE_CHECKING:
    from specviz.ui.serving.models import PairLoader
    from specviz.ui.serving.offers import Offers

AUTH = "SPECVIZ_AUTH"  # the environment's variable with user:password


def _credentials(text: str) -> tuple[str, str]:
    user, colon, password = text.partition(":")
    if not (user.strip() and colon and password):
        raise argparse.ArgumentTypeError("must look like user:password")
    return user, password


def _credentials_file(text: str) -> tuple[str, str]:
    try:
        lines = path(text).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"cannot be read: {error}") from None
    return _credentials(lines[0] if lines else "")


def _credentials_given(flags: argparse.Namespace) -> tuple[str, str] | None:
    """The name and password to ask for; taken out of the environment, where the processes started here would see
    them."""
    hidden = os.environ.pop(AUTH, "")
    if flags.auth:
        print(
            f"specviz: other users of this machine see the password of --auth; {AUTH} and --auth-file hide it",
            file=sys.stderr,
        )
    if flags.auth or not hidden:
        return flags.auth
    try:
        return _credentials(hidden)
    except argparse.ArgumentTypeError as error:
        raise OptionError(f"{AUTH} {error}", argument="auth") from None


def _port(text: str) -> int:
    if not (text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, 0 for no end, got {text!r}")
    return seconds or math.inf


def add(command) -> None:
    """GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are the defaults of --host and --port."""
    environment = os.environ
    parser = command("app", _app, "Serve the page.")
    parser.add_argument("--port", type=_port, default=environment.get("GRADIO_SERVER_PORT", "7860"))
    parser.add_argument("--host", default=environment.get("GRADIO_SERVER_NAME", "127.0.0.1"))
    arguments.add_models(parser)
    parser.set_defaults(dtype="auto")
    parser.add_argument(
        "--run-seconds",
        type=_seconds,
        default=RUN_SECONDS,
        metavar="N",
        help=f"of the device that one run may use, default {RUN_SECONDS:g}; 0: without end",
    )
    parser.add_argument(
        "--keep",
        type=path,
        metavar="DIR",
        help=f"keep finished runs there, too, {MAX_STORED_BYTES / 1e9:g} GB at most, so that links outlive the server",
    )
    parser.add_argument(
        "--log-runs",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a line on the error stream for every run: methods, tokens, seconds, wait; nothing of who asked",
    )
    parser.add_argument("--log-prompts", action="store_true", help="with the prompt in it, too")
    _add_door(parser)


def _add_door(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who is let in")
    password = group.add_mutually_exclusive_group()
    password.add_argument(
        "--auth",
        type=_credentials,
        metavar="USER:PASSWORD",
        help=f"ask visitors for this name and password (default: those in {AUTH}, where it is set)",
    )
    password.add_argument(
        "--auth-file",
        type=_credentials_file,
        dest="auth_file",
        metavar="FILE",
        help="the same, from the first line of a file, where no other user of the machine sees them",
    )
    group.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name under which visitors may reach the server, besides this machine's own and --host; repeatable",
    )
    group.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="an address or network whose X-Forwarded-For, -Host and -Proto are believed; repeatable",
    )
    group.add_argument(
        "--metrics-for",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="an address or network that may read /metrics, as this machine itself may; repeatable",
    )
    group.add_argument(
        "--public-url",
        default="",
        metavar="URL",
        help="the address at which a class reaches the page, for its QR picture and links; default: this machine's own "
        "in its network, where --host lets others in",
    )
    group.add_argument(
        "--root-path",
        default=os.environ.get("GRADIO_ROOT_PATH", ""),
        metavar="PATH",
        help="where a proxy shows the page: a path such as /specviz, or a whole address",
    )


def _app(flags: argparse.Namespace) -> None:
    from starlette.types import ASGIApp

    from specviz.ui.page import build_page, load_gallery, load_openings
    from specviz.ui.serving.access import access_for
    from specviz.ui.serving.device import Device
    from specviz.ui.serving.journal import Journal
    from specviz.ui.serving.reach import Reach, public_url, restart_command
    from specviz.ui.serving.server import build_server, serve
    from specviz.ui.serving.store import Store

    public = public_url(flags.public_url) if flags.public_url else ""
    access = access_for(
        flags.host,
        allow=flags.allow_host,
        proxies=flags.trusted_proxy,
        root=flags.root_path,
        public=public,
        watchers=flags.metrics_for,
        environment=os.environ,
    )
    reach = Reach(public, flags.host, restart_command(sys.orig_argv))
    auth = flags.auth_file or _credentials_given(flags)
    get_asked(flags)
    device = Device(together=MAX_TOGETHER, run_seconds=flags.run_seconds, journal=Journal(prompts=flags.log_prompts))
    if flags.log_runs:
        _log_runs()

    def build() -> ASGIApp:
        loader, offers = _pairs(flags, own=access.is_own and not auth)
        store = Store(flags.keep) if flags.keep else None
        page = build_page(loader.start(), load_gallery(), device, store, offers, load_openings(), public)
        return build_server(page, auth=auth, access=access, loader=loader, device=device, reach=reach)

    serve(build, reach=reach, port=flags.port, access=access)


def _pairs(flags: argparse.Namespace, *, own: bool) -> "tuple[PairLoader, Offers | None]":
    """The pair that is asked for; in its place a visitor may have any other that is on this machine, unless it is one
    of the user's own. A page that is its user's ``own`` offers to get those that are not."""
    from specviz.ui.serving.models import EMBEDDED_NAME, PairLoader
    from specviz.ui.serving.offers import Offers

    models = models_of(flags)
    shared = {
        argument: models[argument]
        for argument in ("device", "dtype", "threads", "bits", "graphs")
        if argument in models
    }

    def other(name: str) -> PairLoader:
        target = {} if name == EMBEDDED_NAME else {"target": name}
        return PairLoader(lambda: load_pair(**target, **shared), name)

    known = (EMBEDDED_NAME, *(name for name, model in MODELS.items() if path_of(model).exists()))
    name = flags.target or EMBEDDED_NAME
    if flags.draft or name not in known:
        return PairLoader(lambda: pair_of(flags), Path(name).name), None
    loader = PairLoader(lambda: pair_of(flags), name, [other(other_name) for other_name in known if other_name != name])
    return loader, Offers(loader, other) if own else None


def _log_runs() -> None:
    lines = logging.StreamHandler()
    lines.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    runs = logging.getLogger("specviz.runs")
    runs.addHandler(lines)
    runs.setLevel(logging.INFO)
    runs.propagate = False
