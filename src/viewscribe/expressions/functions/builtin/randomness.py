"""Random numbers and texts."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.validators import any_where, literal
from viewscribe.types import (
    DOUBLE,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    NumericType,
    VoidType,
)

_BOUND = literal(any_where("<numeric>", lambda type_: isinstance(type_, NumericType | VoidType)))


def _between(context: CallContext) -> LogicalType:
    return _infer_bounded(*context.types[:2]).not_null()


def _infer_bounded(low: LogicalType, high: LogicalType) -> LogicalType:
    for kind in (VoidType, DoubleType, FloatType):
        if isinstance(low, kind) or isinstance(high, kind):
            return DOUBLE if kind is VoidType else kind()
    if isinstance(low, IntegralType) and isinstance(high, IntegralType):
        return low if low.bits >= high.bits else high
    if isinstance(low, DecimalType) and isinstance(high, DecimalType):
        return low if _fits(high, low) else high
    return low if isinstance(low, DecimalType) else high


def _fits(inner: DecimalType, outer: DecimalType) -> bool:
    whole = inner.precision - inner.scale <= outer.precision - outer.scale
    return whole and inner.scale <= outer.scale


def _not_negative(context: CallContext) -> None:
    length = context.literal(0)
    if isinstance(length, int) and length < 0:
        raise context.mismatch("a length is not negative")


UNIFORM = scalar("""uniform(min: _, max: _, seed: literal(exactly(INT, BIGINT))?)
    A random number between two constants, from a seed.
    since 4.0.0, random""").where(args=(_BOUND, _BOUND), returns=_between)
RANDSTR = scalar("""randstr(length: literal(INT), seed: literal(exactly(INT, BIGINT))?) -> STRING!
    A random text of letters and digits of a length, from a seed.
    since 4.0.0, no class, random""").where(check=_not_negative)
