"""An environment whose settings say ANSI off types pipelines as Spark then does."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import viewscribe as vs
from viewscribe import call, col, lit
from viewscribe.errors import TypeMismatchError
from viewscribe.spark.session import settings
from viewscribe.spark.types import schema_from_spark
from viewscribe.types.coercion import ANSI, LEGACY, coercion, coercion_of, common_type
from viewscribe.types.nested_types import INT, STRING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from viewscribe.table_api.table import Table
    from viewscribe.types import LogicalType

OFF = {"spark.sql.ansi.enabled": "false"}
ROWS = [(1, "a", Decimal("2.50"), True)]
SCHEMA = "i INT NOT NULL, s STRING NOT NULL, d DECIMAL(4, 2) NOT NULL, b BOOLEAN NOT NULL"


def table(off: bool) -> Table:
    return vs.TableEnvironment(settings=OFF if off else None).from_values(ROWS, SCHEMA)


def mixed(start: Table) -> Table:
    return start.select(
        call("coalesce", col("i"), col("s")).alias("either"),
        (col("d") * col("d")).alias("square"),
        call("make_date", col("i"), col("i"), col("i")).alias("day"),
        (col("s") + 1).alias("more"),
    )


def test_types_follow_the_settings() -> None:
    on, off = mixed(table(off=False)), mixed(table(off=True))
    assert str(on.schema) == (
        "either BIGINT NOT NULL, square DECIMAL(9, 4) NOT NULL, day DATE NOT NULL, more BIGINT"
    )
    assert str(off.schema) == "either STRING NOT NULL, square DECIMAL(9, 4), day DATE, more DOUBLE"


def test_the_types_are_those_of_spark(spark: SparkSession) -> None:
    with settings(spark, OFF):
        made = mixed(table(off=True))
        assert schema_from_spark(spark.sql(made.to_sql()).schema) == made.schema.fields
    on = mixed(table(off=False))
    assert schema_from_spark(spark.sql(on.to_sql()).schema) == on.schema.fields


def test_a_function_of_the_environment_keeps_the_coercion() -> None:
    env = vs.TableEnvironment(settings=OFF)
    env.create_temporary_system_function("half", lambda x: x, parameters=["INT"], returns="INT")
    made = env.from_values(ROWS, SCHEMA).select(call("coalesce", col("i"), col("s")).alias("x"))
    assert str(made.schema) == "x STRING NOT NULL"


def test_what_only_one_of_both_takes() -> None:
    truth = col("b") == 1
    with pytest.raises(TypeMismatchError):
        table(off=False).filter(truth)
    assert "b = 1" in table(off=True).filter(truth).to_sql()
    with pytest.raises(TypeMismatchError):
        table(off=True).select(call("date_add", lit("2024-01-01").cast("DATE"), col("s")))


def test_a_view_keeps_its_types() -> None:
    env = vs.TableEnvironment(settings=OFF)
    env.create_table("t", SCHEMA)
    env.create_view("v", env.from_path("t").filter(col("b") == 1).select(col("i") + col("s")))
    view = env.get_view("v")
    assert view.settings["spark.sql.ansi.enabled"] == "false"
    assert env.view_table("v").to_sql() + "\n" == view.sql + "\n"


def test_groups_sets_and_values() -> None:
    start = table(off=True)
    union = start.select("i").union_all(start.select("s"))
    assert str(union.schema) == "i STRING NOT NULL"
    grouped = start.group_by((col("b") == 1).alias("k")).agg(call("count").alias("n"))
    assert str(grouped.schema) == "k BOOLEAN NOT NULL, n BIGINT NOT NULL"
    rows = vs.TableEnvironment(settings=OFF).from_values([(1,), ("a",)])
    assert [field.type for field in rows.schema] == [STRING.not_null()]


def test_the_policy_is_that_of_the_settings_and_ends_with_the_block() -> None:
    assert coercion_of({}) is ANSI
    assert coercion_of({"spark.sql.ansi.enabled": "FALSE"}) is LEGACY
    with coercion(LEGACY):
        assert common_type(INT, STRING) == STRING
    assert common_type(INT, STRING) != STRING


def test_types_of_one_policy_are_not_given_under_the_other() -> None:
    for _ in range(2):
        for off, expected in ((True, "DOUBLE"), (False, "BIGINT")):
            made = table(off=off).select((col("s") + 1).alias("x"))
            assert str(made.schema) == f"x {expected}"


@pytest.mark.parametrize(
    ("item", "nullable"),
    [("array(1, 2)[1]", False), ("array(1, 2)[2]", True), ("array(1, 2)[-1]", True)],
)
def test_a_place_outside_of_an_array_is_null(item: str, nullable: bool) -> None:
    env = vs.TableEnvironment(settings=OFF)
    (field,) = env.sql_query(f"SELECT {item} AS y").schema
    assert field.nullable is nullable


NUMBERS = (
    "1",
    "0",
    "1L",
    "0Y",
    "1.0",
    "0.00",
    "1D",
    "-0.0D",
    "0F",
    "2",
    "1.5",
    "0 + 1",
    "'1'",
    "i",
)
EQUALITIES = (
    *("{} = {}", "{} <> {}", "{} <=> {}", "{} IS DISTINCT FROM {}", "{} IS NOT DISTINCT FROM {}"),
    *("equal_null({}, {})", "nullif({}, {})", "CASE {} WHEN {} THEN 'x' END", "NOT ({} = {})"),
    *("sum(if({} = {}, 1, 0)) OVER ()", "({} <=> {}) IS NULL"),
)


def _beside_truth() -> list[str]:
    """Truth beside each number, and each number beside truth."""
    pairs = [pair for each in NUMBERS for pair in (("b", each), (each, "b"))]
    items = [each.format(*pair) for pair in pairs for each in EQUALITIES]
    signs = ("=", "<=>", "<>")
    items += [f"{each} {sign} false" for sign in signs for each in ("0", "1", "2", "true")]
    return [*items, "(b = 1) = 1", "(i = 1) = 0", "b = 1 = 1", "(b <=> 1) = 0", "(b = 1) = (b = 0)"]


def test_truth_beside_a_number_is_named_and_typed_as_by_spark(spark: SparkSession) -> None:
    rows = "SELECT * FROM VALUES (true, 1), (false, 2), (NULL, 0), (true, NULL) AS t (b, i)"
    query = f"WITH t AS ({rows}) SELECT {', '.join(_beside_truth())} FROM t"
    env = vs.TableEnvironment(settings=OFF)
    recorded = vs.record(lambda spark: spark.sql(rows).selectExpr(*_beside_truth()), env=env)
    with settings(spark, OFF):
        expected = spark.sql(query)
        wanted = _named_and_typed(expected)
        for made in (env.sql_query(query), recorded, vs.capture(expected)):
            assert [(each.name, each.type) for each in made.schema.fields] == wanted
            printed = spark.sql(made.to_sql())
            assert _named_and_typed(printed) == wanted
            assert printed.collect() == expected.collect()


def _named_and_typed(frame: DataFrame) -> list[tuple[str, LogicalType]]:
    return [(each.name, each.type) for each in schema_from_spark(frame.schema)]


def test_recorded_truth_beside_a_number_is_named_as_by_spark(spark: SparkSession) -> None:
    def columns(spark: SparkSession) -> DataFrame:
        b, one = F.col("b"), F.lit(Decimal("1.0"))
        items = [b == 1, b != 0, b == 0.0, b.eqNullSafe(1), b.eqNullSafe(one), ~(b == one), b == 2]
        return spark.sql("SELECT CAST(NULL AS BOOLEAN) AS b").select(*items)

    made = vs.record(columns, env=vs.TableEnvironment(settings=OFF))
    with settings(spark, OFF):
        wanted = _named_and_typed(columns(spark))
    assert [(each.name, each.type) for each in made.schema.fields] == wanted
