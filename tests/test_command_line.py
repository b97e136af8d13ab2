"""The command line: what it prints, what it saves, and how it refuses."""

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from specviz import __main__ as command_line
from specviz.commands import arguments, show
from specviz.decoding.registry.method import FAMILIES
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.errors import OptionError
from specviz.lab.prompts import PROMPTS
from specviz.lab.rivals.entered import ASSISTED, GENERATE
from specviz.lab.sweep import prompts
from specviz.lm.loading.pairs import load_pair
from specviz.measure import disturbance
from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Emitted
from specviz.trace.store import load_trace
from specviz.views import step_texts, steps
from tests.spoken_traces import HEBREW, spoken
from tests.tiny_pair import write_pair
from tests.traces import mtad_trace, speculative_trace

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> list[str]:
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    return ["--target", str(target), "--draft", str(draft), "--device", "cpu"]


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line on its arguments; returns (exit code, output, error stream)."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> tuple[int, str, str]:
        try:
            code = command_line.main(list(words))
        except SystemExit as stopped:  # argparse
            code = stopped.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_decode_prints_text_legend_and_metrics_and_saves_the_trace(run, models, tmp_path):
    file = tmp_path / "run.json"
    options = ["--gamma", "3", "--beams", "4", "--temperature", "0.8", "--top-k", "none"]
    words = ["--prompt", "Once [bold]upon[/bold]", "--max-new-tokens", "9", "--seed", "5", "--json", str(file)]
    code, out, err = run("decode", "--method", "mtad", *words, *options, *models)
    assert (code, err) == (0, "")
    assert out.startswith("Once [bold]upon[/bold]")  # markup in a prompt stays text
    assert "accepted: drafted and accepted" in out or "target: from the target" in out
    saved = load_trace(file)
    pair = load_pair(models[1], models[3], device="cpu")
    made = decode(
        pair, "mtad", "Once [bold]upon[/bold]", max_new_tokens=9, seed=5, gamma=3, beams=4, temperature=0.8, top_k=None
    )
    assert saved.tokens == made.tokens
    assert saved.header.options == made.header.options
    assert re.search(r"  tokens +9\b", out)
    assert METRIC_HELP["perplexity"].label in out
    assert show.number(saved.metrics.perplexity) in out


@pytest.mark.parametrize(("words", "graphs"), [([], None), (["--no-graphs"], False)])
def test_graphs_can_be_switched_off(run, models, monkeypatch, words, graphs):
    given = {}

    def spied(*names, **options):
        given.update(options)
        return load_pair(*names, **options)

    monkeypatch.setattr("specviz.commands.models.load_pair", spied)
    assert run("decode", "--prompt", "One", "--max-new-tokens", "2", *models, *words)[0] == 0
    assert given.get("graphs") is graphs


def test_a_disturbed_run_says_so_below_its_metrics(run, models, monkeypatch, tmp_path):
    words = ["--prompt", "One", "--max-new-tokens", "6", *models]
    monkeypatch.setattr(disturbance, "LEAST_SHARE", 2.0)
    _, out, _ = run("decode", *words, "--json", str(tmp_path / "run.json"))
    assert "The machine was busy while it ran: it had the processor for" in out
    _, again, _ = run("show", str(tmp_path / "run.json"))
    assert "The machine was busy while it ran" in again
    _, out, _ = run("compare", "speculative", "autoregressive", *words)
    assert all(f"busy while lane {lane} ran" in out for lane in ("1 speculative", "2 autoregressive"))
    monkeypatch.setattr(disturbance, "LEAST_SHARE", 0.0)
    monkeypatch.setattr(disturbance, "MOST_SLOWDOWN", float("inf"))
    _, out, _ = run("compare", "speculative", "autoregressive", *words)
    assert "busy" not in out


