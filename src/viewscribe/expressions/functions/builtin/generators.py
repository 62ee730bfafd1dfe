"""Functions that make rows. They return a STRUCT of the columns under Spark's names."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import generator
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.validators import any_where, text
from viewscribe.types import (
    INT,
    STRING,
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VoidType,
)


def _rows(*fields: Field) -> StructType:
    return StructType(fields=fields, nullable=False)


def _elements(context: CallContext) -> StructType:
    type_ = context.types[0]
    if isinstance(type_, MapType):
        return _rows(Field("key", type_.key), Field("value", type_.value))
    if isinstance(type_, ArrayType):
        return _rows(Field("col", type_.element))
    raise context.mismatch("only an ARRAY or a MAP makes rows")


def _with_position(context: CallContext) -> StructType:
    return _rows(Field("pos", INT.not_null()), *_elements(context).fields)


def _fields(context: CallContext) -> StructType:
    type_ = context.types[0]
    element = type_.element if isinstance(type_, ArrayType) else None
    if not isinstance(element, StructType):
        raise context.mismatch("the argument is an array of structs")
    return _widen(_rows(*element.fields)) if element.nullable else _rows(*element.fields)


def _widen(rows: StructType) -> StructType:
    return _rows(*[Field(field.name, field.type.as_nullable()) for field in rows.fields])


def _outer(rows: Callable[[CallContext], StructType]) -> OutputStrategy:
    """The rows, or one of NULL where there are none."""
    return lambda context: _widen(rows(context))


def _stack(context: CallContext) -> LogicalType:
    count = context.literal(0)
    if not isinstance(count, int) or count < 1:
        raise context.mismatch("the number of rows is a positive literal")
    values = context.types[1:]
    width = -(-len(values) // count)
    fields = []
    for place in range(width):
        column = values[place::width]
        known = [type_ for type_ in column if not isinstance(type_, VoidType)] or [column[0]]
        if any(not type_.same_type(known[0]) for type_ in known):
            raise context.mismatch(f"the values of column {place + 1} are of different types")
        fields.append(Field(f"col{place}", known[0].as_nullable()))
    return _rows(*fields)


def _json_columns(context: CallContext) -> LogicalType:
    return _rows(*[Field(f"c{place}", STRING) for place in range(len(context.types) - 1)])


_TEXT = any_where("STRING", lambda type_: isinstance(type_, StringType))

EXPLODE = generator("""explode(col: COLLECTION_NOT_NULL)
    A row for every element of an array or entry of a map.
    """).where(returns=_elements, parameters=("collection",))
EXPLODE_OUTER = generator("""explode_outer(col: COLLECTION_NOT_NULL)
    Like explode; a row of NULL where there is none.
    """).where(returns=_outer(_elements), parameters=("collection",))
POSEXPLODE = generator("""posexplode(col: COLLECTION_NOT_NULL)
    A row for every element or entry, with its position.
    since 2.0.0""").where(returns=_with_position, parameters=("collection",))
POSEXPLODE_OUTER = generator("""posexplode_outer(col: COLLECTION_NOT_NULL)
    Like posexplode; a row of NULL where there is none.
    since 2.0.0""").where(returns=_outer(_with_position), parameters=("collection",))
INLINE = generator("""inline(col: ARRAY)
    A row for every struct of an array.
    since 2.0.0""").where(returns=_fields, parameters=("input",))
INLINE_OUTER = generator("""inline_outer(col: ARRAY)
    Like inline; a row of NULL where there is none.
    since 2.0.0""").where(returns=_outer(_fields), parameters=("input",))
STACK = generator("""stack(literal(INT), ANY...)
    The values in a number of rows.
    since 2.0.0""").where(returns=_stack)
JSON_TUPLE = generator("""json_tuple(col: _, _...)
    The fields of a JSON object, as text.
    since 1.6.0""").where(args=(_TEXT, text(_TEXT)), returns=_json_columns)
