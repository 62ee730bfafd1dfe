"""What each relation becomes, by family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.relations import (
    columns,
    groups,
    joins,
    local,
    missing_values,
    nearest,
    rows,
    sampling,
    sets,
    shapes,
    sources,
    sql_queries,
    statistics,
    zips,
)

HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    **sources.HANDLERS,
    **columns.HANDLERS,
    **rows.HANDLERS,
    **groups.HANDLERS,
    **joins.HANDLERS,
    **sets.HANDLERS,
    **local.HANDLERS,
    **missing_values.HANDLERS,
    **nearest.HANDLERS,
    **sampling.HANDLERS,
    **shapes.HANDLERS,
    **statistics.HANDLERS,
    **sql_queries.HANDLERS,
    **zips.HANDLERS,
}
"""One handler for each relation that can be captured."""
