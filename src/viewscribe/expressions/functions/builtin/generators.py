"""Functions that make rows. They return a STRUCT of the columns under Spark's names."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import generator
from viewscribe.expressions.functions.families import ANY, ARRAY, COLLECTION_NOT_NULL
from viewscribe.expressions.functions.validators import any_where, literal, text
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


def _elements(context: CallContext, outer: bool) -> tuple[Field, ...]:
    type_ = context.types[0]
    if isinstance(type_, MapType):
        pair = (Field("key", type_.key), Field("value", type_.value))
        return tuple(_widen(field, outer) for field in pair)
    if isinstance(type_, ArrayType):
        return (_widen(Field("col", type_.element), outer),)
    raise context.mismatch("only an ARRAY or a MAP makes rows")


def _widen(field: Field, outer: bool) -> Field:
    return Field(field.name, field.type.as_nullable()) if outer else field


def _explode(
    name: str, doc: str, *, outer: bool = False, since: str = "1.0.0"
) -> FunctionDefinition:
    def rows(context: CallContext) -> LogicalType:
        return _rows(*_elements(context, outer))

    return generator(
        name,
        args=(COLLECTION_NOT_NULL,),
        parameters=("collection",),
        returns=rows,
        since=since,
        doc=doc,
    )


def _posexplode(
    name: str, doc: str, *, outer: bool = False, since: str = "1.0.0"
) -> FunctionDefinition:
    def rows(context: CallContext) -> LogicalType:
        position = Field("pos", INT.with_nullability(outer))
        return _rows(position, *_elements(context, outer))

    return generator(
        name,
        args=(COLLECTION_NOT_NULL,),
        parameters=("collection",),
        returns=rows,
        since=since,
        doc=doc,
    )


def _inline(
    name: str, doc: str, *, outer: bool = False, since: str = "1.0.0"
) -> FunctionDefinition:
    def rows(context: CallContext) -> LogicalType:
        type_ = context.types[0]
        element = type_.element if isinstance(type_, ArrayType) else None
        if not isinstance(element, StructType):
            raise context.mismatch("the argument is an array of structs")
        wide = outer or element.nullable
        return _rows(*[_widen(field, wide) for field in element.fields])

    return generator(name, args=(ARRAY,), parameters=("input",), returns=rows, since=since, doc=doc)


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

EXPLODE = _explode("explode", "A row for every element of an array or entry of a map.")
EXPLODE_OUTER = _explode(
    "explode_outer", "Like explode; a row of NULL where there is none.", outer=True
)
POSEXPLODE = _posexplode(
    "posexplode", "A row for every element or entry, with its position.", since="2.0.0"
)
POSEXPLODE_OUTER = _posexplode(
    "posexplode_outer",
    "Like posexplode; a row of NULL where there is none.",
    outer=True,
    since="2.0.0",
)
INLINE = _inline("inline", "A row for every struct of an array.", since="2.0.0")
INLINE_OUTER = _inline(
    "inline_outer", "Like inline; a row of NULL where there is none.", outer=True, since="2.0.0"
)
STACK = generator(
    "stack",
    args=(literal(INT), ANY),
    variadic=True,
    returns=_stack,
    since="2.0.0",
    doc="The values in a number of rows.",
)
JSON_TUPLE = generator(
    "json_tuple",
    args=(_TEXT, text(_TEXT)),
    variadic=True,
    parameter_names=("col",),
    returns=_json_columns,
    since="1.6.0",
    doc="The fields of a JSON object, as text.",
)
