"""A Spark session of one's own, for a command or a script: quiet, and gone without a trace."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from viewscribe.errors import SparkUnavailableError
from viewscribe.spark.session import SPARK_ERRORS

if TYPE_CHECKING:
    from pyspark import SparkContext

_DEFAULTS = {
    "spark.app.name": "viewscribe",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def local_session(
    *, master: str = "local[*]", settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session that ends with the ``with`` block; the running one where there is one already.

    What Spark writes to its own output is kept away from this process's; the end of it is told
    where Spark does not start.

    Args:
        master: Spark's master.
        settings: settings of Spark, which win over the ones made here.

    Raises:
        SparkUnavailableError: Spark does not start; says what it said, and what to do.
    """
    if _context_class()._active_spark_context is not None:
        yield SparkSession.builder.getOrCreate()
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no host name must be resolvable
    with tempfile.TemporaryDirectory(prefix="viewscribe-", ignore_cleanup_errors=True) as home:
        warehouse = {"spark.sql.warehouse.dir": Path(home, "warehouse").as_uri()}
        conf = {**_DEFAULTS, **warehouse, "spark.master": master, **(settings or {})}
        with Path(home, "spark.log").open("w+b") as log:
            session = _start(conf, log)
            try:
                yield session
            finally:
                session.stop()


def session_of_process() -> SparkSession:
    """The running session, or a small one that is started now and ends with the process.

    Raises:
        SparkUnavailableError: Spark does not start.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    opened = ExitStack()
    few = {"spark.sql.shuffle.partitions": "1"}
    session = opened.enter_context(local_session(master="local[2]", settings=few))
    atexit.register(opened.close)
    return session


def _context_class() -> type[SparkContext]:
    try:
        from pyspark import SparkContext
    except ImportError as error:
        raise SparkUnavailableError(
            "this PySpark is a client only, which starts no Spark of its own",
            hint="name a server of Spark Connect: --remote sc://host:15002; or "
            "pip install 'viewscribe[spark]'",
        ) from error
    return SparkContext


def _start(settings: Mapping[str, str], log: IO[bytes]) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    gateway: Any = SparkContext._gateway
    launch: Any = launch_gateway
    try:
        if gateway is None:
            gateway = launch(conf, popen_kwargs={"stdout": log, "stderr": subprocess.STDOUT})
        context = SparkContext(conf=conf, gateway=gateway)
        return SparkSession(context)
    except (*SPARK_ERRORS, OSError, ValueError) as error:
        raise _unavailable(error, log) from error


def _unavailable(error: Exception, log: IO[bytes]) -> SparkUnavailableError:
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith("\tat ")]
    first = str(error).strip().splitlines() or [type(error).__name__]
    return SparkUnavailableError(
        f"Spark does not start: {first[0]}",
        location="\n      ".join(said[-5:]) or None,
        hint="it needs Java 17 or newer on PATH or in JAVA_HOME, and the settings must be valid",
    )
