"""What PySpark's own Python does otherwise in a classic session than over Connect."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from typing import Any
from unittest.mock import patch


@contextmanager
def python_of_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect does as a classic session does.

    ``1 + col("id")`` is ``id + 1``, and its column is called so; ``fillna(0)`` fills with 0.0,
    which Spark casts to the type of a column. A function that was made for a classic session, at
    the top of a module, gives a column of Connect's. ``pivot`` takes dates, decimals and None.
    """
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.functions import lit
    from pyspark.sql.connect.group import GroupedData
    from pyspark.sql.udf import UserDefinedFunction

    fill, pivot = DataFrame.fillna, GroupedData.pivot

    def fill_with_double(frame: Any, value: Any, subset: Any = None) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        return fill(frame, value, subset)

    def pivot_by_any(groups: Any, column: str, values: Any = None) -> Any:
        if not isinstance(values, list):
            return pivot(groups, column, values)
        made = pivot(groups, column, [0 if _is_of_java(each) else each for each in values])
        made._pivot_values = [lit(each) for each in values]
        return made

    with ExitStack() as stack:
        for written, turned in (("__radd__", "__add__"), ("__rmul__", "__mul__")):
            stack.enter_context(patch.object(Column, written, getattr(Column, turned)))
        stack.enter_context(patch.object(DataFrame, "fillna", fill_with_double))
        stack.enter_context(patch.object(GroupedData, "pivot", pivot_by_any))
        stack.enter_context(patch.object(UserDefinedFunction, "__call__", _call_over_connect))
        yield


def _is_of_java(value: Any) -> bool:
    """Whether a value has a class of Java's that a classic session makes of it."""
    return value is None or isinstance(value, Decimal | bytes | dt.date | dt.time | dt.timedelta)


def _call_over_connect(made: Any, *args: Any, **named: Any) -> Any:
    from pyspark.sql.connect.udf import UserDefinedFunction

    known = (made.func, made._returnType, made._name, made.evalType, made.deterministic)
    return UserDefinedFunction(*known)(*args, **named)
