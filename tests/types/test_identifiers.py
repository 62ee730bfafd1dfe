"""Names are quoted where Spark needs it, and nowhere else."""

from __future__ import annotations

import logging
import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import ParseException

from tests.types.strategies import names
from viewscribe.errors import ValidationError
from viewscribe.types.identifiers import (
    RESERVED_WORDS,
    needs_quoting,
    parse_name,
    quote_identifier,
    quote_name,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("name", ["a", "_1", "A9", "name", "date", "value", "year", "interval"])
def test_plain_names_stay_bare(name: str) -> None:
    assert quote_identifier(name) == name


@pytest.mark.parametrize(
    "name", ["", "1a", "1e5", "a.b", "a b", "é", "Table", "LEFT", "current_date", "a-b", "a\n"]
)
def test_other_names_are_quoted(name: str) -> None:
    assert needs_quoting(name)
    assert quote_identifier(name) == f"`{name}`"


def test_backticks_are_doubled() -> None:
    assert quote_identifier("a`b") == "`a``b`"
    assert quote_name(["sales", "2024 q1", "order"]) == "sales.`2024 q1`.`order`"


@given(st.lists(names(), min_size=1, max_size=4))
def test_quoted_names_are_read_back(parts: list[str]) -> None:
    assert parse_name(quote_name(parts)) == tuple(parts)


@pytest.mark.parametrize(
    "text", ["a..b", ".a", "a.", "`a`b", "a`b`", "`a", "`` ", "`a`.", "`", "."]
)
def test_damaged_names_are_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a name"):
        parse_name(text)


def test_names_split_as_spark_splits_them(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    read = jvm.org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute.parseAttributeName
    for text in [
        "a",
        "a.b",
        "`a.b`.c",
        "a b",
        " a . b ",
        "`a``b`",
        "",
        "``",
        "a.``.b",
        "1a.*",
        "é",
    ]:
        parts = read(text)
        assert parse_name(text) == tuple(parts.apply(i) for i in range(parts.size()))


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
        jvm: Any = spark._jvm
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(self.session)

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


@pytest.fixture(scope="module")
def keywords(spark: SparkSession) -> list[str]:
    jvm: Any = spark._jvm
    known = jvm.org.apache.spark.sql.catalyst.util.SQLKeywordUtils.keywords()
    return [known.apply(index).lower() for index in range(known.size())]


@pytest.mark.parametrize("enforced", [False, True])
def test_bare_keywords_mean_themselves(
    spark: SparkSession, keywords: list[str], enforced: bool
) -> None:
    parser = Parser(spark)
    with parser.reserved(enforced):
        assert all(parser.plan(place.replace("{k}", "`table`")) for place in PLACES)
        bare = [word for word in keywords if not needs_quoting(word)]
        assert len(bare) > 300
        # All of them take half a minute.
        tried = bare if os.environ.get("CI") else random.Random(1).sample(bare, 80)
        assert [word for word in tried if not parser.means_itself(word)] == []


def test_no_keyword_is_quoted_in_vain(spark: SparkSession) -> None:
    parser = Parser(spark)
    in_vain = set(RESERVED_WORDS)
    for enforced in (True, False):
        with parser.reserved(enforced):
            in_vain = {word for word in in_vain if parser.means_itself(word)}
    assert in_vain == set()


@pytest.mark.parametrize("enforced", [False, True])
def test_keywords_are_columns_and_aliases(
    spark: SparkSession, keywords: list[str], enforced: bool
) -> None:
    written = [quote_identifier(word) for word in keywords]
    with Parser(spark).reserved(enforced):
        values = ", ".join(["1"] * len(written))
        rows = f"VALUES ({values}) AS t({', '.join(written)})"
        assert spark.sql(f"SELECT {', '.join(written)} FROM {rows}").columns == keywords
        renamed = ", ".join(f"1 AS {name}" for name in written)
        assert spark.sql(f"SELECT {renamed}").columns == keywords
        joined = " CROSS JOIN ".join(f"(SELECT 1 AS a) AS {name}" for name in written[:40])
        chosen = ", ".join(f"{name}.a" for name in written[:40])
        assert len(spark.sql(f"SELECT {chosen} FROM {joined}").columns) == 40
