"""What is said of every recorded iteration is true of it: sums, comparisons, legends, names, and nothing that it has
not."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.registry import methods
from specviz.facts.iteration_facts import nodes_of
from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.views.drafts.stages import tree_stages
from specviz.views.drafts.tree import tree_figure
from specviz.views.drafts.tree_words import tree_text
from specviz.views.plot import palette
from specviz.views.race.dials import MORE, SHOWN
from specviz.views.story.glossary import GLOSSARY
from specviz.views.story.scenes import Told, scenes

ASSETS = Path(__file__).resolve().parents[3] / "assets"
RUNS = {path.stem[3:]: path for path in sorted((ASSETS / "gallery").glob("*.json"))}
NUMBER = r"[-−]?\d[\d.]*(?:e-\d+)?"
COMPARED = re.compile(rf"(?<![\w.])({NUMBER}) (<|≥|>|≤) (?:\w[^;]{{0,24}}? = )?({NUMBER})(?![\w.]*[%)])")
HOLDS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "≤": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
}
TESTS = {"coin", "joint", "kseq", "block", "typical", "rollback", "match", "beam-coin"}
DRAWS = {palette.ORIGINS[origin].word for origin in ("resampled", "bonus")}
ENDS = DRAWS | {palette.OUTCOMES[outcome].word for outcome in ("accepted", "rejected", "unjudged")}
every_run = pytest.mark.parametrize("method", RUNS)


@cache
def run(method: str) -> Trace:
    return load_trace(RUNS[method])


def told(method: str):
    """Every scene of every iteration."""
    trace = run(method)
    for index, iteration in enumerate(trace.iterations):
        for scene in scenes(trace, index):
            yield iteration, scene


@every_run
def test_what_a_formula_compares_is_so(method):
    for _, scene in told(method):
        for left, sign, right in COMPARED.findall(scene.formula):
            a, b = (float(text.replace("−", "-")) for text in (left, right))
            assert HOLDS[sign](a, b), scene.formula


def tree_of(trace: Trace, index: int) -> tuple[set[str], set[str]]:
    """The words of all that one tree's stages draw, and those of its legend."""
    drawn: set[str] = set()
    for key in tree_stages(trace.iterations[index]):
        figure = tree_figure(trace, index, key)
        drawn |= {one.name for one in figure.data if one.customdata is not None}
    named = {entry["word"] for entry in (figure.layout.meta or {}).get("legend", {"entries": []})["entries"]}
    return drawn - {"last context token", "a beam of the text so far"}, named


@every_run
def test_a_tree_s_legend_names_what_its_run_draws_and_both_ends_of_a_test(method):
    trace = run(method)
    trees = [tree_of(trace, index) for index in range(len(trace.iterations))]
    drawn = set().union(*(of_one for of_one, _ in trees))
    for of_one, named in trees:
        assert of_one <= named, of_one - named
        assert named <= drawn | ENDS, named - drawn - ENDS


@pytest.mark.full
@every_run
def test_a_tree_s_legend_does_not_tell_how_its_iteration_ends(method):
    trace = run(method)
    drafted = [index for index, iteration in enumerate(trace.iterations) if nodes_of(iteration)]
    assert len({frozenset(tree_of(trace, index)[1]) for index in drafted}) <= 1
    for iteration in (trace.iterations[index] for index in drafted):
        _, named = tree_of(replace(trace, iterations=(iteration,)), 0)
        rules = {decision.rule for decision in iteration.decisions}
        assert not rules & TESTS or named >= {"accepted", "rejected"}
        assert len(named & DRAWS) in (0, 2)


def takes_a_number(iteration) -> bool:
    """Whether chance decides anything in an iteration: where one token is left, none is taken."""
    return any(getattr(one, "uniform", None) is not None for one in iteration.decisions)


@every_run
def test_nothing_is_drawn_where_nothing_is_left_to_chance(method):
    draws = any(takes_a_number(iteration) for iteration in run(method).iterations)
    for iteration, scene in told(method):
        if scene.phase == "draft" or getattr(iteration.forest, "proposals", ()):
            continue
        if not (draws if scene.phase == "context" else takes_a_number(iteration)):  # the first tells the run's rule
            words = f"{scene.title} {scene.sentence} {scene.formula}"
            assert not re.search(r"\b[Dd]raw(?!s nothing)|\bdrawn\b", words), words


