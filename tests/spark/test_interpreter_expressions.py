"""Every kind of expression, interpreted, against SQL written by hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from tests.spark.helpers import by_column, gives
from viewscribe import and_, array, call, col, if_then_else, interval, lit, map_, or_, over, row
from viewscribe import functions as F
from viewscribe.expressions.dsl import CallExpression
from viewscribe.expressions.functions.builtin import operators as op

SCALARS = {
    "field": (col("name"), "name"),
    "arithmetic": (col("salary") * 2 + 1 - col("salary") / 4, "salary * 2 + 1 - salary / 4"),
    "modulo and negative": (-(col("salary") % 7), "-(salary % 7)"),
    "integer division": (call("div", col("salary"), 3), "salary DIV 3"),
    "decimals": (lit(Decimal("1.50")) * col("salary"), "1.50BD * salary"),
    "equals": (col("name") == "bob", "name = 'bob'"),
    "not equals": (col("salary") != 20, "salary <> 20"),
    "less": (col("salary") < 20, "salary < 20"),
    "less or equal": (col("salary") <= 20, "salary <= 20"),
    "greater": (col("salary") > 20, "salary > 20"),
    "greater or equal": (col("salary") >= 20, "salary >= 20"),
    "null-safe": (col("salary").eq_null_safe(None), "salary <=> NULL"),
    "distinct from": (col("salary").is_distinct_from(20), "salary IS DISTINCT FROM 20"),
    "and": (
        and_(col("salary") > 10, col("dept") == "a", col("name") == "bob"),
        "salary > 10 AND dept = 'a' AND name = 'bob'",
    ),
    "or": (
        or_(col("salary") > 30, col("dept") == "a", col("name").is_null()),
        "salary > 30 OR dept = 'a' OR name IS NULL",
    ),
    "not": (~(col("salary") > 10), "NOT salary > 10"),
    "is null": (col("salary").is_null(), "salary IS NULL"),
    "is not null": (col("salary").is_not_null(), "salary IS NOT NULL"),
    "is true": ((col("salary") > 10).is_true(), "(salary > 10) IS TRUE"),
    "is not true": ((col("salary") > 10).is_not_true(), "(salary > 10) IS NOT TRUE"),
    "is false": ((col("salary") > 10).is_false(), "(salary > 10) IS FALSE"),
    "is not false": ((col("salary") > 10).is_not_false(), "(salary > 10) IS NOT FALSE"),
    "between": (col("salary").between(10, 20), "salary BETWEEN 10 AND 20"),
    "not between": (col("salary").not_between(10, 20), "salary NOT BETWEEN 10 AND 20"),
    "in": (col("dept").in_("a", "c", None), "dept IN ('a', 'c', NULL)"),
    "like": (col("name").like("b%"), "name LIKE 'b%'"),
    "like with escape": (col("name").like("b!%", "!"), "name LIKE 'b!%' ESCAPE '!'"),
    "ilike": (col("name").ilike("B%"), "name ILIKE 'B%'"),
    "rlike": (col("name").rlike("^b.b$"), "name RLIKE '^b.b$'"),
    "bits": (CallExpression(op.BIT_XOR, (col("salary"), 5)), "salary ^ 5"),
    "bit and, or, not": (
        CallExpression(
            op.BIT_OR,
            (
                CallExpression(op.BIT_AND, (col("salary"), 6)),
                CallExpression(op.BIT_NOT, (col("salary"),)),
            ),
        ),
        "(salary & 6) | ~salary",
    ),
    "case": (
        call("case", col("salary") > 20, "high", col("salary") > 10, "middle"),
        "CASE WHEN salary > 20 THEN 'high' WHEN salary > 10 THEN 'middle' END",
    ),
    "case with else": (
        if_then_else(col("salary") > 20, 1, 2),
        "CASE WHEN salary > 20 THEN 1 ELSE 2 END",
    ),
    "if, coalesce, nullif": (
        call("if", F.isnan("score"), 0.0, F.coalesce("score", lit(1.0))),
        "if(isnan(score), 0.0D, coalesce(score, 1.0D))",
    ),
    "cast": (col("salary").cast("STRING"), "CAST(salary AS STRING)"),
    "cast to decimal": (col("salary").cast("DECIMAL(12, 4)"), "CAST(salary AS DECIMAL(12, 4))"),
    "try_cast": (col("name").try_cast("INT"), "try_cast(name AS INT)"),
    "functions": (
        F.concat_ws("-", F.upper("name"), col("dept")),
        "concat_ws('-', upper(name), dept)",
    ),
    "substring": (F.substring("name", 2, 1), "substring(name, 2, 1)"),
    "trim": (call("trim", "x", lit("xxabx")), "trim(BOTH 'x' FROM 'xxabx')"),
    "ltrim": (call("ltrim", "x", lit("xxabx")), "trim(LEADING 'x' FROM 'xxabx')"),
    "rtrim": (call("rtrim", "x", lit("xxabx")), "trim(TRAILING 'x' FROM 'xxabx')"),
    "trim alone": (call("trim", lit("  ab ")), "trim('  ab ')"),
    "overlay": (
        call("overlay", lit("abcdef"), lit("ZZ"), 2, 3),
        "overlay('abcdef' PLACING 'ZZ' FROM 2 FOR 3)",
    ),
    "position": (call("position", lit("n"), col("name")), "position('n' IN name)"),
    "extract": (call("extract", "YEAR", col("born")), "extract(YEAR FROM born)"),
    "date arithmetic": (
        col("born") + interval(months=2, years=1),
        "born + INTERVAL '1-2' YEAR TO MONTH",
    ),
    "date difference": (lit(dt.date(2000, 1, 1)) - col("born"), "DATE '2000-01-01' - born"),
    "timestampadd": (
        call("timestampadd", "HOUR", 5, lit(dt.datetime(2024, 3, 31, tzinfo=dt.UTC))),
        "timestampadd(HOUR, 5, TIMESTAMP '2024-03-31 00:00:00Z')",
    ),
    "timestampdiff": (
        call(
            "timestampdiff",
            "DAY",
            lit(dt.datetime(2024, 3, 31, tzinfo=dt.UTC)),
            lit(dt.datetime(2024, 4, 30, tzinfo=dt.UTC)),
        ),
        "timestampdiff(DAY, TIMESTAMP '2024-03-31 00:00:00Z', TIMESTAMP '2024-04-30 00:00:00Z')",
    ),
    "item of an array": (array(lit("x"), col("name")).get(1), "array('x', name)[1]"),
    "struct": (
        row(col("name"), col("salary").alias("pay")),
        "named_struct('name', name, 'pay', salary)",
    ),
    "field of a struct": (
        row(col("name"), col("salary").alias("pay")).get("pay"),
        "named_struct('name', name, 'pay', salary).pay",
    ),
    "map": (map_(lit("a"), col("salary")), "map('a', salary)"),
    "item of a map": (map_(lit("a"), col("salary")).get("a"), "map('a', salary)['a']"),
    "transform": (F.transform("tags", lambda tag: F.upper(tag)), "transform(tags, t -> upper(t))"),
    "transform with index": (
        F.transform("tags", lambda tag, at: F.concat(tag, at.cast("STRING"))),
        "transform(tags, (t, i) -> concat(t, CAST(i AS STRING)))",
    ),
    "lambda over columns": (
        F.filter("tags", lambda tag: tag > col("dept")),
        "filter(tags, t -> t > dept)",
    ),
    "nested lambdas": (
        F.transform("tags", lambda x: F.transform("tags", lambda y: F.concat(x, y))),
        "transform(tags, x -> transform(tags, y -> concat(x, y)))",
    ),
    "aggregate": (
        F.aggregate(
            F.coalesce("tags", F.array()),
            lit(""),
            lambda total, tag: F.concat(total, F.coalesce(tag, lit("?"))),
        ),
        "aggregate(coalesce(tags, array()), '', (s, t) -> concat(s, coalesce(t, '?')))",
    ),
    "arrays_zip": (F.arrays_zip("tags", "tags"), "arrays_zip(tags, tags)"),
}


@pytest.fixture(scope="module")
def scalars(spark, env):
    """All of them in one query, and all of the SQL in another."""
    people = env.from_path("people")
    items = [expression.alias(name) for name, (expression, _) in SCALARS.items()]
    written = [f"{sql} AS `{name}`" for name, (_, sql) in SCALARS.items()]
    return (
        by_column(people.select(*items).to_dataframe(spark)),
        by_column(spark.sql(f"SELECT {', '.join(written)} FROM world.people")),
    )


@pytest.mark.parametrize("name", SCALARS)
def test_scalar(scalars, name):
    ours, theirs = scalars
    assert ours[name] == theirs[name]


AGGREGATES = {
    "count of rows": (F.count("*"), "count(*)"),
    "count": (F.count("salary"), "count(salary)"),
    "count distinct": (F.count("salary").distinct(), "count(DISTINCT salary)"),
    "avg distinct": (F.avg("salary").distinct(), "avg(DISTINCT salary)"),
    "sum of an expression": (F.sum(col("salary") * 2), "sum(salary * 2)"),
    "filter": (
        F.sum("salary").filter(col("salary") > 10),
        "sum(salary) FILTER (WHERE salary > 10)",
    ),
    "respect nulls": (
        F.sort_array(F.collect_list("salary").respect_nulls()),
        "sort_array(collect_list(salary) RESPECT NULLS)",
    ),
    "respect nulls and filter": (
        F.sort_array(F.collect_set("salary").filter(col("name") != "bob").respect_nulls()),
        "sort_array(collect_set(salary) FILTER (WHERE name <> 'bob') RESPECT NULLS)",
    ),
    "count filter": (
        F.count("*").filter(col("salary") > 10),
        "count(*) FILTER (WHERE salary > 10)",
    ),
    "distinct and filter": (
        F.count("name").distinct().filter(col("salary") > 10),
        "count(DISTINCT name) FILTER (WHERE salary > 10)",
    ),
    "expression over aggregates": (F.sum("salary") / F.count("*"), "sum(salary) / count(*)"),
    "min_by": (F.min_by("name", "born"), "min_by(name, born)"),
    "percentile": (F.percentile("salary", lit(0.5)), "percentile(salary, 0.5D)"),
}


@pytest.fixture(scope="module", params=["dept", "salary % 20", ""])
def aggregates(spark, env, request):
    items = [expression.alias(name) for name, (expression, _) in AGGREGATES.items()]
    written = ", ".join(f"{sql} AS `{name}`" for name, (_, sql) in AGGREGATES.items())
    keys = {"dept": [col("dept")], "salary % 20": [(col("salary") % 20).alias("k")], "": []}
    by = f"GROUP BY {request.param}" if request.param else ""
    return (
        by_column(
            env.from_path("people")
            .group_by(*keys[request.param])
            .select(*items)
            .to_dataframe(spark)
        ),
        by_column(spark.sql(f"SELECT {written} FROM world.people {by}")),
    )


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregate(aggregates, name):
    ours, theirs = aggregates
    assert ours[name] == theirs[name]


BY_PAY = over(partition_by="dept", order_by="salary")
WINDOWS = {
    "rank": (F.rank().over(BY_PAY), "rank() OVER (PARTITION BY dept ORDER BY salary)"),
    "whole partition": (
        F.sum("salary").over(over(partition_by="dept")),
        "sum(salary) OVER (PARTITION BY dept)",
    ),
    "everything": (F.count("*").over(), "count(*) OVER ()"),
    "descending": (
        F.dense_rank().over(over(order_by=col("salary").desc_nulls_first())),
        "dense_rank() OVER (ORDER BY salary DESC NULLS FIRST)",
    ),
    "rows": (
        F.sum("salary").over(BY_PAY.rows_between(-1, 0)),
        "sum(salary) OVER (PARTITION BY dept ORDER BY salary "
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    ),
    "rows unbounded": (
        F.sum("salary").over(BY_PAY.rows_between(None, None)),
        "sum(salary) OVER (PARTITION BY dept ORDER BY salary "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    ),
    "range of numbers": (
        F.count("*").over(over(order_by="salary").range_between(-10, 10)),
        "count(*) OVER (ORDER BY salary RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING)",
    ),
    "range of months": (
        F.count("*").over(over(order_by="born").range_between(interval(years=-10), 0)),
        "count(*) OVER (ORDER BY born RANGE BETWEEN INTERVAL '10' YEAR PRECEDING AND CURRENT ROW)",
    ),
    "range to the end": (
        F.count("*").over(over(order_by="born").range_between(interval(days=400), None)),
        "count(*) OVER (ORDER BY CAST(born AS TIMESTAMP) "
        "RANGE BETWEEN INTERVAL '400' DAY FOLLOWING AND UNBOUNDED FOLLOWING)",
    ),
    "range of decimals": (
        F.count("*").over(
            over(order_by=col("salary").cast("DECIMAL(10, 1)")).range_between(
                lit(Decimal("-10.5")), lit(Decimal("10.5"))
            )
        ),
        "count(*) OVER (ORDER BY CAST(salary AS DECIMAL(10, 1)) "
        "RANGE BETWEEN 10.5BD PRECEDING AND 10.5BD FOLLOWING)",
    ),
    "lag": (
        F.lag("salary", 1, lit(0)).over(BY_PAY),
        "lag(salary, 1, 0) OVER (PARTITION BY dept ORDER BY salary)",
    ),
    "ignore nulls": (
        F.lag("salary").ignore_nulls().over(over(order_by=["dept", "salary"])),
        "lag(salary) IGNORE NULLS OVER (ORDER BY dept, salary)",
    ),
    "respect nulls": (
        F.sort_array(F.collect_list("salary").respect_nulls().over(over(partition_by="dept"))),
        "sort_array(collect_list(salary) RESPECT NULLS OVER (PARTITION BY dept))",
    ),
    "filter": (
        F.sum("salary").filter(col("salary") > 10).over(over(partition_by="dept")),
        "sum(salary) FILTER (WHERE salary > 10) OVER (PARTITION BY dept)",
    ),
    "inside an expression": (
        col("salary") - F.avg("salary").over(over(partition_by="dept")),
        "salary - avg(salary) OVER (PARTITION BY dept)",
    ),
}


@pytest.fixture(scope="module")
def windows(spark, env):
    items = [expression.alias(name) for name, (expression, _) in WINDOWS.items()]
    written = [f"{sql} AS `{name}`" for name, (_, sql) in WINDOWS.items()]
    return (
        by_column(env.from_path("people").select("name", *items).to_dataframe(spark)),
        by_column(spark.sql(f"SELECT name, {', '.join(written)} FROM world.people")),
    )


@pytest.mark.parametrize("name", WINDOWS)
def test_window(windows, name):
    ours, theirs = windows
    assert ours[name] == theirs[name]


def test_a_filter_above_a_window_sees_its_result(spark, env):
    table = env.from_path("people").add_columns(F.rank().over(BY_PAY).alias("r"))
    gives(
        spark,
        table.filter(col("r") == 1).select("name", (col("r") + 1).alias("s")),
        "SELECT name, r + 1 AS s FROM (SELECT *, rank() OVER (PARTITION BY dept ORDER BY salary) "
        "AS r FROM people) WHERE r = 1",
    )


def test_windows_over_groups(spark, env):
    table = (
        env.from_path("people")
        .group_by("dept")
        .select("dept", F.rank().over(over(order_by=F.sum("salary"))).alias("r"))
    )
    gives(
        spark,
        table,
        "SELECT dept, rank() OVER (ORDER BY sum(salary)) AS r FROM people GROUP BY dept",
    )


def test_a_literal_is_no_position_in_keys(spark, env):
    people = env.from_path("people")
    gives(
        spark,
        people.group_by(lit(2).alias("k")).agg(F.count("*").alias("n")),
        "SELECT 2 AS k, count(*) AS n FROM people",
    )
    gives(
        spark,
        people.select("name", "salary").order_by(lit(1), col("salary").desc()),
        "SELECT name, salary FROM people ORDER BY salary DESC",
        ordered=True,
    )


def test_values_in_an_order(spark, env):
    # On its own: beside a DISTINCT aggregate Spark's optimizer fails on listagg.
    names = F.listagg("name", lit(",")).within_group(col("name").desc())
    gives(
        spark,
        env.from_path("people").group_by("dept").agg(names.alias("x")),
        "SELECT dept, listagg(name, ',') WITHIN GROUP (ORDER BY name DESC) AS x "
        "FROM people GROUP BY dept",
    )
