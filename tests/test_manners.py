"""The command line among other programs: closed pipes, Ctrl-C at any time, the trace on the output, ``~`` in paths; and
models that are loaded already."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

import specviz
from specviz.commands import output
from specviz.errors import ModelError, SpecvizError
from specviz.lm.loading.pairs import load_pair
from specviz.trace.store import load_trace, trace_from_json
from tests.test_command_line import models, run  # noqa: F401
from tests.tiny_pair import byte_tokenizer, swapped_tokenizer, write_pair
from tests.traces import speculative_trace

COMMAND = [sys.executable, "-m", "specviz"]


def in_a_terminal() -> None:
    """Ctrl-C as a terminal's shell has it, also where these tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.full
@pytest.mark.parametrize("words", [["methods"], ["decode", "--help"], ["--version"]], ids=" ".join)
def test_nobody_reading_the_output_is_no_error(words):
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert (process.stderr.read(), process.wait(120)) == (b"", 0)


@pytest.mark.full
def test_a_pipe_that_is_closed_early_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m specviz methods | head -1", shell=True, capture_output=True, text=True, timeout=120
    )
    assert done.stderr == "" and done.stdout.count("\n") == 1


@pytest.mark.full
@pytest.mark.parametrize("seconds", [0.4, 1.0, 2.0])
def test_ctrl_c_while_it_imports_ends_quietly(seconds):
    process = subprocess.Popen(
        [*COMMAND, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=in_a_terminal
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert err in (b"", b"specviz: stopped\n")
    assert process.returncode in (-signal.SIGINT, 130) or out


@pytest.mark.full
def test_ctrl_c_while_it_works_ends_quietly():
    code = """
import sys, time
sys.argv = ["specviz", "decode", "--prompt", "-"]
from specviz import __main__
from specviz.commands import decode
decode.prompt_of = lambda text: print("works", flush=True) or time.sleep(60)
sys.exit(__main__.main())
"""
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=in_a_terminal)
    assert process.stdout.readline() == b"works\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (b"", b"specviz: stopped\n") and process.returncode == 130


@pytest.mark.full
def test_ctrl_c_while_the_interpreter_ends_is_quiet():
    code = """
import atexit, os, signal, sys
sys.argv = ["specviz", "--version"]
from specviz.__main__ import main
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
main()
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=in_a_terminal)
    assert done.stderr == "" and done.stdout.startswith("specviz ")


@pytest.mark.every(2)
@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="what GNU's library of threads says of itself")
@pytest.mark.parametrize(
    ("how", "given", "spins"),
    [
        ("-m specviz --version", {}, False),
        ("app.py --help", {}, False),
        ("-m specviz --version", {"OMP_WAIT_POLICY": "ACTIVE"}, True),
        ("-c import\tspecviz", {}, True),
    ],
)
def test_threads_of_the_command_line_sleep_while_they_wait(how, given, spins):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    environment |= {"OMP_DISPLAY_ENV": "VERBOSE", **given}
    command, root = [sys.executable, *how.split(" ")], Path(__file__).parent.parent
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, env=environment, timeout=120)
    (count,) = set(re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr))
    assert (int(count) > 0) == spins


@pytest.mark.full
def test_a_program_that_uses_the_package_keeps_its_ctrl_c():
    code = "import signal, specviz; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, timeout=120, preexec_fn=in_a_terminal)
    assert done.stdout == b"True\n"


@pytest.mark.full
def test_the_trace_goes_to_the_output_and_the_words_to_the_error_stream(paths):
    words = ["decode", "--prompt", "né 🙂", "--max-new-tokens", "3", "--json", "-", "--device", "cpu"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [*COMMAND, *words, "--target", str(paths[0]), "--draft", str(paths[1])]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment)
    pair = load_pair(*paths, device="cpu")
    made = specviz.decode(pair, "speculative", "né 🙂", max_new_tokens=3)
    assert done.returncode == 0 and trace_from_json(done.stdout).tokens == made.tokens
    assert b"accepted: drafted and accepted" in done.stderr or b"drawn from" in done.stderr
    assert not Path("-").exists()


def test_a_tilde_is_the_home_folder(run, home):  # noqa: F811
    made = write_pair(home)
    assert load_pair("~/target", "~/draft", device="cpu").target.name == "target"
    models = ["--target", "~/target", "--draft", "~/draft", "--device", "cpu"]  # noqa: F811
    said = ["--prompt", "x", "--max-new-tokens", "2"]
    assert run("decode", *said, "--json", "~/one.json", *models)[0] == 0
    assert run("compare", "mtad", *said, "--save", "~/many", *models)[0] == 0
    assert run("lesson", "coin", "--out", "~/coin.html")[0] == 0
    assert [load_trace(name).header.target.name for name in ("~/one.json", "~/many/1-mtad.json")] == ["target"] * 2
    assert (home / "one.json").is_file() and (home / "coin.html").is_file()
    specviz.save_trace(speculative_trace(), "~/saved.json")
    assert load_trace(str(home / "saved.json")) == speculative_trace()
    with pytest.raises(ModelError, match="'~/nothing' does not exist"):
        load_pair("~/nothing", made[1], device="cpu")
    pair = load_pair("~/target", device="cpu")
    part = specviz.lm.parts.heads.PredictionHeads(1, 32, pair.target.vocab_size)
    part.save("~/heads")
    assert load_pair("~/target", heads="~/heads", device="cpu").heads.count == 1
    with pytest.raises(specviz.TraceError, match="cannot be read"):
        load_trace("~nobody-of-this-name/x.json")


@pytest.fixture
def loaded(paths):
    return [AutoModelForCausalLM.from_pretrained(path).train() for path in paths]


def test_models_that_are_loaded_already_are_used_as_they_are(paths, loaded):
    pair, named = load_pair(*loaded), load_pair(*paths, device="cpu")
    assert pair.target.model is loaded[0] and not loaded[0].training
    assert (pair.target.name, pair.draft.name, pair.end_tokens) == ("target", "draft", named.end_tokens)
    wanted = specviz.decode(named, "speculative", "Once", max_new_tokens=8, seed=1)
    assert specviz.decode(pair, "speculative", "Once", max_new_tokens=8, seed=1).tokens == wanted.tokens
    mixed = load_pair(loaded[0], paths[1])
    assert specviz.decode(mixed, "speculative", "Once", max_new_tokens=8, seed=1).tokens == wanted.tokens
    half = load_pair(loaded[0].to(torch.bfloat16), paths[1])
    assert half.target.dtype == half.draft.dtype == torch.bfloat16


def test_a_loaded_model_without_a_name_needs_a_tokenizer(loaded):
    for model in loaded:
        model.config._name_or_path = model.name_or_path = ""
    with pytest.raises(ModelError, match="give tokenizer=") as refused:
        load_pair(*loaded)
    assert (refused.value.argument, refused.value.code) == ("tokenizer", "missing_part")
    pair = load_pair(*loaded, tokenizer=byte_tokenizer())
    assert pair.decode(pair.encode("Once")) == "Once" and pair.target.name == "LlamaForCausalLM"


def test_a_named_draft_of_another_vocabulary_is_refused_beside_a_loaded_target(loaded, paths):
    with pytest.raises(ModelError, match="different vocabularies") as refused:
        load_pair(loaded[0], paths[1], tokenizer=swapped_tokenizer())
    assert refused.value.argument == "draft"


def test_what_cannot_be_written_is_said_with_the_path(tmp_path):
    (tmp_path / "file").write_text("")
    for write in (
        lambda: output.write_text(tmp_path / "no" / "x", "text"),
        lambda: output.make_folder(tmp_path / "file" / "x"),
    ):
        with pytest.raises(SpecvizError, match=f"^{tmp_path}.*cannot be (written|made)"):
            write()
