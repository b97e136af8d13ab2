"""The models that come along: their shape and size, and what their traces weigh."""

import gzip
import json

import pytest

import specviz
from specviz.decoding.registry.registry import methods
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import is_whole, path_of
from specviz.lm.loading.pairs import EMBEDDED
from specviz.lm.parts.heads import choose_tree
from specviz.trace.store import trace_to_json
from specviz.zoo.report.evaluation import Sample
from specviz.zoo.report.page import render

MB = 1_000_000


def test_the_target_is_deep_and_narrow_and_the_draft_shallow():
    target, draft = (
        json.loads((EMBEDDED / name / "config.json").read_text()) for name in ("fable-target", "fable-draft")
    )
    sizes = ("model_type", "hidden_size", "num_hidden_layers", "intermediate_size", "vocab_size")
    assert [target[size] for size in sizes] == ["llama", 256, 16, 704, 4096]
    assert [draft[size] for size in sizes] == ["llama", 256, 2, 704, 4096]
    assert target["dtype"] == draft["dtype"] == "bfloat16"


@pytest.fixture(scope="module")
def report():
    return json.loads((EMBEDDED / "report.json").read_text())


def test_the_report_is_about_the_files_that_are_there(report):
    assert report["files"] == {
        str(path.relative_to(EMBEDDED)): path.stat().st_size for path in EMBEDDED.glob("fable-*/*") if path.is_file()
    }
    names = {"target": "fable-target", "draft": "fable-draft", "draft-small": "fable-draft-small"}
    assert set(report["models"]) == set(names)
    for key, name in names.items():
        config = json.loads((EMBEDDED / name / "config.json").read_text())
        assert report["models"][key]["layers"] == config["num_hidden_layers"]
        assert report["models"][key]["width"] == config["hidden_size"]


def test_the_page_is_the_report_s(report):
    samples = [Sample(**sample) for sample in report["samples"]]
    assert (EMBEDDED / "README.md").read_text(encoding="utf-8") == render(report, samples)


def test_the_parts_are_those_of_the_report_and_of_this_pair(pair, report):
    parts = report["parts"]
    assert pair.heads.target == pair.target.fingerprint
    assert {kind: decider.draft for kind, decider in pair.deciders.items()} == dict.fromkeys(
        ("hidden", "entropy"), pair.draft.fingerprint
    )
    assert [list(path) for path in pair.heads.tree] == parts["heads"]["tree"]
    assert pair.heads.tree == choose_tree(pair.heads.accuracy) and len(pair.heads.tree) == 64
    assert len(pair.correlation.pairs) == parts["correlation"]["pairs"]
    assert pair.correlation.total == parts["correlation"]["total"]
    assert [model.name for model in pair.drafts] == ["fable-draft-small"]
    for domain, fit in parts["small"].items():  # measured on the same windows as the first draft
        assert fit["target_loss"] == pytest.approx(report["fits"][domain]["target_loss"], abs=1e-4)


def test_the_parts_do_what_they_are_for(report):
    """The heads know more than chance, later tokens are harder, r helps (Table 6), and decisions beat a constant."""
    for kind in ("text", "greedy"):
        for shares in report["parts"]["heads"][kind].values():
            first, last = shares["plain"][0], shares["plain"][-1]
            assert first[0] > last[0] > 0.02 and shares["corrected"][0][0] > first[0]
    assert report["parts"]["heads"]["measured"]["tree"] > report["parts"]["heads"]["measured"]["chain"]
    for calibration in report["parts"]["deciders"].values():
        assert calibration["brier"] < calibration["brier_constant"]


def test_every_file_fits_a_space_and_all_fit_the_repository():
    files = [path for path in EMBEDDED.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 10 * MB
    assert sum(path.stat().st_size for path in files if "fable-" in path.parent.name) < 60 * MB
    assert sum(path.stat().st_size for path in files) < 80 * MB  # the drafts of known models, too


@pytest.fixture(scope="module")
def pair():
    return specviz.load_pair(device="cpu", dtype="float32")


def test_target_and_draft_share_a_tokenizer(pair):
    assert (EMBEDDED / "fable-target" / "tokenizer.json").read_bytes() == (
        EMBEDDED / "fable-draft" / "tokenizer.json"
    ).read_bytes()
    assert pair.target.vocab_size == pair.draft.vocab_size == 4096 and pair.end_tokens == {0} and pair.context == 1024


@pytest.mark.full
@pytest.mark.every(4)
@pytest.mark.parametrize("method", methods())
def test_a_trace_of_64_tokens_stays_under_a_megabyte(pair, method):
    pair.end_tokens = frozenset()
    trace = specviz.decode(pair, method, "Once upon a time there was a queen who", max_new_tokens=64)
    assert len(trace.tokens) == 64 and len(trace_to_json(trace).encode()) < MB


ASSETS = EMBEDDED.parent


def _recorded():
    """Of every file that was recorded with models the fingerprints it names, by the models' names."""
    for path in (
        *ASSETS.glob("gallery/**/*.json"),
        *ASSETS.glob("openings/**/*.json"),
        *ASSETS.glob("lessons/traces/**/*.json"),
    ):
        header = json.loads(path.read_text())["header"]
        yield path, [header[role] for role in ("target", "draft") if header[role]]
    for path in ASSETS.glob("lab/*.jsonl.gz"):
        with gzip.open(path, "rt") as rows:
            yield path, [model for row in rows for model in json.loads(row)["models"].values()]
    for path in ASSETS.glob("guarantees/*.json"):
        yield path, list(json.loads(path.read_text())["pair"].values())


@pytest.mark.full
def test_what_was_recorded_was_recorded_with_these_models(pair):
    """What is not has to be made anew: ``specviz remake``. Of the chat model where it is on this machine."""
    chat = find_model("smollm2")
    pairs = [pair, *([specviz.load_pair("smollm2", device="cpu")] if is_whole(path_of(chat), chat) else [])]
    models = {model.name: model.fingerprint for one in pairs for model in (one.target, one.draft, *one.drafts)}
    files = dict(_recorded())
    assert len(files) > 70
    for file, named in files.items():
        assert all(models.get(model["name"], model["fingerprint"]) == model["fingerprint"] for model in named), file
        assert any(model["name"] in ("fable-target", "SmolLM2-135M-Instruct.Q4_1") for model in named), file
