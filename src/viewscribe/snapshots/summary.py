"""Counting verdicts over a whole run, whichever process a test ran in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

_PROPERTY = "viewscribe_verdict"
_REPORTS = pytest.StashKey[list[tuple[str, str]]]()
_COUNTS = pytest.StashKey[Counter[tuple[str, bool]]]()
_KINDS = ("same tree", "same meaning", "rows differ", "different")


def note_verdict(item: pytest.Item, kind: str, accepted: bool) -> None:
    """Records a verdict with the report of its test, which other processes see, too."""
    item.user_properties.append((_PROPERTY, f"{kind}, accepted" if accepted else kind))


def note_report(item: pytest.Item, title: str, text: str) -> None:
    """Records what a test that fails shows below its error: pytest cuts what stands in that."""
    item.stash.setdefault(_REPORTS, []).append((title, text))


def add_reports(item: pytest.Item, report: pytest.TestReport) -> None:
    """Adds what was recorded to the report of a test that failed."""
    if report.failed:
        recorded: list[tuple[str, str]] = item.stash.get(_REPORTS, [])
        report.sections += recorded
        item.stash[_REPORTS] = []


def count_verdicts(config: pytest.Config, report: pytest.TestReport) -> None:
    """Counts the verdicts of a test that is over."""
    if report.when == "teardown":
        counts = config.stash.setdefault(_COUNTS, Counter())
        for name, value in report.user_properties:
            if name == _PROPERTY:
                kind, _, accepted = str(value).partition(", ")
                counts[kind, bool(accepted)] += 1


def summary_lines(config: pytest.Config) -> Iterator[str]:
    """Yields a line for each kind of changes."""
    counts = config.stash.get(_COUNTS, Counter())
    for kind in _KINDS:
        updated, left = counts[kind, True], counts[kind, False]
        if updated or left:
            parts = [f"{updated} updated"] if updated else []
            parts += [f"{left} to approve"] if left else []
            yield f"{kind:<13}{updated + left:>4}  ({', '.join(parts)})"
