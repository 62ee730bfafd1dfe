"""Finding the operations that a statement would otherwise spell out more than once."""

from __future__ import annotations

from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import SubqueryExpression
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

_SOURCES = (n.CatalogSource, n.OneRow, n.Values, n.TableFunction)
_TRIVIAL = (*_SOURCES, n.SubqueryAlias, n.Project, n.Hint)


def shared_operations(root: QueryOperation) -> set[QueryOperation]:
    """The largest operations that occur at least twice in the tree, by structural equality.

    Left out: plain tables, what refers to a query around it, what gives different rows each time.
    """
    seen: set[QueryOperation] = set()
    shared: set[QueryOperation] = set()
    pending: list[Node] = [root]
    visited: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, QueryOperation):
            if node in seen and not is_trivial(node):
                shared.add(node)
                continue
            seen.add(node)
        elif id(node) in visited:
            continue
        else:
            visited.add(id(node))
        pending.extend(node.children())
    return {
        operation
        for operation in shared
        if not refers_outside(operation) and is_deterministic(operation)
    }


def inner_names(root: QueryOperation) -> set[str]:
    """The column names, in lower case, of every query that sees the row of another around it.

    A table alias must not be one of them: ``orders.id`` inside such a query would be the field
    ``id`` of its own column ``orders``.
    """
    names: set[str] = set()
    for node in preorder(root):
        inner = None
        if isinstance(node, SubqueryExpression):
            inner = node.query
        elif isinstance(node, n.LateralJoin):
            inner = node.right
        if inner is not None and refers_outside(inner):
            for operation in preorder(inner):
                if isinstance(operation, QueryOperation):
                    names.update(name.lower() for name in operation.schema.names)
    return names


def is_trivial(operation: QueryOperation) -> bool:
    """Whether spelling it out again costs a reader nothing: a table, some of its columns."""
    while isinstance(operation, _TRIVIAL):
        if not operation.input_fields:
            return True
        operation = operation.inputs()[0]
    return False


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