def test_compare_races_and_saves_every_lane(run, models, tmp_path):
    words = ["speculative:gamma=2,draft=bigram", "autoregressive", "mtad", "--gamma", "5", "--prompt", "One"]
    code, out, err = run("compare", *words, "--max-new-tokens", "6", "--save", str(tmp_path / "lanes"), *models)
    assert (code, err) == (0, "")
    names = ["1-speculative.json", "2-autoregressive.json", "3-mtad.json"]
    assert sorted(path.name for path in (tmp_path / "lanes").iterdir()) == names
    lanes = [load_trace(tmp_path / "lanes" / name) for name in names]
    assert [lane.header.options.get("gamma") for lane in lanes] == [2, None, 5]
    assert lanes[0].header.options["draft"] == "bigram"
    assert all(f"{i} {lane.header.method.name}" in out for i, lane in enumerate(lanes, 1))
    assert all(len(lane.tokens) <= 6 for lane in lanes)


def test_compare_enters_every_method_that_the_pair_can_run(run, models):
    code, out, err = run("compare", "--prompt", "One", "--max-new-tokens", "2", "--k-config", "2x1", *models)
    heads = ("bpd", "medusa", "slim")
    assert code == 0
    assert [line.split()[1] for line in err.splitlines()] == list(heads)
    rows = [line.split() for line in out[out.rindex("tokens/s") :].splitlines() if re.match(r" *\d+ [a-z]", line)]
    assert [row[1] for row in rows] == [name for name in methods() if name not in heads]
    assert "k_config 2,1" in out


def test_beams_that_differ_are_shown_as_unsettled(models):
    pair = load_pair(models[1], models[3], device="cpu")
    trace = decode(pair, "beam", "One", max_new_tokens=6, seed=0)
    part = replace(trace, iterations=trace.iterations[:4], stop="stopped")
    assert part.pending and not trace.pending
    said = "".join(part.vocabulary[token] for token in part.pending)
    assert show.tokens(part).plain == show.printable("One" + part.text + said)
    assert "unsettled" in show.legend([part]).plain and "unsettled" not in show.legend([trace]).plain


