"""What a plan reads, and how much, by the statistics of Spark's optimizer."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from viewscribe.spark.classic import Py4JError


def bytes_read(frame: DataFrame) -> int | None:
    """The size of all tables and files that a DataFrame reads, in bytes.

    Args:
        frame: a DataFrame; one of Spark Connect has no statistics here.

    Returns:
        The size, or None where Spark does not know it.
    """
    java: Any = frame
    if not hasattr(frame, "_jdf"):
        return None
    try:
        leaves = leaves_of(java._jdf.queryExecution().optimizedPlan())
        sizes = [int(str(leaf.stats().sizeInBytes())) for leaf in leaves]
        unknown = int(java.sparkSession._jsparkSession.sessionState().conf().defaultSizeInBytes())
    except Py4JError:
        return None  # folding constants may fail; so will the rows
    return None if any(size >= unknown for size in sizes) else sum(sizes)


def leaves_of(root: Any) -> list[Any]:
    """What a plan, a Java object, reads, in its sub-queries too."""
    plans = [root, *_items(root.subqueriesAll())]
    return [leaf for plan in plans for leaf in _items(plan.collectLeaves())]


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.size())]
