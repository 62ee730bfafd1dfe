"""Literals of a DataFrame, which are never NULL, as text that is never NULL either."""

from __future__ import annotations

import math

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, Literal, make_call


def not_null(value: Literal) -> Literal | Call:
    """The literal, and of NaN and the infinities what Spark does not take for a failed conversion.

    They are written ``double('NaN')``, which may be NULL to Spark.
    """
    if type(value.value) is not float or math.isfinite(value.value):
        return value
    return make_call(built_in("coalesce"), (value, literal(0.0, value.type)))
