"""How a random pipeline decides: by what hypothesis draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

STEMS = ("c", "v", "the total", "Order", "Ü", "a.b", "x`y", "value")


class Choices:
    """Draws with ``draw``, which is hypothesis'."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._names = 0

    def number(self, low: int, high: int) -> int:
        """A number of a range, both ends included."""
        return int(self._draw(st.integers(low, high)))

    def choose(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.number(0, len(items) - 1)]

    def chance(self, one_in: int) -> bool:
        """True once in so many times; the simplest example has False."""
        return self.number(1, one_in) == one_in

    def some(self, items: Sequence[T], least: int = 0, most: int = 3) -> list[T]:
        """A few different items in random order."""
        left = list(items)
        found: list[T] = []
        for _ in range(min(self.number(least, most), len(left))):
            found.append(left.pop(self.number(0, len(left) - 1)))
        return found

    def fresh(self) -> str:
        """A name that no column has."""
        self._names += 1
        return f"{self.choose(STEMS)}{self._names}"
