"""The files of the embedded models are those that were shipped: each has its hash in ``SHA256SUMS`` beside them, which
``sha256sum --check`` reads, too."""

import logging
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path

from specviz.assets import ASSETS
from specviz.errors import ModelError

log = logging.getLogger(__name__)

EMBEDDED = ASSETS / "models"
SUMS = "SHA256SUMS"
HEADS, DECIDERS, CORRELATION = "fable-heads", "fable-deciders", "fable-correlation/correlation.safetensors"


def write_sums(folder: Path = EMBEDDED) -> None:
    """Write the hashes of all weights below ``folder`` (some 70 MB: a tenth of a second)."""
    lines = [f"{_hash(file)}  {file.relative_to(folder).as_posix()}\n" for file in sorted(_weights(folder))]
    (folder / SUMS).write_text("".join(lines), "utf-8")


def check_models(folder: Path = EMBEDDED) -> None:
    """Raises ModelError for weights of the embedded models that are missing or are not those that were shipped."""
    for name in wrong_files(folder, lambda name: name.partition("/")[0].startswith(("fable-target", "fable-draft"))):
        raise ModelError(f"the embedded models are damaged: {name} is missing or not the file that was shipped")


def part(name: str, folder: Path = EMBEDDED) -> Path | None:
    """The path of a part of the embedded pair (HEADS, DECIDERS, CORRELATION) or of the draft of a known model; None,
    said in the log, where it is missing or damaged: methods that need it are refused by name, all others run."""
    if (folder / name).exists() and not wrong_files(folder, lambda file: f"{file}/".startswith(f"{name}/")):
        return folder / name
    log.warning("what is embedded goes on without %s: it is missing or not what was shipped", name)
    return None


def wrong_files(folder: Path, of: Callable[[str], bool]) -> list[str]:
    """Those of the listed files, by their path, that are missing or have another hash; none where nothing is listed."""
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except OSError:
        return []
    listed = (line.split("  ", 1) for line in lines)
    return [name for known, name in listed if of(name) and _hash(folder / name) != known]


def _weights(folder: Path) -> list[Path]:
    return [*folder.rglob("*.safetensors")]


def _hash(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return file_digest(content, "sha256").hexdigest()
    except OSError:
        return ""


if __name__ == "__main__":
    write_sums()
