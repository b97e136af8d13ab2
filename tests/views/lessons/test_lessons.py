"""Lessons: what a file may say, that every number is in the record, and that a damaged or hostile file is refused."""

import json
import re
import shutil

import pytest

from specviz.errors import SpecvizError
from specviz.facts.tokens import quoted
from specviz.trace.store import load_trace
from specviz.views.lessons.lesson import FOLDER, LIMIT, find_lesson, gallery_runs, lesson_names, load_lesson, texts
from specviz.views.lessons.payload import lesson_card, lesson_pictures, lesson_words, trimmed
from specviz.views.lessons.sketch import lesson_sketch, look_sketch
from specviz.views.lessons.values import DECISION, ITERATION, NODE, RUN, Facts, SceneRef, decision_of
from specviz.views.story.scenes import iteration_payload

BELOW = "uniform < acceptance_probability"
GOOD = """
title = "T"
minutes = 3
asks = "A?"
goal = "G"
takeaway = "K"
[runs]
spec = "gallery:speculative"
[question]
at = "spec.7.decision-1"
panels = ["probabilities"]
text = "Is {token} kept, with {target_prob} and {draft_prob}?"
[[question.choices]]
text = "no"
answer = "n"
[[question.choices]]
text = "yes"
answer = "y {acceptance_probability}"
right = true
holds = ["uniform < acceptance_probability", "accepted == true"]
[[steps]]
at = "spec.7.decision-1"
panels = ["decision"]
say = "The coin fell at {uniform}."
[[steps.misconceptions]]
think = "It was luck."
but = "The probability was {acceptance_probability}, the target's favourite {favourite}."
"""
THOUGHTS = {
    "coin": ("Why not take the top token?", "Target and draft probability: those are what the models say."),
    "residual": ("Why not resample from the target?",),
    "losing": ("Higher acceptance is higher speed.",),
}


@pytest.fixture(scope="module")
def recorded():
    return gallery_runs()


@pytest.fixture
def write(tmp_path, recorded):
    """Load a lesson with this text; ``change`` replaces a part of the good one."""

    def load(old="", new="", name="01-good.toml"):
        assert old in GOOD
        path = tmp_path / name
        path.write_text(GOOD.replace(old, new, 1) if old else GOOD, encoding="utf-8")
        return load_lesson(path, recorded)

    return load


@pytest.mark.parametrize("name", lesson_names())
def test_every_lesson_of_the_install_is_true_of_its_record(name, recorded):
    lesson = find_lesson(name, recorded)
    words = lesson_words(lesson)
    right = [choice for choice in words["question"]["choices"] if choice["right"]]
    assert len(right) == 1
    assert len(words["steps"]) >= 3
    assert any(step["misconceptions"] for step in words["steps"])
    shown = [words["title"], words["goal"], words["takeaway"], words["question"]["text"]]
    shown += [step["say"] for step in words["steps"]] + [choice["answer"] for choice in words["question"]["choices"]]
    assert not re.search(r"[{}]", " ".join(shown))


@pytest.mark.parametrize("name", lesson_names())
def test_no_number_of_a_text_is_written_by_hand(name, recorded):
    for where, text, _ in texts(find_lesson(name, recorded).script):
        assert not re.search(r"[2-9]|\d\d", re.sub(r"\{[^}]*\}", "", text)), where


def test_the_lessons_in_order():
    names = "why call coin residual block tree beams joint pruning losing lossless"
    assert list(lesson_names()) == names.split()


@pytest.mark.parametrize("name", THOUGHTS)
def test_the_named_misconceptions_stand_where_they_belong(name, recorded):
    said = [wrong.think for step in find_lesson(name, recorded).script.steps for wrong in step.misconceptions]
    assert set(THOUGHTS[name]) <= set(said)


