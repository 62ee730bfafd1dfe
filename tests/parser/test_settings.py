"""Settings with which Spark would read a text otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parser.tables import Tables
from viewscribe import TableEnvironment
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS
from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import READ, READING, make_reading, refuse_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.legacy.setopsPrecedence.enabled", "true"),
        ("spark.sql.parser.quotedRegexColumnNames", "True"),
        ("spark.sql.analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled", "false"),
        ("spark.sql.parser.singleCharacterPipeOperator.enabled", "false"),
    ],
)
def test_refused(name: str, value: str) -> None:
    with pytest.raises(NotSerializableError, match=name):
        refuse_settings({name: value})


@pytest.mark.parametrize("name", [*READ, *READING])
def test_a_session_tells_of_each(name: str) -> None:
    """What is not noted of a session is not refused, however it is set."""
    assert name in ALLOWED_SETTINGS


def test_read() -> None:
    refuse_settings(
        {
            "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
            "spark.sql.ansi.enabled": "false",
            "spark.sql.groupByOrdinal": "true",
        }
    )


@pytest.mark.parametrize("value", ["true", "TRUE", " True "])
def test_true_in_any_case(value: str) -> None:
    reading = make_reading(
        {
            "spark.sql.parser.escapedStringLiterals": value,
            "spark.sql.ansi.doubleQuotedIdentifiers": value,
        }
    )
    assert reading.raw_strings
    assert reading.quoted_names


@pytest.mark.parametrize("policy", ["LEGACY", "exception"])
def test_ctes_of_one_name_are_refused_where_a_policy_decides(policy: str) -> None:
    reading = make_reading({"spark.sql.legacy.ctePrecedencePolicy": policy})
    text = "WITH {} AS (SELECT 1) SELECT * FROM (WITH q AS (SELECT 2) SELECT * FROM q)"
    with pytest.raises(NotSerializableError, match="stands within others"):
        read_sql(text.format("Q"), Tables(), reading)
    if policy == "LEGACY":  # the CTEs around are no longer seen
        with pytest.raises(NotSerializableError, match="stands within others"):
            read_sql(text.format("r"), Tables(), reading)
    else:
        read_sql(text.format("r"), Tables(), reading)


def test_lengths_matter_where_they_are_written() -> None:
    kept = {"spark.sql.preserveCharVarcharTypeInfo": "TRUE"}
    refuse_settings(kept, "SELECT a FROM t")
    with pytest.raises(NotSerializableError, match="CHAR and VARCHAR"):
        refuse_settings(kept, "SELECT CAST(a AS varchar (3)) FROM t")


@pytest.mark.parametrize(
    ("item", "is_read"),
    [
        ("d - v", False),
        ("d - c", False),
        ("upper(v)", False),
        ("max(v)", False),
        ("array(c)", False),
        ("v || 'x'", False),
        ("coalesce(v, 'x')", False),
        ("v", True),
        ("length(v)", True),
        ("v = 'x' AND c IS NULL", True),
        ("d - s", True),
        ("upper(s)", True),
    ],
)
def test_nothing_is_computed_with_lengths_where_spark_keeps_them(item: str, is_read: bool) -> None:
    tables = Tables({"t": "d DATE, v VARCHAR(5), c CHAR(3), s STRING"})
    text = f"SELECT {item} AS y FROM t"
    read_sql(text, tables, make_reading({}))
    kept = make_reading({"spark.sql.preserveCharVarcharTypeInfo": "true"})
    if is_read:
        read_sql(text, tables, kept)
        return
    with pytest.raises(NotSerializableError, match="preserveCharVarcharTypeInfo"):
        read_sql(text, tables, kept)


def test_nor_are_they_brought_together() -> None:
    tables = Tables({"t": "v VARCHAR(5), c CHAR(3)"})
    kept = make_reading({"spark.sql.preserveCharVarcharTypeInfo": "true"})
    with pytest.raises(NotSerializableError, match="UNION of CHAR or VARCHAR"):
        read_sql("SELECT v FROM t UNION ALL SELECT c FROM t", tables, kept)


@pytest.mark.parametrize("zone", ["+25:00", "-18:01", "Nowhere/None"])
def test_a_zone_that_java_does_not_know_is_no_crash(zone: str) -> None:
    env = TableEnvironment(settings={"spark.sql.session.timeZone": zone})
    read = env.sql_query("SELECT TIMESTAMP '2020-01-01 00:00:00' AS t")
    assert "CAST('2020-01-01 00:00:00' AS TIMESTAMP)" in read.to_sql()


def test_settings_are_texts() -> None:
    wrong: Any = {"spark.sql.ansi.enabled": True}
    with pytest.raises(ViewscribeError, match='write "true"'):
        TableEnvironment(settings=wrong)
