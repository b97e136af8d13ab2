"""The recipes, followed to the letter: their blocks are written into the files that they name, their commands are run,
and what comes of it is looked at. Drafter, verifier and rule are followed in a folder of their own, the others in a
copy of the checkout."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from tests.measures.server import serving
from tests.saved_file import held

ROOT = Path(__file__).resolve().parents[1]
RECIPES = ROOT / "docs/recipes"
WALKING = (
    "tests/decoding/registry/test_every_guarantee.py",
    "tests/decoding/registry/test_custom.py",
    "tests/lab/guarantees/test_guarantees.py",
    "tests/lab/rivals/test_report.py",
    "tests/ui/test_settings.py",
    "tests/ui/pages/test_guarantees.py",
    "tests/ui/test_api.py::test_methods_are_those_of_the_catalog",
    "tests/ui/test_api.py::test_every_method_decodes_or_says_what_it_lacks",
    "tests/ui/pages/test_forest.py",
    "tests/views/same_forest/test_forests_page.py",
    "tests/test_command_line.py::test_compare_enters_every_method_that_the_pair_can_run",
    "tests/test_command_line.py::test_methods_lists_every_method_with_guarantee_paper_and_options",
    "tests/test_command_line.py::test_every_option_of_the_catalog_is_a_flag",
)
"""Tests that go through all drafters, verifiers or methods."""
pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]


def blocks(recipe: str) -> list[tuple[str, str]]:
    """The language and the text of each block of a recipe."""
    text = (RECIPES / f"{recipe}.md").read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def write(recipe: str, folder: Path) -> None:
    """Its files: a block whose first line is a comment with a path is that file, a diff goes into the file it names."""
    for language, text in blocks(recipe):
        first, _, rest = text.partition("\n")
        if language == "diff":
            change(folder / first.removeprefix("--- "), rest.splitlines())
        elif named := re.fullmatch(r"# (\S+\.\w+)", first):
            (folder / named[1]).write_text(text, encoding="utf-8")


def change(file: Path, lines: list[str]) -> None:
    """Put each line that begins with + behind the one before it."""
    text = file.read_text(encoding="utf-8")
    for before, added in zip(lines, lines[1:], strict=False):
        if added.startswith("+"):
            assert text.count(f"{before[1:]}\n") == 1, before
            text = text.replace(f"{before[1:]}\n", f"{before[1:]}\n{added[1:]}\n")
    file.write_text(text, encoding="utf-8")


def run(command: str, folder: Path, package: Path = ROOT) -> str:
    """What a command prints in ``folder``, with the package of that checkout."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": f"{folder}{os.pathsep}{package}"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


def follow(recipe: str, folder: Path, package: Path = ROOT) -> str:
    """What the commands of a recipe print once its files are there."""
    write(recipe, folder)
    (command,) = (text for language, text in blocks(recipe) if language == "sh")
    return run(command, folder, package)


def until_loaded(url: str) -> None:
    """Wait until the server's models are there."""
    while httpx.get(f"{url}healthz").json()["models"] != "ready":
        time.sleep(0.2)


@pytest.fixture
def copy(tmp_path) -> Path:
    """What of the checkout the page and the command line need; what nothing changes is a link."""
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "specviz", root / "specviz", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", root)
    for part in (ROOT / "assets").iterdir():
        (root / "assets").mkdir(exist_ok=True)
        if part.name in ("lessons", "lab"):
            shutil.copytree(part, root / "assets" / part.name)
        else:
            (root / "assets" / part.name).symlink_to(part)
    return root


