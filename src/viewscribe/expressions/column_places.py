"""Where the columns of a schema stand, shared by schemas that differ by a few of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from viewscribe.expressions.schema import Schema

T = TypeVar("T")
MANY = -1
"""The place of a name that several columns have."""


class ColumnPlaces:
    """Where the columns of a schema stand, by their names in lower case.

    A schema with one more column shares the places of the one before it, and sees more of them.

    Args:
        places: the positions; -1 marks a name that several columns have.
        width: how many columns the schema has: what stands behind belongs to wider ones.
        names: how many names these columns have.
    """

    __slots__ = ("_names", "_width", "shared")

    def __init__(self, places: dict[str, int], width: int, names: int) -> None:
        self.shared = places
        self._width = width
        self._names = names

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """Returns the places of columns with these names."""
        keys = [name.lower() for name in names]
        found = dict(zip(keys, range(len(keys)), strict=True))
        if len(found) < len(keys):
            found |= {key: MANY for key, count in Counter(keys).items() if count > 1}
        return cls(found, len(keys), len(found))

    def __contains__(self, name: str) -> bool:
        return self.shared.get(name, self._width) < self._width

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items())

    def __len__(self) -> int:
        return self._names

    def __getitem__(self, name: str) -> int:
        if name not in self:
            raise KeyError(name)
        return self.shared[name]

    def get(self, name: str) -> int | None:
        """Returns the position of a name; None where no column has it."""
        place = self.shared.get(name)
        return None if place is None or place >= self._width else place

    def find_unique(self, name: str) -> int:
        """Returns the position of a name; -1 where no column has it, or several have."""
        place = self.shared.get(name, MANY)
        return place if place < self._width else MANY

    def items(self) -> list[tuple[str, int]]:
        """Returns the names with their positions."""
        # Another thread may make a schema wider meanwhile; a copy is made in one step.
        return [(name, at) for name, at in self.shared.copy().items() if at < self._width]

    def copy(self) -> dict[str, int]:
        """Returns places of one's own."""
        if len(self.shared) == self._names:
            return self.shared.copy()
        return dict(self.items())

    def grow(self, keys: Sequence[str]) -> ColumnPlaces:
        """Returns places that also have the next columns, whose names no column has yet."""
        width = self._width + len(keys)
        self.shared.update(zip(keys, range(self._width, width), strict=True))
        return ColumnPlaces(self.shared, width, self._names + len(keys))


class KeptPlaces(ColumnPlaces):
    """Where the columns of a schema stand that others were dropped from, which has no name twice.

    Args:
        before: the places of the columns before any of them was dropped.
        gone: the places there of those that were, in order.
        width: how many columns are left.
    """

    __slots__ = ("_before", "_gone")

    def __init__(self, before: ColumnPlaces, gone: tuple[int, ...], width: int) -> None:
        super().__init__({}, width, width)
        self._before = before
        self._gone = gone

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __getitem__(self, name: str) -> int:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str) -> int | None:
        place = self._before.get(name)
        if place is None:
            return None
        fewer = bisect_left(self._gone, place)
        if fewer < len(self._gone) and self._gone[fewer] == place:
            return None
        return place - fewer

    def find_unique(self, name: str) -> int:
        found = self.get(name)
        return MANY if found is None else found

    def items(self) -> list[tuple[str, int]]:
        found = [(name, self.get(name)) for name in self._before]
        return [(name, place) for name, place in found if place is not None]

    def copy(self) -> dict[str, int]:
        return dict(self.items())


class KeptColumns:
    """The columns of a schema that are left of those of another one.

    Args:
        before: the schema with all of them.
        gone: the places there of those that were dropped, in order.
    """

    __slots__ = ("before", "gone")

    def __init__(self, before: Schema, gone: tuple[int, ...]) -> None:
        self.before = before
        self.gone = gone

    def place_before(self, place: int) -> int:
        """Returns where a column stood before any was dropped."""
        gone = self.gone
        return place + bisect_right(range(len(gone)), place, key=lambda each: gone[each] - each)

    def choose(self, values: Sequence[T]) -> tuple[T, ...]:
        """Returns those of the values that belong to columns which are left."""
        left = bytearray(b"\1") * len(values)
        for place in self.gone:
            left[place] = 0
        return tuple(compress(values, left))

    def without(self, places: tuple[int, ...]) -> KeptColumns:
        """Returns what is left once further columns are dropped."""
        gone = [*self.gone]
        for place in map(self.place_before, places):
            insort(gone, place)
        return KeptColumns(self.before, tuple(gone))
