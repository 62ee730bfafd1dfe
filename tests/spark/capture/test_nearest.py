"""Joins with the nearest rows: their text, what Spark does not read, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.spark.capture.ways import multiset
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.capture.sources import CatalogSources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def sources() -> CatalogSources:
    env = vs.TableEnvironment()
    env.create_table("trades", "id INT NOT NULL, at TIMESTAMP, stock STRING")
    env.create_table("quotes", "at TIMESTAMP, stock STRING, price DOUBLE")
    return CatalogSources(env)


def test_the_text_sorts_by_the_distance_and_takes_one(session: Any, sources: CatalogSources):
    trades, quotes = session.table("trades"), session.table("quotes")
    df = trades._joinAsOf(quotes, trades["at"], quotes["at"], on="stock", direction="nearest")
    assert to_sql(capture(df.select("id", "price"), sources=sources)) == (
        "SELECT\n"
        "  id,\n"
        "  price\n"
        "FROM spark_catalog.default.trades\n"
        "JOIN LATERAL (\n"
        "  SELECT\n"
        "    at,\n"
        "    stock,\n"
        "    price,\n"
        "    if(trades.at > at, trades.at - at, at - trades.at) AS distance\n"
        "  FROM spark_catalog.default.quotes\n"
        "  WHERE trades.stock = stock\n"
        "    AND trades.at IS NOT NULL\n"
        "    AND at IS NOT NULL\n"
        "  ORDER BY distance\n"
        "  LIMIT 1\n"
        ") AS quotes_limited"
    )


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        ("SELECT min_by(struct(*), l.id - r.id) AS found FROM range(3) r", "MIXED_OUTER_LOCAL"),
        ("SELECT r.id FROM range(3) r ORDER BY l.id - r.id LIMIT 1", "CORRELATED_REFERENCE"),
    ],
)
def test_shorter_texts_are_none_that_spark_reads(inner: str, reason: str, spark: SparkSession):
    """What the distance is a column for: once Spark reads one of these, the text can be shorter."""
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match=reason):
        spark.sql(f"SELECT * FROM range(2) l JOIN LATERAL ({inner}) AS nearest")


@pytest.mark.skipif(before("4.3"), reason="ASOF JOIN came with Spark 4.3")
def test_the_text_of_an_as_of_join_is_captured_too(spark: SparkSession):
    left = "(SELECT id, id * 3 AS at FROM range(5)) AS l"
    right = "(SELECT id * 4 AS at, id AS price FROM range(1, 4)) AS r"
    spark.conf.set("spark.sql.join.asofJoin.enabled", "true")
    try:
        frame = spark.sql(
            f"SELECT * FROM {left} LEFT ASOF JOIN {right} MATCH_CONDITION (l.at > r.at)"
        )
        expected, tree = multiset(frame), capture_classic(frame)
    finally:
        spark.conf.unset("spark.sql.join.asofJoin.enabled")
    text = to_sql(tree)
    assert "LEFT JOIN LATERAL" in text
    assert multiset(spark.sql(text)) == expected
    assert len(expected) == 5


def by_chance(trades: Any, quotes: Any) -> Any:
    from pyspark.sql import functions as F

    return trades.nearestByJoin(quotes, F.rand(3), 1, "approx", "distance")


def by_a_subquery(trades: Any, quotes: Any) -> Any:
    from pyspark.sql import functions as F

    last = quotes.agg(F.max("price")).scalar()
    return trades._joinAsOf(quotes, trades["at"], quotes["at"], on=quotes["price"] < last)


def of_another_kind(trades: Any, quotes: Any) -> Any:
    return trades._joinAsOf(quotes, "at", "at", how="full")


def in_another_direction(trades: Any, quotes: Any) -> Any:
    return trades._joinAsOf(quotes, "at", "at", direction="sideways")


REFUSED: dict[Callable[[Any, Any], Any], tuple[str, str]] = {
    by_chance: ("by chance", "rows say"),
    by_a_subquery: ("sub-query", "withColumn()"),
    of_another_kind: ("kind full", "inner and left"),
    in_another_direction: ("direction sideways", "backward"),
}


@pytest.mark.parametrize("join", REFUSED, ids=lambda join: join.__name__)
def test_refused(join: Callable[[Any, Any], Any], session: Any, sources: CatalogSources):
    if join is by_chance and before("4.2"):
        pytest.skip("nearestByJoin() came with Spark 4.2")
    reason, way_out = REFUSED[join]
    with pytest.raises(CaptureError) as caught:
        capture(join(session.table("trades"), session.table("quotes")), sources=sources)
    assert reason in caught.value.message
    assert way_out in (caught.value.hint or "")


def test_refused_in_a_correlated_query(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    trades, quotes = session.table("trades").alias("t"), session.table("quotes").alias("q")
    near = quotes.where(F.col("q.stock") == F.col("t.stock").outer())
    inner = session.table("trades")._joinAsOf(near, "at", "at").select("price").limit(1)
    with pytest.raises(CaptureError, match="refers to the query around"):
        capture(trades.select("id", inner.scalar().alias("price")), sources=sources)
