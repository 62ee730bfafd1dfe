"""Long and deep texts are read: chains in loops, queries in queries as deep as Spark goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest

from viewscribe import TableEnvironment
from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.parser.names import read_names

ENV = TableEnvironment()
ENV.create_table("t", "a INT, b INT")


def nested(count: int) -> str:
    text = "SELECT a FROM t"
    for place in range(count):
        text = f"SELECT a FROM ({text}) AS s{place}"
    return text


def inside(count: int) -> str:
    text = "SELECT a FROM t"
    for _ in range(count):
        text = f"SELECT a FROM t WHERE a IN ({text})"
    return text


LONG = {
    "AND": "SELECT a FROM t WHERE " + " AND ".join(f"a <> {n}" for n in range(10_000)),
    "UNION ALL": " UNION ALL ".join(["SELECT a FROM t"] * 1_000),
    "JOIN": "SELECT t0.a FROM t AS t0"
    + "".join(f" JOIN t AS t{n} ON t{n}.a = t{n - 1}.a" for n in range(1, 200)),
    "queries in FROM": nested(300),
    "queries in WHERE": inside(40),
    "parentheses": "SELECT " + "(" * 400 + "a" + ")" * 400 + " AS x FROM t",
    "steps of a pipe": "FROM t " + "|> EXTEND a + 1 AS x |> DROP x " * 300,
}


@pytest.mark.parametrize("what", LONG)
def test_it_is_read_and_printed(what: str) -> None:
    table = ENV.sql_query(LONG[what])
    assert len(table.columns) in (1, 2)
    assert table.to_sql()


def test_chains_of_operators_are_read() -> None:
    table = ENV.sql_query("SELECT " + " + ".join(["a"] * 3_000) + " AS x FROM t")
    assert str(table.schema) == "x INT"


def test_what_cannot_be_printed_says_so() -> None:
    table = ENV.sql_query(inside(100))
    with pytest.raises(NotSerializableError, match="deeper than can be printed"):
        table.to_sql()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT (((SELECT 1) + 1)) AS a",
        "SELECT ((((SELECT 1)) + 1) * 2) AS a",
        "SELECT 1 AS a WHERE 2 IN ((SELECT 1) + 1, 3)",
        "SELECT 1 AS a WHERE 1 IN (((SELECT 1) UNION (SELECT 2)))",
        "SELECT * FROM (((SELECT 1 AS a) UNION ALL (SELECT 2)) LIMIT 1)",
        "SELECT x.a FROM (((SELECT 1 AS a) AS x CROSS JOIN (SELECT 2 AS b)))",
    ],
)
def test_parentheses_around_queries_and_around_what_they_are_part_of(text: str) -> None:
    assert ENV.sql_query(text).schema.names == ("a",)


@pytest.mark.slow("very long texts")
@pytest.mark.parametrize("deep", ["{o}1{c}", "{o}SELECT 1{c}", "(SELECT 1 FROM {o}t{c})"])
def test_what_is_nested_very_deep_is_refused_at_once(deep: str) -> None:
    """Texts of catalogs may be anybody's."""
    text = "SELECT " + deep.format(o="(" * 60_000, c=")" * 60_000)
    with pytest.raises(SqlSyntaxError, match="nested too deep"):
        read_names(text)


MOST_CALLS = 10_000_000
"""Some two seconds."""


@contextmanager
def at_most(count: int) -> Iterator[None]:
    """Fails as soon as more functions than that have been called."""
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        if calls > count:
            sys.setprofile(None)
            pytest.fail(f"more than {count:,} calls")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


# Texts that mean twice as much with each part of them: short ones, as anybody may write.


def aliases(first: str, step: str, behind: str = "") -> Callable[[int], str]:
    def make(count: int) -> str:
        items = [f"{first} AS z0"]
        for place in range(1, count):
            before = f"z{place - 1}"
            items.append(f"{step.format(z=before)} AS z{place}")
        return f"SELECT {', '.join(items)} FROM t {behind}".format(last=f"z{count - 1}")

    return make


def starred(count: int) -> str:
    source = "t AS s0"
    for place in range(count):
        source = (
            f"(SELECT s{place}.*, s{place}.a AS a{place}, s{place}.* FROM {source}) s{place + 1}"
        )
    return f"SELECT 1 AS one FROM {source}"


