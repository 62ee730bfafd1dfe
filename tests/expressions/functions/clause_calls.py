"""Calls with DISTINCT, FILTER, IGNORE NULLS, WITHIN GROUP, OVER, in place and out of place."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

from tests.expressions.functions.matrix import questions, text_of, without_hints
from viewscribe import call, col, over
from viewscribe import functions as F
from viewscribe.expressions.dsl import CallExpression, Expression, OverExpression
from viewscribe.expressions.functions.definition import DISTINCT, FILTER, Frames, FunctionKind
from viewscribe.expressions.resolve import conversions

ORDERED = over(partition_by="b", order_by="i")
WINDOWS = {
    "everything": over(),
    "partitions": over(partition_by="b"),
    "partitions as rows": over(partition_by="b").rows_between(None, None),
    "partitions as a range": over(partition_by="b").range_between(None, None),
    "sorted": ORDERED,
    "first rows": ORDERED.rows_between(None, 0),
    "first range": ORDERED.range_between(None, 0),
    "some rows": ORDERED.rows_between(-1, 0),
    "all rows": ORDERED.rows_between(None, None),
}
CLAUSES: dict[str, Callable[[CallExpression], Expression]] = {
    "DISTINCT": lambda made: made.distinct(),
    "FILTER": lambda made: made.filter(col("b")),
    "IGNORE NULLS": lambda made: made.ignore_nulls(),
    "RESPECT NULLS": lambda made: made.respect_nulls(),
    "WITHIN GROUP": lambda made: made.within_group("i"),
}


def plain_calls() -> dict[str, CallExpression]:
    """A valid call of every aggregate and window function."""
    found: dict[str, CallExpression] = {}
    for group in ("aggregates", "windows", "named"):
        for question in questions(group):
            made = question.made
            if isinstance(made, OverExpression):
                made = made.call
            if isinstance(made, CallExpression) and question.name not in found:
                with without_hints():
                    if question.ours() is not None:
                        found[question.name] = made
    kinds = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)
    return {name: made for name, made in found.items() if made.function.kind in kinds}


def _is_window(made: CallExpression) -> bool:
    return made.function.kind is FunctionKind.WINDOW


def _is_usual(made: CallExpression) -> bool:
    function = made.function
    return function.clauses == (DISTINCT, FILTER) and function.frames is Frames.ANY


def variants() -> dict[str, Expression]:
    """Calls with each clause, and over each window, by a title.

    Of the many functions that take DISTINCT and FILTER alone there is a sample.
    """
    found: dict[str, Expression] = {}
    plain = plain_calls()
    usual = [name for name, made in plain.items() if _is_usual(made)]
    for name, made in plain.items():
        if name in usual and usual.index(name) % 12:
            continue
        function = made.function
        for clause, add in CLAUSES.items():
            if clause == "WITHIN GROUP" and function.within_group:
                continue  # it has one already
            if clause == "DISTINCT" and not made.args:
                continue  # Spark reads the word as a column
            changed = add(made)
            found[f"{name} {clause}"] = changed.over(ORDERED) if _is_window(made) else changed
        if _is_window(made) or function.frames is not Frames.ANY or name in ("sum", "first"):
            for window, spec in WINDOWS.items():
                found[f"{name} over {window}"] = made.over(spec)
    partitions = WINDOWS["partitions"]
    found["sum DISTINCT over partitions"] = F.sum_distinct("i").over(partitions)
    found["first IGNORE NULLS over partitions"] = F.first("i", True).over(partitions)
    for window, spec in WINDOWS.items():
        joined = call("listagg", col("s"), ",").within_group("i")
        found[f"sorted listagg over {window}"] = joined.over(spec)
        found[f"sorted mode over {window}"] = call("mode").within_group("i").over(spec)
    for key in ("s", "s_n"):
        found[f"distinct listagg by {key}"] = F.listagg_distinct("s", ",").within_group(key)
    for name in ("collect_list", "collect_set", "array_agg", "collect_union"):
        for column in ("ai", "an_n"):
            kept = call(name, col(column)).respect_nulls()
            found[f"{name} of {column} RESPECT NULLS"] = kept
            found[f"{name} of {column} IGNORE NULLS"] = call(name, col(column)).ignore_nulls()
            found[f"{name} of {column} RESPECT NULLS, IGNORE NULLS"] = kept.ignore_nulls()
    return found


def text_of_any(made: Expression) -> str:
    """The SQL of a call also where its clauses are refused."""
    with (
        patch.object(conversions, "check_clauses", lambda call: None),
        patch.object(conversions, "check_sorted_values", lambda call: None),
        patch.object(conversions, "check_window", lambda call, order_by, frame: None),
    ):
        return text_of(made)


def texts() -> list[str]:
    """The SQL of all variants."""
    return [text_of_any(made) for made in variants().values()]
