"""Where rows come from: local data, ranges, functions that are tables."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pyspark.sql import functions as F


def range_of_four(spark: Any) -> Any:
    return spark.range(4)


def range_with_parts(spark: Any) -> Any:
    return spark.range(0, 10, 2, 3)


def local_rows(spark: Any) -> Any:
    return spark.createDataFrame([(1, "a"), (2, None), (None, "c")], "id INT, name STRING")


def local_rows_joined(spark: Any) -> Any:
    names = spark.createDataFrame([("a", "Alpha"), ("b", None), (None, "x")], ["dept", "label"])
    return spark.table("world.people").join(names, "dept", "left").select("name", "label")


def local_values(spark: Any) -> Any:
    rows = [
        (1.5, dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, 4, 5), b"x", True, [1, 2], {"k": 1}),
        (None, None, None, None, None, None, None),
    ]
    schema = "f DOUBLE, d DATE, t TIMESTAMP, b BINARY, o BOOLEAN, a ARRAY<INT>, m MAP<STRING, INT>"
    return spark.createDataFrame(rows, schema)


def local_nan(spark: Any) -> Any:
    return spark.createDataFrame([(float("nan"), 1), (None, None), (0.5, 2)], "x DOUBLE, n BIGINT")


def local_pandas(spark: Any) -> Any:
    import pandas as pd

    return spark.createDataFrame(pd.DataFrame({"k": ["a", None], "v": [1.5, None]}))


def table_function_explode(spark: Any) -> Any:
    return spark.tvf.explode(F.array(F.lit(1), F.lit(2)))


def table_function_range(spark: Any) -> Any:
    return spark.tvf.range(1, 5)


def lookup_by_map(spark: Any) -> Any:
    names = {"a": "Alpha", "b": "Beta"}
    mapping = F.create_map(*[F.lit(part) for pair in names.items() for part in pair])
    return spark.table("world.people").withColumn("label", mapping[F.col("dept")])
