"""How results are written: one page, three ways."""

from __future__ import annotations

from typing import Protocol

from viewscribe.cli.output.pages import (
    Block,
    Cell,
    Code,
    Facts,
    Grid,
    Heading,
    Page,
    Paragraph,
    Problem,
)
from viewscribe.errors import ViewscribeError

__all__ = [
    "Block",
    "Cell",
    "Code",
    "Facts",
    "Grid",
    "Heading",
    "Output",
    "Page",
    "Paragraph",
    "Problem",
]


class Output(Protocol):
    """Writes results to stdout."""

    def show(self, page: Page) -> None:
        """Write a result."""

    def error(self, error: ViewscribeError) -> None:
        """Say what went wrong, where, and what to do next."""
