"""Verify the stored views of TPC-H in a new Spark session, from the directory of the catalog alone.

``python -m examples.tpch.reopen <directory>`` prints one JSON object a view, as soon as it is
verified: its name, how many rows it has, and what is wrong with it (nothing, where it verifies).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import viewscribe as vs
from examples.tpch import data
from viewscribe.spark.local import local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The data is small: what takes time is starting tasks.
SMALL: Final = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "2"}


def main(directory: str) -> None:
    """Verify every view of the catalog in ``directory``."""
    env = vs.TableEnvironment.open(f"file:{directory}")
    with local_session(master="local[2]", settings=SMALL) as spark:
        for name in env.list_views():
            print(json.dumps(verdict(env, name, spark)), flush=True)


def verdict(env: vs.TableEnvironment, name: str, spark: SparkSession) -> dict[str, Any]:
    """Say of one view how many rows it has and what is wrong with it."""
    try:
        rows = multiset(vs.open_view(env, name, spark))
        problem = differences(env, name, spark, rows)
    except Exception as error:  # one bad view must not hide the others
        return {"name": name, "rows": None, "problem": f"{type(error).__name__}: {error}"}
    return {"name": name, "rows": rows.total(), "problem": problem}


def differences(
    env: vs.TableEnvironment, name: str, spark: SparkSession, rows: Counter[Any]
) -> str:
    """Compare a view with its pipeline and with the published query; empty where all is equal."""
    report = vs.verify(env.get_view(name), spark)
    if not report.ok or report.rows.status != "equal":
        return str(report)
    published = multiset(spark.sql(data.query(int(name[1:]))))
    missing, surplus = published - rows, rows - published
    if missing or surplus:
        return f"{missing.total()} rows of the published query missing, {surplus.total()} too many"
    return ""


def multiset(frame: DataFrame) -> Counter[Any]:
    """Return how often each row occurs."""
    return Counter(tuple(row) for row in frame.collect())


if __name__ == "__main__":
    main(sys.argv[1])
