"""A small draft of a target: its answers, what it learns from them, what is kept, and how it drafts."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import specviz
from specviz.errors import ModelError, SpecvizError
from specviz.lm.network.exact import LIKELIEST
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.stock import states_after
from specviz.zoo.draft import train as training
from specviz.zoo.draft.answers import (
    Answer,
    DraftQuestion,
    answer,
    read_answers,
    read_questions,
    said_by,
    text_of,
    write_answers,
)
from specviz.zoo.draft.fresh import draft_vocabulary, fresh_draft
from specviz.zoo.draft.lessons import TaughtAnswers
from specviz.zoo.draft.loss import distance, tokens_per_call
from specviz.zoo.draft.measured import measure_draft
from specviz.zoo.draft.openings import openings
from specviz.zoo.draft.pace import ON_PROCESSOR
from specviz.zoo.draft.prompts import _TEMPLATES, passages_of, prompts_for
from specviz.zoo.draft.train import train_draft
from specviz.zoo.draft.unrolled import DEPTHS
from specviz.zoo.for_target import train_for
from specviz.zoo.report.evaluation import WARP
from tests.lm import eagle3
from tests.tiny_pair import byte_tokenizer

V = 257


def _write(folder, model):
    model.save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A Llama of three layers whose distributions are far from even."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = LlamaConfig(
        vocab_size=V,
        num_hidden_layers=3,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        eos_token_id=0,
        **sizes,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(4.0 if weight.ndim == 2 else 1.0)
    return _write(tmp_path_factory.mktemp("target"), model)


@pytest.fixture(scope="module")
def pair(target):
    return specviz.load_pair(target, device="cpu")


def _few(monkeypatch, count):
    monkeypatch.setattr("specviz.zoo.draft.fresh.LEAST", count)
    monkeypatch.setattr("specviz.zoo.draft.fresh.MOST", count)


@pytest.fixture
def prompts(tmp_path):
    file = tmp_path / "prompts.jsonl"
    file.write_text(
        "".join(json.dumps({"id": str(n), "kind": "ab"[n % 2], "turns": [f"Say {n}"]}) + "\n" for n in range(60))
    )
    return file


@pytest.fixture
def trained(target, prompts, tmp_path, monkeypatch):
    """A draft that was trained for a few steps, and what was told: the clock counts its readings."""
    _few(monkeypatch, 100)
    monkeypatch.setattr("specviz.zoo.draft.answers.LONGEST", 24)
    monkeypatch.setattr("specviz.zoo.draft.train.KL_STEPS", 8)
    monkeypatch.setattr("specviz.zoo.draft.train.WARM_STEPS", 2)

    def train(readings=60.0, **more):
        seconds, told = [0.0], []

        def clock():
            seconds[0] += 1.0
            return seconds[0]

        given = {"prompts": [prompts], "work": tmp_path / "work", "minutes": readings / 60, "device": "cpu"}
        given |= {"out": tmp_path / "draft", "target": target} | more
        out = train_draft(given.pop("target"), tell=told.append, clock=clock, **given)
        return out, told, seconds[0]

    return train


def test_a_draft_is_trained_in_its_time_and_gets_better(trained, tmp_path):
    out, told, seconds = trained(150.0)
    assert 0.9 * 150 <= seconds <= 1.05 * 150
    report = json.loads((out / "report.json").read_text())
    first, last = report["curve"][0], report["curve"][-1]
    assert last["steps"] > 20 and last["warped"] > first["warped"] + 0.02
    assert report["vocabulary"] >= 100 and sorted(last["kinds"]) == ["a", "b"] and last["per_call"]["4"] >= 1
    assert any("KL" in line for line in told) and any("held out" in line for line in told)
    names = sorted(file.name for file in out.iterdir())
    assert names == ["config.json", "draft-00001-of-00001.safetensors", "report.json"]


def test_the_draft_proposes_its_part_of_the_vocabulary_and_loses_nothing(trained, target):
    out, _, _ = trained()
    pair = specviz.load_pair(target, out, device="cpu")
    scores = pair.draft.open(4).extend([5, 9], [-1, 0])
    proposed = scores.logits[0].isfinite()
    assert scores.logits.shape == (2, V) and 100 <= proposed.sum() <= 101 and proposed[0], "the end token is among them"
    embedding = pair.draft.model.get_input_embeddings().weight
    assert embedding.data_ptr() == pair.target.model.get_input_embeddings().weight.data_ptr(), "it is there once"
    greedy = {"max_new_tokens": 12, "temperature": 0.0}
    plain = specviz.decode(pair, "autoregressive", "Say", **greedy).tokens
    for method in ("speculative", "block", "mcsd", "mtad", "recursive"):
        if method in specviz.methods():
            assert specviz.decode(pair, method, "Say", max_new_tokens=8, seed=3).tokens
    assert specviz.decode(pair, "speculative", "Say", **greedy).tokens == plain
    exact = specviz.exact_distribution(pair, "speculative", [5, 9], n_tokens=1, gamma=1, top_k=3)
    p = specviz.exact_distribution(pair, "autoregressive", [5, 9], n_tokens=1, top_k=3)
    assert exact.keys() == p.keys() and all(exact[key] == pytest.approx(p[key], abs=1e-6) for key in p)


def test_other_dtypes_and_four_bits_read_the_same_draft(trained, target):
    out, _, _ = trained()
    wide = specviz.load_pair(target, out, device="cpu").draft.open(2).extend([5], [-1]).logits
    for more in ({"dtype": "bfloat16"}, {"bits": 4}):
        draft = specviz.load_pair(target, out, device="cpu", **more).draft
        scores = draft.open(2, hidden=True).extend([5], [-1])
        found, near = scores.logits, wide.isfinite()
        assert torch.equal(found.isfinite(), near)
        torch.testing.assert_close(found[near], wide[near], atol=0.3, rtol=0.05)
        product = scores.hidden.double() @ draft.model.get_output_embeddings().weight.double().T
        likeliest = found[near].topk(LIKELIEST).indices
        torch.testing.assert_close(found[near][likeliest], product[0, likeliest].float(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("more", [{"dtype": "float16"}, {"bits": 4}])
def test_a_rounded_target_keeps_its_draft(trained, target, more):
    out, _, _ = trained()
    scores = specviz.load_pair(target, out, device="cpu", **more).draft.open(1).extend([5], [-1])
    assert 100 <= scores.logits[0].isfinite().sum() <= 101


def test_a_draft_of_another_target_and_damaged_files_are_named(trained, target, tmp_path):
    out, _, _ = trained()
    model = LlamaForCausalLM.from_pretrained(target)
    with torch.no_grad():
        model.model.embed_tokens.weight.add_(1.0)
    with pytest.raises(ModelError, match="reads the embedding of the target that it was trained for") as error:
        specviz.load_pair(_write(tmp_path / "other", model), out, device="cpu")
    assert error.value.argument == "draft"
    (out / "draft-00001-of-00001.safetensors").write_bytes(b"not whole")
    with pytest.raises(ModelError, match="draft 'draft' could not be read"):
        specviz.load_pair(target, out, device="cpu")


def test_an_interrupted_training_goes_on(trained, monkeypatch, tmp_path):
    monkeypatch.setattr(training, "KEEP_EVERY", 0.0)
    real = training._DraftTraining._step

    def cut_off(self):
        if self._state.steps == 5:
            raise KeyboardInterrupt
        return real(self)

    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr(training._DraftTraining, "_step", cut_off)
        trained(150.0)
    drawn = []
    monkeypatch.setattr(training._DraftTraining, "_drawn", _watched(training._DraftTraining._drawn, drawn))
    monkeypatch.setattr("specviz.zoo.draft.answers.answer", lambda *_: pytest.fail("nothing is answered again"))
    out, _, seconds = trained(150.0)
    steps = [row["steps"] for row in json.loads((out / "report.json").read_text())["curve"]]
    assert drawn[0] == 5 and steps[0] == 0 and steps[-1] == drawn[-1] + 1
    assert seconds < 150, "the time before counts"


def _watched(drawn_by, steps):
    def drawn(self, step):
        steps.append(step)
        return drawn_by(self, step)

    return drawn


def test_a_draft_that_was_trained_before_learns_on(trained, target, tmp_path, monkeypatch):
    first, _, _ = trained(40.0)
    begun = specviz.load_pair(target, first, device="cpu").draft
    monkeypatch.setattr("specviz.zoo.draft.train.pace_of", lambda _: replace(ON_PROCESSOR, rate=0.0))
    out, told, _ = trained(40.0, start=first, out=tmp_path / "on", work=tmp_path / "other")
    on = specviz.load_pair(target, out, device="cpu").draft
    assert on.fingerprint == begun.fingerprint and "100 tokens to propose" in " ".join(told)


@pytest.mark.parametrize(("listening", "reads"), [("last", (-1,)), ("three", (2, 4, 5))])
def test_a_draft_that_hears_its_target_is_trained_and_drafts(trained, target, tmp_path, listening, reads):
    target = eagle3.write_target(tmp_path / "deep") if listening == "three" else target
    out, told, _ = trained(150.0, target=target, listening=listening)
    report = json.loads((out / "report.json").read_text())
    first, last = report["curve"][0], report["curve"][-1]
    assert last["warped"] > first["warped"] and len(last["depths"]) == DEPTHS and "at depth 3" in told[-1]
    pair = specviz.load_pair(target, out, device="cpu")
    assert isinstance(pair.draft, ListeningLM) and pair.draft.shape.layers == 1 and pair.draft.reads_layers == reads
    plain = specviz.decode(pair, "autoregressive", [5, 6, 7], max_new_tokens=30, temperature=0.0)
    guessed = specviz.decode(pair, "speculative", [5, 6, 7], max_new_tokens=30, temperature=0.0)
    assert guessed.tokens == plain.tokens
    assert guessed.metrics.tokens_per_target_call > 1.0
    out, told, _ = trained(40.0, target=target, start=out, out=tmp_path / "on", work=tmp_path / "other")
    assert specviz.load_pair(target, out, device="cpu").draft.reads_layers == reads


def test_three_layers_are_not_read_of_a_target_that_has_few(trained):
    with pytest.raises(ModelError, match="a low, a middle and a high layer of 7 or more, the target has 3"):
        trained(listening="three")


@pytest.mark.full
def test_answers_are_resumed_and_cut_at_their_end(pair, tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.zoo.draft.answers.pace_of", lambda _: replace(ON_PROCESSOR, prompts=4))
    questions = [DraftQuestion(str(n), "", f"Say {n}") for n in range(12)]
    write_answers(pair, questions, tmp_path, lambda tokens: tokens == 0)
    first = list(read_answers(tmp_path))
    assert [one.id for one in first] == [str(n) for n in range(4)]
    with (tmp_path / "0000.jsonl").open("a") as file:
        file.write('{"id": "4", "tur')  # a power cut
    with (tmp_path / "0000.jsonl").open("a") as file:
        file.write("\n")
    total = write_answers(pair, questions, tmp_path, lambda _: True)
    every = list(read_answers(tmp_path))
    assert sorted((one.id for one in every), key=int) == [str(n) for n in range(12)] and every[:4] == first
    assert total == sum(len(one.answer) for one in every)
    assert all(0 not in one.answer[:-1] and (one.answer[-1] == 0 or len(one.answer) == 256) for one in every)
    assert every[0].prompt == list(pair.encode("Say 0"))


def test_a_batch_answers_as_one_at_a_time(pair):
    """Texts end one after the other, and those that have are read no more."""
    prompts = [[5, 6, 7], [9], [20, 21, 22, 23, 24], [30, 31], [40], [50, 51]]
    model, generator = pair.target.model, torch.Generator()
    whole = answer(model, prompts, [True] * 6, frozenset(), generator, 12)
    ends = frozenset([whole[0][-1], whole[3][-1]])
    together = answer(model, prompts, [True] * 6, ends, generator, 12)
    assert 1 <= sum(len(written) < 12 for written in together) < 6
    for prompt, written in zip(prompts, together, strict=True):
        tokens = list(prompt)
        with torch.no_grad():
            while len(tokens) < len(prompt) + 12 and (len(tokens) == len(prompt) or tokens[-1] not in ends):
                tokens.append(model(torch.tensor([tokens])).logits[0, -1].argmax().item())
        assert written == tokens[len(prompt) :]


def test_prompts_of_several_kinds_are_read_and_others_named(tmp_path):
    file = tmp_path / "p.jsonl"
    file.write_text('"One"\n{"prompt": "Two"}\n\n{"question_id": 7, "category": "math", "turns": ["Three", "more"]}\n')
    assert read_questions([file]) == [
        DraftQuestion("p-1", "", "One"),
        DraftQuestion("p-2", "", "Two"),
        DraftQuestion("7", "math", "Three"),
    ]
    for line, said in (
        ("{", "is not JSON"),
        ('{"a": 1}', "must have a prompt, a text or turns"),
        ("[1]", "must have a prompt"),
    ):
        file.write_text(f'"One"\n{line}\n')
        with pytest.raises(SpecvizError, match=f"line 2 {said}"):
            read_questions([file])


def test_prompts_are_made_without_any_and_ask_about_texts(tmp_path):
    text, lines = tmp_path / "tale.txt", tmp_path / "p.jsonl"
    text.write_text("\n".join(f"Paragraph {n} tells of a fox, a goose and a farmer." * 5 for n in range(40)))
    lines.write_text('"One"\n')
    made = prompts_for([], 300)
    assert len({one.text for one in made}) == len({one.id for one in made}) == 300
    assert made[:100] == prompts_for([], 100) and not any("{" in one.text for one in made)
    assert {one.kind for one in made} == set(_TEMPLATES)
    assert prompts_for([lines], 300) == read_questions([lines])
    passages = list(passages_of(text.read_text()))
    assert all(text_of(text).count(passage) == 1 and 400 <= len(passage) <= 1600 for passage in passages)
    over = [one for one in prompts_for([lines, text], 300) if any(passage in one.text for passage in passages)]
    assert 60 < len(over) < 140 and {one.kind for one in over} == {"summarization", "continuation", "reading"}
    with pytest.raises(SpecvizError, match="x.txt cannot be read as UTF-8 text"):
        prompts_for([tmp_path / "x.txt"])


def test_a_corpus_begins_as_prompts(corpus):
    made = openings(corpus, 30)
    assert len({one.text for one in made}) == len({one.id for one in made}) == 30 and made[:9] == openings(corpus, 9)
    for one in made:
        whole = next(text for text in corpus.training[one.kind] if one.text in text)
        goes_on = whole[whole.index(one.text) + len(one.text) :]
        assert one.text.endswith({"sums": "\nAnswer:", "queries": "\nSQL:"}.get(one.kind, "")) and goes_on
    assert {one.kind for one in made} == {"tales", "sums", "queries"}


def _answers(count=7):
    rng = np.random.default_rng(0)
    return [
        Answer(str(n), 0, "", rng.integers(1, V, 3 + n).tolist(), rng.integers(1, V, 5 + n).tolist())
        for n in range(count)
    ]


def test_lessons_say_what_the_target_says(pair, tmp_path):
    model, answers = pair.target.model, _answers()
    lessons = TaughtAnswers(tmp_path, model)
    assert lessons.add(answers, most=5) == 5 and lessons.add(answers) == 2 and lessons.add(answers) == 0
    with (tmp_path / "hidden.bin").open("ab") as file:
        file.write(b"half a lesson")
    with (tmp_path / "lessons.jsonl").open("a") as file:
        file.write('{"id": "99')
    again = TaughtAnswers(tmp_path, model)
    assert len(again.all) == 7 and again.tokens == sum(len(one.answer) for one in answers)
    assert again.add([Answer("new", 0, "", [1, 2], [3, 4])]) == 1
    for one, lesson in zip(
        [*answers, Answer("new", 0, "", [1, 2], [3, 4])], TaughtAnswers(tmp_path, model).all, strict=True
    ):
        hidden, denominators = again.said([lesson])
        with torch.no_grad():
            logits = model(torch.tensor([one.prompt + one.answer])).logits[0, len(one.prompt) - 1 : -1]
        assert lesson.tokens.tolist() == one.prompt + one.answer and len(hidden) == len(one.answer)
        found = (again.logits(hidden) - denominators[:, None]).softmax(-1)
        torch.testing.assert_close(found, logits.softmax(-1), atol=0.02, rtol=0.05)
        torch.testing.assert_close(
            (again.logits(hidden) - denominators[:, None]).exp().sum(-1), torch.ones(len(hidden))
        )
    assert said_by(answers, V).sum() == sum(len(one.answer) for one in answers if not one.held_out)


def test_lessons_keep_the_states_that_a_draft_reads(pair, tmp_path):
    model, answers = pair.target.model, _answers(3)
    lessons = TaughtAnswers(tmp_path, model, (1, 3, -1))
    lessons.add(answers, most=2)
    again = TaughtAnswers(tmp_path, model, (1, 3, -1))
    again.add(answers)
    for one, lesson in zip(answers, again.all, strict=True):
        with torch.no_grad(), states_after(model, (1, 3)) as after:
            last = model.model(torch.tensor([one.prompt + one.answer]), use_cache=False).last_hidden_state[0, :-1]
        expected = torch.cat([after[1][0, :-1], after[3][0, :-1], last], dim=-1)
        torch.testing.assert_close(again.states(lesson).float(), expected, atol=0.02, rtol=0.01)
        torch.testing.assert_close(again.said([lesson])[0].float(), last[lesson.first :], atol=0.02, rtol=0.01)


def test_the_vocabulary_covers_what_is_said():
    counts = np.zeros(50_000, dtype=np.int64)
    counts[10_000:20_000] = 10
    chosen = draft_vocabulary(counts, frozenset({49_999}))
    assert 9_850 <= len(chosen) <= 9_852 and 49_999 in chosen and counts[chosen].sum() >= 0.985 * counts.sum()
    counts[:] = 1
    assert len(draft_vocabulary(counts, frozenset({49_999}))) == 16_385, "no more than the most, and the end"
    counts[:] = 0
    counts[40_000] = 5
    assert draft_vocabulary(counts, frozenset({2})).tolist() == [*range(8_191), 40_000]
    assert draft_vocabulary(np.ones(300, dtype=np.int64), frozenset({2})).tolist() == [*range(300)]


def test_a_fresh_draft_of_all_layers_is_the_target(pair):
    model, vocabulary = pair.target.model, torch.tensor([3, 5, 80])
    draft, tokens = fresh_draft(model, 3, vocabulary), torch.tensor([[4, 7, 9, 11]])
    with torch.no_grad():
        torch.testing.assert_close(draft.model(tokens).logits, model(tokens).logits[..., vocabulary])
    ends = fresh_draft(model, 2, vocabulary).model.model.layers
    assert torch.equal(ends[0].mlp.up_proj.weight, model.model.layers[0].mlp.up_proj.weight)
    assert torch.equal(ends[1].mlp.up_proj.weight, model.model.layers[2].mlp.up_proj.weight)
    with pytest.raises(ModelError, match="layers must be from 1 to the target's 3, got 4"):
        fresh_draft(model, 4, vocabulary)


def test_other_families_have_drafts_too():
    torch.manual_seed(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_embd=32, n_layer=2, n_head=4, n_positions=64)).eval()
    draft, tokens = fresh_draft(model, 2, torch.tensor([3, 5])), torch.tensor([[4, 7, 9, 11]])
    with torch.no_grad():
        torch.testing.assert_close(draft.model(tokens).logits, model(tokens).logits[..., [3, 5]])


def test_the_loss_is_its_formula():
    generator = torch.Generator().manual_seed(0)
    logits, p = torch.randn(6, 9, generator=generator), torch.rand(6, 9, generator=generator).softmax(-1) * 0.9
    q = logits.softmax(-1)
    kl, alpha = (p * (p / q).log()).sum(-1).mean(), torch.minimum(p, q).sum(-1).mean()
    plain, hybrid = (distance(logits, p.log(), hybrid=which) for which in (False, True))
    assert plain.loss.item() == pytest.approx(kl.item(), rel=1e-4) and plain.agreement == pytest.approx(
        alpha.item(), rel=1e-4
    )
    weight = np.exp(-3 * alpha.item())
    assert hybrid.loss.item() == pytest.approx((weight * kl + (1 - weight) * (1 - alpha)).item(), rel=1e-4)


def test_tokens_per_call_are_products_of_agreements():
    overlap = torch.tensor([0.5, 0.4, 1.0, 0.0])
    assert tokens_per_call([overlap], 2) == pytest.approx(np.mean([1.7, 1.8, 2.0]))
    assert tokens_per_call([overlap, overlap / 2], 2) == pytest.approx(np.mean([1.6, 1.6, 2.0]))
    assert tokens_per_call([overlap[:1]], 2) == 1.0


def test_what_is_measured_is_what_the_distributions_say(pair, tmp_path):
    model, vocabulary = pair.target.model, torch.arange(0, V, 2)
    lessons = TaughtAnswers(tmp_path, model)
    lessons.add(_answers(3))
    draft = fresh_draft(model, 2, vocabulary)
    found = measure_draft(draft, lessons, lessons.all)
    agreements, warped = [], []
    for lesson in lessons.all:
        p = lessons.logits(lessons.said([lesson])[0])
        q = torch.full_like(p, -torch.inf)
        with torch.no_grad():
            tokens = torch.from_numpy(lesson.tokens.astype(np.int64))[None]
            q[:, vocabulary] = draft.model(tokens).logits[0, lesson.first : -1]
        agreements.append(torch.minimum(p.softmax(-1), q.softmax(-1)).sum(-1))
        warped.append(torch.minimum(WARP(p), WARP(q)).sum(-1))
    assert found.agreement == pytest.approx(torch.cat(agreements).mean().item(), abs=1e-3)
    assert found.warped == pytest.approx(torch.cat(warped).mean().item(), abs=1e-3)
    assert found.positions == lessons.tokens


def test_more_layers_than_the_target_has_are_refused_before_it_answers(trained, tmp_path):
    with pytest.raises(ModelError, match="layers must be from 1 to the target's 3, got 4"):
        trained(layers=4)
    assert not (tmp_path / "work").exists()


def test_a_draft_that_proposes_a_part_gets_no_decision_models(trained, target, tmp_path):
    out, _, _ = trained()
    (tmp_path / "text.txt").write_text("Once upon a time. " * 100)
    with pytest.raises(ModelError, match="proposes a part of the vocabulary") as error:
        train_for(target, tmp_path / "text.txt", tmp_path / "parts", draft=out, device="cpu")
    assert error.value.argument == "draft"


def test_without_answers_there_is_nothing_to_learn_from(target, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(SpecvizError, match="has no answers to learn from: give prompts"):
        train_draft(target, tmp_path / "draft", answers=tmp_path / "none", work=tmp_path / "work", device="cpu")
