"""What a reader asks about the world around a text: tables, functions, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.types import Field


class World(Protocol):
    """Where names of tables and functions are looked up."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name.

        Raises:
            ViewscribeError: there is none.
        """

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means, Spark's own come first; None for none."""

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """What a function of tables gives.

        Raises:
            ViewscribeError: there is no such function, or the call is wrong.
        """


@runtime_checkable
class History(Protocol):
    """What a world may know besides: the columns that a table had at an earlier time."""

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was; None where nobody can be asked.

        Raises:
            ViewscribeError: the table cannot be read so.
        """
