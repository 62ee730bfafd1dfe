"""Defaults and CHECK conditions of tables: stored as they were written, and said again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe.catalog_store import (
    CheckConstraint,
    InvalidDocumentError,
    TableDocument,
    open_catalog,
)
from viewscribe.catalog_store.documents.normalization import from_plain, to_plain
from viewscribe.errors import ViewscribeError

DDL = """
    CREATE TABLE t (
      id BIGINT NOT NULL CHECK (id > 0),
      `a b` STRING DEFAULT concat('it''s', ' (new)') COMMENT 'said',
      day DATE DEFAULT current_date(),
      CONSTRAINT `far enough` CHECK (day > DATE'2020-01-01' OR `a b` = ')'),
      PRIMARY KEY (id)
    ) USING parquet
"""
DEFAULTS = [None, "concat('it''s', ' (new)')", "current_date()"]
CHECKS = (
    CheckConstraint("id > 0"),
    CheckConstraint("day > DATE'2020-01-01' OR `a b` = ')'", "far enough"),
)


@pytest.mark.parametrize("url", ["memory:", "file:{}/views", "sqlite:///{}/views.db"])
def test_they_come_back(tmp_path, url):
    place = url.format(tmp_path)
    catalog = open_catalog(place)
    env = vs.TableEnvironment(catalog)
    env.execute_sql(DDL)
    stored = (catalog if url == "memory:" else open_catalog(place)).get("table", "default", "t")
    assert [each.default for each in stored.document.columns] == DEFAULTS
    assert stored.document.checks == CHECKS
    assert from_plain(to_plain(stored.document)) == stored.document


def test_show_create_makes_the_table_again():
    env = vs.TableEnvironment()
    env.execute_sql(DDL)
    before = env.catalogs.get("table", ["t"]).document
    ((text,),) = env.execute_sql("SHOW CREATE TABLE t").rows
    env.drop_table("t")
    env.execute_sql(text)
    assert env.catalogs.get("table", ["t"]).document == before
    assert env.execute_sql("SHOW CREATE TABLE t").rows == ((text,),)


def test_tables_without_any_are_as_before():
    env = vs.TableEnvironment()
    env.execute_sql("CREATE TABLE t (id BIGINT)")
    plain = to_plain(env.catalogs.get("table", ["t"]).document)
    assert "checks" not in plain
    assert plain["columns"] == [{"name": "id", "type": "BIGINT"}]


def test_from_python():
    env = vs.TableEnvironment()
    checks = [CheckConstraint("id > 0", "positive")]
    env.create_table("t", "id BIGINT", defaults={"id": "1"}, checks=checks)
    ((text,),) = env.execute_sql("SHOW CREATE TABLE t").rows
    assert "id BIGINT DEFAULT 1,\n  CONSTRAINT positive CHECK (id > 0)\n" in text
    with pytest.raises(ViewscribeError, match="no column `day`"):
        env.create_table("u", "id BIGINT", defaults={"day": "1"})


def test_views_have_none(tmp_path):
    env = vs.TableEnvironment(f"file:{tmp_path}/views")
    env.create_view("v", env.sql_query("SELECT 1 AS a"))
    view: Any = env.catalogs.get("view", ["v"]).document
    columns = (msgspec.structs.replace(view.columns[0], default="1"),)
    with pytest.raises(InvalidDocumentError):
        env.catalogs.save(msgspec.structs.replace(view, name="w", columns=columns))


@pytest.mark.parametrize("url", ["memory:", "file:{}/views", "sqlite:///{}/views.db"])
def test_no_view_has_a_default(tmp_path, url):
    catalog = open_catalog(url.format(tmp_path))
    env = vs.TableEnvironment(catalog)
    env.execute_sql("CREATE TABLE t (id BIGINT)")
    env.create_view("v", env.from_path("t"))
    view = env.get_view("v")
    column = msgspec.structs.replace(view.columns[0], default="1")
    with pytest.raises(InvalidDocumentError, match="view cannot have a default"):
        env.catalogs.save(msgspec.structs.replace(view, columns=(column,)), or_replace=True)


@pytest.mark.parametrize("text", ["1) USING jdbc --", "1, b INT", "1 /*", "1; DROP TABLE x"])
@pytest.mark.parametrize("what", ["default", "check"])
def test_show_create_says_nothing_that_is_no_expression(what, text):
    env = vs.TableEnvironment()
    env.execute_sql("CREATE TABLE t (id BIGINT)")
    table = env.catalogs.get("table", ["t"]).document
    assert isinstance(table, TableDocument)
    if what == "default":
        column = msgspec.structs.replace(table.columns[0], default=text)
        hostile = msgspec.structs.replace(table, columns=(column,))
    else:
        hostile = msgspec.structs.replace(table, checks=(CheckConstraint(text),))
    env.catalogs.save(hostile, or_replace=True)
    with pytest.raises(ViewscribeError, match="cannot be read as an expression"):
        env.execute_sql("SHOW CREATE TABLE t")
