"""Lineage: which columns a column is made of, across views, and what depends on it.

``LineageGraph.load(catalogs)`` knows the views of catalogs; ``graph.upstream(*columns)`` and
``graph.downstream(*columns)`` follow the influence of columns, ``graph.breaks(*columns)`` says
which views need them. ``query_lineage`` is the lineage of a single tree.
"""

from __future__ import annotations

from viewscribe.catalog_store.lineage.graph import Broken, Edge, LineageGraph, Trace
from viewscribe.catalog_store.lineage.influence import (
    DIRECT,
    ColumnId,
    Influence,
    Origins,
)
from viewscribe.catalog_store.lineage.operations import QueryLineage, query_lineage
from viewscribe.catalog_store.lineage.views import ViewLineage, view_lineage

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
