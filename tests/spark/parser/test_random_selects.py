"""Random texts: what Spark takes is taken, with its rows, and what it refuses is refused.

Where the two of them differ on purpose, the reason is listed here.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.fuzzing import examples
from tests.parser.tables import Tables
from tests.spark.parser.select_texts import ROWS, TABLES, SelectTexts
from viewscribe.errors import ViewscribeError
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.serializer import to_sql
from viewscribe.spark.compare import compare_plans
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.session import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

TEXTS = 60

REFUSED_BY_US = [
    "HAVING calls no aggregate, beside sets of keys and a window function",
    "in HAVING is a column and the alias of an item, beside a window function",
    "HAVING calls or casts, and is on the key",
    "of a key of ROLLUP, CUBE or GROUPING SETS, which is NULL to Spark",
    "a window of QUALIFY over an item, beside windows that are shown",
    "which one side has twice: what is a copy Spark leaves out",
    "is neither a grouping key nor inside an aggregate function",  # an alias that several have
    "is ambiguous",  # an item's name that a window has, too; keys that a join does not show
    "no column `",  # an item in a window of QUALIFY; keys behind several joins and steps
]
"""What is refused although Spark takes it: it means another thing there than it looks like."""

REFUSED_BY_SPARK = [
    "CAST_INVALID_INPUT",  # it computes constants early
    "MISSING_ATTRIBUTES",  # Spark loses keys that a join by names does not show
    "UNRESOLVED_COLUMN",  # a key that is in HAVING and in ORDER BY, and not shown
    "AMBIGUOUS_REFERENCE",  # `a AS a` and `a` are two columns to it
    "UNSUPPORTED_GROUPING_EXPRESSION",  # beside a window
    "GROUPING_COLUMN_MISMATCH",
    "MISSING_AGGREGATION",
]
"""What we take although Spark refuses it: what is printed for it has a meaning, and runs."""


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    for name, ddl in TABLES.items():
        columns = ", ".join(each.split()[0] for each in ddl.split(", "))
        rows = session.sql(f"SELECT * FROM VALUES {ROWS[name]} AS t({columns})")
        rows.createOrReplaceTempView(name)
    yield session
    for name in TABLES:
        session.catalog.dropTempView(name)


def test_texts_mean_what_spark_means(session: SparkSession) -> None:
    count = examples(TEXTS, fuzz=3000)
    texts = SelectTexts("selects" if count == TEXTS else str(random.random()))
    wrong: list[tuple[object, ...]] = []
    taken = 0
    for _ in range(count):
        text = texts.text()
        theirs = analyzed(session, text)
        try:
            ours = to_sql(read_sql(text, Tables(TABLES), Reading(zone="UTC")))
        except ViewscribeError as error:
            if not isinstance(theirs, str) and not is_known(str(error), REFUSED_BY_US):
                wrong.append((text, str(error)))
            continue
        printed = analyzed(session, ours)
        if isinstance(theirs, str) and is_known(theirs, REFUSED_BY_SPARK):
            continue
        taken += 1
        if isinstance(theirs, str) or isinstance(printed, str):
            wrong.append((text, ours, theirs, printed))
        elif difference := differs(text, printed, theirs):
            wrong.append((text, ours, difference))
    assert taken > count / 5
    assert not wrong, "\n\n".join("\n".join(map(str, each)) for each in wrong)


def analyzed(session: SparkSession, text: str) -> DataFrame | str:
    """The DataFrame of a text that Spark can run, or why it cannot."""
    try:
        with silence_errors():
            frame = session.sql(text)
        frame._jdf.queryExecution().executedPlan()
    except Exception as error:
        return first_line(error)
    return frame


def differs(text: str, ours: DataFrame, theirs: DataFrame) -> str | None:
    """In what the DataFrames differ; None if in nothing."""
    if columns(ours) != columns(theirs):
        return f"{columns(ours)} instead of {columns(theirs)}"
    if compare_plans(ours, theirs).status == "equal":
        return None
    try:
        expected = list(map(repr, theirs.collect()))
    except Exception:
        return None  # Spark 4.3 has no plan for some correlated sub-queries
    found = list(map(repr, ours.collect()))
    same = found == expected if " ORDER BY" in text else Counter(found) == Counter(expected)
    return None if same else f"{found} instead of {expected}"


def columns(frame: DataFrame) -> list[Any]:
    return [(field.name, field.dataType) for field in frame.schema.fields]


def is_known(message: str, reasons: list[str]) -> bool:
    return any(each in message for each in reasons)
