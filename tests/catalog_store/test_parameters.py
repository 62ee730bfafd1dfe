"""Lists of parameters, as Spark and servers keep them in one text."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store.documents.model import parameter_text, parse_parameters
from viewscribe.errors import DataTypeError


@pytest.mark.parametrize(
    ("text", "defaults"),
    [
        ("x INT, y INT DEFAULT 5", [None, "5"]),
        ("x MAP<STRING, ARRAY<INT>>, y INT DEFAULT abs(1, 2)", [None, "abs(1, 2)"]),
        ("x BOOLEAN DEFAULT 1 < 2, y INT", ["1 < 2", None]),
        (
            "x BOOLEAN DEFAULT (1 > 0), y INT DEFAULT if(2 > 1, 3, 4)",
            ["(1 > 0)", "if(2 > 1, 3, 4)"],
        ),
        ("`a,b` STRING DEFAULT 'x, DEFAULT'", ["'x, DEFAULT'"]),
        ("x INT DEFAULT /* , */ 5, y INT", ["/* , */ 5", None]),
        ("x STRING DEFAULT r'\\', y INT", ["r'\\'", None]),
        ("", []),
    ],
)
def test_a_list_is_cut_as_spark_cuts_it(text: str, defaults: list[str | None]) -> None:
    found = parse_parameters(text)
    assert [each.default for each in found] == defaults
    assert parse_parameters(", ".join(map(parameter_text, found))) == found


@pytest.mark.parametrize("text", ["x INT DEFAULT 'a", "x INT /* a", "x INT, y"])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(DataTypeError):
        parse_parameters(text)
