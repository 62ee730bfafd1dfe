"""na.fill, na.drop, na.replace, unpivot, sampling, schemas: how data is cleaned."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def fill_number(spark: Any) -> Any:
    return spark.table("world.people").fillna(0)


def fill_float(spark: Any) -> Any:
    return spark.table("world.people").na.fill(1.5)


def fill_text(spark: Any) -> Any:
    return spark.table("world.people").na.fill("unknown", subset=["dept", "salary"])


def fill_dictionary(spark: Any) -> Any:
    return spark.table("world.people").fillna({"salary": 7, "dept": "?", "score": 0.25})


def fill_decimal(spark: Any) -> Any:
    return spark.table("world.sales").na.fill(3)


def fill_boolean(spark: Any) -> Any:
    people = spark.table("world.people").withColumn("rich", F.col("salary") > 15)
    return people.na.fill(False)


def drop_any(spark: Any) -> Any:
    return spark.table("world.people").dropna()


def drop_all(spark: Any) -> Any:
    return spark.table("world.people").na.drop("all", subset=["dept", "score"])


def drop_threshold(spark: Any) -> Any:
    return spark.table("world.people").na.drop(thresh=5)


def drop_some(spark: Any) -> Any:
    return spark.table("world.people").dropna(subset=["score"])


def replace_text(spark: Any) -> Any:
    return spark.table("world.people").replace({"a": "A", "b": None}, subset=["dept"])


def replace_number(spark: Any) -> Any:
    return spark.table("world.people").na.replace([10, 20], [11, 21])


def replace_nan(spark: Any) -> Any:
    return spark.table("world.people").replace(float("nan"), 0.0, subset=["score"])


def replace_everywhere(spark: Any) -> Any:
    return spark.table("world.depts").replace("rome", "roma")


def unpivot_values_only(spark: Any) -> Any:
    return spark.table("world.wide").unpivot(["id"], None, "name", "value")


def unpivot_reordered(spark: Any) -> Any:
    return spark.table("world.wide").unpivot(["q3", "id"], ["q2", "q1"], "name", "value")


def sample_with_seed(spark: Any) -> Any:
    return spark.range(100).sample(fraction=0.25, seed=7)


def split_first(spark: Any) -> Any:
    return spark.range(0, 400, 1, 3).randomSplit([0.3, 0.5, 0.2], seed=5)[0]


def split_second(spark: Any) -> Any:
    df = spark.range(0, 400, 1, 3).select((F.col("id") * 37 % 101).alias("k"), "id")
    return df.randomSplit([0.3, 0.5, 0.2], seed=5)[1]


def split_last(spark: Any) -> Any:
    people = spark.table("world.people").withColumn("drawn", F.lit(1)).repartition(2, "name")
    return people.randomSplit([1.0, 2.0], seed=2**40)[1].select("name", "salary")


def split_unordered(spark: Any) -> Any:
    df = spark.range(0, 200, 1, 2).select(F.create_map(F.lit("k"), F.col("id") % 5).alias("m"))
    return df.randomSplit([1.0, 1.0], seed=9)[1]


def split_by_odd_fractions(spark: Any) -> Any:
    first = spark.range(0, 300, 1, 2).randomSplit([1 / 7, 6 / 7], seed=9)[0]
    return first.filter("id % 2 = 0")


def numbered_in_order(spark: Any) -> Any:
    return (
        spark.range(0, 40, 1, 1)
        .orderBy(F.col("id") % 7, "id")
        .withColumn("n", F.monotonically_increasing_id())
    )


def drawn_in_order(spark: Any) -> Any:
    df = spark.range(0, 90, 1, 1).sortWithinPartitions((F.col("id") * 37) % 101)
    return df.select("id", F.rand(3).alias("r")).filter(F.rand(4) < 0.5)


def filtered_in_order(spark: Any) -> Any:
    df = spark.range(0, 90, 1, 1).select((F.col("id") * 37 % 101).alias("k"))
    return df.orderBy("k").filter(F.rand(4) < 0.5)


def sample_by_strata(spark: Any) -> Any:
    return spark.range(60).withColumn("k", F.col("id") % 3).sampleBy("k", {0: 0.5, 1: 0.2}, seed=1)


def to_schema(spark: Any) -> Any:
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    schema = StructType(
        [
            StructField("CITY", StringType()),
            StructField("extra", IntegerType()),
            StructField("dept", StringType()),
        ]
    )
    return spark.table("world.depts").to(schema)


def observed(spark: Any) -> Any:
    return spark.table("world.depts").observe("counted", F.count(F.lit(1)).alias("n"))


def watermark_on_a_table(spark: Any) -> Any:
    return spark.table("world.sales").withWatermark("at", "1 hour").groupBy("dept").count()


def repartitioned(spark: Any) -> Any:
    return spark.table("world.depts").repartition(3, "dept").filter("dept IS NOT NULL")


def repartitioned_by_number(spark: Any) -> Any:
    return spark.table("world.depts").repartition(3).coalesce(1)


def repartitioned_by_columns(spark: Any) -> Any:
    return spark.table("world.depts").repartition("dept").select("city")


def repartitioned_by_range(spark: Any) -> Any:
    return spark.table("world.depts").repartitionByRange(2, "dept")


def select_with_everything(spark: Any) -> Any:
    cleaned = (
        spark.table("world.people")
        .withColumnRenamed("dept", "unit")
        .na.fill({"unit": "none"})
        .withColumn("unit", F.upper(F.trim("unit")))
        .withColumn("age", F.floor(F.datediff(F.lit("2024-06-30").cast("date"), "born") / 365))
        .filter(F.col("name").isNotNull())
        .dropDuplicates()
    )
    return (
        cleaned.groupBy("unit")
        .agg(F.count("*").alias("people"), F.round(F.avg("age"), 1).alias("age"))
        .orderBy("unit")
    )


def several_steps_and_join(spark: Any) -> Any:
    sales = spark.table("world.sales").filter(F.col("amount").isNotNull())
    best = sales.groupBy("dept").agg(F.max("amount").alias("best"))
    return (
        sales.join(best, ["dept"])
        .withColumn("share", F.col("amount") / F.col("best"))
        .select("dept", "quarter", F.round("share", 2).alias("share"))
        .orderBy(F.desc("share"))
        .limit(3)
    )


def sorted_within_partitions(spark: Any) -> Any:
    return spark.table("world.people").coalesce(1).sortWithinPartitions("salary", "name").limit(3)


def repartitioned_by_an_expression(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.repartition(3, F.col("salary") % 2, "dept").select("name", "dept")


def numbered_rows(spark: Any) -> Any:
    return spark.table("world.people").select("name").coalesce(1).zipWithIndex("place")


def described(spark: Any) -> Any:
    return spark.table("world.people").describe("salary", "name")


def summarized(spark: Any) -> Any:
    return spark.table("world.people").select("salary", "dept").summary("count", "25%", "max")


def without_rows(spark: Any) -> Any:
    nobody = spark.createDataFrame([], "name STRING, born DATE")
    return spark.table("world.people").select("name").union(nobody.select("name"))


def structs_brought_along(spark: Any) -> Any:
    rows = [(1, ("x", [1, None])), (None, (None, [])), (3, None)]
    return spark.createDataFrame(rows, "id INT, pair STRUCT<x: STRING, y: ARRAY<INT>>")


def to_schema_of_other_types(spark: Any) -> Any:
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    wanted = [StructField("salary", StringType()), StructField("name", StringType())]
    wanted.append(StructField("quarter", LongType()))
    return spark.table("world.people").to(StructType(wanted))
