"""``remake`` makes what comes along with the project, and that is what is there."""

import re
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from specviz.__main__ import build_parser, main
from specviz.commands import arguments
from specviz.commands.remake import PARTS, Made, make, refused_lessons, seek
from specviz.errors import SpecvizError
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import is_whole, path_of
from specviz.trace.store import load_trace
from tests.measures.table import parsed

ASSETS = Path(__file__).resolve().parents[1] / "assets"
LINES = {made.out: made.line for part in PARTS.values() for made in part.made}


@pytest.mark.parametrize("out", LINES)
def test_every_part_is_a_command_and_makes_something_that_is_there(out):
    words = shlex.split(LINES[out])
    is_module = words[0].startswith("tests.")
    given = parsed(words[1:]) if is_module else build_parser().parse_args(words)
    assert find_spec(words[0]) is not None if is_module else given.command
    assert "OUT" in {str(value) for value in vars(given).values()}
    assert (ASSETS / out).exists()


@pytest.mark.parametrize("out", [out for out in LINES if LINES[out].startswith(("compare", "decode"))])
def test_what_is_recorded_is_what_the_command_says(out):
    given = build_parser().parse_args(shlex.split(LINES[out]))
    if (ASSETS / out).is_dir():
        entered = arguments.lanes(given.methods, arguments.given_options(given))
        recorded = [load_trace(path) for path in sorted((ASSETS / out).glob("*.json"))]
    else:
        entered, recorded = [arguments.lane(given.method, {}, skip_foreign=False)], [load_trace(ASSETS / out)]
    assert [trace.header.method.name for trace in recorded] == [name for name, _ in entered]
    for (_, options), trace in zip(entered, recorded, strict=True):
        assert trace.header.options.items() >= options.items()
        assert trace.header.prompt_text == given.prompt and trace.header.seed == given.seed
        assert trace.header.options["max_new_tokens"] == given.max_new_tokens


def test_what_is_made_appears_whole_and_only_once_it_is_there(tmp_path):
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name in ("1-old.json", "README.md"):
        (shelf / name).write_text(name)
    made = Made("write OUT", "shelf", True)

    def write(words):
        folder = Path([*words][1])
        folder.mkdir()
        (folder / "1-new.json").write_text("new")
        assert (shelf / "1-old.json").exists()
        if len(seen) == 1:
            raise KeyboardInterrupt

    seen = [1]
    with pytest.raises(KeyboardInterrupt):
        make(made, tmp_path, write)
    assert {path.name for path in tmp_path.rglob("*")} == {"shelf", "1-old.json", "README.md"}
    seen.clear()
    make(made, tmp_path, write)
    assert {path.name for path in tmp_path.rglob("*")} == {"shelf", "1-new.json", "README.md"}


def test_lessons_that_do_not_hold_any_more_are_named(tmp_path):
    assert refused_lessons(ASSETS) == []
    (tmp_path / "lessons").symlink_to(ASSETS / "lessons")
    refused = refused_lessons(tmp_path)
    assert any(re.match("coin: .*speculative.* is recorded in the gallery", one) for one in refused)
    assert not any(one.startswith("losing") for one in refused)
    assert refused_lessons(tmp_path, "trace:") == [] and refused_lessons(tmp_path, "gallery:") == refused


def test_a_lesson_is_found_by_what_it_shows():
    texts = [path.read_text() for path in (ASSETS / "lessons").glob("*.toml")]
    shown = {
        made.out: sum(f'= "{made.source}' in text for text in texts)
        for name in ("gallery", "openings", "lessons")
        for made in PARTS[name].made
    }
    assert shown.pop("openings/greedy") == 0 and shown.pop("openings/sampled") == 2
    assert all(shown.values())


def test_the_first_seed_is_taken_at_which_the_lessons_hold(tmp_path):
    shutil.copytree(ASSETS / "lessons", tmp_path / "lessons")
    shelf = tmp_path / "lessons/traces/block"
    right, wrong = {path.name: path.read_bytes() for path in shelf.iterdir()}, shelf / "2-speculative.json"
    made, tried = Made("compare --seed 5 --save OUT", "lessons/traces/block", True), []

    def record(words):
        tried.append(int(words[2]))
        Path(words[4]).mkdir()
        for name, data in right.items():
            (Path(words[4]) / name).write_bytes(data if tried[-1] == 7 else right["1-block.json"])

    wrong.write_bytes(right["1-block.json"])
    with pytest.raises(SpecvizError, match="at no seed from 5 to 6 do the lessons on .*block hold; .*block: 05-block"):
        seek(made, tmp_path, record, 1)
    assert wrong.read_bytes() == right["1-block.json"]
    assert seek(made, tmp_path, record, 9) == 7 and tried == [5, 6, 5, 6, 7]
    assert {path.name: path.read_bytes() for path in shelf.iterdir()} == right
    assert not [path for path in tmp_path.rglob(".remake-*")]
    elsewhere = tmp_path / "a new folder"
    assert seek(made._replace(out="lessons/traces/new"), elsewhere, record, 0) == 5


def test_bad_parts_are_refused_and_commands_listed(capsys):
    assert main(["remake", "galery"]) == 2
    assert (
        "part must be one of gallery, openings, lessons, calls, laws, lab, pictures, benchmark, got 'galery'"
        in capsys.readouterr().err
    )
    assert main(["remake", "--seek", "-1", "--list"]) == 2
    assert "seek must be 0 or more, got -1" in capsys.readouterr().err
    assert main(["remake", "--pair", "smollm2", "--list"]) == 0
    assert {line.split(":")[0] for line in capsys.readouterr().out.splitlines()} == {
        "openings",
        "lessons",
        "calls",
        "laws",
    }
    assert main(["remake", "laws", "lessons", "--list", "--out", "else where"]) == 0
    out = capsys.readouterr().out
    assert out.index("lessons: specviz compare") < out.index(
        "laws: specviz guarantees --out 'else where/guarantees/embedded.json'"
    )


@pytest.mark.full
@pytest.mark.parametrize("made", PARTS["lessons"].made, ids=lambda made: made.out)
def test_the_recorded_runs_of_lessons_are_made_anew(made, tmp_path):
    if made.pair and not is_whole(path_of(find_model(made.pair)), find_model(made.pair)):
        pytest.skip(f"not on this machine: python -m specviz models get {made.pair}")
    shelf = tmp_path / made.out
    shelf.mkdir(parents=True)
    (shelf / "9-old.json").write_text("{}")
    make(made, tmp_path, main)
    shipped = {path.name: load_trace(path).tokens for path in (ASSETS / made.out).iterdir()}
    assert {path.name: load_trace(path).tokens for path in shelf.iterdir()} == shipped
