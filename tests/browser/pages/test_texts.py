"""Strips of pieces as texts: read in the direction of their letters, whole where a character is split over tokens, and
copied without their marks; translated by nobody."""

import pytest
from playwright.sync_api import expect

from specviz.ui.pages.forest import START
from specviz.ui.serving.models import PairLoader
from tests.browser.conftest import served
from tests.browser.pages.test_playback import bar
from tests.recorded import load_gallery
from tests.spoken_traces import HEBREW, SPLIT, spoken

STRIPS = {  # where it is: what the strip says, and how the page with it is opened
    "race": ("", ".sv-lane:nth-child(2) .sv-text"),
    "strip": ("?view=microscope&at=1.2.commit", ".sv-strip"),
    "forest": ("?view=forest", ".sv-forest-before"),
}
WRITTEN = "שלום עולם GPT כותב\nabc עוד"
SAID = {
    "race": WRITTEN,
    "strip": f"מה שלומך?\n{WRITTEN}",
}
LETTERS = """strip => {
  const found = [];
  const walk = document.createTreeWalker(strip, NodeFilter.SHOW_TEXT);
  while (walk.nextNode())
    for (let at = 0; at < walk.currentNode.length; at++) {
      const range = new Range();
      range.setStart(walk.currentNode, at);
      range.setEnd(walk.currentNode, at + 1);
      const { left, top } = range.getBoundingClientRect();
      found.push([walk.currentNode.data[at], left, Math.round(top)]);
    }
  return found;
}"""  # every letter of a strip, and where it stands
COPIED = "strip => { getSelection().selectAllChildren(strip); return getSelection().toString(); }"
UNSPLIT = """strip => {
  const [split, whole] = [strip.cloneNode(true), strip.cloneNode(false)];
  whole.textContent = strip.textContent;
  const widths = [split, whole].map((one) => {
    one.style.cssText = 'position: fixed; width: max-content; max-height: none; padding: 0; white-space: nowrap';
    for (const mark of one.querySelectorAll('.mark')) mark.remove();
    strip.after(one);
    const { width } = one.getBoundingClientRect();
    one.remove();
    return width;
  });
  return widths;
}"""


@pytest.fixture(scope="module")
def hebrew(tiny_pair, gallery):
    yield from _served(tiny_pair, gallery, HEBREW)


@pytest.fixture(scope="module")
def hebrew_forest(tiny_pair):
    """A recorded run that has a forest for others to judge, each of its tokens a word of Hebrew."""
    (trace,) = (one for one in load_gallery() if one.header.method.name == START[0])
    words = {token: HEBREW[(12, 2, 3)[token % 3]] for token in trace.vocabulary}
    yield from _served(tiny_pair, [trace], words)


@pytest.fixture(scope="module")
def split(tiny_pair, gallery):
    yield from _served(tiny_pair, gallery, SPLIT)


def _served(pair, gallery, words):
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(60)
    with served(loader, [spoken(trace, words) for trace in gallery]) as url:
        yield url


def opened(visit, site, name):
    address, selector = STRIPS[name]
    strip = visit(site + address).locator(selector)
    expect(strip).not_to_be_empty()
    return strip


@pytest.mark.every(2)
@pytest.mark.parametrize("name", SAID)
def test_letters_stand_in_the_order_in_which_they_are_read(visit, hebrew, name):
    strip = opened(visit, hebrew, name)
    letters = strip.evaluate(LETTERS)
    assert "".join(letter for letter, _, _ in letters) == SAID[name]
    begin = SAID[name].index("שלום עולם GPT כותב")
    line = letters[begin : begin + len("שלום עולם GPT כותב")]
    assert len({top for _, _, top in line}) == 1
    by_place = "".join(letter for letter, _, _ in sorted(line, key=lambda one: -one[1]))
    assert by_place.replace(" ", "") == "שלוםעולםTPGכותב"  # from right to left, the English word from left to right
    assert strip.evaluate("strip => strip.matches(':dir(rtl)')")


