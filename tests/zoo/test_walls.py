"""Queries of others: what each may call, how long what it makes may be, and that a process that takes more is ended."""

import os
import resource
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from specviz.zoo.sql.query import FUNCTIONS, RefusedQuery, database, run_query
from specviz.zoo.sql.walled import Child, Unmade, Walls

TABLE = ("t", ("c", "d"), ((1, "a" * 1000),) * 60)
ENDLESS = "SELECT count(*) FROM t, t AS b, t AS c, t AS d, t AS e, t AS f, t AS g, t AS h, t AS i"
DOUBLED = ", ".join(f"a{i} AS (SELECT * FROM a{i - 1} UNION ALL SELECT * FROM a{i - 1})" for i in range(1, 30))
DOUBLED = f"SELECT * FROM (WITH a0 AS (SELECT 1), {DOUBLED} SELECT * FROM a29)"
"""2**29 times the first one: SQLite looks at no bound of steps before it has written that down."""
BOUNDLESS = Walls(steps=10**15, processor=20.0, clock=20.0)
HARMFUL = {
    "SELECT sum(length(printf('%.*c', 500000000 + c, 'x'))) FROM t": "not authorized to use function: printf",
    "SELECT sum(length(hex(zeroblob(500000000)))) FROM t": "not authorized to use function: ",
    "SELECT randomblob(500000000)": "not authorized to use function: randomblob",
    "SELECT load_extension('x')": "not authorized to use function: load_extension",
    "SELECT * FROM pragma_table_info('t')": "not authorized",
    "SELECT count(*) FROM t WHERE d LIKE '%" + "a" * 200 + "b%'": "LIKE or GLOB pattern too complex",
    "SELECT " + "||".join(["d"] * 11) + " FROM t": "string or blob too big",
    "SELECT group_concat(d) FROM t": "string or blob too big",
    "SELECT replace(d, 'a', d) FROM t": "string or blob too big",
    "SELECT 1" + " UNION ALL SELECT 1" * 30: "too many terms in compound SELECT",
    "SELECT " + "-" * 2000 + "1": "",
    DOUBLED: "out of memory",
}


@pytest.fixture
def child():
    found = Child()
    yield found
    found.close()


@pytest.mark.parametrize("query", HARMFUL)
def test_harmful_queries_are_refused_for_what_they_are(child, query):
    with pytest.raises(RefusedQuery, match=f"^database 1: .*{HARMFUL[query]}"):
        child.ask([[TABLE]], query, walls=BOUNDLESS)
    assert child.ask([[TABLE]], "SELECT 1", "SELECT 1")[0]


def test_functions_are_those_that_are_listed():
    connection = database([TABLE])
    known = {name for (name, *_) in connection.execute("PRAGMA function_list")}
    connection.close()
    assert len(FUNCTIONS & known) > 30 and {"printf", "format", "zeroblob", "load_extension"} & known - FUNCTIONS
    for name in sorted(known):
        connection = database([TABLE])
        try:
            run_query(connection, f'SELECT "{name}"(c) OVER () FROM t')
            refused = ""
        except RefusedQuery as error:
            refused = str(error)
        finally:
            connection.close()
        if name not in FUNCTIONS:
            assert refused, name
        else:
            assert "authorized" not in refused, name


@pytest.mark.parametrize(
    ("walls", "reason"),
    [
        (replace(BOUNDLESS, processor=0.05), "more than 0.05 s of the processor"),
        (replace(BOUNDLESS, clock=0.05), "no answer within 0.05 s"),
        (replace(BOUNDLESS, steps=1000), "database 1: interrupted"),
    ],
)
def test_a_query_without_an_end_is_ended_at_its_walls(child, walls, reason):
    assert child.ask([[TABLE]], "SELECT 1")[0]
    process = child._process
    with pytest.raises(RefusedQuery) as refused:
        child.ask([[TABLE]], ENDLESS, walls=walls)
    assert str(refused.value) == reason
    assert (process.returncode is None) == (walls.processor == walls.clock)  # within steps it need not be ended
    assert child.ask([[TABLE]], "SELECT c FROM t", "SELECT c FROM t")[0]


def test_the_process_has_the_memory_it_is_given_no_files_and_a_place_behind_others(child):
    if not hasattr(resource, "prlimit"):
        pytest.skip("this system does not say what a process may have")
    assert child.ask([[TABLE]], "SELECT 1", walls=Walls(memory=200_000_000))[0]
    process = child._process
    for limit, most in ((resource.RLIMIT_AS, 200_000_000), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        assert resource.prlimit(process.pid, limit) == (most, most)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) > os.getpriority(os.PRIO_PROCESS, 0) or os.nice(0) >= 19


def test_one_process_answers_one_after_the_other_whoever_asks(child):
    child.ask([[TABLE]], "SELECT 1")
    process = child._process
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda i: child.ask([[TABLE]], f"SELECT {i % 2}", "SELECT 1")[0], range(40)))
    assert found == [i % 2 == 1 for i in range(40)] and child._process is process


def test_what_cannot_be_sent_or_made_is_told_and_harms_no_later_question(child):
    with pytest.raises(Unmade, match="database 2 cannot be made: duplicate column name"):
        child.ask([[TABLE], [("u", ("a", "A"), ())]], "SELECT 1")
    with pytest.raises(RefusedQuery, match="surrogates not allowed"):
        child.ask([[TABLE]], "SELECT '\ud800'")
    child._process.kill()
    child._process.wait()
    assert child.ask([[TABLE]], "SELECT 1")[0]


def test_rows_that_a_query_makes_are_bounded():
    with pytest.raises(RefusedQuery, match="more than 2000 rows"):
        connection = database([TABLE])
        try:
            run_query(connection, "SELECT 1 FROM t, t AS u")
        finally:
            connection.close()
    with pytest.raises(sqlite3.Error):
        database([("t", ("a", "a"), ())])
