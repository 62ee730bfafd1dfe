"""Texts for other engines that replaced views lose, on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

drop_dialect_option = click.option(
    "--drop-dialect",
    "drop_dialects",
    multiple=True,
    metavar="DIALECT",
    help="Replace views without the text that they have for that engine.",
)


@contextmanager
def dropping_by_option() -> Iterator[None]:
    """In the block, the way out of an error about a lost text is that of the command line."""
    from viewscribe.catalog_store.errors import LostTextError

    try:
        yield
    except LostTextError as error:
        error.hint = f"replace it without that text: --drop-dialect {error.dialect}"
        raise
