"""PySpark's classes for the annotations of rooms that do not import PySpark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DataFrame", "SparkSession"]
