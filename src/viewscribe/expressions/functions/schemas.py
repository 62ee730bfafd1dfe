"""Arguments of the functions that read and write formats: schemas as text, options, samples."""

from __future__ import annotations

from viewscribe.errors import DataTypeError
from viewscribe.expressions.constant_folding import fold_constant, literal_options
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.validators import any_where, literal, map_shape
from viewscribe.types import STRING, CharType, LogicalType, StringType, StructType, VarcharType
from viewscribe.types.nested_types import contains, deeply_nullable
from viewscribe.types.policy import session_schema, session_type


def _holds_text(type_: LogicalType) -> bool:
    return isinstance(type_, StringType)


OPTIONS = literal(map_shape(STRING, STRING))
"""What ``map('mode', 'FAILFAST')`` gives."""

SAMPLE = literal(any_where("STRING", _holds_text))
"""A text to find the schema of: a constant, not NULL."""


def schema_at(context: CallContext, place: int) -> LogicalType:
    """What the constant at ``place`` says: a type, or the columns of a STRUCT; NULL everywhere.

    Raises:
        TypeMismatchError: it is no literal, or holds CHAR or VARCHAR.
        DataTypeError: it cannot be read.
    """
    schema = context.literal(place)
    if schema is None:
        folded = fold_constant(context.args[place])
        schema = folded and folded.value
    if not isinstance(schema, str):
        raise context.mismatch("the schema is a literal text such as 'a INT, b STRING'")
    try:
        found = session_type(schema)
    except DataTypeError:
        found = StructType(fields=session_schema(schema))
    if contains(found, CharType) or contains(found, VarcharType):
        raise context.mismatch("the schema has STRING instead of CHAR and VARCHAR")
    return deeply_nullable(found)


def options_at(context: CallContext, place: int) -> dict[str, str]:
    """The options at ``place``, their names in lower case, where they are literals."""
    given = context.args[place] if place < len(context.args) else None
    return (given and literal_options(given)) or {}
