"""The table of the slowest tests."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.slowest import MOST_SHOWN, table


def report(
    name: str,
    seconds: float,
    reason: str = "",
    when: Literal["setup", "call"] = "call",
) -> pytest.TestReport:
    properties = [("slow", reason)] if reason else []
    return pytest.TestReport(
        name, ("", None, ""), {}, "passed", None, when, duration=seconds, user_properties=properties
    )


def test_the_slowest_come_first_and_the_fast_are_left_out():
    reports = [report("a", 1.24), report("b", 0.9), report("c", 3, "starts a server")]
    assert [*table(reports)] == ["   3.0 s  c  [starts a server]", "   1.2 s  a"]
    assert [*table([])] == []


def test_a_long_test_without_a_reason_is_told():
    told, given, setup = table(
        [report("a", 7), report("b", 6, "why"), report("c", 5.5, "", "setup")]
    )
    assert told == "   7.0 s  a  [over 5 s: needs a reason, @pytest.mark.slow(…)]"
    assert given == "   6.0 s  b  [why]"
    assert setup == "   5.5 s  c (setup)"


def test_no_more_than_the_slowest_are_shown():
    assert len([*table(report(str(n), 2 + n) for n in range(MOST_SHOWN + 5))]) == MOST_SHOWN
