"""A rule of one's own in the Microscope: an equation stands only where it gives the recorded number, and a drawing has
the name that it gives itself."""

import re
from dataclasses import replace

import pytest

import specviz
from specviz.decoding.registry.registry import methods
from specviz.rules.beams.beam import SampledBeam
from specviz.rules.beams.layered import BeamCoin
from specviz.rules.beams.width import BeamWidth
from specviz.rules.block import BlockTest
from specviz.rules.draw import SampledToken
from specviz.rules.greedy import GreedyMatch
from specviz.rules.joint import JointRatioTest
from specviz.rules.kseq import SequenceTest
from specviz.rules.rollback import RollbackTest
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import Coin
from specviz.rules.typical import TypicalTest
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.distribution import normalised
from specviz.views import step_texts, steps
from specviz.views.story.scenes import scenes
from tests.decoding.methods.models import random_pair
from tests.decoding.registry.own_parts import IN_PAIRS, METHODS, STRANGER
from tests.decoding.run.test_properties import table_pair, transformer_pair

OWN = "by the method’s own rule"
NUMBER = r"[0-9][0-9.]*(?:e-[0-9]+)?"


def told(trace):
    """Every scene of a trace, with the decision that it is about, if any."""
    for index, iteration in enumerate(trace.iterations):
        decisions = {f"decision-{at}": one for at, one in enumerate(iteration.decisions, 1)}
        decisions |= {
            "draw" if one.rule == "draw" else f"draw-{at}": one for at, one in enumerate(iteration.decisions, 1)
        }
        for scene in scenes(trace, index):
            yield index, scene, decisions.get(scene.key)


def wrong_equations(formula):
    """The equations of a formula whose sides differ by more than its digits allow."""
    for left, right in re.findall(rf"min\(1, ([^)]*\)?)\) = ({NUMBER})", formula):
        top, bottom = left.replace("×", "*").split(" / ")
        found = min(1.0, float(eval(top)) / float(eval(bottom)) if float(eval(bottom)) else 1.0)
        if abs(found - float(right)) > 0.006:
            yield f"min(1, {left}) = {right}"
    for left, right in re.findall(rf"residual = (.*?) = ({NUMBER})", formula):
        worked = left.replace("−", "-").replace("×", "*")
        if abs(eval(worked) - float(right)) > 0.006 + rounding(worked):
            yield f"residual = {left} = {right}"


def rounding(worked):
    """By how much a result may be off because its numbers were rounded to the digits that are printed."""
    found = 0.0
    for number in re.finditer(NUMBER, worked):
        half = 0.5 * 10.0 ** -len(number[0].partition(".")[2])
        moved = f"{worked[: number.start()]}({number[0]} + {half}){worked[number.end() :]}"
        found += abs(eval(moved) - eval(worked))
    return found


def runs(method, pair=None, seeds=8, **options):
    for seed in range(seeds):
        yield specviz.decode(pair or transformer_pair(), method, [1, 2, 3], max_new_tokens=14, seed=seed, **options)


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_no_equation_of_a_strangers_rule_is_false(method):
    own = equations = 0
    for trace in runs(method, **({} if method.name == "in-haste" else {"patience": 0.5})):
        for _, scene, _ in told(trace):
            assert list(wrong_equations(scene.formula)) == []
            own += OWN in scene.formula
            equations += "min(1, " in scene.formula
            assert not scene.sentence.startswith("After a rejection") or method.name == "in-haste"
    assert (equations and not own) if method.name == "in-haste" else own


def test_an_own_coin_is_told_in_the_rules_words():
    found = False
    for trace in runs(STRANGER, patience=0.5):
        for _, scene, one in told(trace):
            if isinstance(one, Coin) and one.accepted and one.acceptance_probability == 0.5:
                assert "By the method's own rule it is accepted with probability 0.50" in scene.sentence
                assert "Accept with patience min(1, p / q)." in scene.sentence
                assert scene.formula.startswith(f"acceptance probability, {OWN}: 0.50; coin ")
                found = True
            if isinstance(one, SampledToken) and one.source != one.target:
                assert scene.title.startswith("By the method's own rule: ") and "residual" not in scene.formula
                assert (
                    "a distribution that is the method's own" in scene.sentence and "more of than" not in scene.sentence
                )
    assert found


