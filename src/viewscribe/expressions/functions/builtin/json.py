"""JSON, CSV and VARIANT."""

from __future__ import annotations

from viewscribe.errors import DataTypeError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import scalar
from viewscribe.expressions.functions.families import MAP_NOT_NULL, STRUCT
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import any_where, exactly, literal, text
from viewscribe.types import (
    BOOLEAN,
    INT,
    STRING,
    VARIANT,
    ArrayType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VariantType,
    VoidType,
)
from viewscribe.types.nested import deeply_nullable


def _read(context: CallContext) -> LogicalType:
    from viewscribe.types.ddl import parse_schema, parse_type

    schema = context.literal(1)
    if not isinstance(schema, str):
        raise context.mismatch("the schema is a literal text such as 'a INT, b STRING'")
    try:
        found = parse_type(schema)
    except DataTypeError:
        found = StructType(fields=parse_schema(schema))
    if not isinstance(found, StructType | ArrayType | MapType | VariantType):
        raise context.mismatch("the schema is a STRUCT, ARRAY, MAP or VARIANT, or columns of one")
    return deeply_nullable(found)


def _read_row(context: CallContext) -> LogicalType:
    return _read(context).with_nullability(context.types[0].nullable)


def _convertible(type_: LogicalType) -> bool:
    if isinstance(type_, MapType):
        return isinstance(type_.key, StringType)
    return isinstance(type_, StructType | ArrayType)


def _variant_part(context: CallContext) -> LogicalType:
    from viewscribe.types.ddl import parse_type

    wanted = context.literal(2)
    if not isinstance(wanted, str):
        raise context.mismatch("the type is a literal text such as 'int'")
    return parse_type(wanted).as_nullable()


_OPTIONS = literal(MAP_NOT_NULL)
_NESTED = any_where(
    "STRUCT, ARRAY, MAP or VARIANT",
    lambda type_: isinstance(type_, StructType | ArrayType | MapType | VariantType | VoidType),
)

FROM_JSON = scalar(
    "from_json",
    args=(exactly(STRING), literal(STRING), _OPTIONS),
    optional=1,
    returns=_read,
    since="2.2.0",
    doc="The value of a JSON text, of a type given as text.",
)
TO_JSON = scalar(
    "to_json",
    args=(_NESTED, _OPTIONS),
    optional=1,
    returns=always_nullable(STRING),
    since="2.2.0",
    doc="The value as a JSON text.",
)
SCHEMA_OF_JSON = scalar(
    "schema_of_json",
    args=(literal(STRING), _OPTIONS),
    optional=1,
    returns=STRING.not_null(),
    since="2.4.0",
    doc="The type of a JSON text.",
)
GET_JSON_OBJECT = scalar(
    "get_json_object",
    args=(exactly(STRING), text(exactly(STRING))),
    returns=always_nullable(STRING),
    since="1.5.0",
    doc="What lies under a path such as `$.a[0]` in a JSON text.",
)
JSON_ARRAY_LENGTH = scalar(
    "json_array_length",
    args=(exactly(STRING),),
    returns=always_nullable(INT),
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
    args=(exactly(STRING), literal(STRING), _OPTIONS),
    optional=1,
    returns=_read_row,
    since="3.0.0",
    doc="The struct of a line of CSV, of a type given as text.",
)
TO_CSV = scalar(
    "to_csv",
    args=(STRUCT, _OPTIONS),
    optional=1,
    returns=always_nullable(STRING),
    since="3.0.0",
    doc="The struct as a line of CSV.",
)
PARSE_JSON = scalar(
    "parse_json",
    args=(exactly(STRING),),
    returns=VARIANT,
    since="4.0.0",
    doc="A JSON text as a VARIANT.",
)
TRY_PARSE_JSON = scalar(
    "try_parse_json",
    args=(exactly(STRING),),
    returns=always_nullable(VARIANT),
    since="4.0.0",
    doc="A JSON text as a VARIANT, NULL where it is none.",
)
VARIANT_GET = scalar(
    "variant_get",
    args=(exactly(VARIANT), text(exactly(STRING)), literal(STRING)),
    returns=_variant_part,
    since="4.0.0",
    doc="What lies under a path in a VARIANT, as a type.",
)
TRY_VARIANT_GET = scalar(
    "try_variant_get",
    args=(exactly(VARIANT), text(exactly(STRING)), literal(STRING)),
    returns=_variant_part,
    since="4.0.0",
    doc="What lies under a path in a VARIANT, as a type; NULL where it does not fit.",
)
IS_VARIANT_NULL = scalar(
    "is_variant_null",
    args=(exactly(VARIANT),),
    returns=BOOLEAN.not_null(),
    since="4.0.0",
    doc="Whether the VARIANT is a JSON null.",
)
TO_VARIANT_OBJECT = scalar(
    "to_variant_object",
    args=(any_where("STRUCT, ARRAY or MAP", _convertible),),
    returns=VARIANT,
    since="4.0.0",
    doc="A struct, array or map as a VARIANT.",
)
