"""Settings with which Spark would read a text otherwise."""

from __future__ import annotations

import pytest

from viewscribe.errors import NotSerializableError
from viewscribe.parser.settings import reading_of, refuse_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.legacy.setopsPrecedence.enabled", "true"),
        ("spark.sql.legacy.ctePrecedencePolicy", "LEGACY"),
        ("spark.sql.groupByAliases", "False"),
    ],
)
def test_refused(name: str, value: str) -> None:
    with pytest.raises(NotSerializableError, match=name):
        refuse_settings({name: value})


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
    reading = reading_of(
        {
            "spark.sql.parser.escapedStringLiterals": value,
            "spark.sql.ansi.doubleQuotedIdentifiers": value,
        }
    )
    assert reading.raw_strings
    assert reading.quoted_names


def test_lengths_matter_where_they_are_written() -> None:
    kept = {"spark.sql.preserveCharVarcharTypeInfo": "TRUE"}
    refuse_settings(kept, "SELECT a FROM t")
    with pytest.raises(NotSerializableError, match="CHAR and VARCHAR"):
        refuse_settings(kept, "SELECT CAST(a AS varchar (3)) FROM t")
