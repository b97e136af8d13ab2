"""The exported file: one constant page around data, which no reader of it takes for markup."""

import json
import re
from html.parser import HTMLParser

import pytest

from specviz.errors import SpecvizError
from specviz.views.story.document import KINDS, PLAYER, POLICY, SCRIPT, STYLES, document
from specviz.views.story.scenes import iteration_payload
from tests.saved_file import held
from tests.traces import speculative_trace

HOSTILE = "</script><script>alert(1)</script><!-- <script> ' \" & \u2028 \u05d0"


class Page(HTMLParser):
    """Start tags with their attributes, and the texts of script and title elements."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self._open = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open = (tag, dict(attributes).get("id"))

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.texts[self._open] = self.texts.get(self._open, "") + data


@pytest.fixture(scope="module")
def data():
    return {"title": HOSTILE, "payloads": [iteration_payload(speculative_trace(), 0)], "note": HOSTILE}


def test_the_data_comes_back_as_it_was(data):
    text = document(HOSTILE, "step", data)
    written = held(text)
    assert written["kind"] == "step"
    assert written["data"] == json.loads(json.dumps(data))
    assert written["glossary"]["target"]
    assert Page(text).texts["title", None] == HOSTILE


def test_nothing_in_the_data_adds_an_element(data):
    hostile = Page(document(HOSTILE, "step", data)).tags
    harmless = Page(document("A step", "step", {"title": "A step", "payloads": []})).tags
    assert hostile == harmless


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_asks_for_nothing(kind):
    page = Page(document("A step", kind, {"title": "A step"}))
    assert not [tag for tag, attributes in page.tags if attributes.keys() & {"src", "href", "srcset", "action"}]
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy == POLICY
    sources = dict(part.split(" ", 1) for part in policy.split("; "))
    assert sources.pop("default-src") == "'none'"
    assert not re.search(r"https?:|\*|self|unsafe-eval", " ".join(sources.values()))


def test_every_script_and_style_of_a_kind_exists():
    assert SCRIPT.is_file()
    used = {*STYLES, *(name for styles in KINDS.values() for name in styles)}
    assert all((PLAYER / name).is_file() for name in used)


def test_a_script_cannot_end_its_element(tmp_path, data, monkeypatch):
    script = tmp_path / "script.js"
    script.write_text("const hostile = ['</script>', '</SCRIPT >', '<!-- <script>'];", encoding="utf-8")
    harmless = Page(document("A step", "step", data)).tags
    monkeypatch.setattr("specviz.views.story.document.SCRIPT", script)
    assert Page(document("A step", "step", data)).tags == harmless


def test_refusals():
    with pytest.raises(SpecvizError, match="kind must be 'step' or 'lesson' or .* or 'race', got 'poster'"):
        document("A poster", "poster", {})
    with pytest.raises(SpecvizError, match="plain JSON data"):
        document("A step", "step", {"payloads": object()})
    with pytest.raises(SpecvizError, match="plain JSON data"):
        document("A step", "step", {"payloads": float("nan")})
