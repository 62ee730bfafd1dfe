"""What queries give, many of them in one task: their rows, or the error they end with."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.core.rdd import RDD
from pyspark.serializers import NoOpSerializer

from viewscribe.spark.session import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Outcome = str
"""The rows as text, in which NaN equals NaN and 1 differs from 1.0; or the error's condition."""

_CONDITION = re.compile(r"\[([A-Z][A-Z_0-9.]+)\]")
_END = "end of a query"


def outcomes(spark: SparkSession, frames: Sequence[Any]) -> list[Outcome]:
    """What each of Spark's data frames gives."""
    planned = [_planned(frame) for frame in frames]
    running = iter(_run(spark, [rows for rows in planned if not isinstance(rows, str)]))
    return [rows if isinstance(rows, str) else next(running) for rows in planned]


def _planned(frame: Any) -> Any:
    """The rows to come, pickled; or the error: Spark computes constants while it plans."""
    try:
        return frame.javaToPython()
    except Exception as error:
        return _condition(error)


def _run(spark: SparkSession, queries: Sequence[Any]) -> list[Outcome]:
    """Halves what fails until the query that does stands alone."""
    try:
        return _collected(spark, queries)
    except Exception as error:
        if len(queries) == 1:
            return [_condition(error)]
    half = len(queries) // 2
    return _run(spark, queries[:half]) + _run(spark, queries[half:])


def _collected(spark: SparkSession, queries: Sequence[Any]) -> list[Outcome]:
    """The rows of all, from one task that computes one query after the other."""
    if not queries:
        return []
    context: Any = spark.sparkContext
    gateway = context._gateway
    parts = gateway.new_array(gateway.jvm.org.apache.spark.api.java.JavaRDD, 2 * len(queries))
    end = gateway.jvm.SerDe.javaToPython(context._jsc.parallelize([_END], 1))
    for place, query in enumerate(queries):
        parts[2 * place], parts[2 * place + 1] = query, end
    together = context._jsc.union(parts).coalesce(1)
    return _split(RDD(together, context, NoOpSerializer()).collect())


def _split(batches: Sequence[bytes]) -> list[Outcome]:
    found: list[Outcome] = []
    current: list[Any] = []
    for batch in batches:
        rows = list(_Unpickler(io.BytesIO(batch)).load())
        if rows == [_END]:
            found.append(repr(current))
            current = []
        else:
            current += rows
    return found


class _Unpickler(pickle.Unpickler):
    """Reads rows as tuples of the values that Spark sends, without names or conversions."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "_parse_datatype_json_string":
            return str
        if name == "_create_row_inbound_converter":
            return _as_sent
        return super().find_class(module, name)


def _as_sent(schema: str) -> Callable[..., tuple[Any, ...]]:
    return lambda *values: values


def _condition(error: Exception) -> Outcome:
    condition = _CONDITION.search(str(error))
    return f"the error {condition[1] if condition else first_line(error)}"
