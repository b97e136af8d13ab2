"""What a GPU is measured by, run on a processor: who enters, what is compared, and pairs that do not fit."""

import json
from copy import copy

import pytest
import torch
from transformers import AutoModelForCausalLM, OPTConfig

from specviz.errors import ModelError, OptionError
from specviz.lab.rivals import gpu, grown
from specviz.lab.rivals.entered import ASSISTED, GENERATE
from specviz.lab.sweep.plan import Task
from specviz.lab.sweep.prompts import built_in
from specviz.lab.sweep.running import Runner
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.zoo.growth import empty

SIZE = {"tokens": 5, "rounds": 1, "seed": 3}
PROMPTS = built_in()[3:4]
METHODS = [("autoregressive", {}), ("speculative", {})]
ALL = [(name, {}) for name in gpu.METHODS]


@pytest.fixture(autouse=True)
def undisturbed(monkeypatch):
    """Also while other tests run."""
    monkeypatch.setattr("specviz.measure.disturbance.kept_waiting", lambda *_: None)


@pytest.fixture(scope="module")
def graphed(pair):
    target, draft = (TransformerLM(model.model, model.name, graphs=True) for model in (pair.target, pair.draft))
    return ModelPair(target, draft, pair.tokenizer, drafts=(draft,))


def test_methods_and_transformers_run_bare(pair):
    names = [one.name for one in gpu.gpu_settings(pair, ALL)]
    assert names == ["autoregressive", "speculative", "mtad", "dsbd", GENERATE, ASSISTED]


def test_with_graphs_each_method_runs_without_them_too(graphed, monkeypatch):
    entered = gpu.gpu_settings(graphed, METHODS)
    ours = ["autoregressive", "speculative"]
    assert [one.name for one in entered] == [*ours, GENERATE, ASSISTED, *(f"{name} (eager)" for name in ours)]
    opened, before = [], TransformerLM.open
    monkeypatch.setattr(
        TransformerLM, "open", lambda self, *given, **more: opened.append(self.graphs) or before(self, *given, **more)
    )
    runner = Runner(graphed)
    for setting in entered[:2] + entered[4:]:
        runner._made(Task("", setting, PROMPTS[0], 0, 0, 5), False)
    assert opened == [True, True, True, False, False, False]  # plain decoding asks the target, speculative both


def test_without_graphs_the_models_are_the_same_ones(graphed):
    eager = gpu.without_graphs(graphed)
    for one, other in ((eager.target, graphed.target), (eager.draft, graphed.draft), (eager.drafts[0], graphed.draft)):
        assert (one.graphs, other.graphs) == (False, True)
        assert one.model is other.model and one.prompts is other.prompts  # forgotten together
    assert not gpu.has_graphs(eager)


def test_graph_against_eager_is_a_ratio_of_the_same_run(graphed):
    report = gpu.measured(graphed, METHODS, PROMPTS, **SIZE)
    names = [ratio["name"] for ratio in report["ratios"]]
    assert report["graphs"] and names.count("speculative / speculative (eager)") == 2  # own clocks, whole calls
    (eager,) = (row for row in report["rows"] if row["contender"] == "autoregressive (eager)")
    assert eager[f"over_{GENERATE}"]["median"] > 0


def test_a_report_says_everything_and_is_json(pair):
    report = json.loads(json.dumps(gpu.measured(pair, ALL, PROMPTS, **SIZE), allow_nan=False))
    names = [*gpu.METHODS, GENERATE, ASSISTED]
    assert [row["contender"] for row in report["rows"]] == names
    assert not report["graphs"] and not any("eager" in ratio["name"] for ratio in report["ratios"])
    assert list(report["memory"]) == ["loaded", *names]
    assert all(size > 10_000_000 for size in report["memory"].values())  # resident, on a processor
    assert report["target"]["parameters"] == pair.target.shape.parameters
    assert report["target"]["bytes"] == 4 * pair.target.shape.parameters
    assert {"overhead of dsbd", "overhead of mtad"} <= {ratio["name"] for ratio in report["ratios"]}
    assert [row["disturbed"] for row in report["rows"]] == [0] * 6


def test_every_method_is_held_against_both_of_transformers(pair):
    report = gpu.measured(pair, METHODS, PROMPTS, **SIZE | {"rounds": 2})
    walls = {(run["setting"], run["round"]): run["wall_seconds"] for run in report["runs"]}
    (row,) = (row for row in report["rows"] if row["contender"] == "speculative")
    for rival in (GENERATE, ASSISTED):
        by_hand = [walls[rival, turn] / walls["speculative", turn] for turn in range(2)]
        assert row[f"over_{rival}"]["median"] == pytest.approx(sum(by_hand) / 2)


