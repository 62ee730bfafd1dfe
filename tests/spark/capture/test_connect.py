"""Pipelines over Connect: Spark's own DataFrame against the captured tree, its text and its rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.pipelines.listing import pipelines
from tests.spark.helpers import rows
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


def columns(frame: DataFrame) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in schema_from_spark(frame.schema)]


@pytest.mark.parametrize("name", PIPELINES)
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
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    assert columns(text) == expected
    assert columns(interpreted) == expected
    wanted = Counter(rows(original))
    assert Counter(rows(text)) == wanted
    assert Counter(rows(interpreted)) == wanted
    # A catalog alone gives the same tree.
    assert (
        capture(df, sources=CatalogSources(world))
        .as_summary_string()
        .replace("default.world", "spark_catalog.world")
        == tree.as_summary_string()
    )
