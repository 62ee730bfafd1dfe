"""Rows partitioned by expressions: a hint takes none, so they are columns for a moment.

``SELECT id FROM (SELECT /*+ REPARTITION(7, key) */ id, id % 7 AS key FROM …)``
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import Alias, FieldReference, ResolvedExpression
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation


def partition(
    child: QueryOperation,
    name: str,
    count: Sequence[ResolvedExpression],
    keys: Sequence[ResolvedExpression],
) -> QueryOperation:
    """The input with a hint that says by what its rows are partitioned.

    Args:
        child: the input.
        name: the hint.
        count: the number of partitions, where it is given.
        keys: columns of the input, or expressions over them.
    """
    width = len(child.schema)
    computed = [key for key in keys if type(key) is not FieldReference]
    if not computed:
        return n.Hint.of(child, name, (*count, *keys))
    taken = {field.name.lower() for field in child.schema}
    columns = []
    for key in computed:
        columns.append(Alias(key, _free(taken), key.type))
    wide = n.WithColumns.of(child, tuple(columns))
    added = iter(wide.schema.references[width:])
    named = [key if type(key) is FieldReference else next(added) for key in keys]
    hinted = n.Hint.of(wide, name, (*count, *named))
    return n.Project.of(hinted, hinted.schema.references[:width])


def _free(taken: set[str]) -> str:
    name, number = "key", 2
    while name in taken:
        name, number = f"key_{number}", number + 1
    taken.add(name)
    return name
