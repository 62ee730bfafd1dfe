"""A small catalog of files in an empty directory, and a way to run commands there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import viewscribe as vs
from viewscribe import col
from viewscribe.cli.app import app

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory, and an environment that decides nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("VIEWSCRIBE_CATALOG", "NO_COLOR", "CI", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def views(place: Path) -> Path:
    """The catalog ``views``: a table and two views in ``sales``, a function in ``hr``."""
    env = vs.TableEnvironment("file:./views")
    env.create_database("sales")
    env.create_database("hr")
    env.create_table(
        "sales.customers",
        "id BIGINT NOT NULL, name STRING COMMENT 'as on the contract', gender STRING",
        comment="Who buys",
        format="parquet",
        location="/data/customers",
    )
    customers = env.from_path("sales.customers")
    young = customers.filter(col("gender").is_not_null()).select(
        col("id"), col("name").upper_case().alias("name")
    )
    env.create_view("sales.young", young, comment="Those who told us\nmore than we asked")
    names = env.from_path("sales.young").select(col("name"))
    env.create_view("sales.names", names, properties={"team": "crm"})
    function = vs_function()
    env.catalogs.save(function)
    return place / "views"


def vs_function() -> Any:
    from viewscribe.catalog_store import FunctionDocument, Parameter

    return FunctionDocument(
        database="hr",
        name="twice",
        function_kind="scalar",
        language="sql",
        body="x * 2",
        parameters=(Parameter("x", "INT", comment="what to double"),),
        returns="INT",
        deterministic=False,
    )


@pytest.fixture
def run() -> Run:
    """Runs a command line in this process."""

    def run_(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(app, list(arguments), **options)

    return run_


@pytest.fixture
def run_json(run: Run) -> Callable[..., Any]:
    """Runs a command line with ``--json``; gives what it wrote and checks the exit code."""

    def run_json_(*arguments: str, code: int = 0) -> Any:
        result = run(*arguments, "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    return run_json_


@pytest.fixture
def damaged(views: Path) -> Path:
    """The path of ``sales.names``, damaged."""
    path = views / "sales" / "names.view.yaml"
    path.write_text("schema_version: 1\nkind: view\nkind: view\nname: names\n")
    return path