def test_the_words_have_the_numbers_of_the_record(write, recorded):
    lesson = write()
    coin = recorded["speculative"].iterations[7].decisions[0]
    words = lesson_words(lesson)
    token, favourite = (
        quoted(recorded["speculative"].vocabulary, one) for one in (coin.token, DECISION["favourite"](coin))
    )
    said = re.fullmatch(r"Is (.+) kept, with (\S+) and (\S+)\?", words["question"]["text"])
    assert said[1] == token
    assert (float(said[2]), float(said[3])) == pytest.approx((coin.target_prob, coin.draft_prob), rel=0.05)
    assert words["steps"][0]["say"] == f"The coin fell at {coin.uniform:.2f}."
    assert favourite in words["steps"][0]["misconceptions"][0]["but"]
    assert words["steps"][0]["look"]["where"]["at"] == "0.7.decision-1"
    assert words["steps"][0]["look"]["where"]["run"] == "gallery:speculative,autoregressive"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "T"', "", "title"),
        ("minutes = 3", "minutes = 3\nextra = 1", "extra"),
        ("minutes = 3", 'minutes = "3"', "minutes"),
        ("minutes = 3", "minutes = 0", "minutes must be 1 to 60"),
        ("minutes = 3", "minutes = 2026-01-01", "no TOML of words and numbers"),
        ('title = "T"', 'title = "T', "no TOML"),
        ('title = "T"', 'title = " "', "1 to 1,200 characters"),
        ('goal = "G"', f'goal = "{"g" * 1201}"', "1 to 1,200 characters"),
        ('goal = "G"', 'goal = "{acceptance_probability}"', "where no step is shown"),
        ("gallery:speculative", "gallery:nothing", "no run of 'nothing' is recorded"),
        ("gallery:speculative", "gallery:nosuch/speculative", "no run of 'nosuch/speculative' is recorded"),
        ("gallery:speculative", "gallery:../gallery/speculative", "gallery:OPENING/METHOD"),
        (
            "gallery:speculative",
            "trace:../../gallery/04-speculative",
            "write gallery:METHOD, gallery:OPENING/METHOD or trace:NAME",
        ),
        ("gallery:speculative", "https://example.org", "write gallery:METHOD, gallery:OPENING/METHOD or trace:NAME"),
        ("gallery:speculative", "trace:missing", "cannot be read"),
        ("spec.7.decision-1", "spec.99.decision-1", "iteration index"),
        ("spec.7.decision-1", "spec.7.decision-9", "is no scene"),
        ("spec.7.decision-1", "other.7.decision-1", "run must be one of spec"),
        ("spec.7.decision-1", "spec.7", "RUN.ITERATION.SCENE"),
        ('panels = ["probabilities"]', 'panels = ["coins"]', "panels"),
        ('panels = ["probabilities"]', "panels = []", "name those to show"),
        ('panels = ["probabilities"]', 'panels = ["tree"]\nlight = "target"', "judges no drafted token"),
        ("{target_prob}", "{secret}", "no such value"),
        ("{target_prob}", "{__class__}", "no such value"),
        ("{target_prob}", "{target}", "no such value"),
        ("{target_prob}", "{spec.7.decision-1.target.probs}", "no path to a value"),
        ("right = true", "right = false", "exactly one is right"),
        (f'holds = ["{BELOW}", "accepted == true"]', "", "say what in the record makes this the right answer"),
        (BELOW, BELOW.replace("<", ">"), "the record says otherwise than 'uniform > acceptance_probability'"),
        (BELOW, "uniform", "is no claim"),
        (BELOW, 'uniform < \\"a\\"', "compares words with a number"),
        (BELOW, "__import__('os') == 0", "no such value"),
        (
            'say = "The coin',
            'breaks = true\nlanes = ["spec"]\nnumbers = ["speed"]\nsay = "The coin',
            "numbers must be of",
        ),
    ],
)
def test_a_damaged_or_hostile_file_is_refused_with_the_reason(write, old, new, said):
    with pytest.raises(SpecvizError, match=re.escape(said)) as refused:
        write(old, new)
    assert "01-good.toml" in str(refused.value)


def test_a_link_leads_into_the_page_only(write):
    for link in ("https://example.org", "javascript:alert(1)", "?view=race <b>"):
        with pytest.raises(SpecvizError, match="tries.0.link"):
            write("[runs]", f'[[tries]]\ntext = "t"\nlink = "{link}"\n[runs]')
    assert write("[runs]", '[[tries]]\ntext = "t"\nlink = "?view=race"\n[runs]').script.tries[0].link == "?view=race"


@pytest.mark.parametrize("name", ["Coin.toml", "01-.toml", "x y.toml"])
def test_a_file_of_another_name_is_refused(write, name):
    with pytest.raises(SpecvizError, match="is called like 03-coin.toml"):
        write(name=name)


def test_a_huge_file_is_not_read(tmp_path, recorded):
    path = tmp_path / "01-good.toml"
    path.write_text(GOOD + "#" * LIMIT)
    with pytest.raises(SpecvizError, match=f"more than {LIMIT} bytes"):
        load_lesson(path, recorded)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecvizError, match="no TOML"):
        load_lesson(path, recorded)


def test_a_lesson_finds_its_own_runs_beside_it(tmp_path, recorded):
    (tmp_path / "traces").mkdir()
    shutil.copy(FOLDER / "traces" / "sailor" / "1-mtad.json", tmp_path / "traces" / "sailor.json")
    path = tmp_path / "01-good.toml"
    path.write_text(
        GOOD.replace("gallery:speculative", "trace:sailor")
        .replace("spec.7.decision-1", "spec.8.decision-1")
        .replace(f'["{BELOW}", "accepted == true"]', '["kept == true"]')
        .replace("{uniform}", "{ratio}")
        .replace("{acceptance_probability}", "{joint_ratio}")
    )
    words = lesson_words(load_lesson(path, recorded))
    assert words["question"]["look"]["where"]["run"] == "lesson:sailor"


def test_a_lesson_may_show_a_race_that_the_page_opens_with(recorded):
    lesson = find_lesson("why", recorded)
    opening = load_trace(FOLDER.parent / "openings/sampled/04-speculative.json")
    assert lesson.runs["helped"] == opening != recorded["speculative"]
    asked, *_, lanes = [look["where"]["run"] for look in (step["look"] for step in lesson_words(lesson)["steps"])]
    assert asked == lanes == "gallery:sampled/autoregressive,sampled/speculative"
    assert lesson_words(lesson)["question"]["look"]["where"]["run"] == (
        "gallery:sampled/speculative,sampled/autoregressive"
    )


