"""groupBy, rollup, cube, grouping sets, pivot, windows."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F


def count_by(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").count()


def sum_by(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").agg(F.sum("salary").alias("total"))


def sum_method(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").sum("salary")


def avg_method_then_use(spark: Any) -> Any:
    df = spark.table("world.people").groupBy("dept").avg("salary", "score")
    return df.filter(F.col("avg(salary)") > 5).orderBy("`avg(score)`")


def agg_dictionary(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").agg({"salary": "max", "name": "count"})


def agg_unnamed(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg(
            F.min("salary"),
            F.max("born"),
            F.count("*"),
            F.countDistinct("name"),
            F.first("name"),
            F.sum_distinct("salary"),
            F.collect_set("dept"),
        )
    )


def agg_whole(spark: Any) -> Any:
    return spark.table("world.people").agg(F.avg("salary"), F.count("name").alias("n"))


def agg_in_select(spark: Any) -> Any:
    return spark.table("world.people").select(F.max("salary").alias("most"), F.min("salary"))


def agg_expression(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg((F.sum("salary") / F.count("*")).alias("mean"), (F.max("salary") - F.min("salary")))
    )


def agg_condition(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg(
            F.sum(F.when(F.col("salary") > 10, 1).otherwise(0)).alias("rich"),
            F.count_if(F.col("salary") > 10).alias("also"),
        )
    )


def group_by_expression(spark: Any) -> Any:
    return spark.table("world.people").groupBy(F.year("born").alias("y")).count()


def group_by_unnamed(spark: Any) -> Any:
    return spark.table("world.people").groupBy(F.col("salary") % 3, F.upper("dept")).count()


def group_by_column_of(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.groupBy(people.dept).agg(F.max(people.salary).alias("m")).orderBy(people.dept)


def group_by_place(spark: Any) -> Any:
    return spark.table("world.people").select("dept", "salary").groupBy(1).count()


def having(spark: Any) -> Any:
    counted = spark.table("world.people").groupBy("dept").agg(F.count("*").alias("n"))
    return counted.filter(F.col("n") > 1).orderBy(F.desc("n"))


def group_twice(spark: Any) -> Any:
    first = spark.table("world.people").groupBy("dept", "name").agg(F.sum("salary").alias("s"))
    return first.groupBy("dept").agg(F.max("s").alias("m"))


def group_by_nan(spark: Any) -> Any:
    return spark.table("world.people").groupBy("score").count()


def rollup(spark: Any) -> Any:
    return spark.table("world.sales").rollup("dept", "quarter").agg(F.sum("amount").alias("t"))


def cube_with_grouping(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .cube("dept", "quarter")
        .agg(F.grouping("dept").alias("g"), F.grouping_id().alias("gid"), F.count("*").alias("n"))
    )


def grouping_sets(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sets = [[F.col("dept")], [F.col("quarter")], []]
    return sales.groupingSets(sets, F.col("dept"), F.col("quarter")).agg(F.count("*").alias("n"))


def pivot(spark: Any) -> Any:
    return spark.table("world.sales").groupBy("dept").pivot("quarter", [1, 2, 4]).sum("amount")


def pivot_several(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .groupBy("dept")
        .pivot("quarter", [1, 2])
        .agg(F.sum("amount").alias("s"), F.count("dept"))
    )


def unpivot(spark: Any) -> Any:
    return spark.table("world.wide").unpivot("id", ["q1", "q2", "q3"], "quarter", "value")


def melt_all(spark: Any) -> Any:
    return spark.table("world.wide").melt(["id", "q3"], None, "quarter", "value")


def row_number(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy(F.desc("salary"), "name", "score")
    return spark.table("world.people").withColumn("rn", F.row_number().over(w))


def top_of_each(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy(F.desc("salary"))
    ranked = spark.table("world.people").withColumn("r", F.rank().over(w))
    return ranked.filter(F.col("r") == 1).drop("r")


def lag_and_lead(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy("salary", "name")
    return spark.table("world.people").select(
        "name", F.lag("salary").over(w).alias("before"), F.lead("salary", 2, 0).over(w).alias("a")
    )


def running_total(spark: Any) -> Any:
    w = (
        Window.partitionBy("dept")
        .orderBy("quarter")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return spark.table("world.sales").withColumn("running", F.sum("amount").over(w))


def windows_over_sums_of_groups(spark: Any) -> Any:
    w = Window.orderBy("dept")
    groups = spark.table("world.sales").groupBy("dept")
    return groups.agg(
        F.sum("amount").alias("amount"),
        F.sum(F.sum("amount")).over(w).alias("so_far"),
        F.lag(F.max("amount")).over(w).alias("before"),
        (F.sum("amount") / F.sum(F.sum("amount")).over(Window.partitionBy())).alias("share"),
    )


def moving_range(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy("quarter").rangeBetween(-1, 1)
    return spark.table("world.sales").withColumn("near", F.count("*").over(w))


def share_of_total(spark: Any) -> Any:
    whole = Window.partitionBy("dept")
    share = F.col("amount") / F.sum("amount").over(whole)
    return spark.table("world.sales").select("dept", "quarter", share.alias("share"))


def windows_unnamed(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy("salary")
    return spark.table("world.people").select(
        F.sum("salary").over(w),
        F.rank().over(w),
        F.row_number().over(w),
        F.count("*").over(Window.partitionBy("dept")),
        F.dense_rank().over(w),
        F.lag("name").over(w),
    )


def first_ignoring_nulls(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy("name").rowsBetween(-1, 1)
    return spark.table("world.people").select(
        "name", F.first("salary", ignorenulls=True).over(w).alias("f"), F.last("salary").over(w)
    )


def window_of_aggregate(spark: Any) -> Any:
    totals = spark.table("world.sales").groupBy("dept").agg(F.sum("amount").alias("t"))
    return totals.withColumn("r", F.rank().over(Window.orderBy(F.desc("t"))))


def tumbling_window(spark: Any) -> Any:
    return spark.table("world.sales").groupBy(F.window("at", "10 minutes"), "dept").count()


def hopping_window(spark: Any) -> Any:
    w = F.window("at", "10 minutes", "5 minutes").alias("w")
    return (
        spark.table("world.sales")
        .groupBy(w)
        .agg(F.sum("amount").alias("s"))
        .select("w.start", "w.end", "s")
    )


def percentiles(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg(
            F.percentile_approx("salary", 0.5).alias("p"),
            F.percentile("salary", 0.5).alias("q"),
            F.median("salary").alias("m"),
            F.stddev("salary").alias("s"),
            F.corr("salary", "score"),
        )
    )


def max_by(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").agg(F.max_by("name", "salary").alias("who"))


def sorted_by_what_is_not_shown(spark: Any) -> Any:
    groups = spark.table("world.people").groupBy("dept").agg(F.count("*").alias("n"))
    return groups.orderBy(F.max("salary").desc(), "n")


def filtered_by_what_is_not_shown(spark: Any) -> Any:
    groups = spark.table("world.people").groupBy("dept").agg((F.count("*") + 1).alias("n"))
    return groups.filter((F.sum("salary") > 10) & (F.col("dept") != "z"))


def grouped_by_a_large_constant(spark: Any) -> Any:
    return spark.table("world.people").groupBy(F.lit(5_000_000_000).alias("all"), "dept").count()


def grouped_by_constants_that_are_places_of_keys(spark: Any) -> Any:
    keys = (F.lit(2), "dept", F.lit(1))
    return spark.table("world.people").groupBy(*keys).agg(F.sum("salary").alias("s"))


def aggregated_keys_of_a_rollup(spark: Any) -> Any:
    totals = spark.table("world.sales").rollup("dept", "quarter").agg(F.sum("amount").alias("t"))
    renamed = totals.toDF("quarter", "amount", "dept")
    w = Window.partitionBy(F.col("amount").isNull())
    return renamed.withColumn("most", F.max("quarter").over(w))


def aggregated_keys_of_a_cube_beside_others(spark: Any) -> Any:
    totals = spark.table("world.sales").cube("dept", "quarter").agg(F.count("*").alias("n"))
    w = Window.partitionBy("quarter")
    return totals.select(
        F.max(F.struct("dept", "n")).over(w).alias("most"),
        F.sum("n").over(w).alias("all"),
        F.lag("dept").over(w.orderBy("n", "dept")).alias("before"),
    )


def cube_filtered_by_a_key_under_another_name(spark: Any) -> Any:
    """HAVING finds such a key only where nothing else is to be resolved."""
    groups = spark.table("world.people").cube(F.col("dept").alias("team")).agg(F.max("salary"))
    return groups.filter(F.col("team").isin("a", None) | (F.upper("team") == "B"))


def rollup_filtered_and_renamed(spark: Any) -> Any:
    groups = (
        spark.table("world.people").rollup("dept", F.upper("name").alias("n")).agg(F.max("salary"))
    )
    kept = groups.filter(F.coalesce("dept", F.lit("b")) == "b").filter(F.length("n") > 0)
    return kept.withColumnRenamed("dept", "team")
