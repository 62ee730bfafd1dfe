"""JSON and CSV texts."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import STRUCT
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.schemas import OPTIONS, SAMPLE, schema_at
from viewscribe.expressions.functions.validators import any_where, exactly, literal, text
from viewscribe.types import (
    INT,
    STRING,
    ArrayType,
    LogicalType,
    MapType,
    StructType,
    VariantType,
    VoidType,
)
from viewscribe.types.nested_types import contains


def _read(context: CallContext) -> LogicalType:
    found = schema_at(context, 1)
    if not isinstance(found, StructType | ArrayType | MapType | VariantType):
        raise context.mismatch("the schema is a STRUCT, ARRAY, MAP or VARIANT, or columns of one")
    return found


def _read_row(context: CallContext) -> LogicalType:
    found = schema_at(context, 1)
    if not isinstance(found, StructType):
        raise context.mismatch("the schema is a STRUCT, or columns of one")
    return found.with_nullability(context.types[0].nullable)


def _check_row(context: CallContext) -> None:
    if contains(context.types[0], VariantType):
        raise context.mismatch("CSV holds no VARIANT")


_NESTED = any_where(
    "STRUCT, ARRAY, MAP or VARIANT",
    lambda type_: isinstance(type_, StructType | ArrayType | MapType | VariantType | VoidType),
)

FROM_JSON = scalar(
    "from_json",
    args=(exactly(STRING), literal(STRING), OPTIONS),
    optional=1,
    returns=_read,
    catalyst=(),
    spelled_arguments=first(1),
    since="2.2.0",
    doc="The value of a JSON text, of a type given as text.",
)
TO_JSON = scalar(
    "to_json",
    args=(_NESTED, OPTIONS),
    optional=1,
    returns=always_nullable(STRING),
    catalyst=(),
    spelled_arguments=first(1),
    since="2.2.0",
    doc="The value as a JSON text.",
)
SCHEMA_OF_JSON = scalar(
    "schema_of_json",
    args=(SAMPLE, OPTIONS),
    optional=1,
    returns=STRING.not_null(),
    spelled_arguments=first(1),
    since="2.4.0",
    doc="The type of a JSON text.",
)
GET_JSON_OBJECT = scalar(
    "get_json_object",
    args=(exactly(STRING), text(exactly(STRING))),
    parameter_names=("col", "path"),
    returns=always_nullable(STRING),
    since="1.5.0",
    doc="What lies under a path such as `$.a[0]` in a JSON text.",
)
JSON_ARRAY_LENGTH = scalar(
    "json_array_length",
    args=(exactly(STRING),),
    returns=always_nullable(INT),
    catalyst="LengthOfJsonArray",
    since="3.1.0",
    doc="The number of elements of a JSON array.",
)
JSON_OBJECT_KEYS = scalar(
    "json_object_keys",
    args=(exactly(STRING),),
    returns=always_nullable(ArrayType(element=STRING)),
    since="3.1.0",
    doc="The keys of a JSON object.",
)
FROM_CSV = scalar(
    "from_csv",
    args=(exactly(STRING), literal(STRING), OPTIONS),
    optional=1,
    returns=_read_row,
    catalyst=(),
    spelled_arguments=first(1),
    since="3.0.0",
    doc="The struct of a line of CSV, of a type given as text.",
)
TO_CSV = scalar(
    "to_csv",
    args=(STRUCT, OPTIONS),
    optional=1,
    returns=always_nullable(STRING),
    check=_check_row,
    catalyst=(),
    spelled_arguments=first(1),
    since="3.0.0",
    doc="The struct as a line of CSV.",
)
SCHEMA_OF_CSV = scalar(
    "schema_of_csv",
    args=(SAMPLE, OPTIONS),
    optional=1,
    returns=STRING.not_null(),
    spelled_arguments=first(1),
    since="3.0.0",
    doc="The type of a line of CSV.",
)
