"""The keys that a join by names does not show are there behind every step of a pipe."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.parser.tables import TABLES, read
from tests.spark.parser.empty_views import session_with
from viewscribe.serializer import to_sql
from viewscribe.spark.compare import compare_plans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
STEPS = (
    "WHERE k > 0",
    "ORDER BY k",
    "SORT BY w",
    "DISTRIBUTE BY k",
    "LIMIT 2",
    "EXTEND 1 AS more",
    "SET w = upper(w)",
    "DROP w",
    "JOIN n ON true",
)
SHOWN = ("left.*", "u.*", "left.k, u.k", "*")
COMBINED = [
    f"FROM t |> SELECT a, s |> {word} (SELECT {key}, w FROM u) |> SELECT t.*"
    for word, key in product(("UNION ALL", "EXCEPT", "INTERSECT"), ("a", "CAST(a AS BIGINT)"))
]


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    with session_with(spark, TABLES) as made:
        yield made


@pytest.mark.parametrize("join", JOINS)
def test_behind_every_step(session: SparkSession, join: str) -> None:
    different = []
    for step, shown in product(STEPS, SHOWN):
        text = (
            f"FROM t |> SELECT a AS k, s |> AS left |> {join} u USING (k) |> {step} "
            f"|> SELECT {shown}"
        )
        different += _differences(session, text)
    assert not different, "\n".join(map(str, different))


def test_names_of_tables_behind_set_operations(session: SparkSession) -> None:
    """A column that becomes wider is none of its table any more."""
    different = [each for text in COMBINED for each in _differences(session, text)]
    assert not different, "\n".join(map(str, different))


def _differences(session: SparkSession, text: str) -> list[tuple[str, ...]]:
    theirs = session.sql(text)
    tree = read(text)
    if list(tree.schema.names) != theirs.columns:
        return [(text, str(tree.schema.names), str(theirs.columns))]
    try:
        ours = session.sql(to_sql(tree))
    except Exception as error:
        return [(text, to_sql(tree), str(error)[:100])]
    check = compare_plans(ours, theirs)
    return [] if check.status == "equal" else [(text, to_sql(tree), str(check.detail))]
