"""The package: what it imports is declared, what is declared is imported, and the wheel has all that runs need."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import specviz

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "specviz").rglob("*.py"))
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
EXTRAS = PROJECT["optional-dependencies"]


def imported(path: Path) -> set[str]:
    """The top-level names of a file's absolute imports, those within functions included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
    return {name.split(".")[0] for name in found}


def foreign(paths) -> set[str]:
    """The distributions that files import, by their canonical names."""
    names = set().union(*map(imported, paths)) - sys.stdlib_module_names - {"specviz"}
    owners = packages_distributions()
    return {canonicalize_name(owners.get(name, [name])[0]) for name in names}


def declared(lines) -> dict[str, Requirement]:
    return {canonicalize_name(Requirement(line).name): Requirement(line) for line in lines}


def pins(path: Path) -> dict[str, str]:
    lines = re.findall(r"^([\w.-]+)==(\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


MAIN = declared(PROJECT["dependencies"])
OPTIONAL = declared(line for name, lines in EXTRAS.items() if name != "test" for line in lines)


@pytest.mark.full
def test_every_import_is_declared():
    lab = {path for path in SOURCES if path.is_relative_to(ROOT / "specviz/lab")}
    assert {"torch", "gradio", "plotly"} <= foreign(SOURCES)  # the walk finds them
    assert foreign(set(SOURCES) - lab) - MAIN.keys() == {
        "pandas",
        "accelerate",
        "nvidia-ml-py",
    }  # named where missing; there where it is used
    assert foreign(lab) - MAIN.keys() <= declared(EXTRAS["ray"] + EXTRAS["rivals"]).keys()


def test_everything_declared_is_imported():
    assert (MAIN.keys() | OPTIONAL.keys()) <= foreign(SOURCES)


def test_bounds_hold_what_is_pinned():
    """The exact versions of requirements.txt are those of every declared dependency, within its bounds."""
    app, tests = pins(ROOT / "requirements.txt"), pins(ROOT / "tests/requirements.txt")
    assert app.keys() == MAIN.keys() | declared(EXTRAS["gpu"]).keys()
    wanted = declared(EXTRAS["test"]) | OPTIONAL
    assert tests.keys() | {"accelerate", "nvidia-ml-py", "specviz"} == wanted.keys()
    for name, requirement in (MAIN | wanted).items():
        if name != "specviz":
            assert requirement.specifier.contains((app | tests)[name]), name
            assert any(one.operator == ">=" for one in requirement.specifier), f"{name} has no lower bound"


def test_the_command_and_the_version():
    assert PROJECT["scripts"] == {"specviz": "specviz.__main__:main"}
    assert PROJECT["dynamic"] == ["version"] and CONFIG["tool"]["hatch"]["version"]["path"] == "specviz/version.py"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built of this checkout."""
    from hatchling.builders.wheel import WheelBuilder

    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")))))


@pytest.mark.full
def test_the_wheel_has_the_code_and_all_that_runs_need(wheel):
    held = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.startswith(f"specviz-{specviz.__version__}-")
    assert {path.relative_to(ROOT).as_posix() for path in SOURCES} | {"specviz/py.typed"} <= set(held)
    left_out = {"screenshots", "benchmarks.md", "benchmarks.png"}
    assets = (path for path in (ROOT / "assets").rglob("*") if path.is_file() and "node_modules" not in path.parts)
    names = {path.relative_to(ROOT).as_posix() for path in assets}
    wanted = {f"specviz/{name}" for name in names if name.split("/")[1] not in left_out}
    assert {name for name in held if name.startswith("specviz/assets/")} == wanted
    assert any("fable-target/model-" in name for name in held)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout: nothing says what belongs to it")
def test_no_file_is_a_link():
    """A link leads out of the checkout, or to what another machine has."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--stage"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert listed and not [line for line in listed if line.startswith("120000")]
