"""The printer of expressions: ``register_printers`` of the Table API says which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression

_printers: list[Callable[[ResolvedExpression], str]] = []


def register_printer(printer: Callable[[ResolvedExpression], str]) -> None:
    """Makes ``printer`` the one that turns an expression into SQL text."""
    _printers[:] = [printer]


def expression_to_sql(expression: ResolvedExpression) -> str:
    """The SQL text of an expression, by the printer that was registered."""
    return _printers[0](expression)
