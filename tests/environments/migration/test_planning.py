"""Planning: what a plan says, and what it finds before anything is written."""

from __future__ import annotations

import gc
import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.catalog_store.samples import table, view
from tests.environments.migration.worlds import (
    ORDERS,
    Failing,
    KilledError,
    environment,
    full,
    shop,
    state,
    tables_alone,
    two,
)
from tests.opaque import opaque
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import (
    Column,
    DatabaseDocument,
    Dependency,
    MemoryCatalog,
    StorageError,
)
from viewscribe.catalog_store.text_reader import with_comments
from viewscribe.environments import Environment, NameMapping
from viewscribe.environments.migration import (
    ApplyFailedError,
    PlanBlockedError,
    PlanFileError,
    SelectionError,
    apply_plan,
    make_plan,
    read_plan,
    rollback_plan,
    target_of,
    write_plan,
)


def planned(source, target, **options):
    return make_plan(environment(source, "dev"), environment(target, "prod"), **options)


def problems(plan):
    return [(each.code, each.object) for each in plan.problems]


def replace_columns(catalog, name, *columns, kind="table"):
    stored = catalog.get(kind, "sales", name)
    new = msgspec.structs.replace(stored.document, columns=tuple(columns))
    return catalog.replace(new, expected=stored.token)


def test_steps_are_in_the_order_in_which_things_are_read():
    source, target = two()
    plan = planned(source, target)
    assert [str(step) for step in plan.steps] == [
        "create function sales.net",
        "create view sales.open",
        "create view sales.totals",
        "create view sales.names",
    ]
    assert plan.steps[2].reads == ("spark_catalog.sales.open", "spark_catalog.sales.net")
    assert plan.problems == ()
    assert plan.counts()["create"] == 4


def test_names_are_translated_in_trees_texts_and_functions():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    env = shop(source, "dev_sales")
    text = "SELECT open.id, 'dev_sales.open' AS open FROM dev_sales.open"
    env.create_view("texts", opaque(env, text, schema="id BIGINT, open STRING"))
    plain = view("plain", "dev_sales", sql="SELECT id FROM open", columns=(Column("id", "BIGINT"),))
    source.create(plain)
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"))
    assert plan.problems == ()
    apply_plan(plan, target)
    assert "dev_" not in json.dumps(target.get("view", "sales", "totals").document.plan)
    assert target.get("view", "sales", "totals").document.sql == (
        "SELECT\n  id,\n  spark_catalog.sales.net(CAST(amount AS DOUBLE)) AS net\n"
        "FROM spark_catalog.sales.open"
    )
    assert target.get("view", "sales", "texts").document.sql == (
        "SELECT open.id, 'dev_sales.open' AS open FROM spark_catalog.sales.open"
    )
    moved = target.get("view", "sales", "plain").document
    assert moved.sql == "SELECT id FROM spark_catalog.sales.open"
    assert moved.dependencies == (Dependency("view", ("spark_catalog", "sales", "open")),)
    # What is in the target is a view like any other: its plan is its text.
    restored = vs.TableEnvironment(target).from_path("sales.totals")
    assert restored.select("id").to_sql().endswith("FROM spark_catalog.sales.totals")
    again = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"))
    assert (again.steps, again.unchanged) == ((), 6)


def commented(document, **changed):
    """A view as ``annotate`` writes it: the Python line of each step behind its clause."""
    lines = [
        f"{line} -- app.py:{number}" if line.startswith(("FROM", "WHERE")) else line
        for number, line in enumerate(document.sql.split("\n"))
    ]
    return msgspec.structs.replace(document, sql="\n".join(lines), **changed)


def test_comments_stay_in_texts_with_other_names():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    stored = source.get("view", "dev_sales", "open")
    source.replace(commented(stored.document), expected=stored.token)
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"))
    assert plan.problems == ()
    apply_plan(plan, target)
    assert target.get("view", "sales", "open").document.sql == (
        "SELECT\n  id,\n  amount\nFROM spark_catalog.sales.orders -- app.py:3\n"
        "WHERE status = 'open' -- app.py:4"
    )
    again = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"))
    assert again.steps == ()