@pytest.mark.parametrize("recipe", sorted(path.stem for path in RECIPES.glob("*.md")))
def test_a_recipe_is_a_screen_and_imports_what_is_public(recipe):
    text = (RECIPES / f"{recipe}.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 80
    assert f"docs/recipes/{recipe}.md" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    imported = {*re.findall(r"^(?:from|import) (specviz[\w.]*)", text, re.MULTILINE)}
    assert recipe not in ("drafter", "verifier", "rule", "package") or imported == {"specviz"}


@pytest.mark.parametrize("recipe", ["drafter", "verifier"])
def test_what_it_promises_is_proven(recipe, tmp_path):
    said = follow(recipe, tmp_path)
    assert said.count("holds: 'target'") == 6 and said.count("holds: 'greedy'") == 3


def test_the_drafter_copies_and_draws(tmp_path):
    write("drafter", tmp_path)
    (use,) = (text for language, text in blocks("drafter") if language == "python" and not text.startswith("#"))
    code = f"""
import my_drafter, specviz
pair = specviz.load_pair()
{use}
trace = specviz.decode(pair, "copying", "one two three four one two three", max_new_tokens=40, match=2)
nodes = [node for iteration in trace.iterations for node in iteration.forest.nodes]
print(repr(pair.piece(nodes[0].token)), nodes[0].draft_prob, {{node.draft_prob == 1.0 for node in nodes}})
"""
    assert run(f"python - <<'END'\n{code}\nEND", tmp_path).strip() == "' four' 1.0 {False, True}"


def test_the_rule_has_its_picture(tmp_path):
    follow("rule", tmp_path)
    assert "plotly" in (tmp_path / "among.html").read_text(encoding="utf-8")
    code = """
import json, my_rule, specviz
from specviz.views.story.scenes import iteration_payload
pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
print(json.dumps(iteration_payload(specviz.decode(pair, "among-the-best", [0], max_new_tokens=4), 0)))
"""
    payload = json.loads(run(f"python -c '{code}'", tmp_path))
    scene = next(scene for scene in payload["scenes"] if scene["key"] == "decision-1")
    assert "there may be fewer than 3" in scene["sentence"]
    assert scene["panels"]["probabilities"] == "probabilities-1"
    assert '"bars"' in json.dumps(payload["pictures"]["probabilities-1"])


def test_a_method_needs_no_word_anywhere_else(tmp_path):
    """The tests that go through the registry, with the method of the rule's recipe in it."""
    write("rule", tmp_path)
    command = f"cd {ROOT} && python -m pytest -q -p my_rule -p no:cacheprovider --full"
    listed = run(f"{command} --collect-only {' '.join(WALKING)}", tmp_path)
    cases = [line for line in listed.splitlines() if "::" in line]
    new = [case for case in cases if "[" not in case or "among-the-best" in case]  # the others' are as they were
    assert len(cases) > 150 and sum("among-the-best" in case for case in new) >= 10, listed[-6000:]
    found = run(f"{command} --every {shlex.join(new)}", tmp_path)
    assert int(re.search(r"(\d+) passed", found)[1]) == len(new)


def test_a_package_brings_a_method_and_a_broken_one_nothing(tmp_path, monkeypatch):
    """Installed in an environment of its own, which has all that this one has; beside it one that raises when it has
    registered a method, and one that names no module."""
    write("package", tmp_path)
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv/bin"
    (own,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    (own / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n", encoding="utf-8")
    for name in ("PIP_NO_DEPS", "PIP_NO_INDEX"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip's own way of saying so
    for name, entry in (("broken", "specviz_broken"), ("nowhere", "specviz_broken:register")):
        metadata = own / f"{name}-2.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
        (metadata / "entry_points.txt").write_text(f"[specviz]\n{name} = {entry}\n")
    broken = (
        "import specviz\nspecviz.register_method(specviz.Method('half', 'chain', 'token', family='chain'))\n1 / 0\n"
    )
    (own / "specviz_broken.py").write_text(broken)
    (commands,) = (text for language, text in blocks("package") if language == "sh")
    environment = {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
    done = subprocess.run(
        ["bash", "-ec", commands], cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "specviz-mine 0.1: favourites" in done.stdout and "holds: 'target'" in done.stdout
    assert "specviz: the package broken 2.0 cannot be used: ZeroDivisionError: division by zero" in done.stderr
    assert "its entry point 'nowhere' must name a module, got 'specviz_broken:register'" in done.stderr
    code = """
import specviz
from specviz.ui.catalog import form_setup
assert "half" not in specviz.methods()
assert "favourites" in repr(form_setup())
pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
rows = list(specviz.sweep(pair, {"method": [{"name": "favourites"}], "max_new_tokens": 4}, [[0]], 1))
print("swept", len(rows))
"""
    found = subprocess.run(
        [scripts / "python", "-c", code], cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True
    )
    assert "swept 1" in found.stdout, found.stderr


def test_the_page_is_there_and_answers(copy, monkeypatch):
    write("page", copy)
    (command,) = (text for language, text in blocks("page") if language == "sh")
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PYTHONPATH", str(copy))
    with serving(program=shlex.split(command, comments=True)[1:]) as (url, _):
        until_loaded(url)
        client = Client(url, verbose=False)
        pages = json.dumps(client.config)
        assert "sv-tokens" in pages and "Tokens" in pages
        pieces = client.predict("Once upon a time", api_name="/tokens")["data"]
        assert "".join(piece for piece, _ in pieces) == "Once upon a time"
        with pytest.raises(AppError, match="The prompt is empty"):
            client.predict(" ", api_name="/tokens")


def test_the_lesson_is_listed_and_its_question_answered(copy):
    follow("lesson", copy, copy)
    assert run("python -m specviz lesson", copy, copy).split()[-1] == "last"
    question = held((copy / "last.html").read_text(encoding="utf-8"))["data"]["lesson"]["question"]
    (right,) = (choice for choice in question["choices"] if choice["right"])
    assert right["text"].startswith("5: ")


def test_the_card_is_run_and_listed(copy):
    said = follow("card", copy, copy)
    assert said.count("copying") >= 2 and "holds" in said
    assert "copying" in run("python -m specviz lab copying --recorded", copy, copy)
