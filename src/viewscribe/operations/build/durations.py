"""Lengths of time windows as users give them: texts, timedeltas and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from viewscribe.errors import TypeMismatchError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.auto_names import value_text
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.functions.declarative import HINT, UNITS, in_words, microseconds
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Alias, Call, Cast, FieldReference, Literal, strip_alias
from viewscribe.expressions.resolve import Scope, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import (
    column_place,
    generate,
    name_items,
    place_errors,
    refuse_rows_of_groups,
    refuse_session,
    resolve_items,
)
from viewscribe.operations.user_functions import collect
from viewscribe.types import (
    STRING,
    CharType,
    DayTimeIntervalType,
    LogicalType,
    TimestampNtzType,
    VarcharType,
    YearMonthIntervalType,
)
from viewscribe.types.arguments import as_list, require_flag, require_text
from viewscribe.types.coercion import is_orderable, stacked_type_of


def duration(value: object) -> str:
    """A length of time as Spark's text of it: a text as it is, a timedelta, an interval literal.

    Raises:
        ValidationError: it is none of these, or has months in it.
    """
    if isinstance(value, str):
        return value
    given = value.resolved if isinstance(value, dsl.ValueExpression) else value
    if isinstance(given, Literal):
        if isinstance(given.type, YearMonthIntervalType):
            raise ValidationError("a month has no fixed length, and a window has one", hint=HINT)
        given = given.value
    if isinstance(given, str):
        return given
    if not isinstance(given, timedelta):
        raise ValidationError(f"{value!r} is not a length of time", hint=HINT)
    return in_words(given // timedelta(microseconds=1))


def gap(value: object) -> str | dsl.Expression:
    """The gap that ends a session: a length as ``duration`` takes it, or one of each row's own.

    Raises:
        ValidationError: it is neither.
    """
    given = value.resolved if isinstance(value, dsl.ValueExpression) else value
    if isinstance(value, dsl.Expression) and not isinstance(given, Literal):
        return value
    return duration(value)


def interval_of(length: int) -> Literal:
    """So many microseconds as an interval of one unit: ``INTERVAL '90' MINUTE``."""
    units = ("day", "hour", "minute")
    unit = next((each for each in units if length % UNITS[each] == 0), "second").upper()
    return literal(timedelta(microseconds=length), DayTimeIntervalType(start=unit, end=unit))


# Builders for pivot, unpivot and time windows.


@place_errors("pivot")
def pivot(
    child: QueryOperation,
    keys: Sequence[Any],
    column: object,
    pivot_values: Sequence[Any],
    aggregates: Sequence[Any],
) -> n.Pivot:
    """Groups by ``keys`` with a column for each value of ``column``."""
    refuse_session(child)
    scope = Scope(child.schema)
    key_references = tuple(child.schema.reference(column_place(child.schema, k)) for k in keys)
    reference = child.schema.reference(column_place(child.schema, column))
    require_pivot_column(reference)
    values_, names = [], []
    for value in as_list(pivot_values, "the values of a pivot"):
        given = dsl.operand(value)
        try:
            resolved = resolve_in(given, Scope(Schema(())))
        except UnknownColumnError:
            raise ValidationError(f"a pivot value is a literal, not {given!r}") from None
        literal_ = strip_alias(resolved)
        if not isinstance(literal_, Literal):
            raise ValidationError(f"a pivot value is a literal, not {resolved.as_summary_string()}")
        values_.append(pivot_literal(literal_, reference.type))
        names.append(resolved.name if isinstance(resolved, Alias) else value_text(literal_))
    calls = [resolve_in(aggregate, scope) for aggregate in aggregates]
    refuse_rows_of_groups(scope, grouped=True)
    if scope.python_aggregates:
        calls = collect(calls, always=True)
    resolved_aggregates = name_items(calls)
    if not scope.aggregates or not resolved_aggregates:
        raise ValidationError("a pivot needs at least one aggregate function")
    return n.Pivot.of(
        child, key_references, reference, tuple(values_), tuple(names), resolved_aggregates
    )


def require_pivot_column(column: FieldReference) -> None:
    """Refuses columns whose values Spark cannot tell apart.

    Raises:
        ValidationError: names the column and its type.
    """
    if not is_orderable(column.type):
        raise ValidationError(
            f"a pivot compares the values of `{column.name}`, and {column.type.ddl} cannot be "
            "compared",
            hint="pivot by a field or an element of it",
        )


def pivot_literal(value: Literal, type_: LogicalType) -> Literal:
    """Returns a pivot value as a literal of the type of the pivot column, to which Spark casts it.

    Raises:
        TypeMismatchError: it is none, or only Spark can tell.
    """
    if isinstance(type_, CharType | VarcharType):
        type_ = STRING.with_nullability(type_.nullable)
    if value.type.same_type(type_):
        return value
    return fold_constant(Cast(value, type_)) or literal(value.value, type_)


@place_errors("unpivot")
def unpivot(
    child: QueryOperation,
    columns: Sequence[Any],
    name_column: str,
    value_column: str,
    *,
    include_nulls: bool,
) -> n.Unpivot:
    """Turns the columns into rows of a name and a value."""
    refuse_session(child)
    require_text(name_column, "the name of a column")
    require_text(value_column, "the name of a column")
    require_flag(include_nulls, "include_nulls")
    references, labels = [], []
    scope = Scope(child.schema)
    for resolved in resolve_items([columns], scope):
        reference = strip_alias(resolved)
        if not isinstance(reference, FieldReference):
            raise ValidationError(f"unpivot takes columns, not {resolved.as_summary_string()}")
        references.append(reference)
        labels.append(resolved.name if isinstance(resolved, Alias) else reference.name)
    if not references:
        raise ValidationError("unpivot takes at least one column")
    if stacked_type_of([ref.type for ref in references]) is None:
        shown = ", ".join(f"{ref.name} {ref.type.ddl}" for ref in references)
        raise TypeMismatchError(
            f"the columns of an unpivot need a common type: {shown}", hint="cast them first"
        )
    return n.Unpivot.of(
        child, tuple(references), tuple(labels), name_column, value_column, include_nulls
    )


@place_errors("a window")
def time_window(child: QueryOperation, call: object, name: str) -> n.TimeWindow:
    """Adds the time window of each row as a struct column ``name``."""
    refuse_session(child)
    resolved = resolve_in(call, Scope(child.schema))
    assert isinstance(resolved, Call)
    for length in resolved.args[1:]:  # Spark ends no session where it does not read the text
        if isinstance(length, Literal) and isinstance(length.value, str):
            microseconds(length.value)
    _require_free(name, child.schema)
    return n.TimeWindow.of(child, resolved, name)


def _require_free(name: str, schema: Schema) -> None:
    require_text(name, "the name of a column")
    if name.lower() in schema.by_name:
        raise ValidationError(f"the input already has a column `{name}`", hint="name it otherwise")


_DAY = microseconds("1 day")


@place_errors("a window")
def cumulative_window(
    child: QueryOperation, time: object, step: str, size: str, name: str, start: str
) -> QueryOperation:
    """Repeats each row for every cumulative window it lies in (``size``, growing by ``step``).

    A row lies in one window of ``size`` and in one of ``step``; the first of its cumulative windows
    ends where the latter does.

    Raises:
        ValidationError: the size is not a multiple of the step, or a length is invalid.
    """
    every, whole, offset = microseconds(step), microseconds(size), microseconds(start)
    if every <= 0 or whole % every:
        raise ValidationError(
            f"windows of {in_words(whole)} cannot grow by {in_words(every)}",
            hint="the size is a multiple of the step, which comes first",
        )
    if every == whole:
        return time_window(child, _window(time, whole, offset), name)
    _require_free(name, child.schema)
    width = len(child.schema)
    wholes, steps, end = (_free_name(child.schema, f"{name}_{part}") for part in _PARTS)
    made: QueryOperation = time_window(child, _window(time, whole, offset), wholes)
    made = time_window(made, _window(time, every, offset % every), steps)
    largest, smallest = (dsl.ValueExpression(ref) for ref in made.schema.references[width:])
    last = resolve_in(largest.get("end"), Scope(made.schema))
    has_no_zone = isinstance(last.type, TimestampNtzType)
    ends = _ends(smallest.get("end"), dsl.ValueExpression(last), every, has_no_zone)
    made = generate(made, ends, [end])
    window = _call("named_struct", "start", largest.get("start"), "end", dsl.column(f"`{end}`"))
    columns = child.schema.references
    return n.Project.of(made, (*columns, resolve_in(window.alias(name), Scope(made.schema))))


_PARTS = ("whole", "step", "end")


def _window(time: Any, length: int, offset: int) -> dsl.Expression:
    """Returns the call of a tumbling window, with the slide written out only before an offset."""
    more = (in_words(length), in_words(offset)) if offset else ()
    return _call("window", dsl.column_or(time), in_words(length), *more)


def _ends(
    first: dsl.Expression, last: dsl.Expression, step: int, has_no_zone: bool
) -> dsl.Expression:
    """Generates a row for each window end.

    Windows have a fixed length, but days vary with daylight saving. So a step of days is counted in
    microseconds, or TIMESTAMPs would shift by an hour when the clocks change.
    """
    if step < _DAY or has_no_zone:
        return _call("explode", _call("sequence", first, last, interval_of(step)))
    ends = _call("sequence", _call("unix_micros", first), _call("unix_micros", last), step)
    times = _call("transform", ends, lambda micros: _call("timestamp_micros", micros))
    return _call("explode", times)


def _call(name: str, *args: Any) -> dsl.Expression:
    return dsl.function_call(built_in(name), args)


def _free_name(schema: Schema, wanted: str) -> str:
    name, number = wanted, 2
    while name.lower() in schema.by_name:
        name, number = f"{wanted}_{number}", number + 1
    return name
