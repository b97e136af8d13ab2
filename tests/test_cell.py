"""What a notebook's cell shows: a trace as its steps, traces as the film of a race; whatever is in them stays text."""

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import specviz
from specviz.errors import OptionError, SpecvizError
from specviz.facts.tokens import END, emitted_piece
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.notebook import HEIGHT, MOST_STEPS
from tests.saved_file import held
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

HOSTILE = "</script><img src=x onerror=alert(1)>\"' & \u2028 </noscript></iframe>"
TAGS = ["iframe", "noscript"]


class Page(HTMLParser):
    """Start tags with their attributes, and all text."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.text = list[tuple[str, dict]](), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    @property
    def frame(self) -> dict:
        [attributes] = [attributes for tag, attributes in self.tags if tag == "iframe"]
        return attributes


def cell(shown) -> Page:
    """The HTML of what shows itself."""
    return Page(shown._repr_mimebundle_()["text/html"])


def data(shown) -> dict:
    return held(cell(shown).frame["srcdoc"])["data"]


@pytest.fixture(scope="module")
def pair():
    return ModelPair(TableLM.random(5, seed=1), TableLM.random(5, seed=2))


def hostile(trace):
    """The same in a hostile prompt, vocabulary, text, and method's name and title."""
    header = trace.header
    return replace(
        trace,
        header=replace(
            header, prompt_text=HOSTILE, method=replace(header.method, name=HOSTILE, title=HOSTILE, summary=HOSTILE)
        ),
        vocabulary=dict.fromkeys(trace.vocabulary, HOSTILE),
        iterations=tuple(
            replace(turn, emitted=tuple(replace(one, piece=HOSTILE) for one in turn.emitted))
            for turn in trace.iterations
        ),
    )


SHOWN = {"steps": mtad_trace, "race": lambda: specviz.show([autoregressive_trace(), mtad_trace()])}


@pytest.mark.parametrize("make", SHOWN.values(), ids=SHOWN)
def test_a_cell_has_a_frame_that_asks_for_nothing_and_words(make):
    bundle = make()._repr_mimebundle_()
    assert bundle.keys() == {"text/plain", "text/html"}
    assert "MTAD" in bundle["text/plain"]
    page = cell(make())
    assert page.frame["sandbox"] == "allow-scripts allow-downloads allow-popups"  # not the notebook's own origin
    assert page.frame["title"] == bundle["text/plain"]
    assert f"height:{HEIGHT}px" in page.frame["style"]
    asks = {"src", "href", "srcset", "action", "data", "poster"}
    for tags in (page.tags, Page(page.frame["srcdoc"]).tags):
        assert not [tag for tag, attributes in tags if attributes.keys() & asks]
    assert "default-src 'none'" in page.frame["srcdoc"]
    addresses = set(re.findall(r"https?://[\w./-]+", bundle["text/html"]))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}  # names, not places


@pytest.mark.parametrize("several", [False, True], ids=["steps", "race"])
def test_hostile_words_stay_text(several):
    def made(trace):
        return cell(specviz.show([trace, trace]) if several else trace)

    shown, harmless = made(hostile(speculative_trace())), made(speculative_trace())
    for page in (shown, Page(shown.frame["srcdoc"])):
        assert "img" not in [tag for tag, _ in page.tags]
    assert [tag for tag, _ in shown.tags] == [tag for tag, _ in harmless.tags]
    inside, usual = Page(shown.frame["srcdoc"]), Page(harmless.frame["srcdoc"])
    assert inside.tags == usual.tags
    assert HOSTILE in shown.frame["title"] and HOSTILE in inside.text
    assert shown.text.count(HOSTILE.split("\u2028")[0]) >= len(speculative_trace().tokens)
    assert "alert" not in shown.frame["onload"]


def test_a_trace_is_its_steps_from_the_first_that_kept_a_guess(pair):
    trace = specviz.decode(pair, "speculative", [0], max_new_tokens=8, seed=2, gamma=2)
    assert not trace.iterations[0].accepted
    shown = data(trace)
    assert [one["iteration"] for one in shown["payloads"]] == [*range(len(trace.iterations))]
    assert trace.iterations[shown["first"]].accepted
    assert not any(turn.accepted for turn in trace.iterations[: shown["first"]])
    assert shown["at"] == "decision-1" and shown["title"] == trace.header.method.title
    chosen = data(specviz.show(trace, 1, "commit", height=900))
    assert (chosen["first"], chosen["at"]) == (1, "commit")
    assert "height:900px" in cell(specviz.show(trace, height=900)).frame["style"]
    assert repr(specviz.show(trace)) == f"Speculative decoding: {trace!r}"
    assert data(autoregressive_trace())["first"] == 0


