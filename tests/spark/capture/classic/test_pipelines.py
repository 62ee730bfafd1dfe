"""Classic DataFrames: the captured tree, its texts and its interpretation against the original."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.pipelines.listing import pipelines
from tests.spark.helpers import rows
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs

PIPELINES = pipelines()


def columns(frame: DataFrame) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in schema_from_spark(frame.schema)]


@pytest.mark.parametrize("name", PIPELINES)
def test_the_captured_tree_is_the_dataframe(
    name: str, spark: SparkSession, world: vs.TableEnvironment
):
    original = PIPELINES[name](spark)
    tree = capture_classic(original)
    expected, wanted = columns(original), Counter(rows(original))
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    frames = {
        "readable": spark.sql(to_sql(tree)),
        "nested": spark.sql(to_sql(tree, style="nested")),
        "interpreted": to_dataframe(tree, spark),
    }
    for frame in frames.values():
        assert columns(frame) == expected
        assert Counter(rows(frame)) == wanted
