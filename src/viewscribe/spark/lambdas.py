"""Higher-order functions: PySpark takes Python functions of columns where SQL has lambdas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.spark.errors import NotInterpretableError

Body = Callable[..., Column]

_FUNCTIONS: dict[str, Callable[..., Column]] = {
    "transform": F.transform,
    "filter": F.filter,
    "exists": F.exists,
    "forall": F.forall,
    "aggregate": F.aggregate,
    "zip_with": F.zip_with,
    "array_sort": F.array_sort,
    "map_filter": F.map_filter,
    "transform_keys": F.transform_keys,
    "transform_values": F.transform_values,
    "map_zip_with": F.map_zip_with,
}


def higher_order(name: str, args: Sequence[Any]) -> Column:
    """A call whose arguments are columns and, for lambdas, Python functions of columns."""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise NotInterpretableError(
            f"Spark's DataFrame API has no {name} with a lambda",
            hint=f"use one of: {', '.join(sorted(_FUNCTIONS))}",
        )
    return function(*args)


def python_lambda(count: int, body: Callable[[Sequence[Column]], Column]) -> Body:
    """A function of exactly ``count`` named parameters, which is what PySpark looks at."""
    shapes: dict[int, Body] = {
        1: lambda x: body([x]),
        2: lambda x, y: body([x, y]),
        3: lambda x, y, z: body([x, y, z]),
    }
    return shapes[count]
