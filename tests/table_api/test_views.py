"""What a stored view holds: columns, dependencies, settings, the plan document."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.serializer.cases import CASES, ENV
from viewscribe import Table, TableEnvironment, col
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError, PlanDocumentError
from viewscribe.schemas import find_problems


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment(settings={"spark.sql.session.timeZone": "Europe/Berlin"})
    made.create_table("people", "id INT NOT NULL, name STRING COMMENT 'in full'")
    made.create_table("orders", "id INT, person INT")
    return made


def test_columns_have_types_nullability_and_comments(env: TableEnvironment) -> None:
    env.create_view("v", env.from_path("people").add_columns((col("id") + 1).alias("next")))
    columns = env.get_view("v").columns
    assert [(c.name, c.type, c.nullable, c.comment) for c in columns] == [
        ("id", "INT", False, None),
        ("name", "STRING", True, "in full"),
        ("next", "INT", False, None),
    ]


def test_columns_of_one_name_are_refused(env: TableEnvironment) -> None:
    people, orders = env.from_path("people"), env.from_path("orders")
    both = people.join(orders, on=col("people.id") == col("person"))
    with pytest.raises(NotSerializableError, match="two columns of the view are called `id`"):
        env.create_view("v", both)
    named = people.select("id", col("name").alias("ID"))
    with pytest.raises(NotSerializableError, match="two columns of the view are called `ID`"):
        env.create_view("v", named)
    assert env.list_views() == []


def test_a_view_over_a_view(env: TableEnvironment) -> None:
    env.create_view("one", env.from_path("people").select("id"))
    env.create_view("two", env.from_path("one").filter(col("id") > 1))
    document = env.get_view("two")
    assert "FROM spark_catalog.default.one" in document.sql
    assert [(d.kind, d.name) for d in document.dependencies] == [
        ("view", ("spark_catalog", "default", "one"))
    ]


def test_dependencies_are_all_there_is_read(env: TableEnvironment) -> None:
    people, orders = env.from_path("people"), env.from_path("orders")
    hidden = people.filter(col("id").in_(orders.select("person")))
    env.create_view("v", hidden.union_all(env.sql_query("SELECT id, name FROM people")))
    names = {each.name[-1] for each in env.get_view("v").dependencies}
    assert names == {"people", "orders"}


def test_a_view_that_would_read_itself(env: TableEnvironment) -> None:
    env.create_view("v", env.from_path("people"))
    over_itself = env.from_path("v").select("id")
    with pytest.raises(NotSerializableError, match="would read itself"):
        env.create_view("v", over_itself, or_replace=True)
    assert len(env.get_view("v").columns) == 2


def test_settings_are_stored_with_the_view(env: TableEnvironment) -> None:
    env.create_view("v", env.from_path("people"))
    stored = env.get_view("v").settings
    assert stored["spark.sql.session.timeZone"] == "Europe/Berlin"
    assert "spark.sql.ansi.enabled" in stored


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
def test_the_style_is_stored(env: TableEnvironment, style: str) -> None:
    table = env.from_path("people").filter(col("id") > 1).distinct()
    env.create_view("v", table, style=style, properties={"owner": "me"})
    document = env.get_view("v")
    assert (document.style, document.sql) == (style, table.to_sql(style))
    assert document.properties["owner"] == "me"


@pytest.mark.parametrize("name", CASES)
def test_the_pipeline_comes_back(name: str) -> None:
    table = CASES[name]()
    if len({column.lower() for column in table.columns}) < len(table.columns):
        table = table.select(F.count("*").alias("rows"))
    ENV.create_view("stored", table, or_replace=True)
    again = ENV.view_table("stored")
    assert again.equals(table)
    assert again.to_sql() == table.to_sql()
    assert again.schema == table.schema


# -- plan documents ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_plan_documents_are_valid_and_survive_json(name: str) -> None:
    table = CASES[name]()
    plan = table.to_plan()
    assert find_problems(plan, "plan") == ()
    again = json.loads(json.dumps(plan))
    assert Table.from_plan(ENV, again).equals(table)
    assert Table.from_plan(ENV, again).to_plan() == plan


def damaged(change: Any) -> Any:
    plan = CASES["filters_merge_in_order"]().to_plan()
    change(plan)
    return plan


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(PlanDocumentError, match="version 99") as caught:
        Table.from_plan(ENV, damaged(lambda plan: plan.update(version=99)))
    assert "upgrade viewscribe" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda p: p.pop("nodes"), "no list of nodes"),
        (lambda p: p.update(nodes={}), "no list of nodes"),
        (lambda p: p.update(root=10_000), "root is 10000, not a node's position"),
        (lambda p: p.update(root=1), "not a query"),
        (lambda p: p.pop("root"), "root is None"),
        (lambda p: p["nodes"][0].update(node="catalog_sorce"), "no kind of node"),
        (lambda p: p["nodes"][0].update(extra=1), "has no field `extra`"),
        (lambda p: p["nodes"][1].update(type="INTT"), "no type is called `INTT`"),
        (lambda p: p["nodes"].__setitem__(0, 5), "node 0"),
        (lambda p: p["nodes"][3].update(args=[99, 1]), "99 is not the position of an earlier"),
        (lambda p: p["nodes"][3].update(args=[True, 1]), "True is not the position"),
        (lambda p: p["nodes"][3].update(args=0), "`args` is 0, not a list of positions"),
        (lambda p: p["nodes"][3].update(args=[0, 1]), "node 0 is a catalog_source, where a"),
        (lambda p: p["nodes"][3].update(function="uper"), "no function `uper`"),
        (lambda p: p["nodes"][2].update(type="DECIMAL(3, 1)", value="many"), "node 2"),
    ],
)
def test_damage_is_refused_with_its_place(change: Any, part: str) -> None:
    with pytest.raises(PlanDocumentError) as caught:
        Table.from_plan(ENV, damaged(change))
    assert part in str(caught.value)


PLANS = {name: make().to_plan() for name, make in CASES.items()}
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, -1, 0, 10**9, 1.5, True, "", "x", "INT", [], [0], [[]], {}]
)


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(sorted(PLANS)), st.data())
def test_any_damage_is_an_error_of_ours(name: str, data: st.DataObject) -> None:
    plan = copy.deepcopy(PLANS[name])
    node = data.draw(st.sampled_from(plan["nodes"]))
    field = data.draw(st.sampled_from(sorted(node)))
    if data.draw(st.booleans()):
        del node[field]
    else:
        node[field] = data.draw(JUNK)
    try:
        read = Table.from_plan(ENV, plan)
    except PlanDocumentError:
        return  # any other error fails the test
    assert read.as_summary_string()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.parser.escapedStringLiterals", "true"),
        ("spark.sql.legacy.setopsPrecedence.enabled", "true"),
        ("spark.sql.parser.quotedRegexColumnNames", "true"),
    ],
)
def test_a_text_is_stored_with_the_settings_that_it_is_printed_for(name: str, value: str) -> None:
    env = TableEnvironment(settings={name: value})
    env.create_table("t", "s STRING")
    env.create_view("v", env.from_path("t").where(col("s") == "a\\d"))
    assert env.get_view("v").settings[name] == "false"
    text = env.sql_query("SELECT s FROM t TIMESTAMP AS OF now()", schema="s STRING")
    with pytest.raises(NotSerializableError, match=name):
        env.create_view("w", text)


def test_a_view_does_not_read_those_that_read_it() -> None:
    env = TableEnvironment()
    env.create_table("source", "a INT")
    env.execute_sql("CREATE VIEW one AS SELECT a FROM source")
    env.execute_sql("CREATE VIEW two AS SELECT a FROM one")
    with pytest.raises(NotSerializableError, match="views would read each other in a circle"):
        env.execute_sql("CREATE OR REPLACE VIEW one AS SELECT a FROM two")


def test_a_renamed_view_does_not_read_itself() -> None:
    env = TableEnvironment()
    env.create_table("source", "a INT")
    env.execute_sql("CREATE VIEW one AS SELECT a FROM source")
    env.execute_sql("CREATE VIEW two AS SELECT a FROM one")
    env.execute_sql("CREATE VIEW three AS SELECT a FROM two")
    env.drop_view("one")
    with pytest.raises(NotSerializableError, match="views would read each other in a circle"):
        env.rename_view("three", "one")
    env.rename_view("three", "four")
    assert env.list_views() == ["four", "two"]
