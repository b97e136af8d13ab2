"""Prompts from files in the form of Spec-Bench: read, and refused line by line."""

import json

import pytest

from specviz.errors import PromptError
from specviz.lab.prompts import CHAT_PROMPTS, PROMPTS
from specviz.lab.quality.reference import Reference
from specviz.lab.sweep import prompts
from specviz.lab.sweep.prompts import SweepPrompt, as_prompts, built_in, read_prompts


@pytest.fixture
def written(tmp_path):
    def write(*lines: object) -> str:
        file = tmp_path / "questions.jsonl"
        made = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        file.write_bytes(b"\n".join(made))
        return str(file)

    return write


def question(number: object = 1, **more: object) -> dict[str, object]:
    return {"question_id": number, "category": "writing", "turns": ["Write."], **more}


def test_the_prompts_of_a_file(written):
    more = question("q", category="qa", turns=["First\u00e9", "Then."], reference=["x"], answer=3)
    found = read_prompts(written(b"\xef\xbb\xbf" + json.dumps(question()).encode(), b"", b"  \r", more))
    exact = Reference("exact", "3")
    assert found == [SweepPrompt("1", "writing", "Write."), SweepPrompt("q", "qa", "First\u00e9", 2, exact)]
    assert [one.where.rpartition(", ")[2] for one in found] == ["line 1", "line 4"]


BROKEN = {
    "is no JSON: Expecting ',' delimiter at column 19": b'{"question_id": 1 "x"}',
    "is not UTF-8 text: invalid start byte at byte 1": b'"\xff"',
    "must be an object with question_id, category and turns, got [1]": [1],
    "has no question_id": {"category": "a", "turns": ["b"]},
    "has no category": {"question_id": 1, "turns": ["b"]},
    "has no turns": {"question_id": 1, "category": "b"},
    "question_id must be a whole number or text, got 1.5": question(1.5),
    "question_id must be a whole number or text, got True": question(True),
    "question_id '9' is that of line 1": question(9),
    "category must be text, got None": question(category=None),
    "turns must be a list of texts that are not empty, got 'Write.'": question(turns="Write."),
    "turns must be a list of texts that are not empty, got []": question(turns=[]),
    "turns must be a list of texts that are not empty, got ['a', ' ']": question(turns=["a", " "]),
    "is no JSON that can be read: nested too deeply": b"[" * 100_000,
    "has a number of too many digits": b"1" * 5000,
    "question_id: holds half a character, '\\udc00' at 1, which is no text": question("a\udc00"),
    "category: holds half a character, '\\ud800' at 0, which is no text": question(category="\ud800"),
    "turns[1]: holds half a character, '\\ud800' at 4, which is no text": question(turns=["a", "what\ud800"]),
    "question_id: is 111111111...11111111, numbers lie from -1e+30 to 1e+30": question(int("1" * 40)),
    "is longer than 1000000 bytes": question(turns=["x" * 3_000_000]),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_line_is_named_with_its_field(written, reason):
    file = written(question(9), BROKEN[reason], question(10))
    with pytest.raises(PromptError) as refused:
        read_prompts(file)
    assert str(refused.value) == f"{file}: line 2: {reason}"


@pytest.mark.parametrize("wrong", [{"id": "\ud800"}, {"category": "\ud800"}, {"prompt": "\ud800"}])
def test_a_prompt_of_ones_own_is_text_too(wrong):
    with pytest.raises(PromptError, match=f"^{next(iter(wrong))}: holds half a character") as refused:
        SweepPrompt(**{"id": "a", "category": "b", "prompt": "c"} | wrong)
    assert refused.value.argument == "prompts"


def test_all_broken_lines_are_told_up_to_ten(written):
    file = written({}, *(question(i) for i in range(3)), {}, question(turns=1))
    with pytest.raises(PromptError) as refused:
        read_prompts(file)
    assert str(refused.value) == (
        f"{file}: line 1: has no question_id; line 5: has no question_id; "
        "line 6: turns must be a list of texts that are not empty, got 1"
    )
    file = written(*[b"{}"] * 1000)
    with pytest.raises(PromptError) as refused:
        read_prompts(file)
    assert str(refused.value).count("line ") == 10 and str(refused.value).endswith("question_id; and more")


@pytest.mark.full
def test_a_million_prompts_are_refused_before_they_are_read(tmp_path):
    file = tmp_path / "many.jsonl"
    with file.open("w") as lines:
        lines.writelines(f'{{"question_id":{i},"category":"a","turns":["b"]}}\n' for i in range(1_000_000))
    with pytest.raises(PromptError, match="line 100001 is one prompt more than the 100000 of a sweep") as refused:
        read_prompts(file)
    assert refused.value.code == "too_many"


def test_prompts_that_memory_may_not_hold_are_refused_by_line(written, monkeypatch):
    file = written(*(question(i, turns=["x" * 1000]) for i in range(10)))
    monkeypatch.setattr(prompts, "MOST_IN_ALL", 12_000)
    assert len(read_prompts(file)) == 10
    monkeypatch.setattr(prompts, "MOST_IN_ALL", 5000)
    with pytest.raises(PromptError) as refused:
        read_prompts(file)
    assert str(refused.value) == (
        f"{file}: up to line 5 its prompts have more than the 5000 bytes of a sweep: part the file"
    )
    assert refused.value.code == "too_large"


def test_files_without_prompts(tmp_path):
    with pytest.raises(PromptError, match=r"none.jsonl cannot be read \(No such file"):
        read_prompts(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(PromptError, match="empty.jsonl has no prompt"):
        read_prompts(tmp_path / "empty.jsonl")


def test_built_in_prompts_and_ones_own(written):
    assert [prompt.prompt for prompt in as_prompts(None)] == [prompt.text for prompt in PROMPTS]
    assert as_prompts("sums") == built_in("sums") and {p.category for p in built_in("sums")} == {"sums"}
    assert as_prompts(["a", [1, 2]]) == [SweepPrompt("1", "", "a"), SweepPrompt("2", "", [1, 2])]
    assert as_prompts(written(question())) == [SweepPrompt("1", "writing", "Write.")]
    for wrong in ([], [SweepPrompt("1", "", "a"), SweepPrompt("1", "", "b")]):
        with pytest.raises(PromptError, match="prompts must be one or more, each with an id of its own"):
            as_prompts(wrong)
    asked = built_in("questions", "writing", "programs")
    assert [prompt.prompt for prompt in asked] == [prompt.text for prompt in CHAT_PROMPTS]
    known = "tales, sums, queries, questions, writing, programs, unseen-queries, worked-sums, small-sums, summaries"
    with pytest.raises(PromptError, match=f"prompts must be a file or among {known}, got"):
        built_in("poems")
