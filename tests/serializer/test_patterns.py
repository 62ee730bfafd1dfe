"""``LIKE ANY (…)`` and its kin over constants that Spark's parser would work out, or fail over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.serializer.cases import PEOPLE
from tests.serializer.test_same_rows import rows_of, schema_of
from tests.spark.answers import Answers
from viewscribe import col, interval, lit
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.registry import all_built_ins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = sorted(name for name in all_built_ins() if name.endswith(("like_any", "like_all")))

PATTERNS: dict[str, tuple[Any, ...]] = {
    "a NULL": (None,),
    "a NULL of STRING": ("a%", lit(None, "STRING")),
    "a NULL before": (None, "a%"),
    "a NULL and a column": (None, col("home")["city"]),
    "a number": (5, "a%"),
    "a computed constant": (lit(5).cast("STRING"), "a%"),
    "a computed NULL": ("%n%", lit(None, "INT").cast("STRING")),
    "a condition": (F.when(lit(1) == 1, "ann"), "x"),
    "a time": (lit("2024-01-01").cast("TIMESTAMP").cast("STRING"), "x"),
    "a collation": (lit("ann").collate("UTF8_BINARY"), "x"),
    "another collation": (lit("ANN").collate("UTF8_LCASE"),),
    "a function": (F.concat(lit("a"), lit("%")), "x"),
    "an interval": (interval(days=1).cast("STRING"), "%d%"),
}


def test_there_are_eight() -> None:
    assert len(NAMES) == 8


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (col("name").ilike_any("a%", None), "name ILIKE ANY ('a%', NULL)"),
        (col("name").not_like_all(lit(None, "STRING"), "x"), "name NOT LIKE ALL (NULL, 'x')"),
        (
            ~col("name").ilike_all(lit(5).cast("STRING"), "x"),
            "NOT (name ILIKE CAST(5 AS STRING) AND name ILIKE 'x')",
        ),
        (col("name").not_like_any(lit(5).cast("STRING")), "name NOT LIKE CAST(5 AS STRING)"),
        (col("name").ilike_any(col("tag"), None), "name ILIKE ANY (tag, NULL)"),
    ],
)
def test_text(made: Expression, text: str) -> None:
    table = PEOPLE.explode("tags", "tag").select(made.alias("x"))
    assert f"\n  {text} AS x\n" in table.to_sql()


def test_an_operand_that_changes_is_not_written_twice() -> None:
    made = F.uuid().ilike_any("a", lit(5).cast("STRING"))
    with pytest.raises(NotSerializableError, match="ILIKE ANY with constants that are computed"):
        PEOPLE.select(made.alias("x")).to_sql()
    assert "uuid() ILIKE ANY ('a', NULL)" in PEOPLE.select(F.uuid().ilike_any("a", None)).to_sql()


def test_spark_reads_it_and_gives_the_same(shop: SparkSession) -> None:
    calls = [
        getattr(col("name"), name)(*patterns).alias(f"{name}, {title}")
        for title, patterns in PATTERNS.items()
        for name in NAMES
    ]
    table, answers = PEOPLE.select(*calls), Answers(rows_of)
    interpreted = table.to_dataframe(shop)
    wanted = [(field.name, str(field.type)) for field in table.schema]
    assert schema_of(interpreted) == wanted
    for style in ("readable", "pipe"):
        found = shop.sql(table.to_sql(style))
        assert schema_of(found) == wanted
        assert answers.of(found) == answers.of(interpreted)
