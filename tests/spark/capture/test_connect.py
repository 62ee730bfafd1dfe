"""Pipelines over Connect: the DataFrame against the captured tree, its text and its rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.corpus import chosen
from tests.spark.capture.pipelines.listing import pipelines
from tests.spark.helpers import rows
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources, SessionSources
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs
    from tests.spark.capture.planner import Planner

PIPELINES = pipelines()

NULLABLE = {
    "basics.literals_beyond_numbers": "double('NaN') is a conversion, which Spark takes for one "
    "that may fail",
}
"""Where the text says that there may be NULL and the DataFrame says that there is none, and why."""

ONLY_SPARK = {f"texts.whole_query{which}" for which in ("", "_further", "_with_steps")} | {
    "texts.moments",
    "texts.queries_inside",
    "texts.temporary_views",
}
"""Which a catalog alone does not tell the meaning of."""


def columns(frame: DataFrame) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in schema_from_spark(frame.schema)]


@pytest.mark.parametrize("name", chosen(PIPELINES, 8))
def test_the_captured_tree_is_the_dataframe(
    name: str,
    spark: SparkSession,
    world: vs.TableEnvironment,
    planner: Planner,
    recorded: Callable[[Callable[[Any], Any]], Any],
):
    df = recorded(PIPELINES[name])
    original = planner.frame(df._plan.plan(df._session.client))
    tree = capture(df, sources=SessionSources(spark))
    text = spark.sql(to_sql(tree))
    interpreted = to_dataframe(tree, spark)
    expected = columns(original)
    if name in NULLABLE:
        expected = [(column, type_.as_nullable()) for column, type_ in expected]
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    assert columns(text) == expected
    assert columns(interpreted) == expected
    wanted = Counter(rows(original))
    assert Counter(rows(text)) == wanted
    assert Counter(rows(interpreted)) == wanted
    if name in ONLY_SPARK:
        with pytest.raises(CaptureError, match=r"only known to Spark|no view or table|time zone"):
            capture(df, sources=CatalogSources(world))
        return
    # A catalog alone gives the same tree.
    assert (
        capture(df, sources=CatalogSources(world))
        .as_summary_string()
        .replace("default.world", "spark_catalog.world")
        == tree.as_summary_string()
    )
