"""The nested style: exact texts of the cases."""

from __future__ import annotations

import pytest

from tests.serializer.cases import CASES, texts

EXPECTED = texts("nested")


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    assert CASES[name]().to_sql("nested") == EXPECTED[name]


def test_every_expected_text_has_a_case() -> None:
    assert list(EXPECTED) == list(CASES)


def test_one_sub_query_an_operation() -> None:
    for name, operations in (
        ("filters_merge_in_order", 4),
        ("limits_and_offsets_add_up", 6),
        ("filter_above_limit", 4),
    ):
        assert EXPECTED[name].count("SELECT") == operations, name
