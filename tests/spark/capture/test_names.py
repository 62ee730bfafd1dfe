"""How Spark calls a column that nobody named, for a call of every function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

import viewscribe as vs
from tests.corpus import chosen
from tests.expressions.functions.matrix import GROUPS, Question, questions
from tests.expressions.functions.palette import SCHEMA
from tests.versions import has_type
from viewscribe.errors import CaptureError
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession

_CALLS = 3
"""How many calls of a function are looked at."""


@pytest.fixture(scope="module")
def palette(spark: SparkSession) -> Iterator[CatalogSources]:
    before = spark.conf.get("spark.sql.timeType.enabled", None)
    spark.conf.set("spark.sql.timeType.enabled", "true")
    fields = [field for field in SCHEMA.fields if has_type(field.type)]
    spark.createDataFrame([], schema_to_spark(fields)).createOrReplaceTempView("palette")
    env = vs.TableEnvironment()
    columns = [f"`{field.name}` {field.type.as_nullable().ddl}" for field in fields]
    env.create_table("palette", ", ".join(columns))
    yield CatalogSources(env)
    spark.catalog.dropTempView("palette")
    if before is None:
        spark.conf.unset("spark.sql.timeType.enabled")
    else:
        spark.conf.set("spark.sql.timeType.enabled", before)


def _few_of_each(group: str) -> list[Question]:
    found: dict[str, list[Question]] = {}
    for question in questions(group):
        if len(found.setdefault(question.name, [])) < _CALLS and question.ours() is not None:
            found[question.name].append(question)
    return chosen([question for each in found.values() for question in each], 12)


@pytest.mark.parametrize("group", GROUPS)
def test_columns_are_called_as_spark_calls_them(
    group: str, spark: SparkSession, offline: OfflineSession, palette: CatalogSources
):
    named, wrong = 0, []
    for question in _few_of_each(group):
        frame: Any = offline.table("palette").selectExpr(question.text)
        try:
            found = capture(frame, sources=palette).schema.names
        except CaptureError:
            continue  # what is refused has no name
        try:
            wanted = tuple(spark.sql(f"SELECT {question.text} FROM palette").columns)
        except AnalysisException:
            continue  # a function of FROM alone
        named += 1
        if found != wanted:
            wrong.append((question.text, wanted, found))
    assert not wrong
    assert named or group in ("joined", "tables")
