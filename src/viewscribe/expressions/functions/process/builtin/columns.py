"""What built-in functions of any tables have in common: which of the columns, and which values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.context import Context
from viewscribe.expressions.functions.process.inference import ProcessCallContext
from viewscribe.expressions.functions.process.rows import Row
from viewscribe.types import Field, LogicalType, StructType

INPUT = "input"
"""The table argument of functions that take one table."""


def columns_but_keys(call: ProcessCallContext) -> tuple[Field, ...]:
    """The columns of the input that are not those of PARTITION BY, which a result has anyway."""
    return columns_but(call, call.keys.get(INPUT, ()))


def columns_but(call: ProcessCallContext, left_out: Iterable[str]) -> tuple[Field, ...]:
    """The columns of the input, nullable, without some."""
    lowered = {name.lower() for name in left_out}
    return tuple(
        Field(field.name, field.type.as_nullable())
        for field in call.data_type_of(INPUT).fields
        if field.name.lower() not in lowered
    )


def time_type(call: ProcessCallContext) -> LogicalType:
    """The type of the input's time column."""
    names = {name.lower() for name in call.on_time}
    for field in call.data_type_of(INPUT).fields:
        if field.name.lower() in names:
            return field.type.as_nullable()
    raise ValidationError(
        f"{call.function} is called without a time column",
        hint='write on_time=descriptor("ts")',
    )


def struct_of(*fields: tuple[str, LogicalType | Iterable[Field]]) -> StructType:
    """A STRUCT of fields, those that are columns being a STRUCT themselves."""
    return StructType(
        fields=tuple(
            Field(name, of if isinstance(of, LogicalType) else StructType(fields=tuple(of)))
            for name, of in fields
        )
    )


def check_span(call: ProcessCallContext, argument: str) -> None:
    """Refuses a span of time that is none, or goes back."""
    value = call.value_of(argument)
    if not isinstance(value, dt.timedelta) or value <= dt.timedelta(0):
        raise ValidationError(
            f"the argument `{argument}` of {call.function} is {value!r}",
            hint=f"write a span of time above zero: {argument}=timedelta(minutes=5), in SQL "
            f"{argument} => INTERVAL '5' MINUTE",
        )


class Chosen:
    """Takes the values of some columns of rows, which all have the same columns.

    Args:
        left_out: the columns that are not taken beside those of PARTITION BY.
    """

    __slots__ = ("_left_out", "_take")

    def __init__(self, *left_out: str) -> None:
        self._left_out = left_out
        self._take: Callable[[Row], tuple[Any, ...]] | None = None

    def __call__(self, ctx: Context, row: Row) -> tuple[Any, ...]:
        """The values, in the order of the columns."""
        if self._take is None:
            keys = ctx.set_semantics_for(INPUT).partition_by_columns()
            self._take = _taker(row.fields, {name.lower() for name in (*keys, *self._left_out)})
        return self._take(row)


def _taker(fields: tuple[str, ...], left_out: set[str]) -> Callable[[Row], tuple[Any, ...]]:
    places = [place for place, name in enumerate(fields) if name.lower() not in left_out]
    if len(places) < 2:
        return lambda row: tuple(row[place] for place in places)
    take = itemgetter(*places)
    return lambda row: take(tuple(row))  # of a plain tuple it takes no call of Python's