@every_run
def test_a_beam_is_called_by_a_number_only_where_the_picture_has_it(method):
    trace = run(method)
    for index, iteration in enumerate(trace.iterations):
        told = Told(trace, index)
        texts = [f"{one.title} {one.sentence}" for one in told.scenes]
        texts += [picture.words for key, picture in told.pictures.items() if key.startswith("mask")]
        texts += [tree_text(trace, index, key) for key in told.stages]
        called = {int(name) for text in texts for name in re.findall(r"\bbeams? (\d+)\b(?! own)", text)}
        if not called:
            continue
        assert len(iteration.inputs) > 1
        labels = [text for one in tree_figure(trace, index).data for text in one.text or () if len(text) > 1]
        assert called <= {int(found[1]) for text in labels if (found := re.match(r"(\d+): ", text))}
        (context,) = (one.sentence for one in scenes(trace, index) if one.phase == "context")
        assert all(f"{name}: " in context for name in called)


@every_run
def test_other_beams_are_spoken_of_only_where_the_draft_has_beams(method):
    for iteration, scene in told(method):
        if "of other beams" in scene.sentence:
            assert any(len(one.parents) > 1 or one.joint for one in iteration.forest.proposals)


@every_run
def test_no_text_speaks_of_none_of_none(method):
    trace = run(method)
    for index in range(len(trace.iterations)):
        texts = [note.text for note in tree_figure(trace, index).layout.annotations if note.text]
        texts += tree_text(trace, index).splitlines()
        assert not [text for text in texts if re.search(r"\bof 0\b", text)]


@every_run
def test_a_step_does_not_say_that_there_is_no_bonus_and_count_one(method):
    for _, scene in told(method):
        assert not ("no bonus" in scene.sentence and re.search(r"\d bonus", scene.sentence)), scene.sentence


@every_run
def test_every_symbol_of_a_formula_is_in_the_glossary(method):
    terms = {term.lower() for term in GLOSSARY}
    known = {"min", "max", "log", "exp", "coin", "target", "draft", "residual", "k", "p", "width"}
    for _, scene in told(method):
        plain = re.sub(r"“[^”]*”", " ", scene.formula)
        for symbol in re.findall(r"(?<![\w'])(?:[A-Za-z]_\w+|[A-Za-z]'|[ρβτγ]|[hSPQpqw])(?![\w'])", plain):
            given = re.search(rf"(?:^|; ){re.escape(symbol)} = ", plain)  # by an equation of its own
            assert given or symbol.lower() in terms | known, (symbol, scene.formula)


@every_run
def test_every_symbol_of_a_method_s_texts_is_in_the_glossary(method):
    terms = {term.lower() for term in GLOSSARY} | {"q(x)", "p(x)"}
    header = run(method).header.method
    for text in (header.summary, *header.texts.values()):
        for symbol in re.findall(r"\b(?:rho|beta|gamma|tau|epsilon|delta|entropy|posterior|p_acc)\b|[pq]'", text):
            assert symbol.lower() in terms, (symbol, text)


def test_the_glossary_has_the_words_of_the_page():
    words = "prefix iteration layer width node candidate verifier entropy posterior step Σ rho beta h p' q'".split()
    assert set(words) <= set(GLOSSARY)


@pytest.mark.parametrize("key", [*SHOWN, *MORE])
def test_every_dial_is_in_the_glossary(key):
    label = METRIC_HELP[key].label
    assert label in GLOSSARY or label == "speed"  # an everyday word, also of what is no dial


def options_of(method):
    """Options under which the guarantee of a method may change, one at a time."""
    changes = [{}, {"temperature": 0.0}]
    changes += [
        {o.name: o.low} for o in method.own_options if o.kind == "number" and o.low is not None and not o.above_low
    ]
    return [method.resolve(**one) for one in changes]


@pytest.mark.parametrize("name", [name for name, one in methods().items() if one is not CUSTOM])
def test_what_a_method_says_of_itself_does_not_gainsay_its_badge(name):
    """The words are the same at all options, the guarantee is not: they must leave it to the badge."""
    method = methods()[name]
    if len({method.guarantee_of(options) == "lossy" for options in options_of(method)}) > 1:
        said = " ".join([method.summary, *method.texts.values()])
        assert not re.search("not the target's|no longer|exactly the target's", said)


def test_recorded_runs_say_what_the_methods_say():
    for name, path in RUNS.items():
        header, method = load_trace(path).header.method, methods()[name]
        assert (header.summary, header.texts) == (method.summary, dict(method.texts)), name
