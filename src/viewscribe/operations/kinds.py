"""The kinds of joins, set operations and groupings."""

from __future__ import annotations

from enum import Enum


class Grouping(Enum):
    """How the keys of an aggregate make groups."""

    SIMPLE = "simple"
    ROLLUP = "rollup"
    CUBE = "cube"
    SETS = "sets"


class JoinKind(Enum):
    """The joins of Spark; the value is how SQL writes them."""

    INNER = "JOIN"
    LEFT = "LEFT JOIN"
    RIGHT = "RIGHT JOIN"
    FULL = "FULL JOIN"
    CROSS = "CROSS JOIN"
    SEMI = "LEFT SEMI JOIN"
    ANTI = "LEFT ANTI JOIN"

    def __init__(self, words: str) -> None:
        self.keeps_right = words not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        """Whether the right input's columns are in the output."""


class SetKind(Enum):
    """The set operations; the value is how SQL writes them."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"
