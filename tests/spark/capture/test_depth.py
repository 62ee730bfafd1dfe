"""Long programs are captured without recursion, and in a time that grows with their length."""

from __future__ import annotations

import time
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
    started = time.perf_counter()
    tree = capture(df, sources=sources)
    assert time.perf_counter() - started < 4
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


def test_a_condition_too_deep_for_pyspark(session: Any, sources: CatalogSources):
    """PySpark itself cannot send such an expression."""
    from pyspark.sql import functions as F

    condition = F.col("a") == 0
    for number in range(200):
        condition = condition | (F.col("a") == number)
    with pytest.raises(CaptureError, match="nested too deeply"):
        capture(session.table("t").filter(condition), sources=sources)
