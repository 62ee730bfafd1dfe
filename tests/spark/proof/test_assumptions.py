"""What proofs hold for: any day, user, partitioning and seed; and what may stand elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from tests.spark.proof.mutants import Pair
from viewscribe.spark.compare import compare_optimized, compare_plans
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from tests.spark.proof.mutants import Court

SUPPLIED = (
    *("current_date()", "current_user()", "session_user()", "current_database()", "version()"),
    *("current_catalog()", "current_timezone()", "year(now())", "year(current_timestamp())"),
    *("CAST('today' AS DATE)", "date_add(current_date(), 1)", "year(localtimestamp())"),
)
"""What is a constant to Spark's optimizer, and another one in another session."""

OPERANDS = (
    ("k <> 0", "10 / k > 3"),
    ("k = 2", "rand(1) < 0.5"),
    ("s <> ''", "CAST(s AS INT) > 1"),
    ("m > 1", "element_at(array(1), k) = 1"),
)
"""Two conditions, of which the second fails or draws."""

SPREAD = ("/*+ REPARTITION(3) */ *", "/*+ COALESCE(1) */ *", "* FROM n DISTRIBUTE BY k", "*")
READ = (
    *("monotonically_increasing_id()", "spark_partition_id()", "rand(1)", "shuffle(tags)"),
    *("first(s) OVER (PARTITION BY m)",),
)
"""What the place of a row decides."""

APART = {
    "draws that are one": ("rand() < 0.5 AND rand() < 0.5", "rand() < 0.5"),
    "draws that are one, of one seed": ("rand(1) < 0.5 AND rand(1) < 0.5", "rand(1) < 0.5"),
    "operands of which the first may be NULL": ("10 / k > 20 / j", "20 / j < 10 / k"),
    "a sum of which an operand fails": ("10 / k + j > 3", "j + 10 / k > 3"),
    "IS NOT NULL beside IN of nothing": ("NOT s IN (SELECT c FROM o WHERE false)", "s IS NOT NULL"),
}

OF_QUERIES = (
    (
        "SELECT m FROM n WHERE EXISTS (SELECT 1 FROM o WHERE o.k = j AND o.k <> 0 AND 1 / o.k > 0)",
        "SELECT m FROM n WHERE EXISTS (SELECT 1 FROM o WHERE o.k = j AND 1 / o.k > 0 AND o.k <> 0)",
    ),
    (
        "SELECT m, max(k) FILTER (WHERE k <> 0 AND 10 / k > 3) AS x FROM n GROUP BY m",
        "SELECT m, max(k) FILTER (WHERE 10 / k > 3 AND k <> 0) AS x FROM n GROUP BY m",
    ),
    (
        "SELECT m FROM n GROUP BY m HAVING min(k) <> 0 AND 10 / min(k) > 3",
        "SELECT m FROM n GROUP BY m HAVING 10 / min(k) > 3 AND min(k) <> 0",
    ),
    (
        "SELECT filter(tags, t -> length(t) > 0 AND 1 / length(t) > 0) AS x FROM n",
        "SELECT filter(tags, t -> 1 / length(t) > 0 AND length(t) > 0) AS x FROM n",
    ),
    (
        "SELECT m FROM (SELECT m, k, 10 / k AS x FROM n LIMIT 9) WHERE k <> 0 AND x > 3",
        "SELECT m FROM (SELECT m, k, 10 / k AS x FROM n LIMIT 9) WHERE x > 3 AND k <> 0",
    ),
    *(
        (f"{query} WHERE i <> 0 AND x > 3", f"{query} WHERE x > 3 AND i <> 0")
        for query in (
            "SELECT x FROM (SELECT 10 / k AS x, k AS i FROM n UNION ALL SELECT 1.5D, k FROM o)",
            "SELECT x FROM (SELECT DISTINCT 10 / k AS x, k AS i FROM n)",
            "SELECT x FROM (SELECT 10 / k AS x, k AS i FROM n GROUP BY 10 / k, k)",
            "SELECT x FROM n LEFT JOIN (SELECT k AS i, 10 / k AS x FROM o) ON k = i",
            "SELECT x FROM (SELECT 10 / k AS x, k AS i FROM n EXCEPT SELECT 1.5D, k FROM o)",
            "SELECT x FROM n JOIN (SELECT k AS i, 10 / k AS x FROM o) ON k = i",
            "SELECT x FROM (SELECT 10 / k AS x, k AS i, tags FROM n) LATERAL VIEW explode(tags) e",
        )
    ),
    (
        "SELECT m FROM n WHERE 10 / k IS NOT NULL AND k <> 0 AND 10 / k > 3",
        "SELECT m FROM n WHERE k <> 0 AND 10 / k > 3",
    ),
    (
        "SELECT m FROM n WHERE 10 / k IS NOT NULL AND j < 10 / k",
        "SELECT m FROM n WHERE j < 10 / k",
    ),
    (
        "SELECT m FROM n WHERE m = 2 AND k = (SELECT k FROM o)",
        "SELECT m FROM n WHERE k = (SELECT k FROM o) AND m = 2",
    ),
    ("SELECT m + j + k AS x FROM n", "SELECT m + (j + k) AS x FROM n"),
    (
        "SELECT m, count(*) AS c, spark_partition_id() AS i FROM n GROUP BY m, j",
        "SELECT m, count(*) AS c, spark_partition_id() AS i FROM n GROUP BY j, m",
    ),
    (
        "SELECT m FROM (SELECT m, j FROM n JOIN (SELECT k AS i FROM o) ON j = i) LIMIT 2",
        "SELECT m FROM (SELECT m, j FROM (SELECT k AS i FROM o) JOIN n ON j = i) LIMIT 2",
    ),
    (
        "WITH c AS (SELECT m, rand() AS r FROM n) SELECT a.r, b.r AS q FROM c a JOIN c b USING (m)",
        "WITH c AS (SELECT m, rand() AS r FROM n) SELECT a.r, a.r AS q FROM c a JOIN c b USING (m)",
    ),
    (
        "SELECT r, q FROM (SELECT rand() AS r, rand() AS q FROM n)",
        "SELECT r, r AS q FROM (SELECT rand() AS r FROM n)",
    ),
)
"""Queries that are alike but for the order of what may fail, a place or a draw."""

