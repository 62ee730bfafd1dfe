"""The demo: what it stores, what it says of views that verify and of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from examples.tpch import data, demo, reopen
from examples.tpch.queries import QUERIES, tables
from viewscribe import TableEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

SCALE_FACTOR = 0.001


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data.generate(tmp_path_factory.mktemp("data"), SCALE_FACTOR)


@pytest.fixture(autouse=True)
def _small(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "DATA", generated)
    monkeypatch.setattr(demo, "CATALOG", tmp_path / "views")
    monkeypatch.setattr(demo, "SCALE_FACTOR", SCALE_FACTOR)


@pytest.mark.slow("writes data")
@pytest.mark.parametrize("problem", ["", "two rows are missing"])
def test_result_is_shown_and_told_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problem: str
) -> None:
    def verified(lines: dict[str, demo.Line], _: demo.Reporter) -> None:
        for line in lines.values():
            line.rows, line.problem, line.verified = 7, "", True
        lines["q05"].problem, lines["q05"].verified = problem, not problem

    monkeypatch.setattr(demo, "verify_views", verified)
    assert demo.main() == (1 if problem else 0)
    shown = capsys.readouterr()
    assert f"{21 if problem else 22} of 22 views verified" in shown.out
    assert ("q05: two rows are missing" in shown.out) is bool(problem)
    assert "q22 Global sales opportunity" in shown.err


def test_views_lie_in_the_catalog_as_they_are_shown() -> None:
    with demo.Reporter() as reporter:
        lines = list(demo.save_views(reporter))
    env = TableEnvironment.open(f"file:{demo.CATALOG}")
    assert env.list_views() == [line.name for line in lines] == list(QUERIES)
    assert env.list_tables() == list(data.TABLES)
    for line in lines:
        assert env.view_table(line.name).equals(QUERIES[line.name](env))
        assert env.get_view(line.name).sql.count("SELECT") == line.blocks


@pytest.fixture
def env(spark: SparkSession, tmp_path: Path) -> Iterator[TableEnvironment]:
    env = TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    tables(env, demo.DATA)
    for name in ("q12", "q15"):
        env.create_view(name, QUERIES[name](env))
    yield env
    for table in data.TABLES:
        spark.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.slow("generates the data, and runs each view, its pipeline and the published query")
def test_views_are_verified_from_the_catalog_unless_their_text_says_something_else(
    env: TableEnvironment, spark: SparkSession
) -> None:
    verdicts = [reopen.verdict(env, name, spark) for name in env.list_views()]
    assert verdicts == [
        {"name": "q12", "rows": 2, "problem": ""},
        {"name": "q15", "rows": 1, "problem": ""},
    ]
    view = env.get_view("q12")
    changed = msgspec.structs.replace(view, sql=view.sql.replace("'MAIL'", "'RAIL'"))
    env.catalogs.save(changed, or_replace=True)
    problem = reopen.verdict(env, "q12", spark)["problem"]
    assert "different" in problem
