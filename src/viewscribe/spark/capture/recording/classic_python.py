"""What PySpark's own Python does otherwise in a classic session than over Connect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch


@contextmanager
def python_of_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect does as a classic session does.

    ``1 + col("id")`` is ``id + 1``, and its column is called so; ``fillna(0)`` fills with 0.0,
    which Spark casts to the type of a column.
    """
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.dataframe import DataFrame

    fill = DataFrame.fillna

    def fill_with_double(frame: Any, value: Any, subset: Any = None) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        return fill(frame, value, subset)

    with ExitStack() as stack:
        for written, turned in (("__radd__", "__add__"), ("__rmul__", "__mul__")):
            stack.enter_context(patch.object(Column, written, getattr(Column, turned)))
        stack.enter_context(patch.object(DataFrame, "fillna", fill_with_double))
        yield
