"""The pipelines of this way of capturing, by theme."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any

THEMES = ("queries", "frames")


def pipelines() -> dict[str, Any]:
    """Every pipeline by ``theme.name``: a function from a session to a DataFrame."""
    found: dict[str, Any] = {}
    for theme in THEMES:
        module = import_module(f"tests.spark.capture.classic.pipelines.{theme}")
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                found[f"{theme}.{name}"] = value
    return found
