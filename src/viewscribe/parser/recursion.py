"""Recursive queries: ``WITH RECURSIVE r AS (first UNION ALL next)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.relation import renamed
from viewscribe.types.coercion import common_type_of

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader


def recursion(queries: QueryReader, node: s.Cte) -> n.Recursion:
    """The operation of a CTE that reads itself."""
    from viewscribe.parser.queries import count_reads

    body: Any = node.query
    while type(body) is s.QueryOf and not _has_ends(body):
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
    if count_reads(body.left, node.name):
        raise queries.error(node, f"the first query of `{node.name}` reads `{node.name}` itself")
    if count_reads(body.right, node.name) > 1:
        raise queries.error(node, f"`{node.name}` reads itself more than once")
    anchor = queries.plain(body.left)
    if node.columns:
        if len(node.columns) != len(anchor.schema):
            raise queries.error(node, f"{len(node.columns)} names for {len(anchor.schema)} columns")
        anchor = renamed(anchor, node.columns)
    reference = n.RecursionReference.of(node.name, n.recursive_fields(anchor.schema))
    with queries.within_recursion(reference):
        step = queries.plain(body.right)
    _check(queries, node, anchor, step)
    return n.Recursion.of(anchor, step, node.name, node.max_level)


def _has_ends(query: s.QueryOf) -> bool:
    """Whether a query has more than a body."""
    from viewscribe.parser.queries import has_order

    ends = query.limit is not None or query.offset is not None
    return bool(query.ctes) or has_order(query) or ends


_ABOVE = (
    n.Filter,
    n.Project,
    n.WithColumns,
    n.SubqueryAlias,
    n.Hint,
    n.Join,
    n.Generate,
    n.LateralJoin,
    n.SetOperation,
)


def _check(queries: QueryReader, node: s.Cte, anchor: QueryOperation, step: QueryOperation) -> None:
    """Refuses a step that Spark refuses."""
    if len(anchor.schema) != len(step.schema):
        raise queries.error(
            node,
            f"`{node.name}` begins with {len(anchor.schema)} columns, and goes on with "
            f"{len(step.schema)}",
        )
    for first, following in zip(anchor.schema, step.schema, strict=True):
        common = common_type_of([first.type, following.type])
        if common is None or not common.same_type(first.type):
            raise queries.error(
                node,
                f"the column `{first.name}` of `{node.name}` begins as {first.type.ddl}, and goes "
                f"on as {following.type.ddl}",
                hint="cast one of them",
            )
    above: QueryOperation | None = step
    while above is not None and type(above) is not n.RecursionReference:
        below = [each for each in above.inputs() if _holds(each, node.name)]
        kind = getattr(above, "kind", None)
        outer = kind in _OUTER and below != [above.inputs()[0]] if kind is not None else False
        if (below and not isinstance(above, _ABOVE)) or outer or kind is n.JoinKind.FULL:
            raise queries.error(
                node,
                f"`{node.name}` reads itself where Spark does not allow it",
                hint="filter, compute and join in its step; group, order and limit the result",
            )
        above = below[0] if below else None


_OUTER = (n.JoinKind.LEFT, n.JoinKind.SEMI, n.JoinKind.ANTI)


def _holds(operation: QueryOperation, name: str) -> bool:
    return any(
        type(each) is n.RecursionReference and each.name == name for each in preorder(operation)
    )
