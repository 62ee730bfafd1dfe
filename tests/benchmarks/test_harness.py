"""The harness runs, and every contestant produces the SQL its row asks for. Nothing is timed."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

pytest.importorskip("ibis")
pytest.importorskip("sqlframe")

from benchmarks import __main__ as command
from benchmarks import asynchronous, capturing, files, migration
from benchmarks.capturing import Captured
from benchmarks.report import OTHERS, Results, RowResult, as_json, as_markdown, show
from benchmarks.rows import ROWS, VIEWSCRIBE, EmptyWorkError, Jobs, Row, check, contestants, jobs_of
from benchmarks.startup import Startup
from benchmarks.timing import Failure, attempt, interleaved

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
SLOW = {("columns", "sqlframe")}  # many seconds; the harness itself checks it

BY_NAME = {row.name: row for row in ROWS}
COMPARED = [row for row in ROWS if row.seconds is None]


@pytest.fixture(scope="module")
def tools() -> dict[str, Jobs]:
    return contestants()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_contestant_does_the_work(row: Row, tools: dict[str, Jobs]) -> None:
    for tool, job in jobs_of(row, tools).items():
        if (row.name, tool) not in SLOW:
            check(row, tool, job())


@pytest.mark.parametrize("row", COMPARED, ids=lambda row: row.name)
def test_every_tool_takes_part(row: Row, tools: dict[str, Jobs]) -> None:
    assert set(jobs_of(row, tools)) == {VIEWSCRIBE, *OTHERS}


def test_empty_work_is_refused() -> None:
    with pytest.raises(EmptyWorkError, match="reads"):
        check(BY_NAME["q01"], "nobody", "SELECT 1 AS one FROM elsewhere")
    with pytest.raises(EmptyWorkError, match="of 1000 GT"):
        check(BY_NAME["conjunction"], "nobody", "SELECT id FROM events WHERE id > 1")
    terms = " AND ".join(["id > 1"] * 1_000)
    with pytest.raises(EmptyWorkError, match="lacks the numbers"):
        check(BY_NAME["conjunction"], "nobody", f"SELECT id FROM events WHERE {terms}")


def test_what_a_tool_cannot_do_has_a_reason() -> None:
    def endless() -> str:
        return endless()

    assert attempt(lambda: "SELECT 1") == "SELECT 1"
    failure = attempt(endless)
    assert isinstance(failure, Failure)
    assert "RecursionError" in failure.reason


def test_jobs_take_turns() -> None:
    turns: list[str] = []

    def job(name: str) -> str:
        turns.append(name)
        return name

    best = interleaved({"a": lambda: job("a"), "b": lambda: job("b")}, 2)
    assert set(best) == {"a", "b"}
    first, last = turns.index("b"), len(turns) - 1 - turns[::-1].index("a")
    assert first < last


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--json", "--rounds", "1", "--only", "chain"]) == 0
    document = json.loads(capsys.readouterr().out)
    (row,) = document["rows"]
    assert row["row"] == "chain"
    assert set(row["ratios"]) == set(OTHERS)
    assert row["smallest"] == min(row["ratios"].values())


def test_results_in_markdown_hold_ratios_only() -> None:
    outcomes: dict[str, float | Failure] = {
        VIEWSCRIBE: 0.001,
        "sqlframe": Failure("too deep"),
        "ibis": 0.04,
        "sqlglot": 0.012,
    }
    startup = Startup({VIEWSCRIBE: 0.05, "sqlframe": 0.4, "ibis": 0.5, "sqlglot": 0.1}, True)
    results = Results([RowResult(BY_NAME["chain"], outcomes)], startup)
    text = as_markdown(results)
    assert "| a chain of 3 steps | cannot | 40× | 12.0× | **12.0×** |" in text
    assert "| import | 8.0× | 10.0× | 2.0× | **2.0×** |" in text
    assert "sqlframe cannot do a chain of 3 steps: too deep" in text
    assert json.loads(as_json(results))["rows"][0]["reached"] is True


def test_results_are_written_between_their_marks(tmp_path, capsys) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")
    command.main(["--rounds", "1", "--only", "import", "--write", str(page)])
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("before\n<!-- results -->\n")
    assert text.endswith("<!-- end of results -->\nafter\n")
    assert "| import |" in text


def test_the_page_reports_ratios_of_every_row_and_no_times() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    results = page.split("<!-- results -->")[1].split("<!-- end of results -->")[0]
    for row in COMPARED:
        assert f"| {row.title} |" in results
    assert not re.search(r"\d ?(?:s|ms|µs|seconds)\b", results)


@pytest.mark.slow("captures four pipelines, two recorded and two classic")
def test_captures_are_measured_both_ways(spark: SparkSession) -> None:
    found = capturing.measure(1, steps=6, width=4)
    assert [each.title.split(" ", 1)[0] for each in found] == ["6", "6", "6", "4"]
    assert all(each.nodes > 6 and each.handed_out > 0 for each in found)


def test_captures_are_shown_beside_the_handing_out() -> None:
    slow = Captured("a slow one", nodes=10, handed_out=0.1, whole=0.2)
    fast = Captured("a fast one", nodes=1_000, handed_out=0.1, whole=0.2)
    endless = Captured("an endless one", nodes=10_000, handed_out=1.5, whole=3.0)
    assert [each.reached for each in (slow, fast, endless)] == [False, True, False]
    results = Results([], None, [slow, fast])
    assert "| a slow one | 10 | 2.0× | no |" in as_markdown(results)
    assert json.loads(as_json(results))["capture"][1]["reached"] is True


def test_the_migration_is_whole_and_reported() -> None:
    moved = migration.run(30)
    assert moved.views == 30
    assert min(moved.seconds, moved.rival, moved.peak) > 0
    document = json.loads(as_json(Results([], None, None, moved)))
    assert document["migration"]["views"] == 30


def test_a_catalog_of_files_is_whole_and_reported() -> None:
    read = files.measure(20)
    assert min(read.listed, read.loaded) > 0
    results = Results([], None, files=read)
    assert json.loads(as_json(results))["files"]["views"] == 20
    console = Console(record=True, file=StringIO(), width=200)
    show(results, console)
    assert "20 views in files: listed in" in console.export_text()


@pytest.mark.slow("runs each contestant of the bench once in Spark")
def test_asynchronous_calls_are_measured(spark: SparkSession) -> None:
    for name in ("plain", "waiting"):
        found = asynchronous.table(name, 20).to_dataframe(spark).collect()
        assert sorted(map(tuple, found)) == [(x, x + 1) for x in range(20)]
    assert 0 < asynchronous.overhead(1_000) < 1
    waited = asynchronous.Waiting(rows=20, plain=4.0, asynchronous=0.1, overhead=20e-6)
    out = StringIO()
    show(Results([], None, waiting=waited), Console(file=out, width=200))
    assert "done 40.0 times sooner" in out.getvalue()
    assert json.loads(as_json(Results([], None, waiting=waited)))["asynchronous"]["reached"]
