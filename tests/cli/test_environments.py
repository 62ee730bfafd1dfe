"""Environments of viewscribe.yaml wherever a command takes a catalog."""

from __future__ import annotations

import pytest

CONFIG = """\
schema_version: 1
environments:
  prod: {catalog: "${env:PLACE}"}
  lake: {catalog: "file:./lake", catalog_name: lake}
"""


@pytest.fixture
def prod(place, views, monkeypatch):
    """An environment whose catalog is ``views``, as only the process knows."""
    (place / "viewscribe.yaml").write_text(CONFIG)
    monkeypatch.setenv("PLACE", "file:./views")


COMMANDS = (
    ("list",),
    ("check",),
    ("show", "sales.names"),
    ("sql", "sales.names"),
    ("log", "sales.names"),
    ("diff", "sales.names@1"),
    ("diff", "sales.names"),
    ("rollback", "sales.names", "--to", "1"),
    ("lineage", "sales.names"),
    ("export", "sales.names", "--iceberg", "-"),
)


@pytest.mark.parametrize("command", COMMANDS, ids="-".join)
@pytest.mark.parametrize("variable", [False, True], ids=["argument", "variable"])
def test_an_environment_is_a_catalog(run, prod, monkeypatch, command, variable):
    name, *others = command
    wanted = run(name, "./views", *others)
    assert wanted.exit_code == 0
    if variable and command != ("diff", "sales.names"):
        monkeypatch.setenv("VIEWSCRIBE_CATALOG", "prod")
        found = run(name, *others)
    else:
        found = run(name, "prod", *others)
    assert (found.exit_code, found.stdout) == (0, wanted.stdout)


def test_an_environment_before_the_variable(run, prod, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "./nowhere")
    assert run("diff", "prod", "sales.names@1").exit_code == 0


def test_a_name_that_is_none(run, prod, views):
    result = run("list", "prd")
    assert result.exit_code == 1
    assert "viewscribe.yaml has no environment `prd`\n  did you mean: prod\n" in result.stderr
    assert run("list", "views").exit_code == 0


def test_a_variable_that_is_not_set(run, prod, monkeypatch):
    monkeypatch.delenv("PLACE")
    result = run("list", "prod")
    assert result.exit_code == 1
    assert result.stderr == (
        "UnsetVariableError: the environment variable `PLACE` is not set, which the catalog of "
        "prod needs\n  export PLACE=…\n"
    )


def test_saving_where_the_catalog_is_called_otherwise(run, prod):
    result = run("save", "os:getcwd", "sales.x", "--catalog", "lake")
    assert result.exit_code == 2
    assert "views of lake call their catalog `lake`" in result.stderr
