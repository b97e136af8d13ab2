"""The recipe for adding a method, followed to the letter in a copy of the repository, and the tests that walk the
registry run there: a new method must not need a word anywhere else."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
METHODS = Path("specviz/decoding/registry/methods")
WALKING = (
    "tests/decoding/registry/test_catalog.py",
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


@pytest.fixture
def copy(tmp_path) -> Path:
    """The repository without its history; the models and pictures, which nothing changes, are links."""
    root = tmp_path / "copy"
    linked = ("models", "screenshots")
    skipped = shutil.ignore_patterns(".git", "__pycache__", "build", "venv", ".*_cache", "node_modules", *linked)
    shutil.copytree(ROOT, root, ignore=skipped)
    for name in linked:
        (root / "assets" / name).symlink_to(ROOT / "assets" / name)
    return root


def _python(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_the_recipe_is_all_it_takes(copy):
    file, _, line, _ = _python((copy / METHODS / "README.md").read_text(encoding="utf-8"))
    (copy / METHODS / "among_the_best.py").write_text(file, encoding="utf-8")
    catalog = copy / METHODS.parent / "catalog.py"
    catalog.write_text(catalog.read_text(encoding="utf-8") + "\n" + line, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(copy)}
    listed = subprocess.run(
        [sys.executable, "-m", "specviz", "methods"], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert "among-the-best" in listed.stdout, listed.stderr
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--full"]
    listed = subprocess.run(
        [*command, "--collect-only", *WALKING], cwd=copy, env=environment, capture_output=True, text=True
    )
    cases = [line for line in listed.stdout.splitlines() if "::" in line]
    new = [case for case in cases if "[" not in case or "among-the-best" in case]  # the others' are as in the original
    assert len(cases) > 150 and sum("among-the-best" in case for case in new) > 10, listed.stdout[-6000:]
    found = subprocess.run([*command, "--every", *new], cwd=copy, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-6000:]
    assert int(re.search(r"(\d+) passed", found.stdout)[1]) == len(new)
