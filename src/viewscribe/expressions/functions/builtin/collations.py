"""Collations of text."""

from __future__ import annotations

from viewscribe.errors import DataTypeError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.syntax import Collate
from viewscribe.types import LogicalType
from viewscribe.types.ddl import parse_type


def _collate(context: CallContext) -> LogicalType:
    name = context.literal(1)
    if not isinstance(name, str):
        raise context.mismatch("the collation is a literal text such as 'UNICODE_CI'")
    try:
        found = parse_type(f"STRING COLLATE {name}")
    except DataTypeError as error:
        raise context.mismatch(error.message) from None
    return found.with_nullability(context.types[0].nullable)


COLLATE = scalar("""collate(col: exactly(STRING), collation: literal(exactly(STRING)))
    The text under a collation.
    since 4.0.0, own collations""").where(returns=_collate, syntax=Collate())
COLLATION = scalar("""collation(col: exactly(STRING)) -> STRING!
    The full name of the text's collation.
    since 4.0.0""")
