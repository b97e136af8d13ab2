"""The whole training command on a tiny corpus: interrupted, resumed, saved, reported."""

import functools
import json
from contextlib import contextmanager

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from specviz.errors import SpecvizError
from specviz.lm.loading.pairs import EMBEDDED, load_pair
from specviz.zoo import build as build_module
from specviz.zoo.books import BOOKS, identify
from specviz.zoo.build import build, first_layers
from specviz.zoo.corpus import load_corpus, stated_result
from specviz.zoo.report.measured import evaluation, read_report, write_report
from specviz.zoo.training.network import llama
from specviz.zoo.training.optimizer import Optimizers
from specviz.zoo.training.schedule import Budget

MINUTES = 0.25


class Interrupted(Exception):
    """Stands for a power cut."""


@contextmanager
def _small_world():
    """Small models, and short looks at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_module, "load_corpus", functools.partial(load_corpus, query_count=200))
        patch.setattr(build_module, "TARGET", {"width": 64, "feed_forward": 96, "shallow_layers": 1, "layers": 2})
        patch.setattr(build_module, "DRAFT_LAYERS", 1)
        patch.setattr(build_module, "SMALL", {"width": 64, "feed_forward": 32, "layers": 1})
        patch.setattr("specviz.zoo.training.parts.GREEDY_PROMPTS", 8)
        patch.setattr("specviz.zoo.report.parts_evaluation.WINDOWS", 4)
        patch.setattr("specviz.zoo.report.parts_evaluation.ROLLOUTS", 32)
        patch.setattr("specviz.zoo.training.stages.CHECKPOINT_EVERY", 0.0)
        patch.setattr(evaluation, "SQL_QUESTIONS", 20)
        yield


@pytest.fixture(scope="module")
def built(corpus_directory, tmp_path_factory):
    """A build that was cut off in its second stage and started again: where it is, and what the checkpoint had seen."""
    folder = tmp_path_factory.mktemp("build")
    command = functools.partial(
        build, corpus_directory, folder / "out", work=folder / "work", minutes=MINUTES, device="cpu", compiled=False
    )
    with _small_world():
        with pytest.MonkeyPatch.context() as cut:
            cut.setattr(Optimizers, "step", _cut_off_after(folder / "work" / "deep.pt", Optimizers.step))
            with pytest.raises(Interrupted):
                command()
        before = torch.load(folder / "work" / "deep.pt", weights_only=False)
        assert not before["done"]
        command()
    return folder, before["outcome"]


def _cut_off_after(checkpoint, step):
    def failing(self, factor):
        if checkpoint.exists():
            raise Interrupted
        step(self, factor)

    return failing


@pytest.mark.full
def test_resumes_where_it_was_cut_off(built):
    folder, before = built
    after = {o["name"]: o for o in json.loads((folder / "work" / "outcomes.json").read_text())}
    assert list(after) == ["shallow", "deep", "polish", "distil", "small", "heads", "rollouts"]
    assert before.steps > 0 and after["deep"]["steps"] > before.steps
    assert after["deep"]["seconds"] >= Budget(MINUTES).deep.minutes * 60
    assert not list((folder / "work").glob("*.partial"))


def test_a_draft_begins_as_the_first_layers_of_its_target():
    target = llama(50, 64, 3, 96)
    draft, tokens = first_layers(target, 2), torch.arange(9)[None]
    for layer in target.model.layers[2:]:
        torch.nn.init.zeros_(layer.self_attn.o_proj.weight)
        torch.nn.init.zeros_(layer.mlp.down_proj.weight)
    assert draft.config.num_hidden_layers == 2
    assert torch.equal(draft(tokens).logits, target(tokens).logits)
    draft.model.embed_tokens.weight.data.zero_()
    assert target(tokens).logits.abs().min() > 0  # nothing is shared


@pytest.fixture(scope="module")
def learned_on(built, corpus_directory, tmp_path_factory):
    """What the command made of the models of that build, given them to go on from."""
    out = built[0] / "out"
    folder = tmp_path_factory.mktemp("further")
    with _small_world():
        build(
            corpus_directory,
            folder / "out",
            work=folder / "work",
            start=out,
            minutes=0.05,
            device="cpu",
            compiled=False,
        )
    return out, folder / "out"


@pytest.mark.full
@pytest.mark.parametrize(
    "file", ["fable-target/model", "fable-draft/model", "fable-draft-small/model", "fable-heads/heads"]
)
def test_models_that_were_trained_before_learn_on(learned_on, file):
    before, after = (load_file(folder / f"{file}.safetensors") for folder in learned_on)
    name = next(name for name in before if "embed_tokens" in name or "linear.0" in name)
    old, new = before[name].float(), after[name].float()
    assert not torch.equal(old, new)
    assert torch.cosine_similarity(old.flatten(), new.flatten(), dim=0) > 0.5  # two fresh ones: about 0


@pytest.mark.parametrize("missing", ["fable-target", "fable-draft", "fable-draft-small", "fable-heads", "report.json"])
def test_what_is_needed_to_learn_on_is_looked_for_before_anything_is_trained(tmp_path, missing):
    for path in EMBEDDED.iterdir():
        if path.name != missing:
            (tmp_path / path.name).symlink_to(path)
    with pytest.raises(SpecvizError, match=f"holds no {missing}.*: --from takes a folder that train wrote"):
        build(tmp_path / "no corpus", tmp_path / "out", work=tmp_path / "work", start=tmp_path)
    assert not (tmp_path / "work").exists()


def test_a_work_folder_belongs_to_the_models_that_its_training_began_from(tmp_path):
    asked = functools.partial(build, tmp_path / "no corpus", tmp_path / "out", work=tmp_path / "work")
    for start in (EMBEDDED, EMBEDDED):
        with pytest.raises(SpecvizError, match="no corpus"):
            asked(start=start)
    with pytest.raises(SpecvizError, match="began from other models: give another --work folder"):
        asked(start=None)


@pytest.mark.parametrize("text", ["{", "[]", '{"date": "2020-01-01"}'])
def test_a_damaged_report_is_said(tmp_path, text):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(SpecvizError, match="report.json is no report of a training"):
        read_report(tmp_path)


@pytest.mark.full
def test_the_report_tells_what_learning_on_has_changed(learned_on):
    before, after = (json.loads((folder / "report.json").read_text()) for folder in learned_on)
    page = (learned_on[1] / "README.md").read_text(encoding="utf-8")
    assert [stage["name"] for stage in after["training"]][:2] == ["further", "polish"]
    assert after["earlier"]["fits"] == before["fits"] and "| shallow |" in page and "| further |" in page
    old, new = (numbers["fits"]["tales"]["target_loss"] for numbers in (before, after))
    assert f"{old:.3f} → {new:.3f}" in page
    assert "--out build/pair-1" in page and "--from build/pair-1 --out assets/models" in page
    assert "names copied whole |" in page


@pytest.mark.full
@pytest.mark.parametrize(("name", "layers"), [("fable-target", 2), ("fable-draft", 1), ("fable-draft-small", 1)])
def test_saves_models_that_load_anywhere(built, name, layers):
    directory = built[0] / "out" / name
    model = AutoModelForCausalLM.from_pretrained(directory)
    tokenizer = AutoTokenizer.from_pretrained(directory)
    assert model.dtype == torch.bfloat16 and model.config.num_hidden_layers == layers
    assert model.config.vocab_size == len(tokenizer)
    assert all(path.stat().st_size < 10_000_000 for path in directory.glob("*.safetensors"))


@pytest.mark.full
def test_the_pair_loads_with_its_parts(built):
    out = built[0] / "out"
    pair = load_pair(
        out / "fable-target",
        out / "fable-draft",
        drafts=[out / "fable-draft-small"],
        heads=out / "fable-heads",
        correlation=out / "fable-correlation" / "correlation.safetensors",
        deciders=out / "fable-deciders",
        device="cpu",
    )
    assert pair.heads.target == pair.target.fingerprint and pair.heads.count == 4
    assert {decider.draft for decider in pair.deciders.values()} == {pair.draft.fingerprint}
    with torch.no_grad():
        assert all(weight.any() for weight in pair.heads.parameters())  # the linear layers began at zero
    tree = set(pair.heads.tree)
    assert len(tree) == len(pair.heads.tree) == 64
    assert all(path[:-1] in tree or len(path) == 1 for path in tree)


@pytest.mark.full
def test_reports_its_parts(built):
    out = built[0] / "out"
    numbers, page = json.loads((out / "report.json").read_text()), (out / "README.md").read_text(encoding="utf-8")
    parts, stages = numbers["parts"], {stage["name"]: stage for stage in numbers["training"]}
    assert parts["small"]["sums"]["target_loss"] == pytest.approx(numbers["fits"]["sums"]["target_loss"], abs=1e-5)
    assert stages["heads"]["steps"] > 0 and stages["rollouts"]["tokens"] == 160 * stages["rollouts"]["steps"] > 0
    for kind in ("text", "greedy"):
        for shares in parts["heads"][kind].values():
            for row in shares["plain"] + shares["corrected"]:
                assert row == sorted(row) and row[0] >= 0 and row[-1] <= 1
    assert set(parts["heads"]["text"]) == {"tales", "sums", "queries"}
    assert parts["heads"]["measured"]["tree"] >= parts["heads"]["measured"]["chain"]
    for calibration in parts["deciders"].values():
        assert sum(row["positions"] for row in calibration["bins"]) == calibration["positions"] > 0
        assert f"{calibration['brier']:.4f}" in page
    plain, corrected = (parts["heads"]["text"]["sums"][key][0][0] for key in ("plain", "corrected"))
    assert f"{plain:.3f} / {corrected:.3f}" in page


@pytest.mark.full
def test_reports_what_it_measured(built):
    out = built[0] / "out"
    numbers, page = json.loads((out / "report.json").read_text()), (out / "README.md").read_text(encoding="utf-8")
    for domain in ("tales", "sums", "queries"):
        fit = numbers["fits"][domain]
        assert 0 < fit["target_loss"] < 12 and 0 < fit["agreement"] <= 1 and 0 < fit["agreement_warped"] <= 1
        assert f"{fit['target_loss']:.3f}" in page and f"{fit['agreement_warped']:.3f}" in page
        assert sum(sample["domain"] == domain for sample in numbers["samples"]) == 2
    assert numbers["tasks"]["target"]["all"]["asked"] == 20
    assert numbers["tasks"]["target"]["word problems"]["asked"] == 30
    assert sum(numbers["files"].values()) == sum(p.stat().st_size for p in out.glob("*/*"))
    assert "MIT licence" in page and "a text not in specviz/zoo/books.py" in page


@pytest.mark.full
def test_the_report_measures_the_shipped_weights(built, corpus, tmp_path):
    """Losses of the report equal those of the files as transformers loads them."""
    out = built[0] / "out"
    names = ("fable-target", "fable-draft")
    target, draft = (AutoModelForCausalLM.from_pretrained(out / name, dtype=torch.float32) for name in names)
    tokenizer = AutoTokenizer.from_pretrained(out / "fable-target")
    fit = evaluation.measure_fit(target, draft, tokenizer, corpus.held_out["sums"])
    reported = json.loads((out / "report.json").read_text())["fits"]["sums"]
    assert fit.target_loss == pytest.approx(reported["target_loss"], abs=1e-5)
    assert fit.agreement == pytest.approx(reported["agreement"], abs=1e-5)


def test_a_model_agrees_wholly_with_itself(tokenizer, corpus):
    model = llama(len(tokenizer), 64, 1, 64)
    fit = evaluation.measure_fit(model, model, tokenizer, corpus.held_out["tales"])
    assert fit.agreement == pytest.approx(1, abs=1e-5) and fit.agreement_warped == pytest.approx(1, abs=1e-5)
    assert fit.target_loss == fit.draft_loss


def test_a_domain_without_held_out_text_is_left_out(tokenizer, corpus):
    model = llama(len(tokenizer), 64, 1, 64)
    assert evaluation.measure_fit(model, model, tokenizer, []) is None


def test_shipped_weights_are_rounded_and_the_model_is_left_alone():
    model = llama(40, 64, 1, 64)
    kept = model.model.embed_tokens.weight.clone()
    shipped = evaluation.as_shipped(model)
    weight = shipped.model.embed_tokens.weight
    assert weight.dtype == torch.float32 and torch.equal(weight, weight.bfloat16().float())
    assert torch.equal(model.model.embed_tokens.weight, kept) and not torch.equal(weight, kept)


def test_continuations_do_not_depend_on_their_batch(tokenizer):
    """Left padding is masked: a short prompt gets the same greedy text alone and beside a long one."""
    torch.manual_seed(3)
    model = llama(len(tokenizer), 64, 2, 96).eval()
    with torch.no_grad():  # so that attention matters
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    prompts = ["One morning", "When the bells rang the miller counted the stars. On market day a hare slept late"]
    together = evaluation.continuations(model, tokenizer, prompts, max_new_tokens=20)
    alone = [evaluation.continuations(model, tokenizer, [prompt], max_new_tokens=20)[0] for prompt in prompts]
    assert together == alone


@pytest.mark.parametrize(
    ("text", "result"),
    [("6 + 6 = 12.\nThe answer is 12.\n", "12"), ("The answer is $1,200.", "1200"), ("so it is 12", "")],
)
def test_result_of_a_worked_problem(text, result):
    assert stated_result(text) == result


def test_books_are_told_apart_by_their_size():
    assert len({book.characters for book in BOOKS}) == len({book.ebook for book in BOOKS}) == len(BOOKS)
    book = BOOKS[0]
    assert identify("a" * (book.characters - 3) + "\nbcd\n") == book
    assert identify("a" * 17) is None


@pytest.mark.full
def test_the_page_follows_from_the_numbers(built, tmp_path):
    """The report can be written again from its own file, into a folder that is not there yet."""
    out = built[0] / "out"
    numbers = json.loads((out / "report.json").read_text())
    samples = [evaluation.Sample(**sample) for sample in numbers.pop("samples")]
    numbers["training"] = numbers["training"][:2]
    write_report(numbers, samples, tmp_path / "a" / "b")
    page = (tmp_path / "a" / "b" / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# The embedded models") and "| deep |" in page and "| rollouts |" not in page
