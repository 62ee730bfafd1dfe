"""What is easily taken for the same and is not: each of these once came out different."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def replace_a_fraction_where_numbers_are_whole(spark: Any) -> Any:
    return spark.table("world.wide").replace(10.5, 7.0).replace([20.0, 21.5], [1.0, 2.0])


def replace_a_number_that_is_none(spark: Any) -> Any:
    return spark.table("world.people").replace(float("nan"), 0.5)


def replace_numbers_too_large_for_a_double(spark: Any) -> Any:
    large = spark.range(2**53 - 1, 2**53 + 3).withColumn("v", F.col("id") + 0)
    return large.replace(2**53 + 1, 7, subset=["v"])


def replace_a_decimal(spark: Any) -> Any:
    return spark.table("world.sales").replace({1.1: 2.25, 5.0: 7.0}, subset=["amount"])


def replace_a_fraction_in_floats(spark: Any) -> Any:
    sales = spark.table("world.sales").select(F.col("amount").cast("float").alias("f"), "quarter")
    return sales.replace([1.1, 7.25], [0.5, 0.25])


def unpivot_of_columns_in_another_case(spark: Any) -> Any:
    return spark.table("world.wide").unpivot(["ID"], ["Q1", "q2"], "quarter", "amount")


def fields_changed_one_after_another(spark: Any) -> Any:
    point = F.col("point").withField("z", F.lit(1)).withField("w", F.struct(F.lit(2).alias("v")))
    point = point.withField("w.V", F.col("point.x")).withField("X", F.col("point.y"))
    return spark.table("world.nested").select("id", point.dropFields("y", "z").alias("p"))


def all_columns_beside_one_that_is_left_out(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "salary")
    return people.filter((F.concat_ws("-", "*") != "ann-10-a") & F.col("dept").isNotNull())


def is_in_nothing(spark: Any) -> Any:
    people = spark.table("world.people")
    found = people.select("name", people.salary.isin([]), (~people.dept.isin([])).alias("other"))
    return found.filter(~F.col("name").isin([]))


def pivot_by_fractions(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.groupBy("dept").pivot("score", [1.5, 1e-7, 2.5e20, 12345678.0]).count()


def columns_by_a_pattern(spark: Any) -> Any:
    wide = spark.table("world.wide")
    return wide.select(wide.colRegex("`Q[12]`"), wide.colRegex("id"))


def field_by_what_is_no_pattern(spark: Any) -> Any:
    nested = spark.table("world.nested")
    return nested.select(nested.colRegex("point.x"), nested.colRegex("`(id|props)?+.+`"))


def frames_in_text(spark: Any) -> Any:
    people, depts = spark.table("world.people").filter("salary > 10"), spark.table("world.depts")
    text = "SELECT p.name, d.city FROM {p} p JOIN {d} d ON p.dept = d.dept WHERE p.name <> {n}"
    found = spark.sql(text, p=people, d=depts, n="bob")
    return spark.sql("WITH x AS (SELECT * FROM {f}) SELECT city, name FROM x", f=found)


def joined_to_what_is_the_same(spark: Any) -> Any:
    people = spark.table("world.people")
    same = people.drop("not there")
    return people.join(same, people.name == same.name).select(same.salary)


def groups_named_by_a_key_of_theirs(spark: Any) -> Any:
    people = spark.table("world.people")
    grouped = people.groupBy(F.upper("dept").alias("d"), "salary")
    return grouped.agg(F.concat(F.col("d"), F.lit("!")).alias("shout"), F.count("*").alias("n"))


def groups_kept_by_what_they_show_and_what_not(spark: Any) -> Any:
    groups = spark.table("world.people").groupBy("dept").agg(F.max("name").alias("m"))
    kept = groups.filter((F.col("m") > "a") & (F.sum("salary") > 5))
    return kept.orderBy("dept")


def groups_sorted_by_what_they_show_and_what_not(spark: Any) -> Any:
    groups = spark.table("world.sales").groupBy("dept").agg(F.max("quarter").alias("m"))
    return groups.orderBy(-(F.col("m") + F.sum("amount")))


def a_generated_column_used_beside_it(spark: Any) -> Any:
    people = spark.table("world.people")
    tagged = people.select("*", F.explode("tags").alias("tag"), F.upper("tag").alias("loud"))
    return tagged.select("name", "loud", F.posexplode("tags"), (F.col("pos") + 1).alias("place"))


def renamed_to_the_same_and_joined(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "dept")
    same = people.toDF("name", "dept")
    return people.join(same, people.name == same.name).select(people.name, same.dept)


def joined_to_what_is_the_same_and_both_shown(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "dept")
    same = people.drop("not there")
    return people.join(same, people.dept == same.dept).select(people.name, same.dept)


def rows_brought_along_by_the_names_they_had(spark: Any) -> Any:
    rows = spark.createDataFrame([(1, "x"), (2, "y"), (None, None)], "a INT, b STRING")
    return rows.toDF("p", "q").filter(rows.a > 1).orderBy(F.col("b").desc())


def frames_of_windows_in_small_letters(spark: Any) -> Any:
    return spark.table("world.sales").selectExpr(
        "sum(amount) over (order by quarter, at rows between 1 preceding and current row) as a",
        "count(*) over (order by quarter range between 1 preceding and 1 following) as b",
        "max(at) over (partition by dept order by quarter, at rows unbounded preceding) as c",
    )


def union_of_structs_with_other_fields(spark: Any) -> Any:
    nested = spark.table("world.nested")
    wider = nested.select(
        F.struct(F.lit(2.5).alias("z"), F.struct(F.lit("q").alias("w")).alias("inner")).alias("s"),
        F.col("point").withField("Z", F.lit(1)).alias("p"),
    )
    inner = F.struct(F.lit(1).alias("v")).alias("inner")
    narrow = nested.select("id", F.col("point").alias("p"), F.struct(inner).alias("s"))
    return narrow.unionByName(wider, allowMissingColumns=True)


def fill_and_replace_leave_collations_alone(spark: Any) -> Any:
    people = spark.table("world.people")
    folded = people.select(F.collate("dept", "UTF8_LCASE").alias("d"), "dept", "name")
    return folded.na.fill("none").replace("A", "other").replace("a", "first")


def distinct_rows_counted_unnamed(spark: Any) -> Any:
    return spark.table("world.depts").agg(F.countDistinct("*"), F.count("*"))


def distinct_rows_of_some_columns(spark: Any) -> Any:
    people = spark.table("world.people").select("dept", "salary")
    return people.groupBy("dept").agg(F.countDistinct("*").alias("n"), F.expr("count(DISTINCT *)"))


def union_of_structs_in_another_order(spark: Any) -> Any:
    nested = spark.table("world.nested").select("id", "point")
    turned = nested.select(F.struct("point.y", "point.x").alias("point"), "id")
    return nested.unionByName(turned)


def groups_sorted_by_what_has_the_name_of_an_input(spark: Any) -> Any:
    groups = spark.table("world.people").groupBy("dept").agg((-F.max("salary")).alias("salary"))
    return groups.orderBy(F.col("salary") + F.count("name"), "dept")


def times_of_a_zone_that_may_be_none(spark: Any) -> Any:
    salary = F.col("salary")
    parts = (F.lit(2024), F.lit(2), salary, F.lit(1), F.lit(2), F.lit(3.5))
    return spark.table("world.people").select(
        F.try_make_timestamp(*parts, F.lit("Asia/Tokyo")).alias("there"),
        F.try_make_timestamp(*parts).alias("here"),
    )
