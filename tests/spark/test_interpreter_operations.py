"""Every operation, interpreted, against SQL written by hand."""

from __future__ import annotations

import pytest

from tests.opaque import opaque
from tests.spark.helpers import gives, rows
from viewscribe import col, exists, in_query, lit, scalar
from viewscribe import functions as F
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql
from viewscribe.spark.errors import MissingSourceError, NotInterpretableError
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.types import schema_from_spark
from viewscribe.table_api.table import Table
from viewscribe.types.ddl import parse_schema


def test_a_table(spark, env):
    gives(spark, env.from_path("people"), "SELECT * FROM people")


def test_values(spark, env):
    table = env.from_values([(1, "a", None), (2, None, 1.5)], "id INT, name STRING, x DOUBLE")
    gives(spark, table, "SELECT * FROM VALUES (1, 'a', NULL), (2, NULL, 1.5D) AS t(id, name, x)")
    fields = table.to_dataframe(spark).schema.fields
    assert [field.nullable for field in fields] == [False, True, True]


def test_values_without_rows(spark, env):
    fields = parse_schema(
        "id INT NOT NULL, names ARRAY<STRING>, s STRUCT<a: DATE NOT NULL, b: STRING> NOT NULL"
    )
    made = n.Values.of((), fields)
    assert made.schema.fields == fields
    for frame in (to_dataframe(made, spark), spark.sql(to_sql(made))):
        assert frame.collect() == []
        assert schema_from_spark(frame.schema) == fields


def test_sql_text(spark, env):
    table = opaque(env, "SELECT name, dept FROM people")
    gives(spark, table.filter(col("dept") == "a"), "SELECT name, dept FROM people WHERE dept = 'a'")


def test_functions_that_are_tables(spark, env):
    numbers = env.from_function("range", 0, 4, 2)
    gives(spark, numbers, "SELECT * FROM range(0, 4, 2)")
    gives(spark, env.from_function("range", "3"), "SELECT * FROM range(3)")
    both = numbers.join(env.from_function("range", 3).alias("other"), on="id")
    gives(spark, both, "SELECT id FROM range(0, 4, 2) JOIN range(3) USING (id)")
    assert [row.id for row in spark.sql(both.to_sql()).collect()] == [0, 2]
    assert [row.id for row in spark.sql(both.to_sql("pipe")).collect()] == [0, 2]
    # Not sql_keywords(): it takes Spark 15 seconds of the processor.
    gives(spark, env.from_function("collations"), "SELECT * FROM collations()")
    with pytest.raises(NotInterpretableError, match="an argument of a table must be a literal"):
        env.from_function("range", F.abs(lit(-3))).to_dataframe(spark)


def test_projections_and_filters(spark, env):
    table = (
        env.from_path("people")
        .filter(col("salary") > 5)
        .add_columns((col("salary") * 2).alias("twice"))
        .filter(col("twice") < 70)
        .add_or_replace_columns((col("twice") + 1).alias("salary"), col("salary").alias("old"))
        .filter(col("old") != 10)
        .drop_columns("tags", "score", "born")
        .rename_columns(name="who")
    )
    gives(
        spark,
        table,
        "SELECT name AS who, dept, salary * 2 + 1 AS salary, salary * 2 AS twice, salary AS old "
        "FROM people WHERE salary > 5 AND salary * 2 < 70 AND salary <> 10",
    )


def test_columns_of_equal_names(spark, env):
    people, depts = env.from_path("people"), env.from_path("depts")
    table = people.join(depts, col("people.dept") == col("depts.dept")).select(
        col("people.dept"), col("depts.dept"), col("depts.city").alias("DEPT")
    )
    gives(
        spark,
        table,
        "SELECT p.dept, d.dept, d.city AS DEPT FROM people p JOIN depts d ON p.dept = d.dept",
    )


def test_strange_names(spark, env):
    table = env.from_values([(1, 2)], "`a.b` INT, `x``y z` INT").filter(col("`a.b`") == 1)
    table = table.add_columns((col("`x``y z`") + 1).alias("_vs1")).order_by("_vs1")
    gives(spark, table, "SELECT 1 AS `a.b`, 2 AS `x``y z`, 3 AS _vs1")


