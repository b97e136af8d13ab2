"""Forms are checked before anything runs: what is fine passes unchanged, what is not names the field and the range."""

import pytest

from specviz.decoding.registry.registry import methods
from specviz.errors import OptionError
from specviz.ui.catalog import SHARED_OPTIONS, form_setup
from specviz.ui.serving.limits import (
    MAX_NEW_TOKENS,
    MAX_PROMPT_CHARACTERS,
    MAX_SYSTEM_CHARACTERS,
    MAX_TURNS,
    MAX_TURNS_CHARACTERS,
)
from specviz.ui.settings import Refusal, read_settings, refusal_of

GOOD = {
    "run": "0123456789abcdef" * 2,
    "prompt": "Once upon a time",
    "lanes": [{"method": "autoregressive", "options": {}}, {"method": "speculative", "options": {"gamma": 6}}],
    "shared": {"temperature": 0.5, "top_k": None, "top_p": 0.9},
    "max_new_tokens": 64,
    "seed": 3,
}


def read(**changes):
    return read_settings(GOOD | changes)


def lanes(own):
    return [GOOD["lanes"][0], {"method": "mtad", "options": own}]


def test_a_good_form_is_read_as_it_is():
    settings = read()
    assert settings.lanes == (("autoregressive", {}), ("speculative", {"gamma": 6}))
    assert settings.shared == {"temperature": 0.5, "top_k": None, "top_p": 0.9}
    assert (settings.prompt, settings.max_new_tokens, settings.seed) == ("Once upon a time", 64, 3)


@pytest.mark.parametrize(
    "changes, field, said",
    [
        ({"prompt": "  "}, "prompt", "empty"),
        ({"prompt": None}, "prompt", "text"),
        ({"prompt": "a\ud800"}, "prompt", "^The prompt: holds half a character, .* at 1, .*: delete it"),
        ({"prompt": "x" * (MAX_PROMPT_CHARACTERS + 1)}, "prompt", f"{MAX_PROMPT_CHARACTERS:,}"),
        ({"max_new_tokens": 0}, "form-max_new_tokens", f"1 to {MAX_NEW_TOKENS}"),
        ({"max_new_tokens": MAX_NEW_TOKENS + 1}, "form-max_new_tokens", f"1 to {MAX_NEW_TOKENS}"),
        ({"max_new_tokens": True}, "form-max_new_tokens", "whole number"),
        ({"seed": -1}, "form-seed", "seed"),
        ({"seed": "abc"}, "form-seed", "abc"),
        ({"shared": {"temperature": -1}}, "shared-temperature", "temperature"),
        ({"shared": {"temperature": float("nan")}}, "shared-temperature", "temperature"),
        ({"shared": {"device": "cuda"}}, "shared-device", "no option"),
        ({"shared": []}, "shared", "reload"),
        ({"lanes": GOOD["lanes"][:1]}, "form", "2 to 4"),
        ({"lanes": GOOD["lanes"] * 3}, "form", "2 to 4"),
        ({"lanes": ["mtad", "mtad"]}, "lane-1-method", "choose one of"),
        ({"lanes": [GOOD["lanes"][0], {"method": "rm -rf"}]}, "lane-2-method", "choose one of"),
        ({"lanes": [GOOD["lanes"][0], {"method": "mtad", "options": {"tau": 2}}]}, "lane-2-tau", "Lane 2: tau"),
        ({"lanes": [GOOD["lanes"][0], {"method": "mtad", "options": {"tau": "9" * 5000}}]}, "lane-2-tau", "too long"),
        ({"lanes": lanes({"temperature": 99})}, "lane-2-temperature", "Lane 2: temperature"),
        ({"run": "../../etc"}, "form", "id"),
        ({"system": ["Be brief."]}, "system", "the system message must be text"),
        ({"system": "x" * (MAX_SYSTEM_CHARACTERS + 1)}, "system", "has 2,001 characters; this page takes up to 2,000"),
        ({"system": "a\ud800"}, "system", "^The system message: holds half a character"),
        ({"turns": "Who?"}, "prompt", "pairs of a question and its answer"),
        ({"turns": [["Who?"]]}, "prompt", "pairs of a question and its answer"),
        ({"turns": [["Who?", ""]]}, "prompt", "pairs of a question and its answer"),
        ({"turns": [["Who?", "a\ud800"]]}, "prompt", "^What was said before: holds half a character"),
        (
            {"turns": [["Who?", "I."]] * (MAX_TURNS + 1)},
            "prompt",
            f"up to {MAX_TURNS} turns and .* has {MAX_TURNS + 1} and",
        ),
        ({"turns": [["x" * MAX_TURNS_CHARACTERS, "I."]]}, "prompt", f"has 1 and {MAX_TURNS_CHARACTERS + 2:,}"),
    ],
)
def test_what_is_refused_and_why(changes, field, said):
    with pytest.raises(Refusal, match=said) as refusal:
        read(**changes)
    assert refusal.value.field == field
    assert len(str(refusal.value)) < 300


