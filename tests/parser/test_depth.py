"""Long and deep texts are read: chains in loops, queries in queries as deep as Spark goes."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment
from viewscribe.errors import NotSerializableError, SqlSyntaxError
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