SIMPLE = {
    "distinct": (lambda t: t.distinct(), "SELECT DISTINCT * FROM people"),
    "limit": (
        lambda t: t.order_by("born", "name").limit(3),
        "SELECT * FROM people ORDER BY born, name LIMIT 3",
    ),
    "offset": (
        lambda t: t.order_by("born", "name").offset(2).limit(2),
        "SELECT * FROM people ORDER BY born, name LIMIT 2 OFFSET 2",
    ),
    "sort": (
        lambda t: t.order_by(col("dept").desc_nulls_first(), col("salary").asc_nulls_last()),
        "SELECT * FROM people ORDER BY dept DESC NULLS FIRST, salary ASC NULLS LAST",
    ),
    "alias": (lambda t: t.alias("p").select(col("p.name")), "SELECT name FROM people"),
    "hint": (lambda t: t.hint("repartition", 3, "dept"), "SELECT * FROM people"),
    "broadcast": (lambda t: t.hint("broadcast"), "SELECT * FROM people"),
    "explode": (
        lambda t: t.explode("tags", "tag").select("name", "tag"),
        "SELECT name, tag FROM people LATERAL VIEW explode(tags) t AS tag",
    ),
    "explode outer": (
        lambda t: t.explode("tags", "tag", outer=True).select("name", "tag"),
        "SELECT name, tag FROM people LATERAL VIEW OUTER explode(tags) t AS tag",
    ),
    "posexplode": (
        lambda t: t.generate(F.posexplode("tags"), ["p", "c"]).select("name", "p", "c"),
        "SELECT name, p, c FROM people LATERAL VIEW posexplode(tags) t AS p, c",
    ),
    "explode of a map": (
        lambda t: t.generate(F.explode(F.map(lit("k"), col("salary")))).select(
            "name", "key", "value"
        ),
        "SELECT name, key, value FROM people LATERAL VIEW explode(map('k', salary)) t "
        "AS key, value",
    ),
    "inline outer": (
        lambda t: t.generate(
            F.inline(F.array(F.struct("name", "salary"))), ["a", "b"], outer=True
        ).select("a", "b"),
        "SELECT name AS a, salary AS b FROM people",
    ),
    "stack": (
        lambda t: t.generate(
            F.stack(lit(2), lit("a"), col("salary"), lit("b"), lit(7)), ["k", "v"]
        ).select("name", "k", "v"),
        "SELECT name, k, v FROM people LATERAL VIEW stack(2, 'a', salary, 'b', 7) t AS k, v",
    ),
    "json_tuple outer": (
        lambda t: t.generate(F.json_tuple(lit('{"a": 1}'), lit("a"), lit("b")), outer=True).select(
            "name", "c0", "c1"
        ),
        "SELECT name, '1' AS c0, CAST(NULL AS STRING) AS c1 FROM people",
    ),
    "a generator in select": (
        lambda t: t.select("name", F.explode("tags").alias("tag")),
        "SELECT name, explode(tags) AS tag FROM people",
    ),
    "having": (
        lambda t: t.group_by("dept").agg(F.sum("salary").alias("s")).filter(col("s") > 20),
        "SELECT dept, sum(salary) AS s FROM people GROUP BY dept HAVING sum(salary) > 20",
    ),
    "groups without aggregates": (
        lambda t: t.group_by("dept").select("dept"),
        "SELECT dept FROM people GROUP BY dept",
    ),
    "groups by expressions": (
        lambda t: t.group_by(F.upper("dept").alias("d")).agg(F.max(F.upper("dept")).alias("m")),
        "SELECT upper(dept) AS d, max(upper(dept)) AS m FROM people GROUP BY upper(dept)",
    ),
    "rollup": (
        lambda t: t.rollup("dept", "name").agg(
            F.sum("salary").alias("s"), F.grouping("name").alias("g"), F.grouping_id().alias("i")
        ),
        "SELECT dept, name, sum(salary) AS s, grouping(name) AS g, grouping_id() AS i FROM people "
        "GROUP BY ROLLUP (dept, name)",
    ),
    "rollup of a summed key": (
        lambda t: t.rollup("salary").agg(F.sum("salary").alias("s")),
        "SELECT salary, sum(salary) AS s FROM people GROUP BY ROLLUP (salary)",
    ),
    "cube of expressions": (
        lambda t: t.cube(F.upper("dept").alias("d"), "name").agg(
            F.count("*").alias("n"), F.grouping(F.upper("dept")).alias("g")
        ),
        "SELECT upper(dept) AS d, name, count(*) AS n, grouping(upper(dept)) AS g FROM people "
        "GROUP BY CUBE (upper(dept), name)",
    ),
    "grouping sets": (
        lambda t: t.grouping_sets([["dept", "name"], ["name"], []]).agg(F.count("*").alias("n")),
        "SELECT dept, name, count(*) AS n FROM people "
        "GROUP BY GROUPING SETS ((dept, name), (name), ())",
    ),
    "grouping sets without aggregates": (
        lambda t: t.grouping_sets([["dept"], ["name"]]).select("dept", "name"),
        "SELECT dept, name FROM people GROUP BY GROUPING SETS ((dept), (name))",
    ),
}


