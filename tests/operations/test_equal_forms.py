"""Random queries of one small vocabulary: those of one normal form have the same rows in Spark."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.operations.normal_form import NormalForms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT = examples(150)
ROWS = """SELECT * FROM VALUES (1, DATE '2024-01-01', '2024-01-01'), (2, DATE '2024-01-02', NULL),
  (2, DATE '2024-01-02', NULL), (3, NULL, '2024-01-03 10:00:00'), (4, DATE '2024-01-01', '1.5')
  AS t(id, x, y)"""
STEPS = {
    "over 1": "SELECT * FROM ({0}) WHERE id > 1",
    "over 2": "SELECT * FROM ({0}) WHERE id > 2",
    "known": "SELECT * FROM ({0}) WHERE x IS NOT NULL",
    "none": "SELECT * FROM ({0}) WHERE false",
    "swapped": "SELECT id, y AS x, x AS y FROM ({0})",
    "copied": "SELECT id, x, x AS y FROM ({0})",
    "shown": "SELECT id, x, CAST(x AS STRING) AS y FROM ({0})",
    "renamed": "SELECT a AS id, b AS x, c AS y FROM ({0}) AS r(a, b, c)",
    "distinct": "SELECT DISTINCT * FROM ({0})",
    "grouped": "SELECT CAST(count(*) AS INT) AS id, x, y FROM ({0}) GROUP BY x, y",
    "rolled": "SELECT CAST(count(*) AS INT) AS id, x, y FROM ({0}) GROUP BY ROLLUP (x, y)",
    "one key": "SELECT max(id) AS id, x, x AS y FROM ({0}) GROUP BY ROLLUP (x, y)",
    "asked x": "SELECT max(id) AS id, x, grouping(x) AS y FROM ({0}) GROUP BY CUBE (x, y)",
    "asked y": "SELECT max(id) AS id, x, grouping(y) AS y FROM ({0}) GROUP BY CUBE (x, y)",
    "up": "SELECT * FROM ({0}) ORDER BY id, x, y",
    "down": "SELECT * FROM ({0}) ORDER BY id DESC, x DESC, y DESC",
    "divided": "SELECT /*+ REPARTITION(1) */ * FROM ({0})",
    "shuffled": "SELECT * FROM ({0}) ORDER BY rand(1)",
    "first": "SELECT * FROM ({0}) LIMIT 2",
    "two": "SELECT * FROM ({0}) ORDER BY id, x, y LIMIT 2",
    "counted": "SELECT id, x, monotonically_increasing_id() AS y FROM ({0})",
    "collected": "SELECT id, x, collect_list(id) OVER (PARTITION BY x) AS y FROM ({0})",
    "numbered": "SELECT id, x, row_number() OVER (ORDER BY id, x, y) AS y FROM ({0})",
    "and a date": "SELECT * FROM ({0}) UNION ALL SELECT 7, DATE '2024-01-03', '2'",
    "and a text": "SELECT * FROM ({0}) UNION ALL SELECT 8, '2024-01-01 10:00:00', '3'",
    "a date and": "SELECT 7, DATE '2024-01-03', '2' UNION ALL ({0})",
    "a time and": "SELECT 9, TIMESTAMP '2024-01-01 10:00:00', '4' UNION ALL ({0})",
    "but no date": "SELECT * FROM ({0}) EXCEPT ALL SELECT 1, DATE '2024-01-01', '' WHERE false",
    "but no time": "SELECT * FROM ({0}) EXCEPT ALL "
    "SELECT 1, TIMESTAMP '2024-01-01', '' WHERE false",
    "beside a date": "SELECT a.id, coalesce(b.v, a.x) AS x, a.y FROM ({0}) AS a LEFT JOIN "
    "(SELECT DATE '2024-01-01' AS v WHERE false) AS b ON true",
    "beside a time": "SELECT a.id, coalesce(b.v, a.x) AS x, a.y FROM ({0}) AS a LEFT JOIN "
    "(SELECT TIMESTAMP '2024-01-01' AS v WHERE false) AS b ON true",
    "zipped": "SELECT id, x, to_json(arrays_zip(y, y)) AS y FROM "
    "(SELECT id, x, array(y) AS y FROM ({0}))",
    "zipped z": "SELECT id, x, to_json(arrays_zip(z, z)) AS y FROM "
    "(SELECT id, x, array(y) AS z FROM ({0}))",
}


def query(program: tuple[str, ...]) -> str:
    text = ROWS
    for word in program:
        text = STEPS[word].format(text)
    return text


@pytest.mark.spark
@pytest.mark.slow("Spark runs what the normal form says is alike, pair by pair")
def test_equal_forms_have_equal_rows(spark: SparkSession) -> None:
    random, env, forms = Random(COUNT), TableEnvironment(), NormalForms()
    alike: dict[object, set[tuple[str, ...]]] = defaultdict(set)
    for _ in range(COUNT):
        # Few words make many pairs of a form: "over 2" and "over 1" in another order.
        words = random.sample([*STEPS], 5)
        program = tuple(random.choices(words, k=random.randint(1, 4)))
        other = tuple(random.choice(words) if random.random() < 0.3 else each for each in program)
        for each in (program, program[::-1], other):
            try:
                form = forms.of(env.sql_query(query(each)).operation)
            except ViewscribeError:
                continue  # the types of this program do not fit
            alike[form.rows, form.columns].add(each)
    pairs = 0
    for programs in alike.values():
        if len(programs) > 1:
            found = {each: rows_of(spark, each) for each in sorted(programs)}
            first = next(iter(found))
            for each, rows in found.items():
                assert rows == found[first], (first, each)
            if isinstance(found[first], Counter):
                pairs += len(found) - 1
    assert pairs > COUNT // 20, "too few pairs to say anything"


def rows_of(spark: SparkSession, program: tuple[str, ...]) -> Counter[str] | str:
    """The rows as texts without names, or the error that Spark gives instead of them."""
    try:
        return Counter(repr(tuple(row)) for row in spark.sql(query(program)).collect())
    except Exception as error:
        return type(error).__name__
