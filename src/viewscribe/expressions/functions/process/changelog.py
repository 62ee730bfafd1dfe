"""Changelogs: rows that add, take back and replace, told apart by an operation.

Spark's tables have no kinds of rows, so a changelog has a column for them, ``op``. Only append and
retract changelogs exist here, as in the document on process table functions.
"""

from __future__ import annotations

from enum import Enum

from viewscribe.types import STRING, Field

OPERATION = "op"
"""The column that holds the kind of a row in a changelog."""

OPERATION_FIELD = Field(OPERATION, STRING.not_null())


class RowKind(Enum):
    """What a row of a changelog does; the value is what stands in the column ``op``."""

    INSERT = "+I"
    UPDATE_BEFORE = "-U"
    UPDATE_AFTER = "+U"
    DELETE = "-D"

    @property
    def adds(self) -> bool:
        """Whether the row counts from here on; else one like it counts no longer."""
        return self in (RowKind.INSERT, RowKind.UPDATE_AFTER)


class ChangelogMode(Enum):
    """Which kinds of rows a function takes or gives.

    ``INSERT_ONLY``: rows that are added, no column ``op``. ``RETRACT``: all four kinds; each change
    takes the old row back before it adds the new one.
    """

    INSERT_ONLY = "insert only"
    RETRACT = "retract"
