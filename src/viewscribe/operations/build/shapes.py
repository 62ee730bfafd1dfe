"""Pivot, unpivot, time windows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from viewscribe.errors import TypeMismatchError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    unaliased,
)
from viewscribe.expressions.resolve import (
    Scope,
    resolve_in,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import column_place, placed, refuse_session
from viewscribe.operations.build.columns import named
from viewscribe.operations.python_aggregates import collected
from viewscribe.types import LogicalType
from viewscribe.types.coercion import common_type_of


@placed("pivot")
def pivot(
    child: QueryOperation,
    keys: Sequence[Any],
    column: Any,
    pivot_values: Sequence[Any],
    aggregates: Sequence[Any],
) -> n.Pivot:
    """Groups by ``keys`` with a column for each value of ``column``."""
    refuse_session(child)
    scope = Scope(child.schema)
    key_references = tuple(child.schema.reference(column_place(child.schema, k)) for k in keys)
    reference = child.schema.reference(column_place(child.schema, column))
    values_, names = [], []
    for value in pivot_values:
        given = dsl.operand(value)
        try:
            resolved = resolve_in(given, Scope(Schema(())))
        except UnknownColumnError:
            raise ValidationError(f"a pivot value is a literal, not {given!r}") from None
        literal_ = unaliased(resolved)
        if not isinstance(literal_, Literal):
            raise ValidationError(f"a pivot value is a literal, not {resolved.as_summary_string()}")
        values_.append(_pivot_literal(literal_, reference.type))
        names.append(resolved.name if isinstance(resolved, Alias) else str(literal_.value))
    calls = [resolve_in(aggregate, scope) for aggregate in aggregates]
    if scope.python_aggregates:
        calls = collected(calls, always=True)
    resolved_aggregates = named(calls)
    if not scope.aggregates or not resolved_aggregates:
        raise ValidationError("a pivot needs at least one aggregate function")
    return n.Pivot.of(
        child, key_references, reference, tuple(values_), tuple(names), resolved_aggregates
    )


def _pivot_literal(value: Literal, type_: LogicalType) -> Literal:
    return value if value.type.same_type(type_) else literal(value.value, type_)


@placed("unpivot")
def unpivot(
    child: QueryOperation,
    columns: Sequence[Any],
    name_column: str,
    value_column: str,
    *,
    include_nulls: bool,
) -> n.Unpivot:
    """The columns turned into rows of a name and a value."""
    refuse_session(child)
    references, labels = [], []
    for column in columns:
        resolved = resolve_in(dsl.column_or(column), Scope(child.schema))
        reference = unaliased(resolved)
        if not isinstance(reference, FieldReference):
            raise ValidationError(f"unpivot takes columns, not {resolved.as_summary_string()}")
        references.append(reference)
        labels.append(resolved.name if isinstance(resolved, Alias) else reference.name)
    if not references:
        raise ValidationError("unpivot takes at least one column")
    if common_type_of([ref.type for ref in references]) is None:
        shown = ", ".join(f"{ref.name} {ref.type.ddl}" for ref in references)
        raise TypeMismatchError(
            f"the columns of an unpivot need a common type: {shown}", hint="cast them first"
        )
    return n.Unpivot.of(
        child, tuple(references), tuple(labels), name_column, value_column, include_nulls
    )


_DURATION = re.compile(
    r"(?:interval\s+)?((?:[+-]?\s*\d+(?:\.\d+)?\s+"
    r"(?:week|day|hour|minute|second|millisecond|microsecond)s?\s*)+)",
    re.IGNORECASE,
)


def check_durations(args: Sequence[ResolvedExpression]) -> None:
    """Refuses lengths of windows that Spark would refuse later."""
    for arg in args:
        if isinstance(arg, Literal) and not _DURATION.fullmatch(str(arg.value).strip()):
            raise ValidationError(
                f"{arg.value!r} is not a length of time",
                hint='write it as "10 minutes" or "1 day 12 hours": weeks, days, hours, minutes, '
                "seconds, milliseconds, microseconds",
            )


@placed("a window")
def time_window(child: QueryOperation, call: Any, name: str) -> n.TimeWindow:
    """The input with the time window of each row as a struct column ``name``."""
    refuse_session(child)
    resolved = resolve_in(call, Scope(child.schema))
    assert isinstance(resolved, Call)
    check_durations(resolved.args[1:])
    if name.lower() in child.schema.by_name:
        raise ValidationError(f"the input already has a column `{name}`", hint="name it otherwise")
    return n.TimeWindow.of(child, resolved, name)
