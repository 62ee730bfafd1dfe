"""SQL text inside of DataFrame programs: expr, selectExpr, filters, whole queries."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pyspark.sql import functions as F


def filters(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .filter("salary BETWEEN 5 AND 25 OR dept IN ('b', 'c')")
        .where("name IS NOT NULL AND NOT (name LIKE 'z%')")
    )


def arithmetic(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "salary + 2 * 3",
        "(salary + 2) * 3",
        "salary - 1 - 1",
        "-salary",
        "salary % 3",
        "salary div 3",
        "salary / 4",
    )


def literals(spark: Any) -> Any:
    return spark.range(1).selectExpr(
        "1 AS i",
        "3000000000 AS l",
        "1.50 AS d",
        "1e2 AS e",
        "5L AS five",
        "2.5D AS two",
        "7S AS s",
        "'its' AS q",
        "NULL AS n",
        "true AS t",
        "DATE '2024-02-29' AS day",
        "INTERVAL 3 DAY AS iv",
        "TIMESTAMP '2024-01-01 00:00:00Z' AS at",
    )


def literals_unnamed(spark: Any) -> Any:
    return spark.range(1).selectExpr("1", "1.50", "'x'", "NULL", "true", "DATE '2024-02-29'", "-1")


def conditions_unnamed(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "salary > 1 AND dept = 'a'",
        "salary IS NULL",
        "name IS NOT NULL",
        "NOT (salary > 1)",
        "dept IN ('a', 'b')",
        "name LIKE 'a%'",
        "salary <> 3",
        "salary <=> 3",
        "name RLIKE 'a'",
    )


def between_unnamed(spark: Any) -> Any:
    return spark.table("world.people").selectExpr("salary BETWEEN 1 AND 2", "name ILIKE 'A%'")


def cases(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "CASE WHEN salary > 15 THEN 'high' WHEN salary > 5 THEN 'mid' END AS band",
        "CASE dept WHEN 'a' THEN 1 ELSE 0 END AS is_a",
        "if(salary > 15, 'x', 'y') AS i",
        "CASE WHEN salary > 15 THEN 1 ELSE 2 END",
    )


def casts(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "CAST(salary AS STRING)",
        "CAST(salary + 1 AS DECIMAL(12, 2))",
        "salary::double AS d",
        "try_cast(name AS INT) AS t",
    )


def functions(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "upper(name)",
        "coalesce(dept, 'none') AS d",
        "date_add(born, 3)",
        "year(born) AS y",
        "extract(MONTH FROM born) AS m",
        "concat(name, '-', dept) AS c",
        "name || dept AS p",
        "substring(name, 1, 2)",
        "nvl(salary, 0)",
        "datediff(born, DATE '2000-01-01') AS days",
        "size(tags)",
        "get(tags, 0) AS first_tag",
        "greatest(salary, 5) AS g",
        "current_date() > born AS b",
    )


def named_arguments(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "mask(name, lowerChar => 'q')",
        "mask(digitChar => '#', str => dept) AS m",
        "explode(collection => tags) AS tag",
    )


def lambdas(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "transform(tags, t -> upper(t)) AS u",
        "filter(tags, t -> t IS NOT NULL) AS f",
        "aggregate(tags, 0, (a, t) -> a + length(t)) AS n",
    )


def nested_values(spark: Any) -> Any:
    return spark.table("world.nested").selectExpr(
        "id", "point.x", "point.y AS y", "props['a'] AS a", "named_struct('k', id).k AS k"
    )


def generators(spark: Any) -> Any:
    return spark.table("world.people").selectExpr("name", "explode(tags) AS tag")


def generators_of_two(spark: Any) -> Any:
    return spark.table("world.people").selectExpr("posexplode(tags) AS (at, tag)")


def stacked(spark: Any) -> Any:
    return spark.table("world.wide").selectExpr("id", "stack(2, 'q1', q1, 'q2', q2) AS (q, v)")


def aggregates(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg(
            F.expr("sum(salary) AS total"),
            F.expr("count(*)"),
            F.expr("count(DISTINCT name) AS names"),
            F.expr("sum(salary) FILTER (WHERE salary > 10) AS rich"),
            F.expr("max(salary) - 1"),
        )
    )


def windows(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "name",
        "rank() OVER (PARTITION BY dept ORDER BY salary DESC NULLS LAST) AS r",
        "sum(salary) OVER (PARTITION BY dept) AS total",
    )


def window_through_expr(spark: Any) -> Any:
    latest = F.expr("row_number() OVER (PARTITION BY dept ORDER BY born DESC, name)")
    return spark.table("world.people").withColumn("n", latest).where("n = 1").drop("n")


def nasty_names(spark: Any) -> Any:
    return spark.table("world.odd").selectExpr(
        "`a b` + 1 AS `c d`", "`x.y`", "upper(`Ü`)", "`select`"
    )


def text_and_columns(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.filter((people.salary > 5) & F.expr("length(name) = 3")).orderBy(
        F.expr("salary % 7"), "name"
    )


def stars(spark: Any) -> Any:
    return spark.table("world.depts").alias("d").selectExpr("d.*", "upper(city) AS city_name")


def bitwise(spark: Any) -> Any:
    return spark.table("world.wide").selectExpr("q1 & 6 AS a", "(q1 | 1) ^ 3 AS b", "~q1 AS c")


def whole_query(spark: Any) -> Any:
    return spark.sql("SELECT name, salary * 2 AS twice FROM world.people WHERE salary > 5")


def whole_query_further(spark: Any) -> Any:
    totals = spark.sql("SELECT dept, sum(amount) AS total FROM world.sales GROUP BY dept")
    return totals.join(spark.table("world.depts"), "dept", "left").filter("total > 2")


def whole_query_named_arguments(spark: Any) -> Any:
    return spark.sql(
        "SELECT name FROM world.people WHERE dept = :d AND salary > :least",
        args={"d": "a", "least": 5},
    )


def whole_query_placed_arguments(spark: Any) -> Any:
    return spark.sql("SELECT name FROM world.people WHERE dept = ? OR salary > ?", args=["b", 25])


def whole_query_with_steps(spark: Any) -> Any:
    return spark.sql(
        "WITH rich AS (SELECT * FROM world.people WHERE salary > 15) SELECT dept, count(*) AS n "
        "FROM rich GROUP BY dept"
    )


def frames(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "sum(salary) OVER (PARTITION BY dept ORDER BY salary, name ROWS BETWEEN 1 PRECEDING "
        "AND 1 FOLLOWING) AS near",
        "sum(salary) OVER (ORDER BY salary RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS below",
        "count(*) OVER (ORDER BY salary, name ROWS 2 PRECEDING) AS last",
        "max(salary) OVER (ORDER BY name ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    )


def sorted_groups(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy("dept")
        .agg(
            F.expr("percentile_cont(0.5) WITHIN GROUP (ORDER BY salary DESC) AS middle"),
            F.expr("listagg(name, ',') WITHIN GROUP (ORDER BY name) AS names"),
        )
    )


def strings(spark: Any) -> Any:
    return spark.range(1).selectExpr(
        "'it''s' AS a",
        "'a' 'b' AS b",
        r"'tab\there' AS c",
        r"r'\d' AS d",
        r"'\u00e9\\' AS e",
        r'"say ""it""" AS f',
        r"'50\%' AS g",
        r"'a1b' RLIKE '\\d' AS h",
    )


