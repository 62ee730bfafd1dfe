"""The lineage of trees: every operation, direct and indirect influence."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe import col, lit
from viewscribe import functions as F
from viewscribe.catalog_store.lineage import DIRECT, ColumnId, query_lineage
from viewscribe.catalog_store.lineage.operations import _HANDLERS
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation


@pytest.fixture
def env():
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b INT, c STRING, d DATE, l ARRAY<STRING>, at TIMESTAMP")
    env.create_table("u", "a INT, x INT, y STRING")
    return env


def short(origins):
    """``{"t.a": "identity"}``; rows are ``t.*``."""
    found = {}
    for column, influence in origins.items():
        names = [each.name.lower() for each in type(influence) if each & influence]
        found[f"{column.path[-1]}.{column.column or '*'}"] = " ".join(names)
    return found


def columns(table):
    found = query_lineage(table.operation)
    return dict(zip(table.schema.names, map(short, found.columns), strict=True))


def rows(table):
    found = short(query_lineage(table.operation).rows)
    return {name: how for name, how in found.items() if not name.endswith(".*")}


def test_every_operation_has_a_handler():
    kinds = {each for each in vars(o).values() if isinstance(each, type)}
    assert {each for each in kinds if issubclass(each, QueryOperation)} == set(_HANDLERS)


def test_values_that_go_through_and_values_that_are_made(env):
    table = env.from_path("t").select("a", (col("a") + col("b")).alias("s"), lit(1).alias("one"))
    assert columns(table) == {
        "a": {"t.a": "identity"},
        "s": {"t.a": "transformation", "t.b": "transformation"},
        "one": {},
    }
    assert short(query_lineage(table.operation).rows) == {"t.*": "rows"}


def test_the_strongest_direct_influence_counts_along_a_path(env):
    table = env.from_path("t").select((col("a") + 1).alias("k"), "c")
    grouped = table.group_by("c").agg(F.sum(col("k")).alias("s")).select((col("s") * 2).alias("z"))
    assert columns(grouped) == {"z": {"t.a": "aggregation"}}
    assert rows(grouped) == {"t.c": "group_by"}


def test_conditions_are_conditional(env):
    value = F.when(col("a") > 1, col("b")).otherwise(col("x"))
    table = env.from_path("t").join(env.from_path("u").select("x"), how="cross")
    table = table.select(
        value.alias("v"), vs.call("if", col("b") > 0, lit("y"), col("c")).alias("w")
    )
    assert columns(table) == {
        "v": {"t.a": "conditional", "t.b": "transformation", "u.x": "transformation"},
        "w": {"t.b": "conditional", "t.c": "transformation"},
    }


def test_clauses_of_aggregates(env):
    table = env.from_path("t").agg(
        F.sum(col("a")).filter(col("b") > 1).alias("s"), F.count("*").alias("n")
    )
    assert columns(table) == {"s": {"t.a": "aggregation", "t.b": "conditional"}, "n": {}}


def test_windows(env):
    spec = vs.over(partition_by="c", order_by=[col("d")])
    table = env.from_path("t").select(
        F.sum(col("a")).over(spec).alias("s"), F.lag(col("b"), 1).over(spec).alias("p")
    )
    window = {"t.c": "window", "t.d": "window"}
    assert columns(table) == {
        "s": {"t.a": "aggregation", **window},
        "p": {"t.b": "transformation", **window},
    }


def test_what_decides_which_rows_there_are(env):
    table = env.from_path("t").filter(col("a") > 1).order_by(col("b").desc()).limit(2)
    assert rows(table) == {"t.a": "filter", "t.b": "sort"}
    assert rows(env.from_path("u").distinct()) == dict.fromkeys(("u.a", "u.x", "u.y"), "group_by")


@pytest.mark.parametrize(
    ("how", "key"),
    [
        ("inner", {"t.a": "identity"}),
        ("right", {"u.a": "identity"}),
        ("full", {"t.a": "identity", "u.a": "identity"}),
    ],
)
def test_joins_with_using(env, how, key):
    table = env.from_path("t").select("a", "b").join(env.from_path("u"), using="a", how=how)
    assert columns(table) == {
        "a": key,
        "b": {"t.b": "identity"},
        "x": {"u.x": "identity"},
        "y": {"u.y": "identity"},
    }
    assert rows(table) == {"t.a": "join", "u.a": "join"}


def test_a_semi_join_gives_no_values(env):
    t, u = env.from_path("t").select("b"), env.from_path("u")
    table = t.join(u, on=col("b") == col("x"), how="semi")
    assert columns(table) == {"b": {"t.b": "identity"}}
    assert rows(table) == {"t.b": "join", "u.x": "join"}


def test_set_operations_are_by_position(env):
    left, right = env.from_path("t").select("a", "b"), env.from_path("u").select("x", "a")
    united = left.union_all(right)
    assert columns(united) == {
        "a": {"t.a": "identity", "u.x": "identity"},
        "b": {"t.b": "identity", "u.a": "identity"},
    }
    assert rows(united) == {}
    assert rows(left.union(right)) == dict.fromkeys(("t.a", "u.x", "t.b", "u.a"), "group_by")
    assert columns(left.minus(right)) == {"a": {"t.a": "identity"}, "b": {"t.b": "identity"}}
    assert rows(left.minus(right)) == dict.fromkeys(("t.a", "u.x", "t.b", "u.a"), "join")


def test_generators_decide_how_often_a_row_is_there(env):
    table = env.from_path("t").explode(col("l"), "item").select("a", "item")
    assert columns(table) == {"a": {"t.a": "identity"}, "item": {"t.l": "transformation"}}
    assert rows(table) == {"t.l": "join"}


def test_sub_queries(env):
    t, u = env.from_path("t"), env.from_path("u").alias("u2")
    largest = u.agg(F.max(col("x")).alias("m"))
    table = t.filter(col("a").in_(u.filter(col("y") == "k").select("x")))
    table = table.select(largest.scalar().alias("m"), "b")
    assert columns(table)["m"] == {"u.x": "aggregation", "u.*": "conditional"}
    assert rows(table) == {"t.a": "filter", "u.x": "filter", "u.y": "filter"}


def test_pivot_and_unpivot(env):
    t = env.from_path("t")
    pivoted = t.group_by("a").pivot("c", ["x", "y"]).agg(F.sum(col("b")).alias("s"))
    made = {"t.b": "aggregation", "t.c": "conditional"}
    assert columns(pivoted) == {"a": {"t.a": "identity"}, "x": made, "y": made}
    assert rows(pivoted) == {"t.a": "group_by"}
    turned = t.select("c", "a", "b").unpivot(["a", "b"], include_nulls=False)
    values = {"t.a": "identity", "t.b": "identity"}
    assert columns(turned) == {"c": {"t.c": "identity"}, "name": {}, "value": values}
    assert rows(turned) == {"t.a": "filter", "t.b": "filter"}


def test_lateral_joins_see_the_row_beside_them(env):
    def beside(outer):
        mine = env.from_path("u").filter(col("x") == outer("b"))
        return mine.select("y", (col("x") + outer("b")).alias("z"))

    table = env.from_path("t").select("b", "c").join_lateral(beside)
    assert columns(table)["y"] == {"u.y": "identity"}
    assert columns(table)["z"] == {"u.x": "transformation", "t.b": "transformation"}
    assert rows(table) == {"u.x": "filter", "t.b": "filter"}


def test_columns_that_are_named_without_any_influence_are_told(env):
    table = env.from_path("t").select("a", "b").limit(2).select("a")
    path = ("spark_catalog", "default", "t")
    assert query_lineage(table.operation).carried == {ColumnId(path, "b")}


def test_a_long_pipeline(env):
    table = env.from_path("t")
    for number in range(3_000):
        table = table.add_or_replace_columns((col("a") + number).alias("a"))
    assert columns(table)["a"] == {"t.a": "transformation"}


def test_direct_is_what_openlineage_calls_direct():
    assert [each.name for each in DIRECT] == ["IDENTITY", "TRANSFORMATION", "AGGREGATION"]
