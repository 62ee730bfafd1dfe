"""Warnings about views that were edited by hand, or whose sources have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from viewscribe.cli.terminal import Terminal

if TYPE_CHECKING:
    from viewscribe.catalog_store.view_checks import FindColumns


def note_changes(terminal: Terminal, documents: Iterable[Any], columns_of: FindColumns) -> None:
    """Prints to stderr the most important of what ``viewscribe check`` would find in these views.

    Args:
        terminal: the terminal to print to.
        documents: the views; other documents are ignored.
        columns_of: finds the columns of the tables and views that they read.
    """
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.catalog_store.view_checks import warnings_of

    for document in documents:
        if isinstance(document, ViewDocument):
            for text in warnings_of(document, columns_of):
                terminal.note(f"warning: {text}")
