"""Functions that are tables. They return a STRUCT of the columns under Spark's names."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import table_function
from viewscribe.expressions.functions.validators import ArgumentType, literal
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    STRING,
    TIMESTAMP,
    LogicalType,
    StructType,
    VoidType,
    array,
    map_of,
    struct,
)


def _table(*columns: tuple[str, LogicalType]) -> StructType:
    return struct(*columns).not_null()


def _not_null(given: LogicalType) -> LogicalType | None:
    return None if isinstance(given, VoidType) else implicit_cast(given, BIGINT)


def _numbers(context: CallContext) -> LogicalType:
    if context.literal(2) == 0:
        raise context.mismatch("the step is not 0")
    return _table(("id", BIGINT.not_null()))


_NUMBER = literal(ArgumentType("BIGINT", _not_null))
_FRAME = struct(("class", STRING), ("method", STRING), ("file", STRING), ("line", STRING))
_EXCEPTION = struct(("class", STRING), ("msg", STRING), ("stacktrace", array(_FRAME)))

RANGE = table_function("""range(_, _?, _?, _?)
    The numbers from a start (0) to before an end, by a step, in a number of partitions.
    since 2.0.0""").where(args=(_NUMBER, _NUMBER, _NUMBER, _NUMBER), returns=_numbers)
SQL_KEYWORDS = table_function("""sql_keywords()
    The keywords of Spark SQL.
    since 3.5.0
    """).where(returns=_table(("keyword", STRING.not_null()), ("reserved", BOOLEAN.not_null())))
COLLATIONS = table_function("""collations()
    The collations of text that Spark has.
    since 4.0.0""").where(
    returns=_table(
        ("CATALOG", STRING.not_null()),
        ("SCHEMA", STRING.not_null()),
        ("NAME", STRING.not_null()),
        ("LANGUAGE", STRING),
        ("COUNTRY", STRING),
        ("ACCENT_SENSITIVITY", STRING.not_null()),
        ("CASE_SENSITIVITY", STRING.not_null()),
        ("PAD_ATTRIBUTE", STRING.not_null()),
        ("ICU_VERSION", STRING),
    )
)
PYTHON_WORKER_LOGS = table_function("""python_worker_logs()
    What Python workers logged, where `spark.sql.pyspark.worker.logging.enabled`.
    since 4.1.0, random""").where(
    returns=_table(
        ("ts", TIMESTAMP),
        ("level", STRING),
        ("msg", STRING),
        ("context", map_of(STRING.not_null(), STRING)),
        ("exception", _EXCEPTION),
        ("logger", STRING),
    )
)
