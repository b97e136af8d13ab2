"""The flags of app.py, and the gallery it opens with."""

import pytest

import app
from specviz.ui.page import FIRST_RACE, load_gallery
from tests.traces import autoregressive_trace


def test_defaults(monkeypatch):
    monkeypatch.delenv("GRADIO_SERVER_NAME", raising=False)
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    flags = app.parse([])
    assert (flags.host, flags.port, flags.target, flags.draft, flags.auth) == ("127.0.0.1", 7860, None, None, None)


def test_the_environment_of_a_space_is_honoured(monkeypatch):
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "8000")
    assert (app.parse([]).host, app.parse([]).port) == ("0.0.0.0", 8000)
    assert app.parse(["--port", "9000"]).port == 9000


def test_credentials_may_hold_colons():
    assert app.parse(["--auth", "user:pass:word"]).auth == ("user", "pass:word")


@pytest.mark.parametrize("flags", [["--auth", "user"], ["--port", "0"], ["--port", "x"], ["--dtype", "int8"]])
def test_wrong_flags_are_refused(flags, capsys):
    with pytest.raises(SystemExit):
        app.parse(flags)
    assert flags[0] in capsys.readouterr().err


def test_a_gallery_that_is_not_whole_is_left_out(tmp_path):
    assert load_gallery(tmp_path) == ()
    for name in FIRST_RACE:
        autoregressive_trace().save(tmp_path / name)
    assert len(load_gallery(tmp_path)) == 3
    (tmp_path / FIRST_RACE[1]).write_text("{}")
    assert load_gallery(tmp_path) == ()
