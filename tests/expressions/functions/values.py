"""What many calls give, as text and interpreted: one query for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe import TableEnvironment
from viewscribe.expressions.dsl import Expression

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Case = tuple[Expression, Any]
"""An expression without columns, and what it gives."""


def wrong_values(spark: SparkSession, cases: Sequence[Case]) -> list[str]:
    """The cases that give something else, or fail, each with what it gives; found by halving."""
    try:
        found = [*_values(spark, [made for made, _ in cases])]
    except Exception as error:
        if len(cases) == 1:
            return [f"{cases[0][0]!r}: {error}"]
        half = len(cases) // 2
        return wrong_values(spark, cases[:half]) + wrong_values(spark, cases[half:])
    return [
        f"{made!r}: {wanted!r} expected, the text gives {texts!r}, the tree {trees!r}"
        for (made, wanted), texts, trees in zip(cases, *found, strict=True)
        if not texts == trees == wanted
    ]


def _values(spark: SparkSession, made: Iterable[Expression]) -> Iterable[tuple[Any, ...]]:
    """The values of the text, and those of the interpreted tree."""
    columns = [each.alias(f"c{place}") for place, each in enumerate(made)]
    table = TableEnvironment().from_values([(1,)]).select(*columns)
    for frame in (spark.sql(table.to_sql()), table.to_dataframe(spark)):
        (row,) = frame.collect()
        yield tuple(row)
