"""Finding the operations that a statement would otherwise spell out more than once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from viewscribe.expressions.node import Node, find, holds
from viewscribe.expressions.nodes import Alias, FieldReference, SubqueryExpression, strip_alias
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation, rewrite
from viewscribe.operations.handlers import HandlerTable
from viewscribe.serializer.blocks import free_name

_LONG = 2_000
"""Characters from which a text is long, however long it is."""


class _Form(NamedTuple):
    """How a text says an operation.

    Args:
        is_name: it is a name, or little more, that a SELECT reads.
        is_trivial: it costs a reader nothing to read it again, where it computes nothing.
        is_open: it becomes a part of the query around it.
        lists_columns: it says its columns wherever it stands.
    """

    is_name: bool = False
    is_trivial: bool = False
    is_open: bool = False
    lists_columns: bool = False


_NAME = _Form(is_name=True, is_trivial=True)
_QUERY = _Form()
_LIST = _Form(lists_columns=True)

_FORMS: HandlerTable[_Form] = HandlerTable(
    "the length of the text",
    {
        n.CatalogSource: _NAME,
        n.TableFunction: _NAME,
        n.CteReference: _NAME,
        n.Values: _NAME._replace(lists_columns=True),
        n.OneRow: _NAME._replace(lists_columns=True),
        n.SubqueryAlias: _Form(is_trivial=True, is_open=True),
        n.Hint: _Form(is_trivial=True, is_open=True),
        n.Filter: _Form(is_open=True),
        n.Join: _Form(is_open=True),
        n.Project: _Form(is_trivial=True, lists_columns=True),
        n.WithColumns: _Form(is_trivial=True, lists_columns=True),
        n.Aggregate: _LIST,
        n.SetOperation: _LIST,
        n.Distinct: _QUERY,
        n.Generate: _QUERY,
        n.LateralJoin: _QUERY,
        n.Limit: _QUERY,
        n.Offset: _QUERY,
        n.Pivot: _QUERY,
        n.Process: _QUERY,
        n.Recursion: _QUERY,
        n.Sample: _QUERY,
        n.Sort: _QUERY,
        n.SqlText: _QUERY,
        n.TimeWindow: _QUERY,
        n.Unpivot: _QUERY,
        n.WithCte: _QUERY,
    },
)


def shared_operations(
    root: QueryOperation, spelled_out: Iterable[QueryOperation] = (), *, slack: int = 1
) -> dict[QueryOperation, int]:
    """The largest operations that are worth a CTE: the text is shorter where each is said once.

    They occur at least twice in the tree, by structural equality. Left out: plain tables, what
    refers to a query around it, what gives different rows each time.

    Args:
        root: the whole tree.
        spelled_out: operations that are known to be worth none.
        slack: how many times longer than it looks the text of an operation may be.

    Returns:
        How often each occurs.
    """
    spelled_out = set(spelled_out)
    while True:
        counts, opened = _count_uses(root, spelled_out)
        shared = {
            operation: count
            for operation, count in counts.items()
            if count > 1
            and operation not in spelled_out
            and not is_trivial(operation)
            and not refers_outside(operation)
            and is_deterministic(operation)
        }
        longer = {
            each
            for each, count in shared.items()
            if not _is_shorter(each, count, each in opened, slack)
        }
        if not longer:
            return shared
        spelled_out |= longer


def _count_uses(
    root: QueryOperation, spelled_out: set[QueryOperation]
) -> tuple[dict[QueryOperation, int], set[QueryOperation]]:
    """How often each operation would be said; what is within another that is said once, is too.

    The query of a sub-query expression is always said: only what it reads can be a CTE.

    Returns:
        The counts, and the operations that are somewhere not a step with a name, which has a
        SELECT of its own however often it is said.
    """
    counts: dict[QueryOperation, int] = {}
    opened: set[QueryOperation] = set()
    pending: list[tuple[QueryOperation, bool]] = [(root, False)]
    while pending:
        operation, is_named = pending.pop()
        counts[operation] = counts.get(operation, 0) + 1
        if not is_named:
            opened.add(operation)
        known = counts[operation] > 1
        if not known or operation in spelled_out or is_trivial(operation):
            named = isinstance(operation, n.SubqueryAlias)
            pending += [(each, named) for each in _read_by(operation)]
    return counts, opened


def _read_by(operation: QueryOperation) -> Iterator[QueryOperation]:
    """The inputs of an operation, and what the queries in its expressions read."""
    pending: list[Node] = [*operation.children()]
    visited: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, QueryOperation):
            yield node
        elif id(node) not in visited and holds(node, QueryOperation):
            visited.add(id(node))
            if isinstance(node, SubqueryExpression):
                assert isinstance(node.query, QueryOperation)
                pending += [each for each in node.children() if each is not node.query]
                pending += without_alias(node.query).children()
            else:
                pending += node.children()


def without_alias(operation: QueryOperation) -> QueryOperation:
    """The operation under the names that a query itself cannot have."""
    while isinstance(operation, n.SubqueryAlias):
        operation = operation.child
    return operation


def _is_shorter(operation: QueryOperation, count: int, is_opened: bool, slack: int) -> bool:
    """Whether the text is shorter with the operation once, in a CTE, and its name elsewhere.

    A join or a filter becomes part of the query around it when it is spelled out; as a CTE it has
    a SELECT of its own that lists every column.
    """
    names = sum(len(name) + 4 for name in operation.schema.names)
    below = _without_filters(operation)
    least, repeated = length_of_names(count), slack * (count - 1)
    if isinstance(below, n.Join) and not is_opened:
        return _length(operation) * repeated > least
    if isinstance(below, n.Join) or _FORMS[type(below)].is_name:
        return _length(operation, opened=True) * repeated > names + least
    own = 0 if _FORMS[type(operation)].lists_columns else names
    if isinstance(operation, n.WithColumns):
        own = sum(len(name) + 2 for name in _list_kept(operation))
    return (_length(operation) + own) * repeated > least


def _list_kept(operation: n.WithColumns) -> list[str]:
    """The columns that its SELECT lists as they are."""
    replaced = set(operation.places())
    names = operation.child.schema.names
    return [name for place, name in enumerate(names) if place not in replaced]


def _without_filters(operation: QueryOperation) -> QueryOperation:
    """What is filtered; of a join that has a name, which is a SELECT of its own, the name."""
    named = None
    while isinstance(operation, n.SubqueryAlias | n.Hint | n.Filter):
        if named is None and isinstance(operation, n.SubqueryAlias):
            named = operation
        operation = operation.child
    return named if named is not None and isinstance(operation, n.Join) else operation


LENGTH_OF_NAME = 20
"""About how long the name of a query is, with what stands around it."""


def length_of_names(count: int) -> int:
    """What a CTE costs besides its query: ``name AS ( … )`` once, ``name`` at each place."""
    return LENGTH_OF_NAME * (count + 1)


def _length(operation: QueryOperation, *, opened: bool = False) -> int:
    """About how many characters say the operation; no more is counted where they are many.

    Args:
        operation: what is said.
        opened: whether a query within it is only a name, as it may be a CTE by itself.
    """
    length = 0
    pending: list[Node] = [operation]
    while pending and length <= _LONG:
        node = pending.pop()
        if isinstance(node, n.CatalogSource):
            length += 10 + sum(len(part) + 1 for part in node.path)
        elif isinstance(node, FieldReference):
            length += len(node.name) + 2
        elif opened and isinstance(node, QueryOperation) and not _FORMS[type(node)].is_open:
            length += LENGTH_OF_NAME
            continue
        elif not isinstance(node, n.SubqueryAlias | Alias):
            length += 8
        pending.extend(node.children())
    return length


def names_within(root: QueryOperation) -> tuple[set[str], set[str]]:
    """The column names, in lower case, of every query that sees the row of another around it.

    A table alias must not be one of them: ``orders.id`` inside such a query would be the field
    ``id`` of its own column ``orders``.

    Returns:
        These names, and the names of steps, in lower case, that are among them.
    """
    columns: set[str] = set()
    steps: set[str] = set()
    if not holds(root, SubqueryExpression, n.LateralJoin):
        return columns, steps
    for node in find(root, SubqueryExpression, n.LateralJoin, n.SubqueryAlias):
        inner = None
        if isinstance(node, SubqueryExpression):
            inner = node.query
        elif isinstance(node, n.LateralJoin):
            inner = node.right
        else:
            assert isinstance(node, n.SubqueryAlias)
            steps.add(node.name.lower())
        if inner is not None and refers_outside(inner):
            for operation in find(inner, QueryOperation):
                columns.update(name.lower() for name in operation.schema.names)
    return columns, columns & steps


def without_hidden_names(
    root: QueryOperation, columns: Collection[str], notes: Notes | None
) -> QueryOperation:
    """The tree with other names for the steps that are called like those columns.

    So steps over them are named as they are once the text is read.
    """

    def rename(_: Node, node: Node) -> Node:
        if not isinstance(node, n.SubqueryAlias) or node.name.lower() not in columns:
            return node
        return n.SubqueryAlias.of(node.child, free_name(node.name, columns))

    return rewrite(root, rename, notes, n.SubqueryAlias)


def is_trivial(operation: QueryOperation) -> bool:
    """Whether spelling it out again costs a reader nothing: a table, some of its columns."""
    while _FORMS[type(operation)].is_trivial:
        if not operation.input_fields:
            return True
        if computes(operation):
            return False
        operation = operation.inputs()[0]
    return False


def computes(operation: QueryOperation) -> bool:
    """Whether it is a list of columns that does more than choose and name them."""
    if not isinstance(operation, n.Project | n.WithColumns):
        return False
    columns = operation.expressions if isinstance(operation, n.Project) else operation.columns
    return not all(isinstance(strip_alias(each), FieldReference) for each in columns)


def plain_order(root: QueryOperation) -> list[QueryOperation] | None:
    """Each operation after its inputs, where none can occur twice or see another's row.

    So it is where no table is read twice and no join is lateral, expressions left aside, which is
    far quicker to see than which operations are equal.
    """
    tables: set[object] = set()
    order: list[QueryOperation] = []
    pending = [root]
    while pending:
        operation = pending.pop()
        order.append(operation)
        fields = operation.input_fields
        if len(fields) == 1:
            pending.append(getattr(operation, fields[0]))
        elif not fields:
            if type(operation) is n.WithCte:
                return None
            table = operation.path if type(operation) is n.CatalogSource else operation
            if table in tables:
                return None
            tables.add(table)
        elif type(operation) is n.LateralJoin:
            return None
        else:
            pending += operation.inputs()
    order.reverse()
    return order
