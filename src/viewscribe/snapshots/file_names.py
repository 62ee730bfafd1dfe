"""Names of snapshot files that Linux, macOS and Windows keep apart.

A name stays as it is where every system takes it. Otherwise what is left of it gets a mark, by
which it differs from every other name: ``a/b`` and ``ab`` are two files, and so are two
parameters ``DE`` and ``de``.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from unicodedata import category

import pytest

_FORBIDDEN = frozenset('\\/?*:|"<>')
_RESERVED = frozenset(
    (
        *("con", "prn", "aux", "nul", "conin$", "conout$", "clock$"),
        *(f"{device}{number}" for device in ("com", "lpt") for number in "0123456789¹²³"),
    )
)
_MOST_BYTES = 240
_NAMES = pytest.StashKey[Counter[str]]()


def file_name(text: str, *, clashes: bool = False) -> str:
    """Returns the name of a file or directory for a part of the name of a snapshot.

    Args:
        text: the part.
        clashes: whether another one differs from it in the case of letters alone.
    """
    name = "".join(each for each in text if each not in _FORBIDDEN and category(each)[0] != "C")
    name = name.rstrip(". ")
    if name.partition(".")[0].rstrip().casefold() in _RESERVED:
        name = f"_{name}"
    if len(name.encode()) > _MOST_BYTES:
        name = name.encode()[: _MOST_BYTES - 10].decode(errors="ignore")
    if name == text and not clashes:
        return name
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{name}~{mark}"


def note_names(
    collector: pytest.Collector, found: Sequence[pytest.Item | pytest.Collector]
) -> None:
    """Records the names in a module or class, those of tests that will not run included."""
    collector.stash[_NAMES] = Counter(each.name.casefold() for each in found)


def differs_in_case(item: pytest.Item) -> bool:
    """Whether another test has the name of this one in small letters, or both have large ones.

    The one in small letters keeps its name.
    """
    for node in item.listchain():
        names = node.parent.stash.get(_NAMES, None) if node.parent is not None else None
        folded = node.name.casefold()
        if names is not None and names[folded] > 1 and node.name != folded:
            return True
    return False
