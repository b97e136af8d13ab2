"""``remake`` makes what comes along with the project, and that is what is there."""

import shlex
from pathlib import Path

import pytest

from specviz.__main__ import build_parser, main
from specviz.commands import arguments
from specviz.commands.remake import PARTS, Made, Part, check_lessons, make_part
from specviz.errors import SpecvizError
from specviz.trace.store import load_trace

ASSETS = Path(__file__).resolve().parents[1] / "assets"
LINES = {made.out: made.line for part in PARTS.values() for made in part.made}


@pytest.mark.parametrize("out", LINES)
def test_every_part_is_a_command_and_makes_something_that_is_there(out):
    given = build_parser().parse_args(shlex.split(LINES[out]))
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


def test_a_part_appears_whole_and_only_once_it_is_made(tmp_path):
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name in ("1-old.json", "README.md"):
        (shelf / name).write_text(name)
    part = Part("two files", (Made("write OUT", "shelf", True),))

    def write(words):
        folder = Path([*words][1])
        folder.mkdir()
        (folder / "1-new.json").write_text("new")
        assert (shelf / "1-old.json").exists()
        if len(seen) == 1:
            raise KeyboardInterrupt

    seen = [1]
    with pytest.raises(KeyboardInterrupt):
        make_part(part, tmp_path, write)
    assert {path.name for path in tmp_path.rglob("*")} == {"shelf", "1-old.json", "README.md"}
    seen.clear()
    make_part(part, tmp_path, write)
    assert {path.name for path in tmp_path.rglob("*")} == {"shelf", "1-new.json", "README.md"}


def test_lessons_that_do_not_hold_any_more_are_named(tmp_path):
    check_lessons(ASSETS)
    for folder in ("gallery", "lessons"):
        (tmp_path / folder).symlink_to(ASSETS / folder)
    check_lessons(tmp_path)
    (tmp_path / "gallery").unlink()
    (tmp_path / "gallery").mkdir()
    with pytest.raises(SpecvizError, match="do not hold any more.* coin: .*speculative.* is recorded in the gallery"):
        check_lessons(tmp_path)


def test_bad_parts_are_refused_and_commands_listed(capsys):
    assert main(["remake", "galery"]) == 2
    assert (
        "part must be one of gallery, lessons, calls, laws, lab, pictures, benchmark, got 'galery'"
        in capsys.readouterr().err
    )
    assert main(["remake", "laws", "lessons", "--list", "--out", "else where"]) == 0
    out = capsys.readouterr().out
    assert out.index("lessons: specviz compare") < out.index(
        "laws: specviz guarantees --out 'else where/guarantees.json'"
    )


@pytest.mark.full
def test_the_recorded_runs_of_lessons_are_made_anew(tmp_path):
    (tmp_path / "lessons" / "traces" / "wood").mkdir(parents=True)
    (tmp_path / "lessons" / "traces" / "wood" / "9-old.json").write_text("{}")
    assert main(["remake", "lessons", "--out", str(tmp_path)]) == 0
    shelf = tmp_path / "lessons" / "traces"
    made = {str(path.relative_to(shelf)) for path in shelf.rglob("*.json")}
    assert made == {
        str(path.relative_to(ASSETS / "lessons/traces")) for path in (ASSETS / "lessons/traces").rglob("*.json")
    }
    lived = load_trace(shelf / "lived.json")
    assert lived.tokens == load_trace(ASSETS / "lessons/traces/lived.json").tokens
