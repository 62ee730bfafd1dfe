"""Samples of a text, with a seed and without."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment
from viewscribe.catalog_store.circle.world import ReadBack, read_back
from viewscribe.serializer.plan_document import from_plan, to_plan

STYLES = ("readable", "pipe", "nested")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", ["", " REPEATABLE (3)"])
def test_a_sample_is_what_was_written(seed: str, style: str) -> None:
    env = TableEnvironment()
    env.create_table("t", "a INT")
    table = env.sql_query(f"SELECT a FROM t TABLESAMPLE (9.5 PERCENT){seed} WHERE a > 1")
    text = table.to_sql(style)
    assert ("REPEATABLE (3)" in text) == bool(seed)
    assert read_back(table.operation, text, {}) == ReadBack()
    assert from_plan(to_plan(table.operation)) == table.operation


@pytest.mark.parametrize("style", STYLES)
def test_each_sample_without_a_seed_is_drawn_by_itself(style: str) -> None:
    env = TableEnvironment()
    env.create_table("t", "a INT")
    part = "SELECT a, count(*) AS n FROM t TABLESAMPLE (50 PERCENT) GROUP BY a"
    both = env.sql_query(f"SELECT * FROM ({part}) AS l JOIN ({part}) AS r ON l.a = r.a")
    assert both.to_sql(style).count("TABLESAMPLE") == 2