@pytest.mark.parametrize(
    "name", ["speculative", "mcsd", "specinfer", "spectr", "block", "mtad", "typical", "bild", "bpd", "dsbd"]
)
def test_the_built_in_rules_keep_their_equations(name):
    """At top-k, and without a warp on a vocabulary that a record lists in part."""
    pair, seen = table_pair(1, False), 0
    large = random_pair(400, 3, sharpness=1.0)
    traces = list(runs(name, pair, seeds=4))
    if methods()[name].uses != "heads" and name != "dsbd":
        traces += runs(
            name, large, seeds=2, top_k=None, top_p=None, **({"gamma": 2} if "gamma" in methods()[name].options else {})
        )
    for trace in traces:
        for _, scene, one in told(trace):
            assert OWN not in scene.formula and "own rule" not in scene.title + scene.sentence
            assert list(wrong_equations(scene.formula)) == []
            seen += one is not None
    assert seen > 20


def test_candidates_after_a_rejection_are_said_to_be():
    """Of the built-in rules alone, and never where the candidate before was accepted."""
    after = 0
    for trace in runs("mcsd"):
        for _, scene, one in told(trace):
            if isinstance(one, Coin) and one.candidate:
                assert re.search("After (a|[0-9]+) rejections? the target's distribution", scene.sentence)
                after += 1
    assert after


class AllAtOnce(Verifier):
    """Every candidate has a coin of its own, whatever became of those before; the first that is accepted stays. Its
    bonus comes from the draft, and ``origin`` is where it says that it comes from."""

    reads = "judged"

    def __init__(self, origin):
        self._origin = origin

    def verify(self, scored, dice):
        forest, target = scored.forest, scored.target_at(-1)
        verdict, numbers = Verdict(offered=1), forest.children().get(-1, [])
        for candidate, number in enumerate(numbers):
            node = forest.nodes[number]
            probability = min(1.0, target.prob(node.token) / node.draft_prob)
            flip = dice.flip(probability)
            coin = (number, 1, node.token, probability, flip.uniform, flip.heads, target, node.draft)
            verdict.decisions.append(Coin(*coin, candidate, len(numbers)))
            if flip.heads and not verdict.path:
                verdict.path.append(number)
        after = verdict.path[-1] if verdict.path else -1
        verdict.sample_next(dice, scored, after, self._origin, forest.nodes[numbers[0]].draft)
        return verdict


def all_at_once(origin):
    spec = VerifierSpec("all-at-once", "a coin each", lambda context, options: AllAtOnce(origin), judges=("tree",))
    return specviz.Method(name="all", drafter="tree", verifier=spec, defaults={"k_config": (3,)})


@pytest.mark.parametrize("origin", ["bonus", "resampled", "target"])
def test_what_no_rejection_led_to_is_not_said_to_follow_one(origin):
    drawn = 0
    for trace in runs(all_at_once(origin), random_pair(6, 4), seeds=4, top_k=None, top_p=None):
        for _, scene, one in told(trace):
            if isinstance(one, Coin):
                assert "fter a rejection" not in scene.sentence and "What is left of" not in scene.sentence
                assert list(wrong_equations(scene.formula)) == [] and OWN not in scene.formula
            if isinstance(one, SampledToken) and one.source != one.target:
                assert "from the target" not in scene.sentence.lower() and "target(" not in scene.formula
                assert "residual" not in scene.formula and "None of" not in scene.sentence
                drawn += 1
    assert drawn


def test_a_drawing_has_the_name_that_it_gives_itself():
    words = {
        trace.header.seed: [one.sentence for _, one, _ in told(trace) if one.key == "draft-1"]
        for trace in runs(IN_PAIRS)
    }
    said = [sentence for sentences in words.values() for sentence in sentences if "2 candidates" in sentence]
    assert said and all("at 1 position, in a way of its own (in pairs) (in brackets" in one for one in said)
    for method, how in (("specinfer", "independently, so copies can come up"), ("mcsd", "without replacement")):
        trace = next(runs(method, seeds=1))
        first = next(scene.sentence for _, scene, _ in told(trace) if scene.key == "draft-1")
        assert f", {how} (in brackets" in first


