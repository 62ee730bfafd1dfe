"""What README.md and the pages of docs/ show is what their examples do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import NEEDS_SPARK, ROOT, Page, pages

PAGES = {page: page.read_text(encoding="utf-8") for page in pages()}


@pytest.fixture
def tidy_spark(spark: Any) -> Iterator[Any]:
    """The session; what a page left in its catalog goes away."""
    before = _objects(spark)
    yield spark
    for name in dict(spark.conf.getAll):
        if name.startswith(("spark.sql.catalog.", "spark.sql.streaming.stateStore.")):
            spark.conf.unset(name)
    for database, names in _objects(spark).items():
        for name, kind in names - before.get(database, set()):
            spark.sql(f"DROP {kind} `{database}`.`{name}`")
        if database not in before:
            spark.sql(f"DROP DATABASE `{database}` CASCADE")


def _objects(spark: Any) -> dict[str, set[tuple[str, str]]]:
    """By database, the names and kinds; ``listTables`` fails at the views of a session.

    That is so where Spark interprets what it could compile.
    """
    found = {}
    for (database,) in spark.sql("SHOW DATABASES").collect():
        views = _shown(spark, f"SHOW VIEWS IN `{database}`")
        tables = _shown(spark, f"SHOW TABLES IN `{database}`") - views
        found[database] = {(name, "VIEW") for name in views} | {(name, "TABLE") for name in tables}
    return found


def _shown(spark: Any, command: str) -> set[str]:
    return {row[1] for row in spark.sql(command).collect() if not row.isTemporary}


def named(spark: bool, containing: str = "") -> list[Any]:
    return [
        pytest.param(page, id=page.name)
        for page, text in PAGES.items()
        if (NEEDS_SPARK in text) is spark and containing in text
    ]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory, and an environment that decides nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("VIEWSCRIBE_CATALOG", "NO_COLOR", "CI", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VIEWSCRIBE_AUTHOR", "ada")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")


@pytest.mark.parametrize("page", named(spark=False))
def test_page(page: Path, pytestconfig: pytest.Config) -> None:
    _compare(page, {}, pytestconfig)


@pytest.mark.slow("runs every code block of a page")
@pytest.mark.parametrize("page", named(spark=True))
def test_page_with_spark(page: Path, tidy_spark: Any, pytestconfig: pytest.Config) -> None:
    _compare(page, {"spark": tidy_spark}, pytestconfig)


@pytest.mark.parametrize("page", named(spark=False, containing="FROM spark_catalog.default."))
def test_spark_accepts_the_sql_of_the_page(page: Path, tidy_spark: Any) -> None:
    """In a database of its own, whose tables are empty."""
    run = Page(PAGES[page], str(page.relative_to(ROOT)))
    run.run()
    env, database = run.names["env"], "docs_page"

    def moved(text: str) -> str:
        return text.replace("spark_catalog.default.", f"spark_catalog.{database}.")

    tidy_spark.sql(f"CREATE DATABASE {database}")
    for name in env.list_tables():
        columns = env.catalogs.get("table", (name,)).document.columns
        ddl = ", ".join(f"`{column.name}` {column.type}" for column in columns)
        tidy_spark.sql(f"CREATE TABLE {database}.`{name}` ({ddl}) USING parquet")
    for name in env.list_views():
        tidy_spark.sql(f"CREATE VIEW {database}.`{name}` AS {moved(env.get_view(name).sql)}")
    tidy_spark.sql(f"USE {database}")  # texts of short names mean this
    try:
        for statement in run.statements:
            tidy_spark.sql(moved(statement))
    finally:
        tidy_spark.sql("USE default")


def _compare(page: Path, names: dict[str, Any], config: pytest.Config) -> None:
    """Also rewrites the page, where snapshots are being rewritten."""
    shown = page.read_text(encoding="utf-8")  # a part of it may have just been made from the code
    found = Page(shown, str(page.relative_to(ROOT)), names).run()
    if config.option.update_snapshots:
        page.write_text(found, encoding="utf-8")
    else:
        assert found == shown


LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(_prose(PAGES[page])):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in _anchors(file), f"{page.name} links to {target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", _prose(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
