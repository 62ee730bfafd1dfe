"""Runs the tests of Iceberg catalogs against real servers: ``python -m tests.lakehouse``.

Against each of the two servers the tests that every store passes; then, over the first one, those
with Spark, by the Python that is given: Iceberg's runtime is there for an older Spark than ours.
Delta needs no server, and the same Spark.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from examples.tpch import data
from tests.servers.iceberg_servers import DELTA, RUNTIME, fixture, java_of, nessie
from tests.servers.maven import ROOT, copied

_OF_ALL_STORES = ("tests/catalog_store", "tests/environments/migration/test_lakehouse.py")


def main(python: str) -> int:
    """Runs all of it; the exit code of the first part that fails."""
    with tempfile.TemporaryDirectory(prefix="lakehouse") as scratch:
        place = Path(scratch)
        with fixture(place / "fixture") as url:
            print(f"Iceberg's own server at {url}", file=sys.stderr)
            failed = _conformance(url) or _spark(python, url)
        if failed:
            return failed
        if java_of(21) is None:
            print("Nessie is left out: it needs Java 21", file=sys.stderr)
            return 0
        with nessie(place / "nessie") as url:
            print(f"Nessie at {url}", file=sys.stderr)
            return _conformance(url)


def _conformance(url: str) -> int:
    options = ["-q", "-k", "iceberg or lakehouse", "--ignore", "tests/catalog_store/stores"]
    return _pytest(sys.executable, [*options, *_OF_ALL_STORES], url)


def _spark(python: str, url: str) -> int:
    """The tests with Spark: those in one process have one session, so each file gets its own."""
    os.environ["VIEWSCRIBE_TEST_RUNTIME"] = str(copied(RUNTIME))
    os.environ["VIEWSCRIBE_TEST_TPCH"] = str(data.generate(ROOT / ".data" / "tpch"))
    os.environ["VIEWSCRIBE_TEST_DELTA"] = ",".join(str(copied(each)) for each in DELTA)
    files = ("test_spark.py", "test_delta.py", "test_connect.py")
    failed = (_pytest(python, [f"tests/lakehouse/{each}"], url) for each in files)
    return next(filter(None, failed), 0)


def _pytest(python: str, arguments: list[str], url: str) -> int:
    environment = {**os.environ, "VIEWSCRIBE_TEST_ICEBERG": url, "PYSPARK_PYTHON": python}
    command = [python, "-m", "pytest", *arguments]
    return subprocess.run(command, env=environment, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
