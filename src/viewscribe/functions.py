"""Every Spark built-in under its Spark name, with PySpark's argument order.

    from viewscribe import functions as F

    F.upper(col("name"))
    F.upper("name")                      # a plain string is a column, as in PySpark …
    F.date_format("day", "yyyy-MM")      # … except where it can only be a text
    F.transform("tags", lambda tag: F.upper(tag))

Functions are created from the registry of definitions on first use. Only those whose PySpark
signature differs from the SQL one are written out here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from viewscribe.errors import did_you_mean
from viewscribe.expressions import constructors, python_formats, python_timestamps
from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    Operand,
    SortExpression,
    column_or,
    operand,
    round_,
)
from viewscribe.expressions.functions.builtin import operators
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins, built_in, find_built_in
from viewscribe.expressions.python_calls import default, place_arguments, python_call_of
from viewscribe.expressions.python_calls import python_call as _call
from viewscribe.types.arguments import require_text

col = column = constructors.col
lit = constructors.lit
from_avro = python_formats.from_avro
from_csv = python_formats.from_csv
from_json = python_formats.from_json
from_protobuf = python_formats.from_protobuf
from_xml = python_formats.from_xml
make_interval = python_timestamps.make_interval
make_timestamp = python_timestamps.make_timestamp
make_timestamp_ntz = python_timestamps.make_timestamp_ntz
schema_of_avro = python_formats.schema_of_avro
schema_of_csv = python_formats.schema_of_csv
schema_of_json = python_formats.schema_of_json
schema_of_xml = python_formats.schema_of_xml
to_avro = python_formats.to_avro
to_csv = python_formats.to_csv
to_json = python_formats.to_json
to_protobuf = python_formats.to_protobuf
to_xml = python_formats.to_xml
try_make_interval = python_timestamps.try_make_interval
try_make_timestamp = python_timestamps.try_make_timestamp
try_make_timestamp_ntz = python_timestamps.try_make_timestamp_ntz
try_variant_set = python_formats.try_variant_set
variant_set = python_formats.variant_set
variant_strip_nulls = python_formats.variant_strip_nulls

_OPERATORS = frozenset(
    id(value) for value in vars(operators).values() if isinstance(value, FunctionDefinition)
)
_SPARK_NAMES_OF_OPERATORS = frozenset(
    {
        "bitwise_not",
        "div",
        "equal_null",
        "ilike",
        "isnotnull",
        "isnull",
        "like",
        "mod",
        "negative",
        "regexp",
        "regexp_like",
        "rlike",
    }
)
_OTHER_NAMES = {
    "approxCountDistinct": "approx_count_distinct",
    "bitwiseNOT": "bitwise_not",
    "create_map": "map",
    "negate": "negative",
    "shiftLeft": "shiftleft",
    "shiftRight": "shiftright",
    "shiftRightUnsigned": "shiftrightunsigned",
    "timestamp_add": "timestampadd",
    "timestamp_diff": "timestampdiff",
    "toDegrees": "degrees",
    "toRadians": "radians",
}


_OF_ALIASES = {"char": ("col",), "lcase": ("str",), "ucase": ("str",)}
"""Other names of a function whose argument PySpark calls otherwise."""

# Those with the name of a Python built-in: F.len must not become the len of this module.
_made: dict[str, Callable[..., CallExpression]] = {}


def floor(col: Operand, scale: Operand = None) -> CallExpression:
    """Rounds down: a number, or a time to a unit such as ``"HOUR"``."""
    return round_("floor", column_or(col), () if scale is None else (scale,))


def ceil(col: Operand, scale: Operand = None) -> CallExpression:
    """Rounds up: a number, or a time to a unit such as ``"HOUR"``."""
    return round_("ceil", column_or(col), () if scale is None else (scale,))


ceiling = ceil


def __getattr__(name: str) -> Callable[..., CallExpression]:
    if name in _made:
        return _made[name]
    if name == "__all__":
        return __dir__()  # type: ignore[return-value]
    definition = None if name.startswith("_") else find_built_in(_OTHER_NAMES.get(name, name))
    if definition is None or not _is_public(name, definition):
        if name.startswith("_"):
            raise AttributeError(name)
        hint = _ELSEWHERE.get(name) or did_you_mean(name, __dir__())
        raise AttributeError(f"Spark has no function `{name}`" + (f"; {hint}" if hint else ""))
    function = _function(name, definition)
    kept = _made if hasattr(builtins, name) else globals()
    kept[name] = function
    return function


def __dir__() -> list[str]:
    registered = {name for name, each in all_built_ins().items() if _is_public(name, each)}
    listed = registered | _OTHER_NAMES.keys() | _WRITTEN_OUT
    return sorted(name for name in listed - _PYTHON_TYPES if name.isidentifier())


_KEYWORDS = frozenset(("case", "if"))
"""Names that are Python keywords; use ``when`` instead."""

_PYTHON_TYPES = frozenset(("float", "int"))
"""Names left out of ``from viewscribe.functions import *``, to keep Python's built-in types."""

