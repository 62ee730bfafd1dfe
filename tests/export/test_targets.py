"""What each target makes of the same views."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import pytest
import sqlglot
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.export.conftest import COMMENT
from viewscribe.export import export_catalog
from viewscribe.export.dbt import jinja_string, jinja_text, yaml_text
from viewscribe.operations.nodes import CatalogSource
from viewscribe.table_api.table import Table
from viewscribe.table_api.views import view_document
from viewscribe.types.ddl_reader import parse_schema
from viewscribe.types.identifiers import quote_name

HOSTILE = [
    *("{{ x }}", "{% raw %}", "{# no #}", "{{{", "{", "{%{%", "}}", "'", '"', "\\", "\\'", "a\nb"),
    *("{{ '{' }}", "\u2028", "\x85", "é", "\U0001f600", "${x}", "#", "-- x", "\t", "", " ", "%}"),
    *("\r", "\r\n", "\n"),
]


@settings(max_examples=50)
@given(st.lists(st.sampled_from(HOSTILE)).map("".join) | st.text())
@example("".join(HOSTILE))
@example("}}{{".join(HOSTILE))
def test_jinja_renders_a_text_as_itself(text):
    environment = jinja2.Environment()  # which drops a newline at the end, as dbt's does
    string = jinja_string(text)
    both = environment.from_string(f"{{{{ {string} }}}}|{jinja_text(text)}").render()
    assert both == f"{text}|{text}"
    # dbt's static parser takes the characters of a mere string as they are
    assert string == f"'{text}'" or string.endswith(" ~ ''")


def test_yaml_is_read_as_what_was_written():
    words = [
        "yes",
        "1e3",
        "0x10",
        "1:30",
        "2001-01-01",
        "- a",
        ": x",
        "*a",
        "!!python/object:os.system",
    ]
    for text in [*HOSTILE, *words, "x" * 10_000, "\x00", "\ufeff", "~"]:
        data = {"text": text, "keys": {text: text}, "list": [text]}
        assert yaml.safe_load(yaml_text(data)) == data


def export(catalog: Any, target: str, tmp_path: Path) -> Path:
    export_catalog(catalog, target, tmp_path / "out", skip=True)
    return tmp_path / "out"


# -- dbt -------------------------------------------------------------------------------------------


def test_dbt_names_other_models_and_sources(catalog, tmp_path):
    out = export(catalog, "dbt", tmp_path)
    config = "{{ config(materialized='view', schema='sales', pre_hook=['SET "
    text = (out / "models/sales/totals.sql").read_text()
    assert text.startswith(config)
    assert text.partition("}}\n\n")[2] == (
        "SELECT\n  name,\n  sum(amount) AS Total\nFROM {{ ref('sales__german') }}\n"
        "JOIN {{ source('sales', 'orders') }} ON orders.customer = german.id\nGROUP BY name\n"
    )
    assert "alias='german'" in (out / "models/hr/hr__german.sql").read_text()


def test_dbt_knows_columns_comments_and_tests(catalog, tmp_path):
    out = export(catalog, "dbt", tmp_path)
    models = yaml.safe_load((out / "models/sales/schema.yml").read_text())["models"]
    german = next(each for each in models if each["name"] == "sales__german")
    assert jinja2.Template(german["description"]).render() == COMMENT
    number, name, odd = german["columns"]
    assert number == {"name": "id", "data_type": "BIGINT", "data_tests": ["not_null"]}
    assert name["description"] == "na'me\n\u2028"
    assert odd == {"name": "odd col", "quote": True, "data_type": "DATE"}
    (source,) = yaml.safe_load((out / "models/sources.yml").read_text())["sources"]
    assert [each["name"] for each in source["tables"]] == ["customers", "orders"]
    assert jinja2.Template(source["tables"][0]["description"]).render() == "Who {% buys"


def test_dbt_sets_what_differs_in_the_model(catalog, tmp_path):
    out = export(catalog, "dbt", tmp_path)
    project = yaml.safe_load((out / "dbt_project.yml").read_text())
    hooks = project["models"]["views"]["+pre-hook"]
    assert "SET spark.sql.mapKeyDedupPolicy = EXCEPTION" in hooks
    assert not any("ansi.enabled" in each for each in hooks)
    days = (out / "models/sales/days.sql").read_text()
    assert "pre_hook=['SET spark.sql.ansi.enabled = false', 'SET spark.sql.session.timeZone" in days
    assert project["on-run-start"] == ["{{ require_sessions() }}"]


def test_dbt_resets_what_only_others_set(shop, catalog, tmp_path):
    shop.create_view("sales.at", shop.sql_query("SELECT TIME'10:00:00' AS a"))
    out = export(catalog, "dbt", tmp_path)
    assert "'SET spark.sql.timeType.enabled = true'" in (out / "models/sales/at.sql").read_text()
    days = (out / "models/sales/days.sql").read_text()
    assert "'RESET spark.sql.timeType.enabled'" in days


def test_dbt_escapes_literals(shop, catalog, tmp_path):
    query = shop.sql_query("SELECT '{{ a }} {% b %} {# c #}' AS text FROM sales.orders")
    shop.create_view("sales.odd", query)
    out = export(catalog, "dbt", tmp_path)
    template = (out / "models/sales/odd.sql").read_text().partition("}}\n\n")[2]
    rendered = jinja2.Template(template).render(source=lambda *names: ".".join(names))
    assert rendered == "SELECT\n  '{{ a }} {% b %} {# c #}' AS text\nFROM sales.orders"


def test_dbt_refuses_backticks_in_names(shop, catalog, tmp_path):
    shop.create_view("sales.`a``b`", shop.sql_query("SELECT 1 AS a"))
    found = export_catalog(catalog, "dbt", tmp_path / "out", skip=True)
    assert [each.reason for each in found.skipped] == [
        "dbt-spark writes no backtick in a name: a`b"
    ]


@pytest.mark.parametrize("name", ["` a`", "`a `", "`\u3000a`", "`a\n`"])
def test_dbt_refuses_blanks_at_the_ends_of_names(shop, catalog, tmp_path, name):
    shop.create_table("sales.` x `", "id INT")  # names of sources are exact
    shop.create_database(name)
    shop.create_view(f"sales.{name}", shop.sql_query("SELECT id FROM sales.` x `"))
    shop.create_view(f"{name}.v", shop.sql_query("SELECT id FROM sales.` x `"))
    shop.create_view("sales.above", shop.sql_query(f"SELECT id FROM {name}.v"))
    found = export_catalog(catalog, "dbt", tmp_path / "out", skip=True)
    reasons = [each.reason for each in found.skipped]
    assert reasons.count(f"dbt takes blanks off the ends of a name: {name[1:-1]!r}") == 2
    assert reasons[2] == f"it reads {name}.v, which is not exported"


def test_dbt_takes_names_of_models_as_they_are(shop, catalog, tmp_path):
    query = shop.sql_query("SELECT 1 AS a")
    for name in ("umsätze", "{{ x }}%", "it's", "a\\b"):
        shop.create_view(f"sales.`{name}`", query)
    out = export(catalog, "dbt", tmp_path)
    heads = [each.read_text().partition(" }}\n\n")[0] for each in (out / "models").rglob("*.sql")]
    aliases = {each.partition("alias=")[2].partition(", pre_hook")[0] for each in heads}
    assert {"'umsätze'", "'{{ x }}%'", r"'it\U00000027s' ~ ''", r"'a\U0000005cb' ~ ''"} < aliases


def test_dbt_tests_columns_with_backticks(shop, catalog, tmp_path):
    shop.create_table("sales.odd", "id INT NOT NULL, `we``ird` INT NOT NULL, `b``` INT")
    shop.create_view("sales.odder", shop.sql_query("SELECT * FROM sales.odd"))
    out = export(catalog, "dbt", tmp_path)
    (source,) = yaml.safe_load((out / "models/sources.yml").read_text())["sources"]
    models = yaml.safe_load((out / "models/sales/schema.yml").read_text())["models"]
    for found in (*source["tables"], *models):
        if found["name"].startswith("odd"):
            assert found["data_tests"] == [{"not_null": {"column_name": "`we``ird`"}}]
            tests = [each.get("data_tests") for each in found["columns"]]
            assert tests == [["not_null"], None, None]


def test_dbt_leaves_tables_of_other_catalogs_by_name(shop, catalog, tmp_path):
    shop.register_catalog("lake", "memory:")
    shop.create_database("lake.raw")
    shop.create_table("lake.raw.events", "id BIGINT")
    from viewscribe.catalog_store import Column, Dependency, ViewDocument

    document = ViewDocument(
        database="sales",
        name="events",
        sql="SELECT orders.id FROM lake.raw.events JOIN spark_catalog.sales.orders USING (id)",
        columns=(Column("id", "BIGINT"),),
        dependencies=(Dependency("table", ("lake", "raw", "events")),),
    )
    shop.catalogs.save(document)
    found = export_catalog(catalog, "dbt", tmp_path / "out", skip=True)
    assert "lake.raw.events" in found.skipped[0].reason  # nobody knows its columns here


def test_dbt_names_no_source_for_metadata(shop, catalog, tmp_path):
    path = ("spark_catalog", "sales", "orders", "snapshots")
    source = Table(shop, CatalogSource.of(path, parse_schema("id BIGINT, at TIMESTAMP")))
    view = view_document(
        shop,
        shop.catalogs.resolve(["sales", "log"]),
        source,
        comment=None,
        style="readable",
        properties=None,
        outside={path},
    )
    shop.catalogs.save(view)
    export_catalog(catalog, "dbt", tmp_path / "out")
    model = (tmp_path / "out" / "models" / "sales" / "log.sql").read_text()
    assert "FROM spark_catalog.sales.orders.snapshots" in model
    assert "snapshots" not in (tmp_path / "out" / "models" / "sources.yml").read_text()


# -- SQLMesh ---------------------------------------------------------------------------------------


def test_sqlmesh_has_models_with_columns(catalog, tmp_path):
    out = export(catalog, "sqlmesh", tmp_path)
    text = (out / "models/sales/totals.sql").read_text()
    assert text.startswith("MODEL (\n  name sales.totals,\n  kind VIEW,\n")
    assert "    Total DECIMAL(20, 2)\n" in text
    assert "FROM sales.german AS german\nJOIN sales.orders AS orders ON" in text
    assert "SET `spark.sql.ansi.enabled` = `true`;\n" in text
    external = yaml.safe_load((out / "external_models.yaml").read_text())
    assert external[0]["name"] == "sales.customers"
    assert external[0]["columns"] == {"id": "BIGINT", "name": "STRING", "`odd col`": "DATE"}
    assert not (out / "models/sales/days.sql").exists()


def test_sqlmesh_reads_the_description_that_is_meant(catalog, tmp_path):
    text = (export(catalog, "sqlmesh", tmp_path) / "models/sales/german.sql").read_text()
    line = text[text.index("description ") + len("description ") : text.index(",\n  columns (")]
    assert sqlglot.parse_one(f"SELECT {line}", dialect="spark").expressions[0].this == COMMENT


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT '{{ x }}' AS a", "SQLMesh takes {{, {% and {# in its text for Jinja"),
        ("SELECT 1 AS `a@b`", "SQLMesh takes @ in a name for a macro"),
        ("SELECT DATE'2020-01-01' - DATE'2019-01-01' AS a", "INTERVAL"),
    ],
)
def test_sqlmesh_refuses_what_it_would_change(shop, catalog, tmp_path, query, reason):
    shop.create_view("sales.odd", shop.sql_query(query))
    found = export_catalog(catalog, "sqlmesh", tmp_path / "out", skip=True)
    assert reason in {each.view: each.reason for each in found.skipped}["sales.odd"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((each, "perhaps not") for each in ("a.b", "it's", 'a"b', "a\\b", " a", "a;b", "a\rb")),
        ("n n" * 60, "too long"),
    ],
)
def test_sqlmesh_refuses_names_that_it_may_change(shop, catalog, tmp_path, name, reason):
    query = shop.sql_query("SELECT 1 AS a")
    shop.create_database(f"`{name}`")
    shop.create_table(f"`{name}`.unread", "`it's` INT")
    shop.create_view(f"sales.`{name}`", query)
    shop.create_view(f"`{name}`.v", query)
    found = export_catalog(catalog, "sqlmesh", tmp_path / "out", skip=True)
    reasons = {each.view: each.reason for each in found.skipped}
    assert reason in reasons[f"sales.`{name}`"]
    assert reason in reasons[f"`{name}`.v"]
    external = yaml.safe_load((tmp_path / "out" / "external_models.yaml").read_text())
    assert reason == "too long" or not any("unread" in each["name"] for each in external)


# -- pipelines and scripts -------------------------------------------------------------------------


def test_a_pipeline_has_one_configuration(catalog, tmp_path):
    found = export_catalog(catalog, "spark-pipelines", tmp_path / "out", skip=True)
    assert [tuple(each) for each in found.skipped] == [
        (
            "sales.days",
            "a pipeline gives all its views the same settings, and this one has "
            "spark.sql.ansi.enabled = false, not true",
        )
    ]
    specification = yaml.safe_load((tmp_path / "out/spark-pipeline.yml").read_text())
    assert specification["configuration"]["spark.sql.ansi.enabled"] == "true"
    text = (tmp_path / "out/transformations/sales.german.sql").read_text()
    assert "\nCREATE VIEW spark_catalog.sales.german\nCOMMENT 'Ger" in text


def test_scripts_are_read_back_equal(shop, catalog, tmp_path):
    from viewscribe.table_api.sql_files import SqlFolder, store_folder

    out = export(catalog, "sql", tmp_path)
    env = vs.TableEnvironment(f"file:{tmp_path}/again")
    folder = SqlFolder(env, out)
    assert list(folder.read()) == []
    store_folder(folder)
    for name in ("sales.german", "sales.totals", "hr.german", "sales.days"):
        mine, theirs = (each.get_view(name) for each in (shop, env))
        bare = [msgspec.structs.replace(each, source=None) for each in (mine, theirs)]
        assert bare[0] == bare[1]
        assert theirs.source is not None
        assert str(theirs.source.origin).endswith(f"{name}.sql")
    for name in ("sales.customers", "sales.orders"):
        parts = name.split(".")
        tables = [each.catalogs.get("table", parts).document for each in (env, shop)]
        assert tables[0] == tables[1]


@pytest.mark.parametrize(
    "view",
    [
        "CREATE VIEW sales.a (a COMMENT 'c', B) AS SELECT id, name FROM sales.customers",
        "CREATE VIEW sales.a AS WITH t AS (SELECT id FROM sales.orders), german AS "
        "(SELECT * FROM t) SELECT * FROM german UNION ALL SELECT id FROM sales.german",
        "CREATE VIEW sales.a AS SELECT o.id, e.col FROM sales.orders AS o, "
        "LATERAL explode(array(1, 2)) AS e",
        "CREATE VIEW sales.a AS SELECT x.id FROM (SELECT id AS id FROM "
        "(SELECT * FROM sales.orders AS q) AS y) AS x WHERE EXISTS (SELECT 1 FROM sales.german)",
    ],
)
def test_a_catalog_does_not_differ_from_what_was_read_of_its_scripts(shop, catalog, tmp_path, view):
    from viewscribe.environments.migration.snapshot import same
    from viewscribe.table_api.sql_files import SqlFolder, store_folder

    shop.execute_sql(view)
    env = vs.TableEnvironment(f"file:{tmp_path}/again")
    folder = SqlFolder(env, export(catalog, "sql", tmp_path))
    assert list(folder.read()) == []
    store_folder(folder)
    mine, theirs = shop.get_view("sales.a"), env.get_view("sales.a")
    assert same(mine, theirs)
    assert mine.source != theirs.source  # a script has our text, not the author's
    assert not same(mine, msgspec.structs.replace(theirs, plan=env.get_view("sales.german").plan))
    assert not same(mine, msgspec.structs.replace(theirs, sql=f"{theirs.sql} LIMIT 1"))
    assert not same(mine, msgspec.structs.replace(theirs, plan=None))
    assert not same(mine, msgspec.structs.replace(theirs, plan={}))


@pytest.mark.parametrize("target", ["sql", "spark-pipelines"])
def test_a_name_that_ends_in_a_backslash(shop, catalog, tmp_path, target):
    for name, text in (
        ("a", "';' AS `b\\`"),
        ("c\\", "';' AS b"),
        ("d\\", "1 AS b"),
        ("e", "';' AS b"),
    ):
        shop.create_view(quote_name(("sales", name)), shop.sql_query(f"SELECT {text}"))
    found = export_catalog(catalog, target, tmp_path / "out", skip=True)
    assert {each.view for each in found.skipped} - {"sales.days"} == {"sales.a", "sales.`c\\`"}


def test_names_that_only_case_folding_makes_equal_are_read_back(shop, catalog, tmp_path):
    from viewscribe.table_api.sql_files import SqlFolder, store_folder

    for name in ("straße", "strasse"):
        shop.create_view(f"sales.`{name}`", shop.sql_query(f"SELECT 'ss' AS `{name}`, 1 AS b"))
    env = vs.TableEnvironment(f"file:{tmp_path}/again")
    folder = SqlFolder(env, export(catalog, "sql", tmp_path))
    assert list(folder.read()) == []
    store_folder(folder)
    for name in ("straße", "strasse"):
        assert env.get_view(f"sales.`{name}`").columns[0].name == name


def test_a_table_document_with_other_sql_is_left_out(shop, catalog, tmp_path):
    from viewscribe.catalog_store import Column, TableDocument

    columns = (Column("id", "BIGINT", default="1); DROP TABLE x; --"),)
    shop.catalogs.save(TableDocument(database="sales", name="bad", columns=columns))
    text = (export(catalog, "sql", tmp_path) / "tables.sql").read_text()
    assert "-- spark_catalog.sales.bad is left out: " in text
    assert "DROP" not in text


# -- catalogs of metadata --------------------------------------------------------------------------


def test_openlineage_has_an_event_a_view(shop, catalog, tmp_path):
    out = export(catalog, "openlineage", tmp_path)
    events = [json.loads(each) for each in (out / "events.ndjson").read_text().split("\n")[:-1]]
    assert [each["job"]["name"] for each in events] == [
        f"spark_catalog.{name}"
        for name in ("sales.days", "sales.german", "sales.totals", "hr.german")
    ]
    totals = events[2]
    lineage = totals["outputs"][0]["facets"]["columnLineage"]
    (origin,) = lineage["fields"]["Total"]["inputFields"]
    assert (origin["name"], origin["field"]) == ("spark_catalog.sales.orders", "amount")
    assert totals["eventTime"] == shop.history("sales.totals")[-1].version.at


def test_datahub_has_schemas_texts_and_lineage(shop, catalog, tmp_path):
    out = export(catalog, "datahub", tmp_path)
    proposals = json.loads((out / "proposals.json").read_text())
    found = {(each["entityUrn"], each["aspectName"]): each["aspect"]["json"] for each in proposals}
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,spark_catalog.sales.{},PROD)"
    view = urn.format("totals")
    assert found[view, "viewProperties"]["viewLogic"] == shop.get_view("sales.totals").sql
    assert found[urn.format("german"), "datasetProperties"]["description"] == COMMENT
    assert [each["dataset"] for each in found[view, "upstreamLineage"]["upstreams"]] == [
        urn.format("german"),
        urn.format("orders"),
    ]
    total = found[view, "upstreamLineage"]["fineGrainedLineages"][1]
    assert total["upstreams"] == [f"urn:li:schemaField:({urn.format('orders')},amount)"]


@pytest.mark.parametrize("target", ["datahub", "openlineage"])
def test_names_with_dots_stay_apart(shop, catalog, tmp_path, target):
    names = (("a.b", "c"), ("a", "b.c"), ("a", "b`.`c"), ("a`.`b", "c"), ("a)", "b"), ("a%29", "b"))
    for name in names:
        shop.create_database(quote_name(name[:1]), if_not_exists=True)
        shop.create_view(quote_name(name), shop.sql_query("SELECT 1 AS a"))
    (text,) = (each.read_text() for each in export(catalog, target, tmp_path).glob("[!.]*"))
    if target == "datahub":
        found = [
            each["entityUrn"] for each in json.loads(text) if each["aspectName"] == "viewProperties"
        ]
    else:
        found = [json.loads(each)["job"]["name"] for each in text.splitlines()]
    assert len(set(found)) == len(found) == len(names) + 4
