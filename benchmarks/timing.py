"""Measuring: all contestants take turns, and of each only its best time counts.

Times are of the processor, so that it does not count when other work gets its turn. That work can
still only make a run slower, so the smallest of many is the steadiest figure; taking turns spreads
what is left of the disturbance over all contestants alike.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from types import FrameType

Job = Callable[[], str]

SAMPLE_SECONDS = 0.01
"""A sample repeats a job until it lasts about that long."""

MOST_SECONDS = 60.0
"""A job that takes longer is given up."""

BUDGET_SECONDS = 12.0
"""A contestant whose samples took that long in one row gets no further ones."""


@dataclass(frozen=True)
class Failure:
    """A contestant cannot do a row; ``reason`` says why."""

    reason: str


@dataclass
class _Runner:
    job: Job
    repeat: int
    best: float
    spent: float

    def sample(self) -> None:
        """Runs the job for a while, the garbage of others out of the way."""
        gc.collect()
        started = process_time()
        for _ in range(self.repeat):
            self.job()
        elapsed = process_time() - started
        self.best = min(self.best, elapsed / self.repeat)
        self.spent += elapsed


def interleaved(jobs: Mapping[str, Job], rounds: int) -> dict[str, float]:
    """The best time in seconds of each job, found in ``rounds`` rounds of all of them."""
    runners = {name: _prepared(job) for name, job in jobs.items()}
    gc.freeze()  # what the imported packages keep is not the contestants' garbage
    for _ in range(rounds):
        for runner in runners.values():
            if runner.spent < BUDGET_SECONDS:
                runner.sample()
    return {name: runner.best for name, runner in runners.items()}


def _prepared(job: Job) -> _Runner:
    """A runner whose samples last about as long as they shall, however fast the job."""
    job()
    repeat = 1
    while True:
        started = process_time()
        for _ in range(repeat):
            job()
        elapsed = process_time() - started
        if elapsed >= SAMPLE_SECONDS / 2:
            break
        repeat *= 2
    each = elapsed / repeat
    return _Runner(job, 1 + int(SAMPLE_SECONDS / each), each, elapsed)


def attempt(job: Job) -> str | Failure:
    """What the job gives, or why it gives nothing."""
    try:
        with _time_limit(MOST_SECONDS):
            return job()
    except TimeoutError:
        return Failure(f"not done after {MOST_SECONDS:.0f} s")
    except RecursionError:
        return Failure(f"RecursionError at Python's limit of {sys.getrecursionlimit()}")
    except Exception as error:
        return Failure(f"{type(error).__name__}: {str(error).splitlines()[0][:100]}")


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the body after that many seconds, where the system has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
