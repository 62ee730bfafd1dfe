"""The tables that all rows read, and what a row's Python text may name at each door."""

from __future__ import annotations

import datetime as dt
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import viewscribe as vs
from tests.versions import RUNNING, has_type
from viewscribe.spark.session import settings
from viewscribe.types.ddl_reader import parse_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATABASE = "truth"

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
}

TABLES = {
    "types": (
        "b BOOLEAN, t TINYINT, sh SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, e DECIMAL(10,2), "
        "s STRING, bin BINARY, dt DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, tm TIME(6), "
        "ym INTERVAL YEAR TO MONTH, ds INTERVAL DAY TO SECOND, ai ARRAY<INT>, m MAP<STRING, INT>, "
        "st STRUCT<x: INT, y: STRING>, v VARIANT",
        """(true, 2, 3, 4, 5, 1.5, 2.5, 6.25, '7', X'38', DATE '2020-02-29',
            TIMESTAMP '2020-03-01 10:20:30.5', TIMESTAMP_NTZ '2020-03-01 10:20:30.5',
            TIME '10:20:30.5', INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 02:03:04' DAY TO SECOND,
            array(1, NULL), map('a', 1), named_struct('x', 1, 'y', 'p'), parse_json('{"a": 1}')),
           (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL)""",
    ),
    "emp": (
        "id INT, name STRING, dept STRING, sal DECIMAL(10,2), born DATE, tags ARRAY<STRING>",
        """(1, 'ann', 'a', 10.50, DATE '1980-01-31', array('x', 'y')),
           (2, 'bob', 'a', 20.00, DATE '1990-02-28', array()),
           (3, 'cid', 'b', NULL, NULL, NULL),
           (4, 'dan', NULL, 30.00, DATE '2000-12-31', array('z')),
           (NULL, 'eve', 'c', 0.00, DATE '1970-01-01', array(NULL))""",
    ),
    "dept": (
        "dept STRING, city STRING, head INT",
        "('a', 'rome', 1), ('b', 'oslo', 3), ('z', 'kyiv', NULL), (NULL, 'nowhere', 2)",
    ),
    "n": ("k INT, v INT", "(0, 1), (1, 2), (1, 2), (2, NULL), (NULL, 4)"),
    "o": ("k INT, v INT", "(1, 2), (2, 3), (NULL, 4), (NULL, NULL)"),
    "one": ("x INT", "(1)"),
    "wide": ("id INT, q1 INT, q2 INT, q3 BIGINT", "(1, 10, 20, 30), (2, NULL, 21, NULL)"),
    "fl": (
        "x INT NOT NULL, f FLOAT, d DOUBLE",
        "(1, '0.0', '-0.0'), (2, '-0.0', '0.0'), (3, 'NaN', 'NaN')",
    ),
}
"""The columns of each table, and its rows. The tables are views over VALUES, which Spark reads
without running a task."""


@contextmanager
def tables(spark: SparkSession) -> Iterator[None]:
    """The session has the tables, and the settings of the table of truth."""
    with settings(spark, {}, own=SETTINGS), _silent():
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        spark.sql(f"USE {DATABASE}")
        for name, (columns, rows) in TABLES.items():
            spark.sql(f"CREATE OR REPLACE VIEW {name} AS {_view(columns, rows)}")
        yield
        spark.sql("USE default")
        spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


@contextmanager
def plain_tables(spark: SparkSession) -> Iterator[vs.TableEnvironment]:
    """The session has the tables as files, of which Spark's optimizer knows no rows; an environment
    knows them."""
    with settings(spark, {}, own=SETTINGS), _silent():
        spark.sql(f"CREATE DATABASE {DATABASE}")
        spark.sql(f"USE {DATABASE}")
        env = vs.TableEnvironment()
        env.create_database(DATABASE)
        env.use_database(DATABASE)
        for name, (columns, rows) in TABLES.items():
            spark.sql(f"CREATE TABLE {name} USING parquet AS {_view(columns, rows)}")
            env.create_table(name, columns.replace(" NOT NULL", ""))
        yield env
        spark.sql("USE default")
        spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


@contextmanager
def _silent() -> Iterator[None]:
    """PySpark does not log what Spark refuses, which half of the rows are."""
    loggers = [logging.getLogger(f"{which}QueryContextLogger") for which in ("SQL", "DataFrame")]
    for each in loggers:
        each.disabled = True
    yield
    for each in loggers:
        each.disabled = False


def _columns(text: str) -> dict[str, str]:
    """The type of each column."""
    return dict(re.findall(r"(\w+) ((?:[^,(<]|\([^)]*\)|<[^>]*>)+)", text))


def _known(text: str) -> dict[str, str]:
    """The columns whose types the running version has."""
    return {name: type_ for name, type_ in _columns(text).items() if _is_known(type_)}


def _is_known(type_: str) -> bool:
    return has_type(parse_type(type_.removesuffix(" NOT NULL")))


def _view(columns: str, rows: str) -> str:
    items = []
    for name, type_ in _known(columns).items():
        cast = f"CAST({name} AS {type_.removesuffix(' NOT NULL')})"
        nullable = cast if "NOT NULL" in type_ else f"if(true, {cast}, NULL)"
        items.append(f"{nullable} AS {name}")
    if not _is_known("TIME"):
        rows = re.sub(r"(?<=\W)TIME '[^']*'", "NULL", rows)
    return f"SELECT {', '.join(items)} FROM VALUES {rows} AS t({', '.join(_columns(columns))})"


def environment() -> vs.TableEnvironment:
    """An environment that knows the same tables."""
    env = vs.TableEnvironment(target=RUNNING)
    env.create_database(DATABASE)
    env.use_database(DATABASE)
    for name, (columns, _) in TABLES.items():
        known = ", ".join(map(" ".join, _known(columns).items()))
        env.create_table(name, known, format="parquet")  # views in Spark: neither has versions
    return env


# -- what texts name -----------------------------------------------------------------------------


def frame_of(text: str, spark: Any) -> Any:
    """What a text of PySpark gives, of a classic session or of Connect's."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    return eval(text, {"spark": spark, "F": F, "W": Window, "dt": dt, "D": Decimal})


def table_of(text: str, env: vs.TableEnvironment) -> vs.Table:
    """What a text of the Table API gives."""
    from viewscribe.expressions.windows import WindowSpec

    names = {name: getattr(vs, name) for name in ("col", "lit", "call", "row", "array", "map_")}
    made: vs.Table = eval(
        text,
        {"env": env, "F": vs.functions, "W": WindowSpec(), "dt": dt, "D": Decimal, **names},
    )
    return made


_METHOD = re.compile(r"(?<=\.)([a-z]+(?:[A-Z][a-z]+)+)(?=\()")


def translated(text: str) -> str:
    """A text of PySpark in the words of the Table API, whose methods are called alike."""
    text = text.replace("spark.table(", "env.from_path(").replace("spark.sql(", "env.sql_query(")
    return _METHOD.sub(lambda found: re.sub("[A-Z]", lambda a: f"_{a[0].lower()}", found[0]), text)
