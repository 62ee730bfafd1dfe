"""What each relation becomes, by family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.relations import (
    columns,
    groups,
    joins,
    missing_values,
    nearest,
    rows,
    sources,
    struct_merge,
    zips,
)

HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    **sources.HANDLERS,
    **columns.HANDLERS,
    **rows.HANDLERS,
    **groups.HANDLERS,
    **joins.HANDLERS,
    **struct_merge.HANDLERS,
    **missing_values.HANDLERS,
    **nearest.HANDLERS,
    **zips.HANDLERS,
}
"""One handler for each relation that can be captured."""
