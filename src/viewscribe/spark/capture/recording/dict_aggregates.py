"""``agg({"a": "sum", "b": "max"})`` gives its columns in the order of a classic session.

PySpark hands the dictionary over as a ``java.util.HashMap``, of which Spark makes an immutable map
of Scala: both order names by their hash codes, the latter from five names on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

_MASK = 0xFFFFFFFF
_FEW = 4
"""The most names of which Scala keeps the order that they came in."""


@contextmanager
def ordered_as_by_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect orders the columns of dictionaries as classic does."""
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.group import GroupedData

    with ExitStack() as stack:
        for kind in (DataFrame, GroupedData):
            stack.enter_context(patch.object(kind, "agg", _ordered(kind.agg)))
        yield


def _ordered(agg: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(agg)
    def ordered(frame: Any, *exprs: Any) -> Any:
        if len(exprs) == 1 and isinstance(exprs[0], dict):
            exprs = ({name: exprs[0][name] for name in classic_order(exprs[0])},)
        return agg(frame, *exprs)

    return ordered


def classic_order(names: Mapping[str, Any]) -> list[str]:
    """The names in the order in which a classic session has their columns."""
    size = 16
    while len(names) > size * 0.75:
        size *= 2
    codes = {name: _java_hash(name) for name in names}
    of_java = sorted(names, key=lambda name: (codes[name] ^ codes[name] >> 16) % size)
    if len(of_java) <= _FEW:
        return of_java
    return list(_of_scala(of_java, 0))


def _java_hash(name: str) -> int:
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for place in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[place : place + 2], "big")) & _MASK
    return code


def _scala_hash(name: str) -> int:
    code = _java_hash(name)
    code = (code + ~(code << 9)) & _MASK
    code ^= code >> 14
    code = (code + (code << 4)) & _MASK
    return code ^ (code >> 10)


def _of_scala(names: Iterable[str], shift: int) -> Iterator[str]:
    """The names of a node of Scala's hash trie: those it holds itself, then those of its nodes."""
    if shift >= 32:  # hash codes that are the same
        yield from names
        return
    places: dict[int, list[str]] = {}
    for name in names:
        places.setdefault((_scala_hash(name) >> shift) & 31, []).append(name)
    below = []
    for _, held in sorted(places.items()):
        if len(held) == 1:
            yield held[0]
        else:
            below.append(held)
    for held in below:
        yield from _of_scala(held, shift + 5)
