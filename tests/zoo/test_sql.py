"""The text-to-SQL generator and its judge: every form runs, splits stay apart, and only right queries match."""

import random
import re
import sqlite3
from collections import Counter, defaultdict

import pytest
from hypothesis import example as case
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.zoo.sql import schema_words as words
from specviz.zoo.sql.judge import is_telling, names_copied
from specviz.zoo.sql.query import RefusedQuery, database, run_query
from specviz.zoo.sql.renaming import renamed, words_for_names
from specviz.zoo.sql.schemas import HELD_OUT, SCHEMAS, TRAINING, invent_schema, parse_schema
from specviz.zoo.sql.task import FORMS, SqlExample, build_tables, examples, execution_match, sample

SPLITS = ("train", "held_out")


@pytest.fixture(scope="module")
def by_form() -> dict[str, list[SqlExample]]:
    """Some thousand examples of both splits, by form."""
    grouped = defaultdict(list)
    for split in SPLITS:
        for example in examples(7, 3_000, split):
            grouped[example.form].append(example)
    return grouped


def _library_example(sql: str, question: str = "?") -> SqlExample:
    """An example about the library's own two tables, with whatever gold query."""
    library = next(schema for schema in TRAINING if schema.name == "library")
    lines = [f"Table {table.name}: {', '.join(column.name for column in table.columns)}" for table in library.tables]
    return SqlExample("library", "handmade", "\n".join((*lines, f"Question: {question}", "SQL:")), sql, library.tables)


def _run(example: SqlExample, seed: int = 0) -> list[tuple]:
    connection = database(build_tables(example, random.Random(seed)))
    try:
        return run_query(connection, example.sql)
    finally:
        connection.close()


# --- schemas ----------------------------------------------------------------------------------------------------------


def test_there_are_enough_schemas_and_forms():
    assert len(TRAINING) >= 40 and len(HELD_OUT) >= 8 and len(SCHEMAS) >= 48
    assert len({schema.name for schema in SCHEMAS}) == len(SCHEMAS)
    assert len(FORMS) >= 25 and len(set(FORMS)) == len(FORMS)
    assert len(set(words.ENTITIES)) >= 150
    attributes = {*words.NUMBER_ATTRIBUTES, *words.COUNTED_ATTRIBUTES}
    attributes |= {entry[0] for entry in (*words.TEXT_ATTRIBUTES, *words.CATEGORY_ATTRIBUTES)}
    assert len(attributes) >= 150


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_schema_is_well_formed(schema):
    for table in schema.tables:
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names) >= 2
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in (table.name, table.singular, *names))
        for column in table.columns:
            if column.kind == "number":
                assert column.high - column.low >= 30, "rows need thirty different numbers to be sorted without ties"
            if column.kind == "category":
                assert 3 <= len(set(column.pool)) == len(column.pool)
        for link in table.links:
            target, key = schema.target(link)
            assert link.name == f"{target.singular}_{key.name}", "a join must be readable from the prompt alone"
            assert not target.links or target is not table


def test_held_out_tables_and_most_columns_are_never_trained_on():
    def table_names(schemas):
        return {name for schema in schemas for table in schema.tables for name in (table.name, table.singular)}

    def column_names(schemas):
        return {column.name for schema in schemas for table in schema.tables for column in table.columns}

    assert not table_names(HELD_OUT) & table_names(TRAINING)
    invented = {form for noun in words.ENTITIES for form in (noun, words.plural_of(noun))}
    assert not table_names(HELD_OUT) & invented
    trained = column_names(TRAINING) | {*words.NUMBER_ATTRIBUTES, *words.COUNTED_ATTRIBUTES}
    trained |= {entry[0] for entry in (*words.TEXT_ATTRIBUTES, *words.CATEGORY_ATTRIBUTES)} | {"id", "name", "code"}
    assert len(column_names(HELD_OUT) & trained) <= 0.05 * len(column_names(HELD_OUT))
    shown = {table.name for example in examples(3, 3_000, "train") for table in example.tables}
    assert not shown & table_names(HELD_OUT)


@given(st.integers(0, 2**32))
def test_invented_schemas_are_accepted_by_sqlite(seed):
    schema = invent_schema(random.Random(seed))
    connection = sqlite3.connect(":memory:")
    for table in schema.tables:
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names) >= 3
        connection.execute(f"CREATE TABLE {table.name} ({', '.join(names)})")
        for link in table.links:
            target, key = schema.target(link)
            assert link.name == f"{target.singular}_{key.name}"
    connection.close()


