"""Numbers: roots, powers, logarithms, angles, random numbers."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import FunctionDefinition, scalar
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import exactly, literal
from viewscribe.types import BIGINT, DOUBLE, INT

_NULLABLE = always_nullable(DOUBLE)


def _double(
    name: str, doc: str, *, aliases: tuple[str, ...] = (), since: str = "1.0.0"
) -> FunctionDefinition:
    return scalar(name, args=(DOUBLE,), returns=_NULLABLE, aliases=aliases, since=since, doc=doc)


SQRT = _double("sqrt", "The square root.", since="1.1.1")
CBRT = _double("cbrt", "The cube root.", since="1.4.0")
EXP = _double("exp", "e to the power of the number.", since="1.4.0")
EXPM1 = _double("expm1", "e to the power of the number, minus 1.", since="1.4.0")
LN = _double("ln", "The natural logarithm; NULL where there is none.", since="1.4.0")
LOG10 = _double("log10", "The logarithm to base 10; NULL where there is none.", since="1.4.0")
LOG2 = _double("log2", "The logarithm to base 2; NULL where there is none.", since="1.4.0")
LOG1P = _double(
    "log1p", "The natural logarithm of the number plus 1; NULL where there is none.", since="1.4.0"
)
LOG = scalar(
    "log",
    args=(DOUBLE, DOUBLE),
    optional=1,
    returns=_NULLABLE,
    receiver=1,
    since="1.5.0",
    doc="The natural logarithm, or with two arguments that of the second to the base of the first.",
)
POWER = scalar(
    "power",
    args=(DOUBLE, DOUBLE),
    returns=DOUBLE,
    aliases=("pow",),
    since="1.4.0",
    doc="The first number to the power of the second.",
)
HYPOT = scalar(
    "hypot",
    args=(DOUBLE, DOUBLE),
    returns=DOUBLE,
    since="1.4.0",
    doc="The root of the sum of both squares.",
)
RINT = _double("rint", "The nearest whole number, as a DOUBLE.", since="1.4.0")

SIN = _double("sin", "The sine of an angle in radians.", since="1.4.0")
COS = _double("cos", "The cosine of an angle in radians.", since="1.4.0")
TAN = _double("tan", "The tangent of an angle in radians.", since="1.4.0")
COT = _double("cot", "The cotangent of an angle in radians.", since="2.3.0")
SEC = _double("sec", "The secant of an angle in radians.", since="3.3.0")
CSC = _double("csc", "The cosecant of an angle in radians.", since="3.3.0")
ASIN = _double("asin", "The angle in radians of a sine; NaN where there is none.", since="1.4.0")
ACOS = _double("acos", "The angle in radians of a cosine; NaN where there is none.", since="1.4.0")
ATAN = _double("atan", "The angle in radians of a tangent.", since="1.4.0")
ATAN2 = scalar(
    "atan2",
    args=(DOUBLE, DOUBLE),
    returns=DOUBLE,
    since="1.4.0",
    doc="The angle in radians of the point with the second number as x and the first as y.",
)
SINH = _double("sinh", "The hyperbolic sine.", since="1.4.0")
COSH = _double("cosh", "The hyperbolic cosine.", since="1.4.0")
TANH = _double("tanh", "The hyperbolic tangent.", since="1.4.0")
ASINH = _double("asinh", "The inverse hyperbolic sine.", since="3.0.0")
ACOSH = _double("acosh", "The inverse hyperbolic cosine.", since="3.0.0")
ATANH = _double("atanh", "The inverse hyperbolic tangent.", since="3.0.0")
DEGREES = _double("degrees", "The angle in degrees of one in radians.", since="1.4.0")
RADIANS = _double("radians", "The angle in radians of one in degrees.", since="1.4.0")
PI = scalar("pi", returns=DOUBLE.not_null(), since="1.5.0", doc="The number pi.")
E = scalar("e", returns=DOUBLE.not_null(), since="1.5.0", doc="The number e.")
FACTORIAL = scalar(
    "factorial",
    args=(INT,),
    returns=always_nullable(BIGINT),
    since="1.5.0",
    doc="The factorial of 0 to 20; NULL outside.",
)
RAND = scalar(
    "rand",
    args=(literal(exactly(INT, BIGINT)),),
    optional=1,
    returns=DOUBLE.not_null(),
    aliases=("random",),
    deterministic=False,
    since="1.5.0",
    doc="A random number from 0 to less than 1, from a seed.",
)
RANDN = scalar(
    "randn",
    args=(literal(exactly(INT, BIGINT)),),
    optional=1,
    returns=DOUBLE.not_null(),
    deterministic=False,
    since="1.5.0",
    doc="A random number of the standard normal distribution, from a seed.",
)
