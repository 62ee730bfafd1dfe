"""Spark runs the scripts: the views mean the same there, whatever the session was set to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from viewscribe.export import export_catalog
from viewscribe.parser.grammar.statements import split_statements


def run_script(session: Any, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for each in split_statements(text):
        session.sql(text[each.start : each.end])


@pytest.fixture
def session(spark: Any):
    """A session of its own, and databases that go away."""
    made = spark.newSession()
    for name in ("sales", "hr"):
        made.sql(f"CREATE DATABASE {name}")
    yield made
    for name in ("hr", "sales"):
        made.sql(f"DROP DATABASE {name} CASCADE")


def test_scripts_make_views_with_their_settings(session, catalog, tmp_path):
    out = tmp_path / "out"
    export_catalog(catalog, "sql", out)
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    run_script(session, out / "tables.sql")
    session.sql("INSERT INTO sales.customers VALUES (1, 'Ann', DATE'2020-01-01'), (2, '%', NULL)")
    session.sql("INSERT INTO sales.orders VALUES (1, 1, 3.5, TIMESTAMP'2020-01-01 23:30:00Z')")
    before = session.conf.get("spark.sql.ansi.enabled")
    for file in sorted((out / "views").iterdir()):
        run_script(session, file)
    assert session.conf.get("spark.sql.ansi.enabled") == before
    rows = session.sql("SELECT CAST(d AS STRING), i FROM sales.days").collect()
    assert [tuple(each) for each in rows] == [("2020-01-02", None)]  # in Berlin, without ANSI
    assert [each.n for each in session.sql("SELECT n FROM hr.german").collect()] == ["Ann"]
    columns = session.catalog.listColumns("sales.german")
    assert columns[1].description == "na'me\n\u2028"
