"""Collations of text."""

from __future__ import annotations

from viewscribe.errors import DataTypeError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.syntax import Collate
from viewscribe.expressions.functions.validators import exactly, literal
from viewscribe.types import STRING, LogicalType


def _collate(context: CallContext) -> LogicalType:
    from viewscribe.types.ddl import parse_type

    name = context.literal(1)
    if not isinstance(name, str):
        raise context.mismatch("the collation is a literal text such as 'UNICODE_CI'")
    try:
        found = parse_type(f"STRING COLLATE {name}")
    except DataTypeError as error:
        raise context.mismatch(error.message) from None
    return found.with_nullability(context.types[0].nullable)


COLLATE = scalar(
    "collate",
    args=(exactly(STRING), literal(exactly(STRING))),
    parameter_names=("col", "collation"),
    returns=_collate,
    syntax=Collate(),
    since="4.0.0",
    doc="The text under a collation.",
)
COLLATION = scalar(
    "collation",
    args=(exactly(STRING),),
    returns=STRING.not_null(),
    since="4.0.0",
    doc="The full name of the text's collation.",
)
