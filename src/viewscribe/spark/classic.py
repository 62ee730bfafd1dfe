"""What only a classic PySpark has: a thin client of Connect has neither Java nor its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, SparkSession

if TYPE_CHECKING:
    from py4j.protocol import Py4JError, Py4JJavaError
else:
    try:
        from py4j.protocol import Py4JError, Py4JJavaError
    except ModuleNotFoundError:

        class Py4JError(Exception):
            """Raised by nobody."""

        class Py4JJavaError(Py4JError):
            """Raised by nobody."""


def column_of(java: Any) -> Column:
    """Returns a column of Java's as one of Python's."""
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(java)


def frame_of(java: Any, spark: SparkSession) -> DataFrame:
    """Returns a DataFrame of Java's as one of Python's."""
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    return ClassicDataFrame(java, spark)


__all__ = ["Py4JError", "Py4JJavaError", "column_of", "frame_of"]
