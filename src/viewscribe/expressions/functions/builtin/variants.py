"""VARIANT: reading, looking into it, changing it, making rows of it."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, Parameters
from viewscribe.expressions.functions.entries import aggregate, generator, scalar
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.outputs import always_nullable, exactly_argument
from viewscribe.expressions.functions.schemas import schema_at
from viewscribe.expressions.functions.syntax import IN_FROM
from viewscribe.expressions.functions.validators import (
    ArgumentType,
    any_where,
    exactly,
    literal,
    text,
)
from viewscribe.types import (
    BOOLEAN,
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


_VARIANT = exactly(VARIANT)
_PATH = text(exactly(STRING))
_FLAG = literal(exactly(BOOLEAN))
_NEW = any_where(
    "what converts to VARIANT", lambda type_: isinstance(type_, VoidType) or _becomes_part(type_)
)


def _look(name: str, doc: str) -> FunctionDefinition:
    lenient = name.startswith("try_")
    return scalar(
        name,
        args=(_VARIANT, _PATH, literal(STRING)),
        optional=1,
        parameter_names=("v", "path", "targetType"),
        returns=_part,
        spelled_arguments=first(2),
        catalyst=() if lenient else ("VariantGet",),
        catalyst_try="VariantGet" if lenient else None,
        since="4.0.0",
        doc=doc,
    )


_SET: Parameters = ("v", "path", "val", ("create_if_missing", True))


def _change(
    name: str, *more: ArgumentType, catalyst: str, parameters: Parameters = (), doc: str
) -> FunctionDefinition:
    lenient = name.startswith("try_")
    return scalar(
        name,
        args=(_VARIANT, _PATH, _NEW, *more),
        optional=len(more),
        parameter_names=() if parameters else ("v", "path", "value"),
        parameters=parameters,
        returns=always_nullable(VARIANT) if lenient else VARIANT,
        catalyst=() if lenient else catalyst,
        catalyst_try=catalyst if lenient else None,
        since="4.3.0",
        doc=doc,
    )


def _explode(name: str, doc: str, *, outer: bool = False) -> FunctionDefinition:
    fields = (
        Field("pos", INT.with_nullability(outer)),
        Field("key", STRING),
        Field("value", VARIANT.with_nullability(outer)),
    )
    rows = StructType(fields=fields, nullable=False)
    return generator(
        name,
        args=(_VARIANT,),
        parameters=("input",),
        returns=rows,
        syntax=IN_FROM,
        since="4.0.0",
        doc=doc,
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
    catalyst=(),
    catalyst_try="ParseJson",
    since="4.0.0",
    doc="A JSON text as a VARIANT, NULL where it is none.",
)
TO_VARIANT_OBJECT = scalar(
    "to_variant_object",
    args=(any_where("STRUCT, ARRAY or MAP", _is_object),),
    returns=VARIANT,
    since="4.0.0",
    doc="A struct, array or map as a VARIANT.",
)
VARIANT_GET = _look("variant_get", "What lies under a path in a VARIANT, as a VARIANT or a type.")
TRY_VARIANT_GET = _look(
    "try_variant_get",
    "Like variant_get, NULL where the value is not of the type.",
)
IS_VARIANT_NULL = scalar(
    "is_variant_null",
    args=(_VARIANT,),
    parameter_names=("v",),
    returns=BOOLEAN.not_null(),
    since="4.0.0",
    doc="Whether the VARIANT is a JSON null.",
)
IS_VALID_VARIANT = scalar(
    "is_valid_variant",
    args=(_VARIANT,),
    parameter_names=("v",),
    returns=BOOLEAN,
    since="4.2.0",
    doc="Whether the VARIANT is well formed.",
)
SCHEMA_OF_VARIANT = scalar(
    "schema_of_variant",
    args=(_VARIANT,),
    parameter_names=("v",),
    returns=STRING,
    since="4.0.0",
    doc="The type of what the VARIANT holds, as text.",
)
SCHEMA_OF_VARIANT_AGG = aggregate(
    "schema_of_variant_agg",
    args=(_VARIANT,),
    parameter_names=("v",),
    returns=STRING.not_null(),
    since="4.0.0",
    doc="The common type of what the VARIANTs hold, as text.",
)
VARIANT_INSERT = _change(
    "variant_insert",
    catalyst="VariantInsert",
    doc="The VARIANT with a new field or element at a path; fails if it is there.",
)
TRY_VARIANT_INSERT = _change(
    "try_variant_insert",
    catalyst="VariantInsert",
    doc="Like variant_insert, NULL where that would fail.",
)
VARIANT_SET = _change(
    "variant_set",
    _FLAG,
    parameters=_SET,
    catalyst="VariantSet",
    doc="The VARIANT with a value at a path, new unless FALSE is given, or replaced.",
)
TRY_VARIANT_SET = _change(
    "try_variant_set",
    _FLAG,
    parameters=_SET,
    catalyst="VariantSet",
    doc="Like variant_set, NULL where that would fail.",
)
VARIANT_ARRAY_APPEND = _change(
    "variant_array_append",
    catalyst="VariantArrayAppend",
    doc="The VARIANT with a value at the end of the array at a path.",
)
TRY_VARIANT_ARRAY_APPEND = _change(
    "try_variant_array_append",
    catalyst="VariantArrayAppend",
    doc="Like variant_array_append, NULL where that would fail.",
)
VARIANT_DELETE = scalar(
    "variant_delete",
    args=(_VARIANT, _PATH),
    variadic=True,
    parameter_names=("v",),
    returns=exactly_argument(0),
    since="4.3.0",
    doc="The VARIANT without what lies under the paths.",
)
VARIANT_STRIP_NULLS = scalar(
    "variant_strip_nulls",
    args=(_VARIANT, _FLAG),
    optional=1,
    returns=VARIANT,
    since="4.3.0",
    parameters=("v", ("include_arrays", True)),
    doc="The VARIANT without fields, and unless FALSE is given elements, that are a JSON null.",
)
VARIANT_EXPLODE = _explode(
    "variant_explode", "A row for every field or element of a VARIANT, with position and name."
)
VARIANT_EXPLODE_OUTER = _explode(
    "variant_explode_outer",
    "Like variant_explode; a row of NULL where there is none.",
    outer=True,
)
