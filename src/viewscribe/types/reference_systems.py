"""The spatial reference systems of GEOMETRY and GEOGRAPHY: which numbers Spark knows.

Spark refuses a type of any other system. The numbers are those of EPSG and ESRI, and 0, a plane
without units; ``reference_systems.txt`` has them as ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

ANY = "ANY"
"""What stands for a system that each row says."""


def is_known(srid: int | str, *, of_earth: bool) -> bool:
    """Whether there is such a system; ``of_earth`` asks for one of degrees, as GEOGRAPHY does.

    A GEOMETRY may have any system.
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
    """The first and the last numbers of the ranges of each kind, in order."""
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
