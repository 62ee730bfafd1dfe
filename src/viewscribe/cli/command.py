"""What all commands share: common options, the terminal, and error presentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from viewscribe.cli.examples import EXAMPLES, write_examples
from viewscribe.cli.output.safe_text import say
from viewscribe.cli.progress import FORMATS, Terminal
from viewscribe.errors import ViewscribeError

DONE, FAILED, DIFFERENT = 0, 1, 3
"""The exit codes of commands. 2, for wrong usage, comes from click."""


class Command(click.Command):
    """A command whose function takes a ``Terminal`` as first argument and returns an exit code."""

    def __init__(self, *args: Any, formats: Sequence[str] = FORMATS, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params.extend(_common_options(formats))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes examples below the options."""
        write_examples(formatter, EXAMPLES.get(self.name or "", ()))
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> int:
        taken = {key: ctx.params.pop(key) for key in ("format_", "json", "verbose", "quiet")}
        terminal = Terminal(
            format="json" if taken["json"] else taken["format_"],
            verbose=taken["verbose"],
            quiet=taken["quiet"],
        )
        assert self.callback is not None
        try:
            code: int = ctx.invoke(self.callback, terminal, **ctx.params)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if terminal.verbose > 1:
                import traceback

                say("".join(traceback.format_exception(error)).rstrip())
            terminal.output.error(as_viewscribe_error(error))
            return FAILED
        return code


def command(
    name: str, formats: Sequence[str] = FORMATS
) -> Callable[[Callable[..., int]], click.Command]:
    """Decorator that turns a function into the command ``name``, with the common options."""
    return click.command(name, cls=Command, formats=formats)


def _common_options(formats: Sequence[str]) -> list[click.Parameter]:
    return [
        click.Option(
            ["--format", "format_"],
            type=click.Choice(formats),
            default="text",
            show_default=True,
            help="How the result is written.",
        ),
        click.Option(["--json"], is_flag=True, help="Short for --format json."),
        click.Option(["-v", "--verbose"], count=True, help="Tell more; -vv shows tracebacks."),
        click.Option(["-q", "--quiet"], is_flag=True, help="Neither progress nor log."),
    ]


def as_viewscribe_error(error: BaseException) -> ViewscribeError:
    """Returns ``error`` itself, or wraps an unexpected exception for presentation."""
    if isinstance(error, ViewscribeError):
        return error
    lines = str(error).strip().splitlines() or ["no message"]
    return ViewscribeError(
        lines[0], code=type(error).__name__, hint="run it again with -vv for the traceback"
    )
