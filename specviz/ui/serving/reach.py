"""The address at which others in the room reach the page, for a class's QR code, for links and for the terminal."""

import re
import shlex
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from specviz.errors import OptionError, as_given
from specviz.ui.serving.access import EVERYWHERE, Access, host_and_port, parsed_address

MAX_CHARACTERS = 300
HERE_ONLY = "This server answers to this machine alone, so no phone in the room can join."
NO_NETWORK = (
    "This machine knows no address of its own that a phone could open. Start the server with --public-url and the "
    "address at which the class reaches it."
)
_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))  # of documentation: nobody has them
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def own_address() -> str | None:
    """This machine's address in its network, by its table of routes; None where it has none, and in a container, whose
    network is its own. Nothing is sent: to connect a datagram socket only chooses where it would send from."""
    if any(mark.exists() for mark in _CONTAINERS):
        return None
    for family, elsewhere in _ELSEWHERE:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            address = probe.getsockname()[0]
            if not _is_here(address):
                return address
    return None


@dataclass(frozen=True)
class Reach:
    """How others reach a server bound to ``host``. ``public`` is the address that its operator told, with a slash at
    the end (empty: none), ``restart`` the command that starts it for the network, ``network`` finds this machine's
    address there."""

    public: str = ""
    host: str = "127.0.0.1"
    restart: str = ""
    network: Callable[[], str | None] = own_address

    def join(self, seen: str) -> tuple[str, str]:
        """The address at which a class joins a page that its teacher sees at ``seen``, and why no phone can open it, in
        a sentence: empty where one can."""
        if self.public:
            return self.public, ""
        parts = urlsplit(seen)
        if not _is_here(parts.hostname or ""):
            return seen, ""
        if self.host not in EVERYWHERE:
            return seen, HERE_ONLY
        own = self.network()
        if own is None:
            return seen, NO_NETWORK
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{_in_address(own)}{port}{parts.path}", ""

    def others(self, port: int) -> str:
        """The address at which others reach the server; empty if they cannot."""
        if self.public or self.host not in EVERYWHERE:
            return self.public
        own = self.network()
        return f"http://{_in_address(own)}:{port}/" if own else ""


def public_url(address: str) -> str:
    """The address that an operator told, with a slash at its end. Raises OptionError for one that is no http(s) address
    of a page, or that only this machine can open."""
    try:
        parts = urlsplit(address)
        host = host_and_port(parts.netloc)
        fits = re.fullmatch(r"https?://[^/?#@\s]+(/[\w.~/-]*)?", address, re.ASCII) and len(address) <= MAX_CHARACTERS
        known = host is not None and parts.port != 0
    except ValueError:  # malformed brackets, or a port beyond 65535
        fits = known = False
        host = None
    if not (fits and known and host):
        raise OptionError(
            "public-url must be the address at which the class reaches the page, such as http://192.168.1.5:7860 or "
            f"https://class.example/specviz, got {as_given(address, 80)}",
            argument="public_url",
        )
    if _is_here(host[0]):
        text = (
            f"public-url must be an address that other machines can open; {as_given(address, 80)} is this one's alone"
        )
        raise OptionError(text, argument="public_url")
    return address.rstrip("/") + "/"


def restart_command(started: Sequence[str]) -> str:
    """The command line ``started`` (``sys.orig_argv``), for a server that the network reaches. It is shown to a class,
    so it has no password in it."""
    program, *rest = started
    words = ["specviz", *rest[1:]] if rest and Path(rest[0]).name == "specviz" else [Path(program).name, *rest]
    for at, word in enumerate(words):
        if words[at - 1] == "--auth":
            words[at] = "USER:PASSWORD"
        elif word.startswith("--auth="):
            words[at] = "--auth=USER:PASSWORD"
    return shlex.join([*words, "--host", "0.0.0.0"])  # the last --host counts


def _in_address(own: str) -> str:
    return f"[{own}]" if ":" in own else own


def _is_here(name: str) -> bool:
    """Whether a host name or address reaches this machine only from itself."""
    return Access().knows(name) or getattr(parsed_address(name), "is_unspecified", False)
