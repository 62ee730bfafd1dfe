"""Static methods of Java classes."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.validators import any_where, literal
from viewscribe.types import BooleanType, DoubleType, FloatType, IntegralType, StringType

_NAME = literal(any_where("STRING", lambda type_: isinstance(type_, StringType)))
_SIMPLE = (BooleanType, IntegralType, FloatType, DoubleType, StringType)
_PASSED = any_where("<number, BOOLEAN or STRING>", lambda type_: isinstance(type_, _SIMPLE))


JAVA_METHOD = scalar("""java_method(_, _, _?...) -> STRING?
    What a static method of a Java class gives, as text.
    since 2.0.0, alias reflect, class CallMethodViaReflection, random
    """).where(args=(_NAME, _NAME, _PASSED))
TRY_REFLECT = scalar("""try_reflect(_, _, _?...) -> STRING?
    What a static method of a Java class gives, as text; NULL where it fails.
    since 4.0.0, random""").where(args=(_NAME, _NAME, _PASSED))
