"""Recursive queries: ``WITH RECURSIVE r AS (first UNION ALL next)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.expressions.node import holds, preorder
from viewscribe.expressions.nodes import Over
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.scopes import rename
from viewscribe.types.coercion import common_type_of
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader


def is_recursive(node: s.Cte) -> bool:
    """Whether a CTE reads itself; a CTE inside of it may have its name."""
    inside = {each.name.lower() for each in node.query.ctes}
    return node.name.lower() not in inside and _reads(node.query, node.name)


def recursion(queries: QueryReader, node: s.Cte) -> n.Recursion:
    """The operation of a CTE that reads itself."""
    with queries.with_ctes(node.query):
        body = _body(queries, node)
        anchor = queries.plain(body.left)
        if node.columns:
            if len(node.columns) != len(anchor.schema):
                raise queries.error(
                    node, f"{len(node.columns)} names for {len(anchor.schema)} columns"
                )
            anchor = rename(anchor, node.columns)
        with queries.within_recursion(node.name, n.recursive_fields(anchor.schema)) as name:
            step = queries.plain(body.right)
        _check(queries, node, anchor, step, name)
        return n.Recursion.of(anchor, step, name, node.max_level)


def _body(queries: QueryReader, node: s.Cte) -> s.Combined:
    body: Any = node.query
    while type(body) is s.QueryOf and not _has_ends(body, inside=body is not node.query):
        body = body.body
    if type(body) is not s.Combined or body.kind != "UNION":
        raise queries.error(
            node,
            f"the recursive query `{node.name}` is no UNION ALL of two queries",
            hint="write its first rows, UNION ALL, and the rows that follow from others",
        )
    if not body.all:
        raise queries.error(
            node, f"the recursive query `{node.name}` is a UNION", hint="Spark reads UNION ALL only"
        )
    if _reads(body.left, node.name):
        raise queries.error(node, f"the first query of `{node.name}` reads `{node.name}` itself")
    return body


def _reads(query: Any, name: str) -> bool:
    return count_reads(query, name) > 0


def count_reads(query: Any, name: str) -> int:
    """How often a query reads a table of that name, itself or in what it is made of."""
    folded = (name.lower(),)
    return sum(
        isinstance(node, s.TableName) and tuple(part.lower() for part in node.parts) == folded
        for node in s.every(query)
    )


def _has_ends(query: s.QueryOf, *, inside: bool) -> bool:
    """Whether a query has more than a body; where it is the whole of a CTE, a WITH is fine."""
    from viewscribe.parser.queries import has_order

    ends = query.limit is not None or query.offset is not None
    return bool(inside and query.ctes) or has_order(query) or ends


def _check(
    queries: QueryReader, node: s.Cte, anchor: QueryOperation, step: QueryOperation, name: str
) -> None:
    """Refuses a step that Spark refuses; ``name`` is that of the query in the tree."""
    if len(anchor.schema) != len(step.schema):
        raise queries.error(
            node,
            f"`{node.name}` begins with {len(anchor.schema)} columns, and goes on with "
            f"{len(step.schema)}",
        )
    for first, following in zip(anchor.schema, step.schema, strict=True):
        common = common_type_of([first.type, following.type])
        if common is None or deeply_nullable(common) != deeply_nullable(first.type):
            raise queries.error(
                node,
                f"the column `{first.name}` of `{node.name}` begins as {first.type.ddl}, and goes "
                f"on as {following.type.ddl}",
                hint="cast one of them",
            )
    pending = [step]
    while pending:
        above = pending.pop()
        below = [_holds(each, name) for each in above.inputs()]
        if any(below) and not _allows(above, below):
            raise queries.error(
                node,
                f"`{node.name}` reads itself where Spark does not allow it",
                hint="filter, compute and join in its step; group, order and limit the result",
            )
        pending += [each for each, found in zip(above.inputs(), below, strict=True) if found]


def _allows(above: QueryOperation, below: list[bool]) -> bool:
    """Whether an operation may stand above the round before, on these of its sides."""
    if not above.is_recursive_step:
        return False
    if isinstance(above, n.Join | n.LateralJoin) and above.kind in _SIDES:
        return below in _SIDES[above.kind]
    return not any(holds(each, Over) for each in above.children() if not each.is_query)


_LEFT = [[True, False]]
_SIDES = {
    n.JoinKind.LEFT: _LEFT,
    n.JoinKind.SEMI: _LEFT,
    n.JoinKind.ANTI: _LEFT,
    n.JoinKind.RIGHT: [[False, True]],
    n.JoinKind.FULL: [],
}
"""The sides of an outer join that may read the round before."""


def _holds(operation: QueryOperation, name: str) -> bool:
    return any(type(each) is n.CteReference and each.name == name for each in preorder(operation))
