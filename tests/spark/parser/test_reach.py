"""Whatever Spark's parser finds named in a text, viewscribe's finds, too: the gate relies on it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import WHOLE
from viewscribe.errors import ViewscribeError
from viewscribe.operations.reach import Part, Reach
from viewscribe.parser.reach import read_reach
from viewscribe.spark.gate import QueryParser

SNAPSHOTS = Path(__file__).parents[3] / "snapshots"
PIECES = (
    *(
        "/*",
        "*/",
        "/*+ x */",
        "--\n",
        "--\\\n",
        "'",
        '"',
        "`",
        "\\",
        "(",
        ")",
        ", ",
        "[",
        "]",
        ":",
        "::",
    ),
    *("||", "|>", "|", ";", "$$", "r'", "1", "'a'", "-> ", " >> ", " x ", " t.x(1)", " * "),
    *("reflect('a')", ", reflect('a')", "csv.`/x`", ", csv.`/x`", " (FROM csv.`/x`) "),
    *(" FROM ", " by ", " group ", " JOIN ", " WITH ", " AS ", " VALUES ", " LATERAL ", " TABLE "),
    *(
        " IN (",
        " OVER w",
        " WINDOW w AS (",
        " ORDER ",
        " PIVOT (",
        " SELECT ",
        " LIMIT ",
        " USING ",
    ),
    *(" ON ", " NOT ", " EXCEPT ", " UNION ", " STRUCT<", " CAST(", " CASE ", " WHEN ", " END "),
    *(
        " INTERVAL ",
        " DATE ",
        " WHERE ",
        " HAVING ",
        " GROUP BY ",
        " ORDER BY ",
        " IDENTIFIER('a')",
    ),
)
OF_OPERATORS = frozenset(
    (
        *("between", "extract", "struct", "substring", "locate", "overlay", "any_value", "first"),
        *("last", "trim", "ltrim", "rtrim", "timestampadd", "timestampdiff", "in", "table", ""),
    )
)
"""Calls that one of the parsers reads as operators; none of them reaches out of a query."""


def texts() -> list[str]:
    """The approved queries."""
    return [path.read_text("utf-8") for path in sorted(SNAPSHOTS.rglob("*.sql"))]


def mutated(seed: int, count: int) -> Iterator[str]:
    """Queries in each of which one to three places are changed."""
    chance = random.Random(seed)
    cut = [re.findall(r"\w+|\s+|.", text, re.DOTALL) for text in texts() if len(text) < 900]
    for _ in range(count):
        tokens = list(chance.choice(cut))
        for _ in range(chance.randint(1, 3)):
            place, kind = chance.randrange(len(tokens) + 1), chance.random()
            if kind < 0.25:
                del tokens[place : place + 1]
            elif kind < 0.7:
                tokens.insert(place, chance.choice(PIECES))
            else:
                other = chance.choice(cut)
                start = chance.randrange(len(other))
                tokens[place:place] = other[start : start + chance.randint(1, 8)]
        yield "".join(tokens)


def named(reach: Reach) -> tuple[set[Any], set[Any], set[Any]]:
    calls = {tuple(part.lower() for part in call.name) for call in reach.calls}
    hidden = {call for call in calls if call[-1] not in OF_OPERATORS}
    return set(reach.relations), hidden, set(reach.options)


VARIABLES = ("id", "x", "a", "name", "amount", "session")
"""Of columns, Spark's parser tells only those that may be variables, where there are any."""


def missed(text: str, parser: QueryParser) -> list[Any]:
    """What Spark's parser finds in a text and ours does not, where both read it."""
    try:
        ours = read_reach(text, Part.QUERY)
        theirs = parser.read_reach(text, Part.QUERY)
    except ViewscribeError:
        return []
    if ours.computes_names:
        return []
    pairs = zip(named(theirs), named(ours), strict=True)
    columns = (set(theirs.variables), set(ours.variables))
    return [each for one, other in (*pairs, columns) for each in one - other]


@pytest.fixture(scope="module")
def parser(spark: Any) -> QueryParser:
    session = spark.newSession()
    for name in VARIABLES:
        session.sql(f"DECLARE VARIABLE {name} INT DEFAULT 1")
    found = QueryParser.of(session)
    assert found is not None
    return found


def test_approved_queries_name_the_same_to_both(parser: QueryParser) -> None:
    for text in texts():
        ours, theirs = read_reach(text, Part.QUERY), parser.read_reach(text, Part.QUERY)
        assert named(ours) == named(theirs), text


@pytest.mark.slow("both parsers read thousands of texts")
@pytest.mark.parametrize("seed", range(40 if WHOLE else 2))
def test_nothing_is_missed_in_changed_queries(parser: QueryParser, seed: int) -> None:
    read = 0
    for text in mutated(seed, 2500):
        assert missed(text, parser) == [], text
        read += 1
    assert read == 2500


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t1 LIMIT reflect('a')",
        "SELECT 1 /* /*+ */, reflect('a') --*/",
        "SELECT from_csv(a, 'b INT', map('sep', ';', 'maxColumns', 10, 'x', true))",
        "SELECT 1 WINDOW w AS (PARTITION BY reflect('a'))",
        "SELECT * FROM t PIVOT (max(reflect('a')) FOR x IN (1))",
        "FROM t |> AGGREGATE reflect('a') GROUP BY xpath(a)",
        "FROM t |> SET a = reflect('a') |> EXTEND reflect('b')",
        "SELECT transform(a, x -> reflect(x))",
        "SELECT CASE WHEN reflect('a') THEN 1 END, a[reflect('a')], reflect('a').b",
        "SELECT sum(a) FILTER (WHERE reflect('a')) OVER (ORDER BY reflect('b'))",
        "SELECT * FROM f(TABLE(csv.`/x`) PARTITION BY reflect(a)), LATERAL (FROM csv.`/y`)",
        "SELECT * FROM a JOIN b ON reflect('a') LATERAL VIEW explode(reflect('b')) t AS y",
        "SELECT * FROM t TIMESTAMP AS OF reflect('a')",
        "SELECT listagg(a) WITHIN GROUP (ORDER BY reflect('a'))",
        "SELECT a FROM t GROUP BY GROUPING SETS ((reflect('a')), ())",
        "SELECT a FROM t QUALIFY reflect('a')",
        "SELECT 1 IN (reflect('a')), 1 BETWEEN reflect('b') AND 2, a LIKE ANY (reflect('c'))",
        "WITH c AS (FROM csv.`/x`) SELECT (SELECT 1 FROM csv.`/y`), EXISTS (FROM csv.`/z`)",
        "SELECT a.b, session.x, f(name)[id], transform(c, x -> x) FROM VALUES (a) LIMIT amount",
        "SELECT * FROM t TABLESAMPLE (a ROWS) PIVOT (max(c) FOR x IN (name)) ORDER BY session.id",
    ],
)
def test_every_clause_is_gone_through(parser: QueryParser, text: str) -> None:
    assert missed(text, parser) == []
    assert named(read_reach(text, Part.QUERY)) == named(parser.read_reach(text, Part.QUERY))
    for each in re.findall(r"csv\.`(/\w)`", text):
        assert ("csv", each) in read_reach(text, Part.QUERY).relations