def test_comments_that_cannot_stay_are_told():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    stored = source.get("view", "dev_sales", "open")
    text = "SELECT id, amount\nFROM dev_sales.orders -- those\nWHERE status = 'open'"
    by_hand = msgspec.structs.replace(stored.document, sql=text)
    source.replace(by_hand, expected=stored.token)
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"))
    assert [(each.code, each.object, each.blocking) for each in plan.problems] == [
        ("comments", "sales.open", False)
    ]


@pytest.mark.parametrize(
    ("commented", "plain", "renamed", "wanted"),
    [
        ("a -- x\nb", "a\nb", "c\nd", "c -- x\nd"),
        ("a", "a", "c", "c"),
        ("a -- x\nb", "a\nb", "c", None),
        ("a -- x", "b", "c", None),
        ("a b", "a", "c", None),
        (" -- x", "", "c", None),
    ],
)
def test_comments_are_carried_over_line_by_line(commented, plain, renamed, wanted):
    assert with_comments(commented, plain, renamed) == wanted


def test_texts_for_other_engines_get_the_names_of_the_target():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    env = shop(source, "dev_sales")
    orders = env.from_path("orders").group_by("status").agg(F.max(col("id")).alias("last"))
    env.create_view("last", orders, dialects=["trino", "duckdb"])
    select = ["dev_sales.last"]
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"), select=select)
    apply_plan(plan, target)
    there = target.get("view", "sales", "last").document
    of_target = vs.TableEnvironment(target).from_path("sales.orders").group_by("status")
    wanted = of_target.agg(F.max(col("id")).alias("last"))
    assert there.representations == {
        each: wanted.to_sql(dialect=each) for each in ("trino", "duckdb")
    }
    assert "FROM sales.orders" in there.representations["trino"]


@pytest.mark.parametrize(
    ("database", "text", "there"),
    [
        ("dev_sales", "SELECT id AS i FROM orders -- all", "SELECT id AS i FROM {} -- all"),
        ("other", "SELECT id FROM dev_sales.orders", "SELECT id FROM {}"),
    ],
)
def test_the_text_of_the_author_has_the_names_of_the_target(database, text, there):
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    env = vs.TableEnvironment(source)
    env.create_database("other")
    env.use_database(database)
    env.create_view("dev_sales.ids", env.sql_query(text))
    select = ["dev_sales.ids"]
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod"), select=select)
    apply_plan(plan, target)
    found = target.get("view", "sales", "ids").document.source
    assert found is not None
    assert found.text == there.format("spark_catalog.sales.orders")


def test_texts_for_other_engines_of_a_view_without_a_plan_are_of_its_text():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    text = "SELECT id, amount * 2 FROM orders"
    read = (Dependency("table", ("spark_catalog", "dev_sales", "orders")),)
    columns = (Column("id", "BIGINT"), Column("twice", "DECIMAL(21,2)"))
    others = {"trino": "SELECT 1", "duckdb": "SELECT 2"}
    source.create(
        view(
            *("far", "dev_sales"),
            sql=text,
            dependencies=read,
            columns=columns,
            representations=others,
        )
    )
    environments = environment(source, "dev", "dev_"), environment(target, "prod")
    plan = make_plan(*environments, select=["dev_sales.far"])
    assert problems(plan) == []
    apply_plan(plan, target)
    there = target.get("view", "sales", "far").document
    orders = vs.TableEnvironment(target).from_path("sales.orders")
    wanted = orders.select("id", (col("amount") * 2).alias("twice"))
    assert there.plan is None
    assert there.representations == {each: wanted.to_sql(dialect=each) for each in others}


def test_texts_for_other_engines_that_cannot_be_translated_are_told():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    read = (Dependency("table", ("spark_catalog", "dev_sales", "orders")),)
    text = "SELECT id FROM dev_sales.orders"
    source.create(
        view("far", "dev_sales", sql=text, dependencies=read, representations={"presto": text})
    )
    plan = make_plan(
        environment(source, "dev", "dev_"), environment(target, "prod"), select=["dev_sales.far"]
    )
    assert problems(plan) == [("untranslatable", "dev_sales.far")]
    assert "has texts for other engines (presto)" in plan.problems[0].message
    # Under the same names nothing has to be written anew.
    same = tables_alone(MemoryCatalog(), "dev_sales")
    (step,) = planned(source, same, select=["dev_sales.far"]).steps
    assert step.document["representations"] == {"presto": text}