_ELSEWHERE = {
    "product": "multiply what F.collect_list(…) gives with F.aggregate(…)",
    **dict.fromkeys(
        ("collations", "python_worker_logs", "range", "sql_keywords"),
        "it is a table: env.from_function(…)",
    ),
    **dict.fromkeys(
        ("udf", "udtf", "pandas_udf", "arrow_udf", "arrow_udtf", "call_udf"),
        'call a Python function as it is, call(f, "a"), or register it and call it by its name: '
        'env.create_temporary_system_function("f", f)',
    ),
    "broadcast": 'it is a hint of a table: table.hint("broadcast")',
    **dict.fromkeys(
        ("years", "months", "days", "hours", "bucket"), "it says how a table is partitioned"
    ),
}
"""Functions of PySpark's module that SQL text cannot express, with what to write instead."""


def _is_public(name: str, definition: FunctionDefinition) -> bool:
    if name in _OTHER_NAMES:
        return True
    if definition.kind is FunctionKind.TABLE:
        return False
    if definition.kind is FunctionKind.DECLARATIVE:
        return False  # not Spark's
    if name not in (definition.name, *definition.aliases) or name in _KEYWORDS:
        return False
    return id(definition) not in _OPERATORS or name in _SPARK_NAMES_OF_OPERATORS


