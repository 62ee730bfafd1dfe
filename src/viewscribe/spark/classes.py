"""PySpark's classes for rooms that do not import PySpark."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from viewscribe.errors import SparkUnavailableError
from viewscribe.types.arguments import wrong_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DataFrame", "SparkSession", "is_session", "require_session", "require_spark"]


def require_spark() -> None:
    """Refuses what needs PySpark where there is none.

    Raises:
        SparkUnavailableError: says what to install.
    """
    if find_spec("pyspark") is None:
        raise SparkUnavailableError(
            "this needs PySpark, which is not installed",
            hint="pip install 'viewscribe[spark]'; beside databricks-connect, which brings its "
            "own, nothing is missing",
        )


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
        SparkUnavailableError: there is no PySpark, so nothing can be one.
    """
    if not is_session(value):
        require_spark()
        raise wrong_class(value, "spark", "a SparkSession")
