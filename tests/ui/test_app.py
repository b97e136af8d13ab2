"""The flags of ``specviz app``, and the gallery it opens with."""

import pytest

from specviz.__main__ import build_parser
from specviz.commands.app import _pairs
from specviz.decoding.registry.registry import methods
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import path_of
from specviz.ui.page import GALLERY, load_gallery
from tests.traces import autoregressive_trace


def parse(flags):
    return build_parser().parse_args(["app", *flags])


def test_defaults(monkeypatch):
    monkeypatch.delenv("GRADIO_SERVER_NAME", raising=False)
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    flags = parse([])
    assert (flags.host, flags.port, flags.target, flags.draft, flags.auth) == ("127.0.0.1", 7860, None, None, None)


def test_the_environment_of_a_space_is_honoured(monkeypatch):
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "8000")
    assert (parse([]).host, parse([]).port) == ("0.0.0.0", 8000)
    assert parse(["--port", "9000"]).port == 9000


def test_credentials_may_hold_colons():
    assert parse(["--auth", "user:pass:word"]).auth == ("user", "pass:word")


@pytest.mark.parametrize("flags", [["--auth", "user"], ["--port", "0"], ["--port", "x"], ["--dtype", "int8"]])
def test_wrong_flags_are_refused(flags, capsys):
    with pytest.raises(SystemExit):
        parse(flags)
    assert flags[0] in capsys.readouterr().err


def test_the_page_offers_every_pair_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECVIZ_HOME", str(tmp_path))
    assert _pairs(parse([])).names == ["fable"]
    model = find_model("smollm2")
    path_of(model).parent.mkdir(parents=True)
    path_of(model).write_bytes(b"GGUF, and no more")
    assert _pairs(parse([])).names == ["fable", "smollm2"]
    assert _pairs(parse(["--pair", "smollm2"])).names == ["smollm2", "fable"]
    assert _pairs(parse(["--target", "some/own-model"])).names == ["own-model"]
    assert _pairs(parse(["--draft", "some/draft"])).names == ["fable"]
    damaged = _pairs(parse([])).of("smollm2")
    assert damaged.wait(60) and damaged.status.state == "failed"
    assert "'smollm2' is damaged" in damaged.status.text and str(tmp_path) not in damaged.status.text


def test_a_damaged_trace_is_left_out_of_the_gallery_and_the_log_says_so(tmp_path, caplog):
    assert load_gallery(tmp_path) == load_gallery(tmp_path / "missing") == ()
    autoregressive_trace().save(tmp_path / "1.json")
    (tmp_path / "2.json").write_text("{}")
    assert load_gallery(tmp_path) == (autoregressive_trace(),)
    assert "2.json" in caplog.text


def test_the_gallery_holds_every_method_on_one_prompt_and_seed():
    traces = load_gallery()
    assert sorted(trace.header.method.name for trace in traces) == sorted(methods())
    assert len({(trace.header.prompt_text, trace.header.seed) for trace in traces}) == 1
    assert all(trace.iterations and trace.header.recorded for trace in traces)
    assert sum(path.stat().st_size for path in GALLERY.glob("*.json")) < 4_500_000
