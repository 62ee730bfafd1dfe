"""What random pipelines found, each as short as it gets (``tests/spark/capture/generated``)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F


def count_distinct_of_a_literal(spark: Any) -> Any:
    return spark.table("world.nested").groupBy("id").agg(F.countDistinct(F.lit(7)).alias("n"))


def grouping_sets_without_a_key(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sets = [[F.col("dept")], []]
    return sales.groupingSets(sets, F.col("dept"), F.col("quarter")).agg(F.sum("amount").alias("t"))


def grouping_sets_in_another_order(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sets = [[F.col("quarter")], [F.col("dept"), F.col("quarter")]]
    return sales.groupingSets(sets, F.col("dept"), F.col("quarter")).agg(
        F.grouping_id().alias("which"), F.count("*").alias("n")
    )


def repartitioned_by_what_is_computed(spark: Any) -> Any:
    people = spark.table("world.people").withColumn("key", F.upper("dept"))
    return people.repartition(3, "key").select("name", "key")


def repartitioned_by_what_is_counted(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").count().repartitionByRange(2, "count")


def nullif_in_a_frame_that_is_there_twice(spark: Any) -> Any:
    total = spark.table("world.people").agg(F.sum("salary").alias("s"))
    known = total.where(F.nullif(F.round(F.sqrt("s"), 1), F.lit(0)) > 1)
    return known.unionByName(known.select("s"), allowMissingColumns=True)


def intersect_all_of_a_column_that_is_there_twice(spark: Any) -> Any:
    wide = spark.table("world.wide")
    twice = wide.select("q1", F.col("q1").alias("q2"))
    return wide.select("q2", "q1").union(twice).intersectAll(twice)


def except_all_of_a_column_that_is_there_twice(spark: Any) -> Any:
    wide = spark.table("world.wide")
    return wide.select("q1", "q2").exceptAll(wide.select("q1", F.col("q1").alias("q2")))


def fill_whole_numbers_with_a_fraction(spark: Any) -> Any:
    large = spark.range(2**53 - 2, 2**53 + 2).withColumn("v", F.col("id") + 0)
    return large.withColumn("none", F.when(F.col("id") % 2 == 1, F.col("v"))).na.fill(1.5)


def nth_value_unnamed(spark: Any) -> Any:
    w = Window.partitionBy("dept").orderBy("quarter", "amount")
    return spark.table("world.sales").select(F.nth_value("quarter", 2).over(w))


def ranked_after_a_sort_by_an_aggregate(spark: Any) -> Any:
    totals = spark.table("world.people").groupBy("dept").agg(F.sum("salary").alias("s"))
    w = Window.partitionBy("s").orderBy("dept")
    return totals.orderBy(-F.col("s")).withColumn("r", F.rank().over(w))


def sorted_by_an_aggregate_after_a_rank(spark: Any) -> Any:
    totals = spark.table("world.people").groupBy("dept").agg(F.sum("salary").alias("s"))
    return totals.withColumn("r", F.rank().over(Window.orderBy("s"))).orderBy(-F.col("s"))


def pivot_of_a_key_that_is_there_twice(spark: Any) -> Any:
    sales = spark.table("world.sales")
    grouped = sales.groupBy("dept", sales["dept"]).pivot("quarter", [1, 2])
    return grouped.agg(
        F.sort_array(F.collect_list("dept")).alias("all"), F.sum("amount").alias("s")
    )


def large_and_small_numbers_unnamed(spark: Any) -> Any:
    return spark.range(1).select(
        F.nanvl(F.lit(1e20), F.lit(1.25e-7)), F.lit(1e7), F.lit(12345678.5), F.lit(0.001)
    )


def text_that_is_distinct(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.filter("name IS DISTINCT FROM 'ann'").selectExpr("dept IS NOT DISTINCT FROM 'a'")


def pivot_grouped_by_expressions(spark: Any) -> Any:
    sales = spark.table("world.sales")
    grouped = sales.groupBy(F.upper("dept"), (F.col("quarter") % 2).alias("odd"), sales["dept"])
    return grouped.pivot("quarter", [1, 2]).agg(F.sum("amount").alias("s"), F.max(sales["at"]))


def scalar_of_a_wider_frame(spark: Any) -> Any:
    narrow = spark.range(4).select("id", (F.col("id") % 3).alias("k"))
    latest = spark.table("world.people").agg(F.max("born")).scalar()
    return narrow.withColumn("latest", latest)


def rollup_joined_with_itself(spark: Any) -> Any:
    people = spark.table("world.people").withColumn("pay", F.col("salary") * 2)
    totals = people.rollup("dept", F.upper("name").alias("who")).agg(
        F.sum("pay").alias("s"), F.max("name").alias("m"), F.grouping_id().alias("g")
    )
    on = F.col("a.dept").eqNullSafe(F.col("b.dept")) & (F.col("a.g") == F.col("b.g"))
    return totals.alias("a").join(totals.alias("b"), on, "left")


def cube_of_a_key_in_itself(spark: Any) -> Any:
    sales = spark.table("world.sales")
    cubed = sales.cube("dept", "quarter").agg(F.max("quarter").alias("m"), F.count("*").alias("n"))
    return cubed.alias("a").join(cubed.alias("b"), F.col("a.n") == F.col("b.n"), "left_semi")


def grouping_sets_joined_with_themselves(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sets = [[F.col("dept")], [F.col("quarter")]]
    found = sales.groupingSets(sets, F.col("dept"), F.col("quarter")).agg(
        F.sum("amount").alias("t")
    )
    return found.alias("a").join(found.alias("b"), F.col("a.t") < F.col("b.t"), "full")


def the_same_grouping_set_twice(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sets = [[F.col("dept")], [F.col("dept"), F.col("quarter")], [F.col("dept")]]
    return sales.groupingSets(sets, F.col("dept"), F.col("quarter")).agg(
        F.sum("amount").alias("t"), F.grouping_id().alias("g")
    )


def sliding_windows_joined_with_themselves(spark: Any) -> Any:
    sales = spark.table("world.sales")
    sliding = sales.groupBy(F.window("at", "20 minutes", "10 minutes"), "dept").agg(
        F.sum("amount").alias("t")
    )
    on = F.col("a.window.start") == F.col("b.window.start")
    return sliding.alias("a").join(sliding.alias("b"), on).select("a.window", "a.t", "b.dept")


def unpivoted_joined_with_itself(spark: Any) -> Any:
    wide = spark.table("world.wide").unpivot("id", ["q1", "q2"], "quarter", "amount")
    on = (F.col("a.id") == F.col("b.id")) & (F.col("a.quarter") == "q1")
    return wide.alias("a").join(wide.alias("b"), on).select("a.*", "b.quarter", "b.amount")


def trimmed_in_text(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.selectExpr("trim(BOTH 'a' FROM name)", "trim(LEADING 'b' FROM name) AS l")


def dropped_where_it_is_there_twice(spark: Any) -> Any:
    cubed = spark.table("world.sales").cube("dept").agg(F.sum("amount").alias("a.b"))
    return cubed.select("*", "dept", "`a.b`", F.lit(1).alias("c")).drop(cubed["`a.b`"])


def dates_less_an_interval_in_a_frame_that_is_there_twice(spark: Any) -> Any:
    people = spark.table("world.people")
    early = people.where(F.col("born") - F.expr("INTERVAL 1 MONTH") < F.lit("1985-01-01"))
    late = early.withColumn("born", F.col("born") - F.expr("INTERVAL 2 DAYS"))
    return early.alias("a").join(late.alias("b"), F.col("a.name") == F.col("b.name"))


def union_with_missing_arrays_that_hold_no_null(spark: Any) -> Any:
    people = spark.table("world.people")
    parts = people.select("name", F.split("name", "n").alias("parts"), F.array(F.lit(1)).alias("a"))
    counted = people.groupBy("dept").agg(F.collect_set("name").alias("names"))
    return parts.unionByName(counted, allowMissingColumns=True)


def _sales_of(spark: Any) -> Any:
    """How many sales the row around it has."""
    sales = spark.table("world.sales").alias("s")
    return sales.where(F.col("s.dept") == F.col("p.dept").outer()).select(F.count("*")).scalar()


def sub_query_of_a_union_without_a_column(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "dept", "salary")
    both = people.unionByName(people.select("dept"), allowMissingColumns=True).drop("salary")
    return both.alias("p").withColumn("sales", _sales_of(spark))


def sub_query_of_a_union_with_a_column(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "dept")
    both = people.union(people).withColumn("dept", F.lower("dept"))
    return both.alias("p").withColumn("sales", _sales_of(spark))


def columns_of_a_frame_after_a_filter_by_a_hidden_one(spark: Any) -> Any:
    people = spark.table("world.people")
    names = people.select("name", F.lower("dept").alias("d"))
    high = names.filter(people["salary"] > 10).filter(people["dept"] != "x")
    return high.orderBy(names["d"].desc(), names["name"]).select(names["name"])


def nothing_is_dropped_with_a_field_or_an_expression(spark: Any) -> Any:
    nested = spark.table("world.nested")
    return nested.select("id", "point").drop(F.col("point.x")).drop(F.col("id") + 1)


def groups_ordered_by_a_key_with_its_table(spark: Any) -> Any:
    sales = spark.table("world.sales").alias("s")
    totals = sales.groupBy(F.col("dept")).agg(F.sum("amount").alias("a"))
    return totals.orderBy(F.expr("s.dept")).where("s.dept IS NOT NULL")


def rolled_up_by_a_key_with_its_table(spark: Any) -> Any:
    sales = spark.table("world.sales").alias("s")
    totals = sales.rollup("dept", "quarter").agg(F.sum("amount").alias("a"))
    return totals.where("s.dept IS NULL OR s.quarter > 1")


def columns_that_are_there_twice(spark: Any) -> Any:
    people = spark.table("world.people").select("dept", F.col("salary"), "*")
    rich = people.filter(F.col("salary") > 10).groupBy("dept").agg(F.max("salary").alias("most"))
    return rich.select("dept", "*").where("dept <> 'x'").select(F.upper("dept").alias("d"), "most")


def a_column_around_that_is_called_like_a_function(spark: Any) -> Any:
    depts = spark.table("world.depts").select("dept", F.lit("x").alias("current_date"))
    named = spark.table("world.people").where(
        F.col("born") < F.to_date(F.col("current_date").outer())
    )
    return depts.lateralJoin(named.select("name")).select("dept", "name")


def functions_by_name_alone(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("name", F.col("current_user"), F.upper(F.col("session_user")).alias("u"))


def groups_with_a_column_around(spark: Any) -> Any:
    depts = spark.table("world.depts").select("dept", F.length("dept").alias("size"))
    totals = spark.table("world.people").groupBy("dept").agg(F.max("salary").alias("most"))
    return depts.lateralJoin(
        totals.select((F.col("most") + F.col("size").outer()).alias("more"))
    ).select("dept", "more")


def the_first_with_a_column_around(spark: Any) -> Any:
    depts = spark.table("world.depts").select("dept", F.length("dept").alias("size"))
    first = spark.table("world.people").orderBy(F.desc("salary"), "name").limit(1)
    return depts.lateralJoin(
        first.select(F.concat("name", F.col("size").outer()).alias("who"))
    ).select("dept", "who")


def a_query_for_each_row_of_an_array(spark: Any) -> Any:
    tagged = spark.table("world.people").select("name", F.explode("tags").alias("tag"))
    depts = spark.table("world.depts").where(F.col("dept") != F.col("tag").outer())
    return tagged.lateralJoin(depts.select("dept")).select("name", "tag", "dept")


def unpivoted_from_a_column_that_is_there_twice(spark: Any) -> Any:
    return spark.range(3).select("id", F.col("id")).unpivot([], ["id"], "k", "v")


def decimals_of_few_digits(spark: Any) -> Any:
    return spark.range(2).select(
        F.lit(Decimal("1.10")).alias("a"), (F.col("id") * Decimal("0.05")).alias("b")
    )


def sampled_twice(spark: Any) -> Any:
    sampled = spark.range(100).sample(fraction=0.5, seed=1)
    return sampled.sample(fraction=0.5, seed=2).alias("s").sample(fraction=0.5, seed=1)


def offset_of_nothing(spark: Any) -> Any:
    return spark.table("world.sales").orderBy("amount").offset(0)


def sorted_within_partitions_and_again(spark: Any) -> Any:
    return spark.table("world.sales").sortWithinPartitions("amount").orderBy("dept")


def ranked_after_a_sort_within_partitions(spark: Any) -> Any:
    rank = F.rank().over(Window.partitionBy("dept").orderBy("amount"))
    return spark.table("world.sales").sortWithinPartitions("amount").withColumn("place", rank)


def filtered_window_over_an_aggregate(spark: Any) -> Any:
    groups = spark.table("world.sales").groupBy("dept").agg(F.max("amount").alias("most"))
    return groups.selectExpr("dept", "count(*) FILTER (WHERE most > 1) OVER () AS n")


def window_over_some_sets_of_keys(spark: Any) -> Any:
    rolled = spark.table("world.sales").rollup("dept").agg(F.count("*").alias("n"))
    whole = Window.partitionBy()
    return rolled.filter("dept IS NOT NULL").withColumn("m", F.count("*").over(whole))


def grouping_of_a_key_with_a_name(spark: Any) -> Any:
    key = (F.col("amount") % 3).alias("z")
    nothing = F.lit(None).cast("string").alias("x")
    rolled = spark.table("world.sales").cube(key, nothing)
    return rolled.agg(
        F.count("*").alias("n"), F.grouping(key).alias("g"), F.grouping(nothing).alias("h")
    )