def test_the_prompt_may_come_from_the_input(run, models, monkeypatch):
    def typed(data: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return run("decode", "--prompt", "-", "--max-new-tokens", "2", *models)

    code, out, _ = typed("Es war\neinmal \N{GRINNING FACE}\n".encode())
    assert code == 0
    assert out.startswith("Es war\neinmal \N{GRINNING FACE}")
    code, _, err = typed(b"\xff\xfe")
    assert (code, err) == (2, "specviz: error: prompt from the input is not UTF-8 text: invalid start byte at byte 0\n")


def test_methods_lists_every_method_with_guarantee_paper_and_options(run):
    code, out, _ = run("methods")
    flat = " ".join(out.split())
    assert code == 0
    for method in methods().values():
        for part in (FAMILIES[method.family].upper(), method.name, method.title, method.paper, method.summary):
            assert " ".join(part.split()) in flat
        assert f"guarantee: {method.guarantee} (" in flat
        assert all(re.search(rf"^ +{option} ", out, re.MULTILINE) for option in method.options)
    always = [name for name, method in methods().items() if method.record(method.resolve()).greedy]
    assert always == ["bpd", "medusa", "slim"]
    said = "guarantee: greedy (the target's most probable tokens, whatever the temperature)"
    assert flat.count(said) == flat.count("whatever the temperature") == len(always)


def test_every_option_of_the_catalog_is_a_flag(run):
    code, out, _ = run("decode", "--help")
    assert code == 0
    names = {name for method in methods().values() for name in method.options}
    assert names & set(arguments.TAKEN) == {"draft", "tokens"}  # these are written in the method: speculative:draft=...
    for name in names - {"tokens"}:
        assert f"--{name.replace('_', '-')} " in out


def test_bench_prints_tables_and_saves_the_numbers(run, models, tmp_path, monkeypatch):
    monkeypatch.setattr(prompts, "PROMPTS", PROMPTS[3::8])
    monkeypatch.setattr("specviz.measure.disturbance.kept_waiting", lambda *_: None)  # by other tests
    file = tmp_path / "bench.json"
    words = [
        "--methods",
        "autoregressive",
        "speculative:gamma=2",
        "--rounds",
        "1",
        "--tokens",
        "4",
        "--json",
        str(file),
        "--picture",
        str(tmp_path / "where.svg"),
    ]
    code, out, _ = run("bench", *words, *models)
    assert code == 0
    drawn = (tmp_path / "where.svg").read_text()
    assert "the target call" in drawn and "transformers assisted" in drawn
    report = json.loads(file.read_text())
    assert all(row["contender"] in out for row in report["rows"])
    assert "speculative gamma=2 / transformers assisted" in out
    assert "speed-up / its limit" in out
    assert report["date"] in out
    assert "One-token target call" in out
    assert report["settings"]["prompts"] == 2


@pytest.mark.full
def test_bench_on_a_gpu_leaves_json_and_a_markdown_table(run, tmp_path, monkeypatch):
    monkeypatch.setattr(prompts, "PROMPTS", PROMPTS[3:4])
    monkeypatch.setattr("specviz.measure.disturbance.kept_waiting", lambda *_: None)  # by other tests
    words = ["--gpu", "--device", "cpu", "--rounds", "1", "--tokens", "4", "--out", str(tmp_path / "made")]
    code, out, err = run("bench", *words)
    (pair,) = json.loads((tmp_path / "made/gpu.json").read_text())["pairs"]
    assert (code, pair["name"], "measured tiny" in err) == (0, "tiny", True)
    assert out == (tmp_path / "made/gpu.md").read_text()
    lines = [line for line in out.splitlines() if line.startswith("| ")]
    speeds = {row["contender"]: f"{row['whole_call']['median']:.1f}" for row in pair["rows"]}
    assert list(speeds) == ["autoregressive", "speculative", "mtad", "dsbd", GENERATE, ASSISTED]
    for name, speed in speeds.items():
        assert any(line.startswith(f"| {name} | ") and f" | {speed} | " in line for line in lines), name
    assert all(f"| {ratio['median']:.2f} |" in out for ratio in pair["ratios"])
    assert "no GPU (a check of the command" in out and pair["date"] in out and pair["versions"]["torch"] in out
    assert "fable-target as a tiny Qwen3" in out and "No CUDA graphs here" in out and "of the whole process" in out


def test_bench_on_a_gpu_measures_the_given_models(run, models, tmp_path, monkeypatch):
    monkeypatch.setattr(prompts, "PROMPTS", PROMPTS[3:4])
    words = ["--gpu", "--shapes", "--methods", "autoregressive", "--rounds", "1", "--tokens", "4", "--out", tmp_path]
    code, out, _ = run("bench", *map(str, words), *models)
    assert code == 0 and [line for line in out.splitlines() if line.startswith("## ")] == [
        f"## {models[1]} and {models[3]}"
    ]


def test_bench_on_a_gpu_wants_something_to_measure(run):
    code, _, err = run("bench", "--gpu", "--device", "cpu", "--shapes")
    assert (code, err) == (2, "specviz: error: there is nothing to measure: name --shapes, or a --target\n")


REFUSALS = [
    (["decode", "--prompt", "x", "--method", "magic"], "method must be one of autoregressive, beam, mtjd"),
    (["decode", "--prompt", "x", "--method", "mtad", "--lenience", "0.5"], "method 'mtad' has no option 'lenience'"),
    (["decode", "--prompt", "x", "--gamma", "99"], "gamma must be a whole number in [1, 16] or one of auto, got 99"),
    (["decode", "--prompt", "x", "--gamma", "2.5"], "gamma must be"),
    (
        ["decode", "--prompt", "x", "--gamma", "many"],
        "gamma must be a whole number in [1, 16] or one of auto, got 'many'",
    ),
    (["decode", "--prompt", "x", "--temperature", "nan"], "temperature must be a number in [0, 10], got nan"),
    (["decode", "--prompt", "x", "--method", "speculative:draft=psychic"], "draft must be one of model"),
    (["decode", "--prompt", "x", "--method", "speculative:gamma"], "write name:option=value"),
    (["decode", "--prompt", "x", "--seed", "-1"], "seed must be a whole number"),
    (["decode", "--prompt", "x", "--max-new-tokens", "0"], "max_new_tokens must be a whole number"),
    (["decode", "--prompt", ""], "prompt is empty"),
    (["decode", "--prompt", "x " * 600], "too long"),
    (["decode", "--prompt", "x", "--max-new-tokens", "2", "--json", "/no/such/folder/x.json"], "cannot be written"),
    (["compare", "mtad", "--prompt", "x", "--lenience", "0.5"], "no method here has an option 'lenience'"),
    (["compare", *["mtad"] * 33, "--prompt", "x"], "lanes must be 1 to 32"),
    (
        ["decode", "--prompt", "x", "--method", "specinfer:k_config=4x0"],
        "k_config must be 1 to 8 whole numbers in [1, 8]",
    ),
    (["decode", "--prompt", "x", "--method", "slim"], "slim needs a pair with prediction heads"),
    (["decode", "--prompt", "x", "--method", "custom:verifier=token"], "judges one chain"),
    (["bench", "--rounds", "0"], "rounds is 0: it must be 1 or more"),
    (["bench", "--picture", "x.gif"], "picture must end with .png, .svg, .pdf, got 'x.gif'"),
    (["bench", "--tokens", "0"], "max_new_tokens must be"),
    (["bench", "--gpu", "--shapes", "gpt-5"], "shapes must be among llama-13b, qwen3-8b, opt-13b, tiny, got 'gpt-5'"),
    (["bench", "--gpu", "--rounds", "0"], "rounds is 0: it must be 1 or more"),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS, ids=lambda value: value if isinstance(value, str) else None)
def test_a_wrong_input_is_one_line_and_exit_code_2(run, models, words, message):
    code, out, err = run(*words, *models)
    assert (code, out) == (2, "")
    assert err.startswith("specviz: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["fly"], ["decode"], ["decode", "--prompt", "x", "--seed", "soon"]])
def test_wrong_words_are_explained_by_usage(run, words):
    code, _, err = run(*words)
    assert code == 2
    assert "usage: specviz" in err


def test_missing_models_and_corpora_are_named(run, tmp_path):
    code, _, err = run("decode", "--prompt", "x", "--target", str(tmp_path / "none"))
    assert code == 2
    assert "none" in err
    code, _, err = run(
        "train", "--corpus", str(tmp_path), "--out", str(tmp_path / "out"), "--work", str(tmp_path / "w")
    )
    assert code == 2
    assert "has no tales/*.txt" in err
    code, _, err = run("train", "--corpus", str(tmp_path), "--minutes", "0")
    assert (code, err) == (2, "specviz: error: minutes is 0: it must be more than 0\n")


def test_train_hands_its_arguments_to_the_builder(run, monkeypatch, tmp_path):
    seen, trained = [], tmp_path / "o"
    monkeypatch.setattr("specviz.zoo.build.build", lambda *given, **named: seen.append((given, named)))
    words = ["train", "--corpus", "c", "--out", str(trained), "--work", "w", "--minutes", "1.5", "--device", "cpu"]
    code, out, _ = run(*words)
    assert code == 0 and "curves.svg is not drawn" in out  # this builder wrote no report
    (given, named) = seen[0]
    assert [str(path) for path in given] == ["c", str(trained)]
    assert {key: str(value) for key, value in named.items()} == {
        "work": "w",
        "start": "None",
        "minutes": "1.5",
        "device": "cpu",
    }


def test_train_for_a_target_hands_its_arguments_on(run, monkeypatch):
    seen = []

    def train_for(*given, **named):
        seen.append((given, named))
        return {"heads": Path("o/heads")}

    monkeypatch.setattr("specviz.zoo.for_target.train_for", train_for)
    words = ["train", "--corpus", "c", "--for", "big", "--draft", "little", "--out", "o", "--minutes", "2"]
    assert run(*words) == (0, "written; load_pair('big', 'little', heads='o/heads')\n", "")
    ((target, corpus, out), named) = seen[0]
    assert (target, str(corpus), str(out)) == ("big", "c", "o")
    assert (named["draft"], named["minutes"]) == ("little", 2.0)
    code, _, err = run("train", "--corpus", "c", "--draft", "little")
    assert code == 2 and "give --for, too" in err


def test_train_draft_for_a_target_hands_its_arguments_on(run, monkeypatch):
    seen = []

    def train_draft(*given, **named):
        seen.append((given, named))
        return Path("o")

    monkeypatch.setattr("specviz.zoo.draft.train.train_draft", train_draft)
    words = ["train", "--draft-for", "big", "--prompts", "p", "q", "--answers", "a", "--layers", "3", "--out", "o"]
    assert run(*words) == (0, "written; load_pair('big', 'o')\n", "")
    ((given, named),) = seen
    assert [str(one) for one in given] == ["big", "o"] and [str(one) for one in named["prompts"]] == ["p", "q"]
    assert (str(named["answers"]), named["layers"], named["minutes"]) == ("a", 3, 60.0)
    for words, listening in ((["--listening"], "last"), (["--listening", "three"], "three"), ([], None)):
        assert run("train", "--draft-for", "big", "--corpus", "c", *words)[0] == 0
        assert (seen[-1][1]["listening"], str(seen[-1][1]["corpus"])) == (listening, "c")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--draft-for big --prompts p --corpus c", "--prompts does not go with --corpus, whose texts begin as prompts"),
        ("--draft-for big --prompts p --for big", "--for does not go with --draft-for"),
        ("--draft-for big --prompts p --draft little", "--draft does not go with --draft-for"),
        ("--draft-for big --from d --layers 2", "--layers does not go with --from, whose draft has its own"),
        ("--corpus c --prompts p", "--prompts is for --draft-for"),
        ("--corpus c --answers a", "--answers is for --draft-for"),
        ("--corpus c --layers 2", "--layers is for --draft-for"),
        ("--corpus c --listening", "--listening is for --draft-for"),
        ("--draft-for big --from d --listening", "--listening does not go with --from, whose draft listens or not"),
        ("", "give --corpus, a folder of text to train on"),
    ],
)
def test_train_refuses_what_would_change_nothing(run, words, said):
    assert run("train", *words.split()) == (2, "", f"specviz: error: {said}\n")