def test_a_long_run_is_shown_around_the_iteration_that_is_asked_for(pair):
    trace = specviz.decode(pair, "autoregressive", [0], max_new_tokens=MOST_STEPS + 20, seed=1)
    for iteration, begin in ((0, 0), (MOST_STEPS // 2 + 7, 7), (MOST_STEPS + 19, 20)):
        shown = data(specviz.show(trace, iteration))
        numbers = [one["iteration"] for one in shown["payloads"]]
        assert numbers == [*range(begin, begin + MOST_STEPS)]
        assert numbers[shown["first"]] == iteration


def test_without_scripts_there_are_the_text_and_every_step_in_words():
    trace = speculative_trace()
    page = cell(trace)
    assert text_of(trace) in page.text
    for payload in data(trace)["payloads"]:
        assert f"Iteration {payload['iteration'] + 1}" in page.text
        for step in payload["scenes"]:
            assert f"{step['title']}. {step['sentence']}" in page.text
    assert {tag for tag, _ in page.tags} == {*TAGS, "p", "em", "span", "details", "summary", "ol", "li"}
    race = cell(specviz.show([autoregressive_trace(), trace]))
    assert "Speculative decoding emitted" in race.text
    assert text_of(autoregressive_trace()) in race.text and text_of(trace) in race.text


def text_of(trace) -> str:
    pieces = [emitted_piece(trace, token) for turn in trace.iterations for token in turn.emitted]
    return "".join(pieces).replace(END, "end of answer")


def test_a_race_is_its_lanes_in_order_whatever_it_comes_from(pair):
    lanes = ["mtad", ("speculative", {"gamma": 2}), ("speculative", {"gamma": 3})]

    def race():
        return specviz.race(pair, lanes, [0], max_new_tokens=8, seed=3)

    kept = {lane.index: lane for lane, _ in race()}
    traces = [kept[index].trace() for index in sorted(kept)]
    titles = [kept[index].title for index in sorted(kept)]
    for run in (race(), traces, tuple(traces), iter(traces), [kept[index] for index in (2, 0, 1)]):
        shown = data(specviz.show(run))
        assert [lane["title"] for lane in shown["race"]["lanes"]] == titles
        assert [len(lane["tokens"]) for lane in shown["race"]["lanes"]] == [8, 8, 8]
        assert len(shown["motion"]) == 3 and shown["race"]["verdict"]
    alone = data(specviz.show([traces[0], traces[0]]))
    assert len(alone["race"]["lanes"]) == 2


def test_a_race_says_what_of_its_own_methods_is_proven(pair):
    mine = specviz.Method(name="mine", drafter=specviz.drafters()["chain"], verifier=specviz.verifiers()["token"])
    built_in, own = (specviz.decode(pair, method, [0], max_new_tokens=4, gamma=2) for method in ("speculative", mine))
    renamed = replace(own, header=replace(own.header, method=replace(own.header.method, verifier="nobody's")))
    badges = [lane["guarantee"]["name"] for lane in data(specviz.show([built_in, own, renamed]))["race"]["lanes"]]
    assert badges == ["lossless", "lossless", "own method, not checked"]


def test_a_run_without_a_record_is_words_alone_but_has_a_film(pair):
    trace = specviz.decode(pair, "speculative", [0], max_new_tokens=6, record=False, gamma=2)
    assert trace._repr_mimebundle_() == {"text/plain": f"{trace!r}: {refusal(trace)}"}
    assert [one["guesses"] for one in data(specviz.show([trace]))["motion"][0]["iterations"]] == [[]] * len(
        trace.iterations
    )


def refusal(trace) -> str:
    with pytest.raises(SpecvizError) as error:
        specviz.show(trace)
    return str(error.value)


def test_a_run_without_iterations_is_words_alone():
    empty = replace(speculative_trace(), iterations=(), stop="stopped")
    assert refusal(empty) == "this run has no iterations to show"
    assert empty._repr_mimebundle_() == {"text/plain": f"{empty!r}: this run has no iterations to show"}
    assert data(specviz.show([empty, speculative_trace()]))["race"]["lanes"][0]["tokens"] == []


@pytest.mark.parametrize("shown", [mtad_trace(), specviz.show([mtad_trace()])], ids=["trace", "race"])
def test_a_notebook_may_choose(shown):
    bundle = shown._repr_mimebundle_()
    assert shown._repr_mimebundle_(include=None, exclude=None) == bundle
    assert shown._repr_mimebundle_(include={"text/plain", "image/png"}).keys() == {"text/plain"}
    assert shown._repr_mimebundle_(exclude=["text/plain"]).keys() == {"text/html"}
    assert shown._repr_mimebundle_(include=["text/html"], exclude=["text/html"]) == {}


TAKES = "show takes a trace, traces, or what race yields; got "


@pytest.mark.parametrize(
    "run, got",
    [
        (3, "3"),
        (None, "None"),
        ("abc", "'abc'"),
        ([], "none of them"),
        ([mtad_trace(), 4], "4"),
        ([()], "\\(\\)"),
        ({"a": 1}, "'a'"),
    ],
    ids=str,
)
def test_what_is_no_run_is_named(run, got):
    with pytest.raises(OptionError, match=f"^{TAKES}{got}$") as error:
        specviz.show(run)
    assert error.value.argument == "run"


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"iteration": 3}, "iteration must be 0 to 2, got 3"),
        ({"iteration": -1}, "iteration must be 0 to 2, got -1"),
        ({"height": 199}, "height must be 200 to 4000 pixels, got 199"),
        ({"height": 4001}, "height must be 200 to 4000 pixels, got 4001"),
    ],
)
def test_what_there_is_not_is_refused(arguments, says):
    with pytest.raises(OptionError, match=f"^{says}$") as error:
        specviz.show(speculative_trace(), **arguments)
    assert error.value.argument in arguments


@pytest.mark.parametrize("argument", [{"iteration": 0}, {"scene": "commit"}])
def test_a_race_has_no_step_to_open(argument):
    [name] = argument
    with pytest.raises(OptionError, match=f"a race is shown whole: {name} is for one trace"):
        specviz.show([speculative_trace()], **argument)


def test_the_document_is_one_attribute_of_the_frame():
    shown = specviz.show(speculative_trace())
    assert cell(shown).frame["srcdoc"] == shown.html
    assert html.escape(shown.html) in shown._repr_mimebundle_()["text/html"]