def test_a_view_for_an_older_spark_stays_one():
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    env = shop(source, "dev_sales")
    place = F.row_number().over(vs.over(partition_by="status", order_by="id"))
    first = env.from_path("orders").add_columns(place.alias("place")).filter(col("place") == 1)
    env.create_view("first", first, target="4.0")
    assert "QUALIFY" in first.to_sql()
    plan = make_plan(
        environment(source, "dev", "dev_"), environment(target, "prod"), select=["dev_sales.first"]
    )
    (step,) = plan.steps
    assert step.document is not None
    assert step.document["spark_version"] == "4.0"
    text = source.get("view", "dev_sales", "first").document.sql
    assert step.document["sql"] == text.replace("dev_sales", "sales")


def test_a_selection_brings_only_what_it_names():
    source, target = two()
    plan = planned(source, target, select=["sales.open", "*.net"])
    assert [step.target for step in plan.steps] == ["sales.net", "sales.open"]
    plan = planned(source, target, select=["sales.names"])
    assert problems(plan) == [("missing-view", "sales.names")]
    assert plan.problems[0].hint == "select sales.totals too, and mend what stops it"


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("sales.nmaes", "did you mean: sales.names, sales.net, sales.totals"),
        ("sale.*", "did you mean: sales"),
        ("finance", "patterns are of the names in dev, whose databases are: sales"),
        ("sales.ord*", "only tables do, which are data and do not travel"),
    ],
)
def test_a_pattern_that_chooses_nothing_is_an_error(pattern, hint):
    source, target = two()
    with pytest.raises(SelectionError, match="no view or function of dev fits") as caught:
        planned(source, target, select=["sales.open", pattern])
    assert f"`{pattern}`" in str(caught.value)
    assert caught.value.hint == hint


def test_a_pattern_may_be_of_what_only_the_target_still_has():
    source, target = MemoryCatalog(), MemoryCatalog()
    shop(source)
    env = shop(target)
    env.create_view("extra", env.from_path("names").select("id"))
    plan = planned(source, target, select=["sales.extra"], delete_foreign=True)
    assert [str(step) for step in plan.steps] == ["delete view sales.extra"]


def test_what_is_missing_is_found():
    source, target = two()
    target.delete("table", "sales", "orders")
    target.create(table("order", columns=(Column("id", "INT"),)))
    plan = planned(source, target)
    assert problems(plan) == [("missing-table", "sales.open")]
    assert plan.problems[0].hint == "did you mean: order"
    with pytest.raises(PlanBlockedError, match="needs the table"):
        apply_plan(plan, target)
    plan = planned(source, target, select=["sales.totals"])
    assert problems(plan) == [
        ("missing-view", "sales.totals"),
        ("missing-function", "sales.totals"),
    ]


def test_columns_that_are_missing_or_of_another_type_are_found():
    source, target = two()
    replace_columns(target, "orders", Column("id", "INT"), Column("status", "STRING"))
    plan = planned(source, target)
    assert problems(plan) == [("column-type", "sales.open"), ("missing-column", "sales.open")]
    assert plan.problems[0].message == (
        "needs the column `id` of `spark_catalog.sales.orders` as BIGINT, and the target's is INT"
    )
    # A column that no view uses may be as it likes.
    columns = source.get("table", "sales", "orders").document.columns
    replace_columns(target, "orders", *columns, Column("more", "INT"))
    assert planned(source, target).problems == ()


def test_texts_without_a_plan_are_held_against_the_columns_of_the_source():
    source, target = two()
    source.create(
        view("plain", sql="SELECT amount FROM orders", columns=(Column("amount", "INT"),))
    )
    source.create(view("other", sql="SELECT id FROM orders", columns=(Column("id", "INT"),)))
    replace_columns(target, "orders", Column("id", "BIGINT"), Column("status", "STRING"))
    plan = planned(source, target, select=["sales.plain", "sales.other"])
    assert problems(plan) == [("missing-column", "sales.plain")]


