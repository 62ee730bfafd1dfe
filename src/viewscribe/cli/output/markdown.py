"""Results as Markdown, for pull requests and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from viewscribe.cli.output.pages import (
    Block,
    Cell,
    Code,
    ConsoleOutput,
    Facts,
    Grid,
    Heading,
    Page,
    Paragraph,
)
from viewscribe.cli.output.safe_text import write
from viewscribe.errors import ViewscribeError

_SPECIAL = re.compile(r"[\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)")
_MARKS = {"good": "✓ ", "bad": "✗ ", "warning": "! "}


class MarkdownOutput:
    """Writes the blocks of a page in GitHub's Markdown; errors go to stderr as text."""

    def show(self, page: Page) -> None:
        write("\n\n".join(_RENDERERS[type(block)](block) for block in page.printable().blocks))

    def error(self, error: ViewscribeError) -> None:
        ConsoleOutput().error(error)


def _heading(block: Heading) -> str:
    return f"{'#' * (block.level + 1)} {_escape(block.text)}"


def _paragraph(block: Paragraph) -> str:
    lines = block.text.splitlines()
    return "  \n".join(_SPECIAL.sub(r"\\\g<0>", line) for line in lines)


def _facts(block: Facts) -> str:
    return "\n".join(f"- {_escape(name)}: {_cell(cell)}" for name, cell in block.rows)


def _grid(block: Grid) -> str:
    titles = [title.rstrip("#") for title in block.titles]
    rules = ["---:" if title.endswith("#") else "---" for title in block.titles]
    rows = [map(_cell, row) for row in block.rows]
    return "\n".join(map(_row, [titles, rules, *rows]))


def _code(block: Code) -> str:
    fence = "`" * max(3, 1 + _longest_run(block.text))
    return f"{fence}{block.language}\n{block.text.rstrip()}\n{fence}"


_RENDERERS: dict[type[Block], Callable[[Any], str]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Facts: _facts,
    Grid: _grid,
    Code: _code,
}


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if cell.style == "name" and cell.text:
        text = cell.text
        fence = "`" * (1 + _longest_run(text))
        blank = " " if "`" in text else ""
        return f"{fence}{blank}{text}{blank}{fence}".replace("|", "\\|")
    return _MARKS.get(cell.style, "") + _escape(cell.text)


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
