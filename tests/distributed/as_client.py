"""What a user does first, in an environment whose PySpark is another one; prints what came of it.

Run by the Python of that environment, with the address of a Spark Connect server.
"""

from __future__ import annotations

import json
import sys
import tempfile
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.connect.session import SparkSession as ConnectSession

import viewscribe as vs


def totals(spark: Any) -> Any:
    """The pipeline."""
    orders = spark.table("clients.orders").filter(F.col("amount") > 1)
    return orders.groupBy("customer").agg(F.sum("amount").alias("total"))


def main(url: str) -> None:
    """Records, captures, saves, opens and verifies the pipeline."""
    folder = f"file:{tempfile.mkdtemp()}"
    spark: Any = ConnectSession.builder.remote(url).create()
    env = vs.TableEnvironment()
    env.create_database("clients")
    env.create_table("clients.orders", "customer STRING, amount INT", format="parquet")
    made = totals(spark)
    saved = vs.save_view(made, "totals", catalog=folder, rows=True)
    kept = vs.save_view(made, "clients.kept", rows=True, or_replace=True)
    stored = vs.TableEnvironment(folder)
    view = stored.get_view("totals")
    with_settings = {key: spark.conf.get(key) for key in view.settings if key.startswith("spark")}
    told = {
        "recorded alone": vs.record(totals, env=env).to_sql(),
        "recorded": vs.record(totals, spark).to_sql(),
        "captured": vs.capture(made).to_sql(),
        "saved": saved.sql if saved is not None else None,
        "kept": kept.sql if kept is not None else None,
        "opened": sorted(map(tuple, vs.open_view(stored, "totals", spark).collect())),
        "read": sorted(map(tuple, spark.table("clients.kept").collect())),
        "verified": vs.verify(view, spark).ok,
        "built": sorted(
            map(
                tuple,
                vs.TableEnvironment(folder, settings=with_settings)
                .view_table("totals")
                .filter("total > 4")
                .to_dataframe(spark)
                .collect(),
            )
        ),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