def test_what_breaks_downstream_is_told_by_column():
    source, target = MemoryCatalog(), MemoryCatalog()
    env = shop(source)
    shop(target)
    # Only the target has these two, and they stay.
    there = vs.TableEnvironment(target)
    there.use_database("sales")
    amounts = there.from_path("open").select("amount")
    there.create_view("amounts", amounts)
    there.create_view("ids", there.from_path("open").select("id"))
    there.create_view("report", there.from_path("amounts").filter(col("amount") > 1))
    env.create_view("open", env.from_path("orders").select("id"), or_replace=True)
    env.create_view("totals", env.from_path("open").select("id"), or_replace=True)
    plan = planned(source, target)
    step = plan.steps[0]
    assert str(step) == "change view sales.open"
    assert [str(each) for each in step.columns] == ["- amount DECIMAL(10, 2)"]
    assert [str(each) for each in step.breaks] == [
        "sales.amounts: sales.open amount (removed)",
        "sales.report, through sales.amounts",
    ]
    assert plan.extra == ("sales.amounts", "sales.ids", "sales.report")
    assert "-WHERE status = 'open'" in step.sql_diff
    with pytest.raises(PlanBlockedError, match=r"breaks views of the target: sales\.amounts"):
        apply_plan(plan, target)
    apply_plan(plan, target, allow_breaking=True)


@pytest.mark.parametrize(
    ("changes", "shown", "effect"),
    [
        (
            {"settings": {"spark.sql.ansi.enabled": "false"}},
            "~ settings.spark.sql.ansi.enabled: true -> false",
            "changes settings",
        ),
        ({"settings": {"a": "b"}}, "+ settings.a: b", "changes settings"),
        ({"comment": "two\nlines"}, "+ comment: two lines", "compatible"),
        ({"properties": {"team": "crm"}}, "+ properties.team: crm", "compatible"),
        ({"properties": {"api_token": "hunter2"}}, "+ properties.api_token: ***", "compatible"),
        ({"representations": {"trino": "SELECT 1"}}, "+ representations.trino: SELECT 1", None),
    ],
)
def test_a_step_shows_changes_besides_sql_and_columns(tmp_path, changes, shown, effect):
    source, target = two()
    apply_plan(planned(source, target), target)
    stored = source.get("view", "sales", "open")
    for name, values in changes.items():
        if isinstance(values, dict):
            changes[name] = {**getattr(stored.document, name), **values}
    source.replace(msgspec.structs.replace(stored.document, **changes), expected=stored.token)
    plan = planned(source, target)
    (step,) = [each for each in plan.steps if each.name == "open"]
    assert [str(each) for each in step.fields] == [shown]
    assert effect in (None, step.effect)
    write_plan(plan, tmp_path / "plan.json")
    assert [each.fields for each in read_plan(tmp_path / "plan.json").steps] == [step.fields]
    apply_plan(plan, target)
    assert planned(source, target).steps == ()


def test_a_compatible_change_breaks_nothing():
    source, target = MemoryCatalog(), MemoryCatalog()
    env = shop(source)
    shop(target)
    more = env.from_path("orders").select("id", "amount", "status")
    env.create_view("open", more, or_replace=True)
    (step,) = planned(source, target).steps
    assert (step.operation, step.compatible, step.breaks) == ("change", True, ())
    assert [str(each) for each in step.columns] == ["+ status STRING"]


def test_nothing_is_deleted_unless_asked_and_nothing_that_is_read():
    source, target = MemoryCatalog(), MemoryCatalog()
    shop(source)
    env = shop(target)
    env.create_view("extra", env.from_path("names").select("id"))
    target.create_database(DatabaseDocument(name="elsewhere"))
    target.create(view("mine", "elsewhere"))
    assert planned(source, target).steps == ()
    assert planned(source, target).extra == ("sales.extra",)
    assert [str(s) for s in planned(source, target, delete_foreign=True).steps] == [
        "delete view sales.extra"
    ]
    reader = view("reader", "elsewhere", dependencies=(
        Dependency("view", ("spark_catalog", "sales", "extra")),
    ))  # fmt: skip
    target.create(reader)
    plan = planned(source, target, delete_foreign=True)
    assert problems(plan) == [("missing-view", "elsewhere.reader")]


