"""``df["a"]`` further up: the column that Spark finds, or an error where it finds none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import viewscribe as vs
from tests.spark.helpers import rows
from tests.versions import RUNNING
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import SessionSources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import Planner

Case = Callable[[Any, Any, Any], Any]

CASES: dict[str, Case] = {
    "of an input joined to what was made of it": lambda p, q, d: p.join(
        r := p.filter(p.salary > 15), p.dept == r.dept
    ).select(r.name),
    "of both sides": lambda p, q, d: p.join(r := p.filter(p.salary > 15), p.dept == r.dept).select(
        p.name
    ),
    "of a DataFrame joined to itself": lambda p, q, d: p.join(p, p.dept == p.dept),
    "a key of groups of the other side": lambda p, q, d: p.join(
        g := p.groupBy("dept").agg(F.max("salary").alias("m")), p.dept == g.dept
    ).select(p.dept),
    "no key of groups of the other side": lambda p, q, d: p.join(
        g := p.groupBy("dept").agg(F.max("salary").alias("m")), p.dept == g.dept
    ).select(p.name, g.m),
    "of a union": lambda p, q, d: p.union(q).select(p.name),
    "of a difference": lambda p, q, d: p.select("dept").subtract(q.select("dept")).select(p.dept),
    "of what withColumn replaced": lambda p, q, d: (
        p.withColumn("salary", p.salary + 1).filter(p.salary > 10).select("name")
    ),
    "of what one step replaced and the next left out": lambda p, q, d: (
        p.withColumn("salary", -p.salary).drop("salary").filter(p.salary > 10).select("name")
    ),
    "of what steps left out one by one": lambda p, q, d: (
        p.drop("salary").drop("dept").filter((p.salary > 10) & (p.dept == "a"))
    ),
    "of what is left out below a distinct": lambda p, q, d: (
        p.select("name", "dept").distinct().drop("dept").filter(p.dept == "a")
    ),
    "of what was renamed": lambda p, q, d: p.select(p.name.alias("n")).filter(p.name == "ann"),
    "of what was renamed below a join": lambda p, q, d: (
        p.withColumnRenamed("dept", "x").join(d, p.dept == d.dept).select("x")
    ),
    "of two reads of one table": lambda p, q, d: (
        p.join(q, p.dept == q.dept).filter(p.salary < q.salary).select(p.name, q.name.alias("o"))
    ),
    "deeper on both sides": lambda p, q, d: p.filter("salary > 1").join(
        p.filter("salary > 2").filter("salary > 3"), p.dept == p.dept
    ),
    "a key of the right side of a join by name": lambda p, q, d: p.join(d, "dept").select(
        p.name, d.dept
    ),
    "the keys of both sides of a full join by name": lambda p, q, d: p.join(
        d, "dept", "full"
    ).select(d.dept.alias("r"), "dept", p.dept.alias("l"), d.city),
    "the lost key of a right join by name": lambda p, q, d: (
        p.join(d, "dept", "right").filter(d.city != "x").select(d.city, p.dept)
    ),
    "a filter by the lost key of a join by name": lambda p, q, d: (
        p.join(d, "dept", "left").filter(d.dept.isNull()).orderBy(d.dept, p.name)
    ),
    "the key of a joined frame made of the other one": lambda p, q, d: p.join(
        g := p.groupBy("dept").agg(F.max("salary").alias("m")), "dept"
    ).select(p.name, g.dept, g.m),
    "all columns and the key of the right side": lambda p, q, d: p.join(d, "dept").select(
        "*", d.dept
    ),
    "all columns of the side that lost its key": lambda p, q, d: (
        p.alias("p").join(d.alias("d"), "dept").select("p.name", "d.*")
    ),
    "all columns of each side of a full join by name": lambda p, q, d: (
        d.select("city", "dept")
        .alias("d")
        .join(p.alias("p"), "dept", "full")
        .filter("name IS NULL OR name > 'a'")
        .select("d.*", "p.*", "*")
    ),
    "a struct of the side that lost its key": lambda p, q, d: (
        p.alias("p").join(d.alias("d"), "dept").select(F.struct("d.*").alias("s"), "p.*")
    ),
    "a count of the side that lost its key": lambda p, q, d: (
        p.alias("p").join(d.alias("d"), "dept").groupBy("name").agg(F.count("d.*").alias("n"))
    ),
    "a drop of what is there twice": lambda p, q, d: p.select("*", "name", "dept").drop(p.name),
    "a drop of what is there under another name too": lambda p, q, d: p.select(
        "name", "dept", p.name.alias("n")
    ).drop(p.name),
    "a drop of one side of a join": lambda p, q, d: (
        p.join(q, p.name == q.name).select("*", p.name).filter("1 = 1").drop(p.name)
    ),
    "a drop of a key that is there twice": lambda p, q, d: (
        (g := p.groupBy("dept").agg(F.max("name").alias("m"))).select("*", g.dept).drop(p.dept)
    ),
    "a key that a step above the join left out": lambda p, q, d: (
        p.join(d, "dept").select("name", "city").select("name", d.dept)
    ),
    "a key under a name given to the join": lambda p, q, d: (
        p.join(d, "dept").alias("j").select("name", d.dept)
    ),
    "the key of the right side by its alias": lambda p, q, d: (
        p.alias("p").join(d.alias("d"), "dept").select("p.name", "d.dept")
    ),
    "of the side of a semi-join": lambda p, q, d: p.join(d, p.dept == d.dept, "left_semi").select(
        d.city
    ),
    "a key of the other side of a semi-join": lambda p, q, d: p.join(
        d, p.dept == d.dept, "left_semi"
    ).select("name", d.dept),
    "groups by the lost key of a full join by name": lambda p, q, d: (
        p.join(d, "dept", "full").groupBy(d.dept).count()
    ),
    "a column made of the lost key of a full join by name": lambda p, q, d: p.join(
        d, "dept", "full"
    ).withColumn("k", d.dept),
    "a column of the lost key's name": lambda p, q, d: p.join(d, "dept", "left").withColumns(
        {"dept": d.dept, "has": d.dept.isNotNull()}
    ),
    "groups by a key and by the lost one": lambda p, q, d: (
        p.join(d, "dept", "full").groupBy("dept", d.dept).agg(F.count("*"), F.max(p.dept))
    ),
    "a drop of the lost key of a join by name": lambda p, q, d: p.join(d, "dept").drop(d.dept),
    "a drop of what withColumn replaced": lambda p, q, d: p.withColumn("salary", p.salary + 1).drop(
        p.salary
    ),
    "a select of what a select replaced": lambda p, q, d: p.select(
        "name", (p.salary + 1).alias("salary")
    ).select(p.salary),
    "an order by what a select replaced": lambda p, q, d: (
        p.select("name", (-p.salary).alias("salary")).orderBy(p.salary).limit(2)
    ),
    "of what two have the name of by now": lambda p, q, d: (
        p.drop("name").join(q.select("name", "dept"), "dept").join(q.select("name", "dept"), "dept")
    ).select(p.name),
}


@pytest.mark.parametrize("case", CASES)
def test_columns_of_dataframes(
    case: str,
    spark: SparkSession,
    world: vs.TableEnvironment,
    planner: Planner,
    recorded: Callable[[Callable[[Any], Any]], Any],
):
    df = recorded(
        lambda session: CASES[case](
            session.table("world.people"),
            session.table("world.people"),
            session.table("world.depts"),
        )
    )
    sources = SessionSources(spark)
    try:
        original = planner.frame(df._plan.plan(df._session.client))
    except AnalysisException:
        original = None
    if original is None:
        with pytest.raises(CaptureError):
            capture(df, sources=sources)
        return
    text = spark.sql(to_sql(capture(df, sources=sources), target=RUNNING))
    assert text.columns == original.columns
    assert Counter(rows(text)) == Counter(rows(original))
