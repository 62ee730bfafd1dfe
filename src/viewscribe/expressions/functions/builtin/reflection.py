"""Static methods of Java classes."""

from __future__ import annotations

from typing import Unpack

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, scalar
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import any_where, literal
from viewscribe.types import (
    STRING,
    BooleanType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
)

_NAME = literal(any_where("STRING", lambda type_: isinstance(type_, StringType)))
_SIMPLE = (BooleanType, IntegralType, FloatType, DoubleType, StringType)
_PASSED = any_where("<number, BOOLEAN or STRING>", lambda type_: isinstance(type_, _SIMPLE))


def _method(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return scalar(
        name,
        args=(_NAME, _NAME, _PASSED),
        required=2,
        variadic=True,
        returns=always_nullable(STRING),
        deterministic=False,
        doc=doc,
        **names,
    )


JAVA_METHOD = _method(
    "java_method",
    "What a static method of a Java class gives, as text.",
    aliases=("reflect",),
    since="2.0.0",
    catalyst="CallMethodViaReflection",
)
TRY_REFLECT = _method(
    "try_reflect",
    "What a static method of a Java class gives, as text; NULL where it fails.",
    since="4.0.0",
)
