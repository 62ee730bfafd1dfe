"""VARIANT: reading, looking into it, changing it, making rows of it."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import Parameters
from viewscribe.expressions.functions.entries import aggregate, generator, scalar
from viewscribe.expressions.functions.newer_forms import first
from viewscribe.expressions.functions.schemas import schema_at
from viewscribe.expressions.functions.syntax import IN_FROM
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import (
    INT,
    STRING,
    VARIANT,
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    Field,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VariantType,
    VoidType,
)

_ATOMS = (
    NumericType,
    BooleanType,
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNtzType,
    TimeType,
    VariantType,
)


def _holds(type_: LogicalType) -> bool:
    """Whether a VARIANT can hold the values of a type."""
    if isinstance(type_, ArrayType):
        return _holds(type_.element)
    if isinstance(type_, MapType):
        return isinstance(type_.key, StringType) and _holds(type_.value)
    if isinstance(type_, StructType):
        return all(_holds(field.type) for field in type_.fields)
    return isinstance(type_, _ATOMS)


def _is_object(type_: LogicalType) -> bool:
    return isinstance(type_, StructType | ArrayType | MapType) and _holds(type_)


def _becomes_part(type_: LogicalType) -> bool:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return isinstance(type_, _ATOMS)


def _part(context: CallContext) -> LogicalType:
    if len(context.types) == 2:
        return VARIANT
    found = schema_at(context, 2)
    if not _holds(found):
        raise context.mismatch(f"a VARIANT holds no {found.ddl}")
    return found


_NEW = any_where(
    "what converts to VARIANT", lambda type_: isinstance(type_, VoidType) or _becomes_part(type_)
)


_SET: Parameters = ("v", "path", "val", ("create_if_missing", True))


def _rows(*, outer: bool = False) -> StructType:
    fields = (
        Field("pos", INT.with_nullability(outer)),
        Field("key", STRING),
        Field("value", VARIANT.with_nullability(outer)),
    )
    return StructType(fields=fields, nullable=False)


PARSE_JSON = scalar("""parse_json(col: exactly(STRING)) -> VARIANT
    A JSON text as a VARIANT.
    since 4.0.0""")
TRY_PARSE_JSON = scalar("""try_parse_json(col: exactly(STRING)) -> VARIANT?
    A JSON text as a VARIANT, NULL where it is none.
    since 4.0.0, try-class ParseJson, no class""")
TO_VARIANT_OBJECT = scalar("""to_variant_object(col: _) -> VARIANT
    A struct, array or map as a VARIANT.
    since 4.0.0""").where(args=(any_where("STRUCT, ARRAY or MAP", _is_object),))
VARIANT_GET = scalar("""variant_get(v: exactly(VARIANT), path: text(exactly(STRING)),
        targetType: literal(STRING)?)
    What lies under a path in a VARIANT, as a VARIANT or a type.
    since 4.0.0""").where(returns=_part, spelled_arguments=first(2))
TRY_VARIANT_GET = scalar("""try_variant_get(v: exactly(VARIANT), path: text(exactly(STRING)),
        targetType: literal(STRING)?)
    Like variant_get, NULL where the value is not of the type.
    since 4.0.0, try-class VariantGet, no class""").where(returns=_part, spelled_arguments=first(2))
IS_VARIANT_NULL = scalar("""is_variant_null(v: exactly(VARIANT)) -> BOOLEAN!
    Whether the VARIANT is a JSON null.
    since 4.0.0""")
IS_VALID_VARIANT = scalar("""is_valid_variant(v: exactly(VARIANT)) -> BOOLEAN
    Whether the VARIANT is well formed.
    since 4.2.0""")
SCHEMA_OF_VARIANT = scalar("""schema_of_variant(v: exactly(VARIANT)) -> STRING
    The type of what the VARIANT holds, as text.
    since 4.0.0""")
SCHEMA_OF_VARIANT_AGG = aggregate("""schema_of_variant_agg(v: exactly(VARIANT)) -> STRING!
    The common type of what the VARIANTs hold, as text.
    since 4.0.0""")
VARIANT_INSERT = scalar("""variant_insert(v: exactly(VARIANT), path: text(exactly(STRING)),
        value: _) -> VARIANT
    The VARIANT with a new field or element at a path; fails if it is there.
    since 4.3.0""").where(args=(_NEW,))
TRY_VARIANT_INSERT = scalar("""try_variant_insert(v: exactly(VARIANT), path: text(exactly(STRING)),
        value: _) -> VARIANT?
    Like variant_insert, NULL where that would fail.
    since 4.3.0, try-class VariantInsert, no class""").where(args=(_NEW,))
VARIANT_SET = scalar("""variant_set(exactly(VARIANT), text(exactly(STRING)), _,
        literal(exactly(BOOLEAN))?) -> VARIANT
    The VARIANT with a value at a path, new unless FALSE is given, or replaced.
    since 4.3.0""").where(args=(_NEW,), parameters=_SET)
TRY_VARIANT_SET = scalar("""try_variant_set(exactly(VARIANT), text(exactly(STRING)), _,
        literal(exactly(BOOLEAN))?) -> VARIANT?
    Like variant_set, NULL where that would fail.
    since 4.3.0, try-class VariantSet, no class""").where(args=(_NEW,), parameters=_SET)
VARIANT_ARRAY_APPEND = scalar("""variant_array_append(v: exactly(VARIANT),
        path: text(exactly(STRING)), value: _) -> VARIANT
    The VARIANT with a value at the end of the array at a path.
    since 4.3.0""").where(args=(_NEW,))
TRY_VARIANT_ARRAY_APPEND = scalar("""try_variant_array_append(v: exactly(VARIANT),
        path: text(exactly(STRING)), value: _) -> VARIANT?
    Like variant_array_append, NULL where that would fail.
    since 4.3.0, try-class VariantArrayAppend, no class""").where(args=(_NEW,))
VARIANT_DELETE = scalar("""variant_delete(v: exactly(VARIANT),
        text(exactly(STRING))...) -> exactly_argument(0)
    The VARIANT without what lies under the paths.
    since 4.3.0""")
VARIANT_STRIP_NULLS = scalar("""variant_strip_nulls(exactly(VARIANT),
        literal(exactly(BOOLEAN))?) -> VARIANT
    The VARIANT without fields, and unless FALSE is given elements, that are a JSON null.
    since 4.3.0""").where(parameters=("v", ("include_arrays", True)))
VARIANT_EXPLODE = generator("""variant_explode(col: exactly(VARIANT))
    A row for every field or element of a VARIANT, with position and name.
    since 4.0.0""").where(returns=_rows(), syntax=IN_FROM, parameters=("input",))
VARIANT_EXPLODE_OUTER = generator("""variant_explode_outer(col: exactly(VARIANT))
    Like variant_explode; a row of NULL where there is none.
    since 4.0.0""").where(returns=_rows(outer=True), syntax=IN_FROM, parameters=("input",))
