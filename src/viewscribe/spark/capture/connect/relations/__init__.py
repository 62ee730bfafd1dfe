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
    missing,
    nearest,
    rows,
    sampling,
    sets,
    shapes,
    sources,
    statistics,
    texts,
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
    **missing.HANDLERS,
    **nearest.HANDLERS,
    **sampling.HANDLERS,
    **shapes.HANDLERS,
    **statistics.HANDLERS,
    **texts.HANDLERS,
    **zips.HANDLERS,
}
"""One handler for each relation that can be captured."""