def test_ctrl_c_ends_quietly(run, models, monkeypatch):
    def interrupted(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("specviz.commands.decode.decode", interrupted)
    assert run("decode", "--prompt", "x", *models) == (130, "", "specviz: stopped\n")


SAVED = ROOT / "assets/gallery/04-speculative.json"


def test_show_opens_a_saved_trace(run, monkeypatch):
    trace = load_trace(SAVED)
    code, out, err = run("show", str(SAVED))
    assert (code, err) == (0, "")
    assert trace.text in out and "accepted: drafted and accepted" in out and "gamma 4" in out and "seed 257" in out
    assert show.number(trace.metrics.perplexity) in out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAVED.read_bytes())))
    assert run("show", "-") == (0, out, "")


def test_show_tells_one_iteration(run):
    trace = load_trace(SAVED)
    code, out, err = run("show", str(SAVED), "--step", "2")
    assert (code, err) == (0, "")
    scenes = [step_texts(trace, 1, scene.key) for scene in steps(trace, 1)]
    places = [out.index(scene["story"]) for scene in scenes]
    assert places == sorted(places) and len(places) > 8
    texts = {text for scene in scenes for text in scene.values()}
    assert all(out.count(text) >= 1 for text in texts)
    assert sum(out.count(line) for line in (scenes[0]["tree"],)) == 1  # said once, not in every scene
    assert "Draft tree of iteration 2" in out and "iteration 1:" not in out


