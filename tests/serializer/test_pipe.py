"""The pipe style: exact texts of the cases."""

from __future__ import annotations

import pytest

from tests.serializer.cases import CASES, texts
from tests.serializer.pipe_layouts import LAYOUTS
from viewscribe import TableEnvironment, col
from viewscribe.catalog_store.circle import ReadBack, read_back
from viewscribe.serializer.literals import WIDTH

EXPECTED = texts("pipe")
BROKEN = texts("pipe_layouts")


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    assert CASES[name]().to_sql("pipe") == EXPECTED[name]


def test_every_expected_text_has_a_case() -> None:
    assert list(EXPECTED) == list(CASES)


def test_one_line_a_step() -> None:
    for name, steps in (
        ("filters_merge_in_order", 4),
        ("limits_and_offsets_add_up", 6),
        ("filter_above_limit", 4),
        ("set_operation_on_the_right", 5),
    ):
        assert EXPECTED[name].count("|> ") == steps, name


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name: str) -> None:
    assert LAYOUTS[name]().to_sql("pipe") == BROKEN[name]


def test_every_layout_has_a_text() -> None:
    assert list(BROKEN) == list(LAYOUTS)


def test_no_line_is_longer_than_the_width() -> None:
    for name, text in (EXPECTED | BROKEN).items():
        assert max(map(len, text.splitlines())) <= WIDTH, name


def test_only_steps_and_the_ends_of_parentheses_start_a_line() -> None:
    starts = ("FROM ", "|> ", ")")
    for name, text in (EXPECTED | BROKEN).items():
        if text.startswith("FROM "):
            lines = text.splitlines()
            assert all(line.startswith((*starts, " ")) for line in lines), name


def test_columns_told_apart_keep_these_names_beside_turned_ones() -> None:
    env = TableEnvironment()
    env.create_table("a", "id INT, x INT, y INT")
    table = env.from_path("a")
    pair = table.alias("l").join(table.alias("r"), col("l.id") == col("r.id"))
    both = pair.select("l.id", "r.id", col("l.x")).alias("one")
    other = table.select(col("id").alias("id_2"), "y")
    wide = both.join(other.alias("two"), col("x") == col("y"))
    turned = wide.unpivot(["x", "y"], name="k", value="v")
    again = env.sql_query(turned.to_sql("pipe"))
    assert again.schema == turned.schema
    assert read_back(turned.operation, turned.to_sql("pipe"), {}) == ReadBack()