def test_a_circle_is_found_before_anything_is_written():
    source, target = two()
    for name, other in (("a", "b"), ("b", "a")):
        read = (Dependency("view", ("spark_catalog", "sales", other)),)
        source.create(view(name, sql=f"SELECT id FROM {other}", dependencies=read))
    plan = planned(source, target)
    assert [str(each) for each in plan.problems if each.code == "cycle"] == [
        "sales.a: views and functions read each other in a circle: "
        "sales.a reads sales.b reads sales.a"
    ]


def test_a_name_that_exists_with_another_type():
    source, target = two()
    target.create(table("names"))
    plan = planned(source, target)
    assert problems(plan) == [("other-kind", "sales.names")]
    assert plan.problems[0].message == "is a table in the target, and a view in the source"
    assert (plan.counts()["create"], plan.unchanged) == (3, 0)


def test_two_names_that_become_one():
    source, target = two()
    source.create_database(DatabaseDocument(name="other"))
    source.create(view("open", "other"))
    names = NameMapping(databases={"other": "sales"})
    plan = make_plan(
        environment(source, "dev"),
        Environment(name="prod", url="memory:", catalog=target, names=names),
    )
    assert "untranslatable" in {each.code for each in plan.problems}


def test_documents_that_cannot_be_read_or_were_edited(tmp_path):
    from viewscribe.catalog_store import FileCatalog

    source = FileCatalog(tmp_path / "dev")
    shop(source)
    target = tables_alone(MemoryCatalog())
    path = tmp_path / "dev" / "sales" / "names.view.yaml"
    path.write_text(path.read_text().replace("schema_version: 1", "schema_version: 7"))
    path = tmp_path / "dev" / "sales" / "totals.view.yaml"
    path.write_text(path.read_text().replace("  id,", "  id + 1 AS id,"))
    plan = planned(source, target)
    found = {each.code: each for each in plan.problems}
    assert set(found) == {"unreadable", "edited"}
    assert "schema version 7 is newer" in found["unreadable"].message
    assert found["unreadable"].hint == "upgrade viewscribe to read it"
    assert found["edited"].object == "sales.totals"


def test_what_reads_a_view_that_cannot_be_read_lacks_it(tmp_path):
    from viewscribe.catalog_store import FileCatalog

    shop(FileCatalog(tmp_path / "dev"))
    path = tmp_path / "dev" / "sales" / "open.view.yaml"
    path.write_text("kind: view\n")
    plan = planned(FileCatalog(tmp_path / "dev"), tables_alone(MemoryCatalog()))
    assert problems(plan) == [("unreadable", "sales.open"), ("missing-view", "sales.totals")]


def test_several_processes_make_the_same_plan(monkeypatch):
    source, target = MemoryCatalog(), tables_alone(MemoryCatalog())
    shop(source, "dev_sales")
    stored = source.get("view", "dev_sales", "open")
    text = "SELECT id, amount\nFROM dev_sales.orders -- those\nWHERE status = 'open'"
    by_hand = msgspec.structs.replace(stored.document, sql=text)
    source.replace(by_hand, expected=stored.token)
    document = source.get("view", "dev_sales", "names").document
    damaged = {**document.plan, "root": 0}
    source.create(msgspec.structs.replace(document, name="damaged", plan=damaged))
    dev, prod = environment(source, "dev", "dev_"), environment(target, "prod")
    alone = make_plan(dev, prod)
    assert {each.code for each in alone.problems} == {"comments", "untranslatable"}
    assert len(alone.steps) == 4
    monkeypatch.setattr("viewscribe.catalog_store.shared_work._WORTH_PROCESSES", 1)
    monkeypatch.setattr("viewscribe.environments.migration.planner._WORTH_PROCESSES", 1)
    monkeypatch.setattr("viewscribe.environments.migration.planner.TOGETHER", 2)
    assert make_plan(dev, prod, processes=2) == alone


