"""The tables that random pipelines read: small, one file each, with nasty names and values.

Numbers of DOUBLE are sums of powers of two, so that adding them up in any order gives the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import viewscribe as vs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATABASE = "small"

SCHEMAS = {
    "people": "id INT, name STRING, dept STRING, pay DECIMAL(8, 2), born DATE, score DOUBLE, "
    "ok BOOLEAN, tags ARRAY<STRING>",
    "sales": "id INT, dept STRING, quarter INT, amount DECIMAL(10, 2), at TIMESTAMP, units BIGINT",
    "depts": "dept STRING, city STRING, head INT",
    "nested": "id INT, point STRUCT<x: INT, y: STRING>, props MAP<STRING, INT>, nums ARRAY<INT>, "
    "data BINARY",
    "odd": "`a b` INT, `x.y` STRING, `select` INT, `Ü` STRING, `back``tick` DATE",
}

ROWS = {
    "people": """
      (1, 'Ann', 'a', 10.50BD, DATE '1980-01-31', 1.5D, true, array('x', 'y')),
      (2, 'it''s', 'a', 20.00BD, DATE '1990-02-28', double('NaN'), false, array()),
      (2, 'it''s', 'a', 20.00BD, DATE '1990-02-28', double('NaN'), false, array()),
      (3, 'a\\\\b', 'b', NULL, NULL, -0.25D, NULL, NULL),
      (4, '', NULL, -1.25BD, DATE '2000-02-29', NULL, true, array('z', NULL)),
      (NULL, NULL, 'c', 0.00BD, DATE '1970-01-01', 0.5D, true, array('x'))""",
    "sales": """
      (1, 'a', 1, 1.10BD, TIMESTAMP '2024-01-01 00:05:00Z', 3L),
      (1, 'a', 2, 2.20BD, TIMESTAMP '2024-01-01 00:07:00Z', 5L),
      (2, 'a', 2, NULL, TIMESTAMP '2024-01-01 00:21:00Z', NULL),
      (3, 'b', 1, 5.00BD, TIMESTAMP '2024-02-29 23:59:59.5Z', 1L),
      (NULL, 'b', 4, 7.25BD, NULL, 4000000000L)""",
    "depts": "('a', 'rome', 1), ('b', 'oslo', 3), ('z', '%_x', NULL), (NULL, 'nowhere', 2)",
    "nested": """
      (1, named_struct('x', 1, 'y', 'p'), map('a', 1, 'b', 2), array(3, 1, 2), X'00FF'),
      (2, named_struct('x', NULL, 'y', 'q'), map(), array(), X''),
      (3, NULL, NULL, array(NULL, 7), NULL)""",
    "odd": """
      (1, 'p', 2, 'q', DATE '2020-12-31'), (NULL, '', 0, NULL, NULL),
      (1, 'p', 2, 'q', DATE '2020-12-31')""",
}


def create(spark: SparkSession) -> vs.TableEnvironment:
    """Creates the tables, and an environment that knows them too."""
    env = vs.TableEnvironment()
    env.create_database(DATABASE)
    env.use_database(DATABASE)
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
    for name, schema in SCHEMAS.items():
        spark.sql(f"DROP TABLE IF EXISTS {DATABASE}.{name}")
        spark.sql(f"CREATE TABLE {DATABASE}.{name} ({schema}) USING parquet")
        rows = f"SELECT /*+ COALESCE(1) */ * FROM VALUES {ROWS[name]}"
        spark.sql(f"INSERT INTO {DATABASE}.{name} {rows}")
        env.create_table(name, schema)
    return env
