"""``python -m benchmarks.saving``: views saved and verified in a session, beside Spark's own work.

``save_view`` stores a view with a proof by plans; Spark's ``CREATE VIEW`` of the same text stores
it without one. Both take turns in one warm session, and the figure is the ratio of the processor's
time, that of Python and of Spark together. The views of a catalog are verified one after the other
and several at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table as Lines

import viewscribe as vs
from benchmarks.processes import CountedCalls, cpu_seconds, java_process
from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.catalog_store import CatalogManager
from viewscribe.spark.catalog_verification import CatalogVerifier
from viewscribe.spark.local import local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SCHEMA = "id BIGINT, customer STRING, amount INT, day DATE"


@click.command()
@click.option("--rounds", default=20, show_default=True, help="How often views are saved.")
@click.option("--views", default=60, show_default=True, help="How many views are verified.")
def main(rounds: int, views: int) -> None:
    """Measures and prints."""
    with local_session(master="local[2]") as spark, tempfile.TemporaryDirectory() as home:
        spark.sql(f"CREATE TABLE orders ({_SCHEMA}) USING parquet")
        spark.sql("CREATE TABLE customers (customer STRING, country STRING) USING parquet")
        saved = _save(spark, Path(home), rounds)
        lines = Lines("", "ms of CPU", "beside CREATE VIEW", "calls of the JVM", title="Saving")
        base = saved["CREATE VIEW"][0]
        for name, (seconds, calls) in saved.items():
            lines.add_row(name, f"{1000 * seconds:.0f}", f"{seconds / base:.1f}", str(calls))
        Console().print(lines)
        lines = Lines("at a time", "ms a view", "ms of Python", title=f"Verifying {views} views")
        for jobs, (wall, python) in _verify(spark, Path(home), views).items():
            lines.add_row(str(jobs), f"{1000 * wall / views:.0f}", f"{1000 * python / views:.0f}")
        Console().print(lines)


def _frame(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as S

    orders = spark.table("orders").filter(S.col("amount") > 3)
    joined = orders.join(spark.table("customers"), "customer")
    return joined.groupBy("country").agg(S.sum("amount").alias("total")).orderBy("country")


def _save(spark: SparkSession, home: Path, rounds: int) -> dict[str, tuple[float, int]]:
    numbers = count()
    text = vs.to_sql(_frame(spark))
    catalog = f"file:{home / 'saved'}"

    def create() -> None:
        spark.sql(f"CREATE VIEW plain_{next(numbers)} AS {text}")

    jobs: dict[str, Callable[[Any], object]] = {
        "CREATE VIEW": lambda _: create(),
        "save_view into the session": lambda df: vs.save_view(df, f"own_{next(numbers)}"),
        "save_view into files": lambda df: vs.save_view(df, f"v_{next(numbers)}", catalog=catalog),
    }
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in jobs}
    java = java_process(spark)
    for turn in range(rounds + 5):
        for name, job in jobs.items():
            frame = _frame(spark)
            with CountedCalls(spark) as calls:
                begin = time.process_time() + cpu_seconds(java)
                job(frame)
                used = time.process_time() + cpu_seconds(java) - begin
            if turn >= 5:  # until then the JVM compiles
                found[name].append((used, len(calls)))
    return {
        name: (median(used for used, _ in each), int(median(calls for _, calls in each)))
        for name, each in found.items()
    }


def _verify(spark: SparkSession, home: Path, views: int) -> dict[int, tuple[float, float]]:
    catalogs = _catalog(spark, home, views)
    found = {}
    for jobs in (1, 1, 4):  # the first time the JVM compiles
        begin, python = time.perf_counter(), time.process_time()
        with CatalogVerifier(catalogs, spark) as verifier, ThreadPoolExecutor(jobs) as pool:
            waiting = [
                pool.submit(copy_context().run, verifier.verify, "sales", f"v{number}")
                for number in range(views)
            ]
            if not all(each.result().ok for each in waiting):
                raise SystemExit("a view is not verified")
        found[jobs] = time.perf_counter() - begin, time.process_time() - python
    return found


def _catalog(spark: SparkSession, home: Path, views: int) -> CatalogManager:
    env = TableEnvironment(f"file:{home / 'views'}")
    env.create_database("sales")
    place = home / "orders"
    spark.table("orders").write.parquet(str(place))
    env.create_table("sales.orders", _SCHEMA, format="parquet", location=str(place))
    orders = env.from_path("sales.orders")
    totals = orders.group_by("customer").agg(F.sum("amount").alias("total"))
    for number in range(views):
        table = [
            orders.filter(col("amount") > number).select("id", F.year("day").alias("year")),
            totals.filter(col("total") > number).order_by("customer"),
            orders.join(totals, using="customer").select("id", (col("total") + number).alias("t")),
        ][number % 3]
        env.create_view(f"sales.v{number}", table)
    return env.catalogs


if __name__ == "__main__":
    main()
