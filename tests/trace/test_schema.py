"""The format's page and its committed schema: fresh, and obeyed by every file that comes along."""

import json
import re
from pathlib import Path

import pytest

from specviz.trace.decisions import known_kinds
from specviz.trace.record import VERSION, Trace
from specviz.trace.store import trace_from_json, trace_schema
from tests.trace.schema import problem

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/trace.schema.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/trace-format.md").read_text(encoding="utf-8")
FILES = sorted([*(ROOT / "assets/gallery").glob("*.json"), *(ROOT / "assets/lessons/traces").rglob("*.json")])


def test_the_committed_schema_is_fresh():
    again = "run: python -m specviz schema --out docs/trace.schema.json"
    assert json.loads(json.dumps(trace_schema())) == SCHEMA, again


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_of_the_gallery_and_the_lessons_obeys_it(file):
    assert problem(json.loads(file.read_bytes()), SCHEMA) is None


def test_there_are_files_to_check():
    assert len(FILES) >= 25 and trace_from_json(FILES[0].read_bytes()).version == VERSION


def test_a_file_that_does_not_obey_is_found():
    parsed = json.loads(FILES[0].read_bytes())
    for path, value in (
        ("mood", 1),
        ("stop", "tired"),
        ("iterations.0.offered", "4"),
        ("iterations.0.emitted.0.node", "x"),
    ):
        broken = json.loads(json.dumps(parsed))
        *above, last = path.split(".")
        place = broken
        for key in above:
            place = place[int(key) if key.isdigit() else key]
        place[last] = value
        assert problem(broken, SCHEMA) is not None, path


def test_the_page_names_every_field_and_every_rule():
    table = PAGE.split("## At the top")[1].split("## An iteration")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(SCHEMA["properties"])
    assert set(Trace.__dataclass_fields__) <= set(SCHEMA["properties"])
    rules = PAGE.split("**Decisions**")[1].split("**Methods")[0]
    rows = re.findall(r"^\| (`[^|]+`) \|", rules, re.MULTILINE)
    named = [rule for row in rows for rule in re.findall(r"`([\w-]+)`", row) if rule != "rule"]
    assert sorted(named) == sorted(kind.rule for kind in known_kinds())
    assert f"version {VERSION}" in PAGE
