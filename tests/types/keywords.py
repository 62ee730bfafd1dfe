"""Spark's keywords, and its parser with reserved words enforced or not."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.errors import ParseException

from viewscribe.types.identifiers import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Every place where the serializer writes a name, or a reader of a view may.
PLACES = (
    "SELECT b FROM {k} WHERE b",
    "SELECT b FROM t PIVOT (sum({k}) AS {k} FOR {k} IN (1 AS {k}))",
    "SELECT b FROM t UNPIVOT (v FOR {k} IN ({k}, b AS {k}))",
    "FROM {k} |> EXTEND {k} AS {k} |> SET {k} = {k} |> DROP {k} |> AS {k}",
    "FROM {k} |> AGGREGATE f({k}) AS {k} GROUP BY {k}",
    "CREATE OR REPLACE VIEW u.{k} ({k} COMMENT 'a', b) AS SELECT 1",
    """
    WITH {k} AS (SELECT 1 AS {k}, b AS {k} FROM {k} WHERE b), cte({k}) AS (SELECT b FROM u.{k})
    SELECT {k}, {k}.{k}, b.{k}.b AS {k}, f({k}, {k}), {k}.f(b), -{k}, {k} + 1, NOT {k}, {k}[0],
      CASE {k} WHEN {k} THEN {k} ELSE {k} END, {k} IN ({k}, 1), {k} IS NOT NULL, ({k}, 1), {k}:b,
      CAST({k} AS STRUCT<{k}: INT>), transform(b, {k} -> {k} + 1), extract(YEAR FROM {k}),
      {k} LIKE {k}, f(b, {k} => 1), sum(b) OVER {k}, * EXCEPT ({k}),
      sum({k}) FILTER (WHERE {k}) OVER (PARTITION BY {k} ORDER BY {k} DESC NULLS LAST)
    FROM {k} LEFT JOIN {k} AS {k} ON {k}.{k} = b
      LEFT JOIN {k} USING ({k}) CROSS JOIN (SELECT 1) AS {k}({k}, b), LATERAL (SELECT {k}) AS {k}
      LATERAL VIEW OUTER explode({k}) {k} AS {k}, {k}
    WHERE {k} AND b GROUP BY {k}, ROLLUP ({k}) HAVING {k} WINDOW {k} AS (PARTITION BY {k})
    ORDER BY {k}, b LIMIT 1
    """,
)


class Parser:
    """Spark's parser, with reserved words enforced or not."""

    def __init__(self, spark: SparkSession) -> None:
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        self.spark = spark
        self.plans: dict[str, str] = {}
        self.session: Any = spark._jsparkSession

    @contextmanager
    def reserved(self, enforced: bool) -> Iterator[None]:
        """Keywords are reserved inside, or are not."""
        key = "spark.sql.ansi.enforceReservedKeywords"
        self.spark.conf.set(key, enforced)
        try:
            yield
        finally:
            self.spark.conf.unset(key)

    def plan(self, text: str) -> str | None:
        """The plan that Spark reads, or None where it refuses."""
        try:
            plan = self.session.sessionState().sqlParser().parsePlan(text).toString()
        except ParseException:
            return None
        return re.sub(r"#\d+", "", plan)

    def means_itself(self, word: str) -> bool:
        """Whether the bare word is read in every place as any name is."""
        return all(
            self.plan(place.replace("{k}", word)) == self.known(place).replace("qqq", word)
            for place in PLACES
        )

    def known(self, place: str) -> str:
        """The plan of the place with a name that is no keyword."""
        if place not in self.plans:
            plan = self.plan(place.replace("{k}", "qqq"))
            assert plan is not None
            self.plans[place] = plan
        return self.plans[place]


def keywords(spark: SparkSession) -> list[str]:
    """All keywords of the running Spark."""
    jvm: Any = spark._jvm
    known = jvm.org.apache.spark.sql.catalyst.util.SQLKeywordUtils.keywords()
    return [known.apply(index).lower() for index in range(known.size())]


def check_columns_and_aliases(spark: SparkSession, words: list[str]) -> None:
    """Quoted where we quote them, words name columns, and tables of a join."""
    written = [quote_identifier(word) for word in words]
    values = ", ".join(["1"] * len(written))
    rows = f"VALUES ({values}) AS t({', '.join(written)})"
    assert spark.sql(f"SELECT {', '.join(written)} FROM {rows}").columns == words
    renamed = ", ".join(f"1 AS {name}" for name in written)
    assert spark.sql(f"SELECT {renamed}").columns == words
    joined = " CROSS JOIN ".join(f"(SELECT 1 AS a) AS {name}" for name in written[:40])
    chosen = ", ".join(f"{name}.a" for name in written[:40])
    assert len(spark.sql(f"SELECT {chosen} FROM {joined}").columns) == len(written[:40])
