"""What a reader asks about the world around a text: tables, functions, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation


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
