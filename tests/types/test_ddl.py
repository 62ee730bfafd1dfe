"""DDL text says a type, and a type is read back from its DDL text."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.types.strategies import fields, types
from viewscribe.errors import DataTypeError
from viewscribe.types import (
    BIGINT,
    CALENDAR_INTERVAL,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    ArrayType,
    CharType,
    DayTimeIntervalType,
    Field,
    GeometryType,
    LogicalType,
    MapType,
    StringType,
    TimeType,
    VarcharType,
    array,
    decimal,
    map_of,
    struct,
)
from viewscribe.types.ddl import (
    field_ddl,
    parse_schema,
    parse_type,
    quote_text,
    schema_ddl,
    schema_text,
    type_text,
)
from viewscribe.types.lexemes import string_value
from viewscribe.types.nested_types import MAX_DEPTH, change_inside


@given(types())
def test_complete_text_is_read_back_as_the_same_type(type_: LogicalType) -> None:
    assert parse_type(type_text(type_)) == type_
    assert str(type_) == type_text(type_)


@given(types())
def test_ddl_loses_only_nullability_that_spark_text_cannot_say(type_: LogicalType) -> None:
    assert parse_type(type_.ddl) == change_inside(type_, _as_spark_says).as_nullable()


def _as_spark_says(type_: LogicalType) -> LogicalType:
    if isinstance(type_, ArrayType):
        return array(type_.element.as_nullable()).with_nullability(type_.nullable)
    if isinstance(type_, MapType):
        return map_of(type_.key, type_.value.as_nullable()).with_nullability(type_.nullable)
    return type_


@given(st.lists(fields(), min_size=1, max_size=4))
def test_complete_schema_text_is_read_back_as_the_same_fields(written: list[Field]) -> None:
    assert parse_schema(schema_text(written)) == tuple(written)
    assert parse_schema(str(struct(*written))) == tuple(written)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_quoted_text_is_read_back(text: str) -> None:
    assert string_value(quote_text(text)) == text
    assert "\n" not in quote_text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byte", TINYINT),
        ("SHORT", SMALLINT),
        ("Integer", INT),
        ("LONG", BIGINT),
        ("REAL", FLOAT),
        ("dec", decimal(10, 0)),
        ("NUMERIC( 4 , 2 )", decimal(4, 2)),
        ("DECIMAL(0)", decimal(0, 0)),
        ("timestamp_ltz", TIMESTAMP),
        ("TIMESTAMP(6)", TIMESTAMP),
        ("TIMESTAMP WITH LOCAL TIME ZONE", TIMESTAMP),
        ("TIMESTAMP WITHOUT TIME ZONE", TIMESTAMP_NTZ),
        ("TIME", TIME),
        ("TIME(9) WITHOUT TIME ZONE", TimeType(precision=9)),
        ("STRING COLLATE system.builtin.unicode_ci", StringType(collation="UNICODE_CI")),
        ("string collate sr_cyrl_srb_ai_ci", StringType(collation="sr_Cyrl_SRB_CI_AI")),
        ("STRING COLLATE utf8_lcase_rtrim", StringType(collation="UTF8_LCASE_RTRIM")),
        ("CHARACTER(3)", CharType(length=3)),
        ("VARCHAR(3) COLLATE unicode", VarcharType(length=3, collation="UNICODE")),
        ("INTERVAL", CALENDAR_INTERVAL),
        ("interval day to hour", DayTimeIntervalType(start="DAY", end="HOUR")),
        ("GEOMETRY(any)", GeometryType(srid="ANY")),
        ("STRUCT<>", struct()),
        ("STRUCT<a INT>", struct(("a", INT))),
        ("struct<`a``b`:int,left:int>", struct(("a`b", INT), ("left", INT))),
        ("array<array<int>>", array(array(INT))),
        ("MAP<STRING, INT NOT NULL>", map_of(STRING, INT.not_null())),
        ("/* of */ ARRAY < INT NOT NULL > NOT NULL -- all", array(INT.not_null()).not_null()),
        (
            "STRUCT<a: INT NOT NULL COMMENT 'it''s\\n' \"\\u0041\">",
            struct(Field("a", INT.not_null(), "it's\nA")),
        ),
    ],
)
def test_every_spelling_of_spark_is_read(text: str, expected: LogicalType) -> None:
    assert parse_type(text) == expected


def test_schema_is_written_as_spark_reads_it() -> None:
    written = (
        Field("id", BIGINT.not_null(), "the 'key'\n"),
        Field("b c", array(INT.not_null())),
        Field("table", struct(("a", STRING.not_null()))),
    )
    assert schema_ddl(written) == (
        "id BIGINT NOT NULL COMMENT 'the \\'key\\'\\n', `b c` ARRAY<INT>, "
        "`table` STRUCT<a: STRING NOT NULL>"
    )
    assert field_ddl(written[0], separator=": ").startswith("id: BIGINT")


def test_schema_is_read_from_both_forms() -> None:
    expected = (Field("a", INT), Field("b", STRING.not_null()))
    assert parse_schema("a INT, b STRING NOT NULL") == expected
    assert parse_schema("a: int, b: string not null") == expected
    assert parse_schema("struct<a: int, b: string not null>") == expected
    assert parse_schema("struct INT") == (Field("struct", INT),)


def _message(text: str, read=parse_type) -> str:
    with pytest.raises(DataTypeError) as caught:
        read(text)
    return str(caught.value)


def test_unknown_type_is_shown_with_the_nearest_name() -> None:
    message = _message("a INT, b ARRAY<STRNG>", parse_schema)
    assert message.splitlines() == [
        "no type is called `STRNG`",
        "  in: line 1, column 16",
        "    a INT, b ARRAY<STRNG>",
        "                   ^^^^^",
        "  did you mean: STRING, STRUCT",
    ]


def test_names_of_other_databases_are_translated() -> None:
    assert "did you mean: TIMESTAMP" in _message("datetime")
    assert "did you mean: BOOLEAN" in _message("bool")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "expected a type and found the end of the text"),
        ("MAP<INT>", "expected `,` and found `>`"),
        ("ARRAY<INT", "expected `>` and found the end of the text"),
        ("INT NULL", "`NULL` was not expected here"),
        ("DECIMAL(39)", "DECIMAL(39, 0) is not a type"),
        ("DECIMAL(5, -1)", "expected a whole number and found `-`"),
        ("TIME(10)", "TIME(10) is not a type"),
        ("CHAR", "expected `(` and a number"),
        ("VARCHAR(99999999999)", "VARCHAR(99999999999) is not a type"),
        ("INTERVAL YEAR TO DAY", "INTERVAL YEAR TO DAY is not a type"),
        ("INTERVAL DAY TO", "expected a unit"),
        ("GEOMETRY", "expected `(`"),
        ("TIMESTAMP(9)", "timestamps have 6 digits of a second"),
        ("STRUCT<'a': INT>", "expected the name of a field"),
        ("STRUCT<a: INT COMMENT x>", "expected the comment between quotes"),
        ("STRUCT<a: INT COMMENT 'x>", "the ' is not closed"),
        ("STRUCT<`a: INT>", "the ` is not closed"),
        ("STRUCT<a: INT DEFAULT 3>", "expected `>` and found `DEFAULT`"),
    ],
)
def test_damaged_text_is_refused_at_its_place(text: str, part: str) -> None:
    message = _message(text)
    assert part in message
    assert "line 1, column" in message


def test_line_and_window_of_a_long_text() -> None:
    text = "a INT,\n" + " " * 200 + "b STRUNG, " + "c INT, " * 30
    message = _message(text, parse_schema)
    assert "line 2, column 203" in message
    assert "b STRUNG, c INT" in message
    assert max(map(len, message.splitlines())) < 120


def test_depth_ends_in_an_error_and_never_in_a_crash() -> None:
    def nested(depth: int) -> str:
        return "ARRAY<" * depth + "INT" + ">" * depth

    deepest = nested(MAX_DEPTH - 1)
    assert str(parse_type(deepest)) == deepest
    assert parse_type(deepest).ddl == deepest
    assert "more than 100 levels" in _message(nested(MAX_DEPTH))
    assert "more than 100 levels" in _message(nested(100_000))


@given(st.text(max_size=30))
def test_any_text_is_a_type_or_a_data_type_error(text: str) -> None:
    with contextlib.suppress(DataTypeError):
        parse_type(text)
