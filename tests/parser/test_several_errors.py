"""What is wrong in parts that do not depend on each other is told at once."""

from __future__ import annotations

import copy
import pickle

import pytest

from tests.parser.tables import read
from viewscribe.errors import SqlSyntaxError, UnknownColumnError, ViewscribeError

CASES = {
    "SELECT nope, a, upper(a, a), missing FROM t WHERE gone = 1": [
        "line 1, column 51",
        "line 1, column 8",
        "line 1, column 17",
        "line 1, column 30",
    ],
    "WITH x AS (SELECT nope FROM t), y AS (SELECT k FROM u) SELECT k, other FROM y": [
        "line 1, column 19",
        "line 1, column 66",
    ],
    "SELECT nope AS n, n + 1 AS m, m + 1, a + array(1) FROM t": [
        "line 1, column 8",
        "line 1, column 38",
    ],
    "WITH x AS (SELECT nope FROM t) SELECT k FROM x UNION ALL SELECT gone FROM t": [
        "line 1, column 19",
        "line 1, column 65",
    ],
    "SELECT * FROM (SELECT nope, gone FROM t) AS s": ["line 1, column 23", "line 1, column 29"],
}


SYNTAX = {
    "SELECT a, , b FROM t WHERE a = GROUP BY b +": [11, 32, 44],
    "SELECT a FROM (SELECT a, FROM t) x WHERE a == == 1": [26, 47],
    "WITH x AS (SELECT FROM t), y AS (SELECT a b c FROM t) SELECT * FROM x WHERE": [19, 45, 76],
    "SELECT listagg(s, ) WITHIN GROUP (ORDER BY a), 1 + FROM t": [19, 52],
    "FROM t |> WHERE a = |> SELECT b + |> LIMIT 1": [21, 35],
    "SELECT a FROM t WHERE a = 1 ORDER BY a +, b * LIMIT 1": [41, 47],
    "SELECT CASE WHEN a THEN FROM t": [25],
    "SELECT a b c FROM t WHERE": [12],
    "SELECT a, FROM t WHERE (a = ": [11],  # where a parenthesis is open, nothing is plain to see
}


@pytest.mark.parametrize("text", SYNTAX)
def test_errors_of_syntax_are_told_where_a_clause_begins_anew(text: str) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        read(text)
    places = [(each.location or "").split("\n")[0] for each in caught.value.every]
    assert places == [f"line 1, column {column}" for column in SYNTAX[text]]


@pytest.mark.parametrize("text", CASES)
def test_each_is_told_with_its_place(text: str) -> None:
    with pytest.raises(ViewscribeError) as caught:
        read(text)
    places = [(each.location or "").split("\n")[0] for each in caught.value.every]
    assert places == CASES[text]
    shown = str(caught.value)
    assert [shown.count(f"in: {place}\n") for place in places] == [1] * len(places)


def test_one_error_is_only_one() -> None:
    with pytest.raises(UnknownColumnError) as caught:
        read("WITH x AS (SELECT nope FROM t) SELECT a FROM x")
    assert caught.value.others == ()


def test_keys_of_joins_by_names_are_no_errors() -> None:
    made = read("SELECT t.a, u.a, a, nope FROM t JOIN (SELECT a, w AS nope FROM u) u USING (a)")
    assert len(made.schema) == 4
    with pytest.raises(ViewscribeError) as caught:
        read("SELECT upper(a, a), u.a, nope FROM t JOIN u USING (a)")
    assert len(caught.value.every) == 2


def test_errors_are_copied_whole() -> None:
    with pytest.raises(ViewscribeError) as caught:
        read("SELECT nope, gone FROM t")
    for made in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert str(made) == str(caught.value)
        assert len(made.every) == 2


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT a\nFROM t GROUP a", "expected BY, found `a`\n  in: line 2, column 14"),
        ("SELECT a FROM t ORDER BY a GROUP BY a", "expected the end of the query, found `GROUP`"),
        ("SELEC a FROM t", "did you mean: SELECT"),
        ("FROM t\n|> AGREGATE sum(a)", "line 2, column 4"),
        ("FROM t\n|> AGREGATE sum(a)", "did you mean: AGGREGATE"),
        ("SELECT\n  CAST(a AS INTT) FROM t", "line 2, column 13"),
        ("SELECT\n  a::intt FROM t", "line 2, column 6"),
    ],
)
def test_what_was_meant(query: str, told: str) -> None:
    with pytest.raises(ViewscribeError) as caught:
        read(query)
    assert told in str(caught.value)


def test_the_caret_stands_under_its_place_in_a_line_with_tabs() -> None:
    with pytest.raises(ViewscribeError) as caught:
        read("SELECT a\tFROM t\tWHERE\tzz = 1")
    _, line, caret = str(caught.value.location).split("\n")
    assert line[caret.index("^") :].startswith("zz")
    assert "\t" not in line
