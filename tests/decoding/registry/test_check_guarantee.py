"""``check_guarantee``: sound methods pass, each kind of false claim is named, and networks are held to theirs."""

from dataclasses import replace

import pytest

import specviz
from specviz.decoding.registry.registry import find_drafter, find_verifier
from specviz.decoding.run.loop import Run
from specviz.errors import ModelError, OptionError, TooManyOutcomes
from specviz.lab.lessons.broken_rules import broken
from specviz.lm.network.transformer import TransformerLM
from tests.lm.models import tiny

KINDS = ("speculative", "mcsd", "dsbd", "speculative-beam", "medusa", "mtad")


def claiming(method: specviz.Method, guarantee: str) -> specviz.Method:
    """The method with a verifier that promises ``guarantee``, true or not."""
    spec = find_verifier(method.verifier)
    return replace(method, verifier=replace(spec, guarantee=lambda options, drawing: guarantee))


@pytest.mark.parametrize("name", KINDS)
def test_a_sound_method_holds(name):
    report = specviz.check_guarantee(name)
    assert report.holds and report.failures == () and report.distance < 1e-9, report
    assert len(report.claims) == 9 and {claim.pair for claim in report.claims} >= {"tables with zeros"}
    assert name in str(report) and "FAILS" not in str(report)


@pytest.mark.parametrize("name", ["target", "draft"])
def test_a_broken_rule_that_claims_to_be_lossless_is_found(name):
    method = claiming(broken(name), "target")
    report = specviz.check_guarantee(method)
    assert not report.holds and report.distance > 0.01
    warm = [claim for claim in report.failures if claim.options["temperature"]]
    assert len(warm) == 6 and all(claim.guarantee == "target" for claim in warm)
    assert "FAILS: 'target' on open tables (temperature=1.0" in str(report)


def test_false_claims_of_each_kind_are_found():
    mtad, greedy = specviz.methods()["mtad"], specviz.methods()["speculative"]
    assert not specviz.check_guarantee(claiming(mtad, "target")).holds
    assert not specviz.check_guarantee(claiming(greedy, "greedy")).holds
    beams = specviz.methods()["dsbd"]
    assert not specviz.check_guarantee(claiming(beams, "beam search")).holds
    searched = specviz.methods()["speculative-beam"]
    assert not specviz.check_guarantee(claiming(searched, "beam")).holds


def test_it_takes_a_method_of_parts_of_its_own():
    method = specviz.Method("mine", find_drafter("tree"), find_verifier("recursive"))
    assert specviz.check_guarantee(method, k_config=(2,)).holds
    with pytest.raises(OptionError, match="no option 'mood'"):
        specviz.check_guarantee(method, mood=1)
    with pytest.raises(OptionError, match="n_tokens must be a whole number in"):
        specviz.check_guarantee(method, n_tokens=0)
    with pytest.raises(TooManyOutcomes):
        specviz.check_guarantee(method, limit=3)


def test_a_pair_of_networks_is_held_to_it_too(monkeypatch):
    models = specviz.ModelPair(*(TransformerLM(tiny("llama", seed), f"model {seed}") for seed in (1, 2)))
    report = specviz.check_guarantee("speculative", models, prompt=[2, 3])
    assert report.holds and len(report.claims) == 11
    network = report.claims[-2]
    assert (network.pair, network.prompt, network.tolerance) == ("model 1", (2, 3), 1e-3)
    assert not specviz.check_guarantee(claiming(broken("draft"), "target"), models, prompt=[2, 3]).claims[-2].holds
    with pytest.raises(ModelError, match="prediction heads"):
        specviz.check_guarantee("medusa", models, prompt=[2, 3])


def test_what_a_decoder_writes_is_what_is_judged(monkeypatch):
    """A loop that cheats is found: here every run emits its first token twice over."""
    step = Run.step

    def cheating(run):
        made = step(run)
        run.emitted[-1:] = [0]
        return made

    monkeypatch.setattr(Run, "step", cheating)
    assert not specviz.check_guarantee("autoregressive").holds
