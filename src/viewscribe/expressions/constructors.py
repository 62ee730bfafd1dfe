"""The functions users import to start an expression: ``col``, ``lit``, ``call`` and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    column_or,
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
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal, not_null
from viewscribe.expressions.user_calls import Descriptor, takes_tables
from viewscribe.expressions.windows import WindowSpec
from viewscribe.types import DayTimeIntervalType, LogicalType, YearMonthIntervalType
from viewscribe.types.identifiers import parse_name


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


# Calls as PySpark's functions make them: strings are columns, missing arguments have defaults.


def python_call(name: str, *args: Operand) -> CallExpression:
    """A call by name, as PySpark makes it."""
    return python_call_of(built_in(name), args)


def python_call_of(definition: FunctionDefinition, args: Sequence[Any]) -> CallExpression:
    """A call as PySpark makes it: strings are columns, unless the argument is a text."""
    inference = definition.inference
    if inference.variadic and len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    while args and args[-1] is None and inference.required < len(args) <= inference.most:
        args = args[:-1]
    made = []
    for place, given in enumerate(args):
        named = isinstance(given, str) and not inference.takes_text(place)
        made.append(column_or(given) if named else operand(given))
    return CallExpression(definition, tuple(made))


def place_arguments(
    definition: FunctionDefinition,
    names: tuple[str, ...],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
) -> Sequence[Any]:
    """The arguments in their order, those given by name included."""
    if not named and len(args) == len(names) and not any(each is None for each in args):
        return args  # as they are, which is how most calls are written
    required = definition.inference.required
    if not required <= len(args) + len(named) <= len(names):
        return (*args, *named.values())
    given = dict(zip(names, args, strict=False))
    for name in (*named, *names[:required]):
        if (name in given) is (name in named) or name not in names:
            raise TypeError(f"{definition.name}() takes `{name}` once, beside: {', '.join(names)}")
    given |= named
    ordered = [given.get(name) for name in names]
    while len(ordered) > required and ordered[-1] is None:
        ordered.pop()
    # PySpark passes the default of one that is left out before one that is given.
    usual = [None if isinstance(each, str) else lit(each[1]) for each in definition.parameters]
    for place, value in enumerate(ordered[: len(usual)]):
        ordered[place] = usual[place] if value is None else value
    return ordered


def default(*pairs: tuple[Any, Any]) -> list[Any]:
    """The arguments up to the last one given, each missing one before it as its default.

    A pair is the argument and its default.
    """
    last = max((place for place, (given, _) in enumerate(pairs) if given is not None), default=-1)
    return [lit(default) if given is None else given for given, default in pairs[: last + 1]]


# Timestamps and intervals made of their parts, with PySpark's arguments.


def make_timestamp(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp of six numbers, or of a date and a time, in a time zone."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("make_timestamp", numbers, (date, time), timezone)


def try_make_timestamp(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp that make_timestamp makes, NULL where there is none."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("try_make_timestamp", numbers, (date, time), timezone)


def make_timestamp_ntz(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp without a time zone of six numbers, or of a date and a time."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("make_timestamp_ntz", numbers, (date, time))


def try_make_timestamp_ntz(
    years: Operand = None,
    months: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    date: Operand = None,
    time: Operand = None,
) -> CallExpression:
    """The timestamp that make_timestamp_ntz makes, NULL where there is none."""
    numbers = (years, months, days, hours, mins, secs)
    return _timestamp("try_make_timestamp_ntz", numbers, (date, time))


def _timestamp(
    name: str, numbers: tuple[Any, ...], moment: tuple[Any, Any], timezone: Operand = None
) -> CallExpression:
    given = [each for each in numbers if each is not None]
    of_moment = [each for each in moment if each is not None]
    if given and of_moment:
        raise ValidationError(f"{name} takes six numbers or a date and a time, not both")
    zone = [] if timezone is None else [timezone]
    return python_call(name, *(given or of_moment), *zone)


def make_interval(
    years: Operand = None,
    months: Operand = None,
    weeks: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
) -> CallExpression:
    """The interval of years, months, weeks, days, hours, minutes and seconds."""
    parts = (years, months, weeks, days, hours, mins, secs)
    return python_call("make_interval", *default(*[(part, 0) for part in parts]))


def try_make_interval(
    years: Operand = None,
    months: Operand = None,
    weeks: Operand = None,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
) -> CallExpression:
    """The interval of its parts, NULL where it is too long."""
    parts = (0 if years is None else years, months, weeks, days, hours, mins, secs)
    return python_call("try_make_interval", *default(*[(part, 0) for part in parts]))
