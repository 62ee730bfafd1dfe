"""Types that reading Spark's own tests has shown to be wrong."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment

ENV = TableEnvironment()


@pytest.mark.parametrize(
    ("item", "type_"),
    [
        (
            "map_zip_with(map(1Y, 'a'), map(2S, 'b'), (k, v1, v2) -> k)",
            "MAP<SMALLINT, SMALLINT NOT NULL> NOT NULL",
        ),
        ("map_zip_with(map(1, 'a'), map(2L, 'b'), (k, v, w) -> v)", "MAP<BIGINT, STRING> NOT NULL"),
    ],
)
def test_the_type_is_sparks(item: str, type_: str) -> None:
    (field,) = ENV.sql_query(f"SELECT {item} AS x").schema
    assert str(field.type) == type_


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'\uD83D\uDE00'", "\U0001f600"),
        (r"'\U0001F600'", "\U0001f600"),
        ("'it''s' 'one'", "it'sone"),
        (r"r'\n'", r"\n"),
        (r"'\%\_\101'", r"\%\_A"),
    ],
)
def test_strings_are_read_as_spark_reads_them(text: str, value: str) -> None:
    (made,) = ENV.sql_query(f"SELECT {text} AS x").operation.expressions  # type: ignore[attr-defined]
    assert made.child.value == value
