"""How texts are cut: where Spark's lexer differs from what one would think."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.tokens import begins_query, skip_blanks, tokenize

CUT = {
    "2*/*c*/3": "2 */ * c */ 3",
    "a/* /* */ */b": "a b",
    "a/* /*+ */b": "a b",
    "a/**/b/***/c/*/ */d": "a b c d",
    "a -- x\\\nb\nc": "a c",
    "a -- x\rb": "a b",
    "a\x0b\u3000b": "a b",
    "'it''s' r'a''b' \"\"\"\"": "'it''s' r'a' 'b' \"\"\"\"",
    "'a\\'' r'\\'": "'a\\'' r'\\'",
    "`a``b``` ``": "`a``b``` ``",
    "1e5x 1e+5x 1e5": "1e5x 1e+5 x 1e5",
    "1.5x 1.e5 .5 a.5 1..2": "1 . 5x 1.e5 .5 a .5 1. .2",
    "1.5BD 1.5L 5LL 2s": "1.5BD 1 . 5L 5LL 2s",
    "a >> b >>> c": "a >> b >>> c",
    "ARRAY<MAP<a, b>> >> c": "ARRAY < MAP < a , b > > >> c",
    "array(a) >> b >>> c": "array ( a ) > > b >>> c",
    "map(a) >>> b": "map ( a ) > >> b",
    "`array`(a) >> b": "`array` ( a ) >> b",
    "a != !b !> c !< d": "a != ! b !> c !< d",
    "a|>b||c|d": "a |> b || c | d",
}
REFUSED = {
    "SELECT größe": "other letters than A to Z",
    "ſELECT 1": "other letters than A to Z",
    "a://b": "a path",
    "s3://b": "a path",
    "SELECT 'a": "this string has no end",
    "SELECT 'it''s": "this string has no end",
    "SELECT 'a\\'": "this string has no end",
    "SELECT `a": "this name between backticks has no end",
    "SELECT /* /* */": "this comment has no end",
    "SELECT /*/": "this comment has no end",
    "$$a$$": "begins nothing",
    "a\x85b": "begins nothing",
    "a\x1cb": "begins nothing",
    "a\u2029b": "begins nothing",
    "\ufeffa": "begins nothing",
    "a\x00b": "begins nothing",
    "a = ٣": "begins nothing",
    "a{b}": "begins nothing",
    "'\ud800'": "half a character",
}


@pytest.mark.parametrize("text", CUT)
def test_a_text_is_cut_as_spark_cuts_it(text: str) -> None:
    assert " ".join(token.text for token in tokenize(text)[:-1]) == CUT[text]


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_what_spark_refuses_or_cuts_otherwise_is_refused(text: str) -> None:
    with pytest.raises(SqlSyntaxError, match=REFUSED[text]):
        tokenize(text)


def test_the_place_of_a_word_with_other_letters_is_its_beginning() -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        tokenize("SELECT a_größe FROM t")
    assert "line 1, column 8\n" in str(caught.value)
    assert "`…`" in str(caught.value)


PIECES = (
    *(
        "'",
        "''",
        "\\'",
        '"',
        "`",
        "``",
        "/*",
        "*/",
        "/**/",
        "/*+",
        "--",
        "-- \\\n",
        "r'",
        "1",
        "1e",
        "1.",
    ),
    *("1e1", ".", "a", "a://", "$", "\n", "array>>", "array >>>", "<", "ö"),
)


@pytest.mark.parametrize("piece", PIECES)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    start = time.process_time()
    with suppress(SqlSyntaxError):
        tokenize(piece * 50_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("SELECT 1", True),
        ("\n-- why\n/* a /* b */ c */ with x AS (SELECT 1) SELECT 1", True),
        ("/* SELECT */ x + 1", False),
        ("(SELECT 1)", False),
        ("selected", False),
        ("`select`", False),
        ("", False),
    ],
)
def test_the_first_word_says_whether_a_text_begins_a_query(text: str, wanted: bool) -> None:
    assert begins_query(text) is wanted


def test_comments_are_skipped_as_the_lexer_skips_them() -> None:
    assert skip_blanks("/* /* */ */ -- x") == 16
    assert skip_blanks("/*+ hint */") == 0
    with pytest.raises(SqlSyntaxError, match="no end"):
        skip_blanks("/* /* */")
