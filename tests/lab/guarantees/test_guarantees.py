"""Lossless or not: what ``assets/guarantees`` says is about this catalog, and how it is measured finds what is
true."""

import json
import math
from pathlib import Path

import pytest

from specviz.__main__ import main
from specviz.decoding.exact.distance import PROMPTS, SIZES
from specviz.decoding.exact.distribution import NO_WARP, exact_distribution
from specviz.decoding.exact.guarantee_distance import exact_distance, sizes_of, whole_reference_pair
from specviz.decoding.exact.references import TargetReference
from specviz.decoding.registry.catalog import BUILT_IN
from specviz.errors import SpecvizError
from specviz.lab.guarantees import measured as guarantees
from specviz.lab.guarantees.measured import (
    fingerprints,
    held_against,
    measure_guarantees,
    options_of,
    outcomes_of,
    seed_of,
)
from specviz.lab.guarantees.sample_distance import compare
from specviz.lab.guarantees.words import give_or_take, share, word
from specviz.lm.getting.catalog import MODELS
from specviz.lm.getting.getting import is_whole, path_of
from specviz.lm.loading.pairs import load_pair
from specviz.lm.warp import Warp
from specviz.trace.distribution import total_variation
from tests.tiny_pair import write_pair

AGAIN = "run: python -m specviz remake laws"
FILES = sorted((Path(__file__).resolve().parents[3] / "assets" / "guarantees").glob("*.json"))
SLOW = {"dsbd", "spectr"}  # to be enumerated whole, here
EXACT = 1e-9
METHODS = {method.name: method for method in BUILT_IN}


@pytest.fixture(scope="module", params=FILES, ids=lambda file: file.stem)
def measured(request):
    return json.loads(request.param.read_text(encoding="utf-8"))


# The file


def test_every_method_of_the_catalog_was_measured(measured):
    """Without the three that read heads on the target, where the target has none."""
    heads = {"bpd", "medusa", "slim"} if measured["pair"]["target"]["name"] != "fable-target" else set()
    assert list(measured["methods"]) == [name for name in METHODS if name not in heads], AGAIN
    for name, entry in measured["methods"].items():
        assert (entry["guarantee"], entry["word"]) == (METHODS[name].guarantee, word(METHODS[name])), AGAIN
    assert measured["options"] == {"temperature": 1.0, "top_k": 20, "top_p": 0.9}


@pytest.mark.full
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_file_is_about_the_pair_of_its_name(file):
    model = MODELS.get(file.stem)
    if model and not is_whole(path_of(model), model):
        pytest.skip(f"not on this machine: python -m specviz models get {file.stem}")
    measured, pair = json.loads(file.read_text(encoding="utf-8")), load_pair(model and file.stem, device="cpu")
    assert measured["pair"] == fingerprints(pair), AGAIN
    assert measured["prompt"]["tokens"] == list(pair.encode(measured["prompt"]["text"])), AGAIN


@pytest.mark.every(5)
@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
def test_the_exact_number_is_what_is_computed(name):
    found = exact_distance(METHODS[name])
    for file in FILES:
        entry = json.loads(file.read_text(encoding="utf-8"))["methods"].get(name)
        assert entry is None or entry["exact"]["distance"] == pytest.approx(found.distance, abs=EXACT), AGAIN


def test_exactly_the_lossy_methods_are_away_from_their_guarantee(measured):
    for name, entry in measured["methods"].items():
        distance = entry["exact"]["distance"]
        plain = METHODS[name].guarantee_for(temperature=1.0, top_k=None, top_p=None)  # as the exact number is computed
        assert (distance > 0.01) if plain == "lossy" else (distance < EXACT), name
        if METHODS[name].distance is not None:
            assert distance == pytest.approx(METHODS[name].distance, abs=5e-4)


def test_runs_of_lossless_methods_are_as_far_from_the_guarantee_as_noise_says(measured):
    shown = {
        name: entry["measured"]["by_length"]
        for name, entry in measured["methods"].items()
        if entry["guarantee"] in ("target", "beam")
    }
    checks = [(name, one) for name, lengths in shown.items() for one in lengths]
    assert all(one["samples"] >= 1000 for _, one in checks)
    for name, one in checks:  # so many checks that one in twenty is outside by accident: no one of them by much
        assert one["as_far"] > 0.05 / len(checks), (name, one)
        assert one["excess"] < 2 * one["error"], (name, one)
    inside = sum(one["low"] <= one["tv"] <= one["high"] for _, one in checks)
    assert inside >= 0.85 * len(checks)
    assert abs(sum(one["excess"] for _, one in checks) / len(checks)) < 0.01


def test_runs_of_lossy_methods_are_farther_where_the_file_says_so(measured):
    far = {}
    for name, entry in measured["methods"].items():
        if entry["guarantee"] == "lossy":
            longest = entry["measured"]["by_length"][-1]
            far[name] = longest["excess"] > longest["error"]
            assert far[name] == ("no difference" not in entry["measured"]["sentence"])
            assert not far[name] or longest["tv"] > longest["high"]
    assert far["mtad"] and far["mtjd"] and far["typical"]


def test_methods_that_draw_nothing_write_what_plain_decoding_writes(measured):
    for name, entry in measured["methods"].items():
        if entry["guarantee"] in ("greedy", "beam search"):
            counted = entry["measured"]
            assert counted["equal"] == counted["positions"] > 300, name


def test_the_sentences_have_the_numbers(measured):
    mtad = measured["methods"]["mtad"]
    assert "is .39 from the target's" in mtad["exact"]["sentence"]
    longest = mtad["measured"]["by_length"][-1]
    for said in (
        f"{longest['samples']:,} runs",
        measured["prompt"]["text"],
        share(longest["tv"]),
        give_or_take(longest),
    ):
        assert said in mtad["measured"]["sentence"]