WHOLE = (
    (
        "SELECT x FROM (SELECT 10 / k AS x, m FROM n WHERE k <> 0) WHERE m > 1",
        "SELECT 10 / k AS x FROM n WHERE k <> 0 AND m > 1",
    ),
    (
        "SELECT m, max(x) AS x FROM (SELECT m, 10 / k AS x FROM n) GROUP BY m",
        "SELECT m, max(10 / k) AS x FROM n GROUP BY m",
    ),
    (
        "SELECT x + 1 AS y FROM (SELECT 10 / k AS x FROM n ORDER BY k LIMIT 3)",
        "SELECT 10 / k + 1 AS y FROM (SELECT k FROM n ORDER BY k LIMIT 3)",
    ),
    (
        "SELECT x, c FROM (SELECT 10 / k AS x, m FROM n) JOIN (SELECT k AS i, c FROM o) ON m = i",
        "SELECT 10 / n.k AS x, c FROM n JOIN o ON m = o.k",
    ),
    (
        "SELECT x, tag FROM (SELECT 10 / k AS x, tags FROM n) LATERAL VIEW explode(tags) t AS tag",
        "SELECT 10 / k AS x, tag FROM n LATERAL VIEW explode(tags) t AS tag",
    ),
    (
        "SELECT x FROM (SELECT 10 / k AS x, m FROM n UNION ALL SELECT 1.5D, k FROM o)",
        "SELECT 10 / k AS x FROM n UNION ALL SELECT 1.5D FROM o",
    ),
)
"""A value that may fail, and the same where it is read: nothing is asked before it or after it."""


@pytest.mark.parametrize("supplied", SUPPLIED)
def test_what_a_session_supplies_is_no_constant(court: Court, supplied: str) -> None:
    value, kind = court.session.sql(f"SELECT {supplied}, typeof({supplied})").collect()[0]
    query = "SELECT k, this AS x FROM n WHERE CAST(dt AS STRING) > CAST(this AS STRING)"
    one, other = (query.replace("this", each) for each in (supplied, f"CAST('{value}' AS {kind})"))
    assert court.equal_to(Pair("a value of today", one, other)) == []
    assert {"trees", "optimized plans"} <= {*court.equal_to(Pair("none", one, one))}


DRAWS = ("uuid()", "shuffle(tags)", "randstr(3)", "rand()", "uniform(1, 9)")
IN_ZONES = {
    "hour(ts)": True,
    "CAST(ts AS STRING)": True,
    "ts + INTERVAL 1 DAY": True,
    "date_format(ts, 'VV')": False,
    "to_json(named_struct('t', ts), map('timestampFormat', 'VV'))": False,
}
"""What reads the zone, and whether only its rules."""


