"""Environments of the tools that exports are for, made once below ``.data``."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("checkers.txt")


def tool(name: str) -> Path:
    """Returns the programs of a tool; skips the test where its packages cannot be installed."""
    home = ROOT / ".data" / "checkers" / name
    packages = _packages(name)
    done = home / "installed"
    if not (done.is_file() and done.read_text(encoding="utf-8") == packages):
        # To install pip takes ten seconds, and to compile what no test imports half the time.
        venv.create(home, with_pip=False, clear=True)
        pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python")]
        install = [*pip, "install", "--quiet", "--no-compile", *packages.split()]
        made = subprocess.run(install, capture_output=True, text=True, check=False)
        if made.returncode:
            lines = made.stderr.strip().splitlines() or [""]
            pytest.skip(f"{packages} cannot be installed: {lines[-1]}")
        done.write_text(packages, encoding="utf-8")
    return home / "bin"


def _packages(name: str) -> str:
    for line in LIST.read_text(encoding="utf-8").splitlines():
        first, _, packages = line.partition(" ")
        if first == name:
            return packages
    raise LookupError(name)


def run(*command: str | Path, cwd: Path, packages: Sequence[str] = ()) -> str:
    """What a program writes, which must succeed.

    Args:
        command: the program and its arguments.
        cwd: where it runs.
        packages: those of this environment that it sees.
    """
    site = cwd.parent / "site"
    site.mkdir(exist_ok=True)
    for name in packages:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        if not (site / name).exists():
            (site / name).symlink_to(Path(spec.origin).parent)
    done = subprocess.run(
        [str(each) for each in command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout
