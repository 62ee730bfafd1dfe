"""Grids that are written without the library for tables look as it would write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from viewscribe.cli.output import pages
from viewscribe.cli.output.pages import Cell, Facts, Grid
from viewscribe.errors import printable

CELLS = st.text(st.sampled_from("ab 漢é\u0301[]\\\n\t\x1b\u202e\u200b😀"), max_size=6)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    titles = draw(st.lists(st.sampled_from(["name", "kind", "columns#"]), min_size=1, max_size=3))
    row = st.tuples(*[CELLS.map(printable).map(Cell)] * len(titles))
    return Grid(tuple(titles), draw(st.lists(row, max_size=5)))


@given(grids(), st.sampled_from([10, 40, 1_000]))
def test_they_look_the_same(grid: Grid, width: int) -> None:
    shown = Console(width=width, color_system=None, force_terminal=False, highlight=False)
    aligned = pages._align(shown, grid)
    if aligned is not None:
        assert aligned == pages._lay_out(shown, grid)
    assert width < 1_000 or aligned is not None or "\n" in str(grid)


@given(
    st.lists(
        st.lists(st.text("abcdefg", min_size=1, max_size=22), min_size=1, max_size=6).map(" ".join),
        min_size=2,
        max_size=5,
    )
)
def test_no_word_is_folded_at_40_columns(texts: list[str]) -> None:
    titles = tuple(f"title{place}" for place, _ in enumerate(texts))
    grid = Grid(titles, [tuple(Cell(text.upper()) for text in texts)])
    shown = Console(width=40, color_system=None, force_terminal=False, highlight=False)
    written = "".join(pages._lines(shown, [grid])).split()
    for word in " ".join(texts).upper().split():
        assert word in written


NAMES = st.lists(st.text("abcdefg", min_size=1, max_size=29), min_size=1, max_size=4, unique=True)


@given(NAMES, st.text("ABC ", max_size=60), st.sampled_from([32, 40, 60]))
def test_facts_lose_nothing_and_fold_words_only(names: list[str], text: str, width: int) -> None:
    text = " ".join(word[:29] for word in text.split())
    shown = Console(width=width, color_system=None, force_terminal=False, highlight=False)
    facts = Facts([(name, Cell(text)) for name in names])
    written = "".join(pages._lines(shown, [facts])).split()
    assert written == [word for name in names for word in (name, *text.split())]


def test_colours_need_a_table() -> None:
    coloured = Console(color_system="standard", force_terminal=True)
    assert pages._align(coloured, Grid(("name",), [(Cell("a"),)])) is None
