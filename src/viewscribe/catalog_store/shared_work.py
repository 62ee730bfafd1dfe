"""Work over the documents of a large catalog, shared out to several processes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Common = TypeVar("Common")
Job = TypeVar("Job")
Result = TypeVar("Result")

TOGETHER = 50
"""How many documents are a job."""

_WORTH_PROCESSES = 400
_begun: list[Any] = []
"""In a process that shares the work: what it does, and with what."""


def share_out(
    work: Callable[[Common, Job], Result],
    common: Common,
    jobs: Iterable[Job],
    *,
    documents: int,
    processes: int,
) -> Iterator[Result]:
    """Yields what ``work`` makes of each job, in their order.

    Args:
        work: a function of a module, which other processes import.
        common: what all jobs need; each process gets it once.
        jobs: the parts of the work.
        documents: how many there are in all: few are not worth a process.
        processes: how many may share the work; with 1 it is done here.
    """
    if not is_worth_processes(documents, processes):
        for job in jobs:
            yield work(common, job)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A progress bar has a thread, and a process with threads must not be forked.
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, context, _begin, (work, common)) as pool:
        yield from pool.map(_do, jobs)


@contextmanager
def single_processes(count: int) -> Iterator[list[ProcessPoolExecutor]]:
    """Gives processes that are each asked by themselves, so that each may keep what it has read."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    with ExitStack() as running:
        yield [
            running.enter_context(ProcessPoolExecutor(1, context, _collect_rarely))
            for _ in range(count)
        ]


def is_worth_processes(documents: int, processes: int) -> bool:
    """Returns whether so much work is faster in several processes."""
    return documents >= _WORTH_PROCESSES and processes > 1


def _collect_rarely() -> None:
    gc.set_threshold(100_000)  # as the command line does: documents have no reference cycles


def _begin(work: Callable[[Common, Job], Result], common: Common) -> None:
    _collect_rarely()
    _begun[:] = [work, common]


def _do(job: object) -> Any:
    work, common = _begun
    return work(common, job)
