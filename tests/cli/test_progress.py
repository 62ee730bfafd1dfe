"""Every loop over views tells on a terminal how far it is."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

import viewscribe as vs
from viewscribe.cli import progress


@pytest.fixture
def bars(monkeypatch):
    """The bars that commands make, as in a terminal: what they say, and how far they come."""
    made = []

    class Recorded(progress.Bar):
        def __init__(self, what, total):
            super().__init__(what, total)
            self.what, self.count = what, 0
            made.append(self)

        def done(self, step, outcome=None):
            super().done(step, outcome)
            self.count += 1

    monkeypatch.setattr(progress, "Bar", Recorded)
    monkeypatch.setattr(progress, "may_decorate", lambda stream: stream is sys.stderr)
    return lambda: [(each.what, each.count) for each in made]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("list", "views"), [("Reading", 6)]),
        (("check", "views"), [("Reading", 6), ("Checking", 6)]),
        (("lineage", "views", "sales.names", "--downstream"), [("Reading", 6)]),
    ],
)
def test_reading_a_catalog(run, views, bars, command, expected):
    assert run(*command).exit_code == 0
    assert bars() == expected


def test_a_migration(run, views, bars):
    target = vs.TableEnvironment("file:./prod")
    target.create_database("sales")
    source = vs.TableEnvironment("file:./views")
    target.catalogs.save(source.catalogs.get("table", ("sales", "customers")).document)
    assert run("plan", "./views", "./prod", "--select", "sales", "-o", "p.json").exit_code == 0
    assert [name for name, count in bars() if count] == [
        "Reading file:./views",
        "Reading file:./prod",
        "Translating names",
        "Looking for what is missing",
        "Comparing",
    ]
    assert run("apply", "p.json").exit_code == 0
    assert bars()[-2:] == [("Checking", 2), ("Applying", 2)]
    assert run("rollback", "p.json").exit_code == 0
    assert ("Looking for readers", 4) in bars()
    assert bars()[-1] == ("Taking back", 2)


@pytest.mark.parametrize(
    ("total", "count", "seconds", "told"),
    [
        (1000, 25, 5.0, ", about 3 min left"),
        (1000, 975, 39.0, ", about 1 s left"),
        (100_000, 50, 10.0, ", about 5 h 33 min left"),
        (1000, 26, 5.0, ""),
        (1000, 1000, 5.0, ""),
        (99, 25, 5.0, ""),
        (None, 25, 5.0, ""),
    ],
)
def test_a_long_run_tells_what_is_left(monkeypatch, capsys, total, count, seconds, told):
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    lines = progress.Lines(total)
    for number in range(count):
        clock[0] = 100 + seconds * (number + 1) / count
        lines.done("sales.young", "equal")
    shown = f"{count}" if total is None else f"{count}/{total}"
    assert capsys.readouterr().err.splitlines()[-1] == f"[{shown}] sales.young: equal{told}"


def test_a_real_terminal(views):
    """A bar while it runs, gone when it is over; the result is elsewhere."""
    master, slave = pty.openpty()
    command = (sys.executable, "-m", "viewscribe", "list", "views")
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, env=environment) as child:
        os.close(slave)
        stdout, _ = child.communicate()
    shown = b""
    while True:
        try:
            found = os.read(master, 4096)
        except OSError:  # Linux says so at the end of a terminal
            break
        if not found:
            break
        shown += found
    os.close(master)
    assert child.returncode == 0
    assert b"sales.names" in stdout
    assert b"Reading" in shown
    assert b"\x1b" not in stdout