def test_newer_documents_in_the_target_are_not_to_be_dropped(tmp_path):
    from viewscribe.catalog_store import FileCatalog

    source, target = MemoryCatalog(), FileCatalog(tmp_path / "prod")
    shop(source)
    shop(target)
    path = tmp_path / "prod" / "sales" / "names.view.yaml"
    path.write_text(path.read_text().replace("schema_version: 1", "schema_version: 7"))
    plan = planned(source, FileCatalog(tmp_path / "prod"))
    assert [(each.code, each.hint) for each in plan.problems] == [
        ("unreadable", "upgrade viewscribe to read it")
    ]
    assert (plan.steps, plan.unchanged) == ((), 3)


def test_texts_that_cannot_be_translated_are_told():
    source, target = two()
    source.create(view("broken", sql="SELECT FROM WHERE"))
    plan = planned(source, target)
    assert problems(plan) == [("untranslatable", "sales.broken")]
    assert "expected an expression" in plan.problems[0].message


def test_settings_of_the_target_that_views_were_not_made_with():
    source, target = two()
    prod = Environment(
        name="prod",
        url="memory:",
        catalog=target,
        spark={"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "${env:ZONE}"},
    )
    plan = make_plan(environment(source, "dev"), prod)
    assert problems(plan) == [("setting", "prod")]
    assert plan.blocking == []
    read = (Dependency("table", ("lake", "raw", "events")),)
    source.create(view("far", sql="SELECT 1 AS name FROM lake.raw.events", dependencies=read))
    plan = make_plan(environment(source, "dev"), prod, select=["sales.far"])
    assert problems(plan) == [("missing-setting", "prod")]
    plan = planned(source, target, select=["sales.far"])
    assert problems(plan) == [("unchecked", "prod")]


@pytest.mark.parametrize(("has_table", "code"), [(True, None), (False, "missing-table")])
def test_metadata_of_a_table_goes_where_the_table_goes(has_table, code):
    source, target = two()
    name = ("spark_catalog", "sales", "events", "snapshots")
    text = "SELECT 1 AS name FROM spark_catalog.sales.events.snapshots AS s"
    source.create(table("events"))
    source.create(view("log", sql=text, dependencies=(Dependency("table", name),)))
    target.create_database(DatabaseDocument(name="prod_sales"))
    if has_table:
        target.create(msgspec.structs.replace(table("events"), database="prod_sales"))
    prod = Environment(
        name="prod",
        url="memory:",
        catalog=target,
        names=NameMapping(databases={"sales": "prod_sales"}),
    )
    plan = make_plan(environment(source, "dev"), prod, select=["sales.log"])
    assert [each[0] for each in problems(plan)] == ([] if code is None else [code])
    if has_table:
        apply_plan(plan, target)
        moved = target.get("view", "prod_sales", "log").document
        assert moved.sql == "SELECT 1 AS name FROM spark_catalog.prod_sales.events.snapshots AS s"
        (read,) = moved.dependencies
        assert read.name == ("spark_catalog", "prod_sales", *name[2:])


def test_a_catalog_that_vanishes_in_the_middle():
    source, target = two()
    with pytest.raises(StorageError, match="no space left"):
        planned(Failing(source, 0, full, for_ever=True), target)

    class Vanishing:
        url = "memory:"

        def load_all(self):
            yield next(source.load_all())
            raise StorageError("the disk is gone")

    with pytest.raises(StorageError, match="the disk is gone"):
        planned(Vanishing(), target)


# -- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plan.json", "plan.yaml"])
def test_a_plan_is_read_as_it_was_written(tmp_path, name):
    source, target = two()
    plan = planned(source, target, select=["sales"])
    write_plan(plan, tmp_path / name)
    again = read_plan(tmp_path / name)
    assert msgspec.json.encode(again) == msgspec.json.encode(plan)
    apply_plan(read_plan(tmp_path / name), target)
    assert state(target) == state(source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plain: plain.update(schema_version=2), "version 2 is newer than this viewscribe"),
        (lambda plain: plain.pop("target"), "'target' is missing"),
        (lambda plain: plain["steps"][0].update(operation="drop"), "not one of the allowed"),
        (lambda plain: plain["steps"].pop(), "was changed since it was made"),
        (lambda plain: plain["steps"][1]["document"].update(sql="SELECT 1"), "was changed since"),
    ],
)
def test_a_plan_that_is_damaged_is_refused(tmp_path, change, message):
    path = tmp_path / "plan.json"
    write_plan(planned(*two()), path)
    plain = json.loads(path.read_text())
    change(plain)
    path.write_text(json.dumps(plain))
    with pytest.raises(PlanFileError, match=message):
        read_plan(path)


