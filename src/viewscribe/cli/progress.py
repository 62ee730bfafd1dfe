"""Progress on stderr: a bar in a terminal, one line per step elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TextIO, cast

from viewscribe.cli.output.safe_text import safe, say
from viewscribe.errors import printable

if TYPE_CHECKING:
    from rich.progress import TaskID

    from viewscribe.catalog_store import Catalog, Loaded, Unreadable
    from viewscribe.cli.output import Output


# A catalog wrapper that reports progress of a full read and remembers unreadable documents.


class Watched:
    """Delegates to a catalog, and reports every document that is loaded.

    Args:
        catalog: the catalog.
        progress: the display to report to.
    """

    def __init__(self, catalog: Catalog, progress: Progress) -> None:
        self._catalog = catalog
        self._progress = progress
        self.documents = 0
        self.unreadable: list[Unreadable] = []

    def load_all(self) -> Iterator[Loaded | Unreadable]:
        """Yields every document of the catalog."""
        from viewscribe.catalog_store import Unreadable

        for entry in self._catalog.load_all():
            self.documents += 1
            self._progress.done(str(entry.id))
            if isinstance(entry, Unreadable):
                self.unreadable.append(entry)
            yield entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    @property
    def as_catalog(self) -> Catalog:
        """Returns itself as a ``Catalog``; type checkers do not see the delegated methods."""
        return cast("Catalog", self)


# Output of commands: results, progress and log, with or without colour and animation.

Format = Literal["text", "json", "markdown", "sarif", "github"]
FORMATS: tuple[Format, ...] = ("text", "json", "markdown")
PROBLEM_FORMATS: tuple[Format, ...] = (*FORMATS, "sarif", "github")
"""The output formats of commands that report findings."""


@dataclass(frozen=True)
class Terminal:
    """The output of one run: the result goes to stdout, everything else to stderr."""

    format: Format = "text"
    verbose: int = 0
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.verbose:
            _log_to_stderr(debug=self.verbose > 1)

    @cached_property
    def output(self) -> Output:
        """Writes the result in the requested format."""
        if self.format == "json":
            from viewscribe.cli.output.as_json import JsonOutput

            return JsonOutput()
        if self.format == "markdown":
            from viewscribe.cli.output.markdown import MarkdownOutput

            return MarkdownOutput()
        if self.format == "sarif":
            from viewscribe.cli.output.as_json import SarifOutput

            return SarifOutput()
        if self.format == "github":
            from viewscribe.cli.output.as_json import GithubOutput

            return GithubOutput()
        from viewscribe.cli.output.pages import ConsoleOutput

        return ConsoleOutput()

    def note(self, text: str) -> None:
        """Prints a note to stderr."""
        if not self.quiet:
            say(text)

    def confirm(self, question: str, *, yes: bool) -> None:
        """Asks before something is taken away; scripts, which nobody answers for, go on.

        Raises:
            click.Abort: the answer is no.
        """
        if not yes and is_terminal(sys.stdin):
            import click

            click.confirm(printable(question), abort=True, err=True)

    def progress(self, what: str, total: int | None = None) -> Progress:
        """Returns the progress display for a run; a silent one with ``--quiet``."""

        if self.quiet:
            return Silence()
        return Bar(what, total) if may_decorate(sys.stderr) else Lines(total)


def _log_to_stderr(*, debug: bool) -> None:
    import logging

    class SafeFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return safe(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(SafeFormatter("%(levelname)s %(name)s: %(message)s"))
    log = logging.getLogger("viewscribe")
    log.handlers = [handler]
    log.setLevel(logging.DEBUG if debug else logging.INFO)


def may_decorate(stream: TextIO) -> bool:
    """Returns whether ``stream`` may have colour and animation."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    return is_terminal(stream) and not in_ci


def can_write(text: str) -> bool:
    """Returns whether stdout has all letters of ``text``."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_terminal(stream: TextIO) -> bool:
    """Returns whether ``stream`` is a terminal."""
    return not stream.closed and stream.isatty()


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
