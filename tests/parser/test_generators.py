"""Generators among the items of a SELECT: after one another, and over groups."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.errors import SqlSyntaxError, ViewscribeError
from viewscribe.serializer import to_sql

QUERIES = [
    "SELECT explode(arr) AS x, st, explode(array(1, 2L)) AS y FROM n",
    "SELECT explode(arr) AS x, explode(array(x, 2)) AS y, x + y AS z FROM n",
    "SELECT explode_outer(arr) AS x, posexplode(array(x)) AS (p, v) FROM n",
    "SELECT DISTINCT explode(arr) AS x, explode(array(1)) AS y FROM n ORDER BY 1, y",
    "SELECT explode(arr) AS x FROM n QUALIFY row_number() OVER (ORDER BY x) = 1",
    "SELECT explode(collect_list(a)) AS v, count(*) AS c FROM t GROUP BY s",
    "SELECT s, explode(collect_list(a)) AS v FROM t GROUP BY s ORDER BY v DESC",
    "SELECT explode(arr) AS v, count(*) AS c FROM n GROUP BY 1",
    "SELECT explode(arr) AS v FROM n GROUP BY ALL HAVING v > 1",
    "SELECT stack(2, k, count(w), a, 2L) AS (c, d) FROM u GROUP BY k, a",
    "SELECT x, y FROM n LATERAL VIEW explode(arr) e AS x LATERAL VIEW OUTER explode(arr) f AS y",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_read_is_printed_and_read_again(query: str) -> None:
    made = read(query)
    text = to_sql(made)
    again = read(text)
    assert to_sql(again) == text
    assert again.schema.fields == made.schema.fields


def test_generators_come_one_after_another() -> None:
    made = read("SELECT explode(arr) AS x, explode(array(x, 2)) AS y FROM n")
    assert [field.type.ddl for field in made.schema.fields] == ["INT", "INT"]
    assert "array(x, 2)" in to_sql(made)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT explode(arr), explode(collect_list(st)) FROM n GROUP BY arr", "one generator"),
        ("SELECT explode(array(1, 2)) AS v, sum(v) FROM n", "uses the alias"),
        ("SELECT explode(collect_list(a)) AS v FROM t GROUP BY s HAVING count(*) > 1", "only what"),
        ("SELECT explode(collect_list(a)) FROM t GROUP BY 1", "grouping key"),
        ("SELECT explode(array(a)) AS v FROM t GROUP BY s", "a"),
    ],
)
def test_what_spark_refuses(query: str, reason: str) -> None:
    with pytest.raises(ViewscribeError, match=reason):
        read(query)


@pytest.mark.parametrize("item", ["struct(a AS z)", "to_json(struct(1 AS z))"])
def test_a_name_with_as_in_it_is_refused_beside_a_generator(item: str) -> None:
    """Spark calls the first ``struct(a)`` there, and ``array(struct(a AS z))`` as anywhere."""
    with pytest.raises(SqlSyntaxError, match="a column without a name, in which AS stands"):
        read(f"SELECT explode(array(1)) AS e, {item} FROM t")
    assert read(f"SELECT explode(array(1)) AS e, {item} AS n FROM t").schema.names == ("e", "n")
    assert len(read(f"SELECT {item} FROM t").schema.names) == 1