@pytest.mark.full
@pytest.mark.parametrize(
    "error",
    [
        ModelError("out of memory on cuda", code="out_of_memory"),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 26 GB\nmore"),
    ],
    ids=["ours", "torch's"],
)
def test_a_pair_that_does_not_fit_is_left_out(pair, error):
    def fails():
        raise error

    sources = [gpu.Source("large", "a note", fails), gpu.Source("small", "", lambda: pair)]
    large, small = gpu.gpu_bench(sources, METHODS[:1], PROMPTS, **SIZE)
    assert large == {"name": "large", "note": "a note", "does_not_fit": str(error).split("\n")[0]}
    assert small["name"] == "small" and small["rows"]


def test_another_fault_ends_it(pair):
    def fails():
        raise RuntimeError("illegal instruction")

    with pytest.raises(RuntimeError, match="illegal instruction"):
        list(gpu.gpu_bench([gpu.Source("broken", "", fails)], METHODS, PROMPTS, **SIZE))


def test_memory_on_a_gpu_is_the_peak_of_the_work_over_all_of_them(pair, monkeypatch):
    said, peaks = [], {0: 5, 1: 7}
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: said.append(("reset", device)))
    monkeypatch.setattr(
        torch.cuda, "max_memory_allocated", lambda device: said.append(("read", device)) or peaks[device]
    )
    on_gpu = copy(pair)
    on_gpu.target = copy(pair.target)
    on_gpu.target.device = torch.device("cuda")
    assert gpu.peak_memory(on_gpu, lambda: said.append(("work", None))) == 12
    assert said == [("reset", 0), ("reset", 1), ("work", None), ("read", 0), ("read", 1)]


def test_without_a_gpu_only_a_processor_that_is_asked_for_is_measured(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for asked in (None, "cuda", "cuda:1", "auto"):
        with pytest.raises(ModelError, match="needs a CUDA GPU.*--device cpu"):
            gpu.gpu_device(asked)
    assert gpu.gpu_device("cpu") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(ModelError, match="device must be cpu, cuda"):
        gpu.gpu_device("gpu")
    assert [gpu.gpu_device(asked) for asked in (None, "auto", "cuda:1", "cpu")] == ["cuda", "cuda", "cuda:1", "cpu"]


def test_which_shapes_are_grown():
    def names(asked, device):
        return [source.name for source in gpu.grown_sources(asked, device, torch.float32)]

    assert names(None, "cuda") == ["llama-13b", "qwen3-8b", "opt-13b"]
    assert (names(None, "cpu"), names([], "cuda"), names(["opt-13b"], "cpu")) == (["tiny"], [], ["opt-13b"])
    with pytest.raises(OptionError, match="shapes must be among llama-13b, .*, tiny, got 'gpt-5'"):
        names(["gpt-5"], "cuda")


PUBLISHED = {  # parameters
    "Llama-2-13B": (13_015_864_320, 0.0),
    "Llama-68M": (68_030_208, 0.0),
    "Qwen3-8B": (8_190_735_360, 0.0),
    "Qwen3-0.6B": (596_049_920, 0.0),
    "OPT-13B": (12_853_473_280, 0.001),
    "OPT-125M": (125_239_296, 0.014),
}


@pytest.mark.parametrize("shapes", grown.PAPER.values(), ids=grown.PAPER)
def test_a_paper_shape_has_the_published_number_of_parameters(shapes):
    for name, shape in ((shapes.target_name, shapes.target), (shapes.draft_name, shapes.draft)):
        made = empty(shape.config(), "meta", torch.bfloat16)
        count, tolerance = PUBLISHED[name]
        assert sum(weight.numel() for weight in made.parameters()) == pytest.approx(count, rel=tolerance or 1e-12)


@pytest.mark.parametrize(
    ("name", "heads", "width", "layers", "feed_forward"),
    [("OPT-13B", 40, 5120, 40, 20_480), ("OPT-125M", 12, 768, 12, 3072)],
)
def test_opt_has_the_parameters_that_the_note_compares_with(name, heads, width, layers, feed_forward):
    sizes = {"hidden_size": width, "num_hidden_layers": layers, "ffn_dim": feed_forward, "num_attention_heads": heads}
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(OPTConfig(**sizes, word_embed_proj_dim=width))
    assert sum(weight.numel() for weight in model.parameters()) == PUBLISHED[name][0]


def test_a_grown_pair_says_what_it_is():
    pair = grown.grown_pair(grown.TINY["tiny"], "cpu", torch.float32)
    assert (pair.target.name, pair.draft.name) == ("fable-target as a tiny Qwen3", "fable-draft as a tinier one")
    assert pair.target.vocab_size == pair.draft.vocab_size == 4352 and pair.tokenizer is not None
    assert pair.target.model.config.model_type == "qwen3" and pair.target.forward == "lean"
