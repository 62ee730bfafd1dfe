"""What commands have to say: a page is data for programs and blocks for people.

A command makes a page and knows nothing of formats; an output writes any page and knows nothing
of commands. So neither a new command nor a new format touches the others.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from viewscribe.cli.output.safe_text import inert, write, write_exactly
from viewscribe.cli.progress import is_terminal, may_decorate
from viewscribe.errors import ViewscribeError, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


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


# Results for people: aligned columns, with colours only where the terminal may have them.

_STYLES = {
    "plain": "",
    "name": "cyan",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "faint": "dim",
}
_UNLIMITED = 1_000_000
_LONG_WORD = 30


class ConsoleOutput:
    """Writes the blocks of a page as text, as people read it."""

    def show(self, page: Page) -> None:
        if (
            len(page.blocks) == 1
            and isinstance(page.blocks[0], Code)
            and (not is_terminal(sys.stdout))
        ):
            write_exactly(page.blocks[0].text)  # so that it can be run
            return
        console = _console(sys.stdout)
        write("".join(_lines(console, page.printable().blocks)))

    def error(self, error: ViewscribeError) -> None:
        from rich.text import Text

        text = Text.assemble((error.code, "bold red"), f": {error}")
        shown = _capture_output(_console(sys.stderr), text)
        print(inert(shown), end="", file=sys.stderr, flush=True)


def _lines(console: Console, blocks: Sequence[Block]) -> Iterator[str]:
    """The blocks as text, with an empty line above each but what a heading names."""
    previous: Block | None = None
    for block in blocks:
        if previous is not None and not isinstance(previous, Heading):
            yield "\n"
        if isinstance(block, Grid):
            yield _align(console, block) or _lay_out(console, block)
        elif isinstance(block, Facts):
            yield _capture_output(console, _facts(block, console.width))
        else:
            yield _capture_output(console, _RENDERERS[type(block)](block))
        previous = block


def _align(console: Console, block: Grid) -> str | None:
    """A grid without colours and folded lines, for which a table takes ten times as long.

    None where it needs either.
    """
    from rich.cells import cell_len

    if console.color_system is not None:
        return None
    rows = [[title.rstrip("#").upper() for title in block.titles]]
    rows += [[cell.text for cell in row] for row in block.rows]
    lengths = [[cell_len(text) for text in row] for row in rows]
    widths = [max(column) for column in zip(*lengths, strict=True)]
    if sum(widths) + 2 * len(widths) > console.width or any("\n" in t for row in rows for t in row):
        return None
    to_right = [title.endswith("#") for title in block.titles]
    lines = []
    for row, lens in zip(rows, lengths, strict=True):
        cells = []
        for text, length, width, right in zip(row, lens, widths, to_right, strict=True):
            pad = " " * (width - length)
            end = text[len(text.rstrip()) :] if right else ""
            cells.append(pad + end + text.rstrip() if right else text + pad)
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def _heading(block: Heading) -> RenderableType:
    from rich.text import Text

    return Text(block.text, style="bold")


def _paragraph(block: Paragraph) -> RenderableType:
    from rich.text import Text

    return Text(block.text, style=_STYLES[block.style])


def _facts(block: Facts, width: int) -> Any:
    """Names with their values beside them; below them where words would have to be folded."""
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.text import Text

    names = [name for name, _ in block.rows]
    words = [word for _, cell in block.rows for word in cell.text.split()]
    longest = min(max(map(cell_len, words), default=0), _LONG_WORD)
    table = _table()
    if max(map(cell_len, names), default=0) + 2 + longest <= width:
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for name, (_, cell) in zip(names, block.rows, strict=True):
            table.add_row(name, _text(cell))
        return table
    table.add_column(overflow="fold")
    for name, (_, cell) in zip(names, block.rows, strict=True):
        table.add_row(Text(name, style="dim", overflow="fold"))
        table.add_row(Padding(_text(cell), (0, 0, 0, 2)))
    return table


def _lay_out(console: Console, block: Grid) -> str:
    """A grid with folded cells; a record for each row where words would have to be folded."""
    widths = _fit(block, console.width - 2 * (len(block.titles) - 1))
    if widths is None:
        return "".join(_record(console, block, row) for row in block.rows)
    return _capture_output(console, _grid(block, widths))


def _fit(block: Grid, width: int) -> list[int] | None:
    """The widths of the columns, in which words are whole; None where that is too much.

    A very long word is folded wherever it stands, and so is everything in a single column.
    """
    least, most = _measure(block)
    if len(least) == 1:
        return [min(most[0], width)]
    rest = width - sum(least)
    if rest < 0:
        return None
    widths = list(least)
    # Those that need little more get it, the others share what is left.
    by_need = sorted(range(len(widths)), key=lambda place: most[place] - least[place])
    for count, place in enumerate(by_need):
        more = min(most[place] - least[place], rest // (len(widths) - count))
        widths[place] += more
        rest -= more
    return widths


def _measure(block: Grid) -> tuple[list[int], list[int]]:
    """For each column the length of its longest word and that of its longest line."""
    from rich.cells import cell_len

    titles = [Cell(title.rstrip("#").upper()) for title in block.titles]
    least, most = [], []
    for column in zip(titles, *block.rows, strict=True):
        lines = [line for cell in column for line in cell.text.split("\n")]
        words = [word for line in lines for word in line.split()]
        least.append(min(max(map(cell_len, words), default=0), _LONG_WORD))
        most.append(max(map(cell_len, lines), default=0))
    return least, [max(pair) for pair in zip(least, most, strict=True)]


def _grid(block: Grid, widths: Sequence[int]) -> Any:
    table = _table(show_header=True, header_style="bold")
    for title, width in zip(block.titles, widths, strict=True):
        justify = "right" if title.endswith("#") else "left"
        shown = title.rstrip("#").upper()
        table.add_column(shown, justify=justify, overflow="fold", width=width)
    for row in block.rows:
        table.add_row(*map(_text, row))
    return table


def _record(console: Console, block: Grid, row: Sequence[Cell]) -> str:
    """The first cell as a heading, and below it the other ones that say something."""
    from rich.padding import Padding

    titles = [title.rstrip("#") for title in block.titles]
    facts = [(title, cell) for title, cell in zip(titles, row, strict=True) if cell.text]
    (_, first), *others = facts or [("", Cell(""))]
    shown = _capture_output(console, _text(first))
    if others:
        beside = _facts(Facts(others), console.width - 2)
        shown += _capture_output(console, Padding(beside, (0, 0, 0, 2)))
    return shown


def _code(block: Code) -> RenderableType:
    text = block.text
    if not may_decorate(sys.stdout):
        from rich.text import Text

        return Text(text)
    from rich.syntax import Syntax

    return Syntax(text, block.language, theme="ansi_dark", background_color="default")


_RENDERERS: dict[type[Block], Callable[[Any], Any]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Code: _code,
}


def _capture_output(console: Console, shown: RenderableType) -> str:
    with console.capture() as capture:
        console.print(shown, soft_wrap=not _is_table(shown))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _is_table(shown: RenderableType) -> bool:
    from rich.padding import Padding
    from rich.table import Table

    return isinstance(shown, Table | Padding)


def _table(**options: Any) -> Any:
    from rich.table import Table

    given = {"show_header": False, "box": None, "pad_edge": False, "padding": (0, 2, 0, 0)}
    return Table(**{**given, **options})


def _text(cell: Cell) -> Text:
    from rich.text import Text

    return Text(cell.text, style=_STYLES[cell.style])


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    width = shutil.get_terminal_size().columns if is_terminal(stream) else _UNLIMITED
    if may_decorate(stream):
        return Console(file=stream, width=width, highlight=False)
    return Console(
        file=stream, width=width, highlight=False, color_system=None, force_terminal=False
    )
