"""Names of tables for people: without the current catalog and database."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions.node import Node, replace
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

QUALIFY = ("full", "database", "minimal")

DEFAULT = ("spark_catalog", "default")
"""What is current in a session that said nothing else."""


def shorten(root: QueryOperation, qualify: str, current: tuple[str, str]) -> QueryOperation:
    """The operation over tables of shorter names, which mean the same where these are current.

    Args:
        root: the pipeline.
        qualify: ``full``, ``database`` (without the current catalog) or ``minimal`` (without the
            current database, too).
        current: the catalog and the database that names are looked up in.

    Raises:
        ValidationError: ``qualify`` is none of these.
    """
    if qualify not in QUALIFY:
        raise ValidationError(
            f"no names {qualify!r}", hint=f"tables are called: {', '.join(QUALIFY)}"
        )
    most = QUALIFY.index(qualify)
    if not most:
        return root
    around = tuple([part.lower() for part in current[:most]])

    def short(node: Node) -> Node:
        if not isinstance(node, n.CatalogSource) or len(node.path) != 3:
            return node
        path = tuple([part.lower() for part in node.path])
        count = next(c for c in range(most, -1, -1) if path[:c] == around[:c])
        return n.CatalogSource(node.path[count:], node.fields, node.as_of, node.schema)

    made = replace(root, short)
    assert isinstance(made, QueryOperation)
    return made
