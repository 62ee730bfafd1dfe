"""What the columns of recursive queries and of CTEs of draws are made of."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.catalog_store.lineage.operations import query_lineage

TREE = (
    "WITH RECURSIVE tree(k, top) AS (SELECT k, w FROM u WHERE a IS NULL UNION ALL "
    "SELECT CAST(t.b AS INT), tree.top FROM t JOIN tree ON t.a = tree.k) "
    "SELECT k, top FROM tree"
)
SWAPPED = (
    "WITH RECURSIVE r(x, y) AS (SELECT k, a FROM u UNION ALL SELECT y, x FROM r) SELECT x, y FROM r"
)
DRAWN = (
    "WITH x AS (SELECT a, b, rand() AS r FROM t WHERE s > 1), "
    "y AS (SELECT max(a) AS top, uuid() AS r FROM x) "
    "SELECT x.b, y.top FROM x JOIN y ON x.r = y.top WHERE y.r IN (SELECT r FROM y)"
)
DRAWN_IN_A_STEP = (
    "WITH RECURSIVE x(k, r) AS (SELECT k, 1.0D FROM u UNION ALL SELECT z.k, z.r FROM "
    "(WITH y AS (SELECT k FROM x), x AS (SELECT a, rand() AS r FROM t) "
    "SELECT y.k, x.r FROM y JOIN x ON y.k = x.a) AS z) SELECT k, r FROM x"
)


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        (TREE, [["b", "k"], ["w"]], {"a", "b", "k"}),
        (SWAPPED, [["a", "k"], ["a", "k"]], set()),
        (DRAWN, [["b"], ["a"]], {"a", "s"}),
        (DRAWN_IN_A_STEP, [["k"], []], {"a", "k"}),
    ],
)
def test_columns_come_from_all_rounds_and_from_ctes(
    text: str, columns: list[list[str]], rows: set[str]
) -> None:
    made = query_lineage(read(text))
    assert [sorted(each.column or "" for each in column) for column in made.columns] == columns
    assert {each.column for each in made.rows if each.column} == rows
    assert all("round" not in each.path[0] for each in made.used())
