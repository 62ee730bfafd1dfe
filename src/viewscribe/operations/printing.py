"""The printers of operations: ``register_printers`` of the Table API says which they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation


class Printers(NamedTuple):
    """How an operation becomes text.

    Args:
        to_sql: gives its SQL text in the readable style.
        to_summary: gives the indented tree of operations.
    """

    to_sql: Callable[[QueryOperation], str]
    to_summary: Callable[[QueryOperation], str]


_printers: list[Printers] = []


def register_printers(printers: Printers) -> None:
    """Makes ``printers`` the ones that turn an operation into text."""
    _printers[:] = [printers]


def operation_to_sql(operation: QueryOperation) -> str:
    """The SQL text of an operation, by the printer that was registered."""
    return _printers[0].to_sql(operation)


def operation_to_summary(operation: QueryOperation) -> str:
    """The indented tree of an operation, by the printer that was registered."""
    return _printers[0].to_summary(operation)