def test_a_line_of_the_other_direction_begins_at_the_other_side(visit, hebrew):
    strip = opened(visit, hebrew, "race")
    behind_the_name = strip.evaluate(LETTERS)[0][1]
    strip.evaluate("strip => delete strip.dataset.model")
    letters, text = strip.evaluate(LETTERS), strip.bounding_box()
    (_, first, _), (_, english, _) = letters[0], letters[WRITTEN.index("abc")]
    assert first > text["x"] + 0.8 * text["width"] and english < text["x"] + 0.2 * text["width"]
    assert behind_the_name < first  # the model's name begins the line, on the right as the text does


@pytest.mark.full
def test_the_context_of_a_forest_is_read_in_its_own_direction(visit, hebrew_forest):
    strip = opened(visit, hebrew_forest, "forest")
    letters = strip.evaluate(LETTERS)
    assert [place for _, place, _ in letters[:2]] == sorted((place for _, place, _ in letters[:2]), reverse=True)


@pytest.mark.full
def test_the_key_that_points_on_leads_on(visit, hebrew):
    strip = opened(visit, hebrew, "race")
    tokens = strip.locator(".sv-token")
    tokens.first.focus()
    strip.page.keyboard.press("ArrowLeft")
    expect(tokens.nth(1)).to_be_focused()
    strip.page.keyboard.press("ArrowRight")
    expect(tokens.first).to_be_focused()


@pytest.mark.full
@pytest.mark.parametrize("name", ["race", "strip"])
def test_characters_that_are_split_over_tokens_stay_whole(visit, split, name):
    apart, whole = opened(visit, split, name).evaluate(UNSPLIT)
    assert apart == pytest.approx(whole, abs=0.5)  # letters are joined, marks stand over theirs, one emoji is one


@pytest.mark.parametrize("name", SAID)
def test_a_strip_is_copied_as_its_text(visit, hebrew, name):
    assert opened(visit, hebrew, name).evaluate(COPIED) == SAID[name]


@pytest.mark.full
@pytest.mark.parametrize("name", STRIPS)
def test_nothing_of_a_model_is_translated(visit, request, name):
    page = opened(visit, request.getfixturevalue("hebrew_forest" if name == "forest" else "hebrew"), name).page
    named = ".sv-pieces *, .sv-grown, .sv-drawing, .sv-stage, .sv-asked"
    translated = f"""() => [...document.querySelectorAll('{named}')]
        .filter((one) => one instanceof HTMLElement && one.translate).map((one) => one.outerHTML)"""
    assert page.evaluate(translated) == []
    assert page.locator("h1").first.evaluate("heading => heading.translate")


@pytest.mark.full
def test_side_by_side_and_a_film_read_the_same_way(visit, hebrew):
    page = visit(f"{hebrew}?beside=3")
    written = page.locator(".sv-beside-drawing [data-lane='1'] text").nth(2)
    expect(written).to_have_text("writes \u2068·עולם·GPT·כותב↵abc\u2069")
    places = written.evaluate("text => [8, 13, 18].map((at) => text.getStartPositionOfChar(at).x)")
    assert places == sorted(places, reverse=True)
    page = visit(hebrew)
    page.evaluate("""() => {
      const write = CanvasRenderingContext2D.prototype.fillText;
      window.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.written.push(`${this.direction} ${text}`);
        return write.call(this, text, ...place);
      };
    }""")
    bar(page).get_by_label("How much slower").select_option("1")
    bar(page).locator(".sv-save > summary").click()
    with page.expect_download():
        page.get_by_role("button", name="As a video").click()
    lines = page.evaluate("window.written")
    assert {"rtl שלום·עולם·GPT·כותב↵abc", "ltr \u2068מה שלומך?\n\u2069"} <= {
        line.replace("inherit", "ltr") for line in lines
    }
