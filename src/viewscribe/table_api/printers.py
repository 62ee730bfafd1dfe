"""Gives expressions and operations the printers of rooms above theirs.

A node prints itself (``as_serializable_string``), and what prints it imports all nodes. So the
nodes know a printer by registration alone. It is registered when ``viewscribe`` is imported and
imported when the first text is asked for, since a quick start matters more than the first text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions import printing as of_expressions
from viewscribe.operations import printing as of_operations

if TYPE_CHECKING:
    from viewscribe.expressions.dsl import Expression
    from viewscribe.expressions.nodes import ResolvedExpression
    from viewscribe.operations.base import QueryOperation


def register_printers() -> None:
    """Registers what prints expressions and operations."""
    of_expressions.register_printers(of_expressions.Printers(_print_expression, _print_unresolved))
    of_operations.register_printers(of_operations.Printers(_print_operation, _summarize_operation))


def _print_expression(expression: ResolvedExpression) -> str:
    from viewscribe.serializer.statement import expression_to_sql

    return expression_to_sql(expression)


def _print_unresolved(expression: Expression) -> str:
    from viewscribe.expressions.resolve import resolve_freely

    return resolve_freely(expression).as_serializable_string()


def _print_operation(operation: QueryOperation) -> str:
    from viewscribe.serializer.statement import readable

    return readable(operation)


def _summarize_operation(operation: QueryOperation) -> str:
    from viewscribe.operations.handlers import summarize

    return summarize(operation)
