"""Input strategies: the types of arguments that follow from those of the others.

A NULL has no type of its own; some functions want all arguments to be of one type. Spark casts
them; a strategy says to what, so that the output strategy sees the types Spark computes with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.functions.context import CallContext
from viewscribe.types import VOID, LogicalType, VoidType
from viewscribe.types.coercion import cast_introduces_null, common_type_of

InputStrategy = Callable[[CallContext], Sequence[LogicalType]]


def to_first_known(first: int = 0, *, default: LogicalType = VOID) -> InputStrategy:
    """From ``first`` on, a NULL takes the type of the first that has one, else the default."""

    def strategy(context: CallContext) -> Sequence[LogicalType]:
        kept, filled = context.types[:first], context.types[first:]
        known = (each for each in filled if not isinstance(each, VoidType))
        return [*kept, *_fill(filled, next(known, default))]

    return strategy


def to_common_type(first: int = 0) -> InputStrategy:
    """The arguments from ``first`` on are cast to the type they have in common.

    Raises:
        TypeMismatchError: they have none.
    """

    def strategy(context: CallContext) -> Sequence[LogicalType]:
        kept, joined = context.types[:first], context.types[first:]
        found = common_type_of(joined)
        if found is None:
            raise context.mismatch("the arguments have no common type")
        return [*kept, *[_cast(each, found) for each in joined]]

    return strategy


def _cast(type_: LogicalType, wanted: LogicalType) -> LogicalType:
    return wanted.with_nullability(type_.nullable or cast_introduces_null(type_, wanted))


def _fill(types: Sequence[LogicalType], wanted: LogicalType) -> list[LogicalType]:
    return [_require_known(each, wanted) for each in types]


def _require_known(type_: LogicalType, wanted: LogicalType) -> LogicalType:
    return wanted.with_nullability(type_.nullable) if isinstance(type_, VoidType) else type_
