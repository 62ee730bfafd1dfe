"""``viewscribe lineage``."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import viewscribe as vs


def test_upstream_is_the_default(run, views):
    lines = run("lineage", "views", "sales.names").stdout.splitlines()
    assert lines == [
        "sales.names.name",
        "├─ sales.young.name  identity",
        "│  ├─ sales.customers.name  transformation",
        "│  └─ rows of sales.young",
        "│     ├─ rows of sales.customers  rows",
        "│     └─ sales.customers.gender  filter",
        "└─ rows of sales.names",
        "   └─ rows of sales.young  rows  …",
        "",
        "3 columns of 2 views and tables.",
    ]


def test_downstream_of_a_column(run, views):
    lines = run("lineage", "views", "sales.customers.NAME", "--downstream").stdout.splitlines()
    assert lines[:3] == [
        "sales.customers.name",
        "└─ sales.young.name  transformation",
        "   └─ sales.names.name  identity",
    ]


def test_depth_and_json(run_json, views):
    data = run_json("lineage", "views", "spark_catalog.sales.names.name", "--depth", "1")
    assert (data["direction"], data["unknown"]) == ("upstream", [])
    assert data["edges"][0] == {
        "source": {"table": ["spark_catalog", "sales", "young"], "column": "name"},
        "target": {"table": ["spark_catalog", "sales", "names"], "column": "name"},
        "influence": [{"type": "DIRECT", "subtype": "IDENTITY"}],
    }
    assert len(data["edges"]) == 2


def test_mermaid_and_openlineage(run, run_json, views):
    drawn = run("lineage", "views", "sales.names", "--mermaid").stdout
    assert drawn.startswith('flowchart LR\n  subgraph t0["sales.names"]\n')
    (event, other) = run_json("lineage", "views", "sales.names", "--openlineage")
    assert event["job"]["name"] == "spark_catalog.sales.names"
    assert other["job"]["name"] == "spark_catalog.sales.young"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sales.young.nam", "did you mean: name"),
        ("sales.yung", "did you mean: sales.young"),
        ("sales.yung.name", "did you mean: sales.young.name"),
        ("nothing", "write database.view or database.view.column"),
    ],
)
def test_names_that_are_not_there(run, views, name, hint):
    result = run("lineage", "views", name)
    assert result.exit_code == 1
    assert hint in result.stderr


def test_what_cannot_be_read_is_not_passed_over_in_silence(run, run_json, damaged):
    result = run("lineage", "views", "sales.young", "--downstream")
    assert "sales.names: not followed: views/sales/names.view.yaml:3: " in result.stdout
    data = run_json("lineage", "views", "sales.young", "--downstream")
    assert [each["object"] for each in data["unreadable"]] == ["sales.names"]
    # Upstream there is nothing of it.
    assert run_json("lineage", "views", "sales.young")["unreadable"] == []
    young = damaged.with_name("young.view.yaml")
    names = young.read_text().replace("young", "names").replace("customers", "young")
    damaged.write_text(names)
    young.write_text("kind: view\n")
    data = run_json("lineage", "views", "sales.names")
    assert [each["object"] for each in data["unreadable"]] == ["sales.young"]


def test_lineage_of_an_environment_that_calls_its_catalog_otherwise(run, place, views):
    (place / "viewscribe.yaml").write_text(
        "schema_version: 1\nenvironments:\n"
        "  dev: {catalog: 'file:./views'}\n"
        "  lake: {catalog: 'file:./lake', catalog_name: lake}\n"
    )
    env = vs.TableEnvironment("file:./lake")
    env.create_database("sales")
    document = vs.TableEnvironment("file:./views").catalogs.get("table", ("sales", "customers"))
    env.catalogs.save(document.document)
    run("plan", "dev", "lake", "--select", "sales", "-o", "plan.json")
    assert run("apply", "plan.json").exit_code == 0
    result = run("lineage", "lake", "sales.names.name")
    assert result.stdout.startswith(
        "lake.sales.names.name\n├─ lake.sales.young.name  identity\n│  ├─ lake.sales.customers.name"
    )
    assert run("lineage", "lake", "lake.sales.names.name").stdout == result.stdout


def test_a_terminal_without_lines_gets_a_tree_of_ascii(views):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "viewscribe", "lineage", "views", "sales.names"]
    made = subprocess.run(command, capture_output=True, check=True, env=environment)
    lines = made.stdout.decode("ascii").splitlines()
    assert lines[0] == "sales.names.name"
    assert all("|- " in line or "`- " in line for line in lines[1:-2])
    assert "\\u" not in "".join(lines)
