"""The names that the server answers to, the pages that may call it, and the proxies it trusts.

A page of another site can make a browser send requests here, and a name that its owner points here after the page was
loaded (DNS rebinding) makes them look like requests of the same site. So a request must name a host that this server
was started for, and a page that sends one must be this server's own.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from specviz.errors import OptionError, as_given

IPNetwork = IPv4Network | IPv6Network
EVERYWHERE = ("0.0.0.0", "::", "")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?", re.ASCII)
_FORWARDED = re.compile(rb"x-forwarded-.*|forwarded|x-real-ip|x-gradio-server|x-original-.*|x-direct-url")
_INSIDE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")  # where a Space's proxy is
_USUAL_PORT = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Access:
    """What the server answers to.

    ``names`` are host names besides those of this machine itself; ``any_address`` lets every IP address pass as a name
    (nobody can point an address elsewhere, as one can a name). ``proxies`` are the networks whose word on the visitor's
    address, host and scheme is believed. ``root`` is the path, or the whole address, under which visitors see the page.
    ``watchers`` are the networks, besides this machine, that may read the counters.
    """

    names: frozenset[str] = frozenset()
    any_address: bool = False
    proxies: tuple[IPNetwork, ...] = ()
    root: str = ""
    watchers: tuple[IPNetwork, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether it answers to names of this machine itself alone, and to no proxy."""
        own = all(name == "localhost" or getattr(parsed_address(name), "is_loopback", False) for name in self.names)
        return own and not (self.any_address or self.proxies or self.root)

    def lets_watch(self, address: str) -> bool:
        """Whether a visitor's address may read the counters."""
        visitor = parsed_address(address)
        return visitor is not None and (visitor.is_loopback or any(visitor in network for network in self.watchers))

    @property
    def prefix(self) -> str:
        """The path of ``root``, without a slash at its end; empty at the top."""
        return (urlsplit(self.root).path if "://" in self.root else self.root).rstrip("/")

    def knows(self, name: str) -> bool:
        """Whether a host name, or an address, is one of this server."""
        address = parsed_address(name)
        if address is None:
            return name == "localhost" or name.endswith(".localhost") or name in self.names
        return address.is_loopback or self.any_address or name in self.names

    def trusts(self, address: str) -> bool:
        """Whether a peer is one of the proxies."""
        peer = parsed_address(address)
        return peer is not None and any(peer in network for network in self.proxies)

    def seen(self, scope: Scope) -> Scope:
        """The request as the visitor made it: a trusted proxy's headers replace its own address; anybody else's are
        dropped."""
        headers = [(name, value) for name, value in scope["headers"] if not _FORWARDED.fullmatch(name)]
        peer = (scope.get("client") or ("", 0))[0]
        if not self.trusts(peer):
            return {**scope, "headers": headers}
        told = Headers(scope=scope)
        host, scheme = _listed(told, "x-forwarded-host"), _listed(told, "x-forwarded-proto")
        if host:
            headers = [(name, value) for name, value in headers if name != b"host"] + [(b"host", host[-1].encode())]
        strangers = [address for address in _listed(told, "x-forwarded-for") if not self.trusts(address)]
        visitor = strangers[-1] if strangers and parsed_address(strangers[-1]) else peer
        secure = scheme[-1:] == ["https"] or scope["scheme"] == "https"
        return {**scope, "headers": headers, "client": (visitor, 0), "scheme": "https" if secure else "http"}

    def refusal(self, scope: Scope) -> str:
        """Why a request as ``seen`` is refused, in a sentence; empty where it is not."""
        headers = Headers(scope=scope)
        hosts = [host_and_port(host) for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] is None:
            return "a request must name one host"
        name, port = hosts[0]
        if not self.knows(name):
            return (
                f"this server was not started for the name {as_given(name, 60)}: whoever runs it may add --allow-host"
            )
        usual = _USUAL_PORT[scope["scheme"]]
        foreign = not all(self._own(origin, name, port or usual) for origin in headers.getlist("origin"))
        follows_a_link = scope["method"] in ("GET", "HEAD") and headers.get("sec-fetch-mode", "navigate") == "navigate"
        if foreign or (headers.get("sec-fetch-site") in ("cross-site", "same-site") and not follows_a_link):
            return "this came from another site's page"
        return ""

    def _own(self, origin: str, name: str, port: str) -> bool:
        """Whether a page of ``origin`` is this server's: the same host and port, or a name that was allowed (a proxy
        may have changed the port)."""
        scheme, _, rest = origin.partition("://")
        split = host_and_port(rest)
        if scheme not in _USUAL_PORT or split is None:
            return False  # null, a file, an extension
        return split[0] in self.names or (split[0] == name and (split[1] or _USUAL_PORT[scheme]) == port)


def host_and_port(text: str) -> tuple[str, str] | None:
    """``("name", "8000")`` of ``Name.:8000``; the port may be empty. None if it is not a host."""
    parts = _HOST.fullmatch(text.lower())
    return (parts[1].rstrip(".").strip("[]"), parts[2] or "") if parts else None


def access_for(
    host: str,
    *,
    allow: Iterable[str] = (),
    proxies: Iterable[str] = (),
    root: str = "",
    public: str = "",
    watchers: Iterable[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Access:
    """The access of a server bound to ``host``, which visitors also reach at the ``public`` address. A Hugging Face
    Space, known by its ``environment``, adds its own name and address, and is reached through its proxy alone. Raises
    OptionError for a name, network or root that is none."""
    space = (environment or {}).get("SPACE_HOST", "")
    if space:
        allow, proxies, root = [*allow, space], [*proxies, *_INSIDE], root or f"https://{space}"
    split = [host_and_port(name) for name in (*allow, *([] if host in EVERYWHERE else [host]))]
    if None in split:
        raise OptionError(f"allow-host must be a host name, got {as_given([*allow])}", argument="allow_host")
    names = {name for name, _ in filter(None, split)} | _root_names(root) | _root_names(public)
    return Access(
        frozenset(names),
        host in EVERYWHERE,
        tuple(_network("trusted-proxy", proxy) for proxy in proxies),
        root.rstrip("/"),
        tuple(_network("metrics-for", watcher) for watcher in watchers),
    )


def _root_names(root: str) -> set[str]:
    try:
        if root and not re.fullmatch(r"(https?://[^/?#]+)?(/(?!/)[\w.~/-]*)?", root, re.ASCII):
            raise ValueError
        split = host_and_port(urlsplit(root).netloc)
    except ValueError:  # urlsplit: malformed brackets
        text = f"root-path must be a path such as /specviz or a whole address, got {as_given(root)}"
        raise OptionError(text, argument="root_path") from None
    return {split[0]} if split else set()


def _network(flag: str, text: str) -> IPNetwork:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        message = f"{flag} must be an address or a network, got {as_given(text)}"
        raise OptionError(message, argument=flag.replace("-", "_")) from None


def network_of(address: str) -> str:
    """What limits for each visitor count an address as: an IPv6 address as its /64, since one machine has all addresses
    of it; anything else as itself."""
    parsed = parsed_address(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((int(parsed), 64), strict=False))
    return str(parsed or address)


def parsed_address(text: str) -> Any:
    """The parsed address, an IPv4 one for ::ffff:192.0.2.1; None if it is not an address."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _listed(headers: Headers, name: str) -> list[str]:
    """The values of a header, those of repeated headers one after the other."""
    return [part.strip() for part in ",".join(headers.getlist(name)).split(",") if part.strip()]
