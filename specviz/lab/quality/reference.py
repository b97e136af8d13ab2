"""A run's score: its text against the answer of its question, in one of three ways.

``execution``  1.0 where the text's first line that is not empty is one SELECT statement whose rows are those of the
answer, a gold query, on every database (in its order where the answer has ORDER BY), else 0.0: execution accuracy, as
in Zhong et al. 2020, https://arxiv.org/abs/2010.02840. Run read-only, in a process with bounds (``zoo/sql/walled.py``).

``exact``  1.0 where the result is the answer, else 0.0. The result is what follows the first "The answer is" on its
line, or the last number of a text without these words. Where the answer is a number and exactly one number stands in
the result, these are compared ("18", "$18.00", "18 eggs"), else the two texts, letter by letter.

``rouge_l``  the F-measure of the longest common subsequence of words, Rouge-L of Lin 2004,
https://aclanthology.org/W04-1013, as the package rouge-score counts it: lower case, words of a to z and 0 to 9 alone,
no stemmer. 0.0 to 1.0.
"""

import json
import re
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, Literal, get_args

from specviz.errors import SpecvizError
from specviz.zoo.corpus import plain_result, stated_result
from specviz.zoo.sql.judge import predicted_query, same_on_all
from specviz.zoo.sql.query import PlainTable, SqlRow

ScoreKind = Literal["execution", "exact", "rouge_l"]
KINDS: tuple[str, ...] = get_args(ScoreKind)
NUMBER = re.compile(r"(?:(?<![\w)])-)?\$?(?:\d[\d,]*(?:\.\d+)?|\.\d+)", re.ASCII)


@dataclass(frozen=True)
class DatabaseTable:
    """A table of a database: every row has as many cells as there are columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[SqlRow, ...]


@dataclass(frozen=True)
class Reference:
    """What texts are scored against: the ``answer`` (for ``execution`` the gold query) and, for ``execution`` alone,
    the databases that it is run on."""

    kind: ScoreKind
    answer: str
    databases: tuple[tuple[DatabaseTable, ...], ...] = ()

    def __post_init__(self):
        if (self.kind == "execution") != bool(self.databases):
            raise SpecvizError(f"databases are for the score 'execution', which needs one at least, not {self.kind!r}")

    @property
    def plain(self) -> list[list[PlainTable]]:
        """The databases as ``zoo/sql`` takes them."""
        return [[(table.name, table.columns, table.rows) for table in tables] for tables in self.databases]

    @cached_property
    def fingerprint(self) -> str:
        return blake2b(json.dumps(asdict(self)).encode(), digest_size=16).hexdigest()


def score(reference: Reference, text: str) -> float:
    """0.0 to 1.0, as the module says. ``text`` ends where the run did: end tokens have no text, and nothing follows
    them."""
    match reference.kind:
        case "execution":
            return float(same_on_all(reference.plain, reference.answer, predicted_query(text)))
        case "exact":
            return float(_is_result(text, reference.answer))
        case "rouge_l":
            return float(_rouge().score(reference.answer, text)["rougeL"].fmeasure)


def number(text: str) -> Decimal | None:
    """The number that a text is, thousands separators and a dollar sign allowed; None for any other text."""
    return _value(text) if NUMBER.fullmatch(text.strip()) else None


def _is_result(text: str, answer: str) -> bool:
    result = stated_result(text) or (NUMBER.findall(text) or [""])[-1]
    wanted, numbers = number(plain_result(answer)), NUMBER.findall(result)
    if wanted is not None and len(numbers) == 1:
        return _value(numbers[0]) == wanted
    return plain_result(result) == plain_result(answer) != ""


def _value(written: str) -> Decimal:
    return Decimal(re.sub(r"[$,\s]", "", written))


@lru_cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # takes a second

    return RougeScorer(["rougeL"], use_stemmer=False)
