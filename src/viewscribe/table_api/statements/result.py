"""What a statement gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from viewscribe.parser.grammar.statements import StatementGrammar

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


class Result(msgspec.Struct, frozen=True):
    """What a statement gives: rows under column names; none for a statement that only acts.

    Args:
        columns: the names of the columns.
        rows: the rows.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.notebook import grid, show

        return show(str(self), grid(self.columns, self.rows))

    def __str__(self) -> str:
        return "\n".join("  ".join(row) for row in self.rows)


Statement = Callable[["TableEnvironment", StatementGrammar], Result]
"""What runs a statement, behind its first words; it reads up to the end before it acts."""


def list_names(column: str, names: list[str]) -> Result:
    """Names as rows of one column."""
    return Result((column,), tuple((name,) for name in names))
