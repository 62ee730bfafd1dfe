"""SQL expressions in programs: read as Spark reads them, or refused."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources


@pytest.fixture
def sources() -> CatalogSources:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b STRING, c BOOLEAN, d DATE, arr ARRAY<INT>")
    return CatalogSources(env)


READ = {
    "a + 2 * 3": "a + 2 * 3",
    "(a + 2) * 3": "(a + 2) * 3",
    "a - (1 - a)": "a - (1 - a)",
    "NOT a = 1 AND c": "a <> 1 AND c",
    "c OR a = 1 AND a > 0": "c OR a = 1 AND a > 0",
    "CAST(b AS INT)": "CAST(b AS INT)",
    "TRY_CAST(b AS INT)": "TRY_CAST(b AS INT)",
    "b::int": "CAST(b AS INT)",
    "nvl(a, 0)": "nvl(a, 0)",
    "ifnull(a, 0)": "nvl(a, 0)",
    "date_add(d, 1)": "date_add(d, 1)",
    "to_date(b)": "to_date(b)",
    "substr(b, 1, 2)": "substring(b, 1, 2)",
    "a BETWEEN 1 AND 2": "a BETWEEN 1 AND 2",
    "b NOT LIKE 'x%'": "b NOT LIKE 'x%'",
    "a IS NOT NULL": "a IS NOT NULL",
    "a NOT IN (1, 2)": "a NOT IN (1, 2)",
    "arr[0]": "arr[0]",
    "1.50": "1.50",
    "-5": "-5",
    "exists(arr, x -> x > a)": "exists(arr, x -> x > a)",
    "if(c, 1, 2)": "if(c, 1, 2)",
    "CASE a WHEN 1 THEN 'x' END": "CASE WHEN a = 1 THEN 'x' END",
    "b || 'x' || b": "concat(concat(b, 'x'), b)",
    "a & (1 | 2)": "a & (1 | 2)",
    "a = 1 IS NULL": "(a = 1) IS NULL",
    "b NOT ILIKE 'x'": "b NOT ILIKE 'x'",
    "b NOT LIKE 'x' ESCAPE '/'": "b NOT LIKE 'x' ESCAPE '/'",
    "a NOT BETWEEN 1 AND 2": "a NOT BETWEEN 1 AND 2",
    "5L": "5L",
    "2.5D": "2.5D",
    "(a = 1) IS NULL": "(a = 1) IS NULL",
    "x'1f'": "X'1F'",
    "X'123'": "X'0123'",
    "'it''s'": r"'it\'s'",
    "'a' 'b'": "'ab'",
    r"b RLIKE '\\d+'": r"b RLIKE '\\d+'",
    r"r'\d'": r"'\\d'",
    r"'\u0041\101\t'": r"'AA\t'",
    "a IS DISTINCT FROM 1": "a IS DISTINCT FROM 1",
    "CAST(b AS TIME(3))": "CAST(b AS TIME(3))",
    "trim(b)": "trim(b)",
    "trim('x', b)": "trim(BOTH 'x' FROM b)",
    "trim('x' FROM b)": "trim(BOTH 'x' FROM b)",
    "trim(BOTH 'x' || b FROM b)": "trim(BOTH concat('x', b) FROM b)",
    "trim(LEADING 'x' FROM b)": "trim(LEADING 'x' FROM b)",
    "TRIM(TRAILING FROM b)": "rtrim(b)",
    "timestampadd(DAY, 1, d)": "timestampadd(DAY, 1, d)",
    "mask(b, digitChar => '0')": "mask(b, digitChar => '0')",
    "mask(lowerchar => 'q', str => b)": "mask(b, lowerChar => 'q')",
    "variant_set(parse_json(b), val => a, path => '$.a')": "variant_set(parse_json(b), '$.a', a)",
    "sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)": (
        "sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    ),
    "sum(a) over (order by a rows between 1 preceding and current row)": (
        "sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    ),
    "sum(a) over (order by a range between 2 preceding and 1 following)": (
        "sum(a) OVER (ORDER BY a RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    ),
    "a & 1 | 2": "a & 1 | 2",
    "a | 1 + 2": "a | 1 + 2",
    "b || a + 1": "concat(b, a) + 1",
    "TIMESTAMP '2024-01-01 00:00:00'": "CAST('2024-01-01 00:00:00' AS TIMESTAMP)",
    "INTERVAL '1-2' YEAR TO MONTH": "INTERVAL '1-2' YEAR TO MONTH",
    "1.5BD": "1.5",
    "sum(a) over (order by a Rows Unbounded preceding)": (
        "sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    ),
}


@pytest.mark.parametrize("text", READ)
def test_read(text: str, session: Any, sources: CatalogSources):
    tree = capture(session.table("t").selectExpr(f"{text} AS x"), sources=sources)
    assert isinstance(tree, n.Project)
    (item,) = tree.expressions
    assert item.children()[0].as_serializable_string() == READ[text]  # type: ignore[attr-defined]


AGGREGATES = {
    "collect_list(a)": "collect_list(a)",
    "any(a > 1)": "bool_or(a > 1)",
    "collect_list(a) IGNORE NULLS": "collect_list(a) IGNORE NULLS",
    "collect_list(a) RESPECT NULLS": "collect_list(a) RESPECT NULLS",
    "first(a) IGNORE NULLS": "first(a) IGNORE NULLS",
    "first(a) RESPECT NULLS": "first(a)",
    "sum(a) FILTER (WHERE c)": "sum(a) FILTER (WHERE c)",
}


@pytest.mark.parametrize("text", AGGREGATES)
def test_aggregates_read(text: str, session: Any, sources: CatalogSources):
    frame = session.table("t").groupBy(expr("b")).agg(expr(text).alias("x"))
    assert f"\n  {AGGREGATES[text]} AS x\n" in to_sql(capture(frame, sources=sources))


REFUSED = {
    "CAST(arr AS ARRAY<TIME>)": "cannot be cast",
    "sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW)": "cannot begin",
    "sum(a) OVER w": "no window `w`",
    "sum(a) OVER (ORDER BY a ROWS UNBOUNDED PRECEDING EXCLUDE TIES)": "found `EXCLUDE`",
    "a = (1) IN (1)": "cannot be compared",
    "a, b": "the end of the expression",
    "a FROM t": "the end of the expression",
    "a +": "expected an expression",
    "0x1F": "no column `0x1F`",
    "b:x": "not VARIANT",
    "* AS x": "a star has no alias",
    "f(a => 1)": "no function `f`",
    "upper(str => b)": "upper takes no argument by name",
    "mask(b, low => 'x')": "mask has no parameter `low`",
    "mask(b, str => 'x')": "`str` twice",
    "mask(lowerChar => 'x')": "without `str`",
    "mask(lowerChar => 'x', b)": "stands behind one by name",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str, session: Any, sources: CatalogSources):
    with pytest.raises(CaptureError) as caught:
        capture(session.table("t").select(expr(text)), sources=sources)
    assert REFUSED[text] in caught.value.message
    assert caught.value.hint


def expr(text: str) -> Any:
    from pyspark.sql import functions as F

    return F.expr(text)
