"""The printers of expressions: ``register_printers`` of the Table API says which they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from viewscribe.expressions.dsl import Expression
    from viewscribe.expressions.nodes import ResolvedExpression


class Printers(NamedTuple):
    """What turns expressions into SQL text: those whose types are known, and those as typed."""

    resolved: Callable[[ResolvedExpression], str]
    unresolved: Callable[[Expression], str]


_registered: list[Printers] = []


def register_printers(printers: Printers) -> None:
    """Makes these the printers of all expressions."""
    _registered[:] = [printers]


def expression_to_sql(expression: ResolvedExpression) -> str:
    """The SQL text of an expression, by the printer that was registered."""
    return _registered[0].resolved(expression)


def unresolved_to_sql(expression: Expression) -> str:
    """The SQL text of an expression over columns of which nothing is known yet."""
    return _registered[0].unresolved(expression)
