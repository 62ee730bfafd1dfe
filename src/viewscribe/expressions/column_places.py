"""Where the columns of a schema stand, shared by schemas that differ by a few of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from viewscribe.expressions.schema import Schema

T = TypeVar("T")
MANY = -1
"""The place of a name that several columns have."""

Place = int | list[int]
"""Where the column of a name stands; all places, in order, where several have it."""


class ColumnPlaces:
    """Where the columns of a schema stand, by their names in lower case.

    A schema with more columns shares the places of the one before it, and sees more of them.

    Args:
        places: the positions.
        width: how many columns the schema has: what stands behind belongs to wider ones.
        names: how many names these columns have.
    """

    __slots__ = ("_names", "_width", "shared")

    def __init__(self, places: dict[str, Place], width: int, names: int) -> None:
        self.shared = places
        self._width = width
        self._names = names

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """Returns the places of columns with these names."""
        keys = [name.lower() for name in names]
        found: dict[str, Place] = dict(zip(keys, range(len(keys)), strict=True))
        if len(found) < len(keys):
            found = {}
            _add(found, keys, 0)
        return cls(found, len(keys), len(found))

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items())

    def __len__(self) -> int:
        return self._names

    def __getitem__(self, name: str) -> int:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str) -> int | None:
        """Returns the position of a name; None where no column has it, ``MANY`` if several do."""
        place = self.shared.get(name)
        if isinstance(place, list):
            if len(place) > 1 and place[1] < self._width:
                return MANY
            place = place[0]
        return None if place is None or place >= self._width else place

    def find_unique(self, name: str) -> int:
        """Returns the position of a name; ``MANY`` where no column has it, or several have."""
        place = self.shared.get(name, MANY)
        if isinstance(place, list):
            found = self.get(name)
            return MANY if found is None else found
        return place if place < self._width else MANY

    def find_all(self, name: str) -> Sequence[int]:
        """Returns the positions of all columns of a name."""
        places = self.shared.get(name)
        if isinstance(places, list):
            return places[: bisect_left(places, self._width)]
        return () if places is None or places >= self._width else (places,)

    def items(self) -> list[tuple[str, int]]:
        """Returns the names with their positions."""
        # Another thread may make a schema wider meanwhile; a copy is made in one step.
        found = ((name, self.get(name)) for name in self.shared.copy())
        return [(name, place) for name, place in found if place is not None]

    def copy(self) -> dict[str, Place]:
        """Returns places of one's own."""
        if len(self.shared) == self._names == self._width:  # each column has a name of its own
            return self.shared.copy()
        found: dict[str, Place] = {}
        for name, at in self.shared.copy().items():
            if isinstance(at, list):
                every = self.find_all(name)
                if every:
                    found[name] = [*every] if len(every) > 1 else every[0]
            elif at < self._width:
                found[name] = at
        return found

    def grow(self, keys: Sequence[str]) -> ColumnPlaces:
        """Returns places that also have the next columns, which no other schema has yet."""
        fresh = _add(self.shared, keys, self._width)
        return ColumnPlaces(self.shared, self._width + len(keys), self._names + fresh)


def _add(places: dict[str, Place], keys: Sequence[str], start: int) -> int:
    """Adds columns from a position on; returns how many of their names are new."""
    fresh = 0
    for place, key in enumerate(keys, start):
        known = places.get(key)
        if known is None:
            places[key] = place
            fresh += 1
        elif isinstance(known, list):
            known.append(place)
        else:
            places[key] = [known, place]
    return fresh


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

    def find_all(self, name: str) -> Sequence[int]:
        found = self.get(name)
        return () if found is None else (found,)

    def items(self) -> list[tuple[str, int]]:
        found = [(name, self.get(name)) for name in self._before]
        return [(name, place) for name, place in found if place is not None]

    def copy(self) -> dict[str, Place]:
        return dict(self.items())


class PlacesOfTwo(ColumnPlaces):
    """Where the columns of two schemas stand beside each other.

    Args:
        left: the places of the first.
        right: those of the second.
        width: how many columns the first has.
    """

    __slots__ = ("_left", "_right")

    def __init__(self, left: ColumnPlaces, right: ColumnPlaces, width: int) -> None:
        super().__init__({}, width, 0)
        self._left = left
        self._right = right

    def __len__(self) -> int:
        return len(self._left) + sum(name not in self._left for name in self._right)

    def get(self, name: str) -> int | None:
        left, right = self._left.get(name), self._right.get(name)
        if right is None:
            return left
        return MANY if left is not None or right == MANY else right + self._width

    def find_unique(self, name: str) -> int:
        found = self.get(name)
        return MANY if found is None else found

    def find_all(self, name: str) -> Sequence[int]:
        behind = [place + self._width for place in self._right.find_all(name)]
        return [*self._left.find_all(name), *behind]

    def items(self) -> list[tuple[str, int]]:
        names = dict.fromkeys((*self._left, *self._right))
        return [(name, self[name]) for name in names]

    def copy(self) -> dict[str, Place]:
        found: dict[str, Place] = {}
        for name, _ in self.items():
            every = self.find_all(name)
            found[name] = [*every] if len(every) > 1 else every[0]
        return found


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
