"""The one local Spark session of a process of tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JVM_OF_SHORT_LIFE = (
    "-XX:+UseSerialGC -Xms1g -Xmn600m -XX:MetaspaceSize=400m -XX:TieredStopAtLevel=1 "
    "-XX:ReservedCodeCacheSize=400m"
)
"""With Java's defaults a third of all processor time goes into compiling what runs a few times, and
a tenth into collecting the garbage of a heap that starts small. With one compiler Java keeps 48 MB
of compiled code, which is soon full: half of it is thrown away, and compiled again."""

ALWAYS = {
    "spark.driver.memory": "2g",
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
    "spark.sql.ui.explainMode": "simple",  # each plan is told to listeners, at length
    "spark.buffer.pageSize": "1m",  # 64 MB with one core, for each sort
    "spark.broadcast.blockSize": "64k",  # each task is broadcast, in 4 MB
    "spark.python.daemon.module": "tests.python_workers",
}
"""To compile a query over a handful of rows, or to cut it in parts, takes longer than to run it;
and so does all that a Python worker imports. With the sizes of Spark, the garbage collector runs
twice as often, and walks through the whole heap now and then."""

MOST_READ = (
    *(f"spark-{name}_" for name in ("catalyst", "core", "sql-api", "sql", "common-utils")),
    *("scala-library-", "scala-reflect-", "jackson-databind-", "parquet-column-", "log4j-core-"),
)
"""What the names of the jars begin with that hold most of the classes."""


def order_class_path() -> dict[str, str]:
    """The setting of the jars that Java looks into first; the others follow in any order.

    It looks for each class in one jar after the other, of 250, when it loads the class, and Spark
    reads those of the functions that a job consists of again for each job.
    """
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    found = (str(jar) for name in MOST_READ for jar in sorted(jars.glob(f"{name}*.jar")))
    return {"spark.driver.extraClassPath": os.pathsep.join(found)}


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


def spark_session(warehouse: Path) -> SparkSession:
    """The session, made on the first call."""
    prepare_environment()
    from pyspark.sql import SparkSession

    from tests.java_names import remember_java_names

    remember_java_names()
    master = "local[2]" if with_sparks_defaults() else "local[1]"
    settings = ALWAYS if with_sparks_defaults() else ALWAYS | FOR_TINY_DATA | order_class_path()
    builder = SparkSession.builder.master(master).appName("viewscribe-tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", warehouse.as_uri()).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
