"""All pipelines, by theme."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

THEMES = (
    *("basics", "cleaning", "groups", "joins", "sources", "texts", "values"),
    *("frames", "queries", "recursions", "found", "nearest", "details"),
)

Pipeline = Callable[[Any], Any]


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
