"""A text in pieces, with what its tables are called cut out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from viewscribe.errors import ValidationError
from viewscribe.parser.names import split_at_tables


def split(text: str, *, aliased: bool = False) -> str:
    def find(parts: Sequence[str]) -> tuple[str, ...] | None:
        return None if parts[0] == "stays" else tuple(parts)

    pieces = split_at_tables(text, find, aliased=aliased)
    return "".join(each if isinstance(each, str) else f"<{'|'.join(each)}>" for each in pieces)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT a FROM t", "SELECT a FROM <t>"),
        ("SELECT t.a FROM s.t -- s.t", "SELECT t.a FROM <s|t> -- s.t"),
        ("SELECT 's.t' FROM s.t AS x", "SELECT 's.t' FROM <s|t> AS x"),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM t", "WITH t AS (SELECT 1 AS a) SELECT a FROM t"),
        ("SELECT s.t.a FROM s.t", "SELECT t.a FROM <s|t>"),
        ("SELECT c.s.t.* FROM c.s.t", "SELECT t.* FROM <c|s|t>"),
        (
            "SELECT a FROM stays JOIN `o d`.`t``` USING (a)",
            "SELECT a FROM stays JOIN <o d|t`> USING (a)",
        ),
        ("TABLE s.t", "TABLE <s|t>"),
        (
            "FROM s.t |> WHERE a IN (SELECT b FROM u)",
            "FROM <s|t> |> WHERE a IN (SELECT b FROM <u>)",
        ),
        ("SELECT s.t.a, s.t.b FROM s.t, s.u", "SELECT t.a, t.b FROM <s|t>, <s|u>"),
    ],
)
def test_tables_are_cut_out(text, found):
    assert split(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT t.a FROM s.t", "SELECT t.a FROM <s|t> AS t"),
        ("SELECT x.a FROM s.t AS x", "SELECT x.a FROM <s|t> AS x"),
        ("SELECT x.a FROM s.t x JOIN s.u", "SELECT x.a FROM <s|t> x JOIN <s|u> AS u"),
        ("SELECT s.t.a FROM s.t", "SELECT t.a FROM <s|t> AS t"),
    ],
)
def test_tables_that_may_be_called_anything_have_aliases(text, found):
    assert split(text, aliased=True) == found


def test_a_column_that_cannot_be_qualified():
    with pytest.raises(ValidationError, match="gets another name"):
        split("SELECT r.t.a, s.t.a FROM r.t, s.t", aliased=True)
    assert split("SELECT r.t.a, s.t.a FROM r.t, s.t") == "SELECT r.t.a, s.t.a FROM <r|t>, <s|t>"
