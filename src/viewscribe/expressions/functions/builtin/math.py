"""Numbers: roots, powers, logarithms, angles, random numbers."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.newer_forms import with_default_before

SQRT = scalar("""sqrt(col: DOUBLE) -> DOUBLE?
    The square root.
    since 1.1.1, shown SQRT""")
CBRT = scalar("""cbrt(col: DOUBLE) -> DOUBLE?
    The cube root.
    since 1.4.0, shown CBRT""")
EXP = scalar("""exp(col: DOUBLE) -> DOUBLE?
    e to the power of the number.
    since 1.4.0, shown EXP""")
EXPM1 = scalar("""expm1(col: DOUBLE) -> DOUBLE?
    e to the power of the number, minus 1.
    since 1.4.0, shown EXPM1""")
LN = scalar("""ln(col: DOUBLE) -> DOUBLE?
    The natural logarithm; NULL where there is none.
    since 1.4.0, class Log""")
LOG10 = scalar("""log10(col: DOUBLE) -> DOUBLE?
    The logarithm to base 10; NULL where there is none.
    since 1.4.0, shown LOG10""")
LOG2 = scalar("""log2(col: DOUBLE) -> DOUBLE?
    The logarithm to base 2; NULL where there is none.
    since 1.4.0, shown LOG2""")
LOG1P = scalar("""log1p(col: DOUBLE) -> DOUBLE?
    The natural logarithm of the number plus 1; NULL where there is none.
    since 1.4.0, shown LOG1P""")
LOG = scalar("""log(arg1: DOUBLE, arg2: DOUBLE?) -> DOUBLE?
    The natural logarithm, or with two arguments that of the second to the base of the first.
    since 1.5.0, no class, shown LOG, receiver 1
    """).where(spelled_arguments=with_default_before("E()", 1))
POWER = scalar("""power(col1: DOUBLE, col2: DOUBLE) -> DOUBLE
    The first number to the power of the second.
    since 1.4.0, alias pow, class Pow, shown POWER""")
HYPOT = scalar("""hypot(col1: DOUBLE, col2: DOUBLE) -> DOUBLE
    The root of the sum of both squares.
    since 1.4.0, shown HYPOT""")
RINT = scalar("""rint(col: DOUBLE) -> DOUBLE?
    The nearest whole number, as a DOUBLE.
    since 1.4.0""")

SIN = scalar("""sin(col: DOUBLE) -> DOUBLE?
    The sine of an angle in radians.
    since 1.4.0, shown SIN""")
COS = scalar("""cos(col: DOUBLE) -> DOUBLE?
    The cosine of an angle in radians.
    since 1.4.0, shown COS""")
TAN = scalar("""tan(col: DOUBLE) -> DOUBLE?
    The tangent of an angle in radians.
    since 1.4.0, shown TAN""")
COT = scalar("""cot(col: DOUBLE) -> DOUBLE?
    The cotangent of an angle in radians.
    since 2.3.0, shown COT""")
SEC = scalar("""sec(col: DOUBLE) -> DOUBLE?
    The secant of an angle in radians.
    since 3.3.0, shown SEC""")
CSC = scalar("""csc(col: DOUBLE) -> DOUBLE?
    The cosecant of an angle in radians.
    since 3.3.0, shown CSC""")
ASIN = scalar("""asin(col: DOUBLE) -> DOUBLE?
    The angle in radians of a sine; NaN where there is none.
    since 1.4.0, shown ASIN""")
ACOS = scalar("""acos(col: DOUBLE) -> DOUBLE?
    The angle in radians of a cosine; NaN where there is none.
    since 1.4.0, shown ACOS""")
ATAN = scalar("""atan(col: DOUBLE) -> DOUBLE?
    The angle in radians of a tangent.
    since 1.4.0, shown ATAN""")
ATAN2 = scalar("""atan2(col1: DOUBLE, col2: DOUBLE) -> DOUBLE
    The angle in radians of the point with the second number as x and the first as y.
    since 1.4.0, shown ATAN2""")
SINH = scalar("""sinh(col: DOUBLE) -> DOUBLE?
    The hyperbolic sine.
    since 1.4.0, shown SINH""")
COSH = scalar("""cosh(col: DOUBLE) -> DOUBLE?
    The hyperbolic cosine.
    since 1.4.0, shown COSH""")
TANH = scalar("""tanh(col: DOUBLE) -> DOUBLE?
    The hyperbolic tangent.
    since 1.4.0, shown TANH""")
ASINH = scalar("""asinh(col: DOUBLE) -> DOUBLE?
    The inverse hyperbolic sine.
    since 3.0.0, shown ASINH""")
ACOSH = scalar("""acosh(col: DOUBLE) -> DOUBLE?
    The inverse hyperbolic cosine.
    since 3.0.0, shown ACOSH""")
ATANH = scalar("""atanh(col: DOUBLE) -> DOUBLE?
    The inverse hyperbolic tangent.
    since 3.0.0, shown ATANH""")
DEGREES = scalar("""degrees(col: DOUBLE) -> DOUBLE?
    The angle in degrees of one in radians.
    since 1.4.0, class ToDegrees, shown DEGREES""")
RADIANS = scalar("""radians(col: DOUBLE) -> DOUBLE?
    The angle in radians of one in degrees.
    since 1.4.0, class ToRadians, shown RADIANS""")
PI = scalar("""pi() -> DOUBLE!
    The number pi.
    since 1.5.0, shown PI""")
E = scalar("""e() -> DOUBLE!
    The number e.
    since 1.5.0, class EulerNumber, shown E""")
FACTORIAL = scalar("""factorial(col: INT) -> BIGINT?
    The factorial of 0 to 20; NULL outside.
    since 1.5.0""")
RAND = scalar("""rand(seed: literal(exactly(INT, BIGINT))?) -> DOUBLE!
    A random number from 0 to less than 1, from a seed.
    since 1.5.0, alias random, random""").where(spelled={"random": "rand"})
RANDN = scalar("""randn(col: literal(exactly(INT, BIGINT))?) -> DOUBLE!
    A random number of the standard normal distribution, from a seed.
    since 1.5.0, random""")
