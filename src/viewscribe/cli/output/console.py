"""Results for people: aligned columns, with colours only where the terminal may have them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from viewscribe.cli.output.pages import Block, Cell, Code, Facts, Grid, Heading, Page, Paragraph
from viewscribe.cli.output.safe_text import write, write_exactly
from viewscribe.cli.terminal import is_terminal, may_decorate
from viewscribe.errors import ViewscribeError, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLES = {
    "plain": "",
    "name": "cyan",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "faint": "dim",
}
_UNLIMITED = 1_000_000


class ConsoleOutput:
    """Writes the blocks of a page as text, as people read it."""

    def show(self, page: Page) -> None:
        if len(page.blocks) == 1 and isinstance(page.blocks[0], Code) and _is_piped():
            write_exactly(page.blocks[0].text)  # so that it can be run
            return
        console = _console(sys.stdout)
        write("".join(_lines(console, page.blocks)))

    def error(self, error: ViewscribeError) -> None:
        from rich.text import Text

        text = Text.assemble((error.code, "bold red"), f": {printable(str(error), lines=True)}")
        print(_capture_output(_console(sys.stderr), text), end="", file=sys.stderr, flush=True)


def _lines(console: Console, blocks: Sequence[Block]) -> Iterator[str]:
    """The blocks as text, with an empty line above each but what a heading names."""
    previous: Block | None = None
    for block in blocks:
        if previous is not None and not isinstance(previous, Heading):
            yield "\n"
        aligned = _align(console, block) if isinstance(block, Grid) else None
        yield aligned or _capture_output(console, _RENDERERS[type(block)](block))
        previous = block


def _align(console: Console, block: Grid) -> str | None:
    """A grid without colours and folded lines, for which a table takes ten times as long.

    None where it needs either.
    """
    from rich.cells import cell_len

    if console.color_system is not None:
        return None
    rows = [[title.rstrip("#").upper() for title in block.titles]]
    rows += [[printable(cell.text) for cell in row] for row in block.rows]
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

    return Text(printable(block.text), style="bold")


def _paragraph(block: Paragraph) -> RenderableType:
    from rich.text import Text

    return Text(printable(block.text, lines=True), style=_STYLES[block.style])


def _facts(block: Facts) -> Any:
    table = _table()
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, cell in block.rows:
        table.add_row(printable(name), _text(cell))
    return table


def _grid(block: Grid) -> Any:
    table = _table(show_header=True, header_style="bold")
    for title in block.titles:
        justify = "right" if title.endswith("#") else "left"
        table.add_column(title.rstrip("#").upper(), justify=justify, overflow="fold")
    for row in block.rows:
        table.add_row(*map(_text, row))
    return table


def _code(block: Code) -> RenderableType:
    text = printable(block.text, lines=True)
    if not may_decorate(sys.stdout):
        from rich.text import Text

        return Text(text)
    from rich.syntax import Syntax

    return Syntax(text, block.language, theme="ansi_dark", background_color="default")


_RENDERERS: dict[type[Block], Callable[[Any], Any]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Facts: _facts,
    Grid: _grid,
    Code: _code,
}


def _capture_output(console: Console, shown: RenderableType) -> str:
    with console.capture() as capture:
        console.print(shown, soft_wrap=not _is_table(shown))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _is_table(shown: RenderableType) -> bool:
    from rich.table import Table

    return isinstance(shown, Table)


def _table(**options: Any) -> Any:
    from rich.table import Table

    given = {"show_header": False, "box": None, "pad_edge": False, "padding": (0, 2, 0, 0)}
    return Table(**{**given, **options})


def _text(cell: Cell) -> Text:
    from rich.text import Text

    return Text(printable(cell.text), style=_STYLES[cell.style])


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    width = shutil.get_terminal_size().columns if is_terminal(stream) else _UNLIMITED
    if may_decorate(stream):
        return Console(file=stream, width=width, highlight=False)
    return Console(
        file=stream, width=width, highlight=False, color_system=None, force_terminal=False
    )


def _is_piped() -> bool:
    return not is_terminal(sys.stdout)
