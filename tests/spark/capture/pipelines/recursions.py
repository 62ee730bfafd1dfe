"""Recursive queries, written as SQL text."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F


def counted(spark: Any) -> Any:
    df = spark.sql(
        "WITH RECURSIVE t(n, m) AS (SELECT 1, 'a' UNION ALL "
        "SELECT n + 1, concat(m, 'it''s') FROM t WHERE n < 4) SELECT n, m FROM t WHERE n > 1"
    )
    return df.withColumn("twice", F.col("n") * 2)


def read_twice(spark: Any) -> Any:
    return spark.sql(
        "WITH RECURSIVE up AS (SELECT id, q1 AS above FROM world.wide WHERE id = 1 UNION ALL "
        "SELECT w.id, up.above + 1 FROM (SELECT id + 1 AS id FROM world.wide) w "
        "JOIN up ON w.id = up.id + 1) SELECT a.id, b.above FROM up a JOIN up b ON a.id = b.id"
    )


def of_another(spark: Any) -> Any:
    return spark.sql(
        "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a WHERE n < 3), "
        "b(n, m) AS (SELECT n, 1 FROM a UNION ALL SELECT n, m + 1 FROM b WHERE m < n) "
        "SELECT * FROM b"
    )


def of_several(spark: Any) -> Any:
    return spark.sql(
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL "
        "(SELECT n + 1 FROM t WHERE n < 3 UNION ALL SELECT n + 10 FROM t WHERE n < 2)) "
        "SELECT sum(n) AS s FROM t"
    )


def asked_for(spark: Any) -> Any:
    return spark.sql(
        "SELECT * FROM world.wide WHERE id IN (WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL "
        "SELECT n + 1 FROM t WHERE n < 2) SELECT n FROM t)"
    )
