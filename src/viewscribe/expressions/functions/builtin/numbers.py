"""Numbers: rounding, signs, remainders, bits, bases, arithmetic that gives NULL for an error."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import (
    ANY,
    INTEGRAL,
    NUMERIC,
    NUMERIC_OR_INTERVAL,
    WHOLE,
)
from viewscribe.expressions.functions.newer_forms import with_null_added
from viewscribe.expressions.functions.operand_pairs import (
    ADDED,
    DIVIDED,
    MULTIPLIED,
    NUMBERS,
    SUBTRACTED,
)
from viewscribe.expressions.functions.operator_types import SIGNED, arithmetic
from viewscribe.expressions.functions.outputs import OutputStrategy, always_nullable, argument
from viewscribe.expressions.functions.validators import (
    either,
    family,
    implicitly,
    literal,
    same_family,
)
from viewscribe.types import (
    BIGINT,
    DOUBLE,
    INT,
    STRING,
    TINYINT,
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
_SCALE = literal(INT)
_ROUNDABLE = either(implicitly(decimal(38, 18)), DOUBLE, BIGINT)

ABS = scalar(
    "abs",
    args=(NUMERIC_OR_INTERVAL,),
    returns=argument(0),
    since="1.2.0",
    doc="The number or interval without its sign.",
)
SIGN = scalar(
    "sign",
    args=(NUMERIC_OR_INTERVAL,),
    returns=always_nullable(DOUBLE),
    aliases=("signum",),
    catalyst="Signum",
    spelled={"signum": "SIGNUM"},
    since="1.4.0",
    doc="-1, 0 or 1 after the sign.",
)
POSITIVE = scalar(
    "positive",
    args=(SIGNED,),
    returns=argument(0),
    catalyst="UnaryPositive",
    since="1.5.0",
    doc="The value as it is.",
)
CEIL = scalar(
    "ceil",
    args=(NUMERIC, _SCALE),
    optional=1,
    returns=always_nullable(_to_whole),
    aliases=("ceiling",),
    monotone="increasing",
    catalyst=("Ceil", "RoundCeil"),
    spelled="CEIL",
    since="3.3.0",
    doc="The least number, whole or of a number of digits after the point, not below.",
)
FLOOR = scalar(
    "floor",
    args=(NUMERIC, _SCALE),
    optional=1,
    returns=always_nullable(_to_whole),
    monotone="increasing",
    catalyst=("Floor", "RoundFloor"),
    spelled="FLOOR",
    since="3.3.0",
    doc="The greatest number, whole or of a number of digits after the point, not above.",
)
ROUND = scalar(
    "round",
    args=(NUMERIC, _SCALE),
    optional=1,
    returns=always_nullable(_round_),
    monotone="increasing",
    since="1.5.0",
    defaults=("0",),
    doc="The nearest number of a number of digits after the point; halves away from zero.",
)
BROUND = scalar(
    "bround",
    args=(NUMERIC, _SCALE),
    optional=1,
    returns=always_nullable(_round_),
    monotone="increasing",
    catalyst="BRound",
    since="2.0.0",
    defaults=("0",),
    doc="The nearest number of a number of digits after the point; halves to the even digit.",
)
PMOD = scalar(
    "pmod",
    args=(ANY, ANY),
    parameter_names=("dividend", "divisor"),
    returns=always_nullable(arithmetic("%")),
    operands=NUMBERS,
    since="1.5.0",
    doc="The remainder, never negative.",
)
WIDTH_BUCKET = scalar(
    "width_bucket",
    args=(NUMERIC_OR_INTERVAL, NUMERIC_OR_INTERVAL, NUMERIC_OR_INTERVAL, BIGINT),
    check=same_family(0, 1, 2),
    parameter_names=("v", "min", "max", "numBucket"),
    returns=always_nullable(BIGINT),
    since="3.1.0",
    doc="The bucket of a value among a number of equally wide ones between two bounds.",
)
CONV = scalar(
    "conv",
    args=(STRING, INT, INT),
    parameter_names=("col", "fromBase", "toBase"),
    returns=always_nullable(STRING),
    since="1.5.0",
    doc="The number of one base as text of another.",
)
BIN = scalar("bin", args=(BIGINT,), returns=STRING, since="1.5.0", doc="The number in binary.")
SHIFTLEFT = scalar(
    "shiftleft",
    args=(WHOLE, INT),
    parameter_names=("col", "numBits"),
    returns=argument(0),
    aliases=("<<",),
    catalyst="ShiftLeft",
    since="1.5.0",
    doc="The bits moved to the left.",
)
SHIFTRIGHT = scalar(
    "shiftright",
    args=(WHOLE, INT),
    parameter_names=("col", "numBits"),
    returns=argument(0),
    aliases=(">>",),
    catalyst="ShiftRight",
    since="1.5.0",
    doc="The bits moved to the right, the sign kept.",
)
SHIFTRIGHTUNSIGNED = scalar(
    "shiftrightunsigned",
    args=(WHOLE, INT),
    parameter_names=("col", "numBits"),
    returns=argument(0),
    aliases=(">>>",),
    catalyst="ShiftRightUnsigned",
    since="1.5.0",
    doc="The bits moved to the right, zeros moved in.",
)
BIT_COUNT = scalar(
    "bit_count",
    args=(_BITS,),
    returns=INT,
    catalyst="BitwiseCount",
    since="3.0.0",
    doc="The number of bits that are set.",
)
GETBIT = scalar(
    "getbit",
    args=(INTEGRAL, INT),
    parameter_names=("col", "pos"),
    returns=TINYINT,
    aliases=("bit_get",),
    catalyst="BitwiseGet",
    since="3.2.0",
    doc="The bit at a position.",
)
TRY_ADD = scalar(
    "try_add",
    args=(ANY, ANY),
    parameter_names=("left", "right"),
    returns=_widened_sum("+"),
    commutative=True,
    catalyst_try="Add",
    operands=ADDED,
    newer_form=with_null_added("4.1.0"),
    since="3.2.0",
    doc="The sum, NULL on overflow.",
)
TRY_SUBTRACT = scalar(
    "try_subtract",
    args=(ANY, ANY),
    parameter_names=("left", "right"),
    returns=_widened_sum("-"),
    catalyst_try="Subtract",
    operands=SUBTRACTED,
    since="3.3.0",
    doc="The difference, NULL on overflow.",
)
TRY_MULTIPLY = scalar(
    "try_multiply",
    args=(ANY, ANY),
    parameter_names=("left", "right"),
    returns=_widened_sum("*"),
    commutative=True,
    catalyst_try="Multiply",
    operands=MULTIPLIED,
    since="3.3.0",
    doc="The product, NULL on overflow.",
)
TRY_DIVIDE = scalar(
    "try_divide",
    args=(ANY, ANY),
    parameter_names=("left", "right"),
    returns=_widened_sum("/"),
    catalyst_try="Divide",
    operands=DIVIDED,
    since="3.2.0",
    doc="The quotient, NULL on division by zero.",
)
TRY_MOD = scalar(
    "try_mod",
    args=(ANY, ANY),
    parameter_names=("left", "right"),
    returns=_widened_sum("%"),
    catalyst_try="Remainder",
    operands=NUMBERS,
    since="4.0.0",
    doc="The remainder, NULL on division by zero.",
)
