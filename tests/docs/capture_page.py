"""``docs/capture.md``: its tables of coverage are made from the code."""

from __future__ import annotations

from pathlib import Path

from viewscribe.spark.capture.connect.coverage import EXPRESSIONS, LITERALS, RELATIONS, Entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "capture.md"
START = "<!-- coverage of Connect: made from the code, `make snapshots` rewrites it -->\n"
END = "<!-- end of the coverage of Connect -->\n"


def with_coverage(page: str) -> str:
    """The page with the tables as they are now."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{coverage()}{END}{after}"


def coverage() -> str:
    """The tables."""
    tables = {"Relations": RELATIONS, "Expressions": EXPRESSIONS, "Literals": LITERALS}
    return "\n" + "\n".join(_table(title, entries) for title, entries in tables.items()) + "\n"


def _table(title: str, entries: dict[str, Entry]) -> str:
    lines = [f"#### {title}", "", "| message | status | |", "| --- | --- | --- |"]
    lines += [
        f"| `{name}` | {entry.status.value} | {entry.note} |"
        for name, entry in sorted(
            entries.items(), key=lambda pair: (pair[1].status.value != "supported", pair[0])
        )
    ]
    return "\n".join([*lines, ""])
