"""What notebooks show of tables and saved views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.errors import ViewscribeError
from viewscribe.html.markup import (
    Column,
    Html,
    Node,
    collapsible,
    column_grid,
    marked,
    show,
    sql_block,
    text_block,
    tree,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import summary_line

if TYPE_CHECKING:
    from viewscribe.table_api.table import Table
    from viewscribe.table_api.view_storage import SavedView

_DEEPEST = 60
"""How deep details are inside each other; what is below that is text."""


def show_table(table: Table) -> dict[str, str]:
    """Returns the columns, the SQL and the operations of a table."""
    fields = table.schema.fields
    columns = [Column(f.name, f.type.ddl, f.type.nullable, f.comment) for f in fields]
    count = f"{len(columns)} {'column' if len(columns) == 1 else 'columns'}"
    return show(
        repr(table),
        collapsible(count, column_grid(columns), is_open=len(columns) <= 12),
        collapsible("SQL", _sql_of(table), is_open=True),
        collapsible("operations", tree([_node(table.operation, _DEEPEST)], depth=4)),
    )


def _sql_of(table: Table) -> Html:
    try:
        return sql_block(table.to_sql())
    except ViewscribeError as error:
        return text_block(f"{error.code}: {error}")


def _node(operation: QueryOperation, depth: int) -> Node:
    inputs = operation.inputs()
    if inputs and depth == 0:
        return Node(text_block(operation.as_summary_string()))
    return Node(summary_line(operation), [_node(each, depth - 1) for each in inputs])


def show_saved_view(saved: SavedView) -> dict[str, str]:
    """Returns how a view was proven, and its SQL."""
    from viewscribe.spark.report import STYLES

    report = saved.verification
    verdict = marked(report.verdict, STYLES[report.proof])
    return show(
        str(saved),
        collapsible(["saved ", f"{saved.name} ", verdict], *report.blocks()),
        collapsible("SQL", sql_block(saved.sql), is_open=True),
    )
