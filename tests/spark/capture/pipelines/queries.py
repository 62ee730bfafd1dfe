"""Whole queries in SQL text, and views, temporary ones among them."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def cte_used_twice(spark: Any) -> Any:
    return spark.sql(
        "WITH top AS (SELECT dept, max(salary) AS most FROM world.people GROUP BY dept) "
        "SELECT a.dept, a.most, b.most AS other FROM top a JOIN top b ON a.most >= b.most"
    )


def nested_ctes(spark: Any) -> Any:
    return spark.sql(
        "WITH a AS (SELECT * FROM world.people WHERE salary > 5), b AS (SELECT dept, count(*) AS n "
        "FROM a GROUP BY dept) SELECT a.name, b.n FROM a LEFT JOIN b USING (dept)"
    )


def having_what_is_not_selected(spark: Any) -> Any:
    return spark.sql("SELECT dept FROM world.people GROUP BY dept HAVING sum(salary) > 10")


def order_on_what_is_not_selected(spark: Any) -> Any:
    return spark.sql("SELECT dept FROM world.people GROUP BY dept ORDER BY max(salary)")


def group_by_an_expression(spark: Any) -> Any:
    return spark.sql(
        "SELECT upper(dept) || '!' AS d, sum(salary) / count(*) AS mean, count(DISTINCT name) "
        "FROM world.people GROUP BY upper(dept)"
    )


def filtered_aggregates(spark: Any) -> Any:
    return spark.sql(
        "SELECT dept, count(*) FILTER (WHERE salary > 10) AS n, sum(salary) FILTER (WHERE name IS "
        "NOT NULL) AS s, first(name) IGNORE NULLS AS f FROM world.people GROUP BY dept"
    )


def lateral_alias(spark: Any) -> Any:
    return spark.sql("SELECT salary * 2 AS twice, twice + 1 AS more FROM world.people")


def lateral_view_outer(spark: Any) -> Any:
    return spark.sql("SELECT name, tag FROM world.people LATERAL VIEW OUTER explode(tags) t AS tag")


def posexplode_of_a_map(spark: Any) -> Any:
    return spark.sql(
        "SELECT id, pos, key, value FROM world.nested LATERAL VIEW posexplode(props) p"
    )


def lateral_join(spark: Any) -> Any:
    return spark.sql(
        "SELECT d.dept, m.most FROM world.depts d, LATERAL (SELECT max(salary) AS most FROM "
        "world.people p WHERE p.dept = d.dept) m"
    )


def left_lateral_join(spark: Any) -> Any:
    return spark.sql(
        "SELECT d.dept, m.name FROM world.depts d LEFT JOIN LATERAL (SELECT name FROM world.people "
        "p WHERE p.dept = d.dept) m ON m.name <> 'ann'"
    )


def correlated_sub_queries(spark: Any) -> Any:
    return spark.sql(
        "SELECT name, (SELECT max(city) FROM world.depts d WHERE d.dept = p.dept) AS city FROM "
        "world.people p WHERE EXISTS (SELECT 1 FROM world.depts d WHERE d.dept = p.dept)"
    )


def not_exists(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM world.people p WHERE NOT EXISTS (SELECT 1 FROM world.depts d WHERE d.dept = "
        "p.dept)"
    )


def in_a_query(spark: Any) -> Any:
    return spark.sql("SELECT * FROM world.people WHERE dept IN (SELECT dept FROM world.depts)")


def in_a_query_of_another_type(spark: Any) -> Any:
    return spark.sql("SELECT id FROM world.wide WHERE q1 IN (SELECT q3 - 20 FROM world.wide)")


def not_in_a_query(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM world.people WHERE dept NOT IN (SELECT dept FROM world.depts WHERE dept IS "
        "NOT NULL)"
    )


def grouping_sets(spark: Any) -> Any:
    return spark.sql(
        "SELECT dept, quarter, sum(amount) AS total, grouping(dept) AS g, grouping_id() AS id FROM "
        "world.sales GROUP BY GROUPING SETS ((dept, quarter), (dept), ())"
    )


def cube_of_an_expression(spark: Any) -> Any:
    return spark.sql(
        "SELECT upper(dept) AS d, quarter % 2 AS odd, count(*) AS n FROM world.sales "
        "GROUP BY CUBE (upper(dept), quarter % 2)"
    )


def having_grouping(spark: Any) -> Any:
    return spark.sql(
        "SELECT dept, quarter, sum(amount) AS total FROM world.sales GROUP BY ROLLUP (dept, "
        "quarter) HAVING grouping(quarter) = 1"
    )


def pivot_text(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM (SELECT dept, quarter, amount FROM world.sales) PIVOT (sum(amount) AS s, "
        "count(amount) AS c FOR quarter IN (1 AS first, 2 AS second))"
    )


def unpivot_text(spark: Any) -> Any:
    return spark.sql("SELECT * FROM world.wide UNPIVOT (amount FOR quarter IN (q1, q2))")


def unpivot_several(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM world.wide UNPIVOT INCLUDE NULLS ((a, b) FOR pair IN ((q1, q2), (q2, q1)))"
    )


def set_operations(spark: Any) -> Any:
    return spark.sql(
        "(SELECT dept FROM world.people EXCEPT SELECT dept FROM world.depts) UNION ALL "
        "(SELECT dept FROM world.people INTERSECT ALL SELECT dept FROM world.depts)"
    )


def union_of_types(spark: Any) -> Any:
    return spark.sql("SELECT salary AS x FROM world.people UNION SELECT amount FROM world.sales")


def union_of_types_cast_by_hand(spark: Any) -> Any:
    return spark.sql(
        "SELECT CAST(salary AS BIGINT) AS x FROM world.people UNION ALL SELECT q3 FROM world.wide"
    )


def natural_join(spark: Any) -> Any:
    return spark.sql("SELECT * FROM world.people NATURAL JOIN world.depts")


def full_join_using(spark: Any) -> Any:
    return spark.sql("SELECT * FROM world.people FULL JOIN world.depts USING (dept)")


def joined_hints(spark: Any) -> Any:
    return spark.sql(
        "SELECT /*+ BROADCAST(d), REPARTITION(3, name) */ p.name, d.city FROM world.people p JOIN "
        "world.depts d ON p.dept = d.dept"
    )


def windows_with_frames(spark: Any) -> Any:
    return spark.sql(
        "SELECT name, sum(salary) OVER w AS s, count(*) OVER (PARTITION BY dept) AS n, "
        "lag(salary, 1, 0) OVER (ORDER BY name, salary) AS l, "
        "first_value(name) IGNORE NULLS OVER (ORDER BY salary, name) AS f, "
        "nth_value(salary, 2) OVER (ORDER BY salary, name ROWS BETWEEN UNBOUNDED PRECEDING AND "
        "UNBOUNDED FOLLOWING) AS nth FROM world.people WINDOW w AS (PARTITION BY dept ORDER BY "
        "salary ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    )


def window_over_groups(spark: Any) -> Any:
    return spark.sql(
        "SELECT dept, sum(salary) AS s, rank() OVER (ORDER BY sum(salary) DESC) AS r FROM "
        "world.people GROUP BY dept"
    )


def range_frame_of_dates(spark: Any) -> Any:
    return spark.sql(
        "SELECT name, count(*) OVER (ORDER BY born RANGE BETWEEN INTERVAL '400' DAY PRECEDING AND "
        "CURRENT ROW) AS n FROM world.people"
    )


def intervals(spark: Any) -> Any:
    return spark.sql(
        "SELECT born + INTERVAL '1' MONTH AS a, born - INTERVAL '3' DAY AS b, born - DATE "
        "'2000-01-01' AS c, born + 1 AS d, CAST(born AS TIMESTAMP) + INTERVAL '2' HOUR AS e, "
        "INTERVAL '1' DAY * 3 AS f, INTERVAL '1' YEAR / 2 AS g FROM world.people"
    )


def extracted(spark: Any) -> Any:
    return spark.sql(
        "SELECT extract(YEAR FROM born) AS y, date_part('month', born) AS m, dateadd(DAY, 3, born) "
        "AS d, timestampdiff(MONTH, born, DATE '2024-01-01') AS n FROM world.people"
    )


def predicates(spark: Any) -> Any:
    return spark.sql(
        "SELECT name FROM world.people WHERE name LIKE 'a%' OR name ILIKE 'B_b' OR name LIKE ANY "
        "('c%', 'd%') OR salary BETWEEN 5 AND 15 OR name RLIKE '^z' OR salary NOT IN (1, 2, 3) OR "
        "name IS DISTINCT FROM dept OR (salary > 1) IS NOT TRUE"
    )


def like_with_escape(spark: Any) -> Any:
    return spark.sql("SELECT name LIKE '#%%' ESCAPE '#' AS a FROM world.people")


def nulls_replaced(spark: Any) -> Any:
    return spark.sql(
        "SELECT nvl(name, '?') AS a, ifnull(dept, '-') AS b, nvl2(name, 1, 2) AS c, nullif(dept, "
        "'a') AS d, coalesce(salary, 0) AS e FROM world.people"
    )


def replaced_after_a_window(spark: Any) -> Any:
    return spark.sql(
        "SELECT nvl(lag(salary) OVER (ORDER BY name, salary), 0) AS before FROM world.people"
    )


def replaced_in_a_self_join(spark: Any) -> Any:
    return spark.sql(
        "WITH a AS (SELECT nvl(name, '?') AS n, dept FROM world.people) "
        "SELECT x.n, y.n AS m FROM a x JOIN a y ON nvl(x.dept, '-') = nvl(y.dept, '-')"
    )


def json_with_options(spark: Any) -> Any:
    return spark.sql(
        "SELECT from_json('{\"a\": 1}', 'a INT, b STRING', map('mode', 'FAILFAST')) AS j, "
        "to_json(named_struct('t', TIMESTAMP '2024-01-01 00:00:00Z'), map('timestampFormat', "
        "'yyyy')) AS t"
    )


def lambdas(spark: Any) -> Any:
    return spark.sql(
        "SELECT transform(tags, (t, i) -> concat(t, i)) AS a, filter(tags, t -> t IS NOT NULL) AS "
        "b, aggregate(array(1, 2, 3), 0, (acc, x) -> acc + x, acc -> acc * 10) AS c, "
        "transform(array(array(1), array(2, 3)), x -> transform(x, y -> y + size(x))) AS d "
        "FROM world.people"
    )


def star_except(spark: Any) -> Any:
    return spark.sql("SELECT * EXCEPT (tags, score) FROM world.people")


def pipe_syntax(spark: Any) -> Any:
    return spark.sql(
        "FROM world.people |> WHERE salary > 5 |> AGGREGATE count(*) AS n GROUP BY dept "
        "|> ORDER BY n"
    )


def parameters(spark: Any) -> Any:
    return spark.sql("SELECT * FROM world.people WHERE salary > :least", args={"least": 15})


def values(spark: Any) -> Any:
    return spark.sql("SELECT * FROM VALUES (1, 'a', 1.5D), (2, NULL, 2.5D) AS t(x, y, z)")


def one_row(spark: Any) -> Any:
    return spark.sql("SELECT 1 AS one, 'x' AS text, current_date() IS NOT NULL AS there")


def explode_alone(spark: Any) -> Any:
    return spark.sql("SELECT explode(array(1, 2, 2)) AS x")


def temporary_view(spark: Any) -> Any:
    spark.table("world.people").filter("salary > 5").createOrReplaceTempView("well_paid")
    return spark.table("well_paid").groupBy("dept").count()


def temporary_view_of_text(spark: Any) -> Any:
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW renamed (n, d) AS SELECT name, dept FROM world.people"
    )
    return spark.sql("SELECT a.n, b.d FROM renamed a JOIN renamed b ON a.n = b.n")


def permanent_view(spark: Any) -> Any:
    spark.sql(
        "CREATE OR REPLACE VIEW world.by_dept AS SELECT dept, count(*) AS n FROM world.people "
        "GROUP BY dept"
    )
    return spark.table("world.by_dept").filter("n > 1")


def padded_texts(spark: Any) -> Any:
    spark.sql("DROP TABLE IF EXISTS world.padded")
    spark.sql("CREATE TABLE world.padded (c CHAR(5), v VARCHAR(5), n INT) USING parquet")
    spark.sql("INSERT INTO world.padded VALUES ('a', 'b', 1), ('abc', NULL, 2)")
    return spark.table("world.padded").filter(F.col("c") == "a").select("c", "v", "n")


def sql_function(spark: Any) -> Any:
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION plus_one(x INT) RETURNS INT RETURN x + 1")
    return spark.sql("SELECT plus_one(salary) AS s FROM world.people")


def collations(spark: Any) -> Any:
    return spark.sql(
        "SELECT name COLLATE UTF8_LCASE AS n, name COLLATE UNICODE_CI = 'ANN' AS same FROM "
        "world.people"
    )


def variants(spark: Any) -> Any:
    return spark.sql(
        "SELECT variant_get(parse_json('{\"a\": [1, 2]}'), '$.a[1]', 'int') AS x, "
        "CAST(parse_json('3') AS INT) AS y FROM world.wide"
    )


def literals_of_all_kinds(spark: Any) -> Any:
    return spark.sql(
        "SELECT 1Y AS a, 2S AS b, 3L AS c, 1.5F AS d, 1.50BD AS e, X'00ff' AS f, DATE "
        "'0001-01-01' AS g, TIMESTAMP_NTZ '2024-02-29 12:00:00.123456' AS h, INTERVAL '1-2' YEAR "
        "TO MONTH AS i, INTERVAL '3 04:05:06.789' DAY TO SECOND AS j, 'it''s `x` \\\\ \\n' AS k, "
        "NULL AS l, true AS m, array(1, NULL) AS n, map('a', 1) AS o, named_struct('x y', 1) AS p"
    )


def hidden_columns_of_a_subquery_named_like_those_around(spark: Any) -> Any:
    cities = spark.table("world.depts").select("city")
    here = cities.where(F.col("dept") == "sales")
    return spark.table("world.people").where(here.exists()).select("name", "dept")


def hidden_columns_of_a_subquery_in_its_order(spark: Any) -> Any:
    first = spark.table("world.depts").select("city").orderBy(F.col("dept").desc()).limit(1)
    return spark.table("world.people").select("name", first.scalar().alias("city"))


def keys_that_a_join_of_a_subquery_left_out(spark: Any) -> Any:
    people = spark.table("world.people").select("dept", "name").alias("a")
    depts = spark.table("world.depts").select("dept", "city").alias("b")
    found = people.join(depts, "dept", "left").select(F.col("b.dept").alias("d")).where("d = 'hr'")
    outer = spark.table("world.people").alias("b")
    return outer.where(found.exists()).select("name", "dept")
