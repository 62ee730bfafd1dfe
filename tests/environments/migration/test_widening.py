"""A wider column of a table in the target: the view becomes what it would be if made there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from examples.tpch.data import SCHEMAS
from examples.tpch.queries import QUERIES
from tests.environments.migration.worlds import environment
from viewscribe import col, lit
from viewscribe.catalog_store import MemoryCatalog
from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.environments.migration import make_plan
from viewscribe.environments.migration.states import make_desired
from viewscribe.environments.migration.widening import is_wider
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types.ddl import parse_type

NARROW = "id INT, qty SMALLINT, price DECIMAL(10, 2), name STRING"
WIDE = "id BIGINT, qty INT, price DECIMAL(14, 4), name STRING"

Pipeline = Callable[[Any, Any], Any]
PIPELINES: dict[str, Pipeline] = {
    "columns": lambda t, _: t.select("id", "price", "name"),
    "a filter": lambda t, _: t.filter((col("id") > 5) & (col("qty") == lit(2))).select("id", "qty"),
    "arithmetic": lambda t, _: t.select(
        (col("id") + 1).alias("a"), (col("price") * col("qty")).alias("b"), col("qty") / col("id")
    ),
    "casts": lambda t, _: t.select(col("id").cast("STRING").alias("s"), col("id").cast("INT")),
    "aggregates": lambda t, _: t.group_by("name").select(
        col("name"), col("price").sum().alias("total"), col("id").max().alias("last")
    ),
    "a join": lambda t, o: t.join(o, on=col("id") == col("oid")).select("id", "oprice", "qty"),
    "a union": lambda t, o: t.select("id").union_all(o.select("oid")),
    "sorted": lambda t, _: t.order_by(col("id").desc()).limit(3).select("id", "qty"),
    "distinct": lambda t, _: t.select("qty").distinct(),
    "columns added": lambda t, _: t.with_columns({"qty": col("qty") + col("id")}),
    "functions": lambda t, _: t.select(
        vs.call("round", col("price"), 1).alias("r"),
        vs.call("coalesce", col("qty"), lit(0)).alias("c"),
        vs.call("greatest", col("id"), col("qty")).alias("g"),
        vs.call("if", col("id") > 1, col("price"), lit(None)).alias("i"),
        vs.call("abs", -col("id")).alias("n"),
        col("id").in_(1, 2).alias("among"),
    ),
    "decimals together": lambda t, o: t.select("price").union_all(o.select("oprice")),
    "comparing": lambda t, _: t.filter(col("price") > col("qty")).filter(col("price") * 2 < 9),
    "averages": lambda t, _: t.group_by("qty").select(
        col("qty"), col("price").avg().alias("a"), col("id").sum().alias("s"), col("id").count()
    ),
}

READ_AGAIN: dict[str, str] = {
    "a sub-query": "SELECT id FROM orders WHERE id IN (SELECT oid FROM others)",
    "a scalar": "SELECT name, (SELECT max(oid) FROM others WHERE oid = id) AS m FROM orders",
    "a lambda": "SELECT transform(array(id), x -> x + qty) AS a FROM orders",
    "a pivot": "SELECT * FROM (SELECT name, id, qty FROM orders) "
    "PIVOT (max(id) FOR qty IN (1 AS one, 2 AS two))",
    "a recursion": "WITH RECURSIVE r(n) AS (SELECT max(id) FROM orders UNION ALL "
    "SELECT n - 1 FROM r WHERE n > 0) SELECT n FROM r",
    "a window": "SELECT id, sum(id) OVER (PARTITION BY name ORDER BY qty) AS s, "
    "CASE WHEN id > 1 THEN qty ELSE id END AS c, concat(name, id) AS t FROM orders",
    "a branch of constants": "SELECT id FROM orders UNION ALL SELECT 7",
    "an element": "SELECT element_at(array(1, 2), CAST(id AS INT)) AS e FROM orders",
    "exploded": "SELECT e FROM orders LATERAL VIEW explode(array(id, 1)) v AS e",
    "grouping sets": "SELECT name, id, sum(price) AS p FROM orders GROUP BY ROLLUP (name, id)",
}


def reading(text: str) -> Pipeline:
    return lambda table, _: table.env.sql_query(text)


PIPELINES |= {name: reading(text) for name, text in READ_AGAIN.items()}


def world(orders: str, make: Pipeline | None) -> MemoryCatalog:
    catalog = MemoryCatalog()
    env = vs.TableEnvironment(catalog)
    env.create_database("sales")
    env.use_database("sales")
    env.create_table("orders", orders)
    env.create_table("others", "oid INT, oprice DECIMAL(8, 2)")
    if make is not None:
        env.create_view("v", make(env.from_path("orders"), env.from_path("others")))
        env.create_view("above", env.from_path("v").filter(lit(True)))
    return catalog


@pytest.mark.parametrize("name", PIPELINES)
def test_it_is_what_it_would_be_if_it_were_made_there(name: str) -> None:
    source, made_there = world(NARROW, PIPELINES[name]), world(WIDE, PIPELINES[name])
    plan = make_plan(environment(source, "dev"), environment(world(WIDE, None), "prod"))
    assert plan.problems == ()
    for step in plan.steps:
        document: Any = make_desired(step)
        wanted: Any = made_there.get("view", "sales", document.name).document
        assert document.sql == wanted.sql
        assert document.columns == wanted.columns
        if step.name == "v" and name in READ_AGAIN:
            made, wished = from_plan(document.plan), from_plan(wanted.plan)
            assert mean_the_same(made, wished, document.settings)
        else:
            assert document.plan == wanted.plan


def tpch(name: str | None, narrow: bool) -> MemoryCatalog:
    """The tables of TPC-H with small numbers or large ones, and one of its queries as a view."""
    catalog = MemoryCatalog()
    env = vs.TableEnvironment(catalog)
    for table, schema in SCHEMAS.items():
        small = schema.replace("BIGINT", "INT").replace("(15,2)", "(12,2)")
        env.create_table(table, small if narrow else schema)
    if name is not None:
        env.create_view("v", QUERIES[name](env))
    return catalog


@pytest.mark.parametrize("name", QUERIES)
def test_all_of_tpch_is_what_it_would_be(name: str) -> None:
    source, made_there = tpch(name, narrow=True), tpch(name, narrow=False)
    plan = make_plan(environment(source, "dev"), environment(tpch(None, narrow=False), "prod"))
    assert plan.problems == ()
    (step,) = plan.steps
    document: Any = make_desired(step)
    wanted: Any = made_there.get("view", "default", "v").document
    assert (document.sql, document.columns) == (wanted.sql, wanted.columns)
    made, wished = from_plan(document.plan), from_plan(wanted.plan)
    assert mean_the_same(made, wished, document.settings)


@pytest.mark.parametrize(
    ("one", "other", "wider"),
    [
        ("ARRAY<INT>", "ARRAY<BIGINT>", True),
        ("ARRAY<ARRAY<INT>>", "ARRAY<ARRAY<BIGINT>>", True),
        ("MAP<INT, STRING>", "MAP<BIGINT, STRING>", True),
        ("STRUCT<a: INT, b: STRING>", "STRUCT<a: BIGINT, b: STRING>", True),
        ("STRUCT<a: INT, b: BIGINT>", "STRUCT<a: BIGINT, b: INT>", False),
        ("STRUCT<a: INT>", "STRUCT<b: BIGINT>", False),
        ("STRUCT<a: INT>", "STRUCT<a: BIGINT, b: INT>", False),
        ("STRUCT<a: INT>", "STRUCT<a: BIGINT NOT NULL>", False),
        ("ARRAY<INT>", "ARRAY<STRING>", False),
        ("ARRAY<INT>", "ARRAY<INT>", False),
        ("FLOAT", "DOUBLE", False),
    ],
)
def test_types_inside_others(one: str, other: str, wider: bool) -> None:
    assert is_wider(parse_type(one), parse_type(other)) is wider


@pytest.mark.parametrize("narrower", ["id SMALLINT", "id STRING", "id DOUBLE"])
def test_another_type_still_stands_against_the_plan(narrower: str) -> None:
    source = world(NARROW, PIPELINES["columns"])
    target = world(WIDE.replace("id BIGINT", narrower), None)
    plan = make_plan(environment(source, "dev"), environment(target, "prod"))
    assert "column-type" in {each.code for each in plan.problems}


TEXTS = (
    "SELECT id, price FROM orders",
    "SELECT o.id + 1 AS a, qty * 2 AS b FROM orders AS o WHERE id > 3",
    "SELECT name, sum(price) AS total, max(id) AS last FROM sales.orders GROUP BY name",
    "SELECT id FROM orders UNION SELECT oid FROM others",
    "SELECT twice(id) AS t, qty FROM orders",
)


def by_hand(orders: str, text: str | None) -> MemoryCatalog:
    """A catalog with a view that is a text alone, as Spark or a person writes it."""
    catalog = world(orders, None)
    env = vs.TableEnvironment(catalog)
    env.use_database("sales")
    env.execute_sql("CREATE FUNCTION twice(x BIGINT) RETURNS BIGINT RETURN x * 2")
    if text is not None:
        env.execute_sql(f"CREATE VIEW v AS {text}")
        made = catalog.get("view", "sales", "v")
        bare = msgspec.structs.replace(made.document, plan=None, sql=text)
        catalog.replace(bare, expected=made.token)
    return catalog


@pytest.mark.parametrize("text", TEXTS)
def test_a_view_without_a_plan_has_the_types_of_its_text(text: str) -> None:
    source, made_there = by_hand(NARROW, text), by_hand(WIDE, text)
    plan = make_plan(environment(source, "dev"), environment(by_hand(WIDE, None), "prod"))
    assert plan.problems == ()
    (step,) = plan.steps
    document: Any = make_desired(step)
    wanted: Any = made_there.get("view", "sales", "v").document
    assert [(each.name, each.type) for each in document.columns] == [
        (each.name, each.type) for each in wanted.columns
    ]
    assert (document.sql, document.plan) == (text, None)


def test_a_view_without_a_plan_keeps_its_types_where_they_are_not_wider() -> None:
    source = by_hand(NARROW, TEXTS[0])
    there = by_hand(WIDE.replace("id BIGINT", "id STRING"), None)
    plan = make_plan(environment(source, "dev"), environment(there, "prod"))
    (step,) = plan.steps
    document: Any = make_desired(step)
    assert [each.type for each in document.columns] == ["INT", "DECIMAL(10, 2)"]
    assert {each.code for each in plan.problems} == {"column-type"}
