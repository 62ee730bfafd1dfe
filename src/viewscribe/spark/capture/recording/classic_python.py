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
    which Spark casts to the type of a column. A function that was made for a classic session, at
    the top of a module, gives a column of Connect's.
    """
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.udf import UserDefinedFunction

    fill = DataFrame.fillna

    def fill_with_double(frame: Any, value: Any, subset: Any = None) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        return fill(frame, value, subset)

    with ExitStack() as stack:
        for written, turned in (("__radd__", "__add__"), ("__rmul__", "__mul__")):
            stack.enter_context(patch.object(Column, written, getattr(Column, turned)))
        stack.enter_context(patch.object(DataFrame, "fillna", fill_with_double))
        stack.enter_context(patch.object(UserDefinedFunction, "__call__", _call_over_connect))
        yield


def _call_over_connect(made: Any, *args: Any, **named: Any) -> Any:
    from pyspark.sql.connect.udf import UserDefinedFunction

    known = (made.func, made._returnType, made._name, made.evalType, made.deterministic)
    return UserDefinedFunction(*known)(*args, **named)
