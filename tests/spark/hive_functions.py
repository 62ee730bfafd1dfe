"""Functions of Hive's own classes, in a session of their own: only a session with Hive runs them.

Run as a program by ``test_hive_functions.py``; prints what each pipeline gave, as JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import viewscribe as vs
from viewscribe import call, col
from viewscribe.spark.verify import verify

UDF = "org.apache.hadoop.hive.ql.udf"
CLASSES = {
    "h_reverse": f"(x STRING) RETURNS STRING AS '{UDF}.UDFReverse'",  # UDF
    "h_distance": f"(x STRING, y STRING) RETURNS INT AS '{UDF}.generic.GenericUDFLevenshtein'",
    "h_percentile": f"(x BIGINT, p DOUBLE) RETURNS DOUBLE AGGREGATE AS '{UDF}.UDAFPercentile'",
    "h_sum": f"(x BIGINT) RETURNS BIGINT AGGREGATE AS '{UDF}.generic.GenericUDAFSum'",
    "h_explode": "(x ARRAY<STRING>) RETURNS TABLE(col STRING) "
    f"AS '{UDF}.generic.GenericUDTFExplode'",
}


def pipelines(env: vs.TableEnvironment, prefix: str) -> dict[str, vs.Table]:
    """A pipeline for each class; names are under ``prefix``."""
    rows = env.from_values(
        [(1, "ab", ["x"]), (2, "abc", ["y", "z"])], "id BIGINT, s STRING, a ARRAY<STRING>"
    )
    return {
        "UDF": rows.select(call(f"{prefix}h_reverse", col("s")).alias("x")),
        "GenericUDF": rows.select(call(f"{prefix}h_distance", col("s"), "abd").alias("x")),
        "GenericUDAFResolver with clauses": rows.agg(
            call(f"{prefix}h_sum", col("id") % 2).distinct().alias("x"),
        ),
        "GenericUDAFResolver with FILTER": rows.agg(
            call(f"{prefix}h_sum", col("id")).filter(col("s") == "ab").alias("x"),
        ),
        "UDAF": rows.agg(call(f"{prefix}h_percentile", col("id"), 0.5).alias("x")),
        "GenericUDAFResolver": rows.agg(call(f"{prefix}h_sum", col("id")).alias("x")),
        "GenericUDTF": rows.generate(call(f"{prefix}h_explode", col("a")), "x").select("x"),
    }


def main(place: str) -> None:
    """Registers, runs as text and as a tree, and prints."""
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{place}/warehouse")
        .config(
            "spark.hadoop.javax.jdo.option.ConnectionURL",
            f"jdbc:derby:;databaseName={place}/metastore;create=true",
        )
        .enableHiveSupport()
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    env = vs.TableEnvironment()
    env.create_database("udfs")
    for name, text in CLASSES.items():
        env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION {name}{text} LANGUAGE HIVE")
        env.execute_sql(f"CREATE FUNCTION udfs.{name}{text} LANGUAGE HIVE")
    found: dict[str, Any] = {}
    for prefix in ("", "udfs."):
        for kind, table in pipelines(env, prefix).items():
            tree = sorted(row[0] for row in table.to_dataframe(spark).collect())
            text_ = sorted(row[0] for row in spark.sql(table.to_sql()).collect())
            found[f"{kind} {'stored' if prefix else 'temporary'}"] = {
                "tree": tree,
                "text": text_,
                "verified": verify(table, spark).ok,
            }
    print("RESULT", json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
