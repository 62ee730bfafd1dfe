"""The top-level command group: usage errors, exit codes, suggestions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

import click

from viewscribe.cli.commands.accept import accept
from viewscribe.cli.commands.apply import apply, rollback
from viewscribe.cli.commands.check import check
from viewscribe.cli.commands.diff import diff
from viewscribe.cli.commands.exchange import export, import_
from viewscribe.cli.commands.lineage import lineage
from viewscribe.cli.commands.list import list_objects
from viewscribe.cli.commands.plan import plan
from viewscribe.cli.commands.save import save
from viewscribe.cli.commands.show import show
from viewscribe.cli.commands.sql import sql
from viewscribe.cli.commands.verify import verify
from viewscribe.cli.commands.versions import log
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
        try:
            code = super().main(arguments, **extra)
        except click.ClickException as error:
            code = error.exit_code
            _show(error, arguments)
        except click.Abort:
            code = 1
            click.echo("interrupted", err=True)
        sys.exit(code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands) or f"commands: {', '.join(self.commands)}"
            raise click.UsageError(f"no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _show(error: click.ClickException, arguments: Sequence[str]) -> None:
    """Prints a usage error, as JSON if the arguments ask for it as far as they can be parsed."""
    if not _wants_json(arguments):
        error.show()
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


for _command in (
    list_objects,
    show,
    sql,
    lineage,
    log,
    save,
    verify,
    check,
    accept,
    diff,
    plan,
    apply,
    rollback,
    export,
    import_,
):
    app.add_command(_command)
