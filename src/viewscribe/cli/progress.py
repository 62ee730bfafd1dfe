"""Progress on stderr: a bar in a terminal, one line per step elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from viewscribe.cli.output.safe_text import say
from viewscribe.errors import printable

if TYPE_CHECKING:
    from rich.progress import TaskID


class Progress(Protocol):
    """Reports the progress of a run of steps; a context manager."""

    def start(self, step: str) -> None:
        """Reports that a step begins."""

    def done(self, step: str, outcome: str | None = None) -> None:
        """Reports that a step is done; an outcome gets a line of its own."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Silence:
    """Reports nothing."""

    def start(self, step: str) -> None: ...

    def done(self, step: str, outcome: str | None = None) -> None: ...

    def __enter__(self) -> Silence:
        return self

    def __exit__(self, *_: object) -> None: ...


_LONG_RUN = 100
_ESTIMATE_EVERY = 25


class Lines(Silence):
    """Prints a line for each step with an outcome: ``[3/22] sales.young: equal``.

    In a long run, now and then one says how long the rest will take.
    """

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._count = 0
        self._started = time.monotonic()

    def done(self, step: str, outcome: str | None = None) -> None:
        self._count += 1
        if outcome is None:
            return
        number = str(self._count) if self._total is None else f"{self._count}/{self._total}"
        say(f"[{number}] {printable(step)}: {outcome}{self._estimate()}")

    def _estimate(self) -> str:
        left = (self._total or 0) - self._count
        if (self._total or 0) < _LONG_RUN or self._count % _ESTIMATE_EVERY or left <= 0:
            return ""
        seconds = left * (time.monotonic() - self._started) / self._count
        return f", about {_describe_duration(seconds)} left"


def _describe_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class Bar:
    """Shows a bar that disappears when the run is over."""

    def __init__(self, what: str, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            SpinnerColumn(),
            TextColumn(what, markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            *([TimeRemainingColumn()] if (total or 0) >= _LONG_RUN else []),
            TextColumn("{task.fields[step]}", markup=False),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self._task: TaskID = self._bar.add_task(what, total=total, step="")

    def start(self, step: str) -> None:
        self._bar.update(self._task, step=printable(step))

    def done(self, step: str, outcome: str | None = None) -> None:
        self._bar.update(self._task, advance=1, step=printable(step))

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
