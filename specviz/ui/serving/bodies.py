"""Limits on the body of a request, checked before it is parsed: size by route, number of parts, depth.

A JSON parser makes an object of every part: twelve megabytes of ``[[],[],..`` are four million lists, and nobody else
is answered meanwhile. So parts are counted in the bytes, without making objects.
"""

import json
from typing import Any

from specviz.ui.serving.limits import (
    MAX_BODY_DEPTH,
    MAX_BODY_PARTS,
    MAX_FORM_BYTES,
    MAX_LOGIN_BYTES,
    MAX_REQUEST_BYTES,
    MAX_ROOM_REQUEST_BYTES,
)

WITH_FILES = frozenset({"/specviz/library/open", "/specviz/lab/sweep_check", "/specviz/lab/sweep_start"})
"""The calls of the page that bring a file."""


class UnfitBody(Exception):
    """A body that cannot be parsed or that this server does not take: the reason and the HTTP status."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


def most_bytes(path: str) -> int:
    """The most bytes that a body may have on this route."""
    path = path.rstrip("/")
    if path == "/login":
        return MAX_LOGIN_BYTES
    if path.startswith("/specviz-room"):
        return MAX_ROOM_REQUEST_BYTES
    return MAX_REQUEST_BYTES if path in WITH_FILES else MAX_FORM_BYTES


def parsed(body: bytes) -> Any:
    """The parsed JSON of a body, None for an empty one. Raises UnfitBody if it is not JSON or has too many parts."""
    check_shape(body)
    try:
        return json.loads(body or b"null", object_hook=_no_file, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise UnfitBody(400, "this is no JSON, in which NaN and Infinity are no numbers") from None


def oversized(most: int) -> UnfitBody:
    """The refusal of a body of more than ``most`` bytes."""
    return UnfitBody(413, f"a request may have {most} bytes at most here")


def check_shape(body: bytes) -> None:
    """Raises UnfitBody for a body with more than MAX_BODY_PARTS texts and parts, or deeper than MAX_BODY_DEPTH, before
    it is parsed. JSON is UTF-8: in any other encoding quotes would be counted wrongly."""
    if b"\0" in body or body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnfitBody(400, "this is no JSON in UTF-8")
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")  # the quotes left begin and end strings
    many = UnfitBody(400, f"this has more than {MAX_BODY_PARTS} parts, more than anything here needs")
    if plain.count(b'"') > 2 * MAX_BODY_PARTS:
        raise many
    outside = b"".join(plain.split(b'"')[::2])
    if sum(outside.count(mark) for mark in (b"[", b"{", b",", b":")) > MAX_BODY_PARTS:
        raise many
    depth = 0
    for mark in outside.translate(None, bytes(set(range(256)) - set(b"[]{}")))[: 4 * MAX_BODY_PARTS]:
        depth += 1 if mark in b"[{" else -1
        if depth > MAX_BODY_DEPTH:
            raise UnfitBody(400, "this is nested too deeply")


def _no_file(value: dict[str, Any]) -> dict[str, Any]:
    """Gradio takes every object whose ``path`` is a string for a file."""
    if isinstance(value.get("path"), str):
        raise UnfitBody(403, "this server takes no files: an object with a path is not allowed")
    return value


def _no_number(name: str) -> None:
    raise ValueError(name)
