"""``specviz app``: load the models in the background, serve the page."""

import argparse
import os

from specviz.commands import arguments
from specviz.commands.output import pair_of


def _credentials(text: str) -> tuple[str, str]:
    user, colon, password = text.partition(":")
    if not (user and colon and password):
        raise argparse.ArgumentTypeError("must look like user:password")
    return user, password


def _port(text: str) -> int:
    if not (text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def add(command) -> None:
    """GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are the defaults of --host and --port."""
    environment = os.environ
    parser = command("app", _app, "Serve the page.")
    parser.add_argument("--port", type=_port, default=environment.get("GRADIO_SERVER_PORT", "7860"))
    parser.add_argument("--host", default=environment.get("GRADIO_SERVER_NAME", "127.0.0.1"))
    arguments.add_models(parser)
    parser.set_defaults(dtype="auto")
    parser.add_argument(
        "--auth", type=_credentials, metavar="USER:PASSWORD", help="ask visitors for this name and password"
    )


def _app(flags: argparse.Namespace) -> None:
    from specviz.ui.page import build_page, load_gallery
    from specviz.ui.serving.models import PairLoader
    from specviz.ui.serving.server import serve

    loader = PairLoader(lambda: pair_of(flags)).start()
    serve(build_page(loader, load_gallery()), host=flags.host, port=flags.port, auth=flags.auth)
