"""Joins with the nearest rows. Distances differ: which of equal ones is taken is open in Spark."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def _quotes(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM VALUES "
        "('a', TIMESTAMP '2024-01-01 00:04:00Z', 1.5BD), "
        "('a', TIMESTAMP '2024-01-01 00:06:30Z', 2.5BD), "
        "('a', TIMESTAMP '2024-01-01 00:21:00Z', 3.5BD), "
        "('b', TIMESTAMP '2024-01-01 00:59:00Z', 4.75BD), "
        "(NULL, TIMESTAMP '2024-01-01 00:05:10Z', 6.5BD), "
        "('c', NULL, NULL) AS quotes(dept, at, price)"
    )


def _marks(spark: Any) -> Any:
    """Numbers that are never NULL, each at another distance from the salaries."""
    return spark.range(6).select((F.col("id") * F.col("id") * 2 + 2).alias("mark"), "id")


def as_of_before(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    return sales._joinAsOf(quotes, sales.at, quotes.at)


def as_of_before_by_name(spark: Any) -> Any:
    return spark.table("world.sales")._joinAsOf(_quotes(spark), "at", "at", on="dept", how="left")


def as_of_after_within(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    return sales._joinAsOf(
        quotes,
        sales.at,
        quotes.at,
        on=[sales.dept == quotes.dept, quotes.price > 1],
        how="left",
        tolerance=F.expr("INTERVAL '5' MINUTE"),
        direction="forward",
        allowExactMatches=False,
    )


def as_of_nearest(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    return sales._joinAsOf(quotes, sales.at, quotes.at, direction="nearest")


def as_of_nearest_left(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    return sales._joinAsOf(quotes, "at", "at", on=["dept"], how="leftouter", direction="nearest")


def as_of_nearest_within(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    return people._joinAsOf(
        marks,
        people.salary,
        marks.mark,
        tolerance=F.lit(5),
        direction="nearest",
        allowExactMatches=False,
    )


def as_of_never_null(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    return people._joinAsOf(marks, people.salary, marks.mark)


def as_of_perhaps_null(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    return people._joinAsOf(marks, people.salary, marks.mark, how="left", direction="forward")


def as_of_days(spark: Any) -> Any:
    people = spark.table("world.people")
    days = _marks(spark).select(F.expr("date_add('1970-01-01', int(mark) * 300)").alias("day"))
    return people._joinAsOf(days, people.born, days.day, how="left")


def as_of_decimals(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    return sales._joinAsOf(quotes, sales.amount, quotes.price, direction="nearest", how="left")


def as_of_computed(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    return people._joinAsOf(marks, people.salary * 2, marks.mark + 1, direction="nearest")


def as_of_doubles(spark: Any) -> Any:
    people = spark.table("world.people")
    rates = _marks(spark).select((F.col("mark") / 3 - 1).alias("rate"), F.col("id"))
    return people.filter("NOT isnan(score)")._joinAsOf(
        rates, "score", "rate", direction="nearest", how="left"
    )


def as_of_self(spark: Any) -> Any:
    now, before = spark.table("world.sales").alias("now"), spark.table("world.sales").alias("was")
    return now._joinAsOf(
        before, F.col("now.at"), F.col("was.at"), on=F.col("now.dept") == F.col("was.dept"),
        allowExactMatches=False,
    ).select("now.at", F.col("was.at").alias("was"), F.col("was.amount"))  # fmt: skip


def as_of_then_more(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    joined = sales._joinAsOf(quotes, sales.at, quotes.at, on="dept", how="left")
    return (
        joined.filter(quotes.price.isNull() | (sales.amount < quotes.price))
        .groupBy(sales.dept)
        .agg(F.count("*").alias("n"), F.sum("price").alias("price"))
    )


def as_of_names_taken(spark: Any) -> Any:
    people = spark.table("world.people").withColumn("distance", F.lit(1))
    marks = _marks(spark).withColumnRenamed("id", "Distance")
    return people._joinAsOf(marks, "salary", "mark")


def nearest_two(spark: Any) -> Any:
    sales, quotes = spark.table("world.sales"), _quotes(spark)
    figure = F.abs(sales.amount - quotes.price)
    return sales.nearestByJoin(quotes, figure, 2, "exact", "distance")


def nearest_similar(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    figure = -F.abs(people.salary - marks.mark)
    return people.nearestByJoin(marks, figure, 1, "approx", "similarity", joinType="leftouter")


def nearest_whole_numbers(spark: Any) -> Any:
    people, marks = spark.table("world.people"), _marks(spark)
    figure = F.abs(people.salary - marks.mark)
    return people.nearestByJoin(marks, figure, 3, "approx", "distance").select("name", "mark")
