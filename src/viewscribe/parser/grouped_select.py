"""A SELECT over groups: its items, HAVING, and the order, as Spark's analyzer finds their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError, ViewscribeError
from viewscribe.expressions import dsl
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
    with_columns,
)
from viewscribe.expressions.properties import is_deterministic, references_of
from viewscribe.expressions.resolve import resolve_in, to_condition
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate_select, check_grouping_calls
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import (
    Item,
    generate_over,
    has_window,
    name_of,
    parts_of_groups,
    plainly,
    refuse_around,
    refuse_in_aggregates,
    refuse_scalars_in_groups,
)
from viewscribe.parser.groups import GroupReader
from viewscribe.parser.queries import has_order
from viewscribe.parser.sort_keys import (
    GroupChecks,
    OrderReader,
    calls_in,
    is_aggregate,
    refuse_over_groups,
)
from viewscribe.parser.values import ExpressionReader
from viewscribe.types import BOOLEAN, BooleanType, Field

if TYPE_CHECKING:
    from viewscribe.parser.select import Select


# Groups as the Table API builds them: keys and aggregates that bear the names of the items.


def listed_groups(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression],
    items: Sequence[ResolvedExpression],
) -> n.Aggregate | None:
    """The groups of a SELECT that lists its keys, all in their order, and then aggregates.

    A key can be listed under several names: GROUP BY says it once.

    Args:
        child: what is grouped.
        keys: as GROUP BY has them.
        items: under their names.
    """
    if not items or len({name_of(each).lower() for each in items}) < len(items):
        return None
    values = [strip_alias(item) for item in items]
    grouped = list(dict.fromkeys(map(strip_alias, keys)))
    count = 0
    while count < len(values) and values[count] in grouped:
        count += 1
    if list(dict.fromkeys(values[:count])) != grouped:
        return None
    if any(type(value) is not AggregateCall for value in values[count:]):
        return None
    return n.Aggregate.of(child, tuple(items[:count]), tuple(items[count:]))


def named_in_place(made: QueryOperation) -> QueryOperation:
    """The operation without a projection that does nothing but name the columns of groups."""
    if not isinstance(made, n.Project):
        return made
    below = made.child
    groups = below.child if isinstance(below, n.Filter) else below
    if not isinstance(groups, n.Aggregate) or len(made.expressions) != len(groups.schema):
        return made
    for place, item in enumerate(made.expressions):
        column = strip_alias(item)
        if not isinstance(column, FieldReference) or column.index != place:
            return made
    names = [name_of(item) for item in made.expressions]
    if len({name.lower() for name in names}) < len(names):
        return made
    count = len(groups.keys)
    named = n.Aggregate.of(
        groups.child,
        tuple(map(alias, groups.keys, names[:count])),
        tuple(map(alias, groups.aggregates, names[count:])),
        groups.grouping,
        groups.sets,
    )
    if not isinstance(below, n.Filter):
        return named
    columns = named.schema.references
    return n.Filter.of(named, with_columns(below.condition, lambda column: columns[column.index]))


def read_groups(select: Select, operation: QueryOperation, items: list[Item]) -> QueryOperation:
    """The operation of a SELECT with GROUP BY, HAVING or aggregates.

    Args:
        select: the SELECT.
        operation: its rows, filtered.
        items: what it shows.
    """
    if select.computed:
        raise select.queries.error(
            select.node,
            "beside aggregates, an item uses the alias of random values, or of a sub-query in a "
            "function that takes lambdas",
            hint="compute it in a query of its own",
        )
    if any(item.is_generator for item in items):
        return _generated_of_groups(select, operation, items)
    shown = [item.named for item in items]
    groups = GroupReader(select, items)
    keys = groups.keys(select.node.group)
    schema = select.schema_of(operation, items)
    order = OrderReader(select, schema, shown, groups)
    condition = select.qualified(order)
    having = None
    try:
        having = _having(select, groups, items)
    except UnknownColumnError as error:
        condition = _having_by_alias(select, items, order, error)
    checks = GroupChecks(select, groups, order, has_sets=_has_sets(select.node.group))
    if having is not None:
        checks.refuse_in_having(having)
    refuse_over_groups(select, items)
    checks.refuse_in_order(having)
    checks.refuse_in_qualify()
    order.only_names = select.hint_in_between is not None or any(map(has_window, shown))
    sort = select.keys(order, len(shown))
    select.read_hints(order)
    hidden = select.hidden_items()
    refuse_around([*keys.keys, *shown, *hidden], "a SELECT that groups or aggregates")
    known = {strip_alias(key) for key in keys.keys}
    for item in items:
        with _located(select, item.node):
            refuse_scalars_in_groups([item.named], known)
    check_grouping_calls(keys, [*shown, *hidden, *([] if having is None else [having])])
    checks.refuse_in_items(hidden)
    try:
        made = _generate_from_groups(select, operation, groups, keys, [*shown, *hidden], having)
    except ViewscribeError:
        _refuse_item(select, operation, keys, items)
        with _located(select, select.node.having or select.node):
            aggregate_select(operation, keys, shown, having=having)
        raise
    return select.finished(made, len(shown), condition, sort)


@contextmanager
def _located(select: Select, node: Any) -> Iterator[None]:
    """Errors in it are at the place of what was written."""
    try:
        yield
    except ViewscribeError as error:
        raise select.reader.located(error, node) from None


def _refuse_item(
    select: Select, operation: QueryOperation, keys: GroupingKeys, items: Sequence[Item]
) -> None:
    """Refuses the first item that is of no group, at its place."""
    for item in items:
        with _located(select, item.node):
            aggregate_select(operation, keys, [item.named])


def _generate_from_groups(
    select: Select,
    operation: QueryOperation,
    groups: GroupReader,
    keys: GroupingKeys,
    items: list[ResolvedExpression],
    having: ResolvedExpression | None,
) -> QueryOperation:
    simple = having is None and keys.grouping is n.Grouping.SIMPLE
    if simple and len(groups.written) >= len(keys.keys):
        made = listed_groups(operation, groups.written, items)
        if made is not None:
            return made
    return named_in_place(plainly(aggregate_select(operation, keys, items, having=having), False))


def _generated_of_groups(
    select: Select, operation: QueryOperation, items: list[Item]
) -> QueryOperation:
    """A generator over groups: what else the SELECT has sees its rows, not the groups."""
    groups = GroupReader(select, items)
    keys = groups.keys(select.node.group)
    parts = parts_of_groups(select, operation, items)
    extra = _keys_to_sort_by(select, keys)
    more = [alias(each, f"key_{place}") for place, each in enumerate(extra, 1)]
    groups_alone = aggregate_select(operation, keys, [*parts, *more])
    shown = generate_over(groups_alone, items)
    made: QueryOperation = shown
    width = len(made.schema) - len(extra)
    order = OrderReader(select, _with_names(select, made.schema, extra), [], only_shown=True)
    if select.node.having is not None:
        if has_order(select.query):
            raise select.queries.error(select.node, "HAVING beside a generator and ORDER BY")
        having = to_condition(order.read(select.node.having), "HAVING")
        below = _below_windows(select, shown, len(groups_alone.schema), parts, having)
        if below is None:
            made = n.Filter.of(made, having)
        else:
            made = generate_over(aggregate_select(operation, keys, parts, having=below), items)
    condition = select.qualified(order)
    sort = select.keys(order, width)
    select.read_hints(order)
    return select.finished(made, width, condition, sort)


def _keys_to_sort_by(select: Select, keys: GroupingKeys) -> list[FieldReference]:
    """The keys that are columns: ORDER BY finds them, shown or not, but not behind DISTINCT."""
    if select.node.distinct or not has_order(select.query):
        return []
    return [key for key in keys.keys if isinstance(key, FieldReference)]


def _with_names(select: Select, made: Schema, extra: Sequence[FieldReference]) -> Schema:
    """What is shown, and behind it keys under their own names where nothing shown has these."""
    width = len(made) - len(extra)
    fields, qualifiers = list(made.fields), list(made.qualifiers)
    shown = {field.name.lower() for field in fields[:width]}
    for place, key in enumerate(extra, width):
        if key.name.lower() not in shown:
            fields[place] = Field(key.name, key.type)
            qualifiers[place] = select.columns.whole.qualifiers[key.index]
    return Schema(fields, qualifiers)


def _having(select: Select, groups: GroupReader, items: list[Item]) -> ResolvedExpression | None:
    if select.node.having is None:
        return None
    reader = groups.reader_of_having()
    try:
        condition = reader.read(select.node.having)
        if groups.means_aliases(condition):
            reader = groups.reader_of_having(whole_keys=True)
            condition = reader.read(select.node.having)
        if (
            not isinstance(select.node.having, s.Operation | s.SubQuery)
            or (select.node.having.name if isinstance(select.node.having, s.Operation) else "")
            in _VALUES
        ):
            condition = _as_boolean(condition, reader)
        refuse_in_aggregates(condition)
        _refuse_before_windows(select, items)
        if has_window(condition):
            raise select.queries.error(
                select.node.having, "a window function cannot stand in HAVING", "use QUALIFY"
            )
        if _has_sets(select.node.group):
            _refuse_constant_keys(select, groups, condition)
        return to_condition(condition, "HAVING")
    except ViewscribeError as error:
        raise reader.located(error, select.node.having) from None


def _having_by_alias(
    select: Select, items: Sequence[Item], order: OrderReader, error: UnknownColumnError
) -> ResolvedExpression:
    """HAVING whose sub-queries name an alias of the SELECT: a condition on what that shows.

    Raises:
        UnknownColumnError: no alias was meant; what reading HAVING over the groups said.
    """
    below = {name.lower() for name in select.columns.whole.names}
    # What has the name of a column below is that column, which what is shown would hide.
    hiding = any(
        name.lower() in below
        and not (
            isinstance(item.expression, FieldReference)
            and item.expression.name.lower() == name.lower()
        )
        for item in items
        for name in item.names or ()
    )
    apart = select.node.qualify is None and not _has_sets(select.node.group)
    if hiding or not apart or any(has_window(item.expression) for item in items):
        raise error
    try:
        condition = order.read(select.node.having)
    except ViewscribeError:
        raise error from None
    if has_window(condition):
        raise error
    return to_condition(condition, "HAVING")


def _refuse_before_windows(select: Select, items: Sequence[Item]) -> None:
    """Refuses HAVING that calls no aggregate beside ROLLUP, CUBE or sets and a window function.

    Spark 4.3 computes the windows first there, over all groups, be an alias in HAVING one of an
    aggregate; with a call in HAVING, and where the window stands in QUALIFY, it filters first, as
    it does otherwise.
    """
    calls = calls_in(select.node.having)
    if not _has_sets(select.node.group) or any(is_aggregate(select.reader, e) for e in calls):
        return
    if any(has_window(item.expression) for item in items):
        raise select.queries.error(
            select.node.having,
            "HAVING calls no aggregate, beside sets of keys and a window function: Spark computes "
            "the window over the groups that HAVING leaves out, too",
            hint="filter in a query around the groups, before or after the window",
        )


def _below_windows(
    select: Select,
    made: n.Project,
    width: int,
    parts: Sequence[ResolvedExpression],
    condition: ResolvedExpression,
) -> ResolvedExpression | None:
    """HAVING of the groups alone, beside a generator and a window function, over what is grouped.

    Since SPARK-58503 (Spark 4.3) the window sees what HAVING leaves; before, all groups.

    Args:
        select: the SELECT.
        made: what it shows.
        width: how many columns of the groups there are.
        parts: what those are computed of.
        condition: of what is shown.
    """
    if not any(map(has_window, parts)):
        return None
    read = {place: made.expressions[place] for place in references_of(condition).columns}
    found = {
        place: strip_alias(parts[column.index])
        for place, column in read.items()
        if isinstance(column, FieldReference) and column.index < width
    }
    if len(found) < len(read) or any(map(has_window, found.values())):
        return None
    if _has_sets(select.node.group) or not all(map(is_deterministic, found.values())):
        raise select.queries.error(
            select.node.having,
            "HAVING beside a generator and a window function, on neither, of groups by several "
            "sets of keys, or of random values",
            hint="filter in a query of its own, before or after the window",
        )
    return with_columns(condition, lambda column: found[column.index])


def _refuse_constant_keys(
    select: Select, groups: GroupReader, condition: ResolvedExpression
) -> None:
    """Refuses a constant in HAVING that is a key of ROLLUP, CUBE or GROUPING SETS as well.

    Of ``CUBE (7L) HAVING count(*) < 7L`` Spark 4.3 takes the key, which is NULL in the total, and
    of ``CUBE (1) HAVING count(*) < 1``, where it casts, the constant.
    """
    for each in preorder(condition, skip=lambda node: isinstance(node, AggregateCall)):
        if isinstance(each, ResolvedExpression) and _is_constant_to_spark(each):
            if not groups.is_key(each):
                continue
            raise select.queries.error(
                select.node.having,
                f"{each.as_summary_string()} in HAVING is a constant, and a key of the sets too",
                hint="filter in a query around this one",
            )


def _is_constant_to_spark(expression: ResolvedExpression) -> bool:
    """Whether Spark replaces no key by it: it looks at no column, or only at its type."""
    if isinstance(expression, Call) and expression.function.built_in_name == "typeof":
        return True
    return not references_of(expression).columns


_VALUES = frozenset(("+", "-", "*", "/", "%", "div", "negative", "positive", "when"))


def _as_boolean(condition: ResolvedExpression, reader: ExpressionReader) -> ResolvedExpression:
    """Of HAVING, Spark casts to BOOLEAN what is no predicate."""
    if isinstance(condition.type, BooleanType):
        return condition
    return resolve_in(
        dsl.CastExpression(dsl.ValueExpression(condition), BOOLEAN, False), reader.met
    )


def _has_sets(group: s.GroupBy | None) -> bool:
    """Whether rows are grouped by more than one set of keys."""
    if group is None:
        return False
    return bool(group.sets) or any(isinstance(each, s.GroupingSets) for each in group.keys)
