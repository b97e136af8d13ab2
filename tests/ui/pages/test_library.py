"""The Library's answers: rows, races, files out and in, figures; and the refusal of everything else."""

import json
from base64 import b64decode
from dataclasses import replace

import plotly.io
import pytest

from specviz.errors import SpecvizError
from specviz.trace.bundle import bundle_to_json, read_file
from specviz.trace.record import VERSION, BeamRecord, Trace
from specviz.trace.store import load_trace, save_trace, trace_to_json
from specviz.ui.pages import library
from specviz.ui.pages.library import figure, open_text, save, shelf, show
from specviz.ui.serving import limits
from specviz.ui.serving.runs import KeptRuns
from specviz.views.plot import images
from specviz.views.race.race_view import differences, race_view
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import VOCABULARY, autoregressive_trace, mtad_trace, speculative_trace

TRACES = autoregressive_trace(), speculative_trace(), mtad_trace()
RUN = "ab" * 16
HOSTILE = (
    "<img src=x onerror=hacked=1>",
    "</script><script>hacked=1</script>",
    "\u202eevil",
    "${hacked=1}",
    "x" * 5000,
)


@pytest.fixture
def runs():
    runs = KeptRuns(TRACES)
    runs.keep(RUN, (TRACES[2], None, TRACES[1]))
    return runs


def test_every_recorded_lane_and_every_lane_of_the_visit_has_a_row(runs):
    answer = shelf(runs, {"runs": [RUN, "cd" * 16]})
    assert [(row["run"], row["lane"]) for row in answer["rows"]] == [
        ("gallery:autoregressive", 0),
        ("gallery:speculative", 0),
        ("gallery:mtad", 0),
        (RUN, 0),
        (RUN, 2),
    ]
    assert answer["gone"] == ["cd" * 16]
    row, metrics = answer["rows"][2], TRACES[2].metrics
    assert row["title"] == "MTAD" and row["guarantee"]["name"] == "lossy" and "tau 0.1" in row["set"]
    assert row["numbers"]["tokens"] == [metrics.tokens, str(metrics.tokens)]
    assert row["numbers"]["tokens_per_second"][0] == metrics.tokens_per_second
    assert row["numbers"]["size"][0] == len(trace_to_json(TRACES[2]).encode())
    assert answer["rows"][0]["numbers"]["acceptance_rate"] == [None, "–"]


@pytest.mark.parametrize("request_", [None, [], {}, {"runs": "x"}, {"runs": [1]}, {"runs": ["x"] * 101}])
def test_a_list_of_runs_that_is_none_is_refused(runs, request_):
    with pytest.raises(SpecvizError, match="reload"):
        shelf(runs, request_)


def test_lanes_of_several_runs_become_one_race_that_says_what_does_not_compare(runs):
    other = replace(TRACES[0], header=replace(TRACES[0].header, seed=99, device="cuda"))
    runs.keep("ef" * 16, (other,))
    race = show(runs, {"lanes": [["gallery:mtad", 0], ["ef" * 16, 0]]})["race"]
    assert [lane["method"] for lane in race["lanes"]] == ["mtad", "autoregressive"]
    assert race["state"] == "opened" and "Library" in race["note"] and runs.traces(race["run"]) == (TRACES[2], other)
    assert "different devices" in race["care"] and "different seeds" in race["care"] and "prompts" not in race["care"]
    assert show(runs, {"run": race["run"]})["race"] == race


def test_what_was_one_race_stays_one(runs):
    race = show(runs, {"run": RUN})["race"]
    assert race["state"] == "finished" and race["care"] == "" and "note" not in race
    assert race["lanes"][1] is None and race["run"] == RUN
    stopped = replace(TRACES[0], stop="stopped")
    runs.keep("ef" * 16, (stopped, TRACES[1]))
    assert show(runs, {"run": "ef" * 16})["race"]["state"] == "stopped"
    assert show(runs, {"lanes": [["gallery:mtad", 0]]})["race"]["state"] == "recorded"


