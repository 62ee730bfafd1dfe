"""Words of the grammar as names of columns, wherever Spark takes them for names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parser.tables import TABLES, read
from viewscribe.errors import ViewscribeError
from viewscribe.parser.grammar.words import CLAUSES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OTHERS = ("IN", "IS", "BETWEEN", "LIKE", "NOT", "CASE", "VALUES", "EXISTS", "ALL")
WORDS = sorted({*CLAUSES, *OTHERS} - {"AS"})
PLACES = (
    "SELECT 1 {}",
    "SELECT a {}, b FROM t",
    "SELECT a {} FROM t",
    "SELECT (SELECT 1 {}) AS x",
    "SELECT {} FROM (SELECT 1 AS {})",
    "SELECT {} + 1 AS x FROM (SELECT 1 AS {})",
    "FROM t |> SELECT a {}",
)
HERE_ALONE = frozenset(("SELECT 1 FROM", "SELECT (SELECT 1 FROM) AS x", "FROM t |> SELECT a FROM"))
"""A FROM without a table is most likely a text that is not finished, as is AS without a name."""


def test_aliases_and_columns(spark: SparkSession) -> None:
    """What Spark accepts has the same columns here; what it refuses may be refused."""
    from pyspark.errors import PySparkException

    session = spark.newSession()
    session.createDataFrame([], TABLES["t"]).createOrReplaceTempView("t")
    different = []
    for word in WORDS:
        for place in PLACES:
            text = place.format(*[word] * place.count("{}"))
            try:
                theirs = session.sql(text).columns
            except PySparkException:
                continue
            try:
                ours = list(read(text).schema.names)
            except ViewscribeError as error:
                ours = [error.message]
            if ours != theirs and text not in HERE_ALONE:
                different.append((text, ours, theirs))
    session.catalog.dropTempView("t")
    assert not different, "\n".join(map(str, different))