def test_show_refuses_a_step_that_is_not_there(run):
    last = len(load_trace(SAVED).iterations)
    for step in (0, last + 1):
        code, out, err = run("show", str(SAVED), "--step", str(step))
        assert (code, out) == (2, "")
        assert err == f"specviz: error: step must be 1 to {last}, the iterations of this trace, got {step}\n"


def test_show_refuses_what_is_no_trace(run, monkeypatch, tmp_path):
    assert "cannot be read" in run("show", str(tmp_path / "none.json"))[2]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    code, _, err = run("show", "-")
    assert code == 2 and err.startswith("specviz: error: the input: ") and err.count("\n") == 1


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "specviz", "decode", "--prompt", "x", "--method", "magic"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("specviz: error: method must be one of")
    assert done.stderr.count("\n") == 1


def test_tokens_are_coloured_by_origin():
    text = show.tokens(speculative_trace())
    styles = {str(span.style) for span in text.spans}
    assert styles == {"dim", *(show.ORIGIN_STYLE[origin] for origin in ("accepted", "resampled", "bonus"))}
    drawn = io.StringIO()
    Console(file=drawn, force_terminal=True, color_system="truecolor").print(text)
    assert "\x1b[38;2;0;114;178m SELECT\x1b[0m" in drawn.getvalue()  # accepted: #0072B2
    assert "\x1b[4;38;2;230;159;0m name\x1b[0m" in drawn.getvalue()  # resampled: #E69F00, underlined