def test_each_difference_between_lanes_is_said():
    def changed(**fields):
        return replace(TRACES[1], header=replace(TRACES[1].header, **fields))

    assert differences(TRACES) == differences(TRACES[:1]) == differences(()) == ""
    other = replace(TRACES[1].header.target, fingerprint="other")
    for fields, word in (
        ({"prompt_tokens": (2, 3)}, "prompts"),
        ({"target": other}, "targets"),
        ({"draft": other}, "drafts"),
        ({"device": "cuda"}, "devices"),
        ({"seed": 77}, "seeds"),
    ):
        said = differences([TRACES[1], changed(**fields)])
        assert said.startswith("Compare with care") and f"different {word}" in said and said.count("different") <= 2


def test_a_lane_says_whether_it_was_slower_and_why():
    slow = replace(TRACES[1], metrics=replace(TRACES[1].metrics, tokens_per_second=1.0))
    lanes = [{"title": "a"}, None, {"title": "b"}, {"title": "c"}]
    race = race_view("x", "finished", lanes, (TRACES[0], slow, TRACES[2]))
    assert race["lanes"][0]["pace"] is None and race["lanes"][1] is None
    assert race["lanes"][2]["pace"]["kind"] == "slower" and race["lanes"][2]["pace"]["text"].startswith(
        "Slower than auto"
    )
    assert race["lanes"][3]["pace"]["kind"] == "faster" and "times as fast" in race["lanes"][3]["pace"]["text"]
    running = race_view("x", "running", lanes, (TRACES[0], slow, TRACES[2]))
    assert [lane and lane["pace"] for lane in running["lanes"]] == [None] * 4


@pytest.mark.parametrize(
    ("lanes", "said"),
    [
        (None, "choose 1 to 4"),
        ([], "choose 1 to 4"),
        ([[RUN, 0]] * 5, "choose 1 to 4"),
        ([["gone", 0]], "no longer kept"),
        ([[RUN]], "no longer kept"),
        ([[RUN, 1]], "[Ll]ane"),
        ([[RUN, 7]], "no lane 8"),
        ([[RUN, True]], "lane is asked for by its number"),
        ([{"run": RUN}], "no longer kept"),
    ],
)
def test_lanes_that_are_not_there_are_refused(runs, lanes, said):
    for ask in (show, save):
        with pytest.raises(SpecvizError, match=said):
            ask(runs, {"lanes": lanes})


def test_one_trace_is_saved_as_the_library_for_programs_reads_it(runs, tmp_path):
    answer = save(runs, {"lanes": [[RUN, 2]]})
    assert answer["name"] == "specviz-speculative.json"
    (tmp_path / answer["name"]).write_text(answer["text"])
    assert load_trace(tmp_path / answer["name"]) == TRACES[1]
    save_trace(TRACES[1], str(tmp_path / "saved.json"))
    assert (tmp_path / "saved.json").read_text() == answer["text"]


def test_a_race_is_saved_with_its_screen_and_opens_to_it(runs):
    screen = {"view": "microscope", "at": "1.0.decision-1"}
    answer = save(runs, {"lanes": [[RUN, 0], [RUN, 2]], "screen": screen})
    assert answer["name"] == "specviz-race-mtad-speculative.json" and "note" not in answer
    elsewhere = KeptRuns()
    opened = open_text(elsewhere, answer["text"])
    assert opened["screen"] == screen
    assert elsewhere.traces(opened["race"]["run"]) == (TRACES[2], TRACES[1])
    assert opened["race"]["lanes"] == [lane for lane in show(runs, {"run": RUN})["race"]["lanes"] if lane]
    assert [row["title"] for row in opened["rows"]] == ["MTAD", TRACES[1].header.method.title]


