"""What in a query reads the session's time zone when it runs, whatever that was when it was read.

Nearly all of Spark's functions keep the time zone that they were analyzed with. These do not, and
neither do tables whose times are texts without a zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.errors import ViewscribeError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import Part
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.reach import read_reach

CURRENT: Final = "current_timezone"
CONVERT: Final = "convert_timezone"
"""With two arguments: the zone that is left out is the current one."""

FILES_OF_TEXT: Final = frozenset(("csv", "json", "xml"))
_WITH_ZONE = re.compile(r"\bTIMESTAMP\b", re.IGNORECASE)


def zone_reader_in_text(text: str) -> str | None:
    """Returns the first such call in the text of a query or a function; None without one."""
    if CURRENT not in text.lower() and CONVERT not in text.lower():
        return None
    try:
        calls = read_reach(text, Part.BODY).calls
    except ViewscribeError:  # which is said where it is opened
        return None
    for call in calls:
        name = call.name[-1].lower()
        if name == CURRENT or (name == CONVERT and len(call.arguments) == 2):
            return f"{name}()"
    return None


def zone_reader_in_tree(operation: QueryOperation) -> str | None:
    """Returns the first such call in a tree, or in a SQL function that it calls."""
    return next(_calls(operation), None)


def reads_zone(table: TableDocument) -> bool:
    """Returns whether a table has times that Spark reads from text, in files or their paths."""
    in_files = (table.format or "").lower() in FILES_OF_TEXT
    if any(name.lower() == "timezone" for name in table.options):
        return False
    paths = {name.lower() for name in table.partitioned_by}
    return any(
        _WITH_ZONE.search(column.type) is not None
        for column in table.columns
        if in_files or column.name.lower() in paths
    )


def _calls(operation: QueryOperation) -> Iterator[str]:
    for node in preorder(operation):
        if isinstance(node, e.Call):
            name = node.function.built_in_name
            if name == CURRENT or (name == CONVERT and len(node.args) == 2):
                yield f"{name}()"
    for function in user_functions(operation):
        found = zone_reader_in_text(function.source.body or "")
        if found is not None:
            yield found