# How it is measured


def test_sizes_of_drafts_alone_are_changed():
    for method in METHODS.values():
        sizes = sizes_of(method)
        assert method.guarantee_for(**sizes) == method.guarantee
        assert all(method.options[name].kind in ("integer", "integers") for name in sizes)


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize(("name", "truth"), [("mtad", 0.386), ("speculative", 0.0)])
def test_the_distance_of_a_rule_is_found_by_running_it(name, truth):
    """On the reference pair the distance is known: the mean over its prompts is the catalog's."""
    pair, method, runs = whole_reference_pair(), METHODS[name], 1200
    sizes = {key: size for key, size in SIZES.items() if key in method.options} | NO_WARP
    found, distances = [], []
    for prompt in PROMPTS:
        reference = TargetReference(pair.target, prompt, Warp(), pair.end_tokens)
        guarantee = held_against(method, reference, 1, 2)
        seeds = [seed_of(f"{name} after {prompt}", run) for run in range(runs)]
        texts = [outcomes_of(pair, method, prompt, seed, 2, **sizes)[-1][0] for seed in seeds]
        found.append(compare(texts, guarantee))
        distances.append(total_variation(exact_distribution(pair, method, prompt, 2, restart=True, **sizes), guarantee))
    assert sum(distances) / 3 == pytest.approx(truth, abs=5e-4)
    for one, distance in zip(found, distances, strict=True):
        assert abs(one.excess - distance) <= 1.5 * one.error
        assert (one.tv > one.high) == (truth > 0)
    error = math.sqrt(sum(one.error**2 for one in found)) / 3
    assert abs(sum(one.excess for one in found) / 3 - truth) <= error


def test_beams_are_held_against_beam_sampling():
    pair, method = whole_reference_pair(), METHODS["dsbd"]
    reference = TargetReference(pair.target, (0,), Warp(), pair.end_tokens)
    options = options_of(method) | {"gamma": 2} | NO_WARP
    layers = [outcomes_of(pair, method, (0,), seed_of("dsbd", run), 2, **options) for run in range(800)]
    (width,) = {len(first) for first, _ in layers}
    assert width == METHODS["beam"].options["beams"].default
    for n_tokens in (1, 2):
        texts = [found[n_tokens - 1][0] for found in layers]
        right, wrong = (compare(texts, held_against(method, reference, beams, n_tokens)) for beams in (width, 1))
        assert abs(right.excess) <= right.error
        assert n_tokens == 1 or wrong.excess > wrong.error


def test_a_measurement_goes_on_where_it_was_stopped(pair, tmp_path, monkeypatch):
    names, work = ("autoregressive", "speculative-beam", "typical"), tmp_path / "work" / "guarantees.json"
    monkeypatch.setattr(guarantees, "COUNTED_TOKENS", 4)
    monkeypatch.setattr(guarantees, "CHUNK", 5)
    whole = measure_guarantees(pair, samples=12, methods=names)

    class Stopped(Exception):
        pass

    def stop(*given):
        raise Stopped

    with monkeypatch.context() as patched:
        left = iter(range(17))  # 12 of the first method, and 5 of the third
        original = guarantees.outcomes_of
        patched.setattr(
            guarantees, "outcomes_of", lambda *given: stop() if next(left, None) is None else original(*given)
        )
        with pytest.raises(Stopped):
            measure_guarantees(pair, samples=12, methods=names, work=work)
    made = []
    monkeypatch.setattr(guarantees, "outcomes_of", lambda *given: made.append(given[1].name) or original(*given))
    assert measure_guarantees(pair, samples=12, methods=names, work=work) == whole
    assert made == ["typical"] * 7
    assert {name: entry["guarantee"] for name, entry in whole["methods"].items()} == {
        "autoregressive": "target",
        "speculative-beam": "beam search",
        "typical": "lossy",
    }


def test_too_few_samples_are_refused(pair):
    with pytest.raises(SpecvizError, match="samples must be at least 10, got 3"):
        measure_guarantees(pair, samples=3)


def test_shares_have_the_digits_that_count():
    values = (0, 1e-17, 0.0234, 0.386, 0.0996, 1, -0.012)
    assert [share(value) for value in values] == ["0", "0", ".023", ".39", ".10", "1.00", "−.012"]


def test_the_command_measures_what_the_models_allow(tmp_path, capsys):
    target, draft = map(str, write_pair(tmp_path))
    files = ["--out", str(tmp_path / "guarantees.json"), "--work", str(tmp_path / "work.json")]
    models = ["--target", target, "--draft", draft, "--device", "cpu"]
    assert main(["guarantees", *files, *models, "--samples", "12", "--methods", "speculative", "medusa"]) == 0
    said = capsys.readouterr()
    found = json.loads((tmp_path / "guarantees.json").read_text(encoding="utf-8"))
    assert list(found["methods"]) == ["speculative"]
    assert found["methods"]["speculative"]["measured"]["sentence"] in said.out
    assert "medusa is left out" in said.err and "heads" in said.err
    assert found["pair"]["target"]["name"] in target
    again = ["--out", files[1], "--work", str(tmp_path / "again.json"), "--methods", "greedy-drafts"]
    for others, left in ((models, ["speculative", "greedy-drafts"]), ([*models[:3], target, *models[4:]], [])):
        assert main(["guarantees", *again, *others, "--samples", "12"]) == 0
        found = json.loads((tmp_path / "guarantees.json").read_text(encoding="utf-8"))
        assert list(found["methods"]) == (left or ["greedy-drafts"])
    capsys.readouterr()
    assert main(["guarantees", *files, *models, "--methods", "nothing"]) == 2
    assert "method must be one of" in capsys.readouterr().err
