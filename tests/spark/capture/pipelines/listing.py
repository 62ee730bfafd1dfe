"""All pipelines, by theme."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from tests.versions import ROWS_OF_PANDAS

THEMES = (
    *("basics", "cleaning", "groups", "joins", "sources", "texts", "values"),
    *("frames", "queries", "recursions", "found", "nearest", "details"),
)

Pipeline = Callable[[Any], Any]


LATER = {
    "cleaning.numbered_rows": ("4.2", "zipWithIndex() came with Spark 4.2"),
    "frames.local_rows_of_pandas": ("4.2", ROWS_OF_PANDAS),
    "joins.in_subquery": ("4.1", "isin(DataFrame) came with Spark 4.1"),
    **dict.fromkeys(
        [f"nearest.nearest_{which}" for which in ("two", "similar", "whole_numbers")],
        ("4.2", "nearestByJoin() came with Spark 4.2"),
    ),
}
"""What older versions of Spark do not have: the first version that has it, and why."""


def pipelines() -> dict[str, Pipeline]:
    """Every pipeline by ``theme.name``: a function from a session to a DataFrame."""
    found: dict[str, Pipeline] = {}
    for theme in THEMES:
        module = import_module(f"tests.spark.capture.pipelines.{theme}")
        for name, value in vars(module).items():
            own = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if own and not name.startswith("_"):
                found[f"{theme}.{name}"] = value
    return found
