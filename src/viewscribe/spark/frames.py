"""DataFrames with deferred steps, kept as columns and conditions.

Every ``select`` and ``filter`` of a DataFrame analyzes the whole plan again, so a pipeline of a
thousand steps takes minutes. A ``Frame`` therefore defers filters and projections and applies
them together, as long as expressions stay small. Column names are unique within a run, so a name
can never mean something else after a join.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from pyspark.sql import Column, DataFrame

from viewscribe.spark.named_columns import named_column

HIGHEST = 40
"""How deep the expressions of one projection may nest: Spark resolves a level a pass, in 100."""

LARGEST = 2_000
"""How many nodes the expressions of one projection may have together."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """A column of a frame: over the columns of its DataFrame, with the cost of writing it out.

    ``name`` is set where it is a column of the DataFrame as it is; ``label`` is what it would
    best be called. ``made`` is the column, or the name of one of the DataFrame: a column of Spark
    takes several calls to make, and most of a wide table are never asked for.
    """

    made: Column | str
    name: str | None = None
    label: str | None = None
    height: int = 0
    size: int = 1

    @cached_property
    def column(self) -> Column:
        """The column of Spark."""
        return named_column(self.made) if isinstance(self.made, str) else self.made


@dataclass(frozen=True, slots=True)
class Frame:
    """A DataFrame, the conditions its rows must still meet, and the columns wanted of it.

    Args:
        base: the DataFrame.
        names: the names of its columns; none where they are not this run's own.
        cells: the columns wanted.
        conditions: conditions over the columns of ``base`` that are still to be applied.
        height: the deepest condition.
        sealed: whether the cells must be computed before anything is built on them.
        session: the cell, if any, that holds a session window and only a group can compute.
    """

    base: DataFrame
    names: tuple[str, ...]
    cells: tuple[Cell, ...]
    conditions: tuple[Column, ...] = ()
    height: int = 0
    sealed: bool = False
    session: int | None = None

    @classmethod
    def of(cls, base: DataFrame, names: Sequence[str]) -> Frame:
        """A frame of all the columns of a DataFrame."""
        cells = tuple(Cell(name, name, name) for name in names)
        return cls(base, tuple(names), cells)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is deferred."""
        return not self.conditions and self.names == tuple(cell.name for cell in self.cells)

    def filtered(self, condition: Column, height: int) -> Frame:
        """Returns the frame with one more deferred condition."""
        highest = max(self.height, height)
        return replace(self, conditions=(*self.conditions, condition), height=highest)

    def rows(self) -> DataFrame:
        """The DataFrame with the conditions applied; its columns are not those of the frame."""
        if not self.conditions:
            return self.base
        return self.base.filter(balance(self.conditions, lambda a, b: a & b))


INTERNAL = "_vs"
"""How names begin that no table has."""


class Names:
    """Gives names that are new in this run, and always the same ones for the same tree.

    A column keeps its own name where that is still free: Spark then sees that the projection
    renames nothing, and its plan is the one that the SQL text gets.
    """

    def __init__(self) -> None:
        self._count = 0
        self._taken: set[str] = set()

    def fresh(self, label: str | None = None) -> str:
        """One new name, if possible the label."""
        folded = (label or INTERNAL).lower()
        if label is not None and not folded.startswith(INTERNAL) and folded not in self._taken:
            self._taken.add(folded)
            return label
        self._count += 1
        return f"{INTERNAL}{self._count}"

    def several(self, labels: Sequence[str | None]) -> list[str]:
        """A new name for each label."""
        return [self.fresh(label) for label in labels]


def plain(frame: Frame, names: Names) -> Frame:
    """The frame with everything carried out: a DataFrame of exactly its columns."""
    if frame.is_plain:
        return frame
    output: dict[str, Cell] = {}
    chosen: list[tuple[Cell, str | None]] = []
    for cell in frame.cells:
        if cell.name is None or cell.name in output:
            name = names.fresh(cell.label)
            chosen.append(
                (cell, None if isinstance(cell.made, str) and cell.made == name else name)
            )
            output[name] = Cell(name, name, cell.label)
        else:
            chosen.append((cell, None))
            output[cell.name] = cell
    rows, width = frame.rows(), len(frame.names)
    columns: list[Column | str] = []
    if width and tuple(output)[:width] == frame.names:
        columns, chosen = ["*"], chosen[width:]
    columns += [cell.column if new is None else cell.column.alias(new) for cell, new in chosen]
    made = rows if frame.names == tuple(output) else rows.select(*columns)
    return Frame(made, tuple(output), tuple(output.values()))


def rename(frame: Frame, names: Names) -> Frame:
    """The frame with columns of new names that no table has, so that nothing can mistake them."""
    cells = tuple(replace(cell, name=None, label=None) for cell in frame.cells)
    return plain(replace(frame, names=(), cells=cells), names)


def is_internal(name: str | None) -> bool:
    """Whether the name is reserved for internal columns, which no table has."""
    return name is not None and name.startswith(INTERNAL)


def balance(items: Sequence[T], join: Callable[[T, T], T]) -> T:
    """The items joined two by two, so that the result is as flat as can be, in their order."""
    level = list(items)
    while len(level) > 1:
        pairs = zip(level[0::2], level[1::2], strict=False)
        joined = [join(a, b) for a, b in pairs]
        level = joined + ([level[-1]] if len(level) % 2 else [])
    return level[0]
