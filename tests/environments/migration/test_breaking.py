"""What a plan breaks downstream, column by column, between catalogs of files and of SQLite."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from tests.environments.migration.worlds import environment
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import (
    Column,
    Dependency,
    MemoryCatalog,
    TableDocument,
    ViewDocument,
    open_catalog,
)
from viewscribe.catalog_store.lineage import ColumnId, LineageGraph
from viewscribe.environments.migration import make_plan, read_plan, write_plan
from viewscribe.environments.migration.breaking_changes import SHOWN

ORDERS = "id BIGINT NOT NULL, status STRING, amount INT, day DATE"


@pytest.fixture(params=["file", "sqlite", "file to sqlite"])
def two(request, tmp_path):
    """Two environments that hold ``orders`` and ``open`` over it: the source's, the target's."""
    kinds = request.param.split(" to ")
    made = []
    for name, kind in (("dev", kinds[0]), ("prod", kinds[-1])):
        end = ".db" if kind == "sqlite" else ""
        env = vs.TableEnvironment(open_catalog(f"{kind}:{tmp_path / name}{end}"))
        env.create_database("sales")
        env.use_database("sales")
        env.create_table("orders", ORDERS)
        env.create_view("open", opened(env).select("id", "amount", "day"))
        made.append(env)
    return made


def opened(env):
    return env.from_path("orders").filter(col("status") == "open")


def change(env, table, name="open"):
    env.create_view(name, table, or_replace=True)


def planned(two):
    dev, prod = (env.catalogs.catalog("spark_catalog") for env in two)
    return make_plan(environment(dev, "dev"), environment(prod, "prod"))


def told(two):
    (step,) = planned(two).steps
    return [line for each in step.breaks for line in each.lines()], step.fits


def test_a_removed_column_breaks_those_that_name_it_and_their_readers(two):
    dev, prod = two
    open_ = prod.from_path("open")
    prod.create_view("ids", open_.select("id", "day"))
    prod.create_view("doubled", open_.select("id", (col("amount") * 2).alias("twice")))
    prod.create_view("large", open_.filter(col("amount") > 9).select("id"))
    sums = prod.from_path("doubled").group_by("id").agg(F.sum(col("twice")).alias("total"))
    prod.create_view("sums", sums)
    prod.create_view("many", prod.from_path("large").agg(F.count(col("id")).alias("n")))
    prod.create_view("same_ids", prod.from_path("ids").select("id"))
    change(dev, opened(dev).select("id", "day"))
    lines, fits = told(two)
    assert lines == [
        "breaks sales.doubled: sales.open amount (removed)",
        "  twice <- sales.open.amount",
        "breaks sales.large: sales.open amount (removed)",
        "  (rows) <- sales.open.amount",
        "breaks sales.many, through sales.large",
        "  (rows) <- sales.large (rows) <- sales.open.amount",
        "breaks sales.sums, through sales.doubled",
        "  total <- sales.doubled.twice <- sales.open.amount",
    ]
    assert fits == ("sales.ids",)


def test_a_column_that_no_view_reads_may_go(two):
    dev, prod = two
    prod.create_view("ids", prod.from_path("open").select("id"))
    change(dev, opened(dev).select("id", "amount"))
    assert told(two) == ([], ("sales.ids",))
    assert planned(two).breaking == []


def test_a_column_of_another_table_with_that_name_does_not_count(two):
    dev, prod = two
    prod.create_table("refunds", "id BIGINT, amount INT")
    refunds = prod.from_path("refunds").alias("r")
    both = prod.from_path("open").alias("o").join(refunds, col("o.id") == col("r.id"))
    prod.create_view("refunded", both.select(col("o.id"), col("r.amount")))
    change(dev, opened(dev).select("id", "day"))
    assert told(two) == ([], ("sales.refunded",))


@pytest.mark.parametrize("column", ["amount", "twice"])
def test_a_renamed_column(two, column):
    dev, prod = two
    if column == "twice":
        for env in two:
            doubled = opened(env).select("id", (col("amount") * 2).alias("twice"))
            change(env, doubled)
    prod.create_view("amounts", prod.from_path("open").select(column))
    made = col("amount") if column == "amount" else col("amount") * 2
    change(dev, opened(dev).select("id", made.alias("money")))
    (step,) = planned(two).steps
    assert f"~ {column} renamed to money" in map(str, step.columns)
    assert "added" not in {each.change for each in step.columns}
    assert told(two)[0] == [
        f"breaks sales.amounts: sales.open {column} (renamed to money)",
        f"  {column} <- sales.open.{column}",
    ]


def test_a_column_made_otherwise_is_no_renamed_one(two):
    dev, _ = two
    change(dev, opened(dev).select("id", "day", (col("amount") + 1).alias("money")))
    (step,) = planned(two).steps
    assert [str(each) for each in step.columns] == ["- amount INT", "+ money INT"]


def test_two_columns_made_alike_leave_open_which_was_renamed(two):
    dev, _ = two
    made = opened(dev).select(col("amount").alias("one"), col("amount").alias("other"), "id", "day")
    change(dev, made)
    (step,) = planned(two).steps
    assert "renamed" not in {each.change for each in step.columns}


def test_another_type_goes_as_far_as_the_column_does(two):
    dev, prod = two
    open_ = prod.from_path("open")
    prod.create_view("passed", open_.select("id", "amount"))
    prod.create_view("passed_ids", prod.from_path("passed").select("id"))
    prod.create_view("passed_on", prod.from_path("passed").select(col("amount").alias("money")))
    prod.create_view("used", open_.select("id", (col("amount") + 1).alias("more")))
    prod.create_view("used_ids", prod.from_path("used").select("id"))
    change(dev, opened(dev).select("id", col("amount").cast("STRING").alias("amount"), "day"))
    lines, fits = told(two)
    assert lines == [
        "breaks sales.passed: sales.open amount (type), which still opens",
        "  amount <- sales.open.amount",
        "breaks sales.used: sales.open amount (type)",
        "  more <- sales.open.amount",
        "breaks sales.passed_on, through sales.passed, which still opens",
        "  money <- sales.passed.amount <- sales.open.amount",
        # Whether `amount + 1` is anything for the new type is not known here.
        "breaks sales.used_ids, through sales.used",
    ]
    assert fits == ()


def test_a_column_that_may_be_null_now(two):
    dev, prod = two
    prod.create_view("ids", prod.from_path("open").select("id", "day"))
    prod.create_view("ids_again", prod.from_path("ids").select("id"))
    prod.create_view("days", prod.from_path("ids").select("day"))
    prod.create_view("amounts", prod.from_path("open").select("amount"))
    nothing = F.nullif(col("id"), vs.lit(0)).alias("id")
    change(dev, opened(dev).select(nothing, "amount", "day"))
    lines, fits = told(two)
    assert lines == [
        "breaks sales.ids: sales.open id (nullable), which still opens",
        "  id <- sales.open.id",
        "breaks sales.ids_again, through sales.ids, which still opens",
        "  id <- sales.ids.id <- sales.open.id",
    ]
    assert fits == ("sales.amounts",)


def test_a_view_over_two_changes_is_told_at_both(two):
    dev, prod = two
    for env in two:
        env.create_view("days", env.from_path("orders").select("id", "day"))
    both = prod.from_path("open").alias("o").join(
        prod.from_path("days").alias("d"), col("o.id") == col("d.id")
    )  # fmt: skip
    prod.create_view("both", both.select(col("o.amount"), col("d.day")))
    prod.create_view("top", prod.from_path("both"))
    change(dev, opened(dev).select("id"))
    change(dev, dev.from_path("orders").select("id"), "days")
    breaks = {
        step.name: [line for each in step.breaks for line in each.lines()]
        for step in planned(two).steps
    }
    assert breaks == {
        "days": [
            "breaks sales.both: sales.days day (removed)",
            "  day <- sales.days.day",
        ],
        "open": [
            "breaks sales.both: sales.open amount (removed)",
            "  amount <- sales.open.amount",
            "breaks sales.top, through sales.both",
            "  amount <- sales.both.amount <- sales.open.amount",
            "  day <- sales.both.day <- sales.days.day",
        ],
    }


def test_texts_and_functions_that_read_a_view(two):
    dev, prod = two
    prod.catalogs.save(
        ViewDocument(
            database="sales",
            name="by_hand",
            sql="SELECT amount FROM spark_catalog.sales.open WHERE day > DATE '2020-01-01'",
            columns=(Column("amount", "INT"),),
            dependencies=(Dependency("view", ("spark_catalog", "sales", "open")),),
        )
    )
    prod.execute_sql(
        "CREATE FUNCTION amounts() RETURNS TABLE (amount INT) "
        "RETURN SELECT amount FROM spark_catalog.sales.open"
    )
    change(dev, opened(dev).select("id", "amount"))
    assert told(two) == (
        ["breaks sales.by_hand: sales.open day (removed)", "  (rows) <- sales.open.day"],
        ("sales.amounts",),
    )
    change(dev, opened(dev).select("id", "day"))
    assert told(two)[0] == [
        "breaks sales.amounts: sales.open amount (removed)",
        "breaks sales.by_hand: sales.open amount (removed)",
        "  amount <- sales.open.amount",
    ]


@pytest.mark.parametrize("name", ["plan.json", "plan.yaml"])
def test_a_plan_file_has_columns_paths_and_what_fits(two, tmp_path, name):
    dev, prod = two
    prod.create_view("passed", prod.from_path("open").select("amount"))
    prod.create_view("ids", prod.from_path("open").select("id"))
    change(dev, opened(dev).select("id", "day"))
    plan = planned(two)
    write_plan(plan, tmp_path / name)
    (step,) = read_plan(tmp_path / name).steps
    assert (step.breaks, step.fits) == (plan.steps[0].breaks, plan.steps[0].fits)
    assert msgspec.to_builtins(step.breaks[0]) == {
        "view": "sales.passed",
        "through": "sales.open",
        "changes": ({"name": "amount", "change": "removed", "before": "INT"},),
        "columns": ({"name": "amount", "path": ("sales.open.amount", "sales.passed.amount")},),
    }


def test_the_middle_of_a_long_path_is_left_out():
    dev, prod = vs.TableEnvironment(MemoryCatalog()), vs.TableEnvironment(MemoryCatalog())
    for env in (dev, prod):
        env.create_table("t", "a INT, b INT")
        env.create_view("v0", env.from_path("t"))
    for number in range(1, 3 * SHOWN):
        prod.create_view(f"v{number}", prod.from_path(f"v{number - 1}").select("a"))
    dev.create_view("v0", dev.from_path("t").select("b"), or_replace=True)
    (step,) = planned((dev, prod)).steps
    last = step.breaks[-1]
    assert last.view == f"default.v{3 * SHOWN - 1}"
    (column,) = last.columns
    assert len(column.path) == SHOWN
    assert column.path[:2] == ("default.v0.a", "…")
    assert column.path[-1] == f"default.v{3 * SHOWN - 1}.a"


# -- the same as lineage says ----------------------------------------------------------------------

COLUMNS = ("a", "b", "c")

views = st.lists(
    st.tuples(
        st.integers(0, 99),
        st.sets(st.sampled_from(COLUMNS), min_size=1),
        st.sampled_from((None, *COLUMNS)),
    ),
    max_size=8,
)


@given(views, st.sets(st.sampled_from(COLUMNS), min_size=1, max_size=2))
def test_what_removed_columns_break_is_what_lineage_says(readers, gone):
    dev, prod = vs.TableEnvironment(MemoryCatalog()), vs.TableEnvironment(MemoryCatalog())
    for env in (dev, prod):
        env.create_table("t", "a INT, b INT, c INT")
        env.create_view("v", env.from_path("t"))
    made = ["v"]
    for read, kept, condition in readers:
        table = prod.from_path(made[read % len(made)])
        there = table.schema.names
        if condition in there:
            table = table.filter(col(condition) > 0)
        chosen = [each for each in there if each in kept] or there
        made.append(f"r{len(made)}")
        prod.create_view(made[-1], table.select(*chosen))
    left = [each for each in COLUMNS if each not in gone]
    dev.create_view("v", dev.from_path("t").select(*left), or_replace=True)
    (step,) = planned((dev, prod)).steps
    graph = LineageGraph.load(prod.catalogs)
    path = ("spark_catalog", "default", "v")
    expected = {each.path[-1] for each in graph.breaks(*(ColumnId(path, c) for c in gone))}
    assert {each.view.removeprefix("default.") for each in step.breaks} == expected
    direct = {each.path[-1] for each in map(graph.view, graph.readers(path)) if each is not None}
    assert {each.removeprefix("default.") for each in step.fits} == direct - expected


def test_a_table_in_the_way_is_none_of_this():
    dev, prod = vs.TableEnvironment(MemoryCatalog()), vs.TableEnvironment(MemoryCatalog())
    dev.create_table("t", "a INT")
    dev.create_view("v", dev.from_path("t"))
    prod.catalogs.save(TableDocument(database="default", name="v", columns=(Column("a", "INT"),)))
    prod.create_table("t", "a INT")
    plan = planned((dev, prod))
    assert [each.code for each in plan.problems] == ["other-kind"]
    assert plan.breaking == []