def test_a_verdict_is_predicted_once_and_never_after_it_was_told(recorded):
    lesson = find_lesson("coin", recorded)
    words = lesson_words(lesson)
    labels = [lesson.filled("{token}", step.ref).strip("“”") for step in lesson.script.steps]
    predicted = {number: step["predict"] for number, step in enumerate(words["steps"]) if step["predict"]}
    assert predicted == {
        1: {"label": labels[1], "verdict": "accepted"},
        2: {"label": labels[2], "verdict": "rejected"},
        3: {"label": labels[3], "verdict": "rejected"},
    }  # the first step is about the question's own token
    assert lesson_card(lesson)["asked"] == 4


@pytest.mark.parametrize("name", lesson_names())
def test_every_lesson_has_a_small_picture(name, recorded):
    drawn = lesson_sketch(find_lesson(name, recorded))
    assert bool(drawn["bars"]) != bool(drawn["nodes"])
    for bar in drawn["bars"]:
        assert all(0 <= share <= 1 for _, share in bar["lengths"])
    for at, node in enumerate(drawn["nodes"]):
        assert 0 <= node["x"] <= 1 and 0 <= node["y"] <= 1
        assert (node["parent"] is None) == (node["state"] == "context") and node["parent"] != at


def test_the_small_picture_of_a_question_tells_no_outcome(recorded):
    for name in lesson_names():
        lesson = find_lesson(name, recorded)
        drawn = look_sketch(lesson, lesson.script.question)
        assert not {node["state"] for node in (drawn or {"nodes": []})["nodes"]} & {"accepted", "rejected"}


def test_the_small_bars_are_those_of_the_record(recorded):
    lesson = find_lesson("coin", recorded)
    ref = lesson.script.question.ref
    coin = decision_of(recorded["speculative"].iterations[ref.iteration], ref.scene)
    marked = next(bar for bar in look_sketch(lesson, lesson.script.question)["bars"] if bar["marked"])
    assert dict(marked["lengths"]) == {"target": coin.target_prob, "draft": coin.draft_prob}


def test_an_unknown_name_is_refused_with_those_there_are(recorded):
    with pytest.raises(SpecvizError, match="lesson must be one of why, call, coin"):
        find_lesson("nope", recorded)


def test_the_question_gives_nothing_away(recorded):
    for name in lesson_names():
        lesson = find_lesson(name, recorded)
        if not lesson.script.question.panels:
            continue
        picture = lesson_pictures(lesson)[0]
        assert [(scene["title"], scene["sentence"], scene["formula"]) for scene in picture["scenes"]] == [("", "", "")]
        assert picture["text"]["emitted"] == []
        assert all(node["text"] == node["label"] and not node["formula"] for node in picture["nodes"])
        forest = picture["forest"]
        assert forest["key"] == {"marks": [], "notes": []} and "bonus" not in json.dumps(forest)
        assert all(guess["node"] is not None and guess["x"] <= forest["depth"] for guess in forest["guesses"])


def test_a_picture_holds_what_is_shown_and_nothing_else(recorded):
    payload = iteration_payload(recorded["speculative"], 7)
    cut = trimmed(payload, {"decision-1": {"decision"}, "draw": {"probabilities", "decision"}})
    assert [scene["key"] for scene in cut["scenes"]] == ["decision-1", "draw"]
    assert set(cut["scenes"][0]["panels"]) == {"decision"}
    assert set(cut["pictures"]) == {key for scene in cut["scenes"] for key in scene["panels"].values()}
    assert all(payload["pictures"][key] == picture for key, picture in cut["pictures"].items())


def test_values_are_those_of_the_record(recorded):
    facts = Facts({"spec": recorded["speculative"], "beams": recorded["dsbd"]})
    trace = recorded["speculative"]
    rejected = next(at for at, one in enumerate(trace.iterations) if one.decisions[0].accepted is False)
    ref = SceneRef("spec", rejected, "decision-1")
    coin, draw = trace.iterations[rejected].decisions[:2]
    target, draft, source = coin.target.table(), coin.draft.table(), draw.source.table()
    overlap = sum(min(prob, draft.get(token, 0)) for token, prob in target.items())
    best = max(target, key=target.get)
    assert facts.value("overlap", ref).raw == pytest.approx(overlap)
    assert facts.value("favourite", ref).raw == best
    assert facts.value("favourite_twice", ref).raw == pytest.approx(
        min(target[best], draft[best]) + (1 - overlap) * target[best]
    )
    assert facts.value(f"spec.{rejected}.draw.prob").raw == source[draw.token]
    assert facts.value("gamma", ref).raw == trace.header.options["gamma"]
    assert facts.value("spec.acceptance_rate").text == f"{100 * trace.metrics.acceptance_rate:.0f} %"
    layer = recorded["dsbd"].iterations[7].decisions[0]
    assert facts.value("beams.7.decision-1.reached").raw == layer.at_least[layer.width - 1]
    assert not set(DECISION) & set(NODE) and not set(ITERATION) & set(RUN)
