"""Warnings of commands that read views: what was edited by hand, or reads what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from viewscribe.cli.terminal import Terminal

if TYPE_CHECKING:
    from viewscribe.catalog_store.view_checks import FindColumns


def note_changes(terminal: Terminal, documents: Iterable[Any], columns_of: FindColumns) -> None:
    """Tells on stderr what ``viewscribe check`` would find of these views first.

    Args:
        terminal: where to.
        documents: the views; what is none is passed over.
        columns_of: the columns of what they read.
    """
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.catalog_store.view_checks import warnings_of

    for document in documents:
        if isinstance(document, ViewDocument):
            for text in warnings_of(document, columns_of):
                terminal.note(f"warning: {text}")