def test_files_that_are_no_plans(tmp_path):
    with pytest.raises(PlanFileError, match="cannot be read"):
        read_plan(tmp_path / "nothing.json")
    (tmp_path / "text.json").write_text("hello")
    with pytest.raises(PlanFileError, match="is not JSON"):
        read_plan(tmp_path / "text.json")
    (tmp_path / "text.yaml").write_text("a: &b c")
    with pytest.raises(PlanFileError, match=r"text\.yaml:1:4: the anchor"):
        read_plan(tmp_path / "text.yaml")
    with pytest.raises(PlanFileError, match="cannot be written"):
        write_plan(planned(*two()), tmp_path / "no" / "plan.json")


def test_no_secret_is_in_a_plan(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "hunter2")
    source, target = two()
    prod = Environment(
        name="prod",
        url="sql:postgresql://me:hunter2@db/x?token=hunter2",
        catalog=target,
        spark={"spark.key": "${env:TOKEN}"},
    )
    plan = make_plan(environment(source, "dev"), prod)
    write_plan(plan, tmp_path / "plan.json")
    assert "hunter2" not in (tmp_path / "plan.json").read_text()
    with pytest.raises(PlanFileError, match="cannot say how to open its target"):
        target_of(read_plan(tmp_path / "plan.json"))


# -- whatever the two environments hold ------------------------------------------------------------

NAMES = ("a", "b", "c", "d")


@st.composite
def worlds(draw):
    """Views that read the table or views before them; some are told apart by a comment."""
    order = draw(st.permutations(NAMES))
    chosen = order[: draw(st.integers(0, len(NAMES)))]
    found = []
    for place, name in enumerate(chosen):
        read = draw(st.sampled_from(["orders", *chosen[:place]]))
        found.append((name, read, draw(st.sampled_from([None, "one", "two"]))))
    return found


def world(views):
    catalog = MemoryCatalog()
    env = vs.TableEnvironment(catalog)
    env.create_database("sales")
    env.use_database("sales")
    env.create_table("orders", ORDERS)
    for name, read, comment in views:
        env.create_view(name, env.from_path(read).select("id", "amount"), comment=comment)
    return catalog


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    worlds(),
    worlds(),
    st.integers(1, 12),
    st.booleans(),
    st.sampled_from([None, full, KilledError]),
)
def test_whatever_they_hold_and_whatever_fails(tmp_path_factory, ours, theirs, at, after, error):
    source, target = world(ours), world(theirs)
    journal = tmp_path_factory.mktemp("plan") / "journal"
    before = state(target)
    plan = planned(source, target, delete_foreign=True)
    assert plan.blocking == []
    if error is not None:
        try:
            apply_plan(plan, Failing(target, at, error, after=after), journal=journal)
        except ApplyFailedError:
            assert state(target) == before
        except KilledError:
            pass
    apply_plan(plan, target, journal=journal)
    assert state(target) == state(source)
    assert planned(source, target, delete_foreign=True).steps == ()
    rollback_plan(plan, target, journal=journal) if plan.steps else None
    assert state(target) == before


def test_planning_leaves_the_garbage_collector_as_it_was():
    source, target = two()
    assert gc.isenabled()
    planned(source, target)
    assert gc.isenabled()
    gc.disable()
    try:
        planned(source, target)
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(SelectionError):
        planned(source, target, select=["nothing.*"])
    assert gc.isenabled()
