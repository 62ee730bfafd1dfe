"""``GroupedTable``: the step between ``group_by`` and ``select``, ``agg`` or ``pivot``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.resolve import Scope
from viewscribe.operations import build
from viewscribe.operations.aggregation import GroupingKeys, aggregate, aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Grouping
from viewscribe.operations.python_aggregates import collect
from viewscribe.table_api.policy_scope import in_force

if TYPE_CHECKING:
    from viewscribe.table_api.table import Table


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