def test_a_race_is_the_same_whether_lanes_share_an_option_or_each_has_it():
    shared = read(lanes=lanes({"temperature": 0.8}))
    own = [
        {"method": name, "options": {"temperature": value}} for name, value in (("autoregressive", 0.5), ("mtad", 0.8))
    ]
    each = read(lanes=own, shared=GOOD["shared"] | {"temperature": 0.8})
    assert shared.lanes[1] == ("mtad", {"temperature": 0.8}) and shared.shared["temperature"] == 0.5
    assert shared.form == each.form != read(lanes=lanes({})).form


def test_a_conversation_is_asked_as_messages():
    plain, settings = read(), read(turns=[["Who?", "I."], ["Why?", "So."]])
    assert plain.asked == plain.prompt == settings.prompt and plain.form != settings.form
    assert plain.form == read(turns=[]).form
    roles, texts = zip(*((one["role"], one["content"]) for one in settings.asked), strict=True)
    assert roles == ("user", "assistant", "user", "assistant", "user")
    assert texts == ("Who?", "I.", "Why?", "So.", settings.prompt)


def test_a_system_message_comes_before_everything():
    said = {"role": "system", "content": "Be brief."}
    settings = read(system="Be brief.\n")
    assert settings.asked == [said, {"role": "user", "content": settings.prompt}]
    assert read(system=" ").asked == settings.prompt and read(system=" ").form == read().form != settings.form
    assert settings.form != read(pair="Be brief.").form  # the name of models is no system message
    asked = read(system="Be brief.", turns=[["Who?", "I."]]).asked
    assert (asked[0], len(asked)) == (said, 4)


def test_an_error_about_a_lanes_own_temperature_is_at_its_field():
    error = OptionError("no", argument="temperature")
    error.lane = 1
    assert refusal_of(error, read(lanes=lanes({"temperature": 0.8}))).field == "lane-2-temperature"
    assert refusal_of(error, read(lanes=lanes({}))).field == "lane-2-method"


@pytest.mark.parametrize("form", [None, [], "x", 7, {}])
def test_anything_that_is_no_form_is_refused(form):
    with pytest.raises(Refusal):
        read_settings(form)


def test_the_form_offers_every_method_and_option_of_the_catalog():
    setup = form_setup()
    assert [method["name"] for method in setup["methods"]] == list(methods())
    assert sorted(name for family in setup["families"] for name in family["methods"]) == sorted(methods())
    assert all(family["title"] and family["methods"] for family in setup["families"])
    for described in setup["methods"]:
        own = {option["name"] for option in described["options"]}
        assert own | set(SHARED_OPTIONS) == set(methods()[described["name"]].options)


def test_a_top_k_of_0_is_saved_as_off():
    given, off = (read(shared={"top_k": value}, lanes=lanes({"top_k": value})) for value in (0, None))
    assert given == off and given.shared == {"top_k": None} and given.lanes[1][1] == {"top_k": None}
    assert given.form == off.form
