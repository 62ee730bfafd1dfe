"""The options that say which Spark a command starts, or which server it asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.servers import server_of_catalog
from viewscribe.secrets import remember_settings
from viewscribe.spark.classes import require_spark

if TYPE_CHECKING:
    from viewscribe.spark.classes import SparkSession


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """The values of the options.

    Args:
        master: Spark's master, where the command starts a Spark of its own.
        remote: the address of a Spark Connect server to use instead.
        settings: settings of Spark.
        modules: modules to send to Spark's workers.
    """

    master: str
    remote: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    modules: Sequence[str] = ()

    @property
    def note(self) -> str:
        """What to tell while the session is not there yet."""
        is_there = self.remote or server_of_catalog()
        return "Connecting to Spark ..." if is_there else "Starting Spark ..."

    @contextmanager
    def session(self, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
        """The session, which ends with the ``with`` block.

        Args:
            settings: those of the command, over which the user's win.

        Raises:
            SparkUnavailableError: Spark does not start, or the server does not answer.
        """
        require_spark()
        given = {**(settings or {}), **self.settings}
        server = self.remote or server_of_catalog()
        if server is not None:
            from viewscribe.spark.remote import remote_session

            made = remote_session(server, settings=given)
        else:
            from viewscribe.spark.local import local_session

            made = local_session(master=self.master, settings=given)
        with made as spark:
            if self.modules:
                from viewscribe.spark.workers import send_modules

                send_modules(spark, *self.modules)
            yield spark


def spark_options(master: str = "local[*]") -> Callable[[Any], Any]:
    """Adds ``--master``, ``--remote``, ``--conf`` and ``--send-module``, as ``spark_as``.

    Args:
        master: Spark's master where none is given.
    """

    def decorate(function: Any) -> Any:
        @wraps(function)
        def with_spark(
            *args: Any,
            master: str | None,
            remote: str | None,
            conf: Sequence[str],
            send_modules: Sequence[str],
            **options: Any,
        ) -> Any:
            if master is not None and remote is not None:
                raise click.UsageError(
                    "--master and --remote: a command starts a Spark of its own, or asks a server",
                    click.get_current_context(),
                )
            chosen = SparkOptions(master or default, remote, settings_of(conf), send_modules)
            return function(*args, spark_as=chosen, **options)

        for add in reversed(_options(default)):
            with_spark = add(with_spark)
        return with_spark

    default = master
    return decorate


def _options(master: str) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.option("--master", help=f"Spark's master.  [default: {master}]"),
        click.option(
            "--remote",
            metavar="URL",
            help="A Spark Connect server to use, and start no Spark: sc://host:15002.",
        ),
        click.option(
            "--conf",
            metavar="KEY=VALUE",
            multiple=True,
            help="A setting of Spark; can be repeated.",
        ),
        click.option(
            "--send-module",
            "send_modules",
            metavar="MODULE",
            multiple=True,
            help="Send a module, and viewscribe, to the workers of a server or cluster.",
        ),
    )


def settings_of(pairs: Sequence[str]) -> dict[str, str]:
    """``KEY=VALUE`` arguments as settings."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            context = click.get_current_context()
            shown = re.split(r"[\s:]", pair.strip())[0]  # what follows may be a secret
            raise click.BadParameter(f"'{shown}' is not KEY=VALUE", context, param_hint="'--conf'")
        found[key.strip()] = value
    remember_settings(found)
    return found