STORY = "The old king's goose laid an egg, a golden one, on rehearsals-day; Select nobody, said the select vineyard."


def test_words_for_names_are_those_of_the_text_but_for_keywords_and_what_is_held_out():
    assert words_for_names([STORY, "the goose again"]) == tuple(
        sorted({"old", "goose", "laid", "egg", "golden", "one", "nobody", "said", "the", "again"})
    )


@given(
    st.integers(0, 2**32), st.sampled_from([("goose",), ("goose", "order", "value", "class"), ("wren", "elm", "oat")])
)
@case(62, ("wren", "elm", "oat"))  # a link that would be called as the column beside it
def test_a_renamed_schema_is_the_same_but_for_its_names(seed, vocabulary):
    rng = random.Random(seed)
    before = rng.choice(TRAINING) if seed % 2 else invent_schema(rng)
    after = renamed(before, vocabulary, rng)
    connection = sqlite3.connect(":memory:")
    for old, new in zip(before.tables, after.tables, strict=True):
        assert new.name == words.plural_of(new.singular) != old.name
        assert set(new.singular.split("_")) <= {form for word in vocabulary for form in (word, words.plural_of(word))}
        connection.execute(f"CREATE TABLE {new.name} ({', '.join(column.name for column in new.columns)})")
        for was, column in zip(old.columns, new.columns, strict=True):
            assert (was.kind, was.pool, was.low, was.high, was.counted) == (
                column.kind,
                column.pool,
                column.low,
                column.high,
                column.counted,
            )
            if column.kind == "link":
                target, key = after.target(column)
                assert column.name == f"{target.singular}_{key.name}"
                place = after.tables.index(target)
                assert before.target(was)[0] is before.tables[place]
    connection.close()


def test_most_names_of_a_renamed_schema_are_new():
    rng, vocabulary = random.Random(0), tuple(words.invent_word(random.Random(seed)) for seed in range(900))
    kept = total = 0
    for before in TRAINING:
        for old, new in zip(before.tables, renamed(before, vocabulary, rng).tables, strict=True):
            pairs = [(was.name, column.name) for was, column in zip(old.columns, new.columns, strict=True)]
            total += len(pairs)
            kept += sum(was == now for was, now in pairs)
    assert 0.2 < kept / total < 0.5


def test_no_listed_name_is_a_keyword():
    names = {*words.ENTITIES, *words.NUMBER_ATTRIBUTES, *words.COUNTED_ATTRIBUTES}
    names |= {words.plural_of(noun) for noun in words.ENTITIES}
    names |= {entry[0] for entry in (*words.TEXT_ATTRIBUTES, *words.CATEGORY_ATTRIBUTES)}
    names |= {
        name
        for schema in SCHEMAS
        for table in schema.tables
        for name in (table.name, *(column.name for column in table.columns))
    }
    connection = sqlite3.connect(":memory:")
    for name in sorted(names):
        connection.execute(f"CREATE TABLE {name} ({name})")
    connection.close()


@pytest.mark.parametrize("text", ["", "books: title=title", "books/book: title=nowhere", "x books/book: title=title"])
def test_malformed_schema_text_is_refused(text):
    with pytest.raises(ValueError):
        parse_schema("broken", text)


# --- sampling ---------------------------------------------------------------------------------------------------------


def test_every_form_appears_about_equally_often(by_form):
    assert set(by_form) == set(FORMS)
    assert min(len(group) for group in by_form.values()) > 0.5 * 6_000 / len(FORMS)


@pytest.mark.parametrize("split", SPLITS)
def test_prompts_have_one_shape(split):
    shape = re.compile(r"(Table [a-z_]+: [a-z_]+(, [a-z_]+)*\n){1,2}Question: [A-Z][^\n]*[.?]\nSQL:")
    for example in examples(11, 1_500, split):
        assert shape.fullmatch(example.prompt), example.prompt
        assert re.fullmatch(r"SELECT [^\n;]+;", example.sql), example.sql
        assert example.text == f"{example.prompt} {example.sql}\n"
        assert len(example.text) < 700


