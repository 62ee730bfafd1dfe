"""The functions users import to start an expression: ``col``, ``lit``, ``call`` and others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import (
    CallExpression,
    ColumnExpression,
    ColumnRange,
    ColumnsExpression,
    Expression,
    Operand,
    QueryExpression,
    StarExpression,
    TableCall,
    ValueExpression,
    as_type,
    columns,
    function_call,
    named_call,
    operand,
    optioned_call,
    user_call,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal, not_null
from viewscribe.expressions.user_calls import Descriptor, takes_tables
from viewscribe.expressions.windows import WindowSpec
from viewscribe.types import DayTimeIntervalType, LogicalType, YearMonthIntervalType


def col(name: str) -> Expression:
    """Names a column: ``"price"``, ``"orders.price"``, ``"address.city"``, ``"*"``, ``"t.*"``.

    ``"address.*"`` stands for the fields of a struct. A name that contains dots or spaces is
    quoted with backticks: ``"`unit price`"``.
    """
    return columns(name)


def range_(first: str | int, last: str | int) -> ColumnRange:
    """Selects a range of columns, by name or by position from 1, for use in ``with_columns``."""
    ends: tuple[Any, ...] = (first, last)
    for end in ends:
        if isinstance(end, bool) or not isinstance(end, str | int):
            raise ValidationError(f"a range of columns is of names or places, not {end!r}")
    if isinstance(first, str) is not isinstance(last, str):
        raise ValidationError("a range of columns is from name to name, or from place to place")
    return ColumnRange(first, last)


def with_columns(*items: Operand) -> Expression:
    """Selects columns by name, position from 1 or range: ``with_columns(range_("a", "c"), 5)``."""
    return _columns("with_columns", items, others=False)


def without_columns(*items: Operand) -> Expression:
    """Selects all columns except these, which are given as for ``with_columns``."""
    return _columns("without_columns", items, others=True)


def _columns(name: str, items: tuple[Any, ...], *, others: bool) -> Expression:
    if not items:
        raise ValidationError(f"{name}() needs at least one column")
    for item in items:
        if isinstance(item, bool) or not isinstance(
            item, str | int | ColumnRange | ColumnExpression | StarExpression
        ):
            raise ValidationError(
                f"{name}() takes columns, not {item!r}",
                hint='names, places from 1, and ranges of them: range_("a", "c")',
            )
    return ColumnsExpression(items, others)


def with_all_columns() -> Expression:
    """Selects all columns, like ``col("*")``."""
    return StarExpression()


def lit(value: Operand, type_: LogicalType | str | None = None) -> Expression:
    """Makes a literal of a Python value, with ``type_`` or the type inferred from the value."""
    if isinstance(value, Expression):
        return value
    return ValueExpression(not_null(literal(value, None if type_ is None else as_type(type_))))


def call(function: Operand, /, *args: Any, **options: Operand) -> Expression:
    """Calls a function; Python values among the arguments become literals.

    Args:
        function: a name (``"f"``, ``"db.f"`` or ``"cat.db.f"``), which is looked up in the
            environment of the table that the call is used in; or a Python function itself.
        args: its arguments.
        options: arguments by the names of their parameters, ``call("mask", text, lowerChar="q")``,
            of functions of users and of those of Spark whose parameters have names.

    ``call("cast", value, "INT")`` is the cast to a type.

    Some functions have options: ``call("json_value", doc, "$.a", returning="INT")``.

    A process table function is called with tables, for ``env.from_call``:
    ``call(CountWithTimeout, clicks.partition_by("user"), on_time=descriptor("ts"))``; one that
    takes no table, with constants: ``call(Numbers, 3)``.

    Raises:
        UnknownFunctionError: no function has the name where the call is used; shows the nearest.
        ValidationError, ArityError: there, too, a parameter is given twice, or left out, or there
            is none of that name.
    """
    if takes_tables(args, options):
        return TableCall(function, args, options)
    if isinstance(function, str):
        if function.lower() == "cast" and len(args) == 2:
            return lit(args[0]).cast(args[1])
        return named_call(_parts(function), args, options)
    from viewscribe.expressions.functions.user_defined import UserFunction

    if not isinstance(function, FunctionDefinition):
        from viewscribe.expressions.functions.python import inline

        function = inline(function)
    if function.kind is FunctionKind.PROCESS_TABLE:
        return TableCall(function, args, options)
    make = user_call if isinstance(function, UserFunction) else optioned_call
    return make(function, args, options)


def _parts(name: str) -> tuple[str, ...]:
    if "." not in name and "`" not in name:
        return (name,)
    from viewscribe.types.identifiers import parse_name

    return parse_name(name)


def and_(*conditions: Operand) -> Expression:
    """All conditions hold."""
    return _connect(op.AND, conditions)


def or_(*conditions: Operand) -> Expression:
    """At least one condition holds."""
    return _connect(op.OR, conditions)


def not_(condition: Operand) -> Expression:
    """The condition does not hold."""
    return CallExpression(op.NOT, (operand(condition),))


def _connect(connective: FunctionDefinition, conditions: tuple[Operand, ...]) -> Expression:
    if len(conditions) == 1:
        only = operand(conditions[0])
        return only if isinstance(only, Expression) else ValueExpression(only)
    return CallExpression(connective, tuple(map(operand, conditions)))


def if_then_else(condition: Operand, then: Operand, otherwise: Operand) -> Expression:
    """``then`` where the condition holds, else ``otherwise``."""
    return function_call(built_in("case"), (condition, then, otherwise))


def row(*items: Operand) -> Expression:
    """A struct of the items; fields take the names of columns and aliases, else col1, col2 …"""
    return function_call(built_in("struct"), items)


def array(*items: Operand) -> Expression:
    """An array of the items."""
    return function_call(built_in("array"), items)


def map_(*items: Operand) -> Expression:
    """A map of the items: key, value, key, value …"""
    return function_call(built_in("map"), items)


def over(*, partition_by: Operand = (), order_by: Operand = ()) -> WindowSpec:
    """A window: ``F.rank().over(over(partition_by="dept", order_by=col("salary").desc()))``."""
    return WindowSpec().partition_by(*_many(partition_by)).order_by(*_many(order_by))


def _many(keys: Operand) -> tuple[Any, ...]:
    return tuple(keys) if isinstance(keys, list | tuple) else (keys,)


def interval(
    *,
    years: int | None = None,
    months: int | None = None,
    days: int | None = None,
    hours: int | None = None,
    minutes: int | None = None,
    seconds: int | float | None = None,
) -> Expression:
    """An interval literal of the units given: ``interval(days=90)`` is ``INTERVAL '90' DAY``.

    Years and months make one kind of interval, days to seconds the other; they do not mix.
    """
    long = {"YEAR": years, "MONTH": months}
    short = {"DAY": days, "HOUR": hours, "MINUTE": minutes, "SECOND": seconds}
    given_long = [unit for unit, amount in long.items() if amount is not None]
    given_short = [unit for unit, amount in short.items() if amount is not None]
    if bool(given_long) == bool(given_short):
        raise ValidationError(
            "an interval is either years and months, or days, hours, minutes and seconds",
            hint="add two intervals one after the other",
        )
    if given_long:
        kind: LogicalType = YearMonthIntervalType(start=given_long[0], end=given_long[-1])
        return lit((years or 0) * 12 + (months or 0), kind)
    kind = DayTimeIntervalType(start=given_short[0], end=given_short[-1])
    amount = timedelta(days=days or 0, hours=hours or 0, minutes=minutes or 0, seconds=seconds or 0)
    return lit(amount, kind)


def descriptor(*names: str) -> Descriptor:
    """Names columns where an argument wants names, not values."""
    return Descriptor(names)


def exists(query: Operand) -> Expression:
    """Whether a query has a row.

    ``query`` is a table, or a function from the enclosing row to a table:
    ``exists(lambda outer: orders.filter(col("o_custkey") == outer("c_custkey")))``.
    """
    return QueryExpression("exists", query)


def scalar(query: Operand) -> Expression:
    """The one value of a query of one column; ``query`` as for ``exists``."""
    return QueryExpression("scalar", query)


def in_query(operands: Operand, query: Operand) -> Expression:
    """Whether the operands equal a row of a query; ``query`` as for ``exists``."""
    return QueryExpression("in", query, tuple(map(operand, _many(operands))))


Lambda = Callable[..., Any]
