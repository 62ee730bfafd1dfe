"""A pipeline captured in all three ways: over Connect, recorded, and from the analyzed plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viewscribe as vs
from tests.spark.helpers import rows
from tests.versions import RUNNING, skip_newer
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.capture.sources import SessionSources
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

Pipeline = Callable[[Any], Any]

WAYS = ("connect", "record", "classic")


class Ways:
    """Captures pipelines.

    Args:
        spark: the classic session.
        planner: makes classic DataFrames of Connect's relations.
        offline: a Connect session without a server.
    """

    def __init__(self, spark: SparkSession, planner: Planner, offline: OfflineSession) -> None:
        self.spark = spark
        self._planner = planner
        self._offline = offline

    def connect(self, pipeline: Pipeline) -> Any:
        """The pipeline's Connect DataFrame."""
        from tests.spark.capture.conftest import connect_mode

        with connect_mode(self._offline):
            return pipeline(self._offline)

    def planned(self, df: Any) -> DataFrame:
        """What a Connect server makes of a Connect DataFrame."""
        return self._planner.frame(df._plan.plan(df._session.client))

    def over_connect(self, df: Any) -> QueryOperation:
        """The tree of a Connect DataFrame."""
        return capture(df, sources=SessionSources(self.spark))

    def recorded(self, pipeline: Pipeline) -> QueryOperation:
        """The tree of the pipeline, recorded."""
        return vs.record(pipeline, self.spark).operation

    def analyzed(self, frame: DataFrame) -> QueryOperation:
        """The tree of a classic DataFrame."""
        return capture_classic(frame)


def columns(frame: DataFrame) -> list[tuple[str, Any]]:
    """Names and types, with what may be NULL."""
    return [(field.name, field.type) for field in schema_from_spark(frame.schema)]


def multiset(frame: DataFrame) -> Counter[Any]:
    """The rows in canonical form."""
    return Counter(rows(frame))


def assert_same(original: DataFrame, tree: QueryOperation) -> None:
    """Asserts that the texts and the DataFrame of a tree have the columns and rows of another."""
    spark = original.sparkSession
    expected, found = columns(original), multiset(original)
    skip_newer(tree)
    texts = dict.fromkeys(to_sql(tree, style, target=RUNNING) for style in ("readable", "nested"))
    for frame in [*map(spark.sql, texts), to_dataframe(tree, spark)]:
        assert columns(frame) == expected
        assert multiset(frame) == found


def bytes_of(frame: DataFrame) -> Counter[str]:
    """The rows as Spark holds them: equal ones are equal, but not all that are equal look so."""
    java: Any = frame
    return Counter(
        str(row.toString()) for row in java._jdf.queryExecution().executedPlan().executeCollect()
    )
