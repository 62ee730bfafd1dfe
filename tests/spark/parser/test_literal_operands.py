"""Operators over literals and columns of every kind: the types and nullability that Spark gives.

Spark looks at literals otherwise than at columns: beside a DECIMAL an integer literal is as narrow
as its digits, and an operand of BETWEEN, which two comparisons share, is no literal any more.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    "a INT NOT NULL, d DECIMAL(3, 1) NOT NULL, x DOUBLE NOT NULL, s STRING NOT NULL, "
    "l BIGINT NOT NULL, day DATE NOT NULL, at TIMESTAMP NOT NULL"
)
OPERANDS = [
    *("a", "1", "0.5", "d", "x", "1.5D", "2L", "l", "day", "at", "s", "'b'"),
    *("DATE '2020-01-01'", "TIMESTAMP '2020-01-01 00:00:00'", "NULL"),
]
FORMS = [
    *("{p} BETWEEN {q} AND {p}", "{p} BETWEEN {p} AND {q}", "{q} NOT BETWEEN {p} AND {p}"),
    *("between({p}, {q}, {q})", "{p} IN ({q}, {p})", "{p} < {q}", "{p} = {q}", "{p} + {q}"),
    *("coalesce({p}, {q})", "nullif({p}, {q})", "greatest({p}, {q})", "{p} % {q}"),
]


@pytest.mark.slow("analyzes twelve operators over all pairs of operands")
def test_every_operator_over_every_pair(spark: SparkSession) -> None:
    spark.createDataFrame([], COLUMNS).createOrReplaceTempView("operands")
    env, compared = TableEnvironment(), 0
    env.create_table("operands", COLUMNS)
    for p, q in product(OPERANDS, OPERANDS):
        items = [form.format(p=p, q=q) for form in FORMS]
        read = [each for each in items if _is_read(env, each)]
        if not read:
            continue
        text = (
            f"SELECT {', '.join(f'{item} AS v{at}' for at, item in enumerate(read))} FROM operands"
        )
        try:
            theirs = schema_from_spark(spark.sql(text).schema)
        except PySparkException:
            continue  # an operator that is accepted too early has tests of its own
        ours = env.sql_query(text).schema.fields
        other = [
            f"{item}: {one.type} is {two.type} to Spark"
            for item, one, two in zip(read, ours, theirs, strict=True)
            if one != two
        ]
        assert not other, "\n".join(other)
        compared += len(read)
    assert compared > 1000


def _is_read(env: TableEnvironment, item: str) -> bool:
    try:
        env.sql_query(f"SELECT {item} AS v FROM operands")
    except ViewscribeError:
        return False
    return True
