"""Lineage over a catalog: up, down, what breaks; drawings and OpenLineage."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import (
    Column,
    Dependency,
    ObjectNotFoundError,
    Unreadable,
    ViewDocument,
)
from viewscribe.catalog_store.lineage import ColumnId, LineageGraph
from viewscribe.catalog_store.lineage.drawings import mermaid, trace_data, tree
from viewscribe.catalog_store.lineage.openlineage import job_events

PATH = ("spark_catalog", "default")


@pytest.fixture
def env():
    """orders -> paid -> revenue -> top, orders -> other."""
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT, customer INT, status STRING, amount INT, note STRING")
    env.create_table("customers", "id INT, country STRING COMMENT 'where'")
    paid = env.from_path("orders").filter(col("status") == "paid").select("customer", "amount")
    env.create_view("Paid", paid)
    of = env.from_path("customers").select(col("id").alias("customer"), "country")
    revenue = env.from_path("paid").join(of, using="customer").group_by("country")
    env.create_view("revenue", revenue.agg(F.sum(col("amount")).alias("Total")))
    env.create_view("top", env.from_path("revenue").order_by(col("total").desc()).limit(3))
    env.create_view("other", env.from_path("orders").select("id", "note").limit(2).select("id"))
    return env


@pytest.fixture
def graph(env):
    return LineageGraph.load(env.catalogs)


def named(columns):
    return [".".join((each.path[-1], each.column or "*")) for each in columns]


def test_upstream(graph):
    trace = graph.upstream(*graph.find((*PATH, "TOP"), "total"))
    assert set(named(trace.columns())) == {
        *("revenue.Total", "Paid.amount", "Paid.customer", "orders.amount", "orders.customer"),
        *("orders.status", "customers.id", "customers.country"),
    }
    assert trace.unknown == {}


def test_what_is_above_a_view_is_all_that_is_loaded_for_it(env, graph):
    env.execute_sql(
        "CREATE FUNCTION richest(c INT) RETURNS INT "
        "RETURN (SELECT max(amount) FROM orders WHERE customer = c)"
    )
    asked = env.sql_query("SELECT id, richest(id) AS most FROM customers")
    env.create_view("asked", asked)
    whole = LineageGraph.load(env.catalogs)
    for name in ("orders", "paid", "Revenue", "top", "other", "asked"):
        unreadable: list[Unreadable] = []
        above = LineageGraph.load_above(env.catalogs, (*PATH, name), unreadable)
        start = above.find((*PATH, name))
        assert start == whole.find((*PATH, name))
        assert above.upstream(*start) == whole.upstream(*start)
        assert unreadable == []
    assert {
        path[-1] for path in LineageGraph.load_above(env.catalogs, (*PATH, "other"), []).paths()
    } == {
        "other",
        "orders",
    }


def test_upstream_of_a_depth(graph):
    trace = graph.upstream(*graph.find((*PATH, "top"), "country"), depth=1)
    assert named(trace.columns()) == ["revenue.country", "revenue.Total"]


def test_downstream(graph):
    trace = graph.downstream(*graph.find((*PATH, "orders"), "amount"))
    assert named(trace.columns()) == ["Paid.amount", "revenue.Total", "top.Total"]
    assert named({edge.target: None for edge in trace.edges}) == [
        *("Paid.amount", "revenue.Total", "top.Total", "top.*")
    ]


def test_what_decides_rows_goes_through_all_views_below(graph):
    trace = graph.downstream(*graph.find((*PATH, "orders"), "status"))
    assert named({edge.target: None for edge in trace.edges}) == ["Paid.*", "revenue.*", "top.*"]


def test_what_breaks(graph):
    def broken(*columns):
        paths = [graph.find((*PATH, "orders"), each)[0] for each in columns]
        return [each.path[-1] for each in graph.breaks(*paths)]

    assert broken("amount") == ["Paid", "revenue", "top"]
    assert broken("note") == []
    assert broken("id", "note") == ["other"]
    assert set(broken("id", "status")) == {"Paid", "revenue", "top", "other"}


def test_names_are_found_in_any_case_and_the_nearest_are_shown(graph):
    assert graph.find((*PATH, "REVENUE"), "TOTAL") == (ColumnId((*PATH, "revenue"), "Total"),)
    with pytest.raises(ObjectNotFoundError, match="did you mean: Total"):
        graph.find((*PATH, "revenue"), "totl")
    with pytest.raises(ObjectNotFoundError, match=r"did you mean: spark_catalog\.default\.revenue"):
        graph.find((*PATH, "revenu"))


def test_a_view_without_a_plan_is_read_from_its_text(env):
    document = ViewDocument(
        database="default",
        name="by_hand",
        sql="SELECT upper(country) AS c FROM spark_catalog.default.customers WHERE id > 1",
        columns=(Column("c", "STRING"),),
        dependencies=(Dependency("table", (*PATH, "customers")),),
    )
    env.catalogs.save(document)
    graph = LineageGraph.load(env.catalogs)
    assert named(graph.upstream(*graph.find((*PATH, "by_hand"))).columns()) == [
        *("customers.country", "customers.id")
    ]


def test_what_is_unknown_is_said_and_counts_as_broken(env):
    document = ViewDocument(
        database="default",
        name="odd",
        sql="SELECT n FROM spark_catalog.default.customers GROUP BY ALL",
        columns=(Column("n", "BIGINT"),),
        dependencies=(Dependency("table", (*PATH, "customers")),),
    )
    env.catalogs.save(document)
    graph = LineageGraph.load(env.catalogs)
    (start,) = graph.find((*PATH, "customers"), "country")
    (reason,) = graph.downstream(start).unknown[(*PATH, "odd")]
    assert "is unknown: no column `n` in the input" in reason
    assert "odd" in [each.path[-1] for each in graph.breaks(start)]


def test_drawings(graph):
    trace = graph.upstream(*graph.find((*PATH, "revenue"), "total"), depth=1)
    short = tree(trace, upstream=True, spell=lambda each: named([each])[0])
    assert short.splitlines() == [
        "revenue.Total",
        "├─ Paid.amount  aggregation",
        "└─ revenue.*",
        "   ├─ Paid.*  rows",
        "   ├─ customers.*  rows",
        "   ├─ Paid.customer  join",
        "   ├─ customers.id  join",
        "   └─ customers.country  group by",
    ]
    drawn = mermaid(trace).splitlines()
    assert drawn[0] == "flowchart LR"
    assert '  subgraph t0["spark_catalog.default.revenue"]' in drawn
    assert '  c1 -->|"aggregation"| c0' in drawn
    assert trace_data(trace)["edges"][0] == {
        "source": {"table": [*PATH, "Paid"], "column": "amount"},
        "target": {"table": [*PATH, "revenue"], "column": "Total"},
        "influence": [{"type": "DIRECT", "subtype": "AGGREGATION"}],
    }


def test_names_do_not_break_mermaid():
    env = vs.TableEnvironment()
    env.create_table("t", '`a"];#` INT')
    env.create_view("v", env.from_path("t"))
    graph = LineageGraph.load(env.catalogs)
    drawn = mermaid(graph.upstream(*graph.find((*PATH, "v"))))
    assert '["a#34;]#59;#35;"]' in drawn


def test_openlineage(graph):
    (event,) = job_events(graph, [(*PATH, "revenue")], namespace="memory:", at="2026-01-01T00:00Z")
    assert [each["name"].lower() for each in event["inputs"]] == [
        *("spark_catalog.default.paid", "spark_catalog.default.customers")
    ]
    assert event["inputs"][1]["facets"]["schema"]["fields"][1] == {
        "name": "country",
        "type": "STRING",
        "description": "where",
    }
    (output,) = event["outputs"]
    lineage = output["facets"]["columnLineage"]
    (total,) = lineage["fields"]["Total"]["inputFields"]
    assert (total["field"], total["transformations"]) == (
        "amount",
        [{"type": "DIRECT", "subtype": "AGGREGATION"}],
    )
    assert {
        each["field"]: each["transformations"][0]["subtype"] for each in lineage["dataset"]
    } == {
        "customer": "JOIN",
        "id": "JOIN",
        "country": "GROUP_BY",
    }
