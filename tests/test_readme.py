"""README and docs keep their promises: commands parse, Python runs, every method is there, links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

import specviz
from specviz.__main__ import build_parser
from specviz.commands.methods import methods_page
from specviz.decoding.registry.catalog import BUILT_IN

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PYTHON = ROOT / "docs/python.md"
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", CONTRIBUTING, *(ROOT / "assets").rglob("*.md"), *DOCS]
REQUIREMENTS = dict(re.findall(r"^([a-z]+)==(.+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE))


def _blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def _commands(start: str) -> list[list[str]]:
    """The arguments of a command wherever README, docs and CONTRIBUTING run it."""
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", CONTRIBUTING, *DOCS)]
    lines = [line for text in texts for block in _blocks("sh", text) for line in block.splitlines()]
    runs = [run.strip() for line in lines for run in line.split(" && ")]
    found = [shlex.split(run, comments=True)[len(start.split()) :] for run in runs if run.startswith(start + " ")]
    return [list(one) for one in dict.fromkeys(map(tuple, found))]


def test_the_first_two_commands():
    first, second, *_ = _blocks("sh")
    assert first.strip() == "pip install -r requirements.txt && python app.py"
    assert second.strip() == "bash tests/run.sh"


def test_front_matter_of_the_space():
    front = dict(line.split(": ", 1) for line in README.split("---")[1].strip().splitlines())
    assert front["sdk"] == "gradio" and front["sdk_version"] == REQUIREMENTS["gradio"]
    assert (ROOT / front["app_file"]).is_file() and front["license"] == "apache-2.0"
    assert len(front["short_description"]) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    found = re.findall(r'\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"', page.read_text(encoding="utf-8"))
    links = [link.split("#")[0] for pair in found for link in pair if link and not link.startswith("http")]
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert page.name != "README.md" or page.parent != ROOT or len(links) >= 15


def test_the_page_of_methods_is_the_registrys():
    page = (ROOT / "docs/methods.md").read_text(encoding="utf-8")
    assert page == methods_page({method.name: method for method in BUILT_IN}) + "\n", (
        "python -m specviz methods --out docs/methods.md"
    )
    assert re.findall(r"^### .* \(`([a-z-]+)`\)$", page, re.MULTILINE) and page.count("\n### ") == len(BUILT_IN)


@pytest.mark.parametrize("command", _commands("python -m specviz"), ids=" ".join)
def test_commands_parse(command):
    assert callable(build_parser().parse_args(command).command)


def test_files_that_commands_read_are_there():
    for page in (CONTRIBUTING, ROOT / "docs/trace-format.md"):
        lines = [line for block in _blocks("sh", page.read_text(encoding="utf-8")) for line in block.splitlines()]
        words = [word for line in lines for word in shlex.split(line, comments=True)]
        files = [word for word in words if re.fullmatch(r"[\w./-]+\.(py|sh|txt|json)", word)]
        assert files and [file for file in files if not (ROOT / file).exists()] == []


def test_the_hooks_are_the_checks_of_the_form():
    """What runs at a commit is what .ci/run runs, with tools that tests/requirements.txt pins."""
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE)
    checks = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert len(entries) == 5 and all(re.search(rf"^{re.escape(entry)}", checks, re.MULTILINE) for entry in entries)
    pinned = (ROOT / "tests/requirements.txt").read_text(encoding="utf-8")
    assert all(f"\n{tool}==" in pinned for tool in ("ruff", "import-linter", "basedpyright"))
    assert "repo: local" in hooks and hooks.count("repo:") == 1
    assert ".ci/run" in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", _commands("python app.py"), ids=" ".join)
def test_flags_of_the_app_parse(command):
    assert build_parser().parse_args(["app", *command]).target


def test_the_folders_are_there():
    table = CONTRIBUTING.read_text(encoding="utf-8").split("## How the code is laid out")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    paths = [path for row in rows for path in re.findall(r"`(.+?)`", row)]
    assert len(paths) >= 14
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    (usage,) = _blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(compile(usage, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip() and specviz.load_trace("run.json").header.method.name == "mtad"


@pytest.mark.full
def test_the_python_runs(tmp_path, monkeypatch, capsys):
    usage, branches, notebook, *_ = _blocks("python", PYTHON.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    exec(compile(usage, PYTHON, "exec"), names := {})
    assert "specviz.branch(" in branches and "specviz.show(" in notebook
    exec(compile(branches, PYTHON, "exec"), names)
    exec(compile(notebook, PYTHON, "exec"), names)
    assert names["trace"].text.strip() and (tmp_path / "run.json").is_file()
    assert "MTAD" in capsys.readouterr().out
