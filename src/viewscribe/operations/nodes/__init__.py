"""The query operations, each a small immutable node.

Names follow Flink's Table API and Spark's logical plans. Nodes are built with ``of``, which derives
the schema from the children, so a rewrite can never leave a stale one behind. User input is checked
in ``build``; a node trusts its arguments.
"""

from __future__ import annotations

from viewscribe.operations.base import (
    Grouping,
    JoinKind,
    SetKind,
    join_schema,
    output_name,
    using_columns,
)
from viewscribe.operations.nodes.combinations import Join, LateralJoin, Process, SetOperation
from viewscribe.operations.nodes.rows import (
    JOIN_HINTS,
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Hint,
    Limit,
    Offset,
    Pivot,
    Project,
    Sample,
    Sort,
    SubqueryAlias,
    TimeWindow,
    Unpivot,
    WithColumns,
)
from viewscribe.operations.nodes.sources import (
    AS_OF,
    CatalogSource,
    CteReference,
    OneRow,
    Recursion,
    SqlText,
    TableFunction,
    Values,
    WithCte,
    recursive_fields,
)

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
