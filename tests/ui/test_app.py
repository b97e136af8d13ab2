"""The flags of ``specviz app``, and the gallery it opens with."""

import pytest

from specviz.__main__ import build_parser
from specviz.commands.app import _pairs
from specviz.decoding.registry.registry import methods
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import path_of
from specviz.trace.store import save_trace
from specviz.ui.catalog import START_LANES
from specviz.ui.page import GALLERY, OPENINGS, load_gallery, load_openings
from specviz.ui.pages.race import known_pair
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


def pairs(*flags, own=False):
    return _pairs(parse(flags), own=own)


def test_the_page_has_every_pair_of_this_machine_and_offers_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECVIZ_HOME", str(tmp_path))
    loader, offers = pairs(own=True)
    assert loader.names == ["fable"] and [offer["name"] for offer in offers.models(None)["offers"]] == ["smollm2"]
    assert pairs()[1] is None
    model = find_model("smollm2")
    path_of(model).parent.mkdir(parents=True)
    path_of(model).write_bytes(b"GGUF, and no more")
    loader, offers = pairs(own=True)
    assert loader.names == ["fable", "smollm2"] and offers.models(None)["offers"] == []
    assert pairs("--pair", "smollm2")[0].names == ["smollm2", "fable"]
    for flags in (("--target", "some/own-model"), ("--draft", "some/draft")):
        loader, offers = pairs(*flags, own=True)
        assert loader.names == [{"--target": "own-model", "--draft": "fable"}[flags[0]]] and offers is None
    damaged = pairs()[0].of("smollm2")
    assert damaged.wait(60) and damaged.status.state == "failed"
    assert "'smollm2' is damaged" in damaged.status.text and str(tmp_path) not in damaged.status.text


def test_a_damaged_trace_is_left_out_of_the_gallery_and_the_log_says_so(tmp_path, caplog):
    assert load_gallery(tmp_path) == load_gallery(tmp_path / "missing") == ()
    save_trace(autoregressive_trace(), tmp_path / "1.json")
    (tmp_path / "2.json").write_text("{}")
    assert load_gallery(tmp_path) == (autoregressive_trace(),)
    assert "2.json" in caplog.text


def test_the_openings_are_races_of_the_known_pair_one_greedy_and_one_sampled():
    openings = load_openings()
    assert list(openings) == ["greedy", "sampled"] and load_openings(OPENINGS / "missing") == {}
    for name, traces in openings.items():
        assert {known_pair(trace.header) for trace in traces} == {"smollm2"}
        assert {trace.header.options.get("temperature") == 0 for trace in traces} == {name == "greedy"}
        by_method = {trace.header.method.name: trace for trace in traces}
        shown = [by_method[method] for method in START_LANES]
        assert "Paris" in shown[0].text and len({trace.header.prompt_text for trace in traces}) == 1
        assert all(trace.iterations[0].accepted for trace in shown if trace.iterations[0].offered)
    lossless = [trace for trace in openings["greedy"] if trace.header.method.guarantee in ("target", "greedy")]
    assert len(lossless) > 8 and len({trace.tokens for trace in lossless}) == 1
    assert len({trace.tokens for trace in openings["sampled"]}) > 4
    assert sum(path.stat().st_size for path in OPENINGS.glob("*/*.json")) < 7_000_000


def test_the_gallery_holds_every_method_on_one_prompt_and_seed():
    traces = load_gallery()
    assert sorted(trace.header.method.name for trace in traces) == sorted(methods())
    assert len({(trace.header.prompt_text, trace.header.seed) for trace in traces}) == 1
    assert all(trace.iterations and trace.header.recorded for trace in traces)
    assert sum(path.stat().st_size for path in GALLERY.glob("*.json")) < 4_500_000
