"""Conditions: CASE, IF, and what stands in for NULL."""

from __future__ import annotations

from viewscribe.expressions.functions.collations import results_of_case, text_of, texts_from
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    FRACTIONAL,
    always_nullable,
    merged_type,
    text_beside_others,
    to_common_type,
    to_first_known,
)
from viewscribe.expressions.functions.operator_types import truth_and_number
from viewscribe.expressions.functions.syntax import SearchedCase
from viewscribe.expressions.functions.validators import either
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


CASE = scalar("""case(ANY, ANY, ANY?...)
    The value after the first condition that holds, else the last value, else NULL.
    alias when, method then, class CaseWhen, never fails, lazy
    """).where(returns=_case, syntax=SearchedCase(), collated=results_of_case)
IF = scalar("""if(exactly(BOOLEAN), ANY, ANY) -> common(1)
    The second argument where the condition holds, else the third.
    never fails, lazy""").where(collated=texts_from(1))
COALESCE = scalar("""coalesce(ANY...) -> nullable_with_all_arguments($0)
    The first argument that is not NULL.
    collated, never fails, lazy""").where(inputs=to_common_type())
NULLIF = scalar("""nullif(col1: ANY, col2: ANY)
    NULL where both arguments are equal, else the first.
    since 2.0.0, class NullIf, collated, never fails, lazy, own collations
    """).where(returns=always_nullable(_as_it_was), check=_same_kind)
NVL = scalar("""nvl(col1: ANY, col2: ANY) -> nullable_with_all_arguments($0)
    The first argument, or the second where the first is NULL.
    since 2.0.0, alias ifnull, method if_null, collated, never fails, lazy, own collations
    """).where(inputs=to_common_type())
NVL2 = scalar("""nvl2(col1: ANY, col2: ANY, col3: ANY) -> common(1)
    The second argument where the first is not NULL, else the third.
    since 2.0.0, never fails, lazy, own collations""").where(collated=texts_from(1))
NANVL = scalar("""nanvl(col1: FRACTIONAL, col2: _) -> nullable_with_arguments(common())
    The first argument, or the second where the first is NaN.
    since 1.5.0, class NaNvl, never fails""").where(
    args=(either(FRACTIONAL, VOID, description=FRACTIONAL.description),), inputs=to_first_known()
)
ISNAN = scalar("""isnan(col: FRACTIONAL) -> BOOLEAN!
    Whether the number is NaN; never NULL.
    since 1.5.0, method is_nan, class IsNaN, never fails""")
GREATEST = scalar("""greatest(ORDERED, ORDERED...) -> nullable_with_all_arguments($0)
    The greatest argument that is not NULL.
    since 1.5.0, collated, commutative, associative, never fails
    """).where(check=_text_alone, inputs=to_common_type())
LEAST = scalar("""least(ORDERED, ORDERED...) -> nullable_with_all_arguments($0)
    The least argument that is not NULL.
    since 1.5.0, collated, commutative, associative, never fails
    """).where(check=_text_alone, inputs=to_common_type())
ZEROIFNULL = scalar("""zeroifnull(col: ANY)
    The number, or 0 where it is NULL.
    since 4.0.0, class ZeroIfNull, never fails, lazy""").where(returns=_null_or_zero)
NULLIFZERO = scalar("""nullifzero(col: ANY) -> $0?
    The number, or NULL where it is 0.
    since 4.0.0, class NullIfZero, never fails, lazy""").where(check=_comparable_to_zero)
