"""Calls with arguments by name, and defaults, give what Spark and Python give for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.versions import before
from viewscribe import TableEnvironment, call, col

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.expressions.dsl import Expression


def repeated(text: str, times: int = 2, between: str | None = None, scale: float = 1) -> str:
    return (between or "/").join([text] * times) + repr(scale)


BUILT_IN: list[tuple[Expression, str]] = [
    (call("mask", col("s"), lowerChar="q"), "mask(s, lowerChar => 'q')"),
    (call("mask", digitChar="#", str=col("s")), "mask(digitChar => '#', str => s)"),
    (call("mask", col("s"), otherChar="."), "mask(s, otherChar => '.')"),
    (call("mask", col("s"), upperchar=None), "mask(s, upperchar => NULL)"),
    (
        call("variant_strip_nulls", call("parse_json", '{"a": null}')).cast("STRING"),
        "CAST(variant_strip_nulls(v => parse_json('{\"a\": null}')) AS STRING)",
    ),
]


@pytest.mark.skipif(before("4.3"), reason="older versions of Spark know fewer of them")
def test_built_ins_give_what_spark_gives(spark: SparkSession) -> None:
    env = TableEnvironment(spark)
    rows = env.from_values([("Ab-1",), ("ÄÖ 99 z",)], "s STRING")
    ours = rows.select(*[made.alias(f"x{at}") for at, (made, _) in enumerate(BUILT_IN)])
    texts = ", ".join(written for _, written in BUILT_IN)
    theirs = spark.sql(f"SELECT {texts} FROM VALUES ('Ab-1'), ('ÄÖ 99 z') AS v(s)")
    assert sorted(map(tuple, ours.to_dataframe(spark).collect())) == sorted(
        map(tuple, theirs.collect())
    )


def test_python_functions_get_their_defaults(spark: SparkSession) -> None:
    """The text, too: what it says is what Python would have taken."""
    env = TableEnvironment(spark)
    env.create_temporary_system_function("repeated_by_name", repeated)
    rows = env.from_values([("a",)], "s STRING")
    calls = [
        (call("repeated_by_name", col("s")), repeated("a")),
        (call("repeated_by_name", between=col("s"), text="x"), repeated("x", between="a")),
        (call("repeated_by_name", col("s"), scale=0.5), repeated("a", scale=0.5)),
        (call(repeated, col("s"), times=3), repeated("a", 3)),
    ]
    table = rows.select(*[made.alias(f"x{at}") for at, (made, _) in enumerate(calls)])
    # A default 1 of a float is 1.0, as any INT that a call gives it.
    expected = [value.replace("1", "1.0") if "." not in value else value for _, value in calls]
    assert [list(row) for row in table.to_dataframe(spark).collect()] == [expected]
    named = rows.select(*[made.alias(f"x{at}") for at, (made, _) in enumerate(calls[:3])])
    assert [list(row) for row in spark.sql(named.to_sql()).collect()] == [expected[:3]]
