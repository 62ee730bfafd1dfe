"""DataFrame methods whose analyzed plan looks quite unlike what was written."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F


def people(spark: Any) -> Any:
    """The table that most of these start from."""
    return spark.table("world.people")


def self_join_of_one_frame(spark: Any) -> Any:
    one = people(spark)
    other = one.select(*[F.col(name).alias(f"other_{name}") for name in one.columns])
    return one.join(other, one.dept == other.other_dept, "left")


def self_join_by_alias(spark: Any) -> Any:
    a, b = people(spark).alias("a"), people(spark).alias("b")
    return a.join(b, F.col("a.salary") < F.col("b.salary")).select("a.name", "b.name", "a.salary")


def duplicate_names(spark: Any) -> Any:
    return people(spark).select("name", F.upper("name").alias("name"), "dept", "dept")


def names_in_another_case(spark: Any) -> Any:
    return people(spark).select("NAME", F.col("Dept"), F.col("salary").alias("Name"))


def join_using_one(spark: Any) -> Any:
    return people(spark).join(spark.table("world.depts"), "dept")


def join_using_right(spark: Any) -> Any:
    return people(spark).join(spark.table("world.depts"), ["dept"], "right")


def join_using_full(spark: Any) -> Any:
    return people(spark).join(spark.table("world.depts"), ["dept"], "outer")


def semi_and_anti(spark: Any) -> Any:
    depts = spark.table("world.depts")
    return (
        people(spark).join(depts, "dept", "semi").union(people(spark).join(depts, "dept", "anti"))
    )


def cross(spark: Any) -> Any:
    return spark.table("world.wide").crossJoin(spark.table("world.depts"))


def drop_duplicates_of_some(spark: Any) -> Any:
    return people(spark).select("dept", "salary").dropDuplicates(["dept", "salary"])


def drop_duplicates_of_one(spark: Any) -> Any:
    return spark.table("world.depts").dropDuplicates(["dept"])


def drop_duplicates_beside_not_null(spark: Any) -> Any:
    return (
        spark.range(6)
        .select((F.col("id") % 2).alias("k"), F.lit(7).alias("v"))
        .dropDuplicates(["k"])
    )


def missing_values(spark: Any) -> Any:
    return people(spark).na.fill(0).na.fill({"name": "?"}).na.drop(thresh=4)


def missing_values_any(spark: Any) -> Any:
    return people(spark).na.drop(subset=["score", "name"])


def missing_values_all(spark: Any) -> Any:
    return people(spark).na.drop("all", subset=["dept", "score"])


def replaced_values(spark: Any) -> Any:
    return people(spark).na.replace({"ann": "anna", "bob": None}, subset=["name"])


def fields_changed(spark: Any) -> Any:
    point = F.col("point")
    return spark.table("world.nested").select(
        point.withField("z", F.lit(3)).withField("x", point["x"] + 1).alias("more"),
        point.dropFields("y").alias("less"),
    )


def struct_of_columns(spark: Any) -> Any:
    return people(spark).select(F.struct("name", (F.col("salary") + 1).alias("more")).alias("s"))


def window_columns(spark: Any) -> Any:
    window = Window.partitionBy("dept").orderBy("salary", "name")
    return (
        people(spark)
        .withColumn("rank", F.rank().over(window))
        .withColumn("share", F.col("salary") / F.sum("salary").over(Window.partitionBy("dept")))
        .filter("rank <= 2")
    )


def window_over_an_expression(spark: Any) -> Any:
    window = Window.partitionBy(F.upper("dept")).orderBy(F.desc_nulls_last("salary"))
    return people(spark).select("name", F.sum(F.col("salary") * 2).over(window).alias("s"))


def two_windows(spark: Any) -> Any:
    by_dept, by_name = Window.partitionBy("dept"), Window.partitionBy("name")
    return people(spark).select(
        (F.max("salary").over(by_dept) - F.min("salary").over(by_name)).alias("spread"),
        F.count("*").over(by_dept.orderBy("salary").rangeBetween(-5, 5)).alias("near"),
    )


def pivot(spark: Any) -> Any:
    return spark.table("world.sales").groupBy("dept").pivot("quarter", [1, 2, 3]).sum("amount")


def pivot_by_a_key(spark: Any) -> Any:
    grouped = spark.table("world.sales").groupBy("quarter", "dept")
    return grouped.pivot("quarter", [1, 2]).agg(F.sum("amount").alias("s"), F.max("quarter"))


def pivot_by_the_only_key(spark: Any) -> Any:
    grouped = spark.table("world.sales").groupBy("quarter").pivot("quarter", [1, 2])
    return grouped.agg(F.collect_list("dept"))


def pivot_with_names(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .groupBy("dept")
        .pivot("quarter", [1, 2])
        .agg(F.sum("amount").alias("total"), F.count("at").alias("times"))
    )


def pivot_of_lists(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .groupBy("dept")
        .pivot("quarter", [1, 2])
        .agg(F.sort_array(F.collect_list("amount")))
    )


def pivot_of_an_expression(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .groupBy(F.upper("dept").alias("d"))
        .pivot("quarter", [1, 2])
        .agg(F.max("amount"))
    )


def cross_tabulated(spark: Any) -> Any:
    return spark.table("world.sales").crosstab("dept", "quarter")


def described(spark: Any) -> Any:
    return people(spark).select("name", "salary").describe()


def summarized(spark: Any) -> Any:
    return people(spark).select("salary").summary("count", "min", "max")


def unpivot(spark: Any) -> Any:
    return spark.table("world.wide").unpivot("id", ["q1", "q3"], "quarter", "amount")


def unpivot_leaving_out(spark: Any) -> Any:
    return spark.table("world.wide").unpivot(["id"], ["q2", "q1"], "quarter", "amount")


def unpivot_of_what_is_kept(spark: Any) -> Any:
    return spark.table("world.wide").unpivot(["id", "q1"], ["q1", "q2"], "quarter", "amount")


def rollup(spark: Any) -> Any:
    return (
        spark.table("world.sales")
        .rollup("dept", F.col("quarter"))
        .agg(F.sum("amount").alias("total"), F.grouping("quarter").alias("g"))
        .orderBy("dept", "quarter")
    )


def tumbling_windows(spark: Any) -> Any:
    sales = spark.table("world.sales")
    return sales.groupBy("dept", F.window("at", "10 minutes")).agg(F.sum("amount").alias("total"))


def hopping_windows(spark: Any) -> Any:
    sales = spark.table("world.sales")
    return sales.groupBy(F.window("at", "10 minutes", "5 minutes", "1 minute")).count()


def session_windows(spark: Any) -> Any:
    sales = spark.table("world.sales")
    return sales.groupBy(F.session_window("at", "10 minutes"), "dept").count()


def window_as_a_column(spark: Any) -> Any:
    return spark.table("world.sales").select(
        "dept", F.window("at", "1 hour").alias("hour"), "amount"
    )


def union_by_name_missing(spark: Any) -> Any:
    return people(spark).unionByName(spark.table("world.depts"), allowMissingColumns=True)


def union_of_many(spark: Any) -> Any:
    depts = spark.table("world.depts")
    return depts.union(depts).union(depts.select(F.upper("dept"), "city"))


def limit_and_offset(spark: Any) -> Any:
    return people(spark).orderBy("salary", "name").offset(1).limit(3)


def sorted_by_what_is_dropped(spark: Any) -> Any:
    return people(spark).orderBy(F.desc("salary")).select("name")


def sampled(spark: Any) -> Any:
    return people(spark).sample(fraction=0.5, seed=3)


def hints(spark: Any) -> Any:
    depts = spark.table("world.depts").hint("broadcast")
    return people(spark).join(depts, "dept").repartition(3, "dept").coalesce(1)


def ranges(spark: Any) -> Any:
    return spark.range(2, 20, 3).union(spark.range(4))


def local_rows_of_pandas(spark: Any) -> Any:
    import pandas as pd

    frame = pd.DataFrame({"a b": [1.5, float("nan"), 1.5], "text": ["x", None, "it's"]})
    return spark.createDataFrame(frame, "`a b` DOUBLE, text STRING").filter("text IS NOT NULL")


def no_rows(spark: Any) -> Any:
    return people(spark).limit(0)


def generated(spark: Any) -> Any:
    return people(spark).select("name", F.explode_outer("tags").alias("tag"), F.lit(1).alias("n"))


def generated_in_two_columns(spark: Any) -> Any:
    return spark.table("world.nested").select("id", F.posexplode("props").alias("p", "k", "v"))


def stacked(spark: Any) -> Any:
    return spark.table("world.wide").select("id", F.stack(F.lit(2), "q1", "q2").alias("q"))


def nasty_names(spark: Any) -> Any:
    odd = spark.table("world.odd")
    return odd.withColumn("x`y.z", F.col("`x.y`")).withColumnRenamed("select", "from").drop("Ü")


def sub_query_of_a_frame(spark: Any) -> Any:
    most = people(spark).agg(F.max("salary")).scalar()
    return people(spark).filter(F.col("salary") == most)


def exists_of_a_frame(spark: Any) -> Any:
    depts = spark.table("world.depts").alias("d")
    found = depts.where(F.col("d.dept") == F.col("p.dept").outer()).exists()
    return people(spark).alias("p").where(found)


def chance_with_a_seed(spark: Any) -> Any:
    return spark.range(0, 20, 1, 1).select("id", F.rand(7).alias("r")).filter("r > 0.3")


def number_of_rows(spark: Any) -> Any:
    return spark.range(0, 5, 1, 1).withColumn("n", F.monotonically_increasing_id()).filter("n > 1")
