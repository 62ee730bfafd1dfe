"""Tables of what is done for each operation, complete by construction.

Whoever adds an operation learns from the tests which tables do not know it; whoever meets it first
gets an error that names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.operations.base import QueryOperation

H = TypeVar("H")


class HandlerTable(dict[type[Any], H]):
    """What is done for each operation.

    Args:
        purpose: what the table is for: ``the lineage``.
        handlers: by the operation's class.
        without: the operations that are left out on purpose, each with the reason.
        error: what is raised for an operation that it does not know.
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
        """Those of the operations that it neither handles nor leaves out on purpose."""
        return [each for each in kinds if each not in self and each not in self.without]
