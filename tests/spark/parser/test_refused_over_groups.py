"""Texts over groups and windows: what Spark refuses is refused, and read as Spark means it.

Each example is drawn from the product of what SELECT shows, the groups, and what stands in HAVING,
ORDER BY and QUALIFY. The other way round, what Spark takes and we refuse is listed by its reason.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.corpus import WHOLE
from tests.parser.tables import TABLES, read
from tests.spark.parser.empty_views import session_with
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql
from viewscribe.spark.compare import compare_plans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

FEW = 90
"""How many examples of a family are tried; ``VIEWSCRIBE_CORPUS=all`` tries them all."""

KEYS = ["a", "d", "at", "CAST(at AS TIMESTAMP_NTZ)", "make_ym_interval(a)", "make_dt_interval(a)"]
OFFSETS = [
    *("1", "1L", "1S", "1.5", "make_interval(1)", "INTERVAL '1' MONTH", "INTERVAL '2' YEAR"),
    *("INTERVAL '1' DAY", "INTERVAL '24' HOUR", "INTERVAL '1 2' DAY TO HOUR"),
]
FRAMES = [
    f"SELECT sum(a) OVER (ORDER BY {key} RANGE BETWEEN {start} PRECEDING AND {end}) AS v FROM t"
    for key, start, end in product(
        KEYS, OFFSETS, ["CURRENT ROW", *(f"{each} FOLLOWING" for each in OFFSETS)]
    )
]

SHOWN = [
    *("count(*) AS c", "a, count(*) AS c", "a AS k, count(*) AS c", "a AS a", "a, b", "t.a, t.b"),
    *("b AS a, count(*) AS c", "grouping(a) AS g, count(*) AS c", "a, a AS k", "sum(a) AS a"),
    *("a AS k, grouping(a) AS g, grouping_id() AS i", "1 AS b", "b AS a, sum(a)", "max(x) AS m"),
]
SETS = ["a, b", "ROLLUP(a, b)", "GROUPING SETS ((a, b), (b), ())", "a, ROLLUP(b)", "CUBE(b, a + b)"]
CALLS = [
    *("grouping(a)", "grouping(b)", "grouping(t.a)", "grouping(k)", "grouping(a + b)"),
    *("grouping_id()", "grouping_id(a, b)", "grouping_id(b, a)", "grouping__id"),
    *("count(*) + grouping(b)", "max(a) + grouping_id()", "sum(a)", "sum(b)", "sum(t.a)", "max(x)"),
]
CLAUSES = [
    "HAVING {} > 0",
    "ORDER BY {}",
    "HAVING max(x) > 1 ORDER BY {}",
    "HAVING b > 1 ORDER BY {}",
    "QUALIFY row_number() OVER (ORDER BY {}) = 1",
    "DISTRIBUTE BY {}",
]
GROUPING = [
    f"SELECT {shown} FROM t GROUP BY {sets} {clause.format(call)}"
    for shown, sets, clause, call in product(SHOWN, SETS, CLAUSES, CALLS)
] + [
    f"SELECT {distinct}{call} AS v FROM t {groups} ORDER BY {key}"
    for distinct, call, groups, key in product(
        ("", "DISTINCT "),
        ("a", "max(a)", *CALLS),
        ("", "GROUP BY a", "GROUP BY ROLLUP(a, b)"),
        CALLS,
    )
]

CONDITIONS = [
    *("a > 1", "a > 1L", "a IS NULL", "a IN (1, 2)", "a IN (1, 2L)", "a BETWEEN 1 AND 3"),
    *("a + 1 > 2", "abs(a) > 1", "a > 1 AND max(x) > 1.0D", "a > NULL", "a DIV 2 > 1", "t.a > 1L"),
    *(
        "NOT a = 1",
        "CAST(a AS BIGINT) > 1L",
        "a IN (SELECT k FROM u)",
        "a > 1 AND grouping_id() = 1",
    ),
    *("k > 1L", "k BETWEEN 1 AND 3", "max(a) > a", "a > 1 AND c > 1L", "a < 3 AND count(*) > 1"),
]
HAVING = [
    f"SELECT {shown} FROM t GROUP BY {sets} HAVING {condition}"
    for shown, sets, condition in product(SHOWN, SETS, CONDITIONS)
]

OVER_WINDOWS = [
    *("sum(a) OVER (ORDER BY b)", "sum(max(a)) OVER ()", "lag(a) OVER (ORDER BY b)"),
    *("sum(max(x) + a) OVER ()", "sum(max(x)) FILTER (WHERE a > 1) OVER ()", "sum(1) OVER ()"),
    *("rank() OVER (PARTITION BY a ORDER BY sum(a))", "sum(grouping_id()) OVER (ORDER BY a)"),
    *("first(a) OVER (ORDER BY b)", "nth_value(a, 2) OVER (ORDER BY b)", "count(*) OVER ()"),
]
WINDOWS = [
    f"SELECT {shown}{call} AS v FROM t GROUP BY {sets} {clause}"
    for shown, call, sets, clause in product(
        ("", "a, ", "a AS k, "), OVER_WINDOWS, SETS[:4], ("", "QUALIFY v > 1")
    )
]

OF_TIME = [
    *("window, count(*) AS c", "count(*) AS c", "window_time(window) AS w", "window.start AS w"),
    *(
        "window AS w, count(*) AS c",
        "max(window_time(window)) AS w",
        "date(window_time(window)) AS w",
    ),
    *("window, rank() OVER (ORDER BY window_time(window)) AS r",),
]
TIMES = [
    f"SELECT {shown} FROM t GROUP BY {group} {clause}"
    for shown, group, clause in product(
        OF_TIME,
        [
            *("window(at, '5 minutes')", "window(at, '10 minutes', '5 minutes'), a", "at"),
            *("window_time(window(at, '5 minutes'))", "ROLLUP(window(at, '5 minutes'), a)"),
        ],
        [
            *("", "HAVING window_time(window) IS NOT NULL", "ORDER BY window_time(window)"),
            *("HAVING max(window_time(window)) IS NOT NULL", "ORDER BY max(window_time(window))"),
            *("HAVING count(*) > 1 ORDER BY window_time(window)", "ORDER BY window"),
            "QUALIFY row_number() OVER (ORDER BY window_time(window)) = 1",
        ],
    )
]

NAMED_LIKE_COLUMNS = ["count(*) AS b", "a + 1 AS a", "b AS a", "count(*) AS c", "a, max(x) AS x"]
OVER_THE_GROUPS = [
    *("rank() OVER (ORDER BY max(x))", "sum(b) OVER (ORDER BY count(b))", "max(a) OVER ()"),
    *("rank() OVER (ORDER BY 1)", "sum(a) OVER (ORDER BY a)"),
]
CLASHES = [
    f"SELECT {shown}, {window} AS r FROM t GROUP BY {keys} HAVING {condition}"
    for shown, window, keys, condition in product(
        NAMED_LIKE_COLUMNS,
        OVER_THE_GROUPS,
        ("a, b", "b, a + 1", "ROLLUP(a, b)"),
        (
            *("a > 1", "b > 1L", "a + 1 > 2", "t.a > 1", "t.b > 1L AND count(*) > 0", "c > 1L"),
            *(
                "max(b) > 1L",
                "b IN (SELECT k FROM u)",
                "a > 1 AND max(x) > 1D",
                "grouping(b) = 0",
                "b > 1 AND sum(a) > 1",
            ),
        ),
    )
]

STARRED = [
    *("count(*)", "count(DISTINCT *)", "coalesce(*)", "coalesce(t.*)", "max(struct(*))", "a"),
    "count(*) FILTER (WHERE struct(*) IS NOT NULL)",
]
STARS = [
    f"SELECT {shown} FROM t {clause.format(star)}"
    for star, shown, clause in product(
        STARRED,
        ("a", "a, b", "count(*) AS c"),
        (
            *("GROUP BY a, b HAVING {} > 1", "GROUP BY a, b ORDER BY {}", "GROUP BY {}"),
            *("ORDER BY {}", "SORT BY {}", "DISTRIBUTE BY {}", "UNION SELECT 1 ORDER BY {}"),
            *("QUALIFY sum({}) OVER (ORDER BY a) = 1", "JOIN u ON {} > 1", "WHERE {} > 1"),
            *("LATERAL VIEW explode(array({})) l AS e", "PIVOT (max({}) FOR a IN (1, 2))"),
        ),
    )
]

FAMILIES = {
    "clashes": CLASHES,
    "stars": STARS,
    "frames": FRAMES,
    "grouping": GROUPING,
    "having": HAVING,
    "windows": WINDOWS,
    "times": TIMES,
}


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    with session_with(spark, TABLES) as made:
        yield made


@pytest.mark.parametrize("family", FAMILIES)
def test_what_spark_refuses_is_refused(session: SparkSession, family: str) -> None:
    texts, wrong = FAMILIES[family], []
    if not WHOLE:
        texts = random.Random(family).sample(texts, min(FEW, len(texts)))
    for text in texts:
        theirs = _analyzed(session, text)
        try:
            ours = to_sql(read(text))
        except ViewscribeError as error:
            if theirs is not None and not _is_known(str(error)):
                wrong.append((text, "refused", str(error)))
            continue
        if theirs is None:
            wrong.append((text, "taken", ours))
        elif any(each in text for each in OTHERWISE_PLANNED):
            continue
        elif compare_plans(session.sql(ours), theirs).status != "equal":
            wrong.append((text, "different", ours))
    assert not wrong, "\n\n".join(map(str, wrong))


COMPUTED = ("a + 1", "abs(a)", "CAST(a AS STRING)", "a IN (1, 2)", "a")
BOTH_NAME_KEYS = [
    f"SELECT {shown} FROM t GROUP BY {key}, b HAVING {condition} ORDER BY {sort}".replace("@", key)
    for shown, key, condition, sort in product(
        (
            *("count(*) AS c", "max(x) AS m", "@ AS k", "b", "@ AS b"),
            *("rank() OVER (ORDER BY max(x)) AS r", "b, sum(b) OVER (ORDER BY b) AS r"),
        ),
        COMPUTED,
        (
            *("@ IS NOT NULL", "count(*) > 1", "max(x) > 0D", "t.b > 1", "c > 1"),
            "EXISTS (SELECT 1 FROM u WHERE u.k = b)",
        ),
        ("@", "@, b", "sum(x)", "t.b", "(@) IS NULL"),
    )
    if "c > 1" not in condition or "AS c" in shown
]
"""Keys that SELECT does not show: in these places Spark finds some of them, one at a time."""


def test_what_is_printed_for_keys_that_are_not_shown_runs(session: SparkSession) -> None:
    wrong, texts = [], BOTH_NAME_KEYS
    if not WHOLE:
        texts = random.Random("keys").sample(texts, FEW)
    for text in texts:
        try:
            ours = to_sql(read(text))
        except ViewscribeError:
            continue  # the other families know of what
        theirs, printed = _analyzed(session, text), _analyzed(session, ours)
        if printed is None:
            wrong.append((text, "is not taken", ours))
        elif theirs is not None and compare_plans(printed, theirs).status != "equal":
            wrong.append((text, "different", ours))
    assert not wrong, "\n\n".join(map(str, wrong))


SORTED = [
    f"SELECT {shown} FROM (SELECT a, b, {call} AS s FROM t GROUP BY {sets}) ORDER BY {key} LIMIT 1"
    for shown, call, sets, key in product(
        ("a, b", "a, b, s", "s + 1 AS q"),
        ("sum(a)", "count(a + b)", "max(b) FILTER (WHERE a > 1)", "sum(x)"),
        ("ROLLUP(a, b)", "GROUPING SETS ((a, b), (b), ())", "a, b"),
        ("s DESC, 1, 2", "s + 1 DESC, 1"),
    )
    if "2" not in key or "q" not in shown
]
"""Orders of groups by aggregates of their keys, as the first row tells."""


def test_groups_are_sorted_by_aggregates_of_rows(spark: SparkSession) -> None:
    rows = "(1, 10L, 1D), (2, 10L, 2D), (1, 20L, 4D), (3, 40L, 8D) AS t(a, b, x)"
    different = []
    session = spark.newSession()
    session.sql(f"SELECT int(a), b, x FROM VALUES {rows}").createOrReplaceTempView("t")
    for text in SORTED:
        printed = to_sql(read(text))
        if session.sql(printed).collect() != session.sql(text).collect():
            different.append((text, printed))
    session.catalog.dropTempView("t")
    assert not different, "\n\n".join(map(str, different))


REFUSED_BY_US = [
    "in HAVING is a column and the alias of an item, beside a window function",
    "HAVING calls no aggregate, beside sets of keys and a window function",
    "cannot be added to a sort key",  # Spark casts INTERVAL '1' DAY to INT there
    "HAVING calls or casts",  # Spark takes an alias for the key of its name
    "ORDER BY grouping",  # beside an aggregate, Spark finds a key under another alias, too
    "window of time, or its window_time()",
    "of a key of ROLLUP, CUBE or GROUPING SETS, which is NULL",  # to Spark, and not to us
]
"""Texts of our refusals where Spark takes what is written."""

OTHERWISE_PLANNED = [
    "ROLLUP(window(",
    "HAVING max(x) > 1 ORDER BY grouping",
    "ORDER BY count(*) + grouping",
]
"""What Spark plans in another way for the text that is printed."""


def _is_known(message: str) -> bool:
    return any(each in message for each in REFUSED_BY_US)


def _analyzed(session: SparkSession, text: str) -> DataFrame | None:
    """The DataFrame of a text that Spark can run."""
    try:
        frame = session.sql(text)
        frame._jdf.queryExecution().executedPlan()
    except Exception:
        return None
    return frame
