"""What a view may cost: words of millions of letters, chains and forests far beyond any real ones."""

import json
from dataclasses import replace

import pytest

from specviz.decoding.exact.own_parts import claim_holds
from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import phrase, root_label
from specviz.facts.tokens import LONGEST, visible
from specviz.rules.draw import SampledToken
from specviz.trace.forest import Node
from specviz.trace.record import BeamRecord, Iteration, Trace
from specviz.ui.island import answering
from specviz.ui.pages.microscope import microscope_calls
from specviz.ui.serving.runs import KeptRuns
from specviz.views.drafts import node_states
from specviz.views.drafts.mask import mask_rows, mask_text
from specviz.views.drafts.stages import MOST_TOLD
from specviz.views.race.race_view import lane_view
from specviz.views.story.scenes import iteration_payload, scenes, words_of
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.trace_parts import PROMPT, chain, coin, distribution, drafted, emit, forest, over, turn, whole
from tests.traces import mtad_trace, speculative_trace

RUN = "ab" * 16
P, Q = distribution(t2=0.7, t3=0.3), distribution(t2=0.6, t3=0.4)


class Word(str):
    """A word that nobody may walk: only a piece of its beginning can be had."""

    def __iter__(self):
        raise AssertionError("the whole word is walked")

    def __getitem__(self, key):
        assert isinstance(key, slice) and key.start is None and 0 <= key.stop <= LONGEST + 1, f"{key} is taken"
        return str.__getitem__(self, key)


def wordy(trace: Trace) -> Trace:
    word = Word("ab " * 1_000_000)
    iterations = tuple(
        replace(one, emitted=tuple(replace(token, piece=word) for token in one.emitted)) for one in trace.iterations
    )
    return replace(trace, vocabulary=dict.fromkeys(trace.vocabulary, word), iterations=iterations)


def chain_of(length: int) -> Trace:
    """One iteration: a chain of guesses, the first half kept, tested one by one."""
    kept = length // 2
    tokens = [2 + n % 2 for n in range(length)]
    outcomes = ["accepted"] * kept + ["rejected"] + ["unjudged"] * (length - kept - 1)
    tests = [coin(n, n + 1, tokens[n], P, Q, 0.1 if n < kept else 0.99) for n in range(kept + 1)]
    draw = SampledToken(kept - 1, kept + 1, 3, "resampled", 0.3, P, P)
    emitted = (*(emit(P, tokens[n], "accepted", n) for n in range(kept)), emit(P, 3, "resampled"))
    step = turn(0, PROMPT, 0.0, chain(tokens, [Q] * length, outcomes), (*tests, draw), emitted, (1,) * length)
    return whole(speculative_trace().header.method, {}, [step], draft=True)


def star_of(width: int) -> Trace:
    """One iteration: as many guesses for one position, all rejected, then a draw."""
    guesses = forest(tuple(drafted(2 + n % 2, -1, 1, Q, "rejected") for n in range(width)))
    tests = [coin(n, 1, 2 + n % 2, P, Q, 0.99) for n in range(width)]
    draw = SampledToken(-1, 1, 3, "resampled", 0.3, P, P)
    step = turn(0, PROMPT, 0.0, guesses, (*tests, draw), (emit(P, 3, "resampled"),), (1,))
    return whole(speculative_trace().header.method, {}, [step], draft=True)


@pytest.mark.parametrize("make", [mtad_trace, speculative_trace, *RULE_TRACES.values(), *BEAM_TRACES.values()])
def test_a_word_is_cut_before_it_is_walked(make):
    trace, runs = wordy(make()), KeptRuns()
    runs.keep(RUN, (trace,))
    calls = {name: answering(call) for name, call in microscope_calls(runs).items()}
    for index in range(len(trace.iterations)):
        answer = calls["iteration"]({"run": RUN, "lane": 0, "iteration": index})
        assert "error" not in json.loads(answer) and len(answer) < 2_000_000 and "ab" in answer
        assert len(calls["replay"]({"run": RUN, "lane": 0, "iteration": index, "coins": {"1": 0.99}})) < 2_000_000


def test_what_is_not_output_yet_is_cut_too():
    trace = wordy(mtad_trace())
    beam = BeamRecord((2,) * 1_000, 2, -1.0, False)
    last = replace(trace.iterations[-1], beams=(beam,))
    view = lane_view(
        replace(trace, iterations=(*trace.iterations[:-1], last), stop="stopped"), claim_holds, finished=True
    )
    assert len(view["pending"]) == 1_000 and all(len(piece) == LONGEST for piece in view["pending"])


def test_cut_words_show_as_whole_ones_do():
    assert visible("a" * 40, 40) == "a" * 40 and visible("a" * 41, 40) == "a" * 39 + "…"
    assert visible("\n" * 50, 16) == "↵" * 15 + "…" and visible("\x00" * 50, 16) == "⟨U+0000⟩⟨U+0000…"
    assert visible("a" * LONGEST) == "a" * LONGEST
    vocabulary = {n: letter for n, letter in enumerate("abcdefghij")}
    assert phrase(vocabulary, [n % 10 for n in range(40)], 40) == f"“{'abcdefghij' * 4}”"
    assert phrase(vocabulary, [n % 10 for n in range(100)], 5) == "“…ghij”"


class Asked(dict):
    """A vocabulary that counts how often it is asked."""

    times = 0

    def __getitem__(self, token):
        self.times += 1
        return super().__getitem__(token)


