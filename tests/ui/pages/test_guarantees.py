"""What the page knows of the guarantees of methods."""

import json

import pytest

from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.registry.registry import methods
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.ui.pages.guarantees import FOLDER, load_guarantees, pair_on_page
from specviz.ui.serving.models import PairLoader
from specviz.views.race.race_view import guarantee_badge

FILE = FOLDER / "embedded.json"


def embedded():
    """What is known of each method on the embedded pair, which is measured first."""
    return {name: entries[0] for name, entries in load_guarantees().items()}


def test_every_method_has_a_meter_with_both_numbers():
    found = embedded()
    measured = json.loads(FILE.read_text(encoding="utf-8"))["methods"]
    assert list(found) == list(measured) and len(found) >= 20
    json.dumps(load_guarantees())
    for name, entry in found.items():
        method = methods()[name]
        assert entry["title"] == method.title
        assert entry["defaults"] == method.resolve()
        assert entry["guarantee"]["name"] == guarantee_badge(method.record(method.resolve()), claim_holds)["name"]
        assert 0 <= entry["exact"] <= 1
        assert 0 <= entry["measured"]["low"] <= entry["measured"]["value"] <= entry["measured"]["high"] <= 1
        assert all(entry["says"].values())
    assert found["mtad"]["number"] == ".73" and found["speculative"]["number"] == ""
    assert found["bild"]["number"] == "≤ .017"  # that a distance was not found is no claim that there is none
    assert "reference model" not in found["mtad"]["guarantee"]["help"]
    assert found["bpd"]["word"] == "greedy, exact" and found["bpd"]["measured"]["high"] == 0


def test_a_method_that_is_not_in_the_catalog_is_left_out(tmp_path):
    saved = json.loads(FILE.read_text(encoding="utf-8"))
    saved["methods"]["another"] = saved["methods"].pop("mtad")
    (tmp_path / "embedded.json").write_text(json.dumps(saved), encoding="utf-8")
    assert set(load_guarantees(tmp_path)) == set(load_guarantees()) - {"mtad"}


def test_a_method_has_an_entry_for_each_pair_it_was_measured_on(tmp_path):
    saved = json.loads(FILE.read_text(encoding="utf-8"))
    (tmp_path / "embedded.json").write_text(json.dumps(saved), encoding="utf-8")
    saved["pair"]["target"]["fingerprint"] = "another"
    del saved["methods"]["medusa"]
    (tmp_path / "other.json").write_text(json.dumps(saved), encoding="utf-8")
    (tmp_path / "spoilt.json").write_text("{", encoding="utf-8")
    found = load_guarantees(tmp_path)
    assert [entry["pair"]["target"] for entry in found["mtad"]][1] == "another" and len(found["medusa"]) == 1


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "{}", '{"methods": 3}', '{"methods": {"mtad": {}}}', '"\\ud800"']
)
def test_a_file_that_is_missing_or_damaged_leaves_the_page_without_meters(tmp_path, caplog, text):
    if text is not None:
        (tmp_path / "embedded.json").write_text(text, encoding="utf-8")
    assert load_guarantees(tmp_path) == {}
    assert "the guarantees are not shown" in caplog.text


@pytest.mark.parametrize("measured", [{"by_length": []}, {"equal": 0, "positions": 0}])
def test_a_number_that_is_damaged_leaves_the_page_without_meters(tmp_path, caplog, measured):
    saved = json.loads(FILE.read_text(encoding="utf-8"))
    saved["methods"]["mtad"]["measured"] = {"sentence": "", **measured}
    (tmp_path / "embedded.json").write_text(json.dumps(saved), encoding="utf-8")
    assert load_guarantees(tmp_path) == {}
    assert "the guarantees are not shown" in caplog.text


def test_which_models_are_loaded():
    pair = ModelPair(TableLM.random(3, 1), TableLM.random(3, 2))
    loader = PairLoader(lambda: pair)
    assert pair_on_page(loader) is None
    loader.start()
    assert loader.wait(60)
    assert pair_on_page(loader) == {"target": "table:3:1", "draft": "table:3:2"}
