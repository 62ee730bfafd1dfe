"""Aggregates of SQL's standard that make JSON, as Flink has them, said with Spark's functions.

Where there are no rows they give ``[]`` and ``{}``. They are no aggregates of Spark's, so that they
have neither clauses nor windows.
"""

from __future__ import annotations

from typing import Any

from viewscribe.expressions.dsl import CallExpression, Expression, ValueExpression, function_call
from viewscribe.expressions.functions.builtin.sql_json import embed, one_of
from viewscribe.expressions.functions.declarative import declarative
from viewscribe.expressions.functions.registry import built_in
from viewscribe.types import ArrayType, LogicalType, MapType, StructType

_WORDS = ("NULL", "ABSENT")


def _call(name: str, *args: Any) -> CallExpression:
    return function_call(built_in(name), args)


def _type_of(value: Expression) -> LogicalType:
    assert isinstance(value, ValueExpression)
    return value.resolved.type


def _array_agg(item: Expression, *, on_null: str) -> Expression:
    word = one_of("json_array_agg", "on_null", on_null, _WORDS)
    items = _call("collect_list", embed(item))
    return _as_json(items.respect_nulls() if word == "NULL" else items, _type_of(item))


def _object_agg(key: Expression, value: Expression, *, on_null: str) -> Expression:
    word = one_of("json_object_agg", "on_null", on_null, _WORDS)
    type_ = _type_of(value)
    pairs: Expression = _call("collect_list", _call("struct", key, embed(value)))
    if word == "ABSENT" and type_.nullable:
        pairs = pairs.filter(value.is_not_null())
    return _as_json(_call("map_from_entries", pairs), type_)


def _as_json(collected: Expression, type_: LogicalType) -> Expression:
    """The JSON of it; NULLs in structs are NULLs, which Spark would leave out."""
    if not _holds_struct(type_):
        return _call("to_json", collected)
    return _call("to_json", collected, _call("map", "ignoreNullFields", "false"))


def _holds_struct(type_: LogicalType) -> bool:
    if isinstance(type_, ArrayType):
        return _holds_struct(type_.element)
    if isinstance(type_, MapType):
        return _holds_struct(type_.value)
    return isinstance(type_, StructType)


JSON_ARRAY_AGG = declarative("""json_array_agg(ANY)
    A JSON array of the values; on_null says whether a NULL is NULL or ABSENT.
    alias json_arrayagg""").expand_to(_array_agg, options={"on_null": "ABSENT"})
JSON_OBJECT_AGG = declarative("""json_object_agg(exactly(STRING), ANY)
    A JSON object of keys and values; fails where a key is NULL or there twice; on_null says whether
    a NULL is NULL or ABSENT.
    alias json_objectagg""").expand_to(_object_agg, options={"on_null": "NULL"})
