"""An environment with nothing in it but the wheel of viewscribe and what that says it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]

_NOT_OURS = ("PYTHONPATH", "PYTHONHOME", "SPARK_HOME", "SPARK_CONF_DIR", "VIEWSCRIBE_CATALOG")


def empty_environment(place: Path, extra: str = "") -> Path:
    """Makes the environment in a directory, with one extra or none, and returns its Python.

    The packages that viewscribe needs are those that the tests run with, in the very versions of
    ``constraints.txt``; they are linked, for PySpark alone is half a gigabyte.
    """
    wheels, home = place / "wheels", place / "environment"
    _pip("wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    (wheel,) = wheels.glob("viewscribe-*.whl")
    _pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    (site,) = home.glob("lib/python*/site-packages")
    (installed,) = distributions(name="viewscribe", path=[str(site)])
    for each in _needed(installed, extra):
        _link(each, site)
    _pip("--python", str(python), "check")
    return python


def variables(python: Path) -> dict[str, str]:
    """The variables of a process that knows nothing of this one's packages, nor of its Spark."""
    kept = {key: value for key, value in os.environ.items() if key not in _NOT_OURS}
    return {**kept, "PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": str(python)}


def _needed(wheel: Distribution, extra: str) -> Iterator[Distribution]:
    """What a package requires with an extra, and what that requires."""
    found: set[str] = set()
    left = list(_required(wheel, extra))
    while left:
        needed = left.pop()
        if needed.name not in found:
            found.add(needed.name)
            yield distribution(needed.name)
            for each in ("", *needed.extras):
                left += _required(distribution(needed.name), each)


def _required(package: Distribution, extra: str) -> Iterator[Requirement]:
    for text in package.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def _link(package: Distribution, site: Path) -> None:
    files = package.files or ()
    for top in {each.parts[0] for each in files} - {"..", "__pycache__"}:
        if not (site / top).exists():  # several packages are in `google`
            (site / top).symlink_to(Path(str(package.locate_file(top))))


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    constraints = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    done = subprocess.run(
        command, env={**os.environ, **constraints}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
