"""Literals reach Spark with exactly their value and type, whatever the time zones."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

import viewscribe as vs
from tests.spark.answers import Answers
from tests.spark.helpers import columns, rows
from viewscribe.expressions.literals import literal
from viewscribe.spark.session import settings
from viewscribe.spark.types import from_spark, literal_column
from viewscribe.types.ddl import parse_type

UTC = dt.UTC
TIME_ALLOWED = {"spark.sql.timeType.enabled": "true"}

# The literal, its type where it does not follow, and the same thing in SQL.
CASES = [
    (None, None, "NULL"),
    (True, None, "TRUE"),
    (1, None, "1"),
    (2**40, None, "1099511627776L"),
    (7, "TINYINT", "7Y"),
    (-7, "SMALLINT", "-7S"),
    (-(2**31), None, "CAST(-2147483648L AS INT)"),
    (-(2**63), None, "CAST(-9223372036854775808BD AS BIGINT)"),
    (1, "BIGINT", "1L"),
    (1.5, None, "1.5D"),
    (0.1, "FLOAT", "CAST('0.1' AS FLOAT)"),
    (-0.0, None, "-0.0D"),
    (-0.0, "FLOAT", "CAST('-0.0' AS FLOAT)"),
    (float("nan"), None, "double('NaN')"),
    (float("inf"), None, "double('Infinity')"),
    (float("-inf"), "FLOAT", "float('-Infinity')"),
    (5e-324, None, "4.9E-324D"),
    (1.7976931348623157e308, None, "1.7976931348623157E308D"),
    (Decimal("1.10"), None, "1.10BD"),
    (Decimal("1"), "DECIMAL(10, 2)", "CAST(1 AS DECIMAL(10, 2))"),
    (Decimal("-0.001"), None, "-0.001BD"),
    (Decimal("9" * 38), None, "9" * 38 + "BD"),
    (Decimal("1E-38"), None, "CAST('0." + "0" * 37 + "1' AS DECIMAL(38, 38))"),
    ("it's \\ \n \0 \u2603 \U0001f600", None, "'it\\'s \\\\ \\n \\u0000 \u2603 \U0001f600'"),
    ("", None, "''"),
    (b"", None, "X''"),
    (b"\x00\xff\x10", None, "X'00FF10'"),
    (dt.date(1, 1, 1), None, "DATE '0001-01-01'"),
    (dt.date(1582, 10, 5), None, "DATE '1582-10-05'"),
    (dt.date(9999, 12, 31), None, "DATE '9999-12-31'"),
    (dt.datetime(1, 1, 1, tzinfo=UTC), None, "TIMESTAMP '0001-01-01 00:00:00Z'"),
    (
        dt.datetime(1883, 11, 18, 17, 0, 0, 123456, tzinfo=UTC),
        None,
        "TIMESTAMP '1883-11-18 17:00:00.123456Z'",
    ),
    (
        dt.datetime(2024, 3, 31, 1, 30, 0, 1, tzinfo=UTC),
        None,
        "TIMESTAMP '2024-03-31 01:30:00.000001Z'",
    ),
    (
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        None,
        "TIMESTAMP '9999-12-31 23:59:59.999999Z'",
    ),
    (dt.datetime(1, 1, 1), None, "TIMESTAMP_NTZ '0001-01-01 00:00:00'"),
    (
        dt.datetime(2024, 3, 31, 2, 30, 0, 1),
        None,
        "TIMESTAMP_NTZ '2024-03-31 02:30:00.000001'",
    ),
    (dt.datetime(1899, 12, 31, 23, 59), None, "TIMESTAMP_NTZ '1899-12-31 23:59:00'"),
    (dt.time(0, 0), None, "TIME '00:00:00'"),
    (dt.time(23, 59, 59, 999999), None, "TIME '23:59:59.999999'"),
    (dt.time(12, 30), "TIME(0)", "CAST(TIME '12:30:00' AS TIME(0))"),
    (14, "INTERVAL YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
    (-5, "INTERVAL MONTH", "INTERVAL '-5' MONTH"),
    (-24, "INTERVAL YEAR", "INTERVAL '-2' YEAR"),
    (2**31 - 1, "INTERVAL YEAR TO MONTH", "INTERVAL '178956970-7' YEAR TO MONTH"),
    (-(2**31), "INTERVAL MONTH", "INTERVAL '-2147483648' MONTH"),
    (
        dt.timedelta(days=3, hours=4, microseconds=5),
        None,
        "INTERVAL '3 04:00:00.000005' DAY TO SECOND",
    ),
    (dt.timedelta(microseconds=-1), None, "INTERVAL '-0 00:00:00.000001' DAY TO SECOND"),
    (dt.timedelta(days=-3), "INTERVAL DAY", "INTERVAL '-3' DAY"),
    (dt.timedelta(minutes=90), "INTERVAL HOUR TO MINUTE", "INTERVAL '01:30' HOUR TO MINUTE"),
    (
        dt.timedelta(microseconds=2**63 - 1),
        None,
        "INTERVAL '106751991 04:00:54.775807' DAY TO SECOND",
    ),
    ([1, 2], None, "array(1, 2)"),
    ([], "ARRAY<INT>", "CAST(array() AS ARRAY<INT>)"),
    ([None, 1.0], "ARRAY<DOUBLE>", "array(NULL, 1.0D)"),
    ({"a": 1}, None, "map('a', 1)"),
    ({}, "MAP<STRING, INT>", "CAST(map() AS MAP<STRING, INT>)"),
    ((1, "x"), None, "named_struct('col1', 1, 'col2', 'x')"),
    (
        [{"a": (1, None)}],
        "ARRAY<MAP<STRING, STRUCT<`p q`: INT, b: DATE>>>",
        "CAST(array(map('a', struct(1, NULL))) AS ARRAY<MAP<STRING, STRUCT<`p q`: INT, b: DATE>>>)",
    ),
    (None, "DECIMAL(12, 3)", "CAST(NULL AS DECIMAL(12, 3))"),
    (None, "STRUCT<a: INT NOT NULL>", "CAST(NULL AS STRUCT<a: INT NOT NULL>)"),
    (None, "VARIANT", "CAST(NULL AS VARIANT)"),
    (None, "INTERVAL DAY TO SECOND", "CAST(NULL AS INTERVAL DAY TO SECOND)"),
]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_every_literal_is_the_one_sql_writes(spark, zone):
    names = [f"c{place}" for place in range(len(CASES))]
    written = [f"{sql} AS {name}" for (_, _, sql), name in zip(CASES, names, strict=True)]
    with settings(spark, {"spark.sql.session.timeZone": zone, **TIME_ALLOWED}):
        made = [
            literal_column(_literal(case)).alias(n) for case, n in zip(CASES, names, strict=True)
        ]
        ours = spark.range(1).select(*made)
        theirs = spark.sql(f"SELECT {', '.join(written)}")
        assert columns(ours) == columns(theirs)
        answers = Answers(rows)
        assert answers.of(ours) == answers.of(theirs)


def _literal(case):
    value, type_, _ = case
    return literal(value, parse_type(type_) if type_ else None)


def test_literals_keep_their_type(spark):
    made = [_literal(case) for case in CASES]
    with settings(spark, TIME_ALLOWED):
        fields = spark.range(1).select(*map(literal_column, made)).schema.fields
    for case, literal_, field in zip(CASES, made, fields, strict=True):
        assert from_spark(field.dataType, field.nullable).same_type(literal_.type), case
        assert field.nullable is literal_.type.nullable, case


DIGITS = "12345678901234567890123456789012345678"


def test_arithmetic_on_long_constants_is_that_of_spark(spark):
    """Spark computes some of it with 34 digits, and reads the sign of a literal exactly."""
    values = [Decimal(DIGITS[:length]) for length in (33, 34, 35, 36, 38)]
    values += [Decimal(f"{DIGITS[:3]}.{DIGITS[3:length]}") for length in (34, 35, 38)]
    values += [Decimal("-12345678901234567890123456789012345.5"), Decimal("1e37")]
    made = [
        expression
        for value in values
        for each in (vs.lit(value), vs.lit(value.copy_negate()))
        for expression in (each, -each, 0 - (-each), -(each + 0), each.abs(), 0 - each, each * 1)
    ]
    named = [each.alias(f"x{place}") for place, each in enumerate(made)]
    table = vs.TableEnvironment().from_values([(1,)], "a INT").select(*named)
    wanted = table.to_dataframe(spark)
    for style in ("readable", "nested"):
        found = spark.sql(table.to_sql(style))
        assert found.schema == wanted.schema
        assert found.collect() == wanted.collect()
