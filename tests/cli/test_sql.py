"""``viewscribe sql``."""

from __future__ import annotations

import msgspec
import pytest

import viewscribe as vs
from viewscribe import serializer
from viewscribe.catalog_store import FileCatalog
from viewscribe.cli.commands.sql import STYLES

SQL = """\
SELECT
  id,
  upper(name) AS name
FROM spark_catalog.sales.customers
WHERE gender IS NOT NULL
"""
PIPE = """\
FROM spark_catalog.sales.customers
|> WHERE gender IS NOT NULL
|> SELECT id, upper(name) AS name
"""


def test_styles_are_those_of_the_serializer():
    assert STYLES == serializer.STYLES


def test_stored(run, run_json, views):
    assert run("sql", "views", "sales.young").stdout == SQL
    assert run_json("sql", "views", "sales.young") == {
        "catalog": "file:views",
        "database": "sales",
        "name": "young",
        "style": "readable",
        "source": "stored",
        "sql": SQL.rstrip(),
    }


def test_printed_anew(run, run_json, views):
    assert run("sql", "views", "sales.young", "--style", "pipe").stdout == PIPE
    data = run_json("sql", "views", "sales.young", "--style", "nested")
    assert (data["style"], data["source"]) == ("nested", "plan")
    assert data["sql"].count("SELECT") > 1


def test_as_it_was_written(run, run_json, views):
    text = "SELECT id -- of the customer\nFROM customers WHERE id>1"
    env = vs.TableEnvironment("file:views")
    env.use_database("sales")
    env.create_view("written", env.sql_query(text))
    assert run("sql", "views", "sales.written", "--source").stdout == f"{text}\n"
    assert run_json("sql", "views", "sales.written", "--source")["source"] == "author"
    assert (
        "spark-sql, from sql_query: viewscribe sql --source"
        in run("show", "views", "sales.written").stdout
    )
    shown = run_json("show", "views", "sales.written")["source"]
    assert (shown["text"], shown["namespace"]) == (text, ["spark_catalog", "sales"])
    for args in (["--style", "pipe"], ["--dialect", "trino"]):
        assert run("sql", "views", "sales.written", "--source", *args).exit_code == 2
    missing = run("sql", "views", "sales.young", "--source")
    assert (missing.exit_code, "no text of an author" in missing.stderr) == (1, True)


def test_markdown(run, views):
    shown = run("sql", "views", "sales.young", "--format", "markdown").stdout
    assert shown == f"```sql\n{SQL}```\n"


def test_the_stored_text_comes_out_to_the_byte(run, views):
    catalog = FileCatalog(views)
    stored = catalog.get("view", "sales", "young")
    text = "SELECT '\x07é\t' AS `a\u2028b`  \n"
    catalog.replace(msgspec.structs.replace(stored.document, sql=text), expected=stored.token)
    assert run("sql", "views", "sales.young").stdout == text


@pytest.mark.parametrize("style", [None, "pipe"])
def test_without_a_plan(run, views, style):
    catalog = FileCatalog(views)
    stored = catalog.get("view", "sales", "young")
    catalog.replace(msgspec.structs.replace(stored.document, plan=None), expected=stored.token)
    result = run("sql", "views", "sales.young", *(["--style", style] if style else []))
    if style is None:
        assert result.stdout == SQL
    else:
        assert result.stdout.startswith("FROM spark_catalog.sales.customers\n|> WHERE")


def test_a_text_that_is_not_read_has_no_styles(run, views):
    catalog = FileCatalog(views)
    stored = catalog.get("view", "sales", "young")
    text = "SELECT id, name FROM sales.customers TIMESTAMP AS OF now()"
    changed = msgspec.structs.replace(stored.document, plan=None, sql=text)
    catalog.replace(changed, expected=stored.token)
    result = run("sql", "views", "sales.young", "--style", "pipe")
    assert result.exit_code == 1
    assert "at a computed time" in result.stderr


def test_a_table_has_no_sql(run, views):
    result = run("sql", "views", "sales.customers")
    assert result.exit_code == 1
    assert result.stderr == ("WrongKindError: `sales`.`customers` is a table, not a view\n")


def test_the_environment_names_the_catalog(run, views, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "file:./views")
    assert run("sql", "sales.young").stdout == SQL
    assert run("sql", "views", "sales.young").stdout == SQL


def test_dialect(run, run_json, views):
    text = run("sql", "views", "sales.names", "--dialect", "trino").stdout
    assert text == "SELECT\n  name\nFROM sales.young\n"
    data = run_json("sql", "views", "sales.names", "--dialect", "DuckDB")
    assert (data["dialect"], data["source"]) == ("duckdb", "plan")
    assert run("sql", "views", "sales.young", "--dialect", "spark").stdout == SQL


def test_dialects_that_are_not_there(run, views):
    result = run("sql", "views", "sales.young", "--dialect", "flink")
    assert (result.exit_code, "no dialect 'flink'" in result.stderr) == (1, True)
    result = run("sql", "views", "sales.young", "--dialect", "trino", "--style", "pipe")
    assert result.exit_code == 2


def test_a_query_in_a_file(run, run_json, views, tmp_path):
    file = tmp_path / "query.sql"
    file.write_text("select upper(name) as name from sales.customers where id > 1")
    assert run("sql", "views", str(file), "--style", "pipe").stdout == (
        "FROM spark_catalog.sales.customers\n|> WHERE id > 1\n|> SELECT upper(name) AS name\n"
    )
    data = run_json("sql", "views", str(file))
    assert data["columns"] == [{"name": "name", "type": "STRING"}]
    assert data["sql"].startswith("SELECT\n  upper(name) AS name\nFROM")


def test_a_mistake_in_a_file_is_shown_where_it_stands(run, views, tmp_path):
    file = tmp_path / "query.sql"
    file.write_text("SELECT id,\n  summ(id)\nFROM sales.customers")
    result = run("sql", "views", str(file))
    assert result.exit_code == 1
    assert "line 2, column 3" in result.stderr
