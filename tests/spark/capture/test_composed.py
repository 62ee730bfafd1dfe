"""Composed queries mean the same as captured text: by plan, or else by their rows."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tests.fuzzing import examples
from tests.spark.capture.composed import ROWS, SETTINGS, TABLES, Composer
from viewscribe.errors import CaptureError, NotSerializableError
from viewscribe.serializer import STYLES, to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.compare import compare_plans
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

COUNT = examples(120)
DATABASE = "t"


@pytest.fixture(scope="module")
def clashing(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(f"CREATE DATABASE {DATABASE}")
    for name, columns in TABLES.items():
        spark.sql(f"CREATE TABLE {DATABASE}.{name} ({columns}) USING parquet")
        if ROWS[name]:
            spark.sql(f"INSERT INTO {DATABASE}.{name} VALUES {ROWS[name]}")
    yield spark
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


FOUND = {
    "a field of a column called as the joined table": (
        "SELECT b.a AS n, b.b.b AS s FROM (SELECT 1 AS a) AS x FULL JOIN t.a AS b ON b.a <> b.b.a"
    ),
    "a column called as its table and its database": (
        "SELECT 1 AS n, t.b AS s FROM t.t AS x JOIN t.t AS t ON t.t.t = x.t.t"
    ),
    "a sort above DISTINCT in a part without names": (
        "SELECT 1 AS n, 'p' AS s UNION ALL "
        "(SELECT DISTINCT a.b.a AS x, a.b.b AS y FROM t.a AS a ORDER BY x, y LIMIT 1)"
    ),
    "a sort above groups in a part without names": (
        "SELECT 1L AS n, 'p' AS s UNION ALL "
        "(SELECT sum(a.t) AS x, a.x AS y FROM t.a AS a GROUP BY ROLLUP (a.x) ORDER BY x, y LIMIT 1)"
    ),
    "a computed key of ROLLUP above a join of equal names": (
        "SELECT max(x.t.t) AS n, coalesce('p', b.b) AS s FROM t.t AS x CROSS JOIN t.b AS b "
        "GROUP BY ROLLUP (coalesce('p', b.b))"
    ),
    "a parameter of a lambda called as the joined table whose column is inside": (
        "SELECT transform(array(named_struct('a', 10, 't', 20)), t -> t.a + q) AS n "
        "FROM (SELECT t.a AS q FROM t.t AS t CROSS JOIN t.a AS a)"
    ),
    "both parameters of a lambda called as tables, one as the other with a number": (
        "SELECT aggregate(array(10, 20), 0, (t, a) -> t + a + q + r, t_2 -> t_2 + q) AS n "
        "FROM (SELECT t.a AS q, a.a AS r FROM t.t AS t CROSS JOIN t.a AS a)"
    ),
    "a lambda in a lambda, the outer one's parameter called as the table": (
        "SELECT transform(array(1), t -> element_at(transform(array(2), t_2 -> t_2 + t + q), 1)) "
        "AS n FROM (SELECT t.a AS q FROM t.t AS t CROSS JOIN t.a AS a)"
    ),
    "a sort below a struct called as the joined table": (
        "SELECT named_struct('a', -q) AS t FROM "
        "(SELECT t.a AS q FROM t.t AS t CROSS JOIN t.a AS a) ORDER BY q DESC LIMIT 2"
    ),
    "a sort below an array and a map called as the joined tables": (
        "SELECT array(named_struct('a', -q)) AS t, map('a', -r) AS a FROM "
        "(SELECT t.a AS q, a.a AS r FROM t.t AS t CROSS JOIN t.a AS a) "
        "ORDER BY q DESC, r DESC LIMIT 1"
    ),
    "a sort by the largest of a group below a struct called as the joined table": (
        "SELECT named_struct('a', r) AS t FROM "
        "(SELECT t.a AS q, a.a AS r FROM t.t AS t CROSS JOIN t.a AS a) "
        "GROUP BY r ORDER BY max(q), r DESC LIMIT 1"
    ),
    "a table's own column called as the table, sorted by another": (
        "SELECT t.t FROM (SELECT t.t, t.a AS q FROM t.t AS t CROSS JOIN t.a AS a) AS t "
        "ORDER BY t.q DESC, t.t LIMIT 4"
    ),
}
"""What random queries found."""


@pytest.mark.parametrize("what", FOUND)
def test_what_was_found(clashing: SparkSession, what: str) -> None:
    assert _outcome(clashing, FOUND[what]) in ("proven", "equal rows")


def test_an_unpivot_may_call_its_columns_as_those_that_stay(clashing: SparkSession) -> None:
    table = clashing.table(f"{DATABASE}.b").select("a", "b", "t")
    for label, value in (("a", "v"), ("v", "b"), ("a", "B"), ("v", "v")):
        frame = table.unpivot(["a", "b"], ["t"], label, value)
        assert _outcome_of(clashing, frame) == "proven", (label, value)


@pytest.mark.slow("a hundred queries are captured, printed three times and read again")
def test_composed_queries_keep_their_rows(clashing: SparkSession) -> None:
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(COUNT):
        query = Composer(Random(f"{COUNT} {seed}"), DATABASE).statement()
        under = SETTINGS[seed % len(SETTINGS)]
        with settings(clashing, under):
            found = _outcome(clashing, query)
        outcomes[found.partition(":")[0]] += 1
        if found.startswith("wrong"):
            wrong.append(f"{under} {query}\n{found}")
    assert not wrong, "\n\n".join(wrong)
    taken = COUNT - outcomes["not taken by Spark"]
    assert taken > COUNT / 2, outcomes
    assert outcomes["refused"] <= taken / 25, outcomes  # totals of nothing but empty sets
    assert outcomes["proven"] >= taken * 0.85, outcomes  # constants as keys, sorts that nobody sees


def test_several_totals_of_one_table_are_refused(clashing: SparkSession) -> None:
    """There is a row for each empty set, and none where the table has none."""
    found = _outcome(clashing, "SELECT count(*) AS n FROM t.a GROUP BY GROUPING SETS ((), ())")
    assert found.startswith("refused: GROUPING SETS of 2 empty sets")


def _outcome(spark: SparkSession, query: str) -> str:
    try:
        frame = spark.sql(query)
    except PySparkException:
        return "not taken by Spark"
    return _outcome_of(spark, frame)


def _outcome_of(spark: SparkSession, frame: DataFrame) -> str:
    try:
        operation = capture_classic(frame)
        texts = {style: to_sql(operation, style) for style in STYLES}
    except (CaptureError, NotSerializableError) as error:
        return f"refused: {error}"
    proven = True
    for style, text in texts.items():
        try:
            again = spark.sql(text)
        except PySparkException as error:
            return f"wrong: {style} is not read: {error}\n{text}"
        if again.dtypes != frame.dtypes:
            return f"wrong: {style} has other columns\n{text}"
        if compare_plans(again, frame).status != "equal":
            proven = False
            if _rows(again) != _rows(frame):
                return f"wrong: {style} gives {_rows(again)}, not {_rows(frame)}\n{text}"
    return "proven" if proven else "equal rows"


def _rows(frame: DataFrame) -> Any:
    """The rows, or what kind of error they end in."""
    try:
        return Counter(map(tuple, frame.collect()))
    except (PySparkException, Py4JJavaError) as error:
        return type(error).__name__
