"""A PostgreSQL server of our own, on a socket in its own directory."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_USER = "postgres"
_UNSAFE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=400")
"""What a server may leave out whose data nobody needs after it."""


def programs() -> Path | None:
    """Where PostgreSQL's programs are: on PATH, or where Debian puts them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


@contextmanager
def postgresql(port: int | None = None) -> Iterator[str]:
    """Run a server; gives the URL of its database.

    Args:
        port: where it listens on 127.0.0.1 as well; by default it has no network.
    """
    bin_ = programs()
    assert bin_ is not None, "make postgresql installs it"
    place = tempfile.mkdtemp(prefix="pg")  # a short path: sockets have short names
    try:
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(place, _USER)
        _run(bin_ / "initdb", "-D", f"{place}/data", "-U", _USER, "-A", "trust", "-E", "UTF8")
        options = [part for each in _UNSAFE for part in ("-c", each)]
        network = ["-h", "127.0.0.1", "-p", str(port)] if port else ["-c", "listen_addresses="]
        listen = ["-k", place, *network, *options]
        _run(
            bin_ / "pg_ctl", "-D", f"{place}/data", "-w", "-l", f"{place}/log",
            "-o", " ".join(f"'{each}'" for each in listen), "start",
        )  # fmt: skip
        try:
            yield f"postgresql://{_USER}@/postgres?host={place}" + (f"&port={port}" if port else "")
        finally:
            _run(bin_ / "pg_ctl", "-D", f"{place}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(program: Path, *arguments: str) -> None:
    command = [str(program), *arguments]
    if os.geteuid() == 0:
        command = ["setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
