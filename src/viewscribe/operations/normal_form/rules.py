"""Which rule reads which operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.operations import nodes as n
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.normal_form import (
    groups,
    joins,
    projections,
    row_generators,
    sets,
    sources,
)
from viewscribe.operations.normal_form.rows import RowReader, Rows

RULES: HandlerTable[Callable[[RowReader, Any], Rows]] = HandlerTable(
    "the normal form",
    {
        n.CatalogSource: sources.read_table,
        n.Values: sources.read_values,
        n.OneRow: sources.read_one_row,
        n.TableFunction: sources.read_table_function,
        n.SqlText: sources.read_text,
        n.Recursion: sources.read_recursion,
        n.CteReference: sources.read_cte,
        n.WithCte: sources.read_with_cte,
        n.Project: projections.read_project,
        n.WithColumns: projections.read_with_columns,
        n.Filter: projections.read_filter,
        n.Distinct: groups.read_distinct,
        n.Sort: projections.read_sort,
        n.Limit: projections.read_limit,
        n.Offset: projections.read_offset,
        n.Sample: projections.read_sample,
        n.SubqueryAlias: projections.read_same,
        n.Hint: projections.read_hint,
        n.Aggregate: groups.read_aggregate,
        n.Pivot: groups.read_pivot,
        n.Generate: row_generators.read_generate,
        n.TimeWindow: row_generators.read_time_window,
        n.Unpivot: row_generators.read_unpivot,
        n.Process: row_generators.read_process,
        n.Join: joins.read_join,
        n.LateralJoin: joins.read_lateral_join,
        n.SetOperation: sets.read_set_operation,
    },
)
"""By the kind of an operation: the rows it gives."""
