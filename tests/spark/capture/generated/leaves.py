"""What random expressions start from: columns by one of their names, and literals."""

from __future__ import annotations

from pyspark.sql import types as t

from tests.spark.capture.generated.choices import Choices
from tests.spark.capture.generated.frames import ORDERED, Column, Frame, kind_of, names_of

LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("1", "0", "-3", "7", "2", "40", "5000000000"),
    "double": ("1.5", "0.25", "-0.0", "float('nan')", "float('inf')", "1e20", "0.1"),
    "decimal": ("Decimal('1.25')", "Decimal('-0.5')", "Decimal('10')", "Decimal('0.001')"),
    "string": ("'a'", '"it\'s"', "''", "'a\\\\b'", "'%_x'", "'ß'", "'new\\nline'", "'${x}'"),
    "boolean": ("True", "False"),
    "date": ("dt.date(2020, 2, 29)", "dt.date(1970, 1, 1)", "dt.date(9999, 12, 31)"),
    "timestamp": (
        "dt.datetime(2024, 2, 29, 12, 30, 15, 123456)",
        "dt.datetime(1969, 12, 31, 23, 59, 59)",
    ),
    "binary": ("b'\\x00\\xff'", "b''"),
    "array": ("[1, 2]", "['a', 'b']", "[1.5, 2.5]", "[[1], [2, 3]]"),
    "other": (
        "None",
        "dt.timedelta(days=1, seconds=5)",
        "dt.timedelta(microseconds=-1)",
    ),
}
"""What ``lit`` is given."""


class Leaves:
    """Draws columns and literals.

    Args:
        choices: decides.
        frame: the frame whose columns they name.
    """

    def __init__(self, choices: Choices, frame: Frame) -> None:
        self.p = choices
        self.frame = frame
        self._lambdas = 0

    def named(self, column: Column) -> str:
        """One of the names of a column; mostly the plainest."""
        names = names_of(self.frame, column)
        return self.p.choose(names) if self.p.chance(4) else names[0]

    def column(self, *kinds: str) -> str | None:
        """A column of one of the kinds; None where there is none."""
        found = self.frame.of(*kinds)
        return self.named(self.p.choose(found)) if found else None

    def array_of(self, *kinds: str) -> str | None:
        """A column of arrays of one of the kinds."""
        found = [
            c
            for c in self.frame.of("array")
            if isinstance(c.type, t.ArrayType) and kind_of(c.type.elementType) in kinds
        ]
        return self.named(self.p.choose(found)) if found else None

    def literal(self, kind: str) -> str:
        """A literal of a kind."""
        return f"F.lit({self.p.choose(LITERALS[kind])})"

    def leaf(self, kind: str) -> str:
        """A column, or a literal where there is none and now and then."""
        found = None if self.p.chance(6) else self.column(kind)
        return found or self.literal(kind)

    def orderable(self) -> str | None:
        """A column that has an order."""
        return self.column(*ORDERED)

    def any_column(self) -> str:
        """A column of any kind, or a literal."""
        return self.column() or self.literal("int")
