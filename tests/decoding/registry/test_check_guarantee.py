"""``check_guarantee``: sound methods pass, each kind of false claim is named, and networks are held to theirs."""

from dataclasses import replace

import pytest
import torch

import specviz
from specviz.decoding.registry.parts import find_drafter, find_verifier
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


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
def test_a_sound_method_holds(name):
    report = specviz.check_guarantee(name)
    assert report.holds and report.failures == () and report.distance < 1e-9, report
    assert len(report.claims) == 9 and {claim.pair for claim in report.claims} >= {"tables with zeros"}
    assert name in str(report) and "FAILS" not in str(report)


@pytest.mark.full
@pytest.mark.parametrize("name", ["target", "draft"])
def test_a_broken_rule_that_claims_to_be_lossless_is_found(name):
    method = claiming(broken(name), "target")
    report = specviz.check_guarantee(method)
    assert not report.holds and report.distance > 0.01
    warm = [claim for claim in report.failures if claim.options["temperature"]]
    assert len(warm) == 6 and all(claim.guarantee == "target" for claim in warm)
    assert "FAILS: 'target' on open tables (temperature=1.0" in str(report)


@pytest.mark.full
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


def networks(noise: float) -> specviz.ModelPair:
    """A tiny network, and one that is like it but for some noise."""
    target, draft = tiny("llama", 1), tiny("llama", 1)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        draft.lm_head.weight += (
            noise * draft.lm_head.weight.std() * torch.randn(draft.lm_head.weight.shape, generator=generator)
        )
    return specviz.ModelPair(TransformerLM(target, "model 1"), TransformerLM(draft, "model 2"))


@pytest.mark.full
def test_a_pair_of_networks_is_held_to_it_too():
    models = networks(0.3)
    report = specviz.check_guarantee("speculative", models, prompt=[2, 3])
    assert report.holds and len(report.claims) == 11, report
    network = report.claims[-2]
    assert (network.pair, network.prompts, network.tolerance) == ("model 1", ((2, 3),), 1e-3)
    assert not specviz.check_guarantee(claiming(broken("draft"), "target"), models, prompt=[2, 3]).claims[-2].holds
    with pytest.raises(ModelError, match="prediction heads"):
        specviz.check_guarantee("medusa", models, prompt=[2, 3])


@pytest.mark.full
def test_a_pair_that_never_gets_to_a_place_is_no_proof():
    """The draft is the target itself, so that nothing is ever rejected."""
    report = specviz.check_guarantee("speculative", networks(0.0), prompt=[2, 3], gamma=2)
    narrow = report.claims[-2]
    assert not report.holds and not narrow.holds and narrow.distance < narrow.tolerance
    assert narrow.missing == ("a rejection after 0 accepted", "a rejection after 1 accepted")
    assert str(narrow).startswith("OPEN") and "a rejection after 1 accepted" in str(narrow)


@pytest.mark.full
def test_what_lies_past_the_horizon_is_not_claimed():
    """Four guesses, three tokens: the one after the fourth is not among them."""
    report = specviz.check_guarantee("speculative", gamma=4)
    assert not report.holds and report.distance < 1e-9
    sampled = [claim for claim in report.claims if claim.options["temperature"]]
    assert all("the token after a fully accepted draft" in claim.missing for claim in sampled)


def test_what_was_reached_is_counted():
    claim = specviz.check_guarantee("speculative", gamma=1).claims[0]
    assert claim.missing == () and set(claim.reached) == {
        "a guess accepted at depth 1",
        "a rejection after 0 accepted",
        "the token after a fully accepted draft",
    }
    assert all(claim.reached.values()) and "holds" in str(claim)


@pytest.mark.full
def test_a_method_that_promises_nothing_says_so():
    first, *lines = str(specviz.check_guarantee("mtad", n_tokens=2)).splitlines()
    assert "6 of 9 settings promise nothing (lossy)" in first and first.endswith("from the target's distribution")
    assert sum(line.startswith("promises nothing: 'lossy'") for line in lines) == 6


def test_what_a_decoder_writes_is_what_is_judged(monkeypatch):
    """A loop that cheats is found: here every run emits its first token twice over."""
    step = Run.step

    def cheating(run):
        made = step(run)
        run.emitted[-1:] = [0]
        return made

    monkeypatch.setattr(Run, "step", cheating)
    assert not specviz.check_guarantee("autoregressive").holds
