"""Column lineage across views: what a column is derived from, and what depends on it.

``LineageGraph.load(catalogs)`` loads the views of catalogs. ``graph.upstream(*columns)`` and
``graph.downstream(*columns)`` follow the influence of columns; ``graph.breaks(*columns)`` lists the
views that need them. ``query_lineage`` computes the lineage of a single tree.
"""

from __future__ import annotations

from viewscribe.catalog_store.lineage.drawings import Broken, Edge, LineageGraph, Trace
from viewscribe.catalog_store.lineage.influence import DIRECT, ColumnId, Influence, Origins
from viewscribe.catalog_store.lineage.operations import (
    QueryLineage,
    ViewLineage,
    query_lineage,
    view_lineage,
)

__all__ = [
    "DIRECT",
    "Broken",
    "ColumnId",
    "Edge",
    "Influence",
    "LineageGraph",
    "Origins",
    "QueryLineage",
    "Trace",
    "ViewLineage",
    "query_lineage",
    "view_lineage",
]
