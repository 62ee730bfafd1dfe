"""The table of the slowest tests at the end of a run, each with the reason for its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_SHOWN = 20
LONG = 5.0
"""Seconds from which on a test gives a reason: ``@pytest.mark.slow("why")``."""

_PROPERTY = "slow"


def note_reason(item: pytest.Item) -> None:
    """Sends the reason along with the reports of a test, from whichever process it runs in."""
    if (marker := item.get_closest_marker("slow")) is not None:
        item.user_properties.append((_PROPERTY, str(marker.args[0])))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows the table; a long test without a reason is told, and no failure: machines differ."""
    reports = [
        report
        for key in ("passed", "failed", "error", "")
        for report in terminalreporter.stats.get(key, ())
        if isinstance(report, pytest.TestReport) and report.when in ("setup", "call")
    ]
    lines = [*table(reports)]
    if lines:
        terminalreporter.section(f"the {len(lines)} slowest tests")
        for line in lines:
            terminalreporter.line(line)


def table(reports: Iterable[pytest.TestReport]) -> Iterable[str]:
    """A line for each of the slowest, those under a second left out."""
    slow = sorted(reports, key=lambda report: report.duration, reverse=True)
    for report in slow[:MOST_SHOWN]:
        if report.duration < 1:
            return
        reason = dict(report.user_properties).get(_PROPERTY, "")
        if not reason and report.when == "call" and report.duration > LONG:
            reason = f"over {LONG:g} s: needs a reason, @pytest.mark.slow(…)"
        what = report.nodeid if report.when == "call" else f"{report.nodeid} ({report.when})"
        yield f"{report.duration:6.1f} s  {what}" + (f"  [{reason}]" if reason else "")
