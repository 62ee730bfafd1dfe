"""``viewscribe export --to``, and ``import`` of what dbt compiled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.cli.commands.exchange import TARGETS
from viewscribe.export import TARGETS as FORMS


def test_the_targets_of_the_command_are_those_of_the_package():
    assert tuple(FORMS) == TARGETS


def test_views_go_to_a_folder(run, run_json, views, place):
    result = run("export", "views", "--to", "dbt", "-o", "out")
    assert result.stdout == "Exported 2 views to dbt in out: 7 files, 7 new or changed.\n"
    data = run_json("export", "views", "sales.names", "--to", "sql", "-o", "sql")
    assert data["views"] == ["sales.young", "sales.names"]
    assert data["changed"] == data["files"] == sorted(data["files"])
    assert (data["skipped"], data["removed"]) == ([], [])
    data = run_json("export", "views", "sales.young", "--to", "sql", "-o", "sql")
    assert data["removed"] == ["views/0002_sales.names.sql"]


def test_what_cannot_be_exported(run, run_json, views, place):
    env = vs.TableEnvironment("file:./views")
    env.create_view("sales.jinja", env.sql_query("SELECT '{{' AS a"))
    result = run("export", "views", "--to", "sqlmesh", "-o", "out")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "sales.jinja cannot be exported to sqlmesh: SQLMesh takes {{" in result.stderr
    assert not (place / "out").exists()
    error = run_json("export", "views", "--to", "sqlmesh", "-o", "out", code=1)["error"]
    assert error["code"] == "ExportRefusedError"
    data = run_json("export", "views", "--to", "sqlmesh", "-o", "out", "--skip")
    assert [each["view"] for each in data["skipped"]] == ["sales.jinja"]
    (place / "out" / "config.yaml").write_text("mine")
    result = run("export", "views", "--to", "sqlmesh", "-o", "out", "--skip")
    assert (result.exit_code, (place / "out" / "config.yaml").read_text()) == (1, "mine")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--to", "dbt"),
        ("--to", "other", "-o", "x"),
        ("--to", "dbt", "-o", "x", "--iceberg", "y"),
        ("--to", "dbt", "-o", "x", "--location", "y"),
        ("sales.young", "--iceberg", "y", "--skip"),
        ("sales.young", "--iceberg", "y", "-o", "x"),
    ],
)
def test_wrong_usage(run, views, place, arguments):
    assert run("export", "views", *arguments).exit_code == 2
    assert sorted(each.name for each in place.iterdir()) == ["views"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "views", "--to", "sql", "-o", ""),
        ("export", "views", "sales.v", "--iceberg", ""),
        ("plan", "views", "views", "-o", ""),
        ("plan", "views", "views", "--html", ""),
        ("site", "views", "-o", ""),
        ("verify", "views", "--junit", ""),
    ],
)
def test_no_path_is_empty(run, views, place, arguments):
    before = sorted(place.rglob("*"))
    result = run(*arguments)
    assert result.exit_code == 2
    assert "the path is empty" in result.stderr
    assert sorted(place.rglob("*")) == before


def test_views_that_are_not_there(run, views):
    result = run("export", "views", "sales.yung", "--to", "dbt", "-o", "out")
    assert result.exit_code == 1
    assert "did you mean: sales.young" in result.stderr


# -- dbt -------------------------------------------------------------------------------------------


def model(name: str, sql: str, **fields: Any) -> dict[str, Any]:
    return {
        "resource_type": "model",
        "package_name": "shop",
        "original_file_path": f"models/{name}.sql",
        "name": name,
        "alias": name,
        "schema": "shop",
        "language": "sql",
        "config": {"materialized": "view", "pre-hook": []},
        "columns": {},
        "description": "",
        "compiled_code": sql,
        **fields,
    }


def write_target(place: Path, *models: dict[str, Any]) -> Path:
    source = {
        "schema": "raw",
        "identifier": "orders",
        "name": "orders_source",
        "description": "all of them",
        "columns": {
            "id": {"name": "id", "data_type": "BIGINT", "description": ""},
            "amount": {"name": "amount", "data_type": "DECIMAL(10, 2)", "description": "in EUR"},
        },
    }
    nodes = {f"model.shop.{each['name']}": each for each in models}
    manifest = {"metadata": {}, "nodes": nodes, "sources": {"source.shop.raw.orders": source}}
    target = place / "target"
    target.mkdir()
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


def test_compiled_models_become_views(run_json, place):
    config = {"materialized": "table", "pre-hook": []}
    hooks = [{"sql": "SET spark.sql.ansi.enabled = false;"}, {"sql": "GRANT SELECT ON x TO y"}]
    write_target(
        place,
        model("a_last", "SELECT doubled.amount AS a FROM shop.doubled"),
        model(
            "doubled",
            "-- from a table\nSELECT id, amount FROM `shop`.`kept`",
            description="twice",
            columns={"AMOUNT": {"name": "AMOUNT", "description": "in cents"}},
        ),
        model("kept", "SELECT id, amount * 2 AS amount FROM `raw`.`orders`", config=config),
        model("casts", "SELECT CAST('x' AS INT) AS i", config={"pre-hook": hooks}, alias="c"),
        model("inlined", "SELECT 1", config={"materialized": "ephemeral"}),
        model("python", "def model(): pass", language="python"),
    )
    data = run_json("import", "target", "--into", "views")
    assert sorted(data["views"]) == ["shop.a_last", "shop.c", "shop.doubled"]
    env = vs.TableEnvironment("file:./views")
    doubled = env.get_view("shop.doubled")
    assert (doubled.comment, doubled.columns[1].comment) == ("twice", "in cents")
    assert env.get_view("shop.c").settings["spark.sql.ansi.enabled"] == "false"
    assert doubled.settings["spark.sql.ansi.enabled"] == "true"
    assert env.list_tables("shop") == ["kept"]
    assert "amount DECIMAL" in str(env.from_path("shop.kept").schema)
    assert env.list_tables("raw") == ["orders"]


def test_what_is_wrong_in_models(run_json, place):
    write_target(
        place,
        model("late", "SELECT nmae FROM raw.orders"),
        model("raw_file", "", original_file_path="../../../etc/passwd"),
        model("hooked", "SELECT 1 AS a", config={"pre-hook": [{"sql": "SET ansi_mode = on"}]}),
    )
    data = run_json("check", "target", code=1)
    assert sorted((each["file"], each["message"]) for each in data["findings"]) == [
        (
            "target/compiled/shop/etc/passwd",
            "the model raw_file is not compiled",
        ),
        (
            "target/compiled/shop/models/hooked.sql",
            "what the pre_hook `SET ansi_mode = on` sets is not known",
        ),
        ("target/compiled/shop/models/late.sql", "no column `nmae` in the input"),
    ]


@pytest.mark.parametrize(
    ("hook", "ansi"),
    [
        ("/* why */ SET spark.sql.ansi.enabled = false; -- so", "false"),
        ("-- why\nset `spark.sql.ansi.enabled`=false;", "false"),
        ("SET spark.sql.ansi.enabled = false; RESET spark.sql.ansi.enabled", "true"),
        ("SET spark.sql.shuffle.partitions = 5", "true"),
        ("GRANT SELECT ON x TO y", "true"),
        ("SET TIME ZONE 'Asia/Tokyo'", None),
        ("SET spark.sql.session.timeZone = 'Asia/Tokyo'", None),
        ("SET spark.sql.ansi.enabled = maybe", None),
        ("SET timezone = UTC", None),
        ("{{ set_ansi_off() }}", None),
        ("{% if true %}SET spark.sql.ansi.enabled = false{% endif %}", None),
    ],
)
def test_what_hooks_set_is_read_or_refused(run_json, place, hook, ansi):
    write_target(place, model("v", "SELECT 1 AS a", config={"pre-hook": [{"sql": hook}]}))
    data = run_json("import", "target", "--into", "views", code=1 if ansi is None else 0)
    if ansi is None:
        assert [each["message"] for each in data["findings"]] == [
            f"what the pre_hook `{hook}` sets is not known"
        ]
    else:
        settings = vs.TableEnvironment("file:./views").get_view("shop.v").settings
        assert settings["spark.sql.ansi.enabled"] == ansi


def test_names_of_an_engine_with_catalogs_are_those_of_the_catalog(run_json, place):
    write_target(
        place,
        model(
            "a", 'SELECT "dk"."shop"."b".id, \'"dk"."x"\' AS t FROM "dk"."shop"."b"', database="dk"
        ),
        model("b", 'SELECT o.id FROM "dk"."raw"."orders" AS o', database="DK"),
    )
    data = run_json("import", "target", "--into", "views", "--dialect", "duckdb")
    assert data["views"] == ["shop.b", "shop.a"]
    env = vs.TableEnvironment("file:./views")
    assert "FROM spark_catalog.raw.orders" in env.get_view("shop.b").sql
    assert '"dk"."x"' in env.get_view("shop.a").sql


def test_another_database_than_the_project_is_in(run_json, place):
    write_target(
        place,
        model("a", "SELECT id FROM other.raw.orders", database="dk"),
        model("b", "SELECT id FROM dk.raw.orders WHERE", database="dk"),
    )
    data = run_json("check", "target", code=1)
    assert [each["message"].partition(",")[0] for each in data["findings"]] == [
        "no catalog `other`",
        "expected an expression",
    ]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"nodes": []}', '{"nodes": {"a": 1}}'])
def test_a_damaged_manifest(run, place, text):
    (place / "target").mkdir()
    (place / "target" / "manifest.json").write_text(text)
    result = run("import", "target", "--into", "views")
    assert "Traceback" not in result.output
    assert result.exit_code in (0, 1)


def test_tables_of_the_catalog_count_more_than_those_of_dbt(run_json, place):
    env = vs.TableEnvironment("file:./views")
    env.create_database("raw")
    env.create_table("raw.orders", "id BIGINT NOT NULL, amount DECIMAL(10, 2), more INT")
    write_target(place, model("more", "SELECT more FROM raw.orders"))
    assert run_json("import", "target", "--into", "views")["views"] == ["shop.more"]


# -- settings in files -----------------------------------------------------------------------------


def test_files_set_what_their_views_mean(run, run_json, place):
    (place / "queries").mkdir()
    file = place / "queries" / "v.sql"
    file.write_text(
        "SET spark.sql.ansi.enabled=false; -- casts give NULL\nSET `spark.sql.session.timeZone` ="
        " `Europe/Berlin`;\nRESET spark.sql.session.timeZone;\n"
        "CREATE VIEW s.v AS SELECT CAST('x' AS INT) AS i;\nRESET;"
    )
    assert run_json("import", "queries", "--into", "views")["views"] == ["s.v"]
    settings = vs.TableEnvironment("file:./views").get_view("s.v").settings
    assert settings["spark.sql.ansi.enabled"] == "false"
    assert settings["spark.sql.session.timeZone"] == "UTC"
    file.write_text("SET spark.sql.legacy.setopsPrecedence.enabled = true; SELECT 1 AS a")
    assert "is not read with" in run("check", "queries").output
    file.write_text("SET spark.sql.shuffle.partitions = 8; SELECT 1 AS a")
    assert "the meaning of no view depends on that" in run("check", "queries").output
    file.write_text("SET x; SELECT 1 AS a")
    assert "SET in a file of views" in run("check", "queries").output
