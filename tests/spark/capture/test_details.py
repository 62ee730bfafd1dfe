"""Texts of recorded steps that once came out otherwise; ``pipelines/details.py`` has their rows."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError


@pytest.fixture(scope="module")
def shop() -> vs.TableEnvironment:
    """An environment that no session knows."""
    env = vs.TableEnvironment()
    env.create_table("t", "Id INT, v DOUBLE, f FLOAT, d DECIMAL(4, 1), s STRUCT<x: INT, y: INT>")
    return env


def text(pipeline: Any, env: vs.TableEnvironment) -> str:
    return " ".join(vs.record(pipeline, env=env).to_sql().split())


def test_what_is_replaced_is_compared_as_it_is(shop):
    def pipeline(spark):
        return spark.table("t").drop("s").replace([1.5, 2.0], [3.0, 4.0])

    assert text(pipeline, shop) == (
        "SELECT CASE Id WHEN 1.5D THEN 3 WHEN 2 THEN 4 ELSE Id END AS Id, "
        "CASE v WHEN 1.5D THEN 3.0D WHEN 2.0D THEN 4.0D ELSE v END AS v, "
        "CASE f WHEN 1.5D THEN 3.0F WHEN 2.0F THEN 4.0F ELSE f END AS f, "
        "CASE d WHEN 1.5D THEN CAST(3.0D AS DECIMAL(4, 1)) "
        "WHEN 2.0D THEN CAST(4.0D AS DECIMAL(4, 1)) ELSE d END AS d "
        "FROM spark_catalog.default.t"
    )


def test_unpivoted_columns_are_called_as_they_are_asked_for(shop):
    def pipeline(spark):
        return spark.table("t").unpivot("ID", ["V"], "which", "value")

    assert vs.record(pipeline, env=shop).columns == ["ID", "which", "value"]
    assert "SELECT Id AS ID, v AS V FROM" in text(pipeline, shop)
    assert "value FOR which IN (V)" in text(pipeline, shop)


def test_changes_of_a_struct_are_one_struct(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        s = F.col("s")
        for number in range(40):
            s = s.withField(f"z{number % 4}", F.lit(number))
        return spark.table("t").select(s.dropFields("x", "z3").alias("s"))

    assert text(pipeline, shop) == (
        "SELECT if(s IS NULL, NULL, "
        "named_struct('y', s.y, 'z0', 36, 'z1', 37, 'z2', 38)) AS s "
        "FROM spark_catalog.default.t"
    )


def test_a_field_of_a_struct_that_is_not_there_is_refused(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        return spark.table("t").select(F.col("s").withField("other.x", F.lit(1)))

    with pytest.raises(CaptureError, match="no field `other`"):
        vs.record(pipeline, env=shop)


def test_a_star_means_no_column_that_was_left_out(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        return spark.table("t").select("v").filter((F.hash("*") > 0) & (F.col("Id") > 1))

    assert "WHERE hash(v) > 0 AND Id > 1" in text(pipeline, shop)


def test_nothing_is_in_an_empty_list(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        return spark.table("t").filter(~F.col("Id").isin([])).select("Id")

    assert text(pipeline, shop).endswith("WHERE NOT (Id = Id AND FALSE)")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("`ID|F`", ["Id", "f"]),
        ("`(Id|v)?+.+`", ["f", "d", "s"]),
        ("id", ["id"]),
        ("s.x", ["x"]),
    ],
)
def test_a_pattern_of_columns_stands_in_backticks(shop, pattern, names):
    def pipeline(spark):
        table = spark.table("t")
        return table.select(table.colRegex(pattern))

    assert vs.record(pipeline, env=shop).columns == names


@pytest.mark.parametrize("pattern", ["`[a-z&&[^i]]`", r"`\p{Alpha}`", "t.`v`", "`(`"])
def test_a_pattern_that_python_reads_otherwise_is_refused(shop, pattern):
    def pipeline(spark):
        table = spark.table("t")
        return table.select(table.colRegex(pattern))

    with pytest.raises(CaptureError, match="pattern") as caught:
        vs.record(pipeline, env=shop)
    assert caught.value.hint == "name the columns"


def test_what_a_step_that_does_nothing_gives_is_another_dataframe(shop):
    def pipeline(spark):
        table = spark.table("t")
        same = table.drop("not there").fillna("no text")
        return table.join(same, table["Id"] == same["Id"]).select(same["v"])

    assert text(pipeline, shop) == (
        "SELECT t_2.v FROM spark_catalog.default.t "
        "JOIN spark_catalog.default.t AS t_2 ON t.Id = t_2.Id"
    )


def test_columns_of_what_a_step_that_does_nothing_was_made_of(shop):
    def pipeline(spark):
        table = spark.table("t")
        return table.drop("not there").select(table["v"])

    assert text(pipeline, shop) == "SELECT v FROM spark_catalog.default.t"


def test_names_of_rows_that_were_given_are_found_further_up(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        rows = spark.createDataFrame([(1, "x"), (2, "y")], "a INT, b STRING")
        return rows.toDF("p", "q").filter(F.col("a") > 1)

    assert text(pipeline, shop) == (
        "SELECT a AS p, b AS q FROM VALUES (1, 'x'), (2, 'y') AS v(a, b) WHERE a > 1"
    )


def test_names_that_nobody_gave_are_not(shop):
    def pipeline(spark):
        return spark.createDataFrame([(1, "x"), (2, "y")], ["p", "q"])

    assert text(pipeline, shop) == "SELECT p, q FROM VALUES (1L, 'x'), (2L, 'y') AS v(p, q)"


def test_columns_that_keep_their_names_are_new_ones(shop):
    def pipeline(spark):
        table = spark.table("t").select("Id", "v")
        same = table.toDF("Id", "v")
        return table.join(same, table["Id"] == same["Id"]).select(table["v"], same["Id"])

    assert text(pipeline, shop) == (
        "SELECT t.v, t_2.Id FROM spark_catalog.default.t "
        "JOIN spark_catalog.default.t AS t_2 ON t.Id = t_2.Id"
    )


def test_texts_of_fixed_length_are_filled():
    env = vs.TableEnvironment()
    env.create_table("c", "a CHAR(3), b VARCHAR(4), c STRING COLLATE UTF8_LCASE, d STRING")

    def pipeline(spark):
        return spark.table("c").fillna("x")

    made = text(pipeline, env)
    assert made.startswith("SELECT coalesce(a, 'x') AS a, coalesce(b, 'x') AS b, c, ")
    assert vs.record(lambda spark: spark.table("c").describe(), env=env).columns == [
        *("summary", "a", "b", "c", "d")
    ]


@pytest.mark.parametrize(
    ("method", "sets"), [("cube", "(Id), (Id), (Id), ()"), ("rollup", "(Id), (Id), ()")]
)
def test_a_key_that_is_there_twice_is_in_every_set_that_has_it_once(shop, method, sets):
    def pipeline(spark):
        return getattr(spark.table("t"), method)("Id", "ID").count()

    assert f"GROUPING SETS ({sets})" in text(pipeline, shop)


def test_groups_are_kept_and_sorted_by_what_their_names_mean(shop):
    from pyspark.sql import functions as F

    def pipeline(spark):
        groups = spark.table("t").groupBy("f").agg((-F.max("v")).alias("v"), F.min("d").alias("d"))
        return groups.filter((F.col("d") > 1) & (F.sum("Id") > 2)).orderBy(F.col("v"))

    assert "HAVING min(t.d) > 1 AND sum(Id) > 2 ORDER BY v" in text(pipeline, shop)

    def sorted_(spark):
        groups = spark.table("t").groupBy("f").agg((-F.max("v")).alias("v"))
        return groups.orderBy(F.col("v") + F.sum("Id"))

    assert text(sorted_, shop).endswith("ORDER BY -max(t.v) + sum(Id)")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("day + 1", "date_add(day, 1)"),
        ("day - 1", "date_sub(day, 1)"),
        (
            "day + interval 1 day",
            "date_add(day, extractansiintervaldays(INTERVAL '1' DAY))",
        ),
        ("dateadd(day, 1, day)", "timestampadd(day, 1, day)"),
        ("datediff(Day, day, day)", "timestampdiff(Day, day, day)"),
        ("extract(year from day)", "extract(year FROM day)"),
        ("-5L", "-5"),
        ("-1.5D", "-1.5"),
        ("b like 'a%' escape '!'", "b LIKE a% ESCAPE '!'"),
        (
            "sum(a) over (order by a rows between 1 preceding and current row)",
            "sum(a) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        ),
    ],
)
def test_text_without_a_name_is_called_as_spark_calls_it(written, name):
    env = vs.TableEnvironment()
    env.create_table("d", "day DATE, a INT, b STRING")
    table = vs.record(lambda spark: spark.table("d").selectExpr(written), env=env)
    assert table.columns == [name]


def test_an_empty_list_depends_on_the_settings_where_ansi_is_off():
    from pyspark.sql import functions as F

    env = vs.TableEnvironment(settings={"spark.sql.ansi.enabled": "false"})
    env.create_table("d", "a INT")
    with pytest.raises(CaptureError, match="empty list"):
        vs.record(lambda spark: spark.table("d").filter(F.col("a").isin([])), env=env)
