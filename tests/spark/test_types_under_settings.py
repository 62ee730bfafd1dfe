"""Under every setting that a view may have, what is built and captured has Spark's type, or none.

What has another type under a setting that types do not follow is refused by the setting's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

COLUMNS = """
a INT, s STRING, b BINARY, d DATE, ts TIMESTAMP, n DECIMAL(20, 5), short DECIMAL(9, 2),
wide DECIMAL(38, 0), fine DECIMAL(38, 18), arr ARRAY<INT>, x DOUBLE
"""

CALLS: dict[str, Any] = {
    "concat(b, b)": F.concat(col("b"), col("b")),
    "elt(1, b, b)": F.elt(1, col("b"), col("b")),
    "lpad(b, 5)": vs.call("lpad", col("b"), 5),
    "rpad(b, 5)": vs.call("rpad", col("b"), 5),
    "lpad(s, 5)": vs.call("lpad", col("s"), 5),
    "array()": vs.call("array"),
    "map()": vs.call("map"),
    "size(arr)": F.size(col("arr")),
    "n * n": col("n") * col("n"),
    "n / n": col("n") / col("n"),
    "n % fine": col("n") % col("fine"),
    "wide + fine": col("wide") + col("fine"),
    "wide / fine": col("wide") / col("fine"),
    "fine / wide": col("fine") / col("wide"),
    "wide * short": col("wide") * col("short"),
    "short / short": col("short") / col("short"),
    "short / a": col("short") / col("a"),
    "n * 2": col("n") * 2,
    "round(n, 1)": F.round(col("n"), 1),
    "coalesce(wide, fine)": F.coalesce(col("wide"), col("fine")),
    "array(wide, fine)": F.array(col("wide"), col("fine")),
    "d - d": col("d") - col("d"),
    "ts - ts": col("ts") - col("ts"),
    "to_timestamp(s)": F.to_timestamp(col("s")),
    "CAST(s AS INT)": col("s").cast("INT"),
}

OF_GROUPS: dict[str, Any] = {
    "grouping_id()": F.grouping_id(),
    "sum(n)": F.sum(col("n")),
    "avg(n)": F.avg(col("n")),
    "stddev(x)": F.stddev(col("x")),
    "histogram_numeric(a, 2)": F.histogram_numeric(col("a"), 2),
}

SETTINGS = [
    (name, value)
    for name, values in ALLOWED_SETTINGS.items()
    for value in ("true", "false", "TIMESTAMP_NTZ", "LEGACY", "LAST_WIN", "HEX")
    if "timeZone" not in name and values.fullmatch(value) and DEFAULT_SETTINGS.get(name) != value
]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(f"CREATE TABLE types_under_settings ({COLUMNS}) USING parquet")
    yield spark
    spark.sql("DROP TABLE types_under_settings")


@pytest.mark.slow("every setting, each with two analyses and captures")
def test_types_are_spark_s_or_refused(table: SparkSession) -> None:
    other: list[str] = []
    refused: set[str] = set()
    for name, value in SETTINGS:
        before = table.conf.get(name, None)
        table.conf.set(name, value)
        try:
            for what in _differences(table, name, value, refused):
                other.append(f"{name} = {value}: {what}")
        finally:
            if before is None:
                table.conf.unset(name)
            else:
                table.conf.set(name, before)
    assert not other, "\n".join(other)
    assert "round(n, 1)" not in refused
    assert "grouping_id()" not in refused
    assert "n * n" not in refused


def _differences(spark: SparkSession, name: str, value: str, refused: set[str]) -> Iterator[str]:
    env = TableEnvironment(settings={name: value})
    env.create_table("types_under_settings", COLUMNS)
    ours = env.from_path("types_under_settings")
    for calls, clause in ((CALLS, ""), (OF_GROUPS, "GROUP BY ROLLUP(s)")):
        items = ", ".join(f"{call} AS c{place}" for place, call in enumerate(calls))
        frame = spark.sql(f"SELECT {items} FROM types_under_settings {clause}")
        theirs = _shown(frame.schema)
        for (call, built), want in zip(calls.items(), theirs, strict=True):
            try:
                rows = ours.rollup("s") if clause else ours
                (found,) = _shown(schema_to_spark(rows.select(built.alias("c")).schema))
            except ViewscribeError as error:
                if name not in str(error):
                    yield f"{call} is refused without the setting's name: {error}"
                refused.add(call)
                continue
            if found != want:
                yield f"{call} is built as {found}, and is {want}"
        for place, call in enumerate(calls):
            one = frame.select(f"c{place}") if not clause else frame
            try:
                captured = _shown(schema_to_spark(vs.capture(one).schema))
            except ViewscribeError:
                continue
            shown = captured if clause else [captured[0]]
            wanted = theirs if clause else [theirs[place]]
            if shown != wanted:
                yield f"{call} is captured as {shown}, and is {wanted}"


def _shown(schema: Any) -> list[str]:
    return [
        f"{field.dataType.simpleString()} {'' if field.nullable else 'NOT NULL'}"
        for field in schema.fields
    ]
