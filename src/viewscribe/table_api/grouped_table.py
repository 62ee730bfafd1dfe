"""``GroupedTable``: the step between ``group_by`` and ``select``, ``agg`` or ``pivot``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.resolve import Scope
from viewscribe.expressions.user_calls import Descriptor
from viewscribe.operations import build
from viewscribe.operations.aggregation import GroupingKeys, aggregate, aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Grouping
from viewscribe.operations.user_functions import collect
from viewscribe.table_api.policy_scope import in_force

if TYPE_CHECKING:
    from viewscribe.table_api.table import Table


# The part of a table that assigns its rows to windows of time.

Duration = str | timedelta | dsl.Expression
"""A length of time: text such as ``"10 minutes"``, a timedelta or an interval literal."""


class AddsTimeWindows:
    """The methods of ``Table`` that add a time window to each row."""

    __slots__ = ()

    def _build(
        self, builder: Callable[..., QueryOperation], *args: Operand, **options: Operand
    ) -> Table:
        raise NotImplementedError

    def tumble(
        self,
        time: Operand,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Adds the tumbling time window of each row, as a struct column of start and end.

        Args:
            time: the time column: a name, an expression or ``descriptor("ts")``.
            size: the window length, such as ``"10 minutes"``, ``timedelta(minutes=10)`` or
                ``interval(minutes=10)``.
            name: the name of the struct column.
            start: the offset of the windows from 1970-01-01 00:00 UTC, such as ``"15 minutes"``.
            offset: Flink's name for ``start``.
        """
        moved = _offset(start, offset)
        more = () if moved is None else (size, moved)
        return self._window("window", time, map(build.duration, (size, *more)), name)

    def hop(
        self,
        time: Operand,
        size: Duration,
        slide: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Returns each row once per sliding window it falls into, ``size`` long every ``slide``.

        The other arguments are those of ``tumble``.
        """
        moved = _offset(start, offset)
        more = () if moved is None else (moved,)
        return self._window("window", time, map(build.duration, (size, slide, *more)), name)

    def cumulate(
        self,
        time: Operand,
        step: Duration,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Returns each row once per cumulative window, which grows by ``step`` up to ``size``.

        With a step of an hour and a size of a day, a row at 22:30 falls into the windows from 0:00
        to 23:00 and from 0:00 to 24:00. The other arguments are those of ``tumble``.

        Raises:
            ValidationError: the size is not a multiple of the step.
        """
        column = time.names[0] if isinstance(time, Descriptor) else time
        lengths = map(build.duration, (step, size, _offset(start, offset) or "0 seconds"))
        shortest, longest, moved = lengths
        return self._build(build.cumulative_window, column, shortest, longest, name, moved)

    def session(self, time: Operand, gap: Duration, *, name: str = "session_window") -> Table:
        """Adds session windows, which end after a ``gap`` without rows; group by the column next.

        The gap may vary by row: pass a string expression that gives, say, ``"5 minutes"``.
        """
        return self._window("session_window", time, (build.gap(gap),), name)

    def _window(self, function: str, time: Operand, lengths: Iterable[Any], name: str) -> Table:
        column = time.names[0] if isinstance(time, Descriptor) else time
        call = dsl.function_call(built_in(function), (dsl.column_or(column), *lengths))
        return self._build(build.time_window, call, name)


def _offset(start: Duration | None, offset: Duration | None) -> Duration | None:
    if start is not None and offset is not None:
        raise ValidationError("start and offset are the same", hint="give one of them")
    return offset if start is None else start


class GroupedTable:
    """The groups of a table; ``select`` or ``agg`` turns each into a row."""

    __slots__ = ("_keys", "_table")

    def __init__(
        self,
        table: Table,
        keys: Sequence[Any],
        grouping: Grouping,
        sets: Sequence[Sequence[Any]] = (),
    ) -> None:
        self._table = table
        try:
            self._keys = in_force(table.env, _keys, table.operation, keys, grouping, sets)
        except (UnknownColumnError, AmbiguousColumnError) as error:
            build.say_where(error, _keys, table.operation)
            raise

    def __repr__(self) -> str:
        return f"{self._table!r}.group_by({', '.join(map(repr, self._keys.keys))})"

    def select(self, *items: Operand) -> Table:
        """Projects keys, aggregates and expressions over them, one row per group."""
        return self._table._build(_grouped_select, self._keys, items)

    def agg(self, *items: Operand) -> Table:
        """Returns the keys, followed by these aggregates (as in PySpark)."""
        return self._table._build(_grouped_aggregate, self._keys, items)

    def count(self) -> Table:
        """Returns the keys and the number of rows of each group, as ``count``."""
        return self.agg(dsl.function_call(built_in("count"), ()).alias("count"))

    def pivot(self, column: Operand, values: Sequence[Any]) -> PivotedTable:
        """Makes a column for each of the ``values`` of ``column``; follow with ``agg``."""
        return PivotedTable(self._table, self._keys, column, values)


class PivotedTable:
    """Groups with a column for each pivot value; ``agg`` fills them."""

    __slots__ = ("_column", "_keys", "_table", "_values")

    def __init__(
        self, table: Table, keys: GroupingKeys, column: Operand, values: Sequence[Any]
    ) -> None:
        self._table = table
        self._keys = keys
        self._column = column
        self._values = values

    def __repr__(self) -> str:
        keys = ", ".join(map(repr, self._keys.keys))
        values = ", ".join(map(repr, self._values))
        return f"{self._table!r}.group_by({keys}).pivot({self._column!r}, [{values}])"

    def agg(self, *items: Operand) -> Table:
        """Returns the keys, followed by every aggregate for every pivot value."""
        keys = [dsl.ValueExpression(key) for key in self._keys.keys]
        return self._table._build(build.pivot, keys, self._column, self._values, items)


@build.place_errors("group_by")
def _keys(
    operation: QueryOperation,
    keys: Sequence[Any],
    grouping: Grouping,
    sets: Sequence[Sequence[Any]],
) -> GroupingKeys:
    resolved = build.resolve_keys(keys or _all_keys(sets), Scope(operation.schema))
    found = GroupingKeys(resolved, grouping)
    if sets:
        scope = Scope(operation.schema, key_names=found.names())
        found = GroupingKeys(resolved, grouping, build.resolve_sets(sets, resolved, scope))
    build.check_session(operation, resolved)
    return found


def _grouped_select(
    operation: QueryOperation, keys: GroupingKeys, items: Sequence[Any]
) -> QueryOperation:
    names = keys.names()
    scope = Scope(operation.schema, key_names=names)
    resolved = build.resolve_items(items, scope)
    build.refuse_rows_of_groups(scope, grouped=True)
    if scope.python_aggregates:
        resolved = collect(resolved, always=not keys.keys)
    return aggregate_select(operation, keys, resolved, names)


def _grouped_aggregate(
    operation: QueryOperation, keys: GroupingKeys, items: Sequence[Any]
) -> QueryOperation:
    names = keys.names()
    scope = Scope(operation.schema, key_names=names)
    resolved = build.resolve_items(items, scope)
    build.refuse_rows_of_groups(scope, grouped=True)
    if not resolved:
        raise ValidationError("agg() needs at least one aggregate")
    if scope.python_aggregates:
        resolved = collect(resolved, always=not keys.keys)
    return aggregate(operation, keys, resolved, names)


def _all_keys(sets: Sequence[Sequence[Any]]) -> list[Any]:
    """Returns the distinct keys of the grouping sets; a name may refer to the alias of another."""
    every = [key for group in sets for key in group]
    known = {key.alias_name.lower() for key in every if isinstance(key, dsl.AliasExpression)}
    keys: list[Any] = []
    for key in every:
        name = key.column if isinstance(key, dsl.ColumnExpression) else key
        if isinstance(name, str):
            if name.lower() in known:
                continue
            known.add(name.lower())
        elif any(key is other for other in keys):
            continue
        keys.append(key)
    return keys
