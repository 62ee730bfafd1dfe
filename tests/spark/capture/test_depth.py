"""Long programs are captured without recursion, and in a time that grows with their length."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources


@pytest.fixture
def sources() -> CatalogSources:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b STRING")
    return CatalogSources(env)


def test_a_thousand_columns(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    df = session.table("t")
    for number in range(1000):
        df = df.withColumn(f"c{number}", F.col("a") + number)
    tree = capture(df, sources=sources)
    assert len(tree.schema) == 1002
    assert "a + 999 AS c999" in to_sql(tree)


def test_a_thousand_filters(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    df = session.table("t")
    for number in range(1000):
        df = df.filter(F.col("a") != number)
    tree = capture(df, sources=sources)
    assert to_sql(tree).count("<>") == 1000


def test_unions_of_five_hundred(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    df = session.table("t")
    for number in range(500):
        df = df.union(session.table("t").withColumn("b", F.lit(str(number))))
    tree = capture(df, sources=sources)
    assert to_sql(tree).count("UNION ALL") == 500


def test_a_condition_deeper_than_protobuf_allows(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    condition = F.col("a") == 0
    for number in range(1, 400):
        condition = condition | (F.col("a") == number)
    tree = capture(session.table("t").filter(condition), sources=sources)
    text = to_sql(tree)
    assert text.count(" OR ") == 399
    assert [text.index(f"a = {number}") for number in (0, 170, 399)] == sorted(
        text.index(f"a = {number}") for number in (0, 170, 399)
    )


def test_a_sum_deeper_than_protobuf_allows(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    total = F.lit(0)
    for number in range(300):
        total = total + F.when(F.col("a") > number, F.col("a")).otherwise(number)
    df = session.table("t").withColumn("total", total).filter(total > 5)
    text = to_sql(capture(df.select("total"), sources=sources))
    for number in (0, 150, 299):
        assert f"WHEN a > {number} THEN a ELSE {number} END" in text


def test_a_deep_column_without_a_name(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    total = F.lit(0)
    for number in range(400):
        total = total + number
    with pytest.raises(CaptureError, match="too deeply to be named"):
        capture(session.table("t").select(total), sources=sources)


def test_what_hundreds_of_steps_left_out(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    df = session.table("t")
    for number in range(300):
        df = df.withColumn("a", F.col("a") + number)
    found = to_sql(capture(df.select("a").select("a").orderBy("b"), sources=sources))
    assert found.endswith("ORDER BY b")
    with pytest.raises(CaptureError, match="no column `c`"):
        capture(df.select("a").orderBy("c"), sources=sources)
