"""The clauses of a SELECT; the kinds of joins, set operations and groupings."""

from __future__ import annotations

from enum import Enum, IntEnum

from viewscribe.errors import ValidationError


class Clause(IntEnum):
    """The clauses of a SELECT in the order in which they are evaluated, a bit for each.

    A hint is about the rows that its SELECT gives in the end, so it comes last.
    """

    FROM = 1
    WHERE = 2
    GROUP_BY = 4
    HAVING = 8
    SELECT = 16
    QUALIFY = 32
    DISTINCT = 64
    SET_OPERATION = 128
    ORDER_BY = 256
    LIMIT = 512
    HINT = 1024


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
        self.words = words
        """How SQL writes it; ``value`` is the same, but slower to get."""
        self.keeps_right = words not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        """Whether the right input's columns are in the output."""

    @classmethod
    def named(cls, how: str) -> JoinKind:
        """The join of a name: Flink's, Spark's and PySpark's spellings, in any case.

        Raises:
            ValidationError: no join has the name.
        """
        kind = _JOINS.get(str(how).lower().replace("_", ""))
        if kind is None:
            raise ValidationError(
                f"no join {how!r}", hint="the joins are inner, left, right, full, cross, semi, anti"
            )
        return kind


_JOINS = {
    "inner": JoinKind.INNER,
    "cross": JoinKind.CROSS,
    "left": JoinKind.LEFT,
    "leftouter": JoinKind.LEFT,
    "right": JoinKind.RIGHT,
    "rightouter": JoinKind.RIGHT,
    "outer": JoinKind.FULL,
    "full": JoinKind.FULL,
    "fullouter": JoinKind.FULL,
    "semi": JoinKind.SEMI,
    "leftsemi": JoinKind.SEMI,
    "anti": JoinKind.ANTI,
    "leftanti": JoinKind.ANTI,
}


class SetKind(Enum):
    """The set operations; the value is how SQL writes them."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"
