"""What a shell completes behind ``viewscribe``."""

from __future__ import annotations

import pytest

from viewscribe.cli.app import app

CONFIG = """\
schema_version: 1
environments:
  dev:
    catalog: file:./views
  demo:
    catalog: file:./nowhere
"""


@pytest.fixture
def complete(views, monkeypatch):
    """The values that are offered for the last word, which may be empty; no folders and files."""
    from click.shell_completion import ShellComplete

    (views.parent / "viewscribe.yaml").write_text(CONFIG)
    shell = ShellComplete(app, {}, "viewscribe", "_VIEWSCRIBE_COMPLETE")

    def complete_(*words):
        found = shell.get_completions(list(words[:-1]), words[-1])
        return [each.value for each in found if each.type == "plain"]

    return complete_


def test_commands(complete):
    assert complete("li") == ["list", "lineage"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("list", "d"), ["dev", "demo"]),
        (("check", "de"), ["dev", "demo"]),
        (("plan", "dev", "dem"), ["demo"]),
        (("show", "dev", "SALES."), ["sales.customers", "sales.names", "sales.young"]),
        (("show", "./views", "h"), ["hr.twice"]),
        (("sql", "dev", "sales."), ["sales.names", "sales.young"]),
        (("verify", "dev", "sales.names", "sales.y"), ["sales.young"]),
        (("lineage", "dev", "sales.c"), ["sales.customers"]),
        (("rollback", "dev", "sales.y"), ["sales.young"]),
        (("show", "demo", ""), []),
        (("show", "no such place", ""), []),
    ],
)
def test_names(complete, words, found):
    assert complete(*words) == found


def test_names_of_the_catalog_of_the_variable(complete, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "dev")
    assert complete("show", "sales.n") == ["sales.names"]


def test_a_broken_environments_file_completes_nothing(complete, views):
    (views.parent / "viewscribe.yaml").write_text("environments: [")
    assert complete("list", "") == []
