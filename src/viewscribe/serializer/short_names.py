"""Names of tables for people: without what all of them begin with."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

QUALIFY = ("full", "database", "minimal")


def shortened(root: QueryOperation, qualify: str) -> QueryOperation:
    """The operation over tables of shorter names; where it reads other catalogs, over the same.

    The text of it means the same only where the catalog, or the catalog and the database, that are
    left out are the current ones.

    Args:
        root: the pipeline.
        qualify: ``full``, ``database`` (no catalog, if there is but one) or ``minimal`` (no
            database either, if there is but one).

    Raises:
        ValidationError: ``qualify`` is none of these.
    """
    if qualify not in QUALIFY:
        raise ValidationError(
            f"no names {qualify!r}", hint=f"tables are called: {', '.join(QUALIFY)}"
        )
    paths = {node.path for node in preorder(root) if isinstance(node, n.CatalogSource)}
    most = QUALIFY.index(qualify)
    while most and len({path[:most] for path in paths}) > 1:
        most -= 1
    if not most or any(len(path) <= most for path in paths):
        return root

    def short(node: Node) -> Node:
        if not isinstance(node, n.CatalogSource):
            return node
        return n.CatalogSource(node.path[most:], node.fields, node.schema)

    made = replace(root, short)
    assert isinstance(made, QueryOperation)
    return made
