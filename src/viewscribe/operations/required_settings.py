"""Settings that Spark requires for what is in a tree."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.operand_pairs import COMPARED
from viewscribe.expressions.node import find, preorder
from viewscribe.expressions.nodes import Call, Cast, ResolvedExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SetOperation
from viewscribe.types import BooleanType, LogicalType, TimeType, VoidType
from viewscribe.types.nested_types import contains

TIME_TYPE = "spark.sql.timeType.enabled"
"""The setting without which Spark computes nothing with TIME; from 4.1 on there is such a type."""

_OF_TIME = frozenset(("time_diff", "time_to_micros", "time_to_millis", "time_to_seconds"))
"""Functions that read their arguments as TIME and give no TIME."""

_PARTS = frozenset(("hour", "minute", "second", "extract", "date_part", "time_trunc"))
_SUMS = frozenset(("plus", "minus", "try_add", "try_subtract"))
"""Functions that compute with TIME, and with other types, too."""

_AS_IT_IS = frozenset(("current_time", "variant_get", "try_variant_get"))
"""Functions that give a TIME and compute none."""

_STRUCTS = frozenset(("named_struct", "struct"))
"""Functions whose arguments are of any types beside one another."""


def needed_settings(operation: QueryOperation) -> dict[str, str]:
    """Returns the settings Spark 4.3 needs beyond its defaults; TIME is off by default."""
    return {TIME_TYPE: "true"} if _has_time(operation) else {}


def refuse_time(operation: QueryOperation) -> None:
    """Refuses what Spark refuses where TIME is off.

    Raises:
        ValidationError: says what is computed of TIME, or cast to it.
    """
    if (what := find_time_in_use(operation)) is not None:
        raise ValidationError(
            f"{what} is not allowed with {TIME_TYPE} = false", hint="set it to true"
        )


def find_time_in_use(operation: QueryOperation) -> str | None:
    """What Spark refuses where TIME is off: casts to it, and what is computed of it.

    Literals, the clock, comparing and keeping values of TIME are allowed all the same.
    """
    for node in find(operation, Cast, Call, SetOperation):
        if isinstance(node, Cast):
            found = "a cast to TIME" if contains(node.type, TimeType) else None
        elif isinstance(node, Call):
            found = node.function.name if _computes_with_time(node) else None
        else:
            assert isinstance(node, SetOperation)
            found = "a set operation that makes TIME of another type" if _widens(node) else None
        if found is not None:
            return found
    return None


def _computes_with_time(call: Call) -> bool:
    function, made = call.function, call.type
    name, to = function.built_in_name, function.casts_to
    if name in _OF_TIME or (to is not None and contains(to, TimeType)):
        return True
    times = [each for each in call.args if isinstance(each.type, TimeType)]
    if not times:
        taken_out = any(contains(each.type, TimeType) for each in call.args)
        return isinstance(made, TimeType) and name not in _AS_IT_IS and not taken_out
    if name in _PARTS | _SUMS:
        return True
    if isinstance(made, TimeType) or function.operands is COMPARED or name == "nullif":
        return any(_is_made_time(each, times[0].type) for each in call.args)
    if not contains(made, TimeType) or name in _STRUCTS:
        return False
    others = call.args if name == "array" else filter(_is_null, call.args)
    return any(_is_made_time(each, times[0].type) for each in others)


def _is_made_time(given: ResolvedExpression, time: LogicalType) -> bool:
    """Whether an argument is cast to TIME to be of one type with the others."""
    return not isinstance(given.type, BooleanType) and not given.type.same_type(time)


def _is_null(given: ResolvedExpression) -> bool:
    return isinstance(given.type, VoidType)


def _widens(node: SetOperation) -> bool:
    return any(
        isinstance(made.type, TimeType) and not side.type.same_type(made.type)
        for each in node.inputs()
        for made, side in zip(node.schema.fields, each.schema.fields, strict=True)
    )


def _has_time(operation: QueryOperation) -> bool:
    for node in preorder(operation):
        if isinstance(node, Call) and node.function.built_in_name in _OF_TIME:
            return True
        if isinstance(node, QueryOperation):
            types = [field.type for field in node.schema.fields]
        else:
            types = [type_] if (type_ := getattr(node, "type", None)) else []
        if any(contains(type_, TimeType) for type_ in types):
            return True
    return False