def test_every_line_is_read_in_its_own_direction():
    text = show.tokens(spoken(speculative_trace(), HEBREW))
    assert text.plain == "\u2068מה שלומך?\u2069\n\u2068שלום עולם GPT כותב\u2069\n\u2068abc עוד\u2069"
    assert [text.plain[span.start : span.end] for span in text.spans][:3] == ["מה שלומך?", "של", "ום"]
    told = step_texts(spoken(mtad_trace(), HEBREW), 0, "draft-3")["probabilities"]
    assert "“\u2068שלום\u2069 → \u2068·כותב\u2069” 0.13" in told  # a beam of two tokens is one text


def test_model_text_cannot_steer_the_terminal():
    trace = speculative_trace()
    nasty = Emitted(1, "accepted", None, -1.0, "\x1b[2J[red]\x9b\x07\ttab\n\x7f")
    trace = replace(trace, iterations=(replace(trace.iterations[0], emitted=(nasty,)),))
    assert show.tokens(trace).plain.endswith("\u241b[2J[red]\N{REPLACEMENT CHARACTER}\u2407\ttab\n\u2421")


def test_values_are_read_by_kind():
    options = methods()["speculative"].options
    assert arguments.read(options["gamma"], "auto") == "auto"
    assert arguments.read(options["gamma"], "7") == 7
    assert arguments.read(options["top_k"], "None") is None
    assert arguments.read(options["lenience"], "1") == 1.0
    assert arguments.read(options["draft"], "Prompt") == "prompt"
    assert arguments.read(methods()["specinfer"].options["k_config"], "4x2x2") == (4, 2, 2)
    assert arguments.read(methods()["mcsd"].options["replacement"], "yes") is True
    assert arguments.read(methods()["improved-mcsd"].options["decision"], "none") is None
    with pytest.raises(OptionError, match="gamma must be"):
        arguments.read(options["gamma"], "none")


@pytest.mark.parametrize("written", ["k_config=4,2,drafts=1", "k_config=4x2,drafts=1", "drafts=1,k-config=4, 2"])
def test_lists_of_numbers_may_hold_commas(written):
    made = arguments.lane(f"specinfer:{written}", {}, skip_foreign=False)
    assert made == ("specinfer", {"k_config": (4, 2), "drafts": 1})


def test_what_stands_in_the_method_wins_over_a_flag():
    assert arguments.lane("mtad:gamma=2", {"gamma": "5", "tau": "0.5"}, skip_foreign=False) == (
        "mtad",
        {"gamma": 2, "tau": 0.5},
    )


def test_numbers_are_short():
    assert [show.number(value) for value in (None, 3, 0.123456, 46_900_000.0, 1234.56)] == [
        "-",
        "3",
        "0.1235",
        "4.69e+07",
        "1235",
    ]