def grouped(element: Callable[[int], str], outside: str = "{}") -> Callable[[int], str]:
    def make(count: int) -> str:
        keys = ", ".join(f"{place} AS k{place}" for place in range(2 * count))
        sets = outside.format(", ".join(map(element, range(count))))
        return f"SELECT count(*) AS n FROM (SELECT {keys}) GROUP BY {sets}"

    return make


def pair(place: int) -> str:
    return f"(k{2 * place}, k{2 * place + 1})"


def read_twice(step: str) -> Callable[[int], str]:
    def make(count: int) -> str:
        steps = [f"c{n} AS ({step.format(c=f'c{n - 1}')})" for n in range(1, count)]
        return f"WITH c0 AS (SELECT a FROM t), {', '.join(steps)} SELECT * FROM c{count - 1}"

    return make


DOUBLING = {
    "CTEs beside themselves": read_twice("SELECT x.a FROM {c} x, {c} y"),
    "CTEs in IN": read_twice("SELECT a FROM {c} WHERE a IN (SELECT a FROM {c})"),
    "CTEs in values": read_twice("SELECT a + (SELECT max(a) FROM {c}) AS a FROM {c}"),
    "CTEs in EXISTS": read_twice(
        "SELECT a FROM {c} x WHERE EXISTS (SELECT 1 FROM {c} y WHERE y.a = x.a)"
    ),
    "aliases of a total": aliases("sum(a)", "{z} + {z}"),
    "aliases of a key": aliases("a", "{z} + {z}", "GROUP BY a"),
    "aliases of keys that are all": aliases("a", "{z} + {z}", "GROUP BY ALL"),
    "aliases in HAVING": aliases("sum(a)", "{z} + {z}", "HAVING {last} > 1"),
    "aliases in calls": aliases("max(a)", "coalesce({z}, {z})"),
    "aliases of texts": aliases("max(a)", "concat({z}, {z})"),
    "aliases of structs": aliases("struct(1)", "struct({z}, {z})"),
    "stars": starred,
    "GROUPING SETS": grouped(lambda n: f"GROUPING SETS ((k{n}), (k{n + 1}))"),
    "ROLLUP": grouped(lambda n: f"ROLLUP (k{2 * n}, k{2 * n + 1})"),
    "ROLLUP of pairs": grouped(pair, "ROLLUP ({})"),
    "CUBE of pairs": grouped(pair, "CUBE ({})"),
    "CUBE of columns": grouped(lambda n: f"k{n}", "CUBE ({})"),
    "CUBE of one column": grouped(lambda n: "k0", "CUBE ({})"),
    "CUBE beside CUBE": grouped(lambda n: f"k{n}", "CUBE (k0), CUBE ({})"),
    "CUBE in sets": grouped(lambda n: f"k{n}", "GROUPING SETS (CUBE ({}))"),
}


@pytest.mark.slow("counts calls")
@pytest.mark.parametrize("what", DOUBLING)
def test_what_doubles_is_read_and_printed_or_refused(what: str) -> None:
    with at_most(MOST_CALLS), suppress(ViewscribeError):
        table = ENV.sql_query(DOUBLING[what](40))
        for style in ("readable", "pipe", "nested"):
            with suppress(NotSerializableError):
                table.to_sql(style)


@pytest.mark.parametrize("what", ["GROUPING SETS", "ROLLUP", "CUBE of pairs", "CUBE in sets"])
def test_sets_are_counted_before_they_are_listed(what: str) -> None:
    assert ENV.sql_query(DOUBLING[what](6)).to_sql()
    with pytest.raises(SqlSyntaxError, match="sets and keys together may be 100,000"):
        ENV.sql_query(DOUBLING[what](40))


@pytest.mark.parametrize("words", ["CUBE", "ROLLUP", "GROUPING SETS"])
def test_keys_of_sets_are_as_many_as_spark_takes(words: str) -> None:
    make = grouped(lambda n: f"k{n}", f"{words} ({{}})")
    assert ENV.sql_query(make(64)).to_sql()
    with pytest.raises(ValidationError, match=r"65 keys .* Spark takes 64"):
        ENV.sql_query(make(65))


@pytest.mark.slow("shows many columns")
def test_columns_of_all_queries_are_counted() -> None:
    with pytest.raises(SqlSyntaxError, match="more than 100,000 columns together"):
        ENV.sql_query(starred(30))
