"""The pytest plugin: fixtures ``view_snapshot``, ``view_env``, ``view_tables`` and ``spark``.

pytest imports this module whenever it starts, so that everything heavy waits for a fixture.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from viewscribe.snapshots.file_names import note_names
from viewscribe.snapshots.marker import note_outcome
from viewscribe.snapshots.options import add_options
from viewscribe.snapshots.project import enter_project, leave_project
from viewscribe.snapshots.summary import add_reports, count_verdicts, summary_lines

if TYPE_CHECKING:
    from viewscribe.snapshots.view_snapshot import ViewSnapshot
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.environment import TableEnvironment


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--snapshot-accept``, ``--viewscribe-prove`` and the setting ``view_tables``."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Describes the marker, and counts verdicts where the whole run is seen."""
    config.addinivalue_line(
        "markers",
        "view_tables(*tables, **columns): tables of view_env, as in "
        'view_tables("orders(id INT)", customers="id INT, name STRING")',
    )
    config.pluginmanager.register(_Counter(config), "viewscribe-verdicts")
    enter_project(config.rootpath)


def pytest_unconfigure() -> None:
    """Forgets the project."""
    leave_project()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Records names that differ in the case of letters alone."""
    report = yield
    if isinstance(collector, pytest.Module | pytest.Class):
        note_names(collector, report.result)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Records tests that did not come to their end."""
    report = yield
    note_outcome(item, report)
    add_reports(item, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fails a test of a view whose document cannot be read."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    for each in parameters:
        if type(each).__module__ == "viewscribe.snapshots.catalog_views":
            each.require_readable()


class _Counter:
    """Counts verdicts, and tells them at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        count_verdicts(self._config, report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines = list(summary_lines(self._config))
        if lines:
            terminalreporter.write_sep("-", "changed SQL")
            for line in lines:
                terminalreporter.write_line(line)


@pytest.fixture
def view_snapshot(request: pytest.FixtureRequest) -> ViewSnapshot:
    """The approved SQL of a test: ``assert table == view_snapshot``."""
    try:
        from viewscribe.snapshots.view_snapshot import make_view_snapshot
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "syrupy":
            raise
        pytest.fail('view_snapshot needs syrupy: pip install "viewscribe[test]"', pytrace=False)
    return make_view_snapshot(request)


@pytest.fixture
def view_tables() -> object:
    """The tables of ``view_env``; define a fixture of this name to give your own."""
    return ()


@pytest.fixture
def view_env(request: pytest.FixtureRequest, view_tables: object) -> TableEnvironment:
    """An environment with the tables of ``view_tables``; what a test stores in it is not kept."""
    from viewscribe.snapshots.view_environment import make_environment

    return make_environment(request, view_tables)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local Spark session, started for the first test that asks for it."""
    from viewscribe.spark.classes import require_spark

    require_spark()
    from viewscribe.spark.local import local_session

    quick = {"spark.sql.shuffle.partitions": "1", "spark.sql.session.timeZone": "UTC"}
    with local_session(master="local[2]", settings=quick) as session:
        yield session
