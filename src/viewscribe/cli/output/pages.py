"""What commands have to say: a page is data for programs and blocks for people.

A command makes a page and knows nothing of formats; an output writes any page and knows nothing
of commands. So neither a new command nor a new format touches the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from viewscribe.errors import printable

Style = Literal["plain", "name", "good", "bad", "warning", "faint"]


class Cell(NamedTuple):
    """A text and what it is: names are shown as they must be typed."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above what it names; level 1 names the page."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text that people read."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and their values, one a line."""

    rows: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; columns whose title ends in ``#`` hold numbers."""

    titles: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Code:
    """Text that is to be copied exactly."""

    text: str
    language: str = "sql"


Block = Heading | Paragraph | Facts | Grid | Code


class Problem(NamedTuple):
    """Something wrong at a place of a file, as tools around a repository take it.

    Args:
        code: the rule that it breaks.
        message: one sentence.
        file: the path of the file.
        line: counted from 1, if it is known.
        column: counted from 1, if it is known.
        hint: what to do.
        level: whether something is wrong, or only to be known.
    """

    code: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    level: Literal["error", "note"] = "error"


@dataclass(frozen=True, slots=True)
class Page:
    """The result of a command: ``data`` can be written as JSON, ``blocks`` can be read.

    ``problems`` are what a command that looks for them has found.
    """

    data: Any
    blocks: Sequence[Block]
    problems: Sequence[Problem] = ()

    def printable(self) -> Page:
        """The page as terminals and the logs of services may have it, where a name steers none."""
        problems = [_printable_problem(each) for each in self.problems]
        return Page(self.data, [_printable_block(each) for each in self.blocks], problems)


def _printable_block(block: Block) -> Block:
    match block:
        case Heading(text, level):
            return Heading(printable(text), level)
        case Paragraph(text, style):
            return Paragraph(printable(text, lines=True), style)
        case Code(text, language):
            return Code(printable(text, lines=True), language)
        case Facts(rows):
            return Facts([(printable(name), _printable_cell(cell)) for name, cell in rows])
        case Grid(titles, rows):
            return Grid(titles, [[_printable_cell(cell) for cell in row] for row in rows])


def _printable_cell(cell: Cell) -> Cell:
    return Cell(printable(cell.text), cell.style)


def _printable_problem(problem: Problem) -> Problem:
    return problem._replace(
        code=printable(problem.code),
        message=printable(problem.message, lines=True),
        file=printable(problem.file),
        hint=problem.hint and printable(problem.hint, lines=True),
    )
