"""Joins, set operations, sub-queries."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def join_using(spark: Any) -> Any:
    return spark.table("world.people").join(spark.table("world.depts"), "dept")


def join_using_left(spark: Any) -> Any:
    return spark.table("world.people").join(spark.table("world.depts"), ["dept"], "left")


def join_using_full(spark: Any) -> Any:
    return spark.table("world.people").join(spark.table("world.depts"), ["dept"], "outer")


def join_using_right(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .join(spark.table("world.depts"), "dept", "right")
        .select("dept", "city", "name")
    )


def join_on_columns(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.join(depts, people.dept == depts.dept).select(people.name, depts.city)


def join_on_and_drop(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.join(depts, people.dept == depts.dept, "left").drop(depts.dept)


def join_on_list(spark: Any) -> Any:
    people, sales = spark.table("world.people"), spark.table("world.sales")
    on = [people.dept == sales.dept, people.salary > sales.quarter]
    return people.join(sales, on, "inner").select("name", "amount")


def join_aliases(spark: Any) -> Any:
    p, d = spark.table("world.people").alias("p"), spark.table("world.depts").alias("d")
    return p.join(d, F.col("p.dept") == F.col("d.dept"), "left_outer").select("p.name", "d.city")


def semi_join(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.join(depts, people.dept == depts.dept, "left_semi")


def anti_join(spark: Any) -> Any:
    return spark.table("world.people").join(spark.table("world.depts"), "dept", "left_anti")


def cross_join(spark: Any) -> Any:
    return spark.table("world.depts").crossJoin(spark.range(2))


def join_without_condition(spark: Any) -> Any:
    return spark.table("world.depts").join(spark.range(2))


def self_join_aliases(spark: Any) -> Any:
    people = spark.table("world.people")
    a, b = people.alias("a"), people.alias("b")
    return a.join(
        b, (F.col("a.dept") == F.col("b.dept")) & (F.col("a.salary") < F.col("b.salary"))
    ).select("a.name", F.col("b.name").alias("other"))


def self_join_by_frames(spark: Any) -> Any:
    a, b = spark.table("world.people"), spark.table("world.people")
    return a.join(b, (a.dept == b.dept) & (a.salary < b.salary)).select(a.name, b.name.alias("b"))


def self_join_filtered(spark: Any) -> Any:
    people = spark.table("world.people")
    rich = people.filter(people.salary > 15).alias("rich")
    joined = people.alias("p").join(rich, F.col("p.dept") == F.col("rich.dept"))
    return joined.select("p.name", "rich.salary")


def self_join_grouped(spark: Any) -> Any:
    people = spark.table("world.people")
    most = people.groupBy("dept").agg(F.max("salary").alias("most"))
    return people.join(most, (people.dept == most.dept) & (people.salary == most.most)).select(
        people.name, most.dept, most.most
    )


def join_then_filter(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    joined = people.join(depts, people.dept == depts.dept, "left")
    return joined.filter(depts.city.isNull() | (people.salary > 10)).select("name", "city")


def join_three(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    sales = spark.table("world.sales")
    return (
        people.join(depts, "dept")
        .join(sales, "dept")
        .groupBy("city")
        .agg(F.sum("amount").alias("amount"), F.countDistinct("name").alias("people"))
    )


def join_after_group(spark: Any) -> Any:
    sales = spark.table("world.sales").groupBy("dept").agg(F.sum("amount").alias("t"))
    return spark.table("world.depts").join(sales, "dept", "left").orderBy(F.desc("t"), "dept")


def broadcast_join(spark: Any) -> Any:
    return spark.table("world.people").join(F.broadcast(spark.table("world.depts")), "dept")


def hinted_by_its_alias(spark: Any) -> Any:
    depts = spark.table("world.depts").alias("d").hint("broadcast", "D")
    sales = spark.table("world.sales").hint("merge", "sales")
    return sales.join(depts, F.col("d.dept") == F.col("sales.dept"))


def hinted(spark: Any) -> Any:
    return spark.table("world.people").hint("merge").join(spark.table("world.depts"), "dept")


def union_all(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("name").union(people.select("dept"))


def union_of_types(spark: Any) -> Any:
    wide = spark.table("world.wide")
    return wide.select("q1").union(wide.select("q3")).unionAll(wide.select(F.lit(1.5)))


def union_by_name(spark: Any) -> Any:
    depts = spark.table("world.depts")
    return depts.unionByName(depts.select("city", "dept"))


def union_by_name_missing(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.select("name", "dept").unionByName(depts, allowMissingColumns=True)


def union_loop(spark: Any) -> Any:
    df = spark.table("world.depts")
    for number in range(4):
        df = df.union(spark.table("world.depts").withColumn("city", F.lit(f"c{number}")))
    return df


def intersect(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.select("dept").intersect(depts.select("dept"))


def subtract(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.select("dept").subtract(depts.select("dept"))


def except_all(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("dept").exceptAll(people.select("dept").filter("dept = 'a'").limit(1))


def intersect_all(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.select("dept").intersectAll(people.select("dept"))


def scalar_subquery(spark: Any) -> Any:
    people = spark.table("world.people")
    most = people.agg(F.max("salary")).scalar()
    return people.filter(people.salary == most).select("name")


def correlated_exists(spark: Any) -> Any:
    p = spark.table("world.people").alias("p")
    inner = spark.table("world.depts").alias("d").filter(F.col("d.dept") == F.col("p.dept").outer())
    return p.filter(inner.exists())


def correlated_scalar(spark: Any) -> Any:
    p = spark.table("world.people").alias("p")
    inner = (
        spark.table("world.sales")
        .alias("s")
        .where(F.col("s.dept") == F.col("p.dept").outer())
        .select(F.max("s.amount"))
    )
    return p.select("p.name", inner.scalar().alias("best"))


def in_subquery(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.filter(people.dept.isin(depts.select("dept")))


def lateral_join(spark: Any) -> Any:
    d = spark.table("world.depts").alias("d")
    inner = (
        spark.table("world.people")
        .alias("p")
        .where(F.col("p.dept") == F.col("d.dept").outer())
        .select(F.col("p.name").alias("who"), "p.salary")
    )
    return d.lateralJoin(inner).select("dept", "who", "salary")


def using_then_side(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.join(depts, "dept").select(people.dept, depts.city)


def join_left_without_condition(spark: Any) -> Any:
    return spark.table("world.depts").join(spark.range(2), how="left")


def join_computed_keys(spark: Any) -> Any:
    people, depts = spark.table("world.people"), spark.table("world.depts")
    return people.join(depts, F.upper(people.dept) == F.upper(depts.dept), "full").select(
        people.dept, depts.dept.alias("other"), "city"
    )