def _function(name: str, definition: FunctionDefinition) -> Callable[..., CallExpression]:
    names = _OF_ALIASES.get(name, definition.parameter_names)
    if names:

        def function(*args: Operand, **named: Operand) -> CallExpression:
            return python_call_of(definition, place_arguments(definition, names, args, named))
    else:

        def function(*args: Operand, **named: Operand) -> CallExpression:
            if named:
                raise TypeError(f"{name}() takes no argument by name")
            return python_call_of(definition, args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{definition.signature}: {definition.doc}"
    return function


def call_function(funcName: str, *cols: Operand) -> CallExpression:  # noqa: N803
    """A call of a function by its name; strings are columns."""
    require_text(funcName, "the name of a function")
    return _call(funcName, *cols)


def expr(str: str) -> Any:
    """An expression that is written in SQL: ``F.expr("upper(name) || '!'")``.

    Args:
        str: the expression, with an alias or without.

    Raises:
        SqlSyntaxError: the text is not an expression; gives line and column.
    """
    from viewscribe.parser.author_texts import expression_of

    return expression_of(str)


def when(condition: Operand, value: Operand) -> CallExpression:
    """CASE WHEN; continue with ``.when(condition, value)`` and ``.otherwise(value)``."""
    return CallExpression(built_in("case"), (operand(condition), operand(value)))


def asc(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs first."""
    return _expression(col).asc()


def asc_nulls_first(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs first."""
    return _expression(col).asc_nulls_first()


def asc_nulls_last(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs last."""
    return _expression(col).asc_nulls_last()


def desc(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs last."""
    return _expression(col).desc()


def desc_nulls_first(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs first."""
    return _expression(col).desc_nulls_first()


def desc_nulls_last(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs last."""
    return _expression(col).desc_nulls_last()


def _expression(value: Operand) -> Expression:
    return col(value) if isinstance(value, str) else lit(value)


def count(col: Operand = "*") -> CallExpression:
    """The number of rows (``"*"``), or of rows in which the value is not NULL."""
    return CallExpression(built_in("count"), (_expression(col),))


def count_distinct(col: Operand, *cols: Operand) -> CallExpression:
    """The number of distinct combinations of the values in which none is NULL; ``"*"`` are all."""
    args = tuple(_expression(each) for each in (col, *cols))
    return CallExpression(built_in("count"), args).with_clauses(distinct=True)


def sum_distinct(col: Operand) -> CallExpression:
    """The sum of the distinct values."""
    return _call("sum", col).with_clauses(distinct=True)


countDistinct = count_distinct  # noqa: N816 (PySpark's older names)
sumDistinct = sum_distinct  # noqa: N816


def listagg_distinct(col: Operand, delimiter: Operand = None) -> CallExpression:
    """The distinct values that are not NULL, joined by a separator."""
    return _call("listagg", col, delimiter).with_clauses(distinct=True)


string_agg_distinct = listagg_distinct


def first(col: Operand, ignorenulls: bool = False) -> CallExpression:
    """The value of the first row met, or the first that is not NULL."""
    return _call("first", col).with_clauses(ignore_nulls=ignorenulls)


def last(col: Operand, ignorenulls: bool = False) -> CallExpression:
    """The value of the last row met, or the last that is not NULL."""
    return _call("last", col).with_clauses(ignore_nulls=ignorenulls)


def first_value(col: Operand, ignoreNulls: bool = False) -> CallExpression:  # noqa: N803
    """The value of the first row met, or the first that is not NULL."""
    return first(col, ignoreNulls)


def last_value(col: Operand, ignoreNulls: bool = False) -> CallExpression:  # noqa: N803
    """The value of the last row met, or the last that is not NULL."""
    return last(col, ignoreNulls)


def any_value(col: Operand, ignoreNulls: bool = False) -> CallExpression:  # noqa: N803
    """A value of some row, or one that is not NULL."""
    return _call("any_value", col).with_clauses(ignore_nulls=ignoreNulls)


def nth_value(col: Operand, offset: int, ignoreNulls: bool = False) -> CallExpression:  # noqa: N803
    """The value of the n-th row of the frame, or of the n-th that is not NULL."""
    return _call("nth_value", col, offset).with_clauses(ignore_nulls=ignoreNulls)


def lag(col: Operand, offset: int = 1, default: Operand = None) -> CallExpression:
    """The value a number of rows before, or a default."""
    return _shift("lag", col, offset, default)


def lead(col: Operand, offset: int = 1, default: Operand = None) -> CallExpression:
    """The value a number of rows after, or a default."""
    return _shift("lead", col, offset, default)


def _shift(name: str, value: Operand, offset: int, default: Operand) -> CallExpression:
    if default is None and offset == 1:
        return _call(name, value)
    return _call(name, value, offset, default)


def percentile(col: Operand, percentage: Operand, frequency: Operand = None) -> CallExpression:
    """The exact percentile at one place from 0 to 1, or at each of a list."""
    return _call("percentile", col, _places(percentage), frequency)


def percentile_approx(
    col: Operand, percentage: Operand, accuracy: Operand = None
) -> CallExpression:
    """About the percentile at one place from 0 to 1, or at each of a list."""
    return _call("percentile_approx", col, _places(percentage), accuracy)


approx_percentile = percentile_approx


def _places(percentage: Operand) -> Any:
    return list(percentage) if isinstance(percentage, tuple) else percentage


def count_min_sketch(
    col: Operand,
    eps: Operand,
    confidence: Operand,
    seed: Operand = None,
) -> CallExpression:
    """A count-min sketch of value frequencies, with relative error, confidence and seed.

    Without a seed, PySpark picks a random one, which SQL cannot. Here the default is 0, so that the
    SQL text is always the same.
    """
    return _call("count_min_sketch", col, eps, confidence, 0 if seed is None else seed)


def approx_count_distinct(col: Operand, rsd: float | None = None) -> CallExpression:
    """About the number of distinct values, within a relative standard deviation."""
    return _call("approx_count_distinct", col, rsd)


def round(col: Operand, scale: Operand = None) -> CallExpression:
    """The nearest number of a number of digits after the point; halves away from zero."""
    return _call("round", col, scale)


def bround(col: Operand, scale: Operand = None) -> CallExpression:
    """The nearest number of a number of digits after the point; halves to the even digit."""
    return _call("bround", col, scale)


def rand(seed: int | None = None) -> CallExpression:
    """A random number from 0 (inclusive) to 1 (exclusive), from a seed."""
    return _call("rand", seed)


def randn(seed: int | None = None) -> CallExpression:
    """A random number from the standard normal distribution, from a seed."""
    return _call("randn", seed)


def locate(substr: Operand, str: Operand, pos: Operand = 1) -> CallExpression:
    """The position (from 1) of ``substr`` in ``str``, at or after a position; 0 if not found."""
    return _call("locate", substr, str, None if pos == 1 and type(pos) is int else pos)


def split(str: Operand, pattern: Operand, limit: Operand = -1) -> CallExpression:
    """The parts between matches of a regular expression, at most ``limit`` of them."""
    return _call("split", str, pattern, None if type(limit) is int and limit == -1 else limit)


def overlay(src: Operand, replace: Operand, pos: Operand, len: Operand = -1) -> CallExpression:
    """Replaces part of a text, from a position on, by another text."""
    return _call("overlay", src, replace, pos, None if type(len) is int and len == -1 else len)


def convert_timezone(
    sourceTz: Operand,  # noqa: N803
    targetTz: Operand,  # noqa: N803
    sourceTs: Operand = None,  # noqa: N803
) -> CallExpression:
    """The time of one time zone in another; without a source, from the session's."""
    given = [each for each in (sourceTz, targetTz, sourceTs) if each is not None]
    return _call("convert_timezone", *given)


def months_between(date1: Operand, date2: Operand, roundOff: bool = True) -> CallExpression:  # noqa: N803
    """The months from the second time to the first, by default rounded to 8 digits."""
    return _call("months_between", date1, date2, None if roundOff else False)


def unix_timestamp(timestamp: Operand = None, format: Operand = None) -> CallExpression:
    """The seconds from 1970-01-01 UTC to a time, by default to now."""
    return _call("unix_timestamp", timestamp, format)


def window(
    timeColumn: Operand,  # noqa: N803
    windowDuration: str,  # noqa: N803
    slideDuration: str | None = None,  # noqa: N803
    startTime: str | None = None,  # noqa: N803
) -> CallExpression:
    """The time window, of a duration, slide and start, that a time falls into."""
    slide = windowDuration if startTime and not slideDuration else slideDuration
    return _call("window", timeColumn, windowDuration, slide, startTime)


def sort_array(col: Operand, asc: bool = True) -> CallExpression:
    """The array sorted, NULLs first, or downwards and NULLs last."""
    return _call("sort_array", col, None if asc else False)


def aggregate(
    col: Operand,
    initialValue: Operand,  # noqa: N803
    merge: Callable[..., Any],
    finish: Callable[..., Any] | None = None,
) -> CallExpression:
    """A start value merged with every element by a lambda; another lambda may finish it."""
    return _call("aggregate", col, initialValue, merge, finish)


reduce = aggregate


def sentences(string: Operand, language: Operand = None, country: Operand = None) -> CallExpression:
    """The sentences of a text, each an array of words."""
    return _call("sentences", string, *default((language, ""), (country, "")))


def aes_encrypt(
    input: Operand,
    key: Operand,
    mode: Operand = None,
    padding: Operand = None,
    iv: Operand = None,
    aad: Operand = None,
) -> CallExpression:
    """Encrypts a binary by AES with a key."""
    given = default((mode, "GCM"), (padding, "DEFAULT"), (iv, ""), (aad, ""))
    return _call("aes_encrypt", input, key, *given)


def aes_decrypt(
    input: Operand, key: Operand, mode: Operand = None, padding: Operand = None, aad: Operand = None
) -> CallExpression:
    """Decrypts a binary that was encrypted by AES with a key."""
    given = default((mode, "GCM"), (padding, "DEFAULT"), (aad, ""))
    return _call("aes_decrypt", input, key, *given)


def try_aes_decrypt(
    input: Operand, key: Operand, mode: Operand = None, padding: Operand = None, aad: Operand = None
) -> CallExpression:
    """Decrypts a binary that was encrypted by AES with a key; NULL if that fails."""
    given = default((mode, "GCM"), (padding, "DEFAULT"), (aad, ""))
    return _call("try_aes_decrypt", input, key, *given)


_WRITTEN_IN = (__name__, python_formats.__name__, python_timestamps.__name__)
_WRITTEN_OUT = frozenset(
    name
    for name, value in dict(globals()).items()
    if not name.startswith("_")
    and callable(value)
    and (getattr(value, "__module__", "") in _WRITTEN_IN or name in ("col", "column", "lit"))
)