@pytest.mark.parametrize("name", SIMPLE)
def test_one_input(spark, env, name):
    build, sql = SIMPLE[name]
    gives(spark, build(env.from_path("people")), sql, ordered="ORDER BY" in sql)


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.07])
def test_a_sample_is_the_one_of_sql(spark, env, fraction):
    numbers = "explode(sequence(1, 1000))"
    table = opaque(env, f"SELECT {numbers} AS id", schema="id INT").sample(fraction, seed=7)
    assert isinstance(table.operation, n.Sample)
    percent = table.operation.percent
    gives(
        spark,
        table,
        f"SELECT * FROM (SELECT {numbers} AS id) TABLESAMPLE ({percent!r} PERCENT) REPEATABLE (7)",
    )


JOINS = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
}


@pytest.mark.parametrize("how", JOINS)
def test_join_on(spark, env, how):
    left, right = env.from_path("people").select("name", "dept"), env.from_path("depts")
    condition = (col("people.dept") == col("depts.dept")) & (col("name") != "bob")
    gives(
        spark,
        left.join(right, condition, how),
        f"SELECT * FROM (SELECT name, dept FROM people) p {JOINS[how]} depts d "
        "ON p.dept = d.dept AND name <> 'bob'",
    )


@pytest.mark.parametrize("how", JOINS)
def test_join_using(spark, env, how):
    left, right = env.from_path("people").select("name", "dept"), env.from_path("depts")
    gives(
        spark,
        left.join(right, how=how, using="dept"),
        f"SELECT * FROM (SELECT name, dept FROM people) {JOINS[how]} depts USING (dept)",
    )


def test_cross_join_and_self_join(spark, env):
    depts = env.from_path("depts")
    gives(spark, depts.cross_join(depts), "SELECT * FROM depts a CROSS JOIN depts b")
    a, b = depts.alias("a"), depts.alias("b")
    table = a.join(b, col("a.dept") < col("b.dept")).select(col("a.city"), col("b.city"))
    gives(spark, table, "SELECT a.city, b.city FROM depts a JOIN depts b ON a.dept < b.dept")


def test_a_table_joined_with_itself_many_times(spark, env):
    table = env.from_path("depts").filter(col("dept") == "a").select("dept")
    for _ in range(5):
        left, right = table.alias("l"), table.alias("r")
        table = left.join(right, col("l.dept") == col("r.dept")).select(col("l.dept"))
    assert rows(table.to_dataframe(spark)) == [("a",)]


@pytest.mark.parametrize(
    ("method", "sql"),
    [
        ("union", "UNION"),
        ("union_all", "UNION ALL"),
        ("intersect", "INTERSECT"),
        ("intersect_all", "INTERSECT ALL"),
        ("minus", "EXCEPT"),
        ("minus_all", "EXCEPT ALL"),
    ],
)
def test_set_operations(spark, env, method, sql):
    people, depts = env.from_path("people").select("dept"), env.from_path("depts").select("dept")
    gives(
        spark,
        getattr(people, method)(depts),
        f"SELECT dept FROM people {sql} SELECT dept FROM depts",
    )


def test_unions_of_unions(spark, env):
    wide = env.from_path("wide")
    small, large = wide.select("q1"), wide.select("q3")
    table = small.union_all(large).union_all(small.union(small)).union_all(large.minus(small))
    gives(
        spark,
        table,
        "(SELECT q1 FROM wide UNION ALL SELECT q3 FROM wide) "
        "UNION ALL (SELECT q1 FROM wide UNION SELECT q1 FROM wide) "
        "UNION ALL (SELECT q3 FROM wide EXCEPT SELECT q1 FROM wide)",
    )
    gives(
        spark,
        small.union_all(small).union(small.union_all(large)),
        "SELECT DISTINCT CAST(q1 AS BIGINT) AS q1 FROM wide UNION SELECT q3 FROM wide",
    )


def test_union_by_name(spark, env):
    wide = env.from_path("wide")
    table = wide.select("id", "q1").union_by_name(wide.select("q3", "id"), allow_missing=True)
    gives(
        spark,
        table,
        "SELECT id, q1, CAST(NULL AS BIGINT) AS q3 FROM wide UNION ALL "
        "SELECT id, NULL, q3 FROM wide",
    )


