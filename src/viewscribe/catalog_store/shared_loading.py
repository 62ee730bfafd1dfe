"""Loading a large catalog in several processes, each of which checks what it has loaded.

Only outlines of the documents go from one process to another.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager

from viewscribe.catalog_store.checks import Finding, World, check_group, outline
from viewscribe.catalog_store.protocol import Catalog, Loaded, LoadsInShares, Share, Unreadable
from viewscribe.catalog_store.shared_work import is_worth_processes, single_processes

_SHARES_EACH = 8
"""How many shares a process loads, one after the other, so that progress is seen."""


class Shares:
    """The documents of a catalog, each in one of several processes.

    Args:
        processes: these; each has loaded every so many-th share.
        parts: outlines of the documents of each share.
    """

    def __init__(
        self, processes: Sequence[ProcessPoolExecutor], parts: Sequence[list[Loaded | Unreadable]]
    ) -> None:
        self._processes = processes
        self._parts = parts
        self.entries = sorted((each for part in parts for each in part), key=_place)
        """Outlines of all documents, in the order of ``load_all``."""

    def check(self, world: World) -> Iterator[tuple[Sequence[Loaded], list[Finding]]]:
        """Yields documents with the findings in them, from where they are.

        Args:
            world: what they are checked against.
        """
        packed = pickle.dumps(world)  # once for all processes
        for process in self._processes:
            process.submit(_know, packed)
        found = [
            process.submit(_check, number)
            for number, process in _turns(self._processes, len(self._parts))
        ]
        for part, future in zip(self._parts, found, strict=True):
            yield [each for each in part if isinstance(each, Loaded)], future.result()


@contextmanager
def load_in_shares(
    catalog: Catalog, processes: int, watch: Callable[[str], None]
) -> Iterator[Shares | None]:
    """Loads a catalog in several processes; gives None where it has to be loaded in this one.

    Args:
        catalog: the catalog.
        processes: how many processes may share the work, if there is much of it.
        watch: is called with each document that is loaded.

    Raises:
        CatalogError: it cannot be read.
    """
    if not isinstance(catalog, LoadsInShares) or not is_worth_processes(
        catalog.count_documents() if processes > 1 else 0, processes
    ):
        yield None
        return
    with single_processes(processes) as running:
        count = processes * _SHARES_EACH
        parts: list[Future[list[Loaded | Unreadable]]] = [
            process.submit(_load, catalog, Share(number, count))
            for number, process in _turns(running, count)
        ]
        loaded = []
        for part in parts:
            loaded.append(part.result())
            for entry in loaded[-1]:
                watch(str(entry.id))
        yield Shares(running, loaded)


def _turns(
    processes: Sequence[ProcessPoolExecutor], count: int
) -> Iterator[tuple[int, ProcessPoolExecutor]]:
    """The numbers of shares, each with the process that it belongs to."""
    return ((number, processes[number % len(processes)]) for number in range(count))


def _place(entry: Loaded | Unreadable) -> str:
    """What sorts paths by the names of directories, and then by those of files."""
    return entry.path.replace(os.sep, "\0")


# -- in the processes ------------------------------------------------------------------------------

_kept: dict[int, list[Loaded]] = {}
_known: list[World] = []


def _load(catalog: LoadsInShares, share: Share) -> list[Loaded | Unreadable]:
    entries = list(catalog.load_share(share))
    _kept[share.number] = [each for each in entries if isinstance(each, Loaded)]
    return [outline(each) for each in entries]


def _know(packed: bytes) -> None:
    _known[:] = [pickle.loads(packed)]


def _check(number: int) -> list[Finding]:
    return check_group(_known[0], _kept.pop(number))
