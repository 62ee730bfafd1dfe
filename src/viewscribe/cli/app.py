"""The top-level command group: usage errors, exit codes, suggestions."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn

import click

from viewscribe.cli.commands import COMMANDS, TOPICS
from viewscribe.cli.examples import FIRST_STEPS, write_examples
from viewscribe.cli.output.safe_text import say
from viewscribe.errors import ViewscribeError, did_you_mean
from viewscribe.version import __version__

EPILOG = """CATALOG is an environment of viewscribe.yaml, a URL such as file:./views, or a
directory; by default what the environment variable VIEWSCRIBE_CATALOG names. Exit codes: 0 done,
1 failed, 2 wrong usage, 3 differences or findings."""


class App(click.Group):
    """The group of all commands; turns every outcome, errors included, into an exit code."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> NoReturn:
        arguments = list(sys.argv[1:] if args is None else args)
        extra.update(standalone_mode=False, prog_name="viewscribe")
        if "_VIEWSCRIBE_COMPLETE" in os.environ:
            import_module("viewscribe.cli.completion")  # how names are quoted for the shell
        try:
            code = super().main(arguments, **extra)
        except click.ClickException as error:
            code = error.exit_code
            _show(error, arguments)
        except click.Abort:
            code = 1
            say("interrupted")
        sys.exit(code)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module = import_module(f"viewscribe.cli.commands.{place.module}")
        found: click.Command = getattr(module, place.function)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them, which would take longer than all the rest."""
        width = max(map(len, COMMANDS))
        for topic, places in TOPICS.items():
            with formatter.section(topic):
                rows = [(name.ljust(width), place.summary) for name, place in places.items()]
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, FIRST_STEPS)
        super().format_epilog(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], COMMANDS) or f"commands: {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _show(error: click.ClickException, arguments: Sequence[str]) -> None:
    """Prints a usage error, as JSON if the arguments ask for it as far as they can be parsed."""
    if not _wants_json(arguments):
        shown = io.StringIO()
        error.show(shown)
        say(shown.getvalue().rstrip())
        return
    from viewscribe.cli.output.as_json import JsonOutput

    hint = "see viewscribe --help"
    context = getattr(error, "ctx", None)
    if context is not None:
        hint = f"see {context.command_path} --help"
    JsonOutput().error(ViewscribeError(error.format_message(), code="UsageError", hint=hint))


def _wants_json(arguments: Sequence[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in options or "--format=json" in options:
        return True
    return ("--format", "json") in pairwise(options)


@click.group(
    cls=App,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="viewscribe", message="%(prog)s %(version)s")
def app() -> None:
    """Views that outlive their session: what a catalog holds, and proof that it holds true."""
