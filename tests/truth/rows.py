"""The rows of the table: what is asked, in each door's spelling, and what is known of the doors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.truth.operators import operators
from tests.truth.world import translated
from tests.versions import RUNNING_LINE

FOLDER = Path(__file__).with_name("rows")
ANSWERS = Path(__file__).with_name("answers")

REFUSED = "refused"

DOORS = ("reader", "recording", "connect", "classic", "table")
"""SQL text; a recorded program; a DataFrame of Connect and a classic one; the Table API."""


@dataclass(frozen=True, slots=True)
class Row:
    """A construct.

    Args:
        sql: its text; None where SQL cannot say it.
        frame: PySpark's text; None where it cannot say it.
        table: the text of the Table API; None where it cannot say it.
        over: the table of which the three are one item of a select, not whole queries.
        by_chance: whether its rows are others each time.
        gaps: the doors that refuse it though Spark takes it, each with the reason.
        faults: the doors that are known to be wrong, each with the reason.
    """

    sql: str | None = None
    frame: str | None = None
    table: str | None = None
    over: str | None = None
    by_chance: bool = False
    gaps: Mapping[str, str] = field(default_factory=dict, hash=False)
    faults: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """What identifies the row: an answer to another text is none."""
        return " ⟂ ".join(filter(None, (self.over, self.sql, self.frame)))

    def judged(self, door: str, told: str | None) -> str | None:
        """What is wrong: what is told of a door, unless it is known; or that it is no more."""
        if door in self.gaps:
            return None if told and told.startswith(REFUSED) else f"no gap: {told}"
        if door in self.faults:
            return None if told and not told.startswith(REFUSED) else f"no fault: {told}"
        return told


def query_of(items: list[str], over: str | None) -> str:
    """The query of one row, or of several items over the same table."""
    return items[0] if over is None else f"SELECT {', '.join(items)} FROM {over}"


def program_of(items: list[str], over: str | None) -> str:
    """The program of one row, or of several items over the same table."""
    return items[0] if over is None else f"spark.table('{over}').select({', '.join(items)})"


@cache
def rows(area: str) -> tuple[Row, ...]:
    """The rows of an area."""
    document = yaml.safe_load((FOLDER / f"{area}.yaml").read_text(encoding="utf-8"))
    found = [_row(each) for each in document.get("rows", ())]
    for group in document.get("generated", ()):
        found += [_row(each, group) for each in operators(group)]
    if "queries" in document:
        found += [_row(each) for each in _queries(FOLDER / document["queries"])]
    known = document.get("known", ())
    return tuple(_with_known(row, known) for row in dict.fromkeys(found))


def areas() -> list[str]:
    """The areas, each a file."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def _queries(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file: queries, and items of a select over a table of one row."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        whole = re.match(r"(SELECT|VALUES|FROM|WITH)\b", line, re.IGNORECASE)
        yield {"sql": line} if whole else {"sql": line, "over": "one"}


def _row(said: Any, group: Mapping[str, Any] | None = None) -> Row:
    """A row of the file, which may be a query alone; PySpark then says ``spark.sql``."""
    given = {"sql": said} if isinstance(said, str) else dict(said)
    given = {**(group or {}), **given}
    sql, frame, over = given.get("sql"), given.get("frame"), given.get("over")
    if frame is None and sql is not None and "no_frame" not in given:
        frame = f"F.expr({sql!r})" if over else f"spark.sql({sql!r})"
    table = given.get("table")
    if table is None and given.get("frame") and "no_table" not in given:
        table = translated(given["frame"])
    flags: dict[str, Any] = {
        name: given[name] for name in ("by_chance", "gaps", "faults") if name in given
    }
    return Row(sql, frame, table, over, **flags)


def _with_known(row: Row, known: list[dict[str, Any]]) -> Row:
    """The row with what the file says of all rows that match a pattern."""
    for entry in known:
        versions = entry.get("versions", ())
        if versions and RUNNING_LINE not in versions:
            continue
        if re.search(entry["match"], row.sql or row.frame or ""):
            gaps, faults = (
                {**getattr(row, kind), **dict.fromkeys(entry.get(kind, ()), entry["reason"])}
                for kind in ("gaps", "faults")
            )
            by_chance = row.by_chance or entry.get("by_chance", False)
            row = replace(row, gaps=gaps, faults=faults, by_chance=by_chance)
    return row


def all_rows() -> Iterator[Row]:
    """All rows of all areas."""
    for area in areas():
        yield from rows(area)
