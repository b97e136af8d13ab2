"""The prompts of a sweep: built-in ones by domain or set, one's own, or a file of JSON lines as of Spec-Bench."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, get_args

from specviz.errors import PromptError, as_given, unfit
from specviz.lab.prompts import CHAT_PROMPTS, PROMPTS, Asked, Domain
from specviz.lab.quality.fields import Answers, reference_of
from specviz.lab.quality.reference import Reference
from specviz.lab.quality.sets import SETS
from specviz.lm.prompt import Prompt

DOMAINS: tuple[str, ...] = get_args(Domain)
ASKED: tuple[str, ...] = get_args(Asked)
NAMES: tuple[str, ...] = (*DOMAINS, *ASKED, *SETS)
"""Of built-in prompts: the domains, what chat models are asked, and the sets of questions with answers."""
MOST_PROMPTS = 100_000
MOST_BYTES = 1_000_000  # of a line
MOST_IN_ALL = 200_000_000  # bytes of a file's prompts, which are all kept in memory
MOST_ERRORS = 10  # that are told
SECONDS_OF_PROMPT = 0.025  # of the processor, on average of so many as a file may have, to run its answer


@dataclass(frozen=True)
class SweepPrompt:
    """What runs go on from; ``id`` is unlike any other's, ``category`` what its results are grouped by. ``turns`` is
    how many its source has: a run answers the first. ``reference`` is what texts are scored against (None: they are
    not); ``where`` it stands, for messages: file and line."""

    id: str
    category: str
    prompt: Prompt
    turns: int = 1
    reference: Reference | None = None
    where: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Raises PromptError for half a character, which no table of results could hold."""
        if problem := unfit({"id": self.id, "category": self.category, "prompt": self.prompt}):
            raise PromptError(problem, argument="prompts")


def built_in(*names: str) -> list[SweepPrompt]:
    """The built-in prompts of these domains or sets (none: of all domains). Raises PromptError for one that there is
    not."""
    for name in names:
        if name not in NAMES:
            raise PromptError(
                f"prompts must be a file or among {', '.join(NAMES)}, got {as_given(name)}", argument="prompts"
            )
    return [prompt for name in names or DOMAINS for prompt in _built_in(name)]


def _built_in(name: str) -> Iterator[SweepPrompt]:
    plain = ((name, p.text, None) for p in (*PROMPTS, *CHAT_PROMPTS) if p.domain == name)
    prompts = SETS[name].make() if name in SETS else plain
    for number, (domain, text, reference) in enumerate(prompts, 1):
        yield SweepPrompt(f"{name}-{number}", domain, text, reference=reference)


def as_prompts(source: Iterable[SweepPrompt | Prompt] | str | Path | None) -> list[SweepPrompt]:
    """The prompts of a list (texts, token ids, messages or SweepPrompts), of a domain or set, of a file, or (None) the
    built-in ones. Raises PromptError."""
    if source is None:
        return built_in()
    if isinstance(source, str | Path):
        return built_in(str(source)) if source in NAMES else read_prompts(source)
    listed = []
    for number, item in enumerate(source, 1):
        if number > MOST_PROMPTS:
            raise PromptError(f"prompts must be at most {MOST_PROMPTS}", argument="prompts", code="too_many")
        listed.append(item if isinstance(item, SweepPrompt) else SweepPrompt(str(number), "", item))
    if not listed or len({prompt.id for prompt in listed}) < len(listed):
        raise PromptError("prompts must be one or more, each with an id of its own", argument="prompts")
    return listed


def read_prompts(path: str | Path) -> list[SweepPrompt]:
    """The prompts of a file, as ``parse_prompts`` reads them; PromptError names it."""
    try:
        with Path(path).open("rb") as file:
            return parse_prompts(file, str(path))
    except OSError as error:
        raise PromptError(f"{path} cannot be read ({error.strerror})", argument="prompts") from None


def parse_prompts(file: BinaryIO, name: str, most: int = MOST_PROMPTS) -> list[SweepPrompt]:
    """The prompts of JSON lines: ``question_id`` (a whole number or text, each once), ``category`` (text) and ``turns``
    (a list of texts). A line with ``answer`` is scored (``quality/fields.py``). Other fields are left alone, and so are
    empty lines.

    Raises PromptError with ``name`` and, up to ten, every line that is wrong and its field; and for more than ``most``
    prompts, or ``MOST_IN_ALL`` bytes of them, which are not read to the end.
    """
    prompts, lines, errors, size = [], dict[str, int](), list[str](), 0
    answers = Answers(most * SECONDS_OF_PROMPT)
    for number, line in _lines(file):
        try:
            prompt = _prompt(line, answers)
            if prompt.id in lines:
                raise ValueError(f"question_id {as_given(prompt.id)} is that of line {lines[prompt.id]}")
        except ValueError as error:
            errors.append(f"line {number}: {error}")
            if len(errors) > MOST_ERRORS:
                break
            continue
        lines[prompt.id] = number
        prompts.append(replace(prompt, where=f"{name}, line {number}"))
        size += len(line)
        if len(prompts) > most:
            problem = f"line {number} is one prompt more than the {most} of a sweep"
            raise PromptError(f"{name}: {problem}: part the file", argument="prompts", code="too_many")
        if size > MOST_IN_ALL:
            problem = f"up to line {number} its prompts have more than the {MOST_IN_ALL} bytes of a sweep"
            raise PromptError(f"{name}: {problem}: part the file", argument="prompts", code="too_large")
    if errors:
        more = "; and more" if len(errors) > MOST_ERRORS else ""
        raise PromptError(f"{name}: {'; '.join(errors[:MOST_ERRORS])}{more}", argument="prompts")
    if not prompts:
        raise PromptError(f"{name} has no prompt", argument="prompts")
    return prompts


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each line that is not empty with its number; one that is too long, cut off there."""
    number = 0
    while line := file.readline(MOST_BYTES + 1):
        number += 1
        end = line
        while len(end) > MOST_BYTES and not end.endswith(b"\n"):
            end = file.readline(MOST_BYTES + 1)
        if line.strip():
            yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _prompt(line: bytes, answers: Answers) -> SweepPrompt:
    """Raises ValueError, saying which field is wrong."""
    if len(line) > MOST_BYTES:
        raise ValueError(f"is longer than {MOST_BYTES} bytes")
    record = _parsed(line)
    if not isinstance(record, dict):
        raise ValueError(f"must be an object with question_id, category and turns, got {as_given(record)}")
    for name in ("question_id", "category", "turns"):
        if name not in record:
            raise ValueError(f"has no {name}")
    name, category, turns = record["question_id"], record["category"], record["turns"]
    if isinstance(name, bool) or not isinstance(name, int | str) or name == "":
        raise ValueError(f"question_id must be a whole number or text, got {as_given(name)}")
    if not isinstance(category, str):
        raise ValueError(f"category must be text, got {as_given(category)}")
    if not isinstance(turns, list) or not turns or not all(isinstance(t, str) and t.strip() for t in turns):
        raise ValueError(f"turns must be a list of texts that are not empty, got {as_given(turns)}")
    if problem := unfit({"question_id": name, "category": category, "turns": turns}):
        raise ValueError(problem)
    return SweepPrompt(str(name), category, turns[0], len(turns), reference_of(record, answers))


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("is no JSON that can be read: nested too deeply") from None
    except ValueError:
        raise ValueError("has a number of too many digits") from None
