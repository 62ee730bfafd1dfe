"""What is not captured over Connect: why, and the way out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.connect import proto
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.dsl import CallExpression, Expression
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.expressions.resolve import resolve
from viewscribe.spark.capture.session_functions import (
    SCALARS,
    SessionFunction,
    python_function,
    python_line,
    python_table_function,
    refusal,
)
from viewscribe.spark.types import from_spark
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    DayTimeIntervalType,
    Field,
    LogicalType,
    MapType,
    StructType,
    TimeType,
    YearMonthIntervalType,
    decimal,
)
from viewscribe.types.policy import session_schema, session_type

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader


Refused = dict[str, tuple[str, str | None]]

_CODE = "what it does is Python code, which SQL text cannot hold"
_STORE = (
    "write the step with DataFrame methods, or store what it gives as a table, "
    "df.write.saveAsTable(…), and start from spark.table(…)"
)

REFUSED_RELATIONS: Refused = {
    "map_partitions": (
        "mapInPandas and mapInArrow run Python code, which SQL text cannot hold", _STORE),
    "group_map": (
        "applyInPandas and applyInArrow run Python code, which SQL text cannot hold", _STORE),
    "co_group_map": ("cogroup runs Python code, which SQL text cannot hold", _STORE),
    "apply_in_pandas_with_state": ("it keeps the state of a stream", _STORE),
    "common_inline_user_defined_table_function": (
        _CODE, "say it in SQL: CREATE FUNCTION … RETURNS TABLE(…) RETURN SELECT …"),
    "common_inline_user_defined_data_source": (_CODE, _STORE),
    "cached_local_relation": (
        "the rows are in the server's cache, too many to be written into a view",
        "save them as a table: df.write.saveAsTable(…)",
    ),
    "chunked_cached_local_relation": (
        "the rows are in the server's cache, too many to be written into a view",
        "save them as a table: df.write.saveAsTable(…)",
    ),
    "cached_remote_relation": (
        "a checkpoint exists in its session only",
        "save it as a table, or capture the DataFrame before the checkpoint",
    ),
    "tail": ("SQL has no last rows", "sort the other way round and use limit()"),
    "parse": ("of CSV or JSON text any number of rows is read, an array of JSON as several",
              "use from_csv() or from_json(), which make one value of each text"),
    "transpose": ("the columns of a transposed table follow from the rows of the moment",
                  "use pivot() with values"),
    "relation_changes": ("changes of a table are no table", "read the table"),
    "crosstab": ("its columns follow from the rows of the moment", "use pivot() with values"),
    "freq_items": ("SQL has no function for its sketch of frequent items", "use approx_top_k()"),
    "extension": ("it is of a plugin of the server", None),
    "ml_relation": ("a model is no part of SQL", _STORE),
}  # fmt: skip
"""Relations that users can make and no view can say."""

UNREACHABLE_RELATIONS = {
    "show_string": "it is made by show(), not by a DataFrame",
    "html_string": "it is made by a notebook's display",
    "cov": "df.cov() gives a number",
    "corr": "df.corr() gives a number",
    "approx_quantile": "df.approxQuantile() gives numbers",
    "catalog": "the methods of spark.catalog give lists",
    "unknown": "no client makes it",
}
"""Relations that no DataFrame holds."""

REFUSED_EXPRESSIONS: Refused = {
    "named_argument_expression": (
        "an argument given by name, as PySpark gives them to Python functions alone",
        "call a function of the catalog, F.call_function(…), with arguments by position",
    ),
    "direct_shuffle_partition_id": (
        "SQL has no partitioning by partition number",
        "use repartition(n, column)",
    ),
    "extension": ("it is of a plugin of the server", None),
}
"""Expressions that users can make and no view can say."""

UNREACHABLE_EXPRESSIONS = {
    "merge_action": "it belongs to MERGE INTO, which is no query",
    "typed_aggregate_expression": "it is made by Scala's Datasets",
}
"""Expressions that no DataFrame of Python holds."""

REFUSED_LITERALS: Refused = {
    "calendar_interval": ("a CALENDAR INTERVAL has no literal in SQL", "use make_interval()"),
    "timestamp_ntz_nanos": ("viewscribe has no type of nanoseconds", "use microseconds"),
    "timestamp_ltz_nanos": ("viewscribe has no type of nanoseconds", "use microseconds"),
}
"""Kinds of literals."""


# What a capture makes of each relation, expression and literal of Spark Connect's protobuf.
#
# One table for all three: docs/capture.md is made of it, the walk takes its refusals from it, and
# tests compare it with the protobuf of the installed PySpark and with the handlers.


class Status(Enum):
    """How far something is covered."""

    SUPPORTED = "supported"
    REFUSED = "refused"
    UNREACHABLE = "not reachable"


class Entry(NamedTuple):
    """How something is covered, and what is to be known of it."""

    status: Status
    note: str


_RELATIONS = {
    "read": "tables by name, with options too; files with the schema that they have",
    "project": "unnamed columns get the names that Spark gives them; lateral aliases; generators",
    "filter": "also by columns and aggregates that are not shown",
    "join": 'every kind; self-joins by `df["a"]` and by alias',
    "set_op": "by position and by name, fields too; INTERSECT and EXCEPT by position",
    "sort": "also by columns and aggregates that are not shown; within partitions as SORT BY",
    "limit": "",
    "aggregate": "groupBy, rollup, cube, grouping sets, pivot with values, time windows",
    "sql": "read into steps, with its parameters, views and frames; else kept as it is",
    "local_relation": "as VALUES, up to 10,000 values; a column without NULL is NOT NULL in SQL",
    "sample": "without replacement; parts of randomSplit by the numbers they draw",
    "offset": "",
    "deduplicate": "as GROUP BY and first(), or by row numbers where columns are NOT NULL",
    "range": "",
    "subquery_alias": "",
    "repartition": "as a hint: REPARTITION, COALESCE",
    "repartition_by_expression": "as a hint; expressions are columns for a moment",
    "to_df": "",
    "with_columns_renamed": "",
    "drop": "",
    "with_columns": "",
    "hint": "",
    "unpivot": "",
    "to_schema": "where a column changes its type as a cast, which needs ANSI",
    "collect_metrics": "as its input: what is observed is no part of the rows",
    "with_watermark": "as its input: a table has no late rows",
    "with_relations": "scalar, EXISTS and IN sub-queries, correlated ones too",
    "unresolved_table_valued_function": "functions of FROM, and generators over one row",
    "lateral_join": "inner, left and cross",
    "as_of_join": "as a lateral join that sorts by the distance and takes the first row",
    "nearest_by_join": "as a lateral join that sorts by the figure; approximate ones are exact",
    "fill_na": "",
    "drop_na": "",
    "replace": "",
    "zip": "of projections of one and the same DataFrame",
    "describe": "as a map of figures for each column, and a row for each figure",
    "summary": "as describe",
    "sample_by": "as a comparison of one random number a row with the fraction of its stratum",
}

_EXPRESSIONS = {
    "literal": "see below",
    "unresolved_attribute": "by name, by alias, and of another DataFrame",
    "unresolved_function": "every function of the registry",
    "expression_string": "read as Spark's grammar has it, sub-queries and arguments by name too",
    "unresolved_star": "",
    "alias": "metadata is left out, for views have none",
    "cast": "with the mode of the settings, or TRY",
    "unresolved_regex": "",
    "sort_order": "",
    "lambda_function": "",
    "window": "all frames",
    "unresolved_extract_value": "",
    "update_fields": "as a named_struct of the fields",
    "unresolved_named_lambda_variable": "",
    "call_function": "",
    "subquery_expression": "scalar, EXISTS, IN",
    "common_inline_user_defined_function": "where a later step drops what it gives; else refused: "
    "register the function in the catalog and call it by its name",
}

_LITERALS = dict.fromkeys(
    (
        "null", "binary", "boolean", "byte", "short", "integer", "long", "float", "double",
        "decimal", "string", "date", "timestamp", "timestamp_ntz", "time", "year_month_interval",
        "day_time_interval", "array", "specialized_array", "map", "struct",
    ),
    "",
)  # fmt: skip


def _table(
    supported: dict[str, str],
    refused: dict[str, tuple[str, str | None]],
    unreachable: dict[str, str],
) -> dict[str, Entry]:
    found = {name: Entry(Status.SUPPORTED, note) for name, note in supported.items()}
    found |= {
        name: Entry(Status.REFUSED, f"{reason}: {hint}" if hint else reason)
        for name, (reason, hint) in refused.items()
    }
    found |= {name: Entry(Status.UNREACHABLE, why) for name, why in unreachable.items()}
    return found


RELATIONS = _table(_RELATIONS, REFUSED_RELATIONS, UNREACHABLE_RELATIONS)
"""Every ``rel_type`` of a ``Relation``."""

EXPRESSIONS = _table(_EXPRESSIONS, REFUSED_EXPRESSIONS, UNREACHABLE_EXPRESSIONS)
"""Every ``expr_type`` of an ``Expression``."""

LITERALS = _table(_LITERALS, REFUSED_LITERALS, {})
"""Every ``literal_type`` of a ``Literal``."""


# Connect's types as ours.


def logical_type(message: Any) -> LogicalType:
    """The type of a ``DataType`` message; nullable, as far as it says nothing of it.

    Raises:
        DataTypeError: a type of the user's own, or one that viewscribe does not know.
    """
    if message.WhichOneof("kind") == "unparsed":
        return session_type(message.unparsed.data_type_string)
    return from_spark(proto_schema_to_pyspark_data_type(message))


# The errors for expressions that no view can hold.


def unknown_expression(kind: str, message: Message) -> CaptureError:
    """The error for an expression that cannot be captured."""
    known = f"an expression of the kind {kind} is not known"
    reason, hint = REFUSED_EXPRESSIONS.get(kind, (known, None))
    return refusal(kind or "expression", reason, hint=hint, origin=message.common.origin)


def python_call(reader: Reader, called: Any, whole: Message) -> Expression:
    """The call of a Python function, which is refused in the end where something reads it.

    Raises:
        CaptureError: it gives no value for each row, or one of a type that is not known here.
    """
    name, kind = called.function_name, called.python_udf.eval_type
    args = returns = types = None
    try:
        returns = logical_type(called.python_udf.output_type)
        args = reader.read_all(called.arguments)
        types = [resolve(each, reader.scope.schema).type for each in args]
    except ViewscribeError:
        pass  # a type that is not known here, or an argument that is refused itself
    reason, hint = python_function(name, kind, returns, types)
    origin = whole.common.origin
    if not python_line(origin):
        origin = reader.walk.program.relations[reader.walk.current].common.origin
    error = refusal(f"user function {name}", reason, hint=hint, origin=origin)
    if args is None or returns is None or kind not in SCALARS:
        raise error
    made = CallExpression(SessionFunction(name, returns, error), args)
    return reader.spelling.call(made, name, args, False)


def table_function(called: Any) -> tuple[str, str]:
    """Why a view cannot call a Python table function, and the way out."""
    columns = None
    if called.python_udtf.HasField("return_type"):
        columns = _columns(called.python_udtf.return_type)
    return python_table_function(called.function_name, columns)


def _columns(message: Any) -> Sequence[Field] | None:
    try:
        if message.WhichOneof("kind") == "unparsed":
            return session_schema(message.unparsed.data_type_string)
        made = logical_type(message)
    except ViewscribeError:
        return None  # a type that is not known here
    return made.fields if isinstance(made, StructType) else None


# Connect's literals as ours: one handler for each kind of literal.

_EPOCH = dt.datetime(1970, 1, 1)
_DAY_ZERO = dt.date(1970, 1, 1)


def literal_of(message: object) -> Literal:
    """The literal of a ``Literal`` message, of the type Spark gives it.

    Raises:
        CaptureError: a kind, or a value, that SQL text cannot hold.
    """
    value, type_ = _read(message)
    return literal(value, type_)


_SINCE_1900 = -2_208_988_800_000_000
"""The microseconds of 1900 as Spark counts them."""


def classic_literal_of(message: Any) -> Literal:
    """The literal as a classic session has it: a DECIMAL of as many digits as the value needs.

    Raises:
        CaptureError: a moment of a time of which PySpark makes another one in classic sessions:
            those count it by the calendar and the zones of ``java.sql.Timestamp``.
    """
    if message.WhichOneof("literal_type") == "timestamp" and message.timestamp < _SINCE_1900:
        raise CaptureError(
            "a Python datetime before 1900 is another moment in a classic session than over Spark "
            "Connect",
            location="literal",
            hint="write it as SQL has it: F.expr(\"TIMESTAMP '1880-01-01 12:00:00'\")",
        )
    if message.WhichOneof("literal_type") == "decimal":
        message = proto.Expression.Literal(
            decimal=proto.Expression.Literal.Decimal(value=message.decimal.value)
        )
    return literal_of(message)


def _read(message: Any) -> tuple[Any, LogicalType]:
    kind = message.WhichOneof("literal_type")
    reader = READERS.get(kind)
    if reader is None:
        reason, hint = REFUSED_LITERALS.get(kind, (f"a literal of the kind {kind}", None))
        raise CaptureError(reason, location="literal", hint=hint)
    try:
        return reader(message)
    except (OverflowError, ValueError) as error:
        raise CaptureError(
            f"a literal of the kind {kind} is outside of what Python can hold: {error}",
            location="literal",
            hint="write it with a cast from text",
        ) from error


def _plain(kind: str, type_: LogicalType) -> Callable[[Any], tuple[Any, LogicalType]]:
    return lambda message: (getattr(message, kind), type_)


def _decimal(message: Any) -> tuple[Any, LogicalType]:
    """Spark takes what the value needs, or more where the message says so."""
    value = Decimal(message.decimal.value)
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(str(value))
    scale = max(-exponent, 0)
    precision = max(len(digits) + max(exponent, 0), scale)
    if message.decimal.HasField("precision"):
        precision = max(precision, message.decimal.precision)
    if message.decimal.HasField("scale"):
        scale = max(scale, message.decimal.scale)
    return value, decimal(max(precision, scale), scale)


def _date(message: Any) -> tuple[Any, LogicalType]:
    return _DAY_ZERO + dt.timedelta(days=message.date), DATE


def _timestamp(message: Any) -> tuple[Any, LogicalType]:
    moment = _EPOCH + dt.timedelta(microseconds=message.timestamp)
    return moment.replace(tzinfo=dt.UTC), TIMESTAMP


def _timestamp_ntz(message: Any) -> tuple[Any, LogicalType]:
    return _EPOCH + dt.timedelta(microseconds=message.timestamp_ntz), TIMESTAMP_NTZ


def _time(message: Any) -> tuple[Any, LogicalType]:
    nano = message.time.nano
    if nano % 1000:
        raise ValueError("nanoseconds")
    precision = message.time.precision if message.time.HasField("precision") else 6
    moment = (_EPOCH + dt.timedelta(microseconds=nano // 1000)).time()
    return moment, TimeType(precision=precision)


_HAS_TYPE = "data_type" in proto.Expression.Literal.DESCRIPTOR.fields_by_name
"""Whether a literal can say its own type: the protobuf of Spark 4.0 has no field for it."""


def _says_its_type(message: Any) -> bool:
    return _HAS_TYPE and bool(message.HasField("data_type"))


def _array(message: Any) -> tuple[Any, LogicalType]:
    items = [_read(item) for item in message.array.elements]
    if _says_its_type(message):
        return [value for value, _ in items], logical_type(message.data_type)
    if message.array.HasField("element_type"):
        element = logical_type(message.array.element_type)
    else:
        element = items[0][1]
    nullable = any(value is None for value, _ in items)
    return [value for value, _ in items], ArrayType(element=element.with_nullability(nullable))


def _specialize(message: Any) -> tuple[Any, LogicalType]:
    kind = message.specialized_array.WhichOneof("value_type")
    values = list(getattr(message.specialized_array, kind).values)
    return values, ArrayType(element=_SPECIALIZED[kind].not_null())


_SPECIALIZED: dict[str, LogicalType] = {
    "bools": BOOLEAN,
    "ints": INT,
    "longs": BIGINT,
    "floats": FLOAT,
    "doubles": DOUBLE,
    "strings": STRING,
}


def _map(message: Any) -> tuple[Any, LogicalType]:
    keys = [_read(item) for item in message.map.keys]
    values = [_read(item) for item in message.map.values]
    pairs = tuple((key[0], value[0]) for key, value in zip(keys, values, strict=True))
    if _says_its_type(message):
        return pairs, logical_type(message.data_type)
    key_type = (
        logical_type(message.map.key_type)
        if keys or message.map.HasField("key_type")
        else keys[0][1]
    )
    value_type = logical_type(message.map.value_type)
    return pairs, MapType(key=key_type.not_null(), value=value_type)


def _struct(message: Any) -> tuple[Any, LogicalType]:
    holder = message.data_type if _says_its_type(message) else message.struct.struct_type
    values = tuple(_read(item)[0] for item in message.struct.elements)
    return values, logical_type(holder)


def _null(message: Any) -> tuple[Any, LogicalType]:
    return None, logical_type(message.null)


READERS: dict[str, Callable[[Any], tuple[Any, LogicalType]]] = {
    "null": _null,
    "binary": _plain("binary", BINARY),
    "boolean": _plain("boolean", BOOLEAN),
    "byte": _plain("byte", TINYINT),
    "short": _plain("short", SMALLINT),
    "integer": _plain("integer", INT),
    "long": _plain("long", BIGINT),
    "float": _plain("float", FLOAT),
    "double": _plain("double", DOUBLE),
    "decimal": _decimal,
    "string": _plain("string", STRING),
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp_ntz,
    "time": _time,
    "year_month_interval": _plain(
        "year_month_interval", YearMonthIntervalType(start="YEAR", end="MONTH")
    ),
    "day_time_interval": lambda message: (
        dt.timedelta(microseconds=message.day_time_interval),
        DayTimeIntervalType(start="DAY", end="SECOND"),
    ),
    "array": _array,
    "specialized_array": _specialize,
    "map": _map,
    "struct": _struct,
}