@pytest.mark.parametrize("split", SPLITS)
def test_everything_to_copy_stands_in_the_prompt(split):
    keywords = set(
        """SELECT FROM WHERE AND OR BETWEEN LIKE COUNT MAX MIN SUM AVG DISTINCT GROUP BY ORDER ASC DESC LIMIT
                   HAVING JOIN ON""".split()
    )
    for example in examples(12, 1_500, split):
        for literal in re.findall(r"'([^']*)'", example.sql):
            assert f"'{literal.removesuffix('%')}'" in example.prompt
        code = re.sub(r"'[^']*'", "", example.sql)
        seen = set(re.findall(r"\w+", example.prompt))
        unseen = set(re.findall(r"\w+", code)) - keywords - seen
        assert unseen <= {"1"}, f"{unseen} in {example.text}"  # LIMIT 1 is meant, not copied


def test_sampling_depends_on_the_seed_alone():
    state = random.getstate()
    for split in SPLITS:
        first, again = list(examples(5, 300, split)), list(examples(5, 300, split))
        assert first == again
        assert first != list(examples(6, 300, split))
        assert sample(random.Random(5), split=split) == first[0]
    assert random.getstate() == state, "the global generator must stay untouched"


def test_examples_vary(by_form):
    texts = [example.text for group in by_form.values() for example in group]
    assert len(set(texts)) > 0.97 * len(texts)
    for form, group in by_form.items():
        openings = Counter(re.search(r"Question: (\w+ \w+)", example.prompt)[1] for example in group)
        assert len(openings) >= 2, f"{form} is always asked in one wording"


def test_training_mixes_written_and_invented_schemas():
    names = Counter(example.schema_name for example in examples(8, 2_000, "train"))
    assert 0.25 < names["invented"] / 2_000 < 0.55
    assert len(names) == len(TRAINING) + 1
    assert {example.schema_name for example in examples(8, 1_000, "held_out")} == {schema.name for schema in HELD_OUT}


def test_unknown_split_is_refused():
    with pytest.raises(ValueError, match="split"):
        sample(random.Random(0), split="test")


# --- databases --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_gold_queries_run_and_mostly_find_something(form, by_form):
    group = by_form[form][:60]
    telling = sum(is_telling(_run(example)) for example in group)
    assert telling >= 0.85 * len(group)
    assert all(execution_match(example, example.sql) for example in group[:8])


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(SPLITS))
def test_databases_have_small_tables_whose_links_all_match(seed, split):
    rng = random.Random(seed)
    example = sample(rng, split=split)
    connection = database(build_tables(example, rng))
    names = {table.name for table in example.tables}
    for table in example.tables:
        (count,) = connection.execute(f"SELECT COUNT(*) FROM {table.name}").fetchone()
        assert 10 <= count <= 30
        for link in table.links:
            target, _, key = link.links_to.partition(".")
            if target in names and example.form.startswith("join"):
                joined = f"SELECT COUNT(*) FROM {table.name} JOIN {target} ON {table.name}.{link.name} = {target}.{key}"
                assert connection.execute(joined).fetchone() == (count,)
    connection.close()


# --- judging ----------------------------------------------------------------------------------------------------------

GOLD = "SELECT title FROM books WHERE pages > 300;"


@pytest.mark.parametrize(
    "predicted",
    [
        "select title from books where pages > 300",
        "SELECT b.title FROM books AS b WHERE NOT b.pages <= 300;",
        "SELECT title FROM books WHERE pages > 300 ORDER BY year;",
        "SELECT books.title FROM books WHERE 300 < pages;  ",
    ],
)
def test_equivalent_queries_match(predicted):
    assert execution_match(_library_example(GOLD), predicted)


