"""The spatial reference systems (SRIDs) of GEOMETRY and GEOGRAPHY that Spark knows.

Spark rejects types with any other SRID. The SRIDs are those of EPSG and ESRI, and 0 for a plane
without units; ``reference_systems.txt`` lists them as ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

ANY = "ANY"
"""Marks a type whose SRID varies by row."""


def is_known(srid: int | str, *, of_earth: bool) -> bool:
    """Returns whether Spark knows the SRID; ``of_earth`` only accepts geographic systems.

    GEOGRAPHY needs a geographic system, GEOMETRY may have any.
    """
    if srid == ANY:
        return True
    known = _ranges()
    kinds = ("geographic",) if of_earth else ("geographic", "planar")
    return any(_within(known[kind], int(srid)) for kind in kinds)


def _within(ranges: tuple[list[int], list[int]], number: int) -> bool:
    firsts, lasts = ranges
    place = bisect_right(firsts, number) - 1
    return place >= 0 and number <= lasts[place]


@cache
def _ranges() -> dict[str, tuple[list[int], list[int]]]:
    """Returns the first and last SRIDs of the ranges of each kind, in order."""
    from importlib import resources  # costs an import of viewscribe more than this module does

    text = resources.files("viewscribe.types").joinpath("reference_systems.txt").read_text("utf-8")
    found: dict[str, tuple[list[int], list[int]]] = {}
    for line in text.splitlines():
        if line.isalpha():
            found[line] = firsts, lasts = [], []
        elif line and not line.startswith("#"):
            for item in line.split():
                first, _, last = item.partition("-")
                firsts.append(int(first))
                lasts.append(int(last or first))
    return found
