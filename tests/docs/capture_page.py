"""``docs/capture.md``: its tables of coverage are made from the code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from viewscribe.spark.capture.classic import capture as classic
from viewscribe.spark.capture.classic.expressions.functions import functions_of_classes
from viewscribe.spark.capture.classic.operators.shapes import GENERATORS
from viewscribe.spark.capture.connect.exclusions import EXPRESSIONS, LITERALS, RELATIONS, Entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "capture.md"
_START = "<!-- coverage of {}: made from the code, `make snapshots` rewrites it -->\n"
_END = "<!-- end of the coverage of {} -->\n"


def with_coverage(page: str) -> str:
    """The page with the tables as they are now."""
    return _replaced(_replaced(page, "Connect", of_connect()), "classic plans", of_classic())


def _replaced(page: str, what: str, made: str) -> str:
    start, end = _START.format(what), _END.format(what)
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}{made}{end}{after}"


def of_connect() -> str:
    """The tables of the protobuf's messages."""
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


def of_classic() -> str:
    """The tables of Spark's classes, those of which the same is said in one row."""
    called = {name: function.name for name, function in functions_of_classes().items()}
    plain = called | GENERATORS
    expressions = [row for row in classic.expressions() if row.name not in plain]
    calls = [f"`{name}` {function}" for name, function in sorted(plain.items())]
    return "\n".join(
        [
            "",
            *_rows("Operators", classic.operators()),
            *_rows("Classes of expressions", expressions),
            "#### Calls",
            "",
            "Supported, each as the call of a function:",
            f"{', '.join(calls)}.",
            "",
            "",
        ]
    )


def _rows(title: str, rows: Iterable[classic.Row]) -> list[str]:
    together: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        together.setdefault((row.status, row.note), []).append(row.name)
    order = ("supported", "refused", "not reachable")
    lines = [f"#### {title}", "", "| class | status | |", "| --- | --- | --- |"]
    for (status, note), names in sorted(
        together.items(), key=lambda pair: (order.index(pair[0][0]), pair[1])
    ):
        shown = ", ".join(f"`{name}`" for name in names)
        lines.append(f"| {shown} | {status} | {note} |")
    return [*lines, ""]
