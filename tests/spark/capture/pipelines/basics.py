"""Select, filter, withColumn, drop, rename, sort, limit."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def table_as_it_is(spark: Any) -> Any:
    return spark.table("world.people")


def read_table(spark: Any) -> Any:
    return spark.read.table("world.depts")


def select_names(spark: Any) -> Any:
    return spark.table("world.people").select("name", "salary")


def select_other_case(spark: Any) -> Any:
    return spark.table("world.people").select("NAME", F.col("Salary"))


def select_star_and_more(spark: Any) -> Any:
    return spark.table("world.people").select("*", (F.col("salary") * 2).alias("twice"))


def select_unnamed(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select(people.salary + 1, -people.salary, people.salary / 3, people["salary"] % 7)


def select_unnamed_conditions(spark: Any) -> Any:
    s = F.col("salary")
    return spark.table("world.people").select(
        s > 10, s == 20, s != 20, (s > 1) & (s < 5), (s > 1) | s.isNull(), ~(s > 1), s.isNotNull()
    )


def select_unnamed_functions(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.upper("name"), F.coalesce("name", F.lit("?")), F.length("name"), F.lit(1), F.lit("x")
    )


def select_twice(spark: Any) -> Any:
    return spark.table("world.people").select("name", "salary", "dept").select("dept", "name")


def filter_chain(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.filter(people.salary > 5).filter(people.dept == "a").where(F.col("name") != "zed")


def filter_text(spark: Any) -> Any:
    return spark.table("world.people").filter("salary > 10 AND dept = 'a'")


def filter_hidden(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("name").filter(people.salary > 10)


def filter_hidden_by_name(spark: Any) -> Any:
    return spark.table("world.people").select("name").filter(F.col("salary") > 10)


def filter_shadowed(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select((F.col("salary") * 10).alias("salary"), "name").filter("salary > 150")


def filter_isin(spark: Any) -> Any:
    return spark.table("world.people").filter(F.col("dept").isin("a", "b"))


def filter_not_isin(spark: Any) -> Any:
    return spark.table("world.people").filter(~F.col("dept").isin(["a", "c"]))


def filter_between(spark: Any) -> Any:
    return spark.table("world.people").filter(F.col("salary").between(10, 20))


def filter_patterns(spark: Any) -> Any:
    name = F.col("name")
    return spark.table("world.people").filter(
        name.like("b%") | name.rlike("^a") | name.ilike("C%") | name.contains("nn")
    )


def filter_prefixes(spark: Any) -> Any:
    name = F.col("name")
    return spark.table("world.people").filter(name.startswith("a") | name.endswith("b"))


def filter_null_safe(spark: Any) -> Any:
    return spark.table("world.people").filter(F.col("dept").eqNullSafe(F.lit(None)))


def filter_boolean_column(spark: Any) -> Any:
    return spark.table("world.people").withColumn("rich", F.col("salary") > 15).filter("rich")


def with_column(spark: Any) -> Any:
    return spark.table("world.people").withColumn("double", F.col("salary") * 2)


def with_column_replacing(spark: Any) -> Any:
    return spark.table("world.people").withColumn("salary", F.col("salary") + 1)


def with_column_other_case(spark: Any) -> Any:
    return spark.table("world.people").withColumn("SALARY", F.col("salary") + 1)


def with_columns(spark: Any) -> Any:
    return spark.table("world.people").withColumns(
        {"a": F.lit(1), "b": F.col("name"), "salary": F.col("salary").cast("bigint")}
    )


def with_column_chain(spark: Any) -> Any:
    df = spark.table("world.people")
    for number in range(5):
        df = df.withColumn(f"c{number}", df.salary + number)
    return df


def with_column_when(spark: Any) -> Any:
    s = F.col("salary")
    band = F.when(s < 15, "low").when(s < 35, "mid").otherwise("high")
    return spark.table("world.people").withColumn("band", band)


def when_without_otherwise(spark: Any) -> Any:
    return spark.table("world.people").select(F.when(F.col("salary") > 10, F.col("name")))


def lateral_alias(spark: Any) -> Any:
    return spark.table("world.people").select(
        (F.col("salary") * 12).alias("year"), (F.col("year") / 2).alias("half")
    )


def drop_columns(spark: Any) -> Any:
    return spark.table("world.people").drop("tags", "born", "not_there")


def drop_by_column(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.drop(people.tags).drop(F.col("born"))


def rename(spark: Any) -> Any:
    return spark.table("world.people").withColumnRenamed("name", "who").withColumnRenamed("x", "y")


def rename_many(spark: Any) -> Any:
    return spark.table("world.people").withColumnsRenamed({"name": "who", "DEPT": "unit"})


def to_df(spark: Any) -> Any:
    return spark.table("world.depts").toDF("d", "c")


def order_by(spark: Any) -> Any:
    return spark.table("world.people").orderBy("dept", F.desc("salary"))


def order_by_nulls(spark: Any) -> Any:
    return spark.table("world.people").sort(
        F.col("dept").asc_nulls_last(), F.col("salary").desc_nulls_first()
    )


def order_by_flags(spark: Any) -> Any:
    return spark.table("world.people").orderBy(["dept", "name"], ascending=[False, True])


def order_by_expression(spark: Any) -> Any:
    return spark.table("world.people").orderBy((F.col("salary") % 7).desc(), "name")


def order_by_hidden(spark: Any) -> Any:
    return spark.table("world.people").select("name").orderBy("salary")


def order_by_place(spark: Any) -> Any:
    return spark.table("world.people").select("name", "salary").orderBy(2, F.lit(1))


def limit_after_sort(spark: Any) -> Any:
    return spark.table("world.people").orderBy("salary", "name").limit(2)


def offset_and_limit(spark: Any) -> Any:
    return spark.table("world.people").orderBy("salary", "name").offset(1).limit(2)


def filter_after_limit(spark: Any) -> Any:
    return spark.table("world.people").orderBy("salary", "name").limit(3).filter("salary > 10")


def distinct_rows(spark: Any) -> Any:
    return spark.table("world.people").select("dept", "score").distinct()


def drop_duplicates(spark: Any) -> Any:
    return spark.table("world.people").dropDuplicates()


def drop_duplicates_by_one(spark: Any) -> Any:
    return spark.table("world.depts").dropDuplicates(["dept"])


def drop_duplicates_not_null(spark: Any) -> Any:
    return spark.range(5).withColumn("half", F.col("id") % 2).dropDuplicates(["id"])


def drop_duplicates_by_zeros(spark: Any) -> Any:
    scores = spark.table("world.people").select("score", F.lit(1).alias("one"))
    return scores.dropDuplicates(["score"])


def a_range(spark: Any) -> Any:
    return spark.range(2, 20, 3).select((F.col("id") * 2).alias("even"))


def casts(spark: Any) -> Any:
    s = F.col("salary")
    return spark.table("world.people").select(
        s.cast("string").alias("t"),
        s.cast("decimal(12,2)").alias("d"),
        s.try_cast("tinyint"),
        s.astype("double"),
    )


def literals(spark: Any) -> Any:
    import datetime as dt
    from decimal import Decimal

    return spark.range(1).select(
        F.lit(1).alias("i"),
        F.lit(2**40).alias("l"),
        F.lit(1.5).alias("f"),
        F.lit("it's").alias("s"),
        F.lit(None).alias("n"),
        F.lit(True).alias("b"),
        F.lit(Decimal("1.50")).alias("d"),
        F.lit(dt.date(2024, 2, 29)).alias("day"),
        F.lit(dt.datetime(2024, 2, 29, 1, 2, 3, 4)).alias("at"),
        F.lit(b"\x00\xff").alias("bin"),
        F.lit(dt.timedelta(days=1, seconds=5)).alias("iv"),
        F.lit([1, 2, 3]).alias("arr"),
    )


def literals_unnamed(spark: Any) -> Any:
    import datetime as dt

    return spark.range(1).select(
        F.lit(1.5), F.lit(None), F.lit(False), F.lit(dt.date(2024, 2, 29)), F.lit(10**12)
    )


def nasty_names(spark: Any) -> Any:
    odd = spark.table("world.odd")
    return odd.select("`a b`", odd["`x.y`"], "select", F.col("`Ü`").alias("a.b"))


def nasty_names_further(spark: Any) -> Any:
    odd = spark.table("world.odd").withColumn("`q", F.col("`a b`") + 1)
    return odd.filter(F.col("select") > 0).select("`a b`", F.col("```q`"), odd["`x.y`"])


def alias_scope(spark: Any) -> Any:
    return spark.table("world.people").alias("p").filter("p.salary > 5").select("p.name", "p.*")


def transform_method(spark: Any) -> Any:
    def with_bonus(df: Any) -> Any:
        return df.withColumn("bonus", F.col("salary") * 0.1)

    return spark.table("world.people").transform(with_bonus).select("name", "bonus")


def colregex(spark: Any) -> Any:
    wide = spark.table("world.wide")
    return wide.select(wide.colRegex("`q[12]`"))


def with_metadata(spark: Any) -> Any:
    return spark.table("world.people").select(F.col("name").alias("who", metadata={"k": 1}))


def literals_beyond_numbers(spark: Any) -> Any:
    return spark.range(1).select(F.lit(float("nan")).alias("n"), F.lit(float("-inf")).alias("i"))


def literals_beyond_numbers_in_calls(spark: Any) -> Any:
    nan, most = F.lit(float("nan")), F.lit(float("inf"))
    scores = spark.table("world.people").where(~F.col("score").isin(float("nan")))
    return scores.select(nan, F.array(nan, F.lit(1.0)), most + 1, F.coalesce("score", -most))


def order_by_a_large_constant(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "salary")
    return people.orderBy(F.lit(5_000_000_000).desc(), "salary", F.lit(1))


def order_by_constants_that_are_no_places(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "salary")
    return people.orderBy(F.expr("2L"), F.lit(2).cast("int"), F.expr("1S"), F.lit("2"))


def order_by_what_two_selects_left_out(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.drop("dept").drop("salary").orderBy("salary", people.dept, "name")


def order_by_what_is_hidden_below_distinct(spark: Any) -> Any:
    return spark.table("world.people").select("name").distinct().orderBy("salary")


def order_by_a_column_hidden_below_distinct(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("name", "dept").distinct().drop("dept").orderBy("dept", people.salary)


def order_by_what_is_hidden_below_drop_duplicates(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("name", "dept").dropDuplicates(["name"]).orderBy(people.salary, "dept")


def column_of_a_frame_above_drop_duplicates(spark: Any) -> Any:
    people = spark.table("world.people").coalesce(1)
    return people.dropDuplicates(["name"]).select(people.dept, people.name)


def order_by_the_nearest_of_what_was_left_out(spark: Any) -> Any:
    people = spark.table("world.people")
    changed = people.select("name", (-F.col("salary")).alias("salary")).withColumn("x", F.lit(1))
    return changed.select("name").orderBy("salary", "dept", people.salary)


def filter_by_what_three_steps_replaced(spark: Any) -> Any:
    people = spark.table("world.people")
    changed = people.withColumn("salary", F.col("salary") * 2).withColumn("salary", F.lit(7))
    return changed.drop("dept").filter((people.salary > 5) & (F.col("salary") == 7)).orderBy("dept")
