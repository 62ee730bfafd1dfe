"""A condition that may fail: which of WHERE, ON and the inputs of a join are asked before it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from tests.spark.proof.mutants import Pair

if TYPE_CHECKING:
    from tests.spark.proof.mutants import Court

INNER = "SELECT n.k, c FROM n JOIN (SELECT k AS i, c FROM o) AS o ON k = i"
BELOW = "SELECT n.k, c FROM (SELECT * FROM n WHERE this) AS n JOIN (SELECT k AS i, c FROM o) AS o"
OUTER = "SELECT m, i FROM n LEFT JOIN (SELECT k AS i FROM o this) AS o ON k = i"
FREE, FAILS = "k <> 0", "10 / k > 3"

QUERIES = (
    f"{INNER} WHERE {FREE} AND {FAILS}",
    f"{INNER} WHERE {FAILS} AND {FREE}",
    f"{INNER} AND {FREE} WHERE {FAILS}",
    f"{INNER} AND {FAILS} WHERE {FREE}",
    f"{INNER} AND {FREE} AND {FAILS}",
    f"{INNER} AND {FAILS} AND {FREE}",
    f"{BELOW.replace('this', FREE)} ON k = i WHERE {FAILS}",
    f"{BELOW.replace('this', FREE)} ON k = i AND {FAILS}",
    f"{BELOW.replace('this', FAILS)} ON k = i WHERE {FREE}",
    f"{BELOW.replace('this', FAILS)} ON k = i AND {FREE}",
    f"{BELOW.replace('this', FREE + ' AND ' + FAILS)} ON k = i",
    f"{BELOW.replace('this', FAILS + ' AND ' + FREE)} ON k = i",
    f"{OUTER.replace('this', '')} AND i <> 0 AND 10 / i > 3",
    f"{OUTER.replace('this', '')} AND 10 / i > 3 AND i <> 0",
    f"{OUTER.replace('this', ' WHERE k <> 0')} AND 10 / i > 3",
    f"{OUTER.replace('this', ' WHERE 10 / k > 3')} AND i <> 0",
    f"{OUTER.replace('this', ' WHERE k <> 0 AND 10 / k > 3')}",
    f"{OUTER.replace('this', ' WHERE 10 / k > 3 AND k <> 0')}",
    f"{INNER} JOIN n AS p ON p.k = n.k AND n.{FREE} WHERE 10 / n.k > 3",
    f"{INNER} AND {FREE} JOIN n AS p ON p.k = n.k AND 10 / n.k > 3",
    f"{INNER} AND {FAILS} JOIN n AS p ON p.k = n.k AND n.{FREE}",
    f"{INNER} JOIN n AS p ON p.k = n.k WHERE n.{FREE} AND 10 / n.k > 3",
    f"{INNER} JOIN n AS p ON p.k = n.k WHERE 10 / n.k > 3 AND n.{FREE}",
    f"{INNER} JOIN n AS p ON p.k = n.k AND 10 / n.k > 3 WHERE n.{FREE}",
)
PAIRS = [Pair("the place of a condition", *pair) for pair in combinations(QUERIES, 2)]

HOISTED = [
    (f"{BELOW.replace('this', f'{FREE} AND {FAILS}')} ON k = i", QUERIES[0]),
    (f"{BELOW.replace('this', FAILS)} ON k = i WHERE {FREE}", QUERIES[1]),
    (f"{BELOW.replace('this', FREE)} ON k = i WHERE {FAILS}", QUERIES[0]),
]
"""Conditions of an input, which a printed text has in its WHERE."""


@pytest.mark.slow("Spark plans and runs each of many pairs")
def test_a_condition_is_asked_where_it_was(court: Court) -> None:
    rows = {text: court.rows(text) for text in QUERIES}
    equal = [(pair, judges) for pair in PAIRS if (judges := court.equal_to(pair))]
    assert len(equal) > len(QUERIES), "too few pairs of equal rows to say anything"
    assert not [found for found in equal if rows[found[0].one] != rows[found[0].other]]


@pytest.mark.parametrize(("below", "above"), HOISTED)
def test_conditions_of_an_input_may_stand_above_the_join(
    court: Court, below: str, above: str
) -> None:
    judges = court.equal_to(Pair("hoisted", below, above))
    assert {"trees", "optimized plans"} <= {*judges}