def queries_inside(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.filter(
        "dept IN (SELECT dept FROM world.depts WHERE city IS NOT NULL)"
    ).selectExpr("name", "(SELECT max(amount) FROM world.sales) AS most")


def units_of_time(spark: Any) -> Any:
    return spark.table("world.sales").selectExpr(
        "timestampadd(DAY, 1, at) AS a",
        "datediff(HOUR, at, timestampadd(DAY, 1, at)) AS b",
        "dateadd(MONTH, 2, at) AS c",
    )


def further_operators(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "dept IS DISTINCT FROM 'a' AS a", "name COLLATE UTF8_LCASE = 'ANN' AS b"
    )


def temporary_views(spark: Any) -> Any:
    spark.table("world.people").filter("salary > 5").createOrReplaceTempView("paid")
    spark.table("world.depts").createOrReplaceTempView("places")
    return spark.sql(
        "WITH some AS (SELECT * FROM paid) SELECT name, city FROM some LEFT JOIN places "
        "ON some.dept = places.dept"
    ).join(spark.table("paid").select("name", "salary"), "name")


def unnamed_with_clauses(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "count(*) FILTER (WHERE salary > 5)",
        "listagg(name, ',') WITHIN GROUP (ORDER BY name DESC)",
        "percentile_disc(0.5D) WITHIN GROUP (ORDER BY salary DESC)",
        "max(name LIKE ANY ('a%', 'b%'))",
    )


def moments(spark: Any) -> Any:
    return spark.range(1).selectExpr(
        "TIMESTAMP '2024-07-01 12:30:00'", "TIMESTAMP '2024-01-01' AS day", "INTERVAL 2 WEEKS"
    )


def sub_queries_that_look_around(spark: Any) -> Any:
    """The names of the inner table come first, then those of the DataFrame."""
    return (
        spark.table("world.people")
        .alias("p")
        .filter("EXISTS (SELECT 1 FROM world.depts d WHERE d.dept = p.dept AND city IS NOT NULL)")
        .filter("salary > (SELECT min(amount) FROM world.sales WHERE sales.dept = p.dept)")
        .selectExpr("name", "(SELECT max(city) FROM world.depts WHERE dept = p.dept) AS city")
    )


def sub_queries_in_sub_queries(spark: Any) -> Any:
    inner = (
        "dept IN (SELECT dept FROM world.depts AS x WHERE EXISTS "
        "(SELECT 1 FROM world.sales s WHERE s.dept = x.dept AND s.amount > 1) AND x.city < p.name)"
    )
    return spark.table("world.people").alias("p").where(inner).select("name")


def not_in_a_sub_query(spark: Any) -> Any:
    people = spark.table("world.people")
    return people.where("dept NOT IN (SELECT dept FROM world.depts WHERE dept IS NOT NULL)")


def sub_queries_in_columns(spark: Any) -> Any:
    most = F.expr("(SELECT max(amount) FROM world.sales)")
    return spark.table("world.people").select("name", (F.col("salary") + most).alias("more"))


def sub_queries_over_temporary_views(spark: Any) -> Any:
    spark.table("world.depts").where("city IS NOT NULL").createOrReplaceTempView("homes")
    people = spark.table("world.people")
    return people.filter("dept IN (SELECT dept FROM homes)").select("name")


def clashing_names(spark: Any) -> Any:
    """A struct called as a table is, and columns of both sides of a join."""
    people, depts = spark.table("world.people").alias("p"), spark.table("world.depts").alias("d")
    joined = people.join(depts, F.expr("p.dept = d.dept"), "left")
    return joined.selectExpr("p.dept", "d.dept AS other", "p.dept <=> d.dept", "name", "city")


def struct_named_as_the_table(spark: Any) -> Any:
    made = spark.table("world.people").selectExpr("struct(name, dept AS d) AS p", "dept AS name")
    return made.alias("p").selectExpr("p.name", "p.p.name AS inner", "p.p.d", "upper(p.p.name)")


def lateral_aliases(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "name", "salary + 1 AS more", "more * 2 AS most", "most - more", "salary AS dept", "dept"
    )


def lateral_alias_of_a_struct(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "named_struct('x', salary, 'y', name) AS s", "s.x + 1 AS z", "s.y", "s.y || 'z'"
    )


def lambdas_that_hide_columns(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "transform(tags, name -> upper(name))",
        "transform(tags, (t, at) -> t || name || at) AS numbered",
        "transform(tags, t -> transform(tags, u -> t || u)) AS pairs",
        "filter(tags, t -> t <> dept)",
        "map_filter(map('a', salary), (k, v) -> v > 5 AND k = 'a')",
    )


def texts_in_columns(spark: Any) -> Any:
    more = F.expr("salary + 1")
    return spark.table("world.people").select(
        F.coalesce(more, F.lit(0)),
        more.cast("string"),
        (~F.expr("salary > 3")).alias("low"),
        F.upper(F.expr("name || dept")),
        F.expr("CAST(salary AS STRING)"),
        F.expr("CAST(salary AS STRING)").cast("double").alias("text"),
        F.expr("upper(name)").cast("string"),
        F.expr("1").cast("string"),
        F.struct(F.expr("salary"), F.expr("salary * 2 AS twice")).alias("s"),
        F.when(F.expr("dept = 'a'"), F.expr("salary")).otherwise(F.expr("-1")),
    )


def calls_over_windows(spark: Any) -> Any:
    from pyspark.sql import Window

    over = Window.partitionBy("dept").orderBy(F.expr("salary DESC"), "name")
    return spark.table("world.people").select(
        "name", F.expr("row_number()").over(over).alias("n"), F.expr("lag(salary)").over(over)
    )


def windows_over_windows_of_text(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .selectExpr("*", "rank() OVER (PARTITION BY dept ORDER BY salary) AS r")
        .filter("r = 1")
        .selectExpr(
            "name", "count(*) OVER (PARTITION BY r) + 1", "r + row_number() OVER (ORDER BY name)"
        )
    )


def aggregates_in_expressions(spark: Any) -> Any:
    return (
        spark.table("world.people")
        .groupBy(F.expr("upper(dept) AS big"))
        .agg(
            F.expr("coalesce(sum(salary), 0) AS total"),
            F.expr("max(salary) - min(salary)"),
            F.expr("CASE WHEN count(*) > 1 THEN 'many' ELSE 'one' END AS size"),
            F.coalesce(F.expr("sum(salary)"), F.lit(0)).alias("again"),
        )
        .filter("total > 2 AND size = 'many'")
        .orderBy(F.expr("total DESC"), "big")
    )


def aggregates_alone(spark: Any) -> Any:
    return spark.table("world.people").selectExpr(
        "count(*)", "sum(salary) / count(*) AS mean", "max(struct(salary, name)).name"
    )


def sorted_by_hidden_columns(spark: Any) -> Any:
    return spark.table("world.people").select("name").orderBy(F.expr("salary + 1"), F.expr("name"))


def filtered_by_hidden_columns(spark: Any) -> Any:
    return spark.table("world.people").select("name").filter("salary BETWEEN 5 AND 25")


def stars_without_columns(spark: Any) -> Any:
    return spark.table("world.people").selectExpr("* EXCEPT (tags, born)", "size(tags) AS n")


def stars_in_calls(spark: Any) -> Any:
    depts = spark.table("world.depts")
    return depts.selectExpr("struct(*) AS s", "count(*) OVER () AS n").selectExpr("s.*", "n")


def joined_on_text(spark: Any) -> Any:
    sales, depts = spark.table("world.sales").alias("s"), spark.table("world.depts").alias("d")
    return sales.join(depts, F.expr("s.dept = d.dept AND s.amount > 1"), "left_semi")


def precedence(spark: Any) -> Any:
    return spark.table("world.wide").selectExpr(
        "q1 | q2 & 3 ^ 1", "q1 | 1 + 2", "-q1 % 3", "NOT q1 = 1 OR q2 > 1 AND q1 > 2",
        "q1 + 1 BETWEEN 1 AND 2 + 3", "q1 || q2 || 'x'", "q1 = 1 IS NULL",
    )  # fmt: skip


def whole_query_of_many_clauses(spark: Any) -> Any:
    return spark.sql(
        "WITH paid AS (SELECT dept, sum(amount) AS total FROM world.sales GROUP BY dept), "
        "best AS (SELECT *, rank() OVER (ORDER BY total DESC, dept) AS place FROM paid) "
        "SELECT b.dept, d.city, b.total FROM best b LEFT JOIN world.depts d USING (dept) "
        "WHERE place <= 3 AND EXISTS (SELECT 1 FROM world.people p WHERE p.dept = b.dept) "
        "UNION ALL SELECT dept, 'none', 0 FROM world.people WHERE salary IS NULL "
        "ORDER BY 1, 2 LIMIT 10"
    )


def whole_query_over_struct_fields(spark: Any) -> Any:
    return spark.sql(
        "SELECT n.point.x AS x, point.y, props['a'], point.* FROM world.nested n "
        "LATERAL VIEW explode(map_keys(props)) k AS key WHERE n.id > 0"
    )


def whole_query_of_typed_arguments(spark: Any) -> Any:
    return spark.sql(
        "SELECT :n + salary AS a, :d AS d, :s || name, :f * 2 FROM world.people "
        "WHERE born > :d OR name = :s",
        args={"n": 2, "d": dt.date(2000, 1, 1), "s": "it's \\ ?", "f": 1.5},
    )


def whole_query_in_pipes(spark: Any) -> Any:
    return spark.sql(
        "FROM world.people |> WHERE salary > 1 |> EXTEND salary * 2 AS twice "
        "|> AGGREGATE sum(twice) AS total GROUP BY dept |> ORDER BY dept"
    ).filter("total > 1")


def fields_cast(spark: Any) -> Any:
    return spark.table("world.nested").selectExpr("CAST(point.x AS STRING)", "int(point.y)")


def casts_of_casts_in_a_query(spark: Any) -> Any:
    return spark.sql(
        "SELECT CAST(CAST(salary AS BIGINT) AS STRING), string(bigint(salary)), "
        "bigint(CAST(salary AS STRING)) FROM world.people"
    )


def text_over_sub_queries(spark: Any) -> Any:
    """The DataFrame that a text reads has sub-queries of its own."""
    people, depts = spark.table("world.people"), spark.table("world.depts")
    staffed = people.alias("p").filter(
        depts.filter(F.col("depts.dept") == F.col("p.dept").outer()).exists()
    )
    beside = staffed.alias("q").lateralJoin(
        depts.filter(F.col("depts.dept") == F.col("q.dept").outer()).select(F.lit(1).alias("one"))
    )
    return spark.sql(
        "SELECT x.name, x.one FROM {df} x WHERE x.dept IN (SELECT dept FROM {df})", df=beside
    )
