"""Where the serializer plugs in, so that operations can print themselves without importing it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation

_printers: list[Callable[[QueryOperation], str]] = []


def register_printer(printer: Callable[[QueryOperation], str]) -> None:
    """Makes ``printer`` the one that turns an operation into SQL text."""
    _printers[:] = [printer]


def operation_to_sql(operation: QueryOperation) -> str:
    """The SQL text of an operation, by the printer that was registered."""
    if not _printers:
        # The serializer registers its printers; by name, for it is a room above this one.
        import_module("viewscribe.serializer")
    return _printers[0](operation)
