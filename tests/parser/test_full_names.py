"""Texts that mean the same in every database: what is named where, as Spark's grammar has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.operations.spark_names import is_system_function
from viewscribe.parser.qualify import body_with_full_names, with_full_names, with_full_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAME = [
    "SELECT 1",
    "SELECT current_database(), current_schema(), current_catalog()",
    "VALUES (1), (2) v(a)",
    "SELECT * FROM c.d.t",
    "SELECT a FROM c.d.t WHERE (a, b) IN ((1, 2), (3, 4))",
    "SELECT * FROM parquet.`/data/x`",
    "WITH t AS (VALUES (1)) SELECT * FROM t, T",
    "SELECT * FROM VALUES (1), (2) AS v(a)",
    "SELECT * FROM range(3) AS r(a)",
    "SELECT builtin.abs(1), system.builtin.abs(2), count(*) FILTER (WHERE true) OVER (ORDER BY 1)",
    "SELECT CASE WHEN (a) THEN (b) END, a::VARCHAR(3), CAST(a AS DECIMAL(9, 2)) FROM c.d.t",
    "SELECT substring(a FROM 2), overlay(a PLACING b FROM 2), x.from, t.table FROM c.d.t",
    "SELECT * EXCEPT (a) FROM c.d.t GROUP BY GROUPING SETS ((a), (b)), ROLLUP (c), CUBE (d)",
    "SELECT * FROM c.d.t TABLESAMPLE (3 ROWS) REPEATABLE (4) o (a)",
    "SELECT 'FROM t', \"f(x)\" -- FROM t\nFROM c.d.t /* , t */",
]
CASES = [
    ("SELECT * FROM t", "SELECT * FROM c.d.t"),
    ("SELECT * FROM e.t", "SELECT * FROM c.e.t"),
    ("SELECT * FROM `a b`", "SELECT * FROM c.d.`a b`"),
    ("TABLE t", "TABLE c.d.t"),
    ("WITH t AS (TABLE t) TABLE t", "WITH t AS (TABLE c.d.t) TABLE t"),
    ("SELECT * FROM f(TABLE t)", "SELECT * FROM c.d.f(TABLE c.d.t)"),
    (
        "SELECT * FROM f(TABLE(t) PARTITION BY a, b)",
        "SELECT * FROM c.d.f(TABLE(c.d.t) PARTITION BY a, b)",
    ),
    ("SELECT a FROM t window, u", "SELECT a FROM c.d.t window, c.d.u"),
    ("SELECT * FROM VALUES 1, 2 v, t", "SELECT * FROM VALUES 1, 2 v, c.d.t"),
    ("SELECT * FROM f(1) x(a), t y(b), u", "SELECT * FROM c.d.f(1) x(a), c.d.t y(b), c.d.u"),
    (
        "SELECT * FROM t LATERAL VIEW f(x) u AS a, b",
        "SELECT * FROM c.d.t LATERAL VIEW c.d.f(x) u AS a, b",
    ),
    ("SELECT ((SELECT 1 FROM t) + 1)", "SELECT ((SELECT 1 FROM c.d.t) + 1)"),
    ("((SELECT 1) UNION FROM t)", "((SELECT 1) UNION FROM c.d.t)"),
    ("SELECT sort(1), include(2) FROM t", "SELECT c.d.sort(1), c.d.include(2) FROM c.d.t"),
    (
        "SELECT * FROM t WITH ('a' = 'b', c 5) x, u",
        "SELECT * FROM c.d.t WITH ('a' = 'b', c 5) x, c.d.u",
    ),
    (
        "SELECT * FROM t TIMESTAMP AS OF (SELECT max(x) FROM u) "
        "TABLESAMPLE (BUCKET 1 OUT OF 3 ON id)",
        "SELECT * FROM c.d.t TIMESTAMP AS OF (SELECT max(x) FROM c.d.u) "
        "TABLESAMPLE (BUCKET 1 OUT OF 3 ON id)",
    ),
    ("SELECT `f``g`(1), `a b`.F(2)", "SELECT c.d.`f``g`(1), c.`a b`.F(2)"),
    (
        "SELECT overlay(a PLACING f(b) FROM 1) FROM t",
        "SELECT overlay(a PLACING c.d.f(b) FROM 1) FROM c.d.t",
    ),
    ("SELECT f(1), e.f(2), `f`(3)", "SELECT c.d.f(1), c.e.f(2), c.d.f(3)"),
    (
        "SELECT transform(a, (x, y) -> f(x)) AS z FROM t",
        "SELECT transform(a, (x, y) -> c.d.f(x)) AS z FROM c.d.t",
    ),
    (
        "SELECT a FROM t |> DROP b, e |> JOIN u ON x",
        "SELECT a FROM c.d.t |> DROP b, e |> JOIN c.d.u ON x",
    ),
    (
        "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 2 FROM r, s), s AS (FROM r) FROM s",
        "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 2 FROM r, c.d.s), s AS (FROM r) FROM s",
    ),
    (
        "SELECT 1 FROM t WHERE a IN (WITH t AS (TABLE c.e.u) FROM t) AND EXISTS (FROM t)",
        "SELECT 1 FROM c.d.t WHERE a IN (WITH t AS (TABLE c.e.u) FROM t) AND EXISTS (FROM c.d.t)",
    ),
]


@pytest.mark.parametrize("text", SAME)
def test_what_has_no_relative_name_stays_as_it_is(text: str) -> None:
    assert with_full_names(text, ("c", "d")).text == text


@pytest.mark.parametrize(("text", "full"), CASES)
def test_names_are_made_whole(text: str, full: str) -> None:
    found = with_full_names(text, ("c", "d"))
    assert found.text == full
    assert with_full_names(full, ("x", "y")).text == full


def test_what_is_read_and_called_is_told() -> None:
    found = with_full_names("SELECT g(a), abs(b) FROM t JOIN e.t JOIN csv.`/x`", ("c", "d"))
    assert found.tables == (("c", "d", "t"), ("c", "e", "t"))
    assert found.functions == (("c", "d", "g"),)


@pytest.mark.parametrize(
    ("body", "full"),
    [
        ("x + abs(x)", "x + abs(x)"),
        ("f(x) + e.g(x)", "d.f(x) + e.g(x)"),
        ("(SELECT max(a) FROM t WHERE a < x)", "(SELECT max(a) FROM c.d.t WHERE a < x)"),
        ("SELECT max(a) FROM t JOIN e.u", "SELECT max(a) FROM c.d.t JOIN c.e.u"),
        ("WITH t AS (TABLE u) SELECT a FROM t", "WITH t AS (TABLE c.d.u) SELECT a FROM t"),
        ("TABLE t", "TABLE c.d.t"),
        ("VALUES (1)", "VALUES (1)"),
        ("EXISTS (TABLE t)", "EXISTS (TABLE c.d.t)"),
    ],
)
def test_bodies_of_functions(body: str, full: str) -> None:
    assert body_with_full_names(body, ("c", "d")).text == full


def test_tables_alone_and_without_a_catalog() -> None:
    text = "WITH s AS (TABLE t) SELECT f(a), current_database() FROM s, u, e.u"
    assert with_full_tables(text, ("d",)) == (
        "WITH s AS (TABLE d.t) SELECT f(a), current_database() FROM s, d.u, e.u"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("SELECT * FROM IDENTIFIER('t')", "IDENTIFIER"),
        ("SELECT IDENTIFIER('f')(1)", "IDENTIFIER"),
        ("SELECT * FROM STREAM t", "STREAM t"),
        ("SELECT * FROM STREAM(t)", "STREAM"),
        ("SELECT (1", r"\("),
    ],
)
def test_what_cannot_be_told_is_named(text: str, what: str) -> None:
    with pytest.raises(ValidationError, match=what):
        with_full_names(text, ("c", "d"))


def test_names_of_spark(spark: SparkSession) -> None:
    told = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    words = {each for each in told if each.isidentifier()}
    unknown = [each for each in words if not is_system_function(each)]
    assert not unknown, json.dumps(sorted(unknown))
    ours = set(filter(is_system_function, all_built_ins()))
    assert len(ours - words) <= 1