def test_pivot(spark, env):
    sales = env.from_path("sales")
    gives(
        spark,
        sales.group_by("dept").pivot("quarter", [1, 2, 3]).agg(F.sum("amount").alias("s")),
        "SELECT * FROM (SELECT dept, quarter, amount FROM sales) "
        "PIVOT (sum(amount) AS s FOR quarter IN (1, 2, 3))",
    )
    gives(
        spark,
        sales.group_by("dept")
        .pivot("quarter", [lit(1).alias("one"), lit(4).alias("four")])
        .agg(F.count("*").alias("n"), F.max("amount").alias("m")),
        "SELECT * FROM (SELECT dept, quarter, amount FROM sales) "
        "PIVOT (count(*) AS n, max(amount) AS m FOR quarter IN (1 AS one, 4 AS four))",
    )


@pytest.mark.parametrize("include", [True, False])
def test_unpivot(spark, env, include):
    nulls = "INCLUDE NULLS" if include else "EXCLUDE NULLS"
    gives(
        spark,
        env.from_path("wide").unpivot(
            ["q1", "q3", col("q2").alias("second")], name="q", value="v", include_nulls=include
        ),
        f"SELECT * FROM wide UNPIVOT {nulls} (v FOR q IN (q1, q3, q2 AS second))",
    )


def test_unpivot_with_equal_labels(spark, env):
    table = env.from_path("wide").unpivot([col("q1").alias("x"), col("q2").alias("X"), "q3"])
    gives(
        spark,
        table,
        "SELECT id, 'x' AS name, CAST(q1 AS BIGINT) AS value FROM wide UNION ALL "
        "SELECT id, 'X', q2 FROM wide UNION ALL SELECT id, 'q3', q3 FROM wide",
    )


def test_tumble_and_hop(spark, env):
    sales = env.from_path("sales")
    gives(
        spark,
        sales.tumble("at", "10 minutes").group_by("window").agg(F.count("*").alias("n")),
        "SELECT window(at, '10 minutes') AS window, count(*) AS n FROM sales "
        "GROUP BY window(at, '10 minutes')",
    )
    gives(
        spark,
        sales.hop("at", "20 minutes", "10 minutes", name="w", start="5 minutes").agg(
            F.count("*").alias("n")
        ),
        "SELECT count(*) AS n FROM (SELECT window(at, '20 minutes', '10 minutes', '5 minutes') "
        "AS w FROM sales)",
    )


def test_session(spark, env):
    table = (
        env.from_path("sales")
        .session("at", "10 minutes", name="s")
        .group_by("s", "dept")
        .agg(F.count("*").alias("n"))
    )
    gives(
        spark,
        table,
        "SELECT session_window(at, '10 minutes') AS s, dept, count(*) AS n FROM sales "
        "GROUP BY session_window(at, '10 minutes'), dept",
    )


def test_sub_queries_of_their_own(spark, env):
    people, depts = env.from_path("people"), env.from_path("depts")
    gives(
        spark,
        people.filter(col("dept").in_(depts.select("dept"))).select("name"),
        "SELECT name FROM people WHERE dept IN (SELECT dept FROM depts)",
    )
    gives(
        spark,
        people.filter(~col("dept").in_(depts.filter(col("dept").is_not_null()).select("dept"))),
        "SELECT * FROM people WHERE dept NOT IN (SELECT dept FROM depts WHERE dept IS NOT NULL)",
    )
    gives(
        spark,
        people.filter(in_query([col("name"), col("dept")], people.select("name", "dept"))).select(
            "name"
        ),
        "SELECT name FROM people WHERE (name, dept) IN (SELECT name, dept FROM people)",
    )
    gives(
        spark,
        people.select("name", (col("salary") - people.select(F.avg("salary")).scalar()).alias("x")),
        "SELECT name, salary - (SELECT avg(salary) FROM people) AS x FROM people",
    )
    gives(
        spark,
        depts.filter(exists(people.filter(col("salary") > 30))),
        "SELECT * FROM depts WHERE EXISTS (SELECT * FROM people WHERE salary > 30)",
    )


