"""PySpark's classes for rooms that do not import PySpark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.types.arguments import wrong_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DataFrame", "SparkSession", "is_session", "require_session"]


def is_session(value: object) -> bool:
    """Whether it is a Spark session, classic or of Connect."""
    return any(
        each.__name__ == "SparkSession" and each.__module__.startswith("pyspark.sql.")
        for each in type(value).__mro__
    )


def require_session(value: object) -> None:
    """Refuses what is no Spark session where one is wanted.

    Raises:
        ValidationError: says of what class it is.
    """
    if not is_session(value):
        raise wrong_class(value, "spark", "a SparkSession")
