"""``viewscribe list``."""

from __future__ import annotations

import subprocess
import sys

TEXT = """\
NAME             KIND      COLUMNS  COMMENT
hr.twice         function
sales.customers  table           3  Who buys
sales.names      view            1
sales.young      view            2  Those who told us …

2 views, 1 table, 1 function.
"""


def names(data):
    return [(each["kind"], each["database"], each["name"]) for each in data["objects"]]


def test_text(run, views):
    for place in ("views", "./views", "file:./views", "file:views", str(views), views.as_uri()):
        result = run("list", place)
        assert (result.exit_code, result.stdout, result.stderr) == (0, TEXT, "")


def test_json(run_json, views):
    data = run_json("list", "views")
    assert data["catalog"] == "file:views"
    assert data["counts"] == {"views": 2, "tables": 1, "functions": 1, "unreadable": 0}
    assert data["objects"][1] == {
        "kind": "table",
        "database": "sales",
        "name": "customers",
        "comment": "Who buys",
        "columns": 3,
        "path": "views/sales/customers.table.yaml",
        "error": None,
    }


def test_markdown(run, views):
    result = run("list", "views", "--format", "markdown", "--kind", "table")
    assert result.stdout == (
        "| name | kind | columns | comment |\n"
        "| --- | --- | ---: | --- |\n"
        "| `sales.customers` | table | 3 | Who buys |\n\n"
        "1 table.\n"
    )


def test_filters(run_json, views):
    assert names(run_json("list", "views", "--database", "SALES", "--kind", "view")) == [
        ("view", "sales", "names"),
        ("view", "sales", "young"),
    ]
    assert names(run_json("list", "views", "--kind", "function")) == [("function", "hr", "twice")]


def test_nothing(run, views):
    result = run("list", "views", "--database", "hr", "--kind", "view")
    assert (result.exit_code, result.stdout) == (0, "file:views holds nothing of the kind.\n")


def test_the_environment_names_the_catalog(run, run_json, views, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "views")
    assert run("list").stdout == TEXT
    (views.parent / "other").mkdir()
    assert run_json("list", "other")["objects"] == []


def test_damage_does_not_hide_the_rest(run, run_json, damaged):
    data = run_json("list", "views")
    assert [each["error"] is None for each in data["objects"]] == [True, True, False, True]
    error = data["objects"][2]["error"]
    assert error["code"] == "DamagedDocumentError"
    assert error["message"] == "views/sales/names.view.yaml:3: the key 'kind' is given twice"
    result = run("list", "views")
    assert result.exit_code == 0
    assert "unreadable: views/sales/names.view.yaml:3: the key 'kind'" in result.stdout
    assert result.stdout.endswith("1 unreadable: see viewscribe check file:views\n")


def test_a_damaged_database_is_shown(run_json, views):
    (views / "sales" / "_database.yaml").write_text("[")
    data = run_json("list", "views", "--database", "sales")
    assert names(data)[0] == ("table", "sales", "customers")
    assert data["counts"] == {"views": 2, "tables": 1, "functions": 0, "unreadable": 1}


def test_unknown_database(run, views):
    result = run("list", "views", "--database", "salse")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "DatabaseNotFoundError: no database `salse`\n  did you mean: sales\n"


def test_a_stored_text_does_not_steer_the_terminal(run, views):
    import viewscribe as vs

    env = vs.TableEnvironment("file:./views")
    env.create_table("sales.`a\x1b[2Jb`", "x INT", comment="red \x1b[31m \u202e|")
    result = run("list", "views", "--kind", "table")
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "sales.`a\\x1b[2Jb`" in result.stdout
    shown = run("list", "views", "--kind", "table", "--format", "markdown").stdout
    assert "red \\\\x1b\\[31m \\\\u202e\\| |" in shown


def test_a_server_that_is_not_there_is_told_once():
    """The client's library logs the same, which without a log would go to stderr, too."""
    command = (sys.executable, "-m", "viewscribe", "list", "hive+thrift://127.0.0.1:1")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("CatalogUnreachableError: nothing answers at hive+thrift://")
    assert done.stderr.count("Could not connect") == 1
