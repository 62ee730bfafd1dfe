"""The one local Spark session of a process of tests."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

JVM_OF_SHORT_LIFE = (
    "-XX:+UseSerialGC -Xms2g -Xmn1200m -XX:MetaspaceSize=400m -XX:TieredStopAtLevel=1"
)
"""With Java's defaults a third of all processor time goes into compiling what runs a few times, and
a tenth into collecting the garbage of a heap that starts small."""

ALWAYS = {
    "spark.driver.memory": "3g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    **dict.fromkeys(("spark.ui.retainedJobs", "spark.ui.retainedStages"), "10"),
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "10",  # a thousand plans fill the heap, page or no page
    "spark.sql.session.timeZone": "UTC",
}

FOR_TINY_DATA = {
    "spark.default.parallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.python.daemon.module": "tests.python_workers",
}
"""To compile a query over a handful of rows, or to cut it in parts, takes longer than to run it;
and so does all that a Python worker imports."""

CHOICE = "VIEWSCRIBE_TEST_SPARK"


def with_sparks_defaults() -> bool:
    """Whether the tests run as users do, with generated code, several partitions and cores."""
    return os.environ.get(CHOICE) == "defaults"


def prepare_environment() -> None:
    """Settings of every Spark that a test starts, in this process or in one of its own."""
    # Workers must run this interpreter, and the driver needs no resolvable host name.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if not with_sparks_defaults():
        os.environ.setdefault("SPARK_SUBMIT_OPTS", JVM_OF_SHORT_LIFE)


def remember_classes() -> None:
    """Ask the JVM for a class once: Py4J asks at each use, and Java looks into every jar."""
    from py4j.java_gateway import JavaClass, JavaPackage, JVMView

    for kind in (JavaPackage, JVMView):

        def find(self: Any, name: str, ask: Callable[[Any, str], Any] = kind.__getattr__) -> Any:
            found = ask(self, name)
            if isinstance(found, JavaPackage | JavaClass):
                self.__dict__[name] = found
            return found

        kind.__getattr__ = find


def spark_session(warehouse: Path) -> SparkSession:
    """The session, made on the first call."""
    prepare_environment()
    from pyspark.sql import SparkSession

    remember_classes()
    master = "local[2]" if with_sparks_defaults() else "local[1]"
    settings = ALWAYS if with_sparks_defaults() else ALWAYS | FOR_TINY_DATA
    builder = SparkSession.builder.master(master).appName("viewscribe-tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", warehouse.as_uri()).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
