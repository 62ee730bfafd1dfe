"""What ``pip install .`` gives: README.md works there, and what is missing is named."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.local_spark import ALWAYS, FOR_TINY_DATA
from tests.wheel.environment import ROOT, empty_environment, variables

READER = {"VIEWSCRIBE_AUTHOR": "ada", "SOURCE_DATE_EPOCH": "1790000000"}


pytestmark = pytest.mark.server  # the index of packages has what builds a wheel


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return empty_environment(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def with_spark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return empty_environment(tmp_path_factory.mktemp("wheel"), "spark")


def run(python: Path, module: str, place: Path) -> str:
    """What a module of the tests prints, run there with this directory as its own."""
    start = f"import os, runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module({module!r}"
    settings = {**ALWAYS, **FOR_TINY_DATA, "spark.python.daemon.module": "pyspark.daemon"}
    (place / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in settings.items()))
    done = subprocess.run(
        [python, "-c", f"{start}, run_name='__main__')"],
        cwd=place,
        env={**variables(python), **READER, "SPARK_CONF_DIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-10_000:]
    return done.stdout


@pytest.mark.spark
@pytest.mark.slow("installs a wheel, and starts Spark twice")
def test_readme_works_with_the_extra_that_it_names(with_spark: Path, tmp_path: Path) -> None:
    run(with_spark, "tests.wheel.readme", tmp_path)


@pytest.mark.slow("installs a wheel")
def test_what_needs_an_extra_names_it(python: Path, tmp_path: Path) -> None:
    told = json.loads(run(python, "tests.wheel.missing_extras", tmp_path).splitlines()[-1])
    assert len(told) == 6, told
    for extra, messages in told.items():
        for message in messages:
            assert f"viewscribe[{extra}]" in message, f"{extra}: {message}"
            assert "Traceback" not in message


@pytest.mark.slow("installs a wheel")
def test_what_needs_no_extra_is_small(python: Path) -> None:
    """In megabytes, as files; compiled again, Python's take as much once more."""
    site = next(python.parents[1].glob("lib/python*/site-packages"))
    files = [Path(top, name) for top, _, names in os.walk(site, followlinks=True) for name in names]
    assert sum(each.stat().st_size for each in files if each.suffix != ".pyc") < 40e6


@pytest.mark.slow("installs a wheel")
def test_type_checkers_find_their_files(python: Path) -> None:
    code = "import pathlib, viewscribe; print(pathlib.Path(viewscribe.__file__).parent)"
    command, env = [str(python), "-c", code], variables(python)
    told = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    installed = Path(told.stdout.strip())
    assert ROOT not in installed.parents
    for name in ("py.typed", "functions.pyi", "expressions/methods.pyi"):
        assert (installed / name).is_file(), name