def test_the_figures_texts_and_the_terminal_say_the_same(capsys, tmp_path):
    """What ``show --step`` prints and what stands beside the pictures."""
    from specviz import __main__ as command_line

    trace, index = next(
        (one, iteration.index)
        for one in runs(STRANGER, patience=0.5)
        for iteration in one.iterations
        if any(d.rule == "coin" and d.acceptance_probability == 0.5 for d in iteration.decisions)
    )
    specviz.save_trace(trace, tmp_path / "own.json")
    assert command_line.main(["show", str(tmp_path / "own.json"), "--step", str(index + 1)]) == 0
    printed = capsys.readouterr().out
    assert OWN in printed and "(target − draft)+" not in printed and "more of than the draft" not in printed
    for scene in steps(trace, index):
        text = " ".join(step_texts(trace, index, scene.key).values())
        assert "residual" not in text and "(target − draft)+" not in text


# Decisions of every other kind, with a number changed: their equations go, the number stays.


def first(name, kind, pair=None, **options):
    """A trace of a method with a decision of a kind, the place of that, and the decision."""
    for trace in runs(name, pair or table_pair(1, False), **options):
        for index, step in enumerate(trace.iterations):
            for at, one in enumerate(step.decisions):
                if isinstance(one, kind) and getattr(one, "uniform", 0) is not None:
                    return trace, index, at, one
    raise AssertionError(f"no {kind.__name__}")


def with_decision(trace, index, at, decision):
    step = trace.iterations[index]
    changed = replace(step, decisions=(*step.decisions[:at], decision, *step.decisions[at + 1 :]))
    return replace(trace, iterations=(*trace.iterations[:index], changed, *trace.iterations[index + 1 :]))


def formula_of(trace, index, at):
    keys = (f"decision-{at + 1}", "draw", f"draw-{at + 1}")
    return next(scene.formula for scene in scenes(trace, index) if scene.key in keys)


CHANGED = {
    "speculative": (Coin, {"acceptance_probability": 0.4321}, r"min\(1"),
    "spectr": (SequenceTest, {"accept_any": 0.4321, "acceptance_probability": 0.1234}, r"min\(1|− β|1 − \(1|ρ β"),
    "block": (BlockTest, {"weight": 0.4321, "acceptance_probability": 0.1234}, r"min\(|h = .* /|h = p"),
    "mtad": (JointRatioTest, {"step_log_ratio": -0.4321, "log_ratio": -0.4321}, r"log\("),
    "typical": (TypicalTest, {"threshold": 0.4321}, r"min\("),
    "bild": (RollbackTest, {"surprise": 0.4321}, r"log target"),
    "medusa": (GreedyMatch, {"accepted": None}, r"argmax"),
    "dsbd": (BeamCoin, {"acceptance_probability": 0.4321}, r"min\(1"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_an_equation_that_does_not_give_the_recorded_number_is_not_printed(name):
    kind, changes, equation = CHANGED[name]
    trace, index, at, one = first(name, kind, **({"fallback": 0.0} if name == "bild" else {}))
    assert re.search(equation, formula_of(trace, index, at))
    if kind is GreedyMatch:
        changes = {"accepted": not one.accepted}
    other = with_decision(trace, index, at, replace(one, **changes))
    found = formula_of(other, index, at)
    assert not re.search(equation, found), found
    for value in changes.values():
        assert isinstance(value, bool) or "0.43" in found or "0.12" in found


def test_a_layers_width_that_does_not_follow_is_told_as_it_is():
    trace, index, at, one = first("dsbd", BeamWidth)
    assert "width = max(" in formula_of(trace, index, at)
    other = with_decision(trace, index, at, replace(one, width=one.width + 3))
    assert formula_of(other, index, at) == f"width, {OWN}: {one.width + 3}"


def test_a_beam_that_is_drawn_from_something_of_its_own_is_not_from_the_target():
    trace, index, at, one = first("dsbd", SampledBeam)
    squared = one.source.with_probs(one.source.probs**2 / (one.source.probs**2).sum())
    for origin in ("target", "resampled"):
        other = with_decision(trace, index, at, replace(one, source=squared, origin=origin))
        scene = next(scene for scene in scenes(other, index) if scene.key == f"draw-{at + 1}")
        assert scene.formula.startswith("probability of ") and "target" not in scene.title + scene.formula
        assert "the target, jointly" not in scene.sentence and "left of the target" not in scene.sentence


def test_a_residual_that_is_another_is_told_as_the_rules_own():
    trace, index, at, one = first("speculative", SampledToken)
    assert isinstance(one, SampledToken) and one.origin in ("resampled", "bonus", "target")
    other = with_decision(trace, index, at, replace(one, source=normalised(one.source, one.source.probs**2)))
    found = formula_of(other, index, at)
    assert found.startswith("probability of ") and "target(" not in found and "residual" not in found
