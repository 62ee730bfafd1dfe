"""What random pipelines count as wrong, and what is Spark's own fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spark.capture.generated import world
from tests.spark.capture.generated.outcomes import outcome_of
from tests.spark.capture.generated.programs import Program
from tests.spark.capture.generated.runs import Failure, own_failure, rows_or_failure
from tests.spark.capture.ways import Ways

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

OVER_A_UNION = (
    "df1 = spark.range(0, 6, 1, 1).select('id', (F.col('id') % 3).alias('k'))",
    "df2 = spark.createDataFrame([(1, 'a'), (2, None), (None, 'b')], 'id INT, dept STRING')",
    "df3 = df1.join(df2, ['id'])",
    "df4 = df3.unionByName(df3.select('id'), allowMissingColumns=True).alias('outer')",
    "df5 = spark.table('small.depts').alias('inner')",
    "df6 = df5.where(F.col('inner.head') == F.col('outer.id').outer()).select(F.count('*'))",
    "df7 = df4.withColumn('n', df6.scalar())",
)
"""A sub-query over a union of a frame with itself, for which Spark 4.3 finds no plan."""


@pytest.fixture
def ways(spark: SparkSession, planner: Planner, offline: OfflineSession) -> Ways:
    world.create(spark)
    return Ways(spark, planner, offline)


def test_what_spark_cannot_run_itself_is_neither_equal_nor_wrong(ways: Ways) -> None:
    program = Program(OVER_A_UNION, "df7")
    failure = rows_or_failure(ways.planned(ways.connect(program)))
    if not isinstance(failure, Failure):
        pytest.skip("this Spark runs it")
    assert failure == Failure("", "java.util.NoSuchElementException")
    outcome = outcome_of(program, ways)
    assert not outcome.wrong
    assert outcome.ways["connect"] == "Spark's optimizer fails over the DataFrame itself"


def test_a_failure_that_the_program_asked_for_is_compared(ways: Ways) -> None:
    fails = ways.spark.table("small.people").selectExpr("id DIV (id - id)")
    failure = rows_or_failure(fails)
    assert isinstance(failure, Failure)
    assert failure.condition == "DIVIDE_BY_ZERO"
    assert own_failure(fails, failure) is None


def test_a_failure_that_does_not_come_again_is_no_proof(ways: Ways) -> None:
    runs = ways.spark.table("small.people").select("id")
    assert own_failure(runs, Failure("", "java.lang.NullPointerException")) is None
    assert own_failure(runs, Failure("INTERNAL_ERROR", "x")) is None


@pytest.mark.parametrize(
    ("condition", "own"),
    [
        ("", True),
        ("INTERNAL_ERROR", True),
        ("INTERNAL_ERROR_ATTRIBUTE_NOT_FOUND", True),
        ("PLAN_VALIDATION_FAILED_RULE_IN_BATCH", True),
        ("CAST_INVALID_INPUT", False),
        ("ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", False),
    ],
)
def test_whose_fault_a_failure_is(condition: str, own: bool) -> None:
    assert Failure(condition, "org.apache.spark.SparkException").is_own is own