@pytest.mark.slow("ten queries with sub-queries, as trees and as text")
def test_correlated_sub_queries(spark, env):
    people, depts = env.from_path("people"), env.from_path("depts")

    def mates(outer):
        return people.filter(col("dept") == outer("dept"))

    gives(
        spark,
        depts.filter(exists(mates)),
        "SELECT * FROM depts d WHERE EXISTS (SELECT * FROM people p WHERE p.dept = d.dept)",
    )
    gives(
        spark,
        depts.select("city", exists(mates).alias("e")),
        "SELECT city, EXISTS (SELECT * FROM people p WHERE p.dept = d.dept) AS e FROM depts d",
    )
    gives(
        spark,
        depts.select("city", scalar(lambda o: mates(o).select(F.sum("salary"))).alias("s")),
        "SELECT city, (SELECT sum(salary) FROM people p WHERE p.dept = d.dept) AS s FROM depts d",
    )
    gives(
        spark,
        people.filter(
            in_query(
                col("name"), lambda o: people.filter(col("salary") >= o("salary")).select("name")
            )
        ),
        "SELECT * FROM people o WHERE name IN "
        "(SELECT name FROM people i WHERE i.salary >= o.salary)",
    )
    gives(
        spark,
        people.add_columns(
            scalar(lambda o: depts.filter(col("dept") == o("dept")).select(F.max("city"))).alias(
                "k"
            )
        )
        .order_by("k", "name", "salary")
        .select("name"),
        "SELECT name FROM (SELECT *, (SELECT max(city) FROM depts d WHERE d.dept = p.dept) AS k "
        "FROM people p) ORDER BY k, name, salary",
        ordered=True,
    )


def test_a_correlated_query_over_the_same_columns(spark, env):
    """Names of the inner query, even hidden ones, must not take the place of the outer ones."""
    people = env.from_path("people")

    def better(outer):
        renamed = people.select(col("name").alias("n"), col("salary").alias("s"))
        return renamed.filter(col("s") > outer("salary"))

    gives(
        spark,
        people.filter(~exists(better)).select("name"),
        "SELECT name FROM people o WHERE NOT EXISTS "
        "(SELECT 1 FROM people i WHERE i.salary > o.salary)",
    )


def test_groups_and_joins_inside_a_correlated_query(spark, env):
    people, depts, sales = (env.from_path(name) for name in ("people", "depts", "sales"))

    def totals(outer):
        return (
            sales.filter(col("dept") == outer("dept"))
            .group_by("quarter")
            .agg(F.sum("amount").alias("total"))
        )

    gives(
        spark,
        depts.join_lateral(totals).select("city", "quarter", "total"),
        "SELECT city, quarter, total FROM depts d, LATERAL (SELECT quarter, sum(amount) AS total "
        "FROM sales s WHERE s.dept = d.dept GROUP BY quarter)",
    )
    gives(
        spark,
        depts.filter(
            exists(
                lambda o: people.filter(col("dept") == o("dept")).join(
                    sales, col("people.dept") == col("sales.dept")
                )
            )
        ),
        "SELECT * FROM depts d WHERE EXISTS (SELECT * FROM people p JOIN sales s "
        "ON p.dept = s.dept WHERE p.dept = d.dept)",
    )


def test_lateral_joins(spark, env):
    people, depts = env.from_path("people"), env.from_path("depts")

    def best(outer):
        mates = people.filter(col("dept") == outer("dept"))
        return mates.order_by(col("salary").desc()).limit(1).select("name", "salary")

    gives(
        spark,
        depts.left_outer_join_lateral(best),
        "SELECT * FROM depts d LEFT JOIN LATERAL (SELECT name, salary FROM people p "
        "WHERE p.dept = d.dept ORDER BY salary DESC LIMIT 1)",
    )
    gives(
        spark,
        depts.join_lateral(best, on=col("salary") > 10),
        "SELECT * FROM depts d JOIN LATERAL (SELECT name, salary FROM people p "
        "WHERE p.dept = d.dept ORDER BY salary DESC LIMIT 1) ON salary > 10",
    )
    gives(
        spark,
        people.join_lateral(F.explode("tags").alias("tag")).select("name", "tag"),
        "SELECT name, tag FROM people LATERAL VIEW explode(tags) t AS tag",
    )


def test_a_query_two_levels_out_is_refused(spark, env):
    people, depts = env.from_path("people"), env.from_path("depts")
    table = depts.filter(
        exists(
            lambda one: people.filter(exists(lambda two: people.filter(col("dept") == one("dept"))))
        )
    )
    with pytest.raises(NotInterpretableError, match="2 levels out"):
        table.to_dataframe(spark)


def test_a_table_the_session_lacks(spark, env):
    env.create_table("elsewhere", "id INT", or_replace=True)
    with pytest.raises(MissingSourceError, match="the session has no table"):
        env.from_path("elsewhere").to_dataframe(spark)


def test_a_column_the_session_lacks(spark, env):
    source = n.CatalogSource.of(
        ("spark_catalog", "world", "depts"), (*env.from_path("depts").schema.fields[:1],)
    )
    assert len(to_dataframe(source, spark).columns) == 1
    fields = env.from_path("people").schema.fields[:1]
    wrong = n.CatalogSource.of(("spark_catalog", "world", "depts"), fields)
    with pytest.raises(MissingSourceError, match="no column `name`"):
        Table(env, wrong).to_dataframe(spark)
