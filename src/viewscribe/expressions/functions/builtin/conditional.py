"""Conditions: CASE, IF, and what stands in for NULL."""

from __future__ import annotations

from viewscribe.expressions.functions.collation_groups import (
    every_text,
    results_of_case,
    texts_from,
)
from viewscribe.expressions.functions.collation_strength import text_of
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY, FRACTIONAL, ORDERED, text_beside_others
from viewscribe.expressions.functions.inputs import to_common_type, to_first_known
from viewscribe.expressions.functions.operator_types import truth_and_number
from viewscribe.expressions.functions.outputs import (
    always_nullable,
    argument,
    common,
    exactly_argument,
    merged_type,
    nullable_with_all_arguments,
    nullable_with_arguments,
)
from viewscribe.expressions.functions.syntax import SearchedCase
from viewscribe.expressions.functions.validators import either, exactly
from viewscribe.types import BOOLEAN, INT, VOID, LogicalType
from viewscribe.types.coercion import cast_introduces_null, is_comparable
from viewscribe.types.nested_types import value_type


def _case(context: CallContext) -> LogicalType:
    types = context.types
    paired = len(types) // 2 * 2
    if any(not type_.same_type(BOOLEAN) for type_ in types[:paired:2]):
        raise context.mismatch("a condition of CASE is not BOOLEAN")
    results = [*types[1:paired:2], *types[paired:]]
    found = merged_type(context, results)
    always = next((place for place in range(0, paired, 2) if context.literal(place) is True), None)
    if always is not None:
        # Of a condition that always holds Spark knows that nothing behind it is reached.
        reached = types[1 : always + 2 : 2]
        forced = any(each.nullable or cast_introduces_null(each, found) for each in reached)
        return found.with_nullability(forced)
    return found if len(types) > paired else found.as_nullable()


def _same_kind(context: CallContext) -> None:
    types = context.types[:2]
    if not is_comparable(*types) and not truth_and_number(context, *types):
        raise context.mismatch("the arguments cannot be compared")


def _as_it_was(context: CallContext) -> LogicalType:
    """The first argument's type: it is compared under a collation, and given with its own."""
    given = context.given[0].type
    return context.types[0] if text_of(given) is None else value_type(given)


def _null_or_zero(context: CallContext) -> LogicalType:
    return merged_type(context, [context.types[0], INT.not_null()]).not_null()


def _comparable_to_zero(context: CallContext) -> None:
    type_ = context.types[0]
    if not is_comparable(type_, INT) and not truth_and_number(context, type_, INT):
        raise context.mismatch("the argument cannot be compared to 0")


def _text_alone(context: CallContext) -> None:
    if text_beside_others(context.types):
        raise context.mismatch("text and other types are not compared here")


_FIRST_THERE_IS = nullable_with_all_arguments(argument(0))

CASE = scalar(
    "case",
    never_fails=True,
    args=(ANY, ANY, ANY),
    required=2,
    variadic=True,
    returns=_case,
    syntax=SearchedCase(),
    aliases=("when",),
    strict=False,
    methods=("then",),
    catalyst="CaseWhen",
    collated=results_of_case,
    doc="The value after the first condition that holds, else the last value, else NULL.",
)
IF = scalar(
    "if",
    never_fails=True,
    args=(exactly(BOOLEAN), ANY, ANY),
    returns=common(1),
    strict=False,
    collated=texts_from(1),
    doc="The second argument where the condition holds, else the third.",
)
COALESCE = scalar(
    "coalesce",
    never_fails=True,
    args=(ANY,),
    variadic=True,
    inputs=to_common_type(),
    returns=_FIRST_THERE_IS,
    strict=False,
    collated=every_text,
    doc="The first argument that is not NULL.",
)
NULLIF = scalar(
    "nullif",
    never_fails=True,
    args=(ANY, ANY),
    check=_same_kind,
    parameter_names=("col1", "col2"),
    returns=always_nullable(_as_it_was),
    strict=False,
    catalyst="NullIf",
    collated=every_text,
    since="2.0.0",
    doc="NULL where both arguments are equal, else the first.",
)
NVL = scalar(
    "nvl",
    never_fails=True,
    args=(ANY, ANY),
    inputs=to_common_type(),
    parameter_names=("col1", "col2"),
    returns=_FIRST_THERE_IS,
    aliases=("ifnull",),
    methods=("if_null",),
    strict=False,
    collated=every_text,
    since="2.0.0",
    doc="The first argument, or the second where the first is NULL.",
)
NVL2 = scalar(
    "nvl2",
    never_fails=True,
    args=(ANY, ANY, ANY),
    parameter_names=("col1", "col2", "col3"),
    returns=common(1),
    strict=False,
    collated=texts_from(1),
    since="2.0.0",
    doc="The second argument where the first is not NULL, else the third.",
)
NANVL = scalar(
    "nanvl",
    never_fails=True,
    args=(FRACTIONAL, either(FRACTIONAL, VOID, description=FRACTIONAL.description)),
    inputs=to_first_known(),
    parameter_names=("col1", "col2"),
    returns=nullable_with_arguments(common()),
    catalyst="NaNvl",
    since="1.5.0",
    doc="The first argument, or the second where the first is NaN.",
)
ISNAN = scalar(
    "isnan",
    never_fails=True,
    args=(FRACTIONAL,),
    returns=BOOLEAN.not_null(),
    methods=("is_nan",),
    catalyst="IsNaN",
    since="1.5.0",
    doc="Whether the number is NaN; never NULL.",
)
GREATEST = scalar(
    "greatest",
    never_fails=True,
    args=(ORDERED, ORDERED),
    variadic=True,
    check=_text_alone,
    inputs=to_common_type(),
    returns=_FIRST_THERE_IS,
    commutative=True,
    associative=True,
    collated=every_text,
    since="1.5.0",
    doc="The greatest argument that is not NULL.",
)
LEAST = scalar(
    "least",
    never_fails=True,
    args=(ORDERED, ORDERED),
    variadic=True,
    check=_text_alone,
    inputs=to_common_type(),
    returns=_FIRST_THERE_IS,
    commutative=True,
    associative=True,
    collated=every_text,
    since="1.5.0",
    doc="The least argument that is not NULL.",
)
ZEROIFNULL = scalar(
    "zeroifnull",
    never_fails=True,
    args=(ANY,),
    returns=_null_or_zero,
    strict=False,
    catalyst="ZeroIfNull",
    since="4.0.0",
    doc="The number, or 0 where it is NULL.",
)
NULLIFZERO = scalar(
    "nullifzero",
    never_fails=True,
    args=(ANY,),
    check=_comparable_to_zero,
    returns=always_nullable(exactly_argument(0)),
    strict=False,
    catalyst="NullIfZero",
    since="4.0.0",
    doc="The number, or NULL where it is 0.",
)
