"""Points in time less texts: which of them Spark reads as a date, and which as a number of days."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from viewscribe.spark.types import from_spark
from viewscribe.types.coercion import arithmetic_type
from viewscribe.types.ddl import parse_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLLATED = "STRING COLLATE UTF8_LCASE"

DIFFERENCES = {
    ("DATE", "STRING"): "INTERVAL DAY",
    ("STRING", "DATE"): "INTERVAL DAY",
    ("DATE", COLLATED): "DATE",  # a number of days, whatever is in the text
    (COLLATED, "DATE"): "INTERVAL DAY",
    **{
        pair: "INTERVAL DAY TO SECOND"
        for point in ("TIMESTAMP", "TIMESTAMP_NTZ")
        for text in ("STRING", COLLATED)
        for pair in ((point, text), (text, point))
    },
}


@pytest.mark.parametrize(("a", "b"), DIFFERENCES)
def test_differences_of_texts_and_points_in_time(a: str, b: str) -> None:
    found = arithmetic_type("-", parse_type(a), parse_type(b))
    assert found is not None
    assert found.same_type(parse_type(DIFFERENCES[a, b]))


def test_spark_says_so(spark: SparkSession) -> None:
    pairs = [
        f"CAST('2020-01-01' AS {a}) - CAST({7 if found == 'DATE' else repr('2020-01-01')} AS {b})"
        for (a, b), found in DIFFERENCES.items()
    ]
    schema = spark.sql(f"SELECT {', '.join(pairs)}").schema
    for field, found in zip(schema, DIFFERENCES.values(), strict=True):
        assert from_spark(field.dataType).same_type(parse_type(found)), field
