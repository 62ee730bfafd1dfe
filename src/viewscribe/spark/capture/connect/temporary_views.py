"""SQL text that reads temporary views, as text that brings along what they are made of.

No stored view may read a temporary one by its name, so each becomes a step of the query:
``WITH recent AS (SELECT …) SELECT * FROM recent``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.errors import CaptureError, NotSerializableError
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.paths import is_place
from viewscribe.parser.names import read_names
from viewscribe.serializer import TARGETS, to_sql
from viewscribe.types.identifiers import quote_identifier


def with_views(
    text: str, find: Callable[[Sequence[str]], QueryOperation]
) -> tuple[str, dict[tuple[str, ...], n.SubqueryAlias]]:
    """The query with a step for each temporary view that it reads.

    Args:
        text: one query.
        find: what the name of a table or view means.

    Returns:
        The text, and what each name of several parts means that the text still has.

    Raises:
        CaptureError: two views would be steps of the same name.
    """
    steps: dict[str, str] = {}
    named: dict[tuple[str, ...], n.SubqueryAlias] = {}
    for parts in dict.fromkeys(each.parts for each in read_names(text).tables):
        if is_place(parts):
            continue
        found = find(parts)
        if isinstance(found, n.CatalogSource):
            continue
        assert isinstance(found, n.SubqueryAlias), found
        step = parts[-1]
        if step.lower() in steps:
            raise CaptureError(
                f"SQL text reads two temporary views that are called `{step}`",
                location="sql",
                hint=f'start from spark.table("{".".join(parts)}"), or store it first',
            )
        if len(parts) > 1:
            named[tuple(parts)] = found
        steps[step.lower()] = f"{quote_identifier(step)} AS (\n{_for_all(found.child)})"
    return _prefix(text, list(steps.values())), named


def _for_all(operation: QueryOperation) -> str:
    """The text of a step, which is part of a text that stays as it is for every target."""
    try:
        return to_sql(operation, target=TARGETS[0])
    except NotSerializableError:  # something in it came later, in whatever words
        return to_sql(operation)


def _prefix(text: str, steps: Sequence[str]) -> str:
    if not steps:
        return text
    listed = ", ".join(steps)
    words = text.split(None, 2)
    if words[0].upper() != "WITH":
        return f"WITH {listed}\n{text}"
    if len(words) > 1 and words[1].upper() == "RECURSIVE":
        return f"WITH RECURSIVE {listed}, {words[2]}"
    return f"WITH {listed}, {text.split(None, 1)[1]}"
