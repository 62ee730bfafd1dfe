"""What a text reaches is found, whatever else stands in it and however it is written."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.errors import ValidationError
from viewscribe.operations import sql_reach
from viewscribe.operations.only_queries import read_tokens

PARTS = [
    *("select ", " FROM ", ", ", "(", ")", ".", " a ", "1", "'text'", " WITH ", " wITH (", "="),
    *("Identifier", "IDENTIFIER", "`identifier`", '"identifier"', "\u0131dent\u0131fier"),
    *("reflect", "Java_Method", "`reflect`", "`ref``lect`", '"XPATH"', "from_protobuf", "TO_JSON"),
    *("csv", "`Csv`", "`/data/x`", '"/x"', "`com.example.Format`", "\u212aafka", "avroSchemaUrl"),
    *("'k'", "map(", "X'0a'", "`a", "$", "/*", "--", "\n"),
]


def everything_in(text: str) -> list[object]:
    """All that is found in a text, in its order, and the error that ends it."""
    found: list[object] = []
    for look in (
        lambda: [sql_reach.computes_names(text)],
        lambda: sql_reach.functions_called(text),
        lambda: sql_reach.options_read(text),
        lambda: sql_reach.descriptors_read(text),
        lambda: sql_reach.table_options(text),
        lambda: sql_reach.paths_read(text),
    ):
        try:
            found.extend(look())
        except ValidationError as error:
            found.append(error.message)
    return found


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_a_text_that_is_not_searched_holds_nothing(text: str) -> None:
    quickly = everything_in(text)
    with patch.object(sql_reach, "_tokens_if", lambda likely, text: read_tokens(text)):
        assert everything_in(text) == quickly


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT `Reflect`('a')", "Reflect"),
        ("SELECT * FROM CSV.`/x`", ("CSV", "/x")),
        ("SELECT * FROM `com.example.Format`.a", ("com.example.Format", "a")),
        ("SELECT * FROM t WITH (avroSchemaUrl = 'x')", ("avroSchemaUrl", "x")),
        ("SELECT Identifier('a')", True),
    ],
)
def test_is_found(text: str, found: object) -> None:
    assert found in everything_in(text)
