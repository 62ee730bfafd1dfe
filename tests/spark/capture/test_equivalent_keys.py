"""What Spark takes for a grouping key is one here, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import viewscribe as vs
from tests.spark.capture.ways import Ways, assert_same
from viewscribe import functions as vf
from viewscribe.errors import ValidationError
from viewscribe.expressions.equivalence import Equivalence
from viewscribe.expressions.nodes import strip_alias
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

COLUMNS = {
    "a": "INT",
    "b": "INT",
    "c": "INT",
    "l": "BIGINT",
    "d": "DOUBLE",
    "x": "DECIMAL(10, 2)",
    "y": "DECIMAL(20, 4)",
    "z": "DECIMAL(38, 10)",
    "p": "BOOLEAN",
    "q": "BOOLEAN",
    "s": "STRING",
    "dt": "DATE",
}

PAIRS = """
a + 1 ~ 1 + a
a + b + c ~ c + b + a
(a + b) + c ~ a + (b + c)
a - b ~ b - a
a + b - c ~ b + a - c
a * b * c ~ c * (b * a)
a * b + c ~ c + b * a
a / b ~ b / a
(a + 1) * (b + 2) ~ (2 + b) * (1 + a)
a + l ~ l + a
a + b + l ~ l + b + a
a + b + l ~ l + (b + a)
a + b + l ~ (b + a) + l
(a + b) + (c + l) ~ (l + c) + (b + a)
a + d + x ~ x + d + a
a + 1 ~ a + 1L
a + (1 + 1) ~ 1 + a + 1
x + y ~ y + x
x + 1 ~ 1 + x
x + y + x ~ x + x + y
x + y + y ~ y + x + y
x + x + x ~ x + (x + x)
x + y + z ~ z + y + x
(x + x) + (x + x) ~ x + x + x + x
x * y * a ~ a * y * x
x * x * y ~ y * (x * x)
try_add(a, b) ~ try_add(b, a)
try_add(a, b) ~ a + b
try_add(try_add(a, b), c) ~ try_add(a, try_add(b, c))
try_add(try_add(a, b), c) ~ try_add(c, try_add(b, a))
try_multiply(a, b) ~ try_multiply(b, a)
dt + 1 ~ 1 + dt
dt + 1 + 2 ~ dt + 2 + 1
dt + INTERVAL 1 MONTH ~ INTERVAL 1 MONTH + dt
INTERVAL 1 DAY * a ~ a * INTERVAL 1 DAY
INTERVAL 1 DAY * a * b ~ INTERVAL 1 DAY * b * a
INTERVAL 1 DAY * (a * b) ~ (b * a) * INTERVAL 1 DAY
a = b ~ b = a
a <=> b ~ b <=> a
a <> b ~ b <> a
a <> b ~ NOT b = a
a IS DISTINCT FROM b ~ NOT (b <=> a)
a > b ~ b < a
a >= b ~ b <= a
a > b ~ b > a
NOT a > b ~ a <= b
NOT a > b ~ b >= a
NOT a < b ~ b <= a
a < b ~ NOT (b <= a)
a = b = p ~ p = (b = a)
a IN (1, 2, 3) ~ a IN (3, 2, 1)
a IN (b, c) ~ a IN (c, b)
a IN (b, c) ~ b IN (a, c)
a NOT IN (1, 2) ~ NOT a IN (2, 1)
(a + 1) IN (1, 2) ~ (1 + a) IN (2, 1)
a BETWEEN 1 AND 3 ~ a >= 1 AND a <= 3
p AND q ~ q AND p
p AND q AND a = 1 ~ a = 1 AND (q AND p)
p OR q ~ q OR p
p OR q AND a = 1 ~ 1 = a AND q OR p
NOT (p AND q) ~ NOT p OR NOT q
a & b & c ~ c & (b & a)
a | b ~ b | a
a ^ b ~ b ^ a
greatest(a, b, c) ~ greatest(c, a, b)
greatest(a, greatest(b, c)) ~ greatest(a, b, c)
greatest(a, greatest(b, d)) ~ greatest(d, b, a)
greatest(greatest(a, b), d) ~ greatest(a, b, d)
greatest(x, y, z) ~ greatest(z, y, x)
least(a, b) ~ least(b, a)
least(a, b) ~ greatest(a, b)
coalesce(a, b) ~ coalesce(b, a)
nvl(a, b) ~ coalesce(a, b)
nvl(a, b) ~ ifnull(a, b)
concat(s, 'a') ~ concat('a', s)
abs(a + b) ~ abs(b + a)
if(a > b, 1, 2) ~ if(b < a, 1, 2)
CASE WHEN a > b THEN 1 END ~ CASE WHEN b < a THEN 1 END
array(a + 1) ~ array(1 + a)
struct(a, b) ~ struct(b, a)
substring(s, 1, a + 1) ~ substring(s, 1, 1 + a)
"""


@pytest.fixture(scope="module")
def keys(spark: SparkSession) -> str:
    """A table with a column of each kind."""
    spark.sql("CREATE DATABASE IF NOT EXISTS equivalent")
    spark.sql("DROP TABLE IF EXISTS equivalent.keys")
    spark.sql(
        "CREATE TABLE equivalent.keys "
        f"({', '.join(f'{name} {type_}' for name, type_ in COLUMNS.items())}) USING parquet"
    )
    spark.sql(
        "INSERT INTO equivalent.keys VALUES "
        "(1, 2, 3, 4L, 0.1D, 1.25, 2.5, 3.75, true, false, 'p', DATE'2020-01-31'), "
        "(2, 1, 3, 4L, 0.2D, 1.25, 2.5, 3.75, true, NULL, 'q', DATE'2020-01-31'), "
        "(2, 2, 3, 4L, 0.3D, 1.25, NULL, 3.75, true, true, 'p', NULL), "
        "(NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    return "equivalent.keys"


def test_expressions_are_one_where_spark_takes_them_for_one(spark: SparkSession, keys: str):
    pairs = [tuple(line.split(" ~ ")) for line in PAIRS.strip().splitlines()]
    items = [f"{each} AS c{place}" for place, each in enumerate(sum(pairs, ()))]
    frame = spark.sql(f"SELECT {', '.join(items)} FROM {keys}")
    project = capture_classic(frame)
    assert isinstance(project, n.Project)
    ours = [strip_alias(each) for each in project.expressions]
    theirs: Any = frame._jdf.queryExecution().analyzed().expressions()
    different = []
    for place, pair in enumerate(pairs):
        left, right = (theirs.apply(2 * place + side).children().head() for side in (0, 1))
        equivalence = Equivalence()
        numbers = {equivalence.number(each) for each in ours[2 * place : 2 * place + 2]}
        if (len(numbers) == 1) != left.semanticEquals(right):
            different.append(pair)
    assert not different


QUERIES = (
    "SELECT 1 + a AS k, sum(b) AS s FROM {keys} GROUP BY a + 1",
    "SELECT sum(b) AS s FROM {keys} GROUP BY a + 1, c ORDER BY 1 + a, c",
    "SELECT sum(b) AS s FROM {keys} GROUP BY a + 1 HAVING 1 + a > 2",
    "SELECT 2 * (1 + a) AS k, b * a + 1 AS m, max(l) + a * b AS n FROM {keys} "
    "GROUP BY a + 1, a * b HAVING b * a > 1",
    "SELECT b < a AS u, NOT a <= b AS v, count(*) AS n FROM {keys} GROUP BY a > b",
    "SELECT sum(count(*)) OVER (PARTITION BY 1 + a) AS n FROM {keys} GROUP BY a + 1, b",
    "SELECT 1 + a AS k, b, grouping(1 + a) AS g FROM {keys} GROUP BY ROLLUP (a + 1, b)",
    "SELECT 1 + a AS k, count(*) AS n FROM {keys} GROUP BY ROLLUP (a + 1, 1 + a)",
    "SELECT 1 + a AS k, count(*) AS n FROM {keys} "
    "GROUP BY a + 1, b GROUPING SETS ((1 + a), (b), ())",
    "SELECT sum(a) AS s FROM {keys} GROUP BY ifnull(a, 1) + 1 ORDER BY ifnull(a, 1) + 1",
    "SELECT a + 1 AS k, 1 + a AS m FROM {keys} GROUP BY a + 1, 1 + a",
    "SELECT (d + 0.2D) + 0.3D AS k FROM {keys} GROUP BY d + (0.2D + 0.3D)",
)


@pytest.mark.parametrize("query", QUERIES)
def test_keys_in_another_order_are_captured(spark: SparkSession, keys: str, query: str):
    frame = spark.sql(query.format(keys=keys))
    assert_same(frame, capture_classic(frame))


def _counted(spark: Any) -> Any:
    keys = spark.table("equivalent.keys").groupBy(F.col("a") + 1, (F.col("a") > F.col("b")))
    found = keys.agg(
        (F.lit(1) + F.col("a")).alias("k"),
        (2 * (1 + F.col("a")) + F.sum("b")).alias("m"),
        (F.col("b") < F.col("a")).alias("less"),
    )
    return found.filter(F.col("k") > 1)


def _set_once(spark: Any) -> Any:
    a = F.col("a")
    keys = spark.table("equivalent.keys").groupingSets([[F.lit(1) + a], []], a + F.lit(1), "b")
    return keys.agg(F.count("*").alias("n"))


def _given_twice(spark: Any) -> Any:
    a = F.col("a")
    return spark.table("equivalent.keys").rollup(a + F.lit(1), F.lit(1) + a).count()


def _cubed_twice(spark: Any) -> Any:
    groups = spark.table("equivalent.keys").cube("A", "b", "a")
    return groups.agg(F.count("*").alias("n"), F.grouping("a").alias("g"), F.grouping_id())


def _sets_of_one_twice(spark: Any) -> Any:
    a, b = F.col("a"), F.col("b")
    groups = spark.table("equivalent.keys").groupingSets([[a, a], [b], []], a, b, a)
    return groups.agg((F.count("*") + 1).alias("n"))


@pytest.mark.parametrize(
    "pipeline", [_counted, _set_once, _given_twice, _cubed_twice, _sets_of_one_twice]
)
def test_keys_of_dataframes_in_another_order_are_captured(
    pipeline: Any, spark: SparkSession, keys: str, planner: Planner, offline: OfflineSession
):
    ways = Ways(spark, planner, offline)
    frame = pipeline(spark)
    assert_same(frame, ways.analyzed(frame))
    assert_same(frame, ways.over_connect(ways.connect(pipeline)))
    assert_same(frame, ways.recorded(pipeline))


def test_tables_take_keys_in_another_order():
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b INT, d DECIMAL(10, 2), l BIGINT")
    a, b = vs.col("a"), vs.col("b")
    groups = env.from_path("t").group_by(a + b + 1, a > b)
    table = groups.select(
        (1 + b + a).alias("k"), vf.max(vs.col("l")).alias("m"), (b < a).alias("g")
    )
    assert "GROUP BY a + b + 1, a > b" in " ".join(table.to_sql().split())
    with pytest.raises(ValidationError, match="column `a` is neither a grouping key"):
        groups.select((a - b + 1).alias("k"))


def test_deep_expressions_are_numbered_without_recursion():
    env = vs.TableEnvironment()
    env.create_table("t", "a INT")
    deep = vs.col("a")
    for _ in range(3_000):
        deep = -(deep + 1)
    table = env.from_path("t").group_by(deep.alias("k")).select(vs.col("k"))
    assert table.schema.names == ("k",)
