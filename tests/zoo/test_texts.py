"""Any folder of text: what is read, what is held out, what is refused by file and line, and when reading stops."""

import json

import numpy as np
import pytest

from specviz.zoo.corpus import CorpusError
from specviz.zoo.texts import FEWEST, PIECE, documents, read_streams, text_files
from specviz.zoo.training.time_limit import TimeLimit
from tests.tiny_pair import byte_tokenizer

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"


@pytest.fixture
def tokenizer():
    tokenizer = byte_tokenizer()
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _written(folder, name, *lines):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return folder / name


def test_files_of_text_are_found_wherever_they_are(tmp_path):
    for name in ("b/two.md", "a/one.txt", "three.JSONL", "b/picture.png"):
        _written(tmp_path, name, "x")
    assert [file.name for file in text_files(tmp_path)] == ["one.txt", "two.md", "three.JSONL"]
    assert [file.name for file in text_files(tmp_path / "b/two.md")] == ["two.md"]
    for nothing in (tmp_path / "b/picture.png", tmp_path / "not there"):
        with pytest.raises(CorpusError, match="has no text: give a folder .* of .txt, .md or .jsonl") as error:
            text_files(nothing)
        assert error.value.argument == "corpus"


CHATS = [
    {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]},
    {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}]},
    {"prompt": "Hi", "completion": "Ho"},
    {"question": "Hi", "answer": "Ho"},
    {"prompt": [{"role": "user", "content": "Hi"}], "response": [{"role": "assistant", "content": "Ho"}]},
]


@pytest.mark.parametrize("chat", CHATS, ids=[next(iter(chat)) + "-" + list(chat)[-1] for chat in CHATS])
def test_chats_go_through_the_template(tokenizer, tmp_path, chat):
    file = _written(tmp_path, "chats.jsonl", chat, "", chat)
    assert list(documents([file], tokenizer)) == ["<user>Hi<assistant>Ho"] * 2
    tokenizer.chat_template = None
    assert list(documents([file], tokenizer)) == ["Hi\n\nHo"] * 2


def test_an_instruction_s_input_stands_behind_it(tokenizer, tmp_path):
    file = _written(tmp_path, "a.jsonl", {"instruction": "Add", "input": "1 2", "output": "3"})
    assert list(documents([file], tokenizer)) == ["<user>Add\n\n1 2<assistant>3"]


def test_lines_of_text_stay_text(tokenizer, tmp_path):
    file = _written(tmp_path, "a.jsonl", {"text": "One\ntwo"}, '"three"')
    assert list(documents([file], tokenizer)) == ["One\ntwo", "three"]


def test_long_texts_are_cut_at_a_space_and_nothing_is_lost(tokenizer, tmp_path):
    text = "word " * PIECE
    pieces = list(documents([_written(tmp_path, "a.txt", text)], tokenizer))
    assert len(pieces) > 4 and max(map(len, pieces)) <= PIECE and "".join(pieces).strip() == text.strip()
    assert all(piece.endswith(" ") for piece in pieces[:-1])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "line 2: this is not JSON"),
        ('{"title": "x"}', "line 2: a line must have \"text\", .* got {'title': 'x'}"),
        ("[1, 2]", r"line 2: a line must have .* got \[1, 2\]"),
        ('{"messages": [{"role": "user"}]}', "line 2: a line must have"),
        ('{"messages": [{"role": "user", "content": 3}]}', "line 2: a line must have"),
        ('{"prompt": "a question alone"}', "line 2: a line must have"),
    ],
)
def test_a_line_that_is_neither_is_named(tokenizer, tmp_path, line, said):
    file = _written(tmp_path, "chats.jsonl", CHATS[0], line)
    with pytest.raises(CorpusError, match=f"chats.jsonl, {said}"):
        list(documents([file], tokenizer))


def test_what_a_template_refuses_and_bytes_that_are_no_text_are_named(tokenizer, tmp_path):
    tokenizer.chat_template = "{{ raise_exception('roles must take turns') }}"
    file = _written(tmp_path, "a.jsonl", CHATS[0])
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 1: .*refuses this chat: roles must take turns"):
        list(documents([file], tokenizer))
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CorpusError, match=r"b\.txt cannot be read as UTF-8 text"):
        list(documents([tmp_path / "b.txt"], tokenizer))


def _limit(clock=lambda: 0.0):
    return TimeLimit(1.0, clock)


def test_one_document_in_twenty_is_held_out(tokenizer, tmp_path):
    lines = [{"text": f"{number:03d}" + "x" * 97} for number in range(200)]
    training, unseen = read_streams([_written(tmp_path, "a.jsonl", *lines)], tokenizer, 0, _limit(), 1.0)
    ends = [np.flatnonzero(stream == 0).size for stream in (training, unseen)]
    assert ends == [190, 10] and len(training) == 190 * 101
    assert [tokenizer.decode(unseen[at + 1 : at + 4]) for at in np.flatnonzero(unseen == 0)] == [
        f"{number:03d}" for number in range(0, 200, 20)
    ]


def test_of_few_documents_the_last_of_the_text_is_held_out(tokenizer, tmp_path):
    training, unseen = read_streams([_written(tmp_path, "a.txt", "a" * 20_000, "b" * 500)], tokenizer, 0, _limit(), 1.0)
    assert len(training) > 18_000 and 500 < len(unseen) < 1_500 and tokenizer.decode(unseen[-9:-1]) == "b" * 8
    with pytest.raises(CorpusError, match=f"the corpus has 11 tokens: training needs at least {FEWEST}"):
        read_streams([_written(tmp_path, "c.txt", "few tokens"[:9])], tokenizer, 0, _limit(), 1.0)


def test_reading_stops_when_its_time_is_over(tokenizer, tmp_path):
    seconds = [0.0]

    class Slow:
        chat_template = None

        def __call__(self, texts, **named):
            seconds[0] += len(texts)
            return tokenizer(texts, **named)

    files = [_written(tmp_path, f"{number}.jsonl", *[{"text": "x" * 100}] * 50) for number in range(20)]
    training, unseen = read_streams(files, Slow(), 0, _limit(lambda: seconds[0]), 1.0)
    assert seconds[0] == 60 and len(training) + len(unseen) == 60 * 101


def test_a_time_limit_lets_through_what_fits():
    seconds = [5.0]
    limit = TimeLimit(1.0, lambda: seconds[0])
    limit.spent_before(10.0)
    taken = []
    for item in limit.within(range(99), 0.49):
        seconds[0] += 8.0 if item else 4.0
        taken.append(item)
    assert taken == [0, 1] and limit.elapsed() == 22.0  # a third one might end at 30
    assert not limit.passed(0.5) and limit.passed(0.3)
    assert list(limit.within([7, 8], 0.1)) == [7], "the first one is always let through"
