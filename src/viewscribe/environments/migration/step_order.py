"""The order of steps: what is read before what reads it."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence

from viewscribe.environments.migration.snapshot import Key


def in_order(reads: Mapping[Key, Collection[Key]]) -> list[Key]:
    """The keys, each after those it reads, as far as possible in the order of their names.

    What is in a circle comes last: circles are told of elsewhere.
    """
    waiting = {key: {each for each in found if each in reads} for key, found in reads.items()}
    readers: dict[Key, list[Key]] = {key: [] for key in reads}
    for key, found in waiting.items():
        for each in found:
            readers[each].append(key)
    ready = [key for key, found in waiting.items() if not found]
    heapq.heapify(ready)
    ordered: list[Key] = []
    while ready:
        key = heapq.heappop(ready)
        ordered.append(key)
        for reader in readers[key]:
            waiting[reader].discard(key)
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(ordered) < len(reads):
        ordered += sorted(set(reads) - set(ordered))
    return ordered


def find_circle(reads: Mapping[Key, Collection[Key]]) -> Sequence[Key]:
    """Keys of which each reads the next and the last the first, the first repeated at the end."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        # graphlib goes from what is read to its reader.
        circle: list[Key] = error.args[1][:0:-1]
        start = circle.index(min(circle))
        ordered = [*circle[start:], *circle[:start]]
        return [*ordered, ordered[0]]
    return ()
