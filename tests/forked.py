"""Processes of their own that start at once: forked from one that has loaded what they need."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import chdir
from functools import cache, partial
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path

from _pytest.config import default_plugins

ROOT = Path(__file__).parents[1]


@cache
def server() -> ForkServerContext:
    """It has no threads, so that its children may do anything."""
    context = multiprocessing.get_context("forkserver")
    plugins = [f"_pytest.{name}" for name in default_plugins]
    context.set_forkserver_preload(
        ["__main__", "tests.catalog_store.warm", "viewscribe.snapshots.view_snapshot", *plugins]
    )
    with chdir(ROOT):  # from where it finds the tests
        forkserver.ensure_running()
    return context


class CommandLine:
    """A command line, in the directory and the environment of the caller.

    Args:
        arguments: what follows ``viewscribe``.
        place: an empty directory, for what it writes.
        terminal: the device it writes to instead.
        prepare: what it does before.
    """

    def __init__(
        self,
        *arguments: str,
        place: Path,
        terminal: str | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self._place = place
        written = [terminal or f"{place}/{name}" for name in ("stdout", "stderr")]
        run = partial(_main, arguments, dict(os.environ), os.getcwd(), written, prepare)
        self._process = server().Process(target=run, daemon=True)
        self._process.start()

    def wait(self) -> tuple[int | None, str, str]:
        """Its exit code and what it wrote into files, to stdout and to stderr."""
        self._process.join()
        files = (self._place / name for name in ("stdout", "stderr"))
        stdout, stderr = (each.read_text() if each.exists() else "" for each in files)
        return self._process.exitcode, stdout, stderr


class PytestRun:
    """A run of pytest, in the directory and the environment of the caller.

    Args:
        arguments: what follows ``pytest``.
        place: an empty directory, for what it writes.
    """

    def __init__(self, *arguments: str, place: Path) -> None:
        self._written = place / "stdout"
        run = partial(_pytest, arguments, dict(os.environ), os.getcwd(), str(self._written))
        self._process = server().Process(target=run, daemon=True)
        self._process.start()

    def wait(self) -> tuple[int | None, list[str]]:
        """Its exit code and the lines that it wrote."""
        self._process.join()
        return self._process.exitcode, self._written.read_text(encoding="utf-8").splitlines()


def _pytest(
    arguments: tuple[str, ...], environment: dict[str, str], directory: str, written: str
) -> None:
    import pytest

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    file = os.open(written, os.O_WRONLY | os.O_CREAT)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    # A module that is written again within a second, as long as it was, must be read again.
    sys.dont_write_bytecode = True
    gc.freeze()  # pytest looks for garbage several times, and what is loaded is none
    sys.exit(pytest.main(list(arguments)))


def _main(
    arguments: tuple[str, ...],
    environment: dict[str, str],
    directory: str,
    written: list[str],
    prepare: Callable[[], None] | None,
) -> None:
    from viewscribe.cli import main

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    stdout, stderr = written
    with open(stdout, "w") as sys.stdout, open(stderr, "w") as sys.stderr:
        if prepare is not None:
            prepare()
        main(arguments)
