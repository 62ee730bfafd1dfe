"""Where the serializer plugs in, so that expressions can print themselves without importing it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression

_printers: list[Callable[[ResolvedExpression], str]] = []


def register_printer(printer: Callable[[ResolvedExpression], str]) -> None:
    """Makes ``printer`` the one that turns an expression into SQL text."""
    _printers[:] = [printer]


def expression_to_sql(expression: ResolvedExpression) -> str:
    """The SQL text of an expression, by the printer that was registered."""
    if not _printers:
        # The serializer registers its printers; by name, for it is a room above this one.
        import_module("viewscribe.serializer")
    return _printers[0](expression)
