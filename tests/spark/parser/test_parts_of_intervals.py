"""The units that extract finds in an interval are those that Spark finds."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.types import DayTimeIntervalType, YearMonthIntervalType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS = (YearMonthIntervalType, DayTimeIntervalType)


def test_units_lie_within_the_interval(spark: SparkSession) -> None:
    env = TableEnvironment()
    for kind in KINDS:
        for start, end in combinations_with_replacement(kind.units, 2):
            for unit in (*KINDS[0].units, *KINDS[1].units):
                query = (
                    f"SELECT extract({unit} FROM CAST(NULL AS {kind(start=start, end=end).ddl}))"
                )
                try:
                    spark.sql(query)
                    taken = True
                except AnalysisException:
                    taken = False
                try:
                    env.sql_query(query)
                    found = True
                except ViewscribeError:
                    found = False
                assert found is taken, query
