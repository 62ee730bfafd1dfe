"""What a capture makes of each relation, expression and literal of Spark Connect's protobuf.

One table for all three: docs/capture.md is made of it, the walk takes its refusals from it, and
tests compare it with the protobuf of the installed PySpark and with the handlers.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from viewscribe.spark.capture.connect.exclusions import (
    REFUSED_EXPRESSIONS,
    REFUSED_LITERALS,
    REFUSED_RELATIONS,
    UNREACHABLE_EXPRESSIONS,
    UNREACHABLE_RELATIONS,
)


class Status(Enum):
    """How far something is covered."""

    SUPPORTED = "supported"
    REFUSED = "refused"
    UNREACHABLE = "not reachable"


class Entry(NamedTuple):
    """How something is covered, and what is to be known of it."""

    status: Status
    note: str


_RELATIONS = {
    "read": "tables by name, with options too; files with the schema that they have",
    "project": "unnamed columns get the names that Spark gives them; lateral aliases; generators",
    "filter": "also by columns and aggregates that are not shown",
    "join": 'every kind; self-joins by `df["a"]` and by alias',
    "set_op": "by position and by name, fields too; INTERSECT and EXCEPT by position",
    "sort": "also by columns and aggregates that are not shown; within partitions as SORT BY",
    "limit": "",
    "aggregate": "groupBy, rollup, cube, grouping sets, pivot with values, time windows",
    "sql": "read into steps, with its parameters, views and frames; else kept as it is",
    "local_relation": "as VALUES, up to 10,000 values; a column without NULL is NOT NULL in SQL",
    "sample": "without replacement; parts of randomSplit by the numbers they draw",
    "offset": "",
    "deduplicate": "as GROUP BY and first(), or by row numbers where columns are NOT NULL",
    "range": "",
    "subquery_alias": "",
    "repartition": "as a hint: REPARTITION, COALESCE",
    "repartition_by_expression": "as a hint; expressions are columns for a moment",
    "to_df": "",
    "with_columns_renamed": "",
    "drop": "",
    "with_columns": "",
    "hint": "",
    "unpivot": "",
    "to_schema": "where a column changes its type as a cast, which needs ANSI",
    "collect_metrics": "as its input: what is observed is no part of the rows",
    "with_watermark": "as its input: a table has no late rows",
    "with_relations": "scalar, EXISTS and IN sub-queries, correlated ones too",
    "unresolved_table_valued_function": "functions of FROM, and generators over one row",
    "lateral_join": "inner, left and cross",
    "as_of_join": "as a lateral join that sorts by the distance and takes the first row",
    "nearest_by_join": "as a lateral join that sorts by the figure; approximate ones are exact",
    "fill_na": "",
    "drop_na": "",
    "replace": "",
    "zip": "of projections of one and the same DataFrame",
    "describe": "as a map of figures for each column, and a row for each figure",
    "summary": "as describe",
    "sample_by": "as a comparison of one random number a row with the fraction of its stratum",
}

_EXPRESSIONS = {
    "literal": "see below",
    "unresolved_attribute": "by name, by alias, and of another DataFrame",
    "unresolved_function": "every function of the registry",
    "expression_string": "read as Spark's grammar has it, sub-queries and arguments by name too",
    "unresolved_star": "",
    "alias": "metadata is left out, for views have none",
    "cast": "with the mode of the settings, or TRY",
    "unresolved_regex": "",
    "sort_order": "",
    "lambda_function": "",
    "window": "all frames",
    "unresolved_extract_value": "",
    "update_fields": "as a named_struct of the fields",
    "unresolved_named_lambda_variable": "",
    "call_function": "",
    "subquery_expression": "scalar, EXISTS, IN",
    "common_inline_user_defined_function": "where a later step drops what it gives; else refused: "
    "register the function in the catalog and call it by its name",
}

_LITERALS = dict.fromkeys(
    (
        "null", "binary", "boolean", "byte", "short", "integer", "long", "float", "double",
        "decimal", "string", "date", "timestamp", "timestamp_ntz", "time", "year_month_interval",
        "day_time_interval", "array", "specialized_array", "map", "struct",
    ),
    "",
)  # fmt: skip


def _table(
    supported: dict[str, str],
    refused: dict[str, tuple[str, str | None]],
    unreachable: dict[str, str],
) -> dict[str, Entry]:
    found = {name: Entry(Status.SUPPORTED, note) for name, note in supported.items()}
    found |= {
        name: Entry(Status.REFUSED, f"{reason}: {hint}" if hint else reason)
        for name, (reason, hint) in refused.items()
    }
    found |= {name: Entry(Status.UNREACHABLE, why) for name, why in unreachable.items()}
    return found


RELATIONS = _table(_RELATIONS, REFUSED_RELATIONS, UNREACHABLE_RELATIONS)
"""Every ``rel_type`` of a ``Relation``."""

EXPRESSIONS = _table(_EXPRESSIONS, REFUSED_EXPRESSIONS, UNREACHABLE_EXPRESSIONS)
"""Every ``expr_type`` of an ``Expression``."""

LITERALS = _table(_LITERALS, REFUSED_LITERALS, {})
"""Every ``literal_type`` of a ``Literal``."""
