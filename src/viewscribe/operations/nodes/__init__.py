"""The query operations, each a small immutable node.

Names follow Flink's Table API and Spark's logical plans. Nodes are built with ``of``, which derives
the schema from the children, so a rewrite can never leave a stale one behind. User input is checked
in ``build``; a node trusts its arguments.
"""

from __future__ import annotations

from viewscribe.operations.kinds import Grouping, JoinKind, SetKind
from viewscribe.operations.nodes.columns import Project, WithColumns
from viewscribe.operations.nodes.combinations import Join, LateralJoin, SetOperation
from viewscribe.operations.nodes.ctes import CteReference, WithCte
from viewscribe.operations.nodes.groups import Aggregate, Pivot
from viewscribe.operations.nodes.process import Process
from viewscribe.operations.nodes.recursion import (
    Recursion,
    recursive_fields,
)
from viewscribe.operations.nodes.rows import (
    JOIN_HINTS,
    Distinct,
    Filter,
    Hint,
    Limit,
    Offset,
    Sample,
    Sort,
    SubqueryAlias,
)
from viewscribe.operations.nodes.shapes import Generate, TimeWindow, Unpivot
from viewscribe.operations.nodes.sources import (
    AS_OF,
    CatalogSource,
    OneRow,
    SqlText,
    TableFunction,
    Values,
)
from viewscribe.operations.schemas import join_schema, output_name, using_columns

__all__ = [
    "AS_OF",
    "JOIN_HINTS",
    "Aggregate",
    "CatalogSource",
    "CteReference",
    "Distinct",
    "Filter",
    "Generate",
    "Grouping",
    "Hint",
    "Join",
    "JoinKind",
    "LateralJoin",
    "Limit",
    "Offset",
    "OneRow",
    "Pivot",
    "Process",
    "Project",
    "Recursion",
    "Sample",
    "SetKind",
    "SetOperation",
    "Sort",
    "SqlText",
    "SubqueryAlias",
    "TableFunction",
    "TimeWindow",
    "Unpivot",
    "Values",
    "WithColumns",
    "WithCte",
    "join_schema",
    "output_name",
    "recursive_fields",
    "using_columns",
]
