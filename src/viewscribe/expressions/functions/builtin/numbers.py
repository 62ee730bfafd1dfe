"""Numbers: rounding, signs, remainders, bits, bases, arithmetic that gives NULL for an error."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import OutputStrategy, always_nullable
from viewscribe.expressions.functions.newer_forms import with_null_added
from viewscribe.expressions.functions.operand_pairs import (
    ADDED,
    DIVIDED,
    MULTIPLIED,
    NUMBERS,
    SUBTRACTED,
)
from viewscribe.expressions.functions.operator_types import SIGNED, arithmetic
from viewscribe.expressions.functions.validators import family, same_family
from viewscribe.types import (
    BIGINT,
    INT,
    BooleanType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    NumericType,
    decimal,
)
from viewscribe.types.coercion import Operator, decimal_of


def _to_whole(context: CallContext) -> LogicalType:
    """``ceil`` and ``floor``: whole DECIMALs of DECIMALs, else BIGINT; DECIMALs with a scale."""
    type_ = context.types[0]
    if len(context.types) == 2:
        return _rounded_decimal(context, _digits_of(context.args[0].type))
    if not isinstance(type_, DecimalType):
        return BIGINT
    digits = type_.precision - type_.scale + (1 if type_.scale else 0)
    return DecimalType(precision=min(max(digits, 1), 38), scale=0)


def _digits_of(type_: LogicalType) -> DecimalType:
    if isinstance(type_, FloatType | DoubleType):
        return decimal(14, 7) if isinstance(type_, FloatType) else decimal(30, 15)
    return decimal_of(type_) if isinstance(type_, NumericType) else decimal(38, 18)


def _round_(context: CallContext) -> LogicalType:
    type_ = context.types[0]
    if isinstance(type_, DecimalType):
        return _rounded_decimal(context, type_)
    return type_


def _rounded_decimal(context: CallContext, type_: DecimalType) -> LogicalType:
    wanted = 0 if len(context.types) == 1 else context.literal(1)
    if not isinstance(wanted, int):
        raise context.mismatch("the number of digits must be a literal")
    whole = type_.precision - type_.scale + 1
    if wanted < 0:
        digits = max(whole, -wanted + 1)
        return DecimalType(precision=min(digits, 38), scale=0)
    scale = min(type_.scale, wanted)
    return DecimalType(precision=min(whole + scale, 38), scale=scale)


def _widened_sum(operator: Operator) -> OutputStrategy:
    return always_nullable(arithmetic(operator))


_BITS = family("<integral> or BOOLEAN", IntegralType, BooleanType, default=INT)

ABS = scalar("""abs(col: NUMERIC_OR_INTERVAL) -> $0
    The number or interval without its sign.
    since 1.2.0""")
SIGN = scalar("""sign(col: NUMERIC_OR_INTERVAL) -> DOUBLE?
    -1, 0 or 1 after the sign.
    since 1.4.0, alias signum, class Signum""").where(spelled={"signum": "SIGNUM"})
POSITIVE = scalar("""positive(col: _) -> $0
    The value as it is.
    since 1.5.0, class UnaryPositive""").where(args=(SIGNED,))
CEIL = scalar("""ceil(NUMERIC, literal(INT)?)
    The least number, whole or of a number of digits after the point, not below.
    since 3.3.0, alias ceiling, class Ceil RoundCeil, shown CEIL, increasing
    """).where(returns=always_nullable(_to_whole))
FLOOR = scalar("""floor(NUMERIC, literal(INT)?)
    The greatest number, whole or of a number of digits after the point, not above.
    since 3.3.0, class Floor RoundFloor, shown FLOOR, increasing
    """).where(returns=always_nullable(_to_whole))
ROUND = scalar("""round(NUMERIC, literal(INT) = 0)
    The nearest number of a number of digits after the point; halves away from zero.
    since 1.5.0, increasing""").where(returns=always_nullable(_round_))
BROUND = scalar("""bround(NUMERIC, literal(INT) = 0)
    The nearest number of a number of digits after the point; halves to the even digit.
    since 2.0.0, class BRound, increasing""").where(returns=always_nullable(_round_))
PMOD = scalar("""pmod(dividend: ANY, divisor: ANY)
    The remainder, never negative.
    since 1.5.0""").where(returns=always_nullable(arithmetic("%")), operands=NUMBERS)
WIDTH_BUCKET = scalar("""width_bucket(v: NUMERIC_OR_INTERVAL, min: NUMERIC_OR_INTERVAL,
        max: NUMERIC_OR_INTERVAL, numBucket: BIGINT) -> BIGINT?
    The bucket of a value among a number of equally wide ones between two bounds.
    since 3.1.0""").where(check=same_family(0, 1, 2))
CONV = scalar("""conv(col: STRING, fromBase: INT, toBase: INT) -> STRING?
    The number of one base as text of another.
    since 1.5.0""")
BIN = scalar("""bin(col: BIGINT) -> STRING
    The number in binary.
    since 1.5.0""")
SHIFTLEFT = scalar("""shiftleft(col: WHOLE, numBits: INT) -> $0
    The bits moved to the left.
    since 1.5.0, alias <<, class ShiftLeft""")
SHIFTRIGHT = scalar("""shiftright(col: WHOLE, numBits: INT) -> $0
    The bits moved to the right, the sign kept.
    since 1.5.0, alias >>, class ShiftRight""")
SHIFTRIGHTUNSIGNED = scalar("""shiftrightunsigned(col: WHOLE, numBits: INT) -> $0
    The bits moved to the right, zeros moved in.
    since 1.5.0, alias >>>, class ShiftRightUnsigned""")
BIT_COUNT = scalar("""bit_count(col: _) -> INT
    The number of bits that are set.
    since 3.0.0, class BitwiseCount""").where(args=(_BITS,))
GETBIT = scalar("""getbit(col: INTEGRAL, pos: INT) -> TINYINT
    The bit at a position.
    since 3.2.0, alias bit_get, class BitwiseGet""")
TRY_ADD = scalar("""try_add(left: ANY, right: ANY)
    The sum, NULL on overflow.
    since 3.2.0, try-class Add, commutative
    """).where(returns=_widened_sum("+"), operands=ADDED, newer_form=with_null_added("4.1.0"))
TRY_SUBTRACT = scalar("""try_subtract(left: ANY, right: ANY)
    The difference, NULL on overflow.
    since 3.3.0, try-class Subtract""").where(returns=_widened_sum("-"), operands=SUBTRACTED)
TRY_MULTIPLY = scalar("""try_multiply(left: ANY, right: ANY)
    The product, NULL on overflow.
    since 3.3.0, try-class Multiply, commutative
    """).where(returns=_widened_sum("*"), operands=MULTIPLIED)
TRY_DIVIDE = scalar("""try_divide(left: ANY, right: ANY)
    The quotient, NULL on division by zero.
    since 3.2.0, try-class Divide""").where(returns=_widened_sum("/"), operands=DIVIDED)
TRY_MOD = scalar("""try_mod(left: ANY, right: ANY)
    The remainder, NULL on division by zero.
    since 4.0.0, try-class Remainder""").where(returns=_widened_sum("%"), operands=NUMBERS)