@pytest.mark.parametrize(
    "predicted",
    [
        "",
        ";",
        "SQL",
        "SELECT",
        "SELECT title FROM books WHERE",
        "SELECT title FROM novels WHERE pages > 300;",
        "SELECT title FROM books;",
        "SELECT author FROM books WHERE pages > 300;",
        "SELECT title FROM books WHERE pages < 300;",
        "SELECT DISTINCT year FROM books WHERE pages > 300;",
        "SELECT title, pages FROM books WHERE pages > 300;",
        "SELECT title FROM books WHERE pages > 300 LIMIT 1;",
        "SELECT title FROM books WHERE pages > 300; SELECT 1;",
        "SELECT title FROM books WHERE pages > 300; DROP TABLE books;",
        "DROP TABLE books;",
        "DELETE FROM books;",
        "INSERT INTO books SELECT * FROM books;",
        "PRAGMA table_info(books);",
        "ATTACH 'elsewhere.db' AS other;",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;",
        "SELECT i FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);",
        "SELECT a.title FROM books a, books b, books c, books d, books e, books f, books g, books h, books i;",
        "SELECT COUNT(*) FROM books a, books b, books c, books d, books e, books f, books g, books h, books i;",
        "SELECT zeroblob(900000000);",
        "SELECT title FROM books\0 WHERE pages > 300;",
        "SELECT '\ud800';",
        "SELECT " + "(" * 5000 + "1",
    ],
)
def test_broken_wrong_and_harmful_queries_do_not_match(predicted):
    assert not execution_match(_library_example(GOLD), predicted)


@pytest.mark.parametrize("statement", ["DROP TABLE books", "DELETE FROM books", "VACUUM", "SELECT 1; SELECT 2"])
def test_refused_statements_leave_the_database_alone(statement):
    connection = database(build_tables(_library_example(GOLD), random.Random(0)))
    before = connection.execute("SELECT * FROM books").fetchall()
    with pytest.raises(RefusedQuery):
        run_query(connection, statement)
    assert connection.execute("SELECT * FROM books").fetchall() == before
    connection.close()


def test_order_counts_only_where_the_gold_query_sorts():
    ordered = _library_example("SELECT title FROM books ORDER BY pages DESC;")
    assert execution_match(ordered, "SELECT title FROM books ORDER BY -pages;")
    assert not execution_match(ordered, "SELECT title FROM books ORDER BY pages ASC;")
    assert not execution_match(ordered, "SELECT title FROM books;")
    assert execution_match(_library_example("SELECT title FROM books;"), "SELECT title FROM books ORDER BY pages DESC;")


@pytest.mark.parametrize(
    ("query", "copied"),
    [
        ("SELECT title FROM books WHERE genre = 'no name of ours';", True),
        ("SELECT titles FROM books;", False),
        ("SELECT title FROM book;", False),
        ("SELECT 'title';", False),
        ("", False),
    ],
)
def test_names_are_copied_where_they_are_those_of_the_tables_to_the_letter(query, copied):
    assert names_copied(_library_example(GOLD), query) is copied


def test_every_gold_query_copies_its_names():
    assert all(names_copied(example, example.sql) for example in examples(5, 400, "held_out"))


def test_repeated_rows_count():
    assert not execution_match(_library_example("SELECT genre FROM books;"), "SELECT DISTINCT genre FROM books;")


SLIPS = {
    ">": ">=",
    "<": "<=",
    ">=": ">",
    "<=": "<",
    "=": "!=",
    "!=": "=",
    "AND": "OR",
    "OR": "AND",
    "DESC": "ASC",
    "ASC": "DESC",
    "SUM": "AVG",
    "AVG": "SUM",
    "MAX": "MIN",
    "MIN": "MAX",
    "LIMIT 1": "LIMIT 2",
}
"""One token of a gold query -> the slip a model might make there."""


@pytest.mark.parametrize("token", SLIPS)
def test_a_slip_in_one_token_is_mostly_caught(token, by_form):
    pattern = re.compile(rf"(?<![\w<>!=]){re.escape(token)}(?![\w<>!=])")
    slipped = []
    for group in by_form.values():
        for example in group[:12]:
            code = re.sub(r" ON \S+ = \S+", "", example.sql)
            no_slip = ("BETWEEN" in code and token == "AND") or "HAVING" in code or "(SELECT AVG" in code
            if pattern.search(code) and not no_slip:
                slipped.append((example, pattern.sub(SLIPS[token], example.sql, count=1)))
    assert len(slipped) >= 4
    missed = [(example.sql, wrong) for example, wrong in slipped if execution_match(example, wrong)]
    assert len(missed) <= 0.1 * len(slipped), missed[:5]


def test_verdicts_are_reproducible():
    for example in examples(21, 40, "held_out"):
        wrong = example.sql.replace("SELECT ", "SELECT DISTINCT ", 1)
        assert execution_match(example, wrong) == execution_match(example, wrong)
