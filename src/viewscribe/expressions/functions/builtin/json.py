"""JSON and CSV texts."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.newer_forms import first
from viewscribe.expressions.functions.schemas import SAMPLE, schema_at
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import ArrayType, LogicalType, MapType, StructType, VariantType, VoidType
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

FROM_JSON = scalar("""from_json(exactly(STRING), literal(STRING),
        literal(map_shape(STRING, STRING))?)
    The value of a JSON text, of a type given as text.
    since 2.2.0, no class""").where(returns=_read, spelled_arguments=first(1))
TO_JSON = scalar("""to_json(_, literal(map_shape(STRING, STRING))?) -> STRING?
    The value as a JSON text.
    since 2.2.0, no class""").where(args=(_NESTED,), spelled_arguments=first(1))
SCHEMA_OF_JSON = scalar("""schema_of_json(_, literal(map_shape(STRING, STRING))?) -> STRING!
    The type of a JSON text.
    since 2.4.0""").where(args=(SAMPLE,), spelled_arguments=first(1))
GET_JSON_OBJECT = scalar("""get_json_object(col: exactly(STRING),
        path: text(exactly(STRING))) -> STRING?
    What lies under a path such as `$.a[0]` in a JSON text.
    since 1.5.0, own collations""")
JSON_ARRAY_LENGTH = scalar("""json_array_length(col: exactly(STRING)) -> INT?
    The number of elements of a JSON array.
    since 3.1.0, class LengthOfJsonArray""")
JSON_OBJECT_KEYS = scalar("""json_object_keys(col: exactly(STRING)) -> ARRAY<STRING>?
    The keys of a JSON object.
    since 3.1.0""")
FROM_CSV = scalar("""from_csv(exactly(STRING), literal(STRING), literal(map_shape(STRING, STRING))?)
    The struct of a line of CSV, of a type given as text.
    since 3.0.0, no class""").where(returns=_read_row, spelled_arguments=first(1))
TO_CSV = scalar("""to_csv(STRUCT, literal(map_shape(STRING, STRING))?) -> STRING?
    The struct as a line of CSV.
    since 3.0.0, no class""").where(check=_check_row, spelled_arguments=first(1))
SCHEMA_OF_CSV = scalar("""schema_of_csv(_, literal(map_shape(STRING, STRING))?) -> STRING!
    The type of a line of CSV.
    since 3.0.0""").where(args=(SAMPLE,), spelled_arguments=first(1))
