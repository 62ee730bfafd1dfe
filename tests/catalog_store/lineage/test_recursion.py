"""What the columns of a recursive query are made of, round after round."""

from __future__ import annotations

from tests.parser.tables import read
from viewscribe.catalog_store.lineage.operations import query_lineage


def test_columns_come_from_the_first_rows_and_the_step() -> None:
    made = query_lineage(
        read(
            "WITH RECURSIVE tree(k, top) AS (SELECT k, w FROM u WHERE a IS NULL UNION ALL "
            "SELECT CAST(t.b AS INT), tree.top FROM t JOIN tree ON t.a = tree.k) "
            "SELECT k, top FROM tree"
        )
    )
    columns = [sorted(each.column or "" for each in column) for column in made.columns]
    assert columns == [["b", "k"], ["w"]]
    assert {each.column for each in made.rows if each.column} == {"a", "b", "k"}
    assert all("round" not in each.path[0] for each in made.used())


def test_columns_that_swap_places_are_made_of_both() -> None:
    made = query_lineage(
        read(
            "WITH RECURSIVE r(x, y) AS (SELECT k, a FROM u UNION ALL SELECT y, x FROM r) "
            "SELECT x, y FROM r"
        )
    )
    assert [sorted(each.column or "" for each in column) for column in made.columns] == [
        ["a", "k"],
        ["a", "k"],
    ]


def test_what_reads_a_cte_of_draws_is_made_of_its_columns() -> None:
    made = query_lineage(
        read(
            "WITH x AS (SELECT a, b, rand() AS r FROM t WHERE s > 1), "
            "y AS (SELECT max(a) AS top, uuid() AS r FROM x) "
            "SELECT x.b, y.top FROM x JOIN y ON x.r = y.top WHERE y.r IN (SELECT r FROM y)"
        )
    )
    columns = [sorted(each.column or "" for each in column) for column in made.columns]
    assert columns == [["b"], ["a"]]
    assert {each.column for each in made.rows if each.column} == {"a", "s"}
