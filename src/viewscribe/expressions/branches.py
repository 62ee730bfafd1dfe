"""The arguments of a CASE that grows branch by branch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any

_FEW = 32
_LOCK = Lock()


class Branches(Sequence[Any]):
    """Arguments that each longer CASE shares with the one before it, and sees more of.

    Args:
        items: the arguments, and behind them those of longer ones.
        width: how many of them these are.
    """

    __slots__ = ("_items", "_width")

    def __init__(self, items: list[Any], width: int) -> None:
        self._items = items
        self._width = width

    def __len__(self) -> int:
        return self._width

    def __iter__(self) -> Iterator[Any]:
        return islice(self._items, self._width)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple([self._items[each] for each in range(self._width)[place]])
        return self._items[range(self._width)[place]]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def grow(self, more: tuple[Any, ...]) -> Branches:
        """Returns these arguments and further ones."""
        with _LOCK:
            if len(self._items) == self._width:
                self._items += more
                return Branches(self._items, self._width + len(more))
        return Branches([*self, *more], self._width + len(more))


def add_branch(args: Sequence[Any], more: tuple[Any, ...]) -> Sequence[Any]:
    """Returns the arguments with further ones; where they are many, without a copy of them."""
    if isinstance(args, tuple):
        if len(args) < _FEW:
            return args + more
        args = Branches([*args], len(args))
    assert isinstance(args, Branches)
    return args.grow(more)
