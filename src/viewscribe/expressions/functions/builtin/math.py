"""Numbers: roots, powers, logarithms, angles, random numbers."""

from __future__ import annotations

from typing import Unpack

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, scalar
from viewscribe.expressions.functions.made_up_names import with_default_before
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import exactly, literal
from viewscribe.types import BIGINT, DOUBLE, INT

_NULLABLE = always_nullable(DOUBLE)


def _double(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return scalar(name, args=(DOUBLE,), returns=_NULLABLE, doc=doc, **names)


SQRT = _double("sqrt", "The square root.", spelled="SQRT", since="1.1.1")
CBRT = _double("cbrt", "The cube root.", spelled="CBRT", since="1.4.0")
EXP = _double("exp", "e to the power of the number.", spelled="EXP", since="1.4.0")
EXPM1 = _double("expm1", "e to the power of the number, minus 1.", spelled="EXPM1", since="1.4.0")
LN = _double(
    "ln", "The natural logarithm; NULL where there is none.", since="1.4.0", catalyst="Log"
)
LOG10 = _double(
    "log10", "The logarithm to base 10; NULL where there is none.", spelled="LOG10", since="1.4.0"
)
LOG2 = _double(
    "log2", "The logarithm to base 2; NULL where there is none.", spelled="LOG2", since="1.4.0"
)
LOG1P = _double(
    "log1p",
    "The natural logarithm of the number plus 1; NULL where there is none.",
    spelled="LOG1P",
    since="1.4.0",
)
LOG = scalar(
    "log",
    args=(DOUBLE, DOUBLE),
    optional=1,
    parameter_names=("arg1", "arg2"),
    returns=_NULLABLE,
    receiver=1,
    catalyst=(),
    spelled="LOG",
    spelled_arguments=with_default_before("E()", 1),
    since="1.5.0",
    doc="The natural logarithm, or with two arguments that of the second to the base of the first.",
)
POWER = scalar(
    "power",
    args=(DOUBLE, DOUBLE),
    parameter_names=("col1", "col2"),
    returns=DOUBLE,
    aliases=("pow",),
    catalyst="Pow",
    spelled="POWER",
    since="1.4.0",
    doc="The first number to the power of the second.",
)
HYPOT = scalar(
    "hypot",
    args=(DOUBLE, DOUBLE),
    parameter_names=("col1", "col2"),
    returns=DOUBLE,
    spelled="HYPOT",
    since="1.4.0",
    doc="The root of the sum of both squares.",
)
RINT = _double("rint", "The nearest whole number, as a DOUBLE.", since="1.4.0")

SIN = _double("sin", "The sine of an angle in radians.", spelled="SIN", since="1.4.0")
COS = _double("cos", "The cosine of an angle in radians.", spelled="COS", since="1.4.0")
TAN = _double("tan", "The tangent of an angle in radians.", spelled="TAN", since="1.4.0")
COT = _double("cot", "The cotangent of an angle in radians.", spelled="COT", since="2.3.0")
SEC = _double("sec", "The secant of an angle in radians.", spelled="SEC", since="3.3.0")
CSC = _double("csc", "The cosecant of an angle in radians.", spelled="CSC", since="3.3.0")
ASIN = _double(
    "asin",
    "The angle in radians of a sine; NaN where there is none.",
    spelled="ASIN",
    since="1.4.0",
)
ACOS = _double(
    "acos",
    "The angle in radians of a cosine; NaN where there is none.",
    spelled="ACOS",
    since="1.4.0",
)
ATAN = _double("atan", "The angle in radians of a tangent.", spelled="ATAN", since="1.4.0")
ATAN2 = scalar(
    "atan2",
    args=(DOUBLE, DOUBLE),
    parameter_names=("col1", "col2"),
    returns=DOUBLE,
    spelled="ATAN2",
    since="1.4.0",
    doc="The angle in radians of the point with the second number as x and the first as y.",
)
SINH = _double("sinh", "The hyperbolic sine.", spelled="SINH", since="1.4.0")
COSH = _double("cosh", "The hyperbolic cosine.", spelled="COSH", since="1.4.0")
TANH = _double("tanh", "The hyperbolic tangent.", spelled="TANH", since="1.4.0")
ASINH = _double("asinh", "The inverse hyperbolic sine.", spelled="ASINH", since="3.0.0")
ACOSH = _double("acosh", "The inverse hyperbolic cosine.", spelled="ACOSH", since="3.0.0")
ATANH = _double("atanh", "The inverse hyperbolic tangent.", spelled="ATANH", since="3.0.0")
DEGREES = _double(
    "degrees",
    "The angle in degrees of one in radians.",
    spelled="DEGREES",
    since="1.4.0",
    catalyst="ToDegrees",
)
RADIANS = _double(
    "radians",
    "The angle in radians of one in degrees.",
    spelled="RADIANS",
    since="1.4.0",
    catalyst="ToRadians",
)
PI = scalar("pi", returns=DOUBLE.not_null(), spelled="PI", since="1.5.0", doc="The number pi.")
E = scalar(
    "e",
    returns=DOUBLE.not_null(),
    catalyst="EulerNumber",
    spelled="E",
    since="1.5.0",
    doc="The number e.",
)
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
    parameter_names=("seed",),
    returns=DOUBLE.not_null(),
    aliases=("random",),
    deterministic=False,
    spelled={"random": "rand"},
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
