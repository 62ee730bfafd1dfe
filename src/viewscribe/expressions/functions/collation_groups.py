"""Which texts of a call Spark brings to one collation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Groups = Callable[[int], Sequence[Sequence[int]]]
"""The places of the arguments that get one collation together, for a number of arguments."""


def every_text(count: int) -> Sequence[Sequence[int]]:
    """All arguments together."""
    return (range(count),)


def texts_from(first: int) -> Groups:
    """The arguments from a place on."""
    return lambda count: (range(first, count),)


def texts_at(*places: int) -> Groups:
    """The arguments at these places."""
    return lambda count: ([place for place in places if place < count],)


def results_of_case(count: int) -> Sequence[Sequence[int]]:
    """The results of ``CASE WHEN condition THEN result … ELSE result END``."""
    paired = count // 2 * 2
    return ([*range(1, paired, 2), *range(paired, count)],)


def results_of_decode(count: int) -> Sequence[Sequence[int]]:
    """``decode(x, search, result, …)``; with two arguments it is another function."""
    if count < 3:
        return ()
    last = [] if count % 2 else [count - 1]
    searched = [0, *range(1, count - len(last), 2)]
    return (searched, [*range(2, count - len(last), 2), *last])


def keys_and_values(count: int) -> Sequence[Sequence[int]]:
    """``map(key, value, …)``: all keys, and all values."""
    return (range(0, count, 2), range(1, count, 2))
