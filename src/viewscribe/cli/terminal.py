"""Output of commands: results, progress and log, with or without colour and animation."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TextIO

from viewscribe.cli.output.safe_text import safe, say
from viewscribe.errors import printable

if TYPE_CHECKING:
    from viewscribe.cli.output import Output
    from viewscribe.cli.progress import Progress

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
            from viewscribe.cli.output.sarif import SarifOutput

            return SarifOutput()
        if self.format == "github":
            from viewscribe.cli.output.github import GithubOutput

            return GithubOutput()
        from viewscribe.cli.output.console import ConsoleOutput

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
        from viewscribe.cli.progress import Bar, Lines, Silence

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
