"""Start the page: parse the flags, load the models in the background, serve."""

import argparse
import os
import sys
from collections.abc import Sequence

from specviz.errors import SpecvizError


def _credentials(text: str) -> tuple[str, str]:
    user, colon, password = text.partition(":")
    if not (user and colon and password):
        raise argparse.ArgumentTypeError("must look like user:password")
    return user, password


def _port(text: str) -> int:
    if not (text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The flags; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT are the defaults of --host and --port."""
    parser = argparse.ArgumentParser("app.py", description="specviz: watch speculative decoders race, and look inside.")
    environment = os.environ
    parser.add_argument("--port", type=_port, default=environment.get("GRADIO_SERVER_PORT", "7860"))
    parser.add_argument("--host", default=environment.get("GRADIO_SERVER_NAME", "127.0.0.1"))
    parser.add_argument("--target", help="directory or hub id of the target model (default: the embedded pair)")
    parser.add_argument("--draft", help="directory or hub id of the draft model")
    parser.add_argument("--device", help="cpu, cuda, cuda:1 or auto (default: cuda when there is one)")
    parser.add_argument(
        "--dtype", choices=("float32", "bfloat16", "float16"), help="default: float32 on CPU, bfloat16 on CUDA"
    )
    parser.add_argument(
        "--chat",
        action=argparse.BooleanOptionalAction,
        help="put prompts into the model's chat template (default: when it has one)",
    )
    parser.add_argument(
        "--auth", type=_credentials, metavar="USER:PASSWORD", help="ask visitors for this name and password"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app; returns the exit status."""
    flags = parse(arguments)
    from specviz.lm.pair import load_pair
    from specviz.ui.models import PairLoader
    from specviz.ui.page import build_page, load_gallery
    from specviz.ui.server import serve

    def load():
        return load_pair(flags.target, flags.draft, device=flags.device, dtype=flags.dtype, chat=flags.chat)

    loader = PairLoader(load).start()
    try:
        serve(build_page(loader, load_gallery()), host=flags.host, port=flags.port, auth=flags.auth)
    except SpecvizError as error:
        print(f"specviz: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