@pytest.mark.parametrize("draw", DRAWS)
def test_each_draw_is_its_own(court: Court, draw: str) -> None:
    two = f"SELECT a, b FROM (SELECT {draw} AS a, {draw} AS b FROM n)"
    one = f"SELECT a, a AS b FROM (SELECT {draw} AS a FROM n)"
    drawn, again, once = map(court.session.sql, (two, two, one))
    for compare in (compare_plans, compare_optimized):
        assert compare(drawn, again).status == "equal"
        assert compare(drawn, once).status == "not compared"


@pytest.mark.parametrize("reads", IN_ZONES)
def test_zones_are_told_apart_by_their_rules(court: Court, reads: str) -> None:
    text = f"SELECT {reads} AS x FROM (SELECT CAST(dt AS TIMESTAMP_LTZ) AS ts FROM n)"
    frames = []
    for zone in ("UTC", "Etc/UTC", "Europe/Rome"):
        with settings(court.session, {"spark.sql.session.timeZone": zone}):
            frames.append(court.session.sql(text))
    for compare in (compare_plans, compare_optimized):
        found = [compare(frames[0], each).status == "equal" for each in frames[1:]]
        assert found == [IN_ZONES[reads], False]


@pytest.mark.parametrize("word", ["AND", "OR"])
@pytest.mark.parametrize(("asks", "fails"), OPERANDS)
def test_operands_stay_where_one_fails_or_draws(
    court: Court, asks: str, fails: str, word: str
) -> None:
    one, other = (
        f"SELECT m FROM n WHERE {a} {word} {b}" for a, b in ((asks, fails), (fails, asks))
    )
    assert court.equal_to(Pair("operands swapped", one, other)) == []


@pytest.mark.parametrize("what", APART)
def test_conditions_are_kept_apart(court: Court, what: str) -> None:
    one, other = (f"SELECT m FROM n WHERE {each}" for each in APART[what])
    assert court.equal_to(Pair(what, one, other)) == []


@pytest.mark.parametrize(("one", "other"), OF_QUERIES)
def test_queries_are_kept_apart(court: Court, one: str, other: str) -> None:
    assert court.equal_to(Pair("another order, place or draw", one, other)) == []
    assert {"optimized plans"} <= {*court.equal_to(Pair("none", one, one))}


@pytest.mark.parametrize("reads", READ)
def test_places_count_where_they_are_read(court: Court, reads: str) -> None:
    inner = [f"SELECT {each}" if "FROM" in each else f"SELECT {each} FROM n" for each in SPREAD]
    *others, plain = [f"SELECT k, {reads} AS x FROM ({each}) AS n" for each in inner]
    for other in others:
        assert court.equal_to(Pair("placed elsewhere", plain, other)) == []


@pytest.mark.parametrize("spread", SPREAD[:-1])
def test_places_count_below_samples_and_the_first_rows(court: Court, spread: str) -> None:
    inner = f"SELECT {spread}" if "FROM" in spread else f"SELECT {spread} FROM n"
    for query in (
        "SELECT k FROM these TABLESAMPLE (50 PERCENT) REPEATABLE (3)",
        "SELECT k FROM these LIMIT 2",
        "SELECT first(k) AS k, collect_list(s) AS s FROM these GROUP BY m",
    ):
        one, other = query.replace("these", "n"), query.replace("these", f"({inner})")
        assert court.equal_to(Pair("placed elsewhere", one, other)) == []


@pytest.mark.parametrize("spread", SPREAD[:-1])
def test_places_count_nowhere_else(court: Court, spread: str) -> None:
    inner = f"SELECT {spread}" if "FROM" in spread else f"SELECT {spread} FROM n"
    pair = Pair("placed elsewhere", "SELECT k FROM n", f"SELECT k FROM ({inner})")
    assert "trees" in court.equal_to(pair)


@pytest.mark.parametrize(("moved", "read"), WHOLE)
def test_a_value_that_may_fail_is_moved_whole(court: Court, moved: str, read: str) -> None:
    assert {"trees", "optimized plans"} <= {*court.equal_to(Pair("moved", moved, read))}


def test_in_nothing_says_nothing_of_null(court: Court) -> None:
    table = court.session.table("n")
    absent = ~F.col("s").isin([])
    one, other = table.where(absent), table.where(absent & F.col("s").isNotNull())
    for compare in (compare_plans, compare_optimized):
        assert compare(one, other).status == "not compared"
