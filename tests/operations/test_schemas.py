"""The schema of each operation is the one Spark's analyzer gives its text, nullability included."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from viewscribe import Table, TableEnvironment, col, lit, over
from viewscribe import functions as F
from viewscribe.serializer import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ENV = TableEnvironment()
ENV.create_database("kinds")
ENV.use_database("kinds")
ENV.create_table("firm", "id INT NOT NULL, name STRING NOT NULL, tags ARRAY<STRING NOT NULL>")
ENV.create_table("loose", "id INT, n BIGINT, at TIMESTAMP")
FIRM, LOOSE = ENV.from_path("firm"), ENV.from_path("loose")
SMALL = FIRM.select("id", "name")
OTHER = LOOSE.select("id", "n")
COUNT = F.count("*").alias("c")

CASES: dict[str, tuple[Callable[[], Table], str]] = {
    "project": (
        lambda: SMALL.select("name", (col("id") + 1).alias("x"), lit(None).alias("v")),
        "name STRING NOT NULL, x INT NOT NULL, v VOID",
    ),
    "replace": (
        lambda: SMALL.add_or_replace_columns(lit(None).cast("INT").alias("id")),
        "id INT, name STRING NOT NULL",
    ),
    "inner": (
        lambda: SMALL.join(OTHER.select("n"), on=col("id") == col("n")),
        "id INT NOT NULL, name STRING NOT NULL, n BIGINT",
    ),
    "left": (
        lambda: OTHER.select("n").left_outer_join(SMALL, on=col("id") == col("n")),
        "n BIGINT, id INT, name STRING",
    ),
    "right": (
        lambda: SMALL.right_outer_join(OTHER.select("n"), on=col("id") == col("n")),
        "id INT, name STRING, n BIGINT",
    ),
    "full": (
        lambda: SMALL.full_outer_join(OTHER.select("n"), on=col("id") == col("n")),
        "id INT, name STRING, n BIGINT",
    ),
    "semi": (
        lambda: SMALL.semi_join(OTHER.select("n"), on=col("id") == col("n")),
        "id INT NOT NULL, name STRING NOT NULL",
    ),
    "anti": (
        lambda: SMALL.anti_join(OTHER.select("n"), on=col("id") == col("n")),
        "id INT NOT NULL, name STRING NOT NULL",
    ),
    "using": (
        lambda: SMALL.join(OTHER, using="id"),
        "id INT NOT NULL, name STRING NOT NULL, n BIGINT",
    ),
    "using left": (
        lambda: SMALL.left_outer_join(OTHER, using="id"),
        "id INT NOT NULL, name STRING NOT NULL, n BIGINT",
    ),
    "using right": (
        lambda: SMALL.right_outer_join(OTHER, using="id"),
        "id INT, name STRING, n BIGINT",
    ),
    "using full of keys that are never NULL": (
        lambda: SMALL.full_outer_join(FIRM.select("id", col("name").alias("other")), using="id"),
        "id INT, name STRING, other STRING",
    ),
    "using semi": (
        lambda: SMALL.semi_join(OTHER, using="id"),
        "id INT NOT NULL, name STRING NOT NULL",
    ),
    "group": (
        lambda: SMALL.group_by("name").agg(COUNT, F.sum(col("id")).alias("s")),
        "name STRING NOT NULL, c BIGINT NOT NULL, s BIGINT",
    ),
    "whole table": (
        lambda: SMALL.agg(COUNT, F.max(col("id")).alias("m")),
        "c BIGINT NOT NULL, m INT",
    ),
    "rollup": (
        lambda: SMALL.rollup("id", "name").agg(COUNT),
        "id INT, name STRING, c BIGINT NOT NULL",
    ),
    "cube": (
        lambda: SMALL.cube("id", "name").agg(COUNT),
        "id INT, name STRING, c BIGINT NOT NULL",
    ),
    "grouping sets": (
        lambda: SMALL.grouping_sets([["id"], ["name"]]).agg(COUNT),
        "id INT, name STRING, c BIGINT NOT NULL",
    ),
    "union": (
        lambda: SMALL.select("id").union_all(LOOSE.select("n")),
        "id BIGINT",
    ),
    "intersect": (
        lambda: LOOSE.select("id").intersect(SMALL.select("id")),
        "id INT NOT NULL",
    ),
    "except": (
        lambda: SMALL.select("id").minus(LOOSE.select("id")),
        "id INT NOT NULL",
    ),
    "except of nullable": (
        lambda: LOOSE.select("id").minus(SMALL.select("id")),
        "id INT",
    ),
    "generate": (
        lambda: FIRM.explode("tags", "tag").select("id", "tag"),
        "id INT NOT NULL, tag STRING NOT NULL",
    ),
    "generate outer": (
        lambda: FIRM.explode("tags", "tag", outer=True).select("id", "tag"),
        "id INT NOT NULL, tag STRING",
    ),
    "generate with place": (
        lambda: FIRM.generate(F.posexplode(col("tags")), ["i", "tag"]).select("i", "tag"),
        "i INT NOT NULL, tag STRING NOT NULL",
    ),
    "lateral left": (
        lambda: OTHER.left_outer_join_lateral(
            lambda outer: SMALL.filter(col("id") == outer("id")).select("name")
        ),
        "id INT, n BIGINT, name STRING",
    ),
    "window": (
        lambda: SMALL.select(
            F.row_number().over(over(order_by="id")).alias("r"),
            F.lag(col("id"), 1).over(over(order_by="id")).alias("before"),
        ),
        "r INT NOT NULL, before INT",
    ),
    "pivot": (
        lambda: SMALL.group_by("id").pivot("name", ["x"]).agg(F.max(col("id")).alias("m")),
        "id INT NOT NULL, x INT",
    ),
    "unpivot": (
        lambda: OTHER.unpivot(["id", "n"]),
        "name STRING NOT NULL, value BIGINT",
    ),
    "tumble": (
        lambda: LOOSE.tumble("at", "1 day").group_by("window").agg(COUNT).select("c"),
        "c BIGINT NOT NULL",
    ),
    "values": (
        lambda: ENV.from_values([(1, None), (2, "x")], "a INT, b STRING"),
        "a INT NOT NULL, b STRING",
    ),
    "scalar query": (
        lambda: SMALL.select(SMALL.agg(COUNT).scalar().alias("rows")),
        "rows BIGINT",
    ),
    "exists and in": (
        lambda: SMALL.select(
            OTHER.exists().alias("e"),
            col("id").in_(SMALL.select(col("id").alias("i"))).alias("i"),
            col("id").in_(OTHER.select("id")).alias("j"),
        ),
        "e BOOLEAN NOT NULL, i BOOLEAN NOT NULL, j BOOLEAN",
    ),
}


@pytest.fixture(scope="module")
def kinds(spark: SparkSession) -> Iterator[SparkSession]:
    # Of views over VALUES, the nullability is what stands in the rows.
    spark.sql("CREATE DATABASE IF NOT EXISTS kinds")
    spark.sql(
        "CREATE OR REPLACE VIEW kinds.firm AS SELECT id, name, if(id > 1, tags, NULL) AS tags "
        "FROM VALUES (1, 'a', array('x')), (2, 'b', array('y', 'z')) AS v (id, name, tags)"
    )
    spark.sql(
        "CREATE OR REPLACE VIEW kinds.loose AS SELECT * FROM VALUES "
        "(1, 1L, TIMESTAMP '2024-01-01 00:00:00'), (NULL, NULL, NULL) AS v (id, n, at)"
    )
    yield spark
    spark.sql("DROP DATABASE kinds CASCADE")


@pytest.mark.parametrize("name", CASES)
def test_schema(name: str) -> None:
    make, schema = CASES[name]
    assert str(make().schema) == schema


@pytest.mark.parametrize("name", CASES)
def test_spark_says_the_same(kinds: SparkSession, name: str) -> None:
    from viewscribe.spark.types import schema_from_spark

    make, schema = CASES[name]
    table = make()
    frames = {text: kinds.sql(text) for text in map(table.to_sql, STYLES)}
    frames["interpreted"] = table.to_dataframe(kinds)
    for form, frame in frames.items():
        found = ", ".join(f"{field.name} {field.type}" for field in schema_from_spark(frame.schema))
        assert found == schema, form
