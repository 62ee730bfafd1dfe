"""The steps of random pipelines: each writes a line or more, and gives the frame that it makes."""

from __future__ import annotations

from tests.spark.capture.generated.programs import Step
from tests.spark.capture.generated.steps.columns import (
    alias,
    casts,
    drop,
    every_column,
    lateral_alias,
    literals,
    rename,
    rename_many,
    select,
    select_text,
    to_df,
    transform,
    with_column,
    with_columns,
    with_field,
)
from tests.spark.capture.generated.steps.generators import explode, explode_column
from tests.spark.capture.generated.steps.groups import (
    first_of_each,
    group,
    group_simply,
    having,
    pivot,
    rollup,
    unpivot,
    whole,
    window,
)
from tests.spark.capture.generated.steps.inputs import (
    local_rows,
    query_text,
    source,
    temporary_view,
)
from tests.spark.capture.generated.steps.joins import (
    cross_join,
    drop_side,
    join_on,
    join_using,
    join_with_itself_grouped,
    select_sides,
    self_join,
)
from tests.spark.capture.generated.steps.queries import correlated, in_query, scalar_query
from tests.spark.capture.generated.steps.rows import (
    distinct,
    drop_missing,
    fill,
    limit,
    one_of_each,
    order_by,
    replace,
    sample,
    spread,
    where,
    where_hidden,
)
from tests.spark.capture.generated.steps.sets import set_operation, union_by_name

__all__ = ["STEPS", "source"]

STEPS: tuple[Step, ...] = (
    *(select, select, select_text, with_column, with_column, with_columns, lateral_alias),
    *(literals, casts, rename, rename_many, to_df, drop, with_field, alias, transform),
    *(every_column, where, where, where, where_hidden, distinct, one_of_each, order_by, limit),
    *(limit, sample, spread, fill, drop_missing, replace, group, group, group_simply, whole),
    *(rollup, having, pivot, unpivot, window, window, first_of_each, explode, explode_column),
    *(join_using, join_using, join_on, join_on, self_join, join_with_itself_grouped, cross_join),
    *(select_sides, select_sides, drop_side, set_operation, set_operation, union_by_name),
    *(scalar_query, in_query, correlated, temporary_view, query_text, local_rows),
)
"""Every step; those that pipelines have most often stand here more than once."""
