"""Calls of user functions: arguments are cast to the declared parameter types.

Spark casts the arguments of its own functions, SQL functions and Java aggregates. It passes
arguments to Python functions and Java's UDF0 … UDF22 unchanged: a string where a number was
declared, an INT where Arrow expects 64 bits. So the tree contains the casts, and so does the SQL.
"""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.expressions.nodes import AggregateCall, Call, Cast, ResolvedExpression
from viewscribe.types import (
    ArrayType,
    CharType,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StructType,
    VarcharType,
    VoidType,
)
from viewscribe.types.nested_types import DecimalType, DoubleType, StringType, value_type

# Arguments that only table functions take: tables, names of columns, arguments with names.


class NamedArgument:
    """An argument of a table function with the name of its parameter."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    @property
    def is_table_argument(self) -> bool:
        """Whether the value is a table."""
        return is_table(self.value)

    def __repr__(self) -> str:
        return f"{self.value!r}.as_argument({self.name!r})"


def is_table(value: Any) -> bool:
    """Whether an argument is a table, as it is, partitioned or named."""
    return getattr(type(value), "is_table_argument", False) is not False and bool(
        value.is_table_argument
    )


def takes_tables(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether one of the arguments is a table."""
    return any(map(is_table, args)) or any(map(is_table, named.values()))


class Descriptor:
    """Column names, as an argument: the time column of a window table function."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def as_argument(self, name: str) -> NamedArgument:
        """The argument of that name: ``descriptor("ts").as_argument("on_time")``."""
        return NamedArgument(name, self)

    def __repr__(self) -> str:
        return f"descriptor({', '.join(map(repr, self.names))})"


def fit_call(call: ResolvedExpression) -> ResolvedExpression:
    """Returns the call with its arguments cast where Spark would not cast them."""
    if not isinstance(call, Call | AggregateCall) or not isinstance(call.function, UserFunction):
        return call
    args = fitted_arguments(call.function, call.args)
    return call if args is call.args else call.copy_with({"args": args})


def fitted_arguments(
    function: UserFunction, args: tuple[ResolvedExpression, ...]
) -> tuple[ResolvedExpression, ...]:
    """Returns the arguments, cast where Spark would not; the same tuple if none is cast."""
    source = function.source
    if source.parameters is None or not _takes_what_it_gets(source):
        return args
    passes = (
        _is_same
        if (
            source.language is Language.JAVA
            or source.convention
            in (
                Convention.ARROW,
                Convention.ARROW_BATCHES,
            )
        )
        else is_same_in_python
    )
    pairs = list(zip(args, source.parameters, strict=False))
    if all(passes(arg.type, parameter.type) for arg, parameter in pairs):
        return args
    return tuple(
        arg
        if passes(arg.type, parameter.type)
        else Cast(arg, cast_type(arg.type, parameter.type.as_nullable()))
        for arg, parameter in pairs
    )


def _takes_what_it_gets(source: FunctionSource) -> bool:
    if source.language is Language.JAVA:
        return source.kind is FunctionKind.SCALAR
    return source.language is Language.PYTHON


def _is_same(given: LogicalType, wanted: LogicalType) -> bool:
    return value_type(given).same_type(value_type(wanted))


def is_same_in_python(given: LogicalType, wanted: LogicalType) -> bool:
    """Whether both types reach Python as the same class, as INT and BIGINT are both ``int``."""
    if isinstance(given, VoidType):
        return True
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return is_same_in_python(given.element, wanted.element)
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        inside = ((given.key, wanted.key), (given.value, wanted.value))
        return all(is_same_in_python(one, other) for one, other in inside)
    if isinstance(given, StructType):
        return True  # passes only where it is the very struct
    return any(isinstance(given, kinds) and isinstance(wanted, kinds) for kinds in _CLASSES) or (
        type(given) is type(wanted)
    )


_CLASSES: tuple[tuple[type[LogicalType], ...], ...] = (
    (IntegralType,),
    (FloatType, DoubleType),
    (DecimalType,),
    (StringType, CharType, VarcharType),
)
"""Types whose values are of one class in Python."""


def refuse_clauses_over(call: ResolvedExpression) -> None:
    """Refuses clauses that Spark does not accept on a Python aggregate over a window."""
    if not isinstance(call, AggregateCall) or not isinstance(call.function, UserFunction):
        return
    clause = "DISTINCT" if call.distinct else "FILTER" if call.filter is not None else None
    if clause and call.function.is_python_aggregate:
        raise ValidationError(
            f"the Python aggregate {call.function!r} has no {clause} over a window",
            hint="give it NULL for the rows to leave out: if_then_else(condition, value, None)"
            if clause == "FILTER"
            else "take the distinct rows first, and join them",
        )
