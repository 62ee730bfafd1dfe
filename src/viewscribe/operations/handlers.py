"""Handler tables by operation, complete by construction.

After adding an operation, the tests name the tables that lack a handler for it. At run time, a
missing handler is an error that names the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.operations.base import QueryOperation

H = TypeVar("H")


class HandlerTable(dict[type[Any], H]):
    """A table of handlers, one for each operation.

    Args:
        purpose: what the table is for: ``the lineage``.
        handlers: by the operation's class.
        without: the operations left out on purpose, each with the reason.
        error: the error raised for an unknown operation.
    """

    known: ClassVar[list[HandlerTable[Any]]] = []
    """All tables of the modules that are imported."""

    def __init__(
        self,
        purpose: str,
        handlers: Mapping[type[Any], H] | None = None,
        *,
        without: Mapping[type[QueryOperation], str] | None = None,
        error: type[ViewscribeError] = NotSerializableError,
    ) -> None:
        super().__init__(handlers or {})
        self.purpose = purpose
        self.without = without or {}
        self._error = error
        HandlerTable.known.append(self)

    def __missing__(self, kind: type[Any]) -> H:
        raise self._error(
            f"{self.purpose} of the operation {kind.__name__} is not known",
            hint=self.without.get(kind, f"{kind.__name__} lacks a handler: see {self.purpose}"),
        )

    def lacking(self, kinds: Iterable[type[QueryOperation]]) -> list[type[QueryOperation]]:
        """Returns the operations that the table neither handles nor leaves out on purpose."""
        return [each for each in kinds if each not in self and each not in self.without]