def test_a_file_that_the_page_could_not_open_again_is_said(runs, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TRACE_BYTES", 1000)
    assert "more than" in save(runs, {"lanes": [[RUN, 0], [RUN, 2]]})["note"]


@pytest.mark.parametrize("make", [autoregressive_trace, *RULE_TRACES.values(), *BEAM_TRACES.values()])
def test_traces_of_every_rule_open(make):
    opened = open_text(KeptRuns(), trace_to_json(make()))
    assert "".join(token[0] for token in opened["race"]["lanes"][0]["tokens"]) == make().text
    assert opened["race"]["state"] == "opened" and opened["screen"] == {}


def nodes(trace: Trace, count: int) -> Trace:
    """The trace with ``count`` guesses in its first iteration, none of which was offered."""
    first = trace.iterations[0]
    more = tuple(replace(first.forest.nodes[0], submitted=False, outcome="pruned") for _ in range(count))
    forest = replace(first.forest, nodes=first.forest.nodes + more)
    return replace(trace, iterations=(replace(first, forest=forest), *trace.iterations[1:]))


PLAIN = json.loads(trace_to_json(TRACES[0]))
FILES = {
    "empty": ("", "empty"),
    "not JSON": ("<script>hacked=1</script>", "not JSON"),
    "huge": (" " * (limits.MAX_TRACE_BYTES + 1) + "1", "bytes: at most"),
    "blank and huge": (" " * (limits.MAX_TRACE_BYTES + 1), "empty"),
    "newer": (json.dumps(PLAIN | {"version": VERSION + 1}), "open it with a newer specviz"),
    "too old": (json.dumps(PLAIN | {"version": 3}), "record it again"),
    "NaN": (json.dumps(PLAIN | {"prefill_seconds": float("nan")}), "finite"),
    "contradicting": (json.dumps(PLAIN | {"metrics": PLAIN["metrics"] | {"tokens": 8}}), "metrics.tokens"),
    "deep": ("[" * 100_000, "not JSON"),
    "forty traces": (json.dumps({"kind": "specviz bundle", "version": 1, "traces": [PLAIN] * 40}), "1 to 4 traces"),
    "enormous forest": (trace_to_json(nodes(TRACES[2], limits.MAX_OPENED_NODES)), "forest.nodes: has"),
}


@pytest.mark.parametrize(("text", "said"), FILES.values(), ids=FILES)
def test_a_refused_file_says_why_and_leaves_nothing_behind(text, said):
    runs = KeptRuns()
    with pytest.raises(SpecvizError, match=said):
        open_text(runs, text)
    assert not runs._files._kept
    with pytest.raises(SpecvizError):
        open_text(runs, None)


def test_limits_of_what_is_drawn_hold_for_iterations_tokens_and_decisions(monkeypatch):
    text = bundle_to_json(TRACES)
    assert open_text(KeptRuns(), text)
    for name, said in (
        ("MAX_OPENED_ITERATIONS", r"traces\[0\]: iterations: has 3"),
        ("MAX_OPENED_TOKENS", r"traces\[0\]: tokens: has 3"),
        ("MAX_OPENED_NODES", r"traces\[1\]: iterations\[0\].forest.nodes: has"),
        ("MAX_OPENED_DECISIONS", r"traces\[0\]: iterations\[0\].decisions: has"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(limits, name, 0)
            with pytest.raises(SpecvizError, match=said):
                open_text(KeptRuns(), text)


def test_a_sound_file_that_cannot_be_drawn_is_refused(monkeypatch):
    def fail(*_):
        raise KeyError("odd")

    monkeypatch.setattr(library, "forked_view", fail)
    runs = KeptRuns()
    with pytest.raises(SpecvizError, match="cannot be drawn: KeyError"):
        open_text(runs, trace_to_json(TRACES[0]))
    assert not runs._files._kept


def hostile_trace() -> Trace:
    """The speculative trace with attacks in every text a file brings."""
    header, tokens = TRACES[1].header, sorted(VOCABULARY)
    names = {token: HOSTILE[at % len(HOSTILE)] for at, token in enumerate(tokens)}
    iterations = tuple(
        replace(one, emitted=tuple(replace(token, piece=names[token.token]) for token in one.emitted))
        for one in TRACES[1].iterations
    )
    method = replace(header.method, name=HOSTILE[0], title=HOSTILE[1], summary=HOSTILE[0], paper=HOSTILE[1])
    header = replace(header, method=method, prompt_text=HOSTILE[0], options=header.options | {HOSTILE[0]: HOSTILE[1]})
    return replace(TRACES[1], header=header, iterations=iterations, vocabulary=names)


def test_texts_of_a_file_are_passed_on_as_they_are_and_names_of_files_stay_plain():
    runs = KeptRuns()
    opened = open_text(runs, trace_to_json(hostile_trace()))
    assert opened["rows"][0]["title"] == HOSTILE[1]
    saved = save(runs, {"lanes": [[opened["race"]["run"], 0]]})
    assert saved["name"] == "specviz-imgsrcxonerrorhacked1.json"
    assert read_file(saved["text"]).traces == (hostile_trace(),)
    drawn = figure(runs, {"run": opened["race"]["run"], "key": "timeline"})["figure"]
    assert "<script" not in drawn and "<img" not in drawn


@pytest.mark.parametrize("key", library.FIGURES)
def test_figures_of_a_race_lie_on_paper(runs, key):
    light, dark = (json.loads(figure(runs, {"run": RUN, "key": key, "dark": dark})["figure"]) for dark in (False, True))
    assert (light["layout"]["paper_bgcolor"], dark["layout"]["paper_bgcolor"]) == (
        images.PAPER[False],
        images.PAPER[True],
    )
    assert light["data"] and light["layout"]["height"] > 50
    plotly.io.from_json(json.dumps(light))


def test_the_figure_of_dials_has_every_number_of_every_lane(runs):
    drawn = json.loads(figure(runs, {"run": "gallery:autoregressive,speculative,mtad", "key": "dials"})["figure"])
    texts = [text for bar in drawn["data"] for text in bar["text"]]
    numbers = [
        dial["text"]
        for lane in show(runs, {"run": "gallery:autoregressive,speculative,mtad"})["race"]["lanes"]
        for dial in lane["dials"]
        if dial["usual"]
    ]
    run = {"run": "gallery:autoregressive,speculative,mtad", "key": "dials"}
    assert all(
        f" {number} " in figure(runs, run)["text"].replace(";", " ").replace(".\n", " ") + " " for number in numbers
    )
    assert sorted(text.split()[0] for text in texts) == sorted(number for number in numbers if number != "–")


def test_a_pdf_is_drawn_by_the_server(runs, monkeypatch):
    asked = []
    monkeypatch.setattr(library, "figure_image", lambda drawn, format: asked.append(format) or b"%PDF")
    assert b64decode(figure(runs, {"run": RUN, "key": "timeline", "format": "pdf"})["file"]) == b"%PDF"
    assert asked == ["pdf"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("x", "reload"),
        ({"run": RUN, "key": "../etc"}, "timeline, dials"),
        ({"run": "gone", "key": "timeline"}, "no longer"),
        ({"run": 1, "key": "dials"}, "no longer"),
    ],
)
def test_figures_that_are_not_there_are_refused(runs, request_, said):
    with pytest.raises(SpecvizError, match=said):
        figure(runs, request_)


def test_words_that_every_view_would_repeat_and_beams_beyond_counting_are_refused():
    trace = TRACES[2]
    method = replace(trace.header.method, texts={"accept": "a" * limits.MAX_OPENED_WORDS})
    model = replace(trace.header.target, name="a" * limits.MAX_OPENED_WORDS)
    for header in (replace(trace.header, method=method), replace(trace.header, target=model)):
        with pytest.raises(SpecvizError, match="header: has 50,.* characters"):
            open_text(KeptRuns(), trace_to_json(replace(trace, header=header)))
    beams = (BeamRecord((), trace.iterations[0].context_tail[-1], -1.0, False),) * (limits.MAX_OPENED_BEAMS + 1)
    crowded = replace(trace.iterations[0], beams=beams)
    with pytest.raises(SpecvizError, match=r"iterations\[0\].beams: has 65 entries"):
        open_text(KeptRuns(), trace_to_json(replace(trace, iterations=(crowded, *trace.iterations[1:]))))
