"""Recursive queries are operations: read, printed in every style, and read again."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql
from viewscribe.serializer.plan_document import from_plan, to_plan

_COUNT = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5)"
QUERIES = [
    f"{_COUNT} SELECT * FROM r",
    f"{_COUNT} SELECT i + 1 AS j FROM r AS q WHERE q.i > 2 ORDER BY j LIMIT 2",
    f"{_COUNT} SELECT x.i FROM r AS x JOIN r AS y ON x.i = y.i + 1",
    f"{_COUNT} SELECT k, (SELECT max(i) FROM r WHERE i < u.k) AS top FROM u",
    f"{_COUNT}, q AS (SELECT i AS j FROM r UNION ALL SELECT j + 10 FROM q WHERE j < 9) "
    "SELECT * FROM q",
    "WITH RECURSIVE r AS (WITH RECURSIVE q AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM q "
    "WHERE i < 3) SELECT 0 AS j, i FROM q UNION ALL SELECT j + 1, i FROM r WHERE j < 3) "
    "SELECT * FROM r",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL (SELECT i + 1 FROM r WHERE i < 9 UNION ALL "
    "SELECT i + 1 FROM r WHERE i < 5)) SELECT * FROM r",
    "WITH RECURSIVE r MAX RECURSION LEVEL 3 AS (VALUES (1) UNION ALL SELECT col1 + 1 FROM r) "
    "SELECT * FROM r LIMIT 2",
    "WITH RECURSIVE tree AS (SELECT k, a, w FROM u WHERE a IS NULL "
    "UNION ALL SELECT u.k, u.a, tree.w FROM u JOIN tree ON u.a = tree.k) "
    "SELECT w, count(*) AS c FROM tree GROUP BY w",
    "WITH RECURSIVE x AS (SELECT 0 AS i, 0.5D AS r UNION ALL SELECT z.i + 1, z.r FROM (WITH y AS "
    "(SELECT i FROM x), x AS (SELECT rand() AS r) SELECT y.i, x.r FROM y JOIN x ON x.r < y.i "
    "JOIN x AS o ON x.r = o.r) AS z) SELECT * FROM x",
    "WITH x AS (SELECT rand() AS r), y AS (SELECT r FROM x), q AS (WITH RECURSIVE x AS (SELECT 0D "
    "AS i UNION ALL SELECT i + y.r FROM x JOIN y ON i < y.r) SELECT i FROM x) SELECT * FROM q, x",
]  # fmt: skip


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
@pytest.mark.parametrize("query", QUERIES)
def test_what_is_read_is_printed_and_read_again(query: str, style: str) -> None:
    made = read(query)
    text = to_sql(made, style=style)
    again = read(text)
    assert to_sql(again, style=style) == text
    assert again.schema.fields == made.schema.fields


@pytest.mark.parametrize("query", QUERIES)
def test_plan_documents_hold_it(query: str) -> None:
    made = read(query)
    assert from_plan(to_plan(made)) == made


@pytest.mark.parametrize("query", QUERIES)
def test_documents_of_earlier_versions_are_read(query: str) -> None:
    """They had another name for what reads a recursive query in its own step."""
    made = read(query)
    plan = to_plan(made)
    names = {each["name"] for each in plan["nodes"] if each["node"] == "recursion"}
    for each in plan["nodes"]:
        if each["node"] == "cte_reference" and each["name"] in names:
            each["node"] = "recursion_reference"
    assert from_plan(plan) == made


def test_columns_are_those_of_the_first_rows_and_may_be_null() -> None:
    made = read(f"{_COUNT} SELECT * FROM r")
    (found,) = [each for each in preorder(made) if isinstance(each, n.Recursion)]
    assert (found.name, found.max_level) == ("r", None)
    (column,) = made.schema.fields
    assert (column.name, column.type.ddl, column.type.nullable) == ("i", "INT", True)


def test_a_table_of_its_name_is_another() -> None:
    made = read(
        "WITH RECURSIVE r(i) AS (SELECT k FROM u UNION ALL SELECT i + 1 FROM r) SELECT * FROM r"
    )
    table = n.CatalogSource.of(("r",), read("SELECT k FROM u").schema.fields)
    (found,) = [each for each in preorder(made) if isinstance(each, n.Recursion)]
    text = to_sql(n.Recursion.of(table, found.step, "r").copy_with({}))
    assert "WITH RECURSIVE r_2 AS" in text
    assert "FROM r_2" in text


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT 1 UNION SELECT i + 1 FROM r", "is a UNION"),
        ("SELECT i FROM r", "no UNION ALL"),
        ("SELECT i FROM r UNION ALL SELECT 1", "first query of `r` reads"),
        ("SELECT 1 UNION ALL SELECT i + 1L FROM r", "goes on as BIGINT"),
        ("SELECT 1 UNION ALL SELECT i, i FROM r", "begins with 1 columns"),
        ("SELECT 1 UNION ALL SELECT max(i) FROM r", "where Spark does not allow it"),
        ("SELECT 1 UNION ALL SELECT r.i FROM u LEFT JOIN r ON i = k", "does not allow it"),
        ("SELECT 1 UNION ALL SELECT k FROM u WHERE k IN (SELECT i FROM r)", "inside its own"),
        ("SELECT 1 UNION ALL SELECT i FROM r RIGHT JOIN u ON i = k", "does not allow it"),
        ("SELECT 1 UNION ALL SELECT max(i) OVER () FROM r", "does not allow it"),
    ],
)
def test_what_spark_refuses(query: str, reason: str) -> None:
    with pytest.raises(ViewscribeError, match=reason):
        read(f"WITH RECURSIVE r(i) AS ({query}) SELECT * FROM r")


def test_what_lifts_the_limit_on_rows_is_refused_by_name() -> None:
    rows = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r"
    with pytest.raises(NotSerializableError, match="LIMIT ALL over a recursive query"):
        read(f"{rows} LIMIT ALL")
    assert read("SELECT k FROM u LIMIT ALL") == read("SELECT k FROM u")
