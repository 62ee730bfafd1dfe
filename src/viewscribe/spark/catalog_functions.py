"""Functions that catalogs of the session have themselves: ``lake.system.bucket(16, id)``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.of_catalogs import asked_function, iceberg_function
from viewscribe.expressions.functions.user_defined import NAMESPACE, ToldCall, UserFunction
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.types import from_spark
from viewscribe.types import LogicalType
from viewscribe.types.identifiers import quote_name

_ICEBERG = (
    "org.apache.iceberg.spark.SparkCatalog",
    "org.apache.iceberg.spark.SparkSessionCatalog",
)


def require_catalog_function(function: UserFunction, spark: SparkSession) -> None:
    """Passes where the session has the function. There is nothing to register.

    Raises:
        FunctionRegistrationError: it has none, or one of another kind.
    """
    catalog, name = function.identifier.parts[0], quote_name(function.identifier.parts)
    try:
        with silence_errors():
            known = spark.catalog.functionExists(name)
    except SPARK_ERRORS as error:
        known, why = False, f": {first_line(error)}"
    else:
        why = ""
    if not known:
        raise FunctionRegistrationError(
            f"the session has no function {name}{why}",
            hint=f"configure the catalog that has it in the session: spark.sql.catalog.{catalog}",
        )
    _require_kind(function, spark)


def _require_kind(function: UserFunction, spark: SparkSession) -> None:
    """Rejects a function that was declared as of another kind than the session has it."""
    if function.source.parameters is None:  # for arguments of any types, nobody can be asked
        return
    call = _call(
        quote_name(function.identifier.parts), [each.type for each in function.source.parameters]
    )
    if function.kind is FunctionKind.AGGREGATE:
        is_other = not _aggregates(call, spark) and _is_taken(f"SELECT {call}", spark)
        kind, declared = "a scalar function", "without AGGREGATE"
    else:
        is_other, kind, declared = _aggregates(call, spark), "an aggregate", "RETURNS … AGGREGATE"
    if is_other:
        raise FunctionRegistrationError(
            f"in the session {function!r} is {kind}, and it was declared otherwise",
            hint=f"declare it again, {declared}, and build what calls it again",
        )


def find_catalog_function(parts: Sequence[str], spark: SparkSession) -> UserFunction | None:
    """Returns the function that a catalog of the session has under a name; None where none has.

    Args:
        parts: catalog, namespace and name, or catalog and name as Iceberg allows.
        spark: the session.
    """
    home, *inner = parts
    if not inner or not (spark.conf.get(f"spark.sql.catalog.{home}", None) is not None):
        return None
    if spark.conf.get(f"spark.sql.catalog.{home}") in _ICEBERG:
        known = iceberg_function(parts if len(parts) != 2 else (home, NAMESPACE, *inner))
        if known is not None:
            return known
    if len(parts) != 3 or not _has(quote_name(parts), spark):
        return None
    return asked_function(parts, partial(_ask, quote_name(parts), spark))


def _has(name: str, spark: SparkSession) -> bool:
    try:
        with silence_errors():
            return spark.catalog.functionExists(name)
    except SPARK_ERRORS:
        return False


def _ask(name: str, spark: SparkSession, types: Sequence[LogicalType]) -> ToldCall:
    """Returns what the session says of a call with arguments of some types."""
    call = _call(name, types)
    try:
        with silence_errors():
            frame = run_as_written(spark, f"SELECT {call}")
            returns = from_spark(frame.schema[0].dataType).as_nullable()
    except SPARK_ERRORS as error:
        raise CaptureError(
            f"Spark does not tell the type that {name} gives: {first_line(error)}",
            location="call",
            hint="cast its arguments to what it takes",
        ) from error
    if _is_taken(f"SELECT 1 FROM {_ROW} AS a JOIN {_ROW} AS b ON {call} IS NULL", spark):
        return ToldCall(returns, True)  # no aggregate, no function of chance is taken there
    if _aggregates(call, spark):
        certain = not is_classic(spark) or _says_deterministic(frame)
        return ToldCall(returns, certain, FunctionKind.AGGREGATE)
    return ToldCall(returns, False)


def _call(name: str, types: Sequence[LogicalType]) -> str:
    return f"{name}({', '.join(f'CAST(NULL AS {each.ddl})' for each in types)})"


def _aggregates(call: str, spark: SparkSession) -> bool:
    return _is_taken(f"SELECT {call} FILTER (WHERE true)", spark)


def _is_taken(query: str, spark: SparkSession) -> bool:
    """Whether the analyzer takes a query."""
    try:
        with silence_errors():
            _ = run_as_written(spark, query).schema
    except SPARK_ERRORS:
        return False
    return True


def _says_deterministic(frame: Any) -> bool:
    """Whether an aggregate, alone in a frame, says so of itself; Spark's analyzer does not ask."""
    call = frame._jdf.queryExecution().analyzed().expressions().apply(0).child()
    return bool(call.aggregateFunction().aggrFunc().isDeterministic())


_ROW = "(SELECT 1 AS one)"
