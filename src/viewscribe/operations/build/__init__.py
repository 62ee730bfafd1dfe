"""Builders from user input to operations, which resolve and check it and report mistakes.

The calls of process table functions are in ``build.process``, which few programs need.
"""

from __future__ import annotations

from viewscribe.operations.build.checks import (
    check_session,
    column_place,
    forbid,
    place_errors,
    refuse_duplicates,
    refuse_rows_of_groups,
    refuse_session,
    require_distinct,
    require_groupable,
    say_where,
)
from viewscribe.operations.build.columns import (
    drop_columns,
    generate,
    is_generator,
    name_items,
    rename_columns,
    resolve_items,
    resolve_keys,
    resolve_sets,
    select,
    with_columns,
)
from viewscribe.operations.build.durations import duration, gap
from viewscribe.operations.build.joins import join, join_laterally, lateral_join
from viewscribe.operations.build.rows import (
    distinct,
    filter_rows,
    hint,
    limit,
    name_input,
    offset,
    sample,
    set_operation,
    sort,
    sort_keys,
    union_by_name,
)
from viewscribe.operations.build.shapes import (
    cumulative_window,
    pivot,
    pivot_literal,
    require_pivot_column,
    time_window,
    unpivot,
)
from viewscribe.operations.build.sources import table_function, values

__all__ = [
    "check_session",
    "column_place",
    "cumulative_window",
    "distinct",
    "drop_columns",
    "duration",
    "filter_rows",
    "forbid",
    "gap",
    "generate",
    "hint",
    "is_generator",
    "join",
    "join_laterally",
    "lateral_join",
    "limit",
    "name_input",
    "name_items",
    "offset",
    "pivot",
    "pivot_literal",
    "place_errors",
    "refuse_duplicates",
    "refuse_rows_of_groups",
    "refuse_session",
    "rename_columns",
    "require_distinct",
    "require_groupable",
    "require_pivot_column",
    "resolve_items",
    "resolve_keys",
    "resolve_sets",
    "sample",
    "say_where",
    "select",
    "set_operation",
    "sort",
    "sort_keys",
    "table_function",
    "time_window",
    "union_by_name",
    "unpivot",
    "values",
    "with_columns",
]
