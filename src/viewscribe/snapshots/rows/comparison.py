"""Comparing the rows of a view with those that a test expects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from viewscribe.errors import printable

SHOWN = 10
"""How many rows of each kind a message shows."""

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Difference:
    """How rows differ from what is expected.

    Args:
        columns: the columns that are compared.
        missing: rows that are expected and not there.
        unexpected: rows that are there and not expected.
        changed: pairs of an expected row and the row in its place, which have a value in common.
        order: whether the rows are the same, in another order.
    """

    columns: Sequence[str]
    missing: Sequence[Row] = ()
    unexpected: Sequence[Row] = ()
    changed: Sequence[tuple[Row, Row]] = ()
    order: tuple[int, Row, Row] | None = None

    def summary(self) -> str:
        """Returns one line: ``1 row missing, 2 different``."""
        if self.order is not None:
            return f"the same rows in another order, from row {self.order[0] + 1} on"
        counts = (
            (len(self.missing), "missing"),
            (len(self.unexpected), "unexpected"),
            (len(self.changed), "different"),
        )
        parts = [
            f"{count:,} {'row' if count == 1 else 'rows'} {what}" for count, what in counts if count
        ]
        return ", ".join(parts)

    def lines(self) -> list[str]:
        """Returns a table of the rows: ``-`` is expected, ``+`` is what the view gives."""
        shown: list[tuple[str, Row, str]] = []
        if self.order is not None:
            _, wanted, found = self.order
            shown = [("-", wanted, ""), ("+", found, "")]
        for wanted, found in self.changed[:SHOWN]:
            names = [
                name
                for name, one, other in zip(self.columns, wanted, found, strict=True)
                if not _same(one, other, None)
            ]
            shown += [("-", wanted, ""), ("+", found, f"<- {', '.join(names)}")]
        shown += [("-", row, "missing") for row in self.missing[:SHOWN]]
        shown += [("+", row, "unexpected") for row in self.unexpected[:SHOWN]]
        return [*_grid(self.columns, shown), *self._left_out()]

    def _left_out(self) -> Iterator[str]:
        left = sum(
            max(len(rows) - SHOWN, 0) for rows in (self.changed, self.missing, self.unexpected)
        )
        if left:
            yield f"  … and {left:,} more"


class RowsDifferError(AssertionError):
    """The rows of a view are not those that a test expects.

    Args:
        view: what the view is called.
        difference: how they differ.
    """

    def __init__(self, view: str, difference: Difference) -> None:
        self.view = view
        self.difference = difference
        lines = "\n".join(f"  {line}" for line in difference.lines())
        super().__init__(f"{view}: {difference.summary()}\n{lines}")


def compare_rows(
    columns: Sequence[str],
    expected: Sequence[Row],
    found: Sequence[Row],
    *,
    ordered: bool,
    tolerance: float | None = None,
) -> Difference | None:
    """Compares rows whose values are those of literals; None where they are the same.

    Args:
        columns: their columns.
        expected: the rows that a test expects.
        found: the rows of the view.
        ordered: whether their order matters.
        tolerance: by which part of it a FLOAT or DOUBLE may differ; by nothing where it is None.
    """
    if ordered and len(expected) == len(found):
        places = [
            place
            for place, (one, other) in enumerate(zip(expected, found, strict=True))
            if not _same_row(one, other, tolerance)
        ]
        if not places:
            return None
        if _unmatched(expected, found, tolerance) == ([], []):
            first = places[0]
            return Difference(columns, order=(first, expected[first], found[first]))
    missing, unexpected = _unmatched(expected, found, tolerance)
    if not missing and not unexpected:
        return None
    changed = _pairs(missing, unexpected, tolerance)
    return Difference(
        columns,
        missing=[row for row in missing if all(row is not one for one, _ in changed)],
        unexpected=[row for row in unexpected if all(row is not other for _, other in changed)],
        changed=changed,
    )


def _unmatched(
    expected: Sequence[Row], found: Sequence[Row], tolerance: float | None
) -> tuple[list[Row], list[Row]]:
    """The rows of each side that the other one does not have, as often."""
    if tolerance is not None:
        left, missing = list(found), []
        for row in expected:
            place = next(
                (at for at, other in enumerate(left) if _same_row(row, other, tolerance)), None
            )
            if place is None:
                missing.append(row)
            else:
                del left[place]
        return missing, left
    wanted, there = Counter(map(_key, expected)), Counter(map(_key, found))
    return _beyond(expected, wanted - there), _beyond(found, there - wanted)


def _beyond(rows: Sequence[Row], counts: Counter[Any]) -> list[Row]:
    left, chosen = counts.copy(), []
    for row in rows:
        key = _key(row)
        if left[key] > 0:
            left[key] -= 1
            chosen.append(row)
    return chosen


def _pairs(
    missing: Sequence[Row], unexpected: Sequence[Row], tolerance: float | None
) -> list[tuple[Row, Row]]:
    """Pairs of rows that are most alike, as long as they have half in common."""
    scored = []
    for one in missing[: 5 * SHOWN]:
        for other in unexpected[: 5 * SHOWN]:
            alike = sum(_same(a, b, tolerance) for a, b in zip(one, other, strict=True))
            if 2 * alike >= len(one) and alike:
                scored.append((alike, one, other))
    pairs: list[tuple[Row, Row]] = []
    used: set[int] = set()
    for _, one, other in sorted(scored, key=lambda each: -each[0]):
        if id(one) not in used and id(other) not in used:
            used |= {id(one), id(other)}
            pairs.append((one, other))
    return pairs


def _same_row(one: Row, other: Row, tolerance: float | None) -> bool:
    return all(_same(a, b, tolerance) for a, b in zip(one, other, strict=True))


def _same(one: Any, other: Any, tolerance: float | None) -> bool:
    if tolerance is not None and isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) or (
            math.isnan(one) and math.isnan(other)
        )
    return bool(_key(one) == _key(other))


def _key(value: Any) -> Any:
    """The value for comparing: NaN equals itself, and 1 is not TRUE."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if isinstance(value, float) and math.isnan(value):
        return "NaN", float
    return value, type(value)


def _grid(columns: Sequence[str], rows: Sequence[tuple[str, Row, str]]) -> Iterator[str]:
    cells = [["", *columns, ""]] + [[mark, *map(show, row), more] for mark, row, more in rows]
    widths = [min(max(map(len, column)), 60) for column in zip(*cells, strict=True)]
    for line in cells:
        shown = [printable(text).ljust(width) for text, width in zip(line, widths, strict=True)]
        yield "  ".join(shown).rstrip()


def show(value: Any) -> str:
    """Returns a value in a line, as people read it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))})"
    return str(value)
