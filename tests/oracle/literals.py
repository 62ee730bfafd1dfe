"""Spark's literals as literals of the DSL."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql.types import _parse_datatype_json_value

from tests.oracle.errors import NotRebuiltError
from tests.oracle.parsing import SparkNode
from viewscribe import lit
from viewscribe.expressions.dsl import Expression
from viewscribe.spark.types import from_spark
from viewscribe.types import LogicalType

_EPOCH = dt.datetime(1970, 1, 1)


def literal(node: SparkNode) -> Expression:
    """A literal of the same value and type."""
    value, type_ = node.values["value"], node.values["dataType"]
    if value is None:
        return lit(None) if type_ == "void" else lit(None, logical_type(type_))
    if type_ == "binary":
        return lit(node.values["left_out"])
    read = _READERS.get(type_.partition("(")[0].partition(" ")[0])
    if read is None:
        raise NotRebuiltError(f"a literal of the type {type_}")
    made = logical_type(type_)
    return lit(read(value, made), made)


def logical_type(document: Any) -> LogicalType:
    """The type that Spark's JSON says."""
    try:
        return from_spark(_parse_datatype_json_value(document))
    except Exception as error:
        raise NotRebuiltError(f"the type {document}: {error}") from error


def _moment(text: str, type_: LogicalType) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def _local_moment(text: str, type_: LogicalType) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=int(text))


def _interval(text: str, type_: LogicalType) -> Any:
    months = "MONTH" in type_.ddl or "YEAR" in type_.ddl
    return int(text) if months else dt.timedelta(microseconds=int(text))


_READERS: dict[str, Callable[[str, LogicalType], Any]] = {
    "boolean": lambda text, type_: text == "true",
    **dict.fromkeys(("byte", "short", "integer", "long"), lambda text, type_: int(text)),
    **dict.fromkeys(("float", "double"), lambda text, type_: float(text)),
    "decimal": lambda text, type_: Decimal(text),
    "string": lambda text, type_: text,
    "date": lambda text, type_: dt.date.fromisoformat(text),
    "time": lambda text, type_: dt.time.fromisoformat(text),
    "timestamp": _moment,
    "timestamp_ntz": _local_moment,
    "interval": _interval,
}
