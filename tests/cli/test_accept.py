"""``viewscribe accept``, and the warnings of commands that read a view that was edited by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import viewscribe as vs
from viewscribe import lit
from viewscribe.catalog_store import Column, FileCatalog, ViewDocument
from viewscribe.catalog_store.errors import BreakingChangeError


@pytest.fixture
def edited(views: Path) -> Path:
    """The catalog after somebody changed the text of a view in its file."""
    file = views / "sales" / "young.view.yaml"
    text = file.read_text()
    file.write_text(text.replace("gender IS NOT NULL", "gender = 'f'", 1))
    return views


def test_check_says_how_to_accept_an_edit(run, run_json, edited):
    (finding,) = run_json("check", "views", code=3)["findings"]
    assert finding["code"] == "edited"
    assert finding["message"].endswith("edited by hand, and its text is not what its plan prints")
    assert "viewscribe accept sales.young" in finding["hint"]
    result = run("accept", "views", "sales.young", "--reason", "asked for")
    assert (result.exit_code, result.stdout.splitlines(keepends=True)[-1]) == (
        0,
        "Accepted the text of sales.young as its query. Next, in Spark: viewscribe verify "
        "file:views sales.young\n",
    )
    assert run_json("check", "views")["ok"]
    assert "gender = 'f'" in run("sql", "views", "sales.young", "--style", "pipe").stdout
    assert "gender = 'f'" in run("sql", "views", "sales.young", "--source").stdout


def test_what_an_accepted_text_changes_is_shown(run, run_json, views):
    file = views / "sales" / "young.view.yaml"
    old = file.read_text()
    file.write_text(old.replace("upper(name) AS name", "id + 1 AS next, gender AS name", 1))
    shown = run("accept", "views", "sales.young", "--dry-run").stdout
    assert shown.endswith("Nothing was stored.\n")
    assert "Query\n" in shown
    assert "-  upper(name) AS name\n+  id + 1 AS next,\n+  gender AS name\n" in shown
    data = run_json("accept", "views", "sales.young")
    assert data["columns"] == ["+ next BIGINT NOT NULL"]
    source = "spark_catalog.sales.customers"
    assert data["lineage"] == [
        f"+ next <- {source}.id (transformation)",
        f"+ name <- {source}.gender (identity)",
        f"- name <- {source}.name (transformation)",
    ]
    assert any(line.startswith("+Project(") for line in data["tree"])
    assert run_json("accept", "views", "sales.young")["accepted"] == "nothing"


def test_an_edit_of_the_form_alone_is_told_from_one_of_the_meaning(run, run_json, views):
    file = views / "sales" / "young.view.yaml"
    old = file.read_text()
    file.write_text(old.replace("gender IS NOT NULL", "NOT (gender IS NULL)", 1))
    shown = run("accept", "views", "sales.young", "--dry-run").stdout
    assert "It means what it meant before: only its form is another." in shown
    assert run_json("accept", "views", "sales.young")["means_the_same"] is True
    file.write_text(file.read_text().replace("gender IS NOT NULL", "gender IS NULL", 1))
    assert run_json("accept", "views", "sales.young")["means_the_same"] is False


def test_the_view_of_somebody_else_becomes_ours(run_json, views):
    catalog = FileCatalog(views)
    text = "SELECT c.id, count(*) c FROM customers c GROUP BY ALL -- as I think"
    columns = (Column("id", "BIGINT", nullable=False), Column("n", "BIGINT", nullable=False))
    theirs = ViewDocument(
        database="sales", name="theirs", sql=text, columns=columns, spark_version="4.0.1"
    )
    catalog.create(theirs)
    assert run_json("sql", "views", "sales.theirs")["sql"] == text
    data = run_json("sql", "views", "sales.theirs", "--style", "pipe")
    assert (data["source"], data["sql"]) == (
        "text",
        "FROM spark_catalog.sales.customers AS c\n|> AGGREGATE count(*) AS n GROUP BY id",
    )
    assert run_json("accept", "views", "sales.theirs")["accepted"] == "text"
    assert "count(*) AS n\n" in run_json("sql", "views", "sales.theirs")["sql"]
    assert run_json("check", "views")["ok"]


def test_nothing_to_accept(run_json, views):
    data = run_json("accept", "views", "sales.young")
    assert data == {"catalog": "file:views", "view": "sales.young", "accepted": "nothing"}


READERS = {
    "sql": ("sql", "views", "sales.young"),
    "export": ("export", "views", "sales.young", "--iceberg", "out.json"),
    "lineage": ("lineage", "views", "sales.young"),
    "lineage of its reader": ("lineage", "views", "sales.names"),
    "lineage, downstream": ("lineage", "views", "sales.customers", "--downstream"),
}


@pytest.mark.parametrize("reader", READERS)
def test_readers_warn_of_an_edited_view(run, views, edited, reader):
    result = run(*READERS[reader])
    assert result.exit_code == 0
    assert "warning: the view sales.young was edited by hand" in result.stderr
    assert "warning" not in run(*READERS[reader], "--json").stdout


@pytest.mark.parametrize("reader", READERS)
def test_readers_warn_of_a_changed_table(run, views, reader):
    assert run(*READERS[reader]).stderr == ""
    env = vs.TableEnvironment("file:./views")
    env.create_table("sales.customers", "id BIGINT NOT NULL, name STRING", or_replace=True)
    result = run(*READERS[reader])
    assert result.exit_code == 0
    assert "warning: the view sales.young may be out of date: " in result.stderr
    assert "the column `gender` is gone" in result.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("upper(name) AS name", "id", "two columns of the view are called `id`"),
        (
            "FROM spark_catalog.sales.customers\n  WHERE gender IS NOT NULL",
            "FROM spark_catalog.sales.young",
            "read itself",
        ),
        ("upper(name)", "upper(nam)", "did you mean: name"),
        ("upper(name)", "upper(name", "line 3, column"),
        ("gender IS NOT NULL", "gender IS NOT NULL; DROP TABLE x", "expected the end of the query"),
    ],
)
def test_what_no_view_can_be_is_refused(run, views, old, new, said):
    file = views / "sales" / "young.view.yaml"
    edited = file.read_text().replace(old, new, 1)
    file.write_text(edited)
    result = run("accept", "views", "sales.young")
    assert (result.exit_code, said in result.stderr) == (1, True), result.stderr
    assert file.read_text() == edited


def test_an_edited_setting_must_leave_the_meaning(run, run_json, views):
    env = vs.TableEnvironment(FileCatalog(views))
    env.create_view("sales.quoted", env.sql_query("SELECT 'a\\\\b' AS x FROM sales.customers"))
    file = views / "sales" / "quoted.view.yaml"
    name = "spark.sql.parser.escapedStringLiterals"
    file.write_text(file.read_text().replace(f'{name}: "false"', f'{name}: "true"', 1))
    result = run("accept", "views", "sales.quoted")
    assert result.exit_code == 1
    assert "would mean something else" in result.stderr


def test_a_text_written_for_other_settings_is_stored_as_it_is_printed(run, views):
    """With raw strings, a backslash is one; the text that is stored is printed for the default."""
    env = vs.TableEnvironment(FileCatalog(views))
    env.create_view("sales.quoted", env.sql_query("SELECT 'a' AS x FROM sales.customers"))
    file = views / "sales" / "quoted.view.yaml"
    name = "spark.sql.parser.escapedStringLiterals"
    text = file.read_text().replace(f'{name}: "false"', f'{name}: "true"', 1)
    file.write_text(text.replace("'a' AS x", "'a\\b' AS x", 1))
    assert run("accept", "views", "sales.quoted").exit_code == 0
    view = vs.TableEnvironment(FileCatalog(views)).get_view("sales.quoted")
    assert "'a\\\\b' AS x" in view.sql
    assert view.settings[name] == "false"
    assert run("check", "views").exit_code == 0


def _drop_name(views: Path) -> str:
    """Somebody takes the column ``name`` out of a view that another one reads."""
    file = views / "sales" / "young.view.yaml"
    edited = file.read_text().replace("  id,\n    upper(name) AS name\n", "  id\n", 1)
    assert edited != file.read_text()
    file.write_text(edited)
    return edited


def test_what_views_above_need_is_not_taken_away_without_a_word(run, run_json, views):
    env = vs.TableEnvironment(FileCatalog(views))
    env.create_view("sales.ids", env.from_path("sales.young").select("id"))
    env.create_view("sales.again", env.from_path("sales.names").select("name"))
    edited = _drop_name(views)
    shown = run("accept", "views", "sales.young", "--dry-run")
    assert shown.exit_code == 0
    assert "breaks sales.names: sales.young name (removed)\n" in shown.stdout
    assert "breaks sales.again, through sales.names\n" in shown.stdout
    assert "sales.ids" not in shown.stdout
    refused = run("accept", "views", "sales.young")
    assert refused.exit_code == 1
    assert "sales.names: sales.young name (removed)" in refused.stderr
    assert "--allow-breaking" in refused.stderr
    assert (views / "sales" / "young.view.yaml").read_text() == edited
    data = run_json("accept", "views", "sales.young", "--allow-breaking")
    assert [each["view"] for each in data["breaks"]] == ["sales.names", "sales.again"]
    assert [each.name for each in env.get_view("sales.young").columns] == ["id"]


def test_so_it_is_in_python(views):
    _drop_name(views)
    env = vs.TableEnvironment(FileCatalog(views))
    with pytest.raises(BreakingChangeError, match=r"sales\.names: sales\.young name \(removed\)"):
        env.accept_view("sales.young")
    assert env.accept_view("sales.young", allow_breaking=True) == "text"


def test_going_back_takes_away_as_little(run, views):
    env = vs.TableEnvironment(FileCatalog(views))
    young = env.view_table("sales.young")
    env.create_view("sales.young", young.add_columns(lit(1).alias("one")), or_replace=True)
    env.create_view("sales.ones", env.from_path("sales.young").select("one"))
    refused = run("rollback", "views", "sales.young", "--to", "1")
    assert (refused.exit_code, "sales.ones: sales.young one" in refused.stderr) == (1, True)
    with pytest.raises(BreakingChangeError):
        env.rollback("sales.young", 1)
    assert run("rollback", "views", "sales.young", "--to", "1", "--allow-breaking").exit_code == 0
    assert run("rollback", "views", "sales.young", "--to", "2").exit_code == 0


def test_neither_makes_a_circle(run, views):
    """The edited text reads a view that reads the one that was edited."""
    file = views / "sales" / "young.view.yaml"
    old = file.read_text()
    text = "SELECT 1L AS id, name FROM spark_catalog.sales.names"
    start, end = old.index("sql: "), old.index("columns:")
    file.write_text(f"{old[:start]}sql: {text}\n{old[end:]}")
    result = run("accept", "views", "sales.young", "--allow-breaking")
    assert (result.exit_code, "in a circle" in result.stderr) == (1, True), result.stderr
    file.write_text(old)
    env = vs.TableEnvironment(FileCatalog(views))
    values = env.from_values([(1, "a")], "id BIGINT NOT NULL, name STRING")
    env.create_view("sales.young", values, or_replace=True)
    env.create_view("sales.names", env.from_path("sales.customers").select("name"), or_replace=True)
    env.create_view("sales.young", env.from_path("sales.names"), or_replace=True)
    result = run("rollback", "views", "sales.names", "--to", "1", "--allow-breaking")
    assert (result.exit_code, "in a circle" in result.stderr) == (1, True), result.stderr