def test_a_text_of_many_tokens_keeps_its_end_without_reading_its_beginning():
    own, vocabulary = (11,) * 50_000 + (2,), Asked({2: " SELECT", 11: " the"})
    trace = replace(mtad_trace(), vocabulary=vocabulary)
    iteration = replace(trace.iterations[0], inputs=(BeamRecord(own, 2, -1.0, False),))
    assert root_label(trace, iteration, -1, 8) == "…·SELECT" and phrase(vocabulary, own, 8) == "“…·SELECT”"
    assert vocabulary.times < 20


def reads_of_parents(monkeypatch, trace: Trace) -> int:
    count, slot = 0, Node.parent

    def parent(node):
        nonlocal count
        count += 1
        return slot.__get__(node)

    with monkeypatch.context() as patched:
        patched.setattr(Node, "parent", property(parent, slot.__set__))
        iteration_payload(trace, 0)
    return count


@pytest.mark.full
def test_the_work_of_a_chain_grows_with_its_length_only(monkeypatch):
    long, longer = (reads_of_parents(monkeypatch, chain_of(length)) for length in (300, 600))
    assert 0 < longer < 2.2 * long and longer < 1_000 * 600


@pytest.mark.full
@pytest.mark.parametrize("trace", [chain_of(600), star_of(600)], ids=["chain", "star"])
def test_what_a_view_draws_and_tells_is_bounded(trace):
    iteration = trace.iterations[0]
    nodes = facts.nodes_of(iteration)
    payload = iteration_payload(trace, 0)
    keys = [scene["key"] for scene in payload["scenes"]]
    assert len(keys) == len(set(keys)) <= MOST_TOLD + facts.DEEPEST + 4
    assert len(json.dumps(payload)) < 5_000_000
    assert 0 < len(payload["nodes"]) <= facts.MOST_SHOWN and payload["nodes"][-1]["depth"] <= facts.DEEPEST
    assert all(record["scene"] in keys for record in payload["nodes"])
    read = facts.read_prefixes(iteration)
    shown = {-1, *(record["node"] for record in payload["nodes"])}
    assert mask_rows(iteration) == tuple(prefix for prefix in read if prefix in shown)
    lines, hidden = mask_text(trace, 0).splitlines(), len(set(read) - shown)
    assert f"over {len(read)} tokens" in lines[0] and lines[-1] == f"{hidden} row{'s' * (hidden > 1)} not shown."
    assert f"{600 - len(payload['nodes'])} less likely nodes not shown" in words_of(payload, "tree-target")
    (more,) = (scene for scene in payload["scenes"] if scene["title"].endswith("more decisions"))
    told = sum(scene["phase"] in ("verify", "draw") for scene in payload["scenes"]) - 1
    assert more["title"] == f"{len(iteration.decisions) - told} more decisions"
    assert payload["scenes"][keys.index(more["key"]) + 1]["key"] == "draw"  # the last decision always has a scene
    assert len(nodes) == 600


def test_what_is_drawn_of_many_nodes_is_what_was_kept_and_likeliest():
    nodes = tuple(
        Node(2, -1, 1, over({2: 0.9 - n / 1000}), True, "accepted" if n == 399 else "rejected") for n in range(400)
    )
    assert facts.prominent(nodes) == {399, *range(facts.MOST_SHOWN - 1)}


def test_the_draft_says_how_deep_it_goes():
    told = {scene.key: scene.sentence for scene in scenes(chain_of(600), 0)}
    assert "goes on to depth 600" in told[f"draft-{facts.DEEPEST}"] and "draft-33" not in told
    assert "goes on" not in {scene.key: scene.sentence for scene in scenes(chain_of(32), 0)}["draft-32"]


def test_a_step_that_writes_nothing_keeps_no_row():
    assert facts.kept_prefixes(replace(mtad_trace().iterations[0], emitted=())) == frozenset()


def plain_ancestors(iteration: Iteration, number: int) -> list[int]:
    above = []
    while number >= 0:
        number = facts.nodes_of(iteration)[number].parent
        above.append(number)
    return above


@pytest.mark.parametrize("make", [mtad_trace, speculative_trace, *RULE_TRACES.values(), *BEAM_TRACES.values()])
def test_one_pass_finds_what_walking_finds(make):
    for iteration in make().iterations:
        nodes = facts.nodes_of(iteration)
        prefixes = (*facts.roots_of(iteration), *range(len(nodes)))
        texts = {prefix: facts.text_at(iteration, prefix) for prefix in prefixes}
        for number in range(len(nodes)):
            assert list(facts.ancestors(nodes, number)) == plain_ancestors(iteration, number)
        known = facts.texts_of(iteration)
        assert all((texts[a] == texts[b]) is (known.of(a) == known.of(b)) for a in texts for b in texts)
        surviving = facts.surviving_texts(iteration)
        ended = [beam.finished for beam in iteration.beams] or [False]
        assert facts.kept_prefixes(iteration) == {
            prefix
            for prefix in facts.read_prefixes(iteration)
            for text, done in zip(surviving, ended, strict=True)
            if not done and len(text) > len(texts[prefix]) and text[: len(texts[prefix])] == texts[prefix]
        }
        for prefix in range(-1, len(nodes)):
            assert facts.siblings(iteration, prefix) == tuple(
                one
                for one in iteration.decisions
                if hasattr(one, "node") and texts[nodes[one.node].parent] == texts[prefix]
            )
        for depth in range(1, 1 + max((node.depth for node in nodes), default=0)):
            drawn = node_states.drafting_states(iteration, depth)
            leaves = {n for n in drawn if nodes[n].depth == depth or nodes[n].outcome != "pruned"}
            alive = leaves | {above for n in leaves for above in plain_ancestors(iteration, n)}
            assert all((state == "pruned") is (n not in alive) for n, state in drawn.items() if not nodes[n].root)
