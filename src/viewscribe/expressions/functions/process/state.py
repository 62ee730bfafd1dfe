"""State that is a list or a map; other state is a dataclass or a row.

``eval`` gets the state of the partition it is called for, and changes it in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from viewscribe.errors import ValidationError

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class ListState(Generic[T]):
    """A list of values, in the order they were added: ``ListState[int]``."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: list[T] = list(items)

    def add(self, value: T) -> None:
        """Puts a value at the end, which is not None."""
        if value is None:
            raise _none_error("a ListState", "value")
        self._items.append(value)

    def add_all(self, values: Iterable[T]) -> None:
        """Puts values at the end."""
        self._items.extend(_without_none(values))

    def get(self) -> list[T]:
        """All values; a copy."""
        return list(self._items)

    def update(self, values: Iterable[T]) -> None:
        """Replaces all values."""
        self._items = _without_none(values)

    def clear(self) -> None:
        """Removes all values."""
        self._items = []

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ListState({self._items!r})"


class MapState(Generic[K, V]):
    """Values by keys, in the order the keys came: ``MapState[str, int]``."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._items: dict[K, V] = dict(items)

    def get(self, key: K, default: V | None = None) -> V | None:
        """The value of a key; the default where there is none."""
        return self._items.get(key, default)

    def put(self, key: K, value: V) -> None:
        """Sets the value of a key, which is not None; its value may be."""
        if key is None:
            raise _none_error("a MapState", "key")
        self._items[key] = value

    def remove(self, key: K) -> None:
        """Removes a key; nothing happens where it is not there."""
        self._items.pop(key, None)

    def keys(self) -> list[K]:
        """The keys; a copy."""
        return list(self._items)

    def values(self) -> list[V]:
        """The values; a copy."""
        return list(self._items.values())

    def items(self) -> list[tuple[K, V]]:
        """Keys and values; a copy."""
        return list(self._items.items())

    def clear(self) -> None:
        """Removes all keys."""
        self._items = {}

    __getitem__ = get
    __setitem__ = put

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._items))

    def __repr__(self) -> str:
        return f"MapState({self._items!r})"


def _without_none(values: Iterable[T]) -> list[T]:
    found = list(values)
    if None in found:
        raise _none_error("a ListState", "value")
    return found


def _none_error(what: str, part: str) -> ValidationError:
    return ValidationError(
        f"None is no {part} of {what}",
        hint="leave it out, or put what it stands for into a dataclass or a Row",
    )
