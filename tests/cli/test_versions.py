"""``viewscribe log``, ``diff`` between versions, ``rollback``."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.cli.commands.versions import mean_versions


@pytest.fixture
def changed(views, monkeypatch):
    """``sales.names`` in two versions."""
    monkeypatch.setenv("VIEWSCRIBE_AUTHOR", "ada")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "4000000000")
    env = vs.TableEnvironment("file:./views")
    young = env.from_path("sales.young")
    env.create_view(
        "sales.names",
        young.select(col("id"), col("name")),
        properties={"team": None},
        or_replace=True,
        reason="ids needed",
    )
    return views


def test_log(run, run_json, changed):
    lines = run("log", "views", "sales.names").stdout.splitlines()
    assert lines[0].split() == ["VERSION", "WHEN", "OPERATION", "AUTHOR", "FROM", "REASON"]
    assert lines[1].split()[:4] == ["2", "2096-10-02T07:06:40.000Z", "replace", "ada"]
    assert lines[1].endswith("ids needed")
    data = run_json("log", "views", "sales.names")
    assert [each["number"] for each in data["versions"]] == [2, 1]


def test_diff_of_the_last_change(run, changed):
    assert run("diff", "views", "sales.names").stdout.splitlines() == [
        "sales.names@1 → sales.names@2",
        "verdict: different (the columns differ)",
        "",
        "--- sales.names@1",
        "+++ sales.names@2",
        "@@ -1,3 +1,4 @@",
        " SELECT",
        "+  id,",
        "   name",
        " FROM spark_catalog.sales.young",
        "",
        "Columns",
        "+ id BIGINT NOT NULL",
        "",
        "Lineage",
        "+ id <- spark_catalog.sales.young.id (identity)",
        "",
        "Other",
        "FIELD       BEFORE           AFTER",
        'properties  {"team": "crm"}',
    ]


def test_diff_of_versions_of_two_objects(run_json, changed):
    data = run_json("diff", "views", "sales.names@2", "sales.young@1")
    assert data["before"]["version"]["number"] == 2
    assert (data["after"]["name"], data["columns"]) == ("young", [])
    data = run_json("diff", "views", "sales.names@1")
    assert [each["name"] for each in data["columns"]] == ["id"]


def test_verdicts(run, run_json, changed):
    assert run_json("diff", "views", "sales.names@2", "sales.names@1")["verdict"] == {
        "kind": "different",
        "why": "the columns differ",
        "columns": ["- id BIGINT NOT NULL"],
        "lineage": ["- id <- spark_catalog.sales.young.id (identity)"],
        "rows": [],
    }
    env = vs.TableEnvironment("file:./views")
    for condition in ("id > 1 AND name > 'a'", "name > 'a' AND id > 1", "name > 'a' AND id > 2"):
        text = f"SELECT id, name FROM sales.young WHERE {condition}"
        env.create_view("sales.names", env.sql_query(text), or_replace=True)
    assert run_json("diff", "views", "sales.names@3", "sales.names@4")["verdict"] == {
        "kind": "same meaning",
        "why": "both texts have the same normal form, so they give the same rows",
        "columns": [],
        "lineage": [],
        "rows": [],
    }
    assert run_json("diff", "views", "sales.names")["verdict"]["kind"] == "different"
    text = run("diff", "views", "sales.names@3", "sales.names@4", "--format", "markdown").stdout
    assert "verdict: same meaning" in text
    assert run_json("diff", "views", "sales.names@1", "sales.names@1")["verdict"] is None


def test_diff_without_a_difference(run, views):
    assert run("diff", "views", "sales.young").stdout.splitlines()[-1] == "no differences"


def test_rollback(run, run_json, changed):
    data = run_json("rollback", "views", "sales.names", "--to", "1", "--reason", "too early")
    assert (data["changed"], data["version"]["number"]) == (True, 3)
    assert run("rollback", "views", "sales.names", "--to", "3").stdout.startswith("nothing changed")
    versions = run_json("log", "views", "sales.names")["versions"]
    assert versions[0]["operation"] == "rollback"
    assert (versions[0]["source"], versions[0]["reason"]) == ("version 1", "too early")


def test_what_is_not_there(run, changed):
    result = run("rollback", "views", "sales.names", "--to", "9")
    assert result.exit_code == 1
    assert "its versions are: 1, 2" in result.stderr
    assert run("diff", "views", "sales.names@9").exit_code == 1
    assert run("log", "views", "sales.nams").exit_code == 1
    assert run("rollback", "views", "sales.names").exit_code == 2


def test_what_means_versions():
    assert mean_versions(["sales.v@1"])
    assert mean_versions(["views", "a", "b@12"])
    assert not mean_versions(["dev", "prod"])
    assert not mean_versions(["a@b"])
