"""Arrays, maps, structs, dates, texts, JSON, generators, higher-order functions."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def struct_fields(spark: Any) -> Any:
    nested = spark.table("world.nested")
    return nested.select("id", "point.x", nested.point.y, F.col("point")["x"].alias("px"))


def struct_all_fields(spark: Any) -> Any:
    return spark.table("world.nested").select("id", "point.*")


def map_items(spark: Any) -> Any:
    nested = spark.table("world.nested")
    return nested.select(F.col("props")["a"].alias("a"), nested.props.getItem("b"), "props.a")


def array_items(spark: Any) -> Any:
    return spark.table("world.people").filter(F.size("tags") > 1).select(F.col("tags")[0], "name")


def with_field(spark: Any) -> Any:
    return spark.table("world.nested").withColumn("point", F.col("point").withField("z", F.lit(1)))


def with_field_replacing(spark: Any) -> Any:
    p = F.col("point")
    return spark.table("world.nested").select(p.withField("x", p["x"] + 1).alias("p"))


def drop_fields(spark: Any) -> Any:
    return spark.table("world.nested").select(F.col("point").dropFields("y").alias("p"))


def make_struct(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.struct("name", "salary").alias("s"), F.struct((F.col("salary") + 1).alias("n"), F.lit(2))
    )


def make_collections(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.array("name", "dept").alias("a"),
        F.create_map(F.lit("k"), "salary").alias("m"),
        F.array(),
        F.map_keys(F.create_map(F.lit("k"), "salary")),
    )


def explode(spark: Any) -> Any:
    return spark.table("world.people").select("name", F.explode("tags").alias("tag"))


def explode_unnamed(spark: Any) -> Any:
    return spark.table("world.people").select("name", F.explode("tags"))


def explode_outer(spark: Any) -> Any:
    return spark.table("world.people").select(F.explode_outer("tags").alias("tag"), "name")


def explode_in_with_column(spark: Any) -> Any:
    return spark.table("world.people").withColumn("tags", F.explode("tags"))


def posexplode(spark: Any) -> Any:
    return spark.table("world.people").select("name", F.posexplode("tags"))


def posexplode_named(spark: Any) -> Any:
    return spark.table("world.people").select(F.posexplode("tags").alias("at", "tag"), "name")


def explode_map(spark: Any) -> Any:
    return spark.table("world.nested").select("id", F.explode("props"))


def inline_structs(spark: Any) -> Any:
    return spark.table("world.nested").select(F.inline(F.array("point")).alias("a", "b"))


def stack(spark: Any) -> Any:
    return spark.table("world.wide").select(
        "id", F.stack(F.lit(2), F.lit("q1"), "q1", F.lit("q2"), "q2").alias("q", "v")
    )


def json_tuple(spark: Any) -> Any:
    doc = F.lit('{"a": 1, "b": "x"}')
    return spark.range(1).select(F.json_tuple(doc, "a", "b").alias("a", "b"))


def higher_order(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.transform("tags", lambda t: F.upper(t)).alias("upper"),
        F.filter("tags", lambda t: t.isNotNull()).alias("known"),
        F.exists("tags", lambda t: t == "x").alias("has_x"),
        F.transform("tags", lambda t, i: F.concat(t, i.cast("string"))).alias("numbered"),
        F.aggregate("tags", F.lit(0), lambda a, t: a + F.length(t)).alias("chars"),
    )


def higher_order_unnamed(spark: Any) -> Any:
    return spark.table("world.people").select(F.transform("tags", lambda t: F.upper(t)))


def lambdas_within_lambdas(spark: Any) -> Any:
    arrays = F.array(F.array(F.lit(1), F.lit(2)), F.array(F.lit(3)))
    return spark.range(1).select(
        F.transform(arrays, lambda x: F.transform(x, lambda y: y + F.size(x))).alias("n")
    )


def map_functions(spark: Any) -> Any:
    return spark.table("world.nested").select(
        F.map_filter("props", lambda k, v: v > 1).alias("f"),
        F.transform_values("props", lambda k, v: v * 2).alias("t"),
        F.map_keys("props").alias("k"),
    )


def texts(spark: Any) -> Any:
    n = F.col("name")
    return spark.table("world.people").select(
        F.concat_ws("-", n, "dept").alias("c"),
        F.substring(n, 1, 2).alias("s"),
        n.substr(2, 1).alias("t"),
        F.regexp_replace(n, "[aeiou]", "_").alias("r"),
        F.split(n, "n").alias("p"),
        F.trim(n).alias("w"),
        F.ltrim(n, F.lit("a")).alias("l"),
        F.lpad(n, 5, "*").alias("lp"),
        F.initcap(n).alias("i"),
        F.locate("n", n).alias("at"),
        F.format_string("%s!", n).alias("f"),
        F.translate(n, "ab", "xy").alias("tr"),
        F.regexp_extract(n, "(.)n", 1).alias("x"),
    )


def dates(spark: Any) -> Any:
    b = F.col("born")
    return spark.table("world.people").select(
        F.year(b).alias("y"),
        F.date_add(b, 1).alias("n"),
        F.add_months(b, -1).alias("m"),
        F.date_format(b, "yyyy-MM").alias("f"),
        F.datediff(F.lit("2024-01-01"), b).alias("d"),
        F.trunc(b, "month").alias("t"),
        F.months_between(F.current_date(), b).isNull().alias("mb"),
        F.to_date(F.lit("2024-02-29")).alias("td"),
        F.last_day(b).alias("ld"),
        F.date_trunc("year", b).alias("dt"),
        F.dayofweek(b).alias("dow"),
    )


def timestamps(spark: Any) -> Any:
    at = F.col("at")
    return spark.table("world.sales").select(
        F.hour(at).alias("h"),
        F.unix_timestamp(at).alias("u"),
        F.from_unixtime(F.lit(0)).alias("z"),
        F.to_timestamp(F.lit("2024-01-01 00:00:00")).alias("t"),
        (at - F.expr("INTERVAL 1 DAY")),
        F.date_trunc("hour", at).alias("hour"),
        at.cast("date").alias("d"),
    )


def json(spark: Any) -> Any:
    doc = F.lit('{"a": 1, "b": [1, 2]}')
    parsed = F.from_json(doc, "a INT, b ARRAY<INT>").alias("j")
    return (
        spark.range(1)
        .select(parsed, F.get_json_object(doc, "$.a").alias("a"))
        .select("j.a", "j.b", F.to_json("j").alias("text"))
    )


def maths(spark: Any) -> Any:
    s = F.col("score")
    return spark.table("world.people").select(
        F.round(s, 1).alias("r"),
        F.abs(s).alias("a"),
        F.greatest(s, F.lit(1.0)).alias("g"),
        F.isnan(s).alias("n"),
        F.nanvl(s, F.lit(0.0)).alias("v"),
        F.pow(s, 2).alias("p"),
        F.sqrt("salary").alias("q"),
        F.floor(s).alias("f"),
        F.hash("name").alias("h"),
        F.log(F.col("salary") + 1).alias("l"),
        F.least("salary", F.lit(5)).alias("le"),
    )


def conditionals(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.coalesce("salary", F.lit(0)).alias("c"),
        F.nvl("dept", F.lit("?")).alias("n"),
        F.nullif("dept", F.lit("a")).alias("u"),
        F.ifnull("dept", F.lit("b")).alias("i"),
        F.nvl2("dept", F.lit(1), F.lit(2)).alias("v"),
    )


def sorted_arrays(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.sort_array("tags").alias("s"),
        F.sort_array("tags", asc=False).alias("d"),
        F.array_contains("tags", "x").alias("h"),
        F.array_distinct("tags").alias("u"),
        F.slice("tags", 1, 1).alias("o"),
        F.concat("tags", F.array(F.lit("!"))).alias("c"),
        F.arrays_zip("tags", "tags").alias("z"),
        F.flatten(F.array("tags")).alias("f"),
    )


def hashes_and_ids(spark: Any) -> Any:
    return spark.table("world.people").select(
        F.md5("name").alias("m"), F.sha2("name", 256).alias("s"), F.xxhash64("name").alias("x")
    )


def call_by_name(spark: Any) -> Any:
    return spark.table("world.people").select(F.call_function("upper", F.col("name")))


def expressions_as_text(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "name",
        "salary + 1 AS more",
        "upper(dept) d",
        "CASE WHEN salary > 10 THEN 1 ELSE 0 END c",
        "coalesce(salary, 0)",
        "cast(salary AS STRING) t",
    )


def structs_of_odd_names(spark: Any) -> Any:
    """Spark shows a field's name between backticks where it is no word, and nothing else so."""
    people = spark.table("world.people")
    return people.select(
        *(F.struct(F.col("name").alias(name)) for name in ("a.b", "1", "ü", "select", "a`b")),
        F.expr("struct(dept AS `a b`, name AS `from`)"),
        F.struct(F.struct(F.col("dept").alias("x-y")).alias("x y")),
    )
