"""Casts that Spark's analyzer added: left out where Spark adds them again by itself.

What a user casts is marked in the plan; every other cast was added. It is left out only where the
call without it has the same type, nullability included, and reads the operand as the type it was
cast to. Else it stays, and says what Spark does anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.types import (
    DecimalType,
    IntegralType,
    LogicalType,
    NumericType,
    TinyIntType,
    VoidType,
)
from viewscribe.types.coercion import (
    common_type_of,
    comparison_type,
    decimal_of,
    decimal_of_literal,
)

Arguments = tuple[ResolvedExpression, ...]
Types = Sequence[LogicalType]
Read = Sequence[Sequence[LogicalType | None]]
"""For each argument the types that Spark may read it as."""


def is_added(node: PlanNode) -> bool:
    """Whether the node is a cast that the analyzer added."""
    return node.kind == "Cast" and "written" not in node.extra and node["evalMode"].name != "TRY"


def is_exact(value: ResolvedExpression, between: LogicalType, target: LogicalType) -> bool:
    """Whether a value cast to one type and then to another is the value cast to the latter.

    The first cast may be a user's: ``int(price)`` leaves no mark in the plan.
    """
    given = value.type
    if isinstance(given, VoidType):
        return True
    if not (isinstance(given, IntegralType) and isinstance(target, NumericType)):
        return False
    if isinstance(between, IntegralType):
        return common_type_of([given, between]) == between.with_nullability(
            given.nullable or between.nullable
        )
    whole = decimal_of(given)
    digits = whole.precision - whole.scale
    if isinstance(value, Literal) and value.value is not None:
        digits = len(str(abs(value.value)))  # a constant becomes a DECIMAL of its own digits
    return isinstance(between, DecimalType) and between.precision - between.scale >= digits


def without_added(function: FunctionDefinition, args: Arguments, bare: Arguments) -> Arguments:
    """The arguments, without those added casts that Spark adds again.

    Args:
        function: what is called.
        args: the arguments, all casts included.
        bare: the same without added casts; where there is none, the very same expression.
    """
    added = [place for place, arg in enumerate(args) if bare[place] is not arg]
    if not added:
        return args
    if _same(function, bare, args):
        return bare
    found = args
    for place in added:
        tried = (*found[:place], bare[place], *found[place + 1 :])
        if _same(function, tried, args):
            found = tried
    return found


def _same(function: FunctionDefinition, tried: Arguments, full: Arguments) -> bool:
    try:
        if function.infer(tried) != function.infer(full):
            return False
        read = _read_as(function, tried)
    except ValidationError:
        return False
    return all(
        bare is whole or any(type_ and type_.same_type(whole.type) for type_ in read[place])
        for place, (bare, whole) in enumerate(zip(tried, full, strict=True))
    )


def _read_as(function: FunctionDefinition, args: Arguments) -> Read:
    special = _READ_AS.get(function.name)
    if special is not None:
        types = [arg.type for arg in args]
        if function.name in _NARROWING and any(isinstance(t, DecimalType) for t in types):
            types = [_narrow(arg) for arg in args]
        return special(types, function.infer(args))
    context = CallContext(function, args)
    function.inference.infer(context)
    return [(type_,) for type_ in context.types]


def _narrow(arg: ResolvedExpression) -> LogicalType:
    """Beside a DECIMAL Spark takes a whole number that is written out for as short as it is."""
    if isinstance(arg.type, TinyIntType):
        return arg.type
    if isinstance(arg, Literal) and isinstance(arg.type, IntegralType) and arg.value is not None:
        return decimal_of_literal(arg.value)
    return arg.type


def _read_comparison(types: Types, result: LogicalType) -> Read:
    return [(comparison_type(types[0], types[1]),)] * 2


def _read_list(types: Types, result: LogicalType) -> Read:
    return [(common_type_of(types),)] * len(types)


def _between(types: Types, result: LogicalType) -> Read:
    lower, upper = comparison_type(types[0], types[1]), comparison_type(types[0], types[2])
    both = lower if lower and upper and lower.same_type(upper) else None
    return [(both,), (lower,), (upper,)]


def _cases(types: Types, result: LogicalType) -> Read:
    paired = len(types) // 2 * 2
    return [
        (result,) if place % 2 or place == paired else (type_,) for place, type_ in enumerate(types)
    ]


def _choice(types: Types, result: LogicalType) -> Read:
    return [(types[0],), (result,), (result,)]


def _operands(types: Types, result: LogicalType) -> Read:
    """Of arithmetic: the common type or that of the result; decimals each as they are."""
    common = common_type_of(types)
    return [(common, result, _as_decimal(type_)) for type_ in types]


def _as_decimal(type_: LogicalType) -> LogicalType | None:
    if isinstance(type_, DecimalType):
        return type_
    return decimal_of(type_) if isinstance(type_, IntegralType) else None


_NARROWING = frozenset(
    (
        "equals",
        "not_equals",
        "less_than",
        "less_than_or_equal",
        "greater_than",
        "greater_than_or_equal",
        "equal_null",
        "is_distinct_from",
        "between",
        "plus",
        "minus",
        "times",
        "divide",
        "mod",
        "pmod",
        "div",
    )
)
"""Functions of two operands, one of which may be a short DECIMAL for that reason."""

_READ_AS: dict[str, Callable[[Types, LogicalType], Read]] = {
    **dict.fromkeys(
        (
            "equals",
            "not_equals",
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
            "equal_null",
            "is_distinct_from",
        ),
        _read_comparison,
    ),
    **dict.fromkeys(
        (
            "plus",
            "minus",
            "times",
            "divide",
            "mod",
            "pmod",
            "div",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
        ),
        _operands,
    ),
    "in": _read_list,
    "between": _between,
    "case": _cases,
    "if": _choice,
}
"""Functions whose validators take operands as they are: what Spark casts these to."""
