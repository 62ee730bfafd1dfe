"""A schema given for a SQL text is the text's own, as far as that shows without Spark."""

from __future__ import annotations

import pytest

from tests.opaque import opaque
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError

ENV = TableEnvironment()
ENV.create_table("t", "a INT, b STRING, s STRUCT<x: INT>, arr ARRAY<INT>")
ENV.create_table("u", "a INT, c DATE")

REFUSED = {
    ("SELECT a, b FROM t", "zz INT"): "gives 2 columns, and its schema has 1",
    ("SELECT upper(b), a + 1 AS z FROM t", "x STRING"): "gives 2 columns",
    ("SELECT a, b FROM t", "a INT, zz STRING"): "is called `b`, and `zz` in its schema",
    ("SELECT a + 1 AS x FROM t", "y INT"): "is called `x`, and `y` in its schema",
    ("SELECT a FROM t UNION ALL SELECT a FROM u", "b INT"): "is called `a`",
    ("WITH w AS (SELECT a FROM t) SELECT a FROM w", "b INT"): "is called `a`",
    ("SELECT a, b FROM t", "a INT, b INT"): "`b` of the text is STRING, and in its schema INT",
    ("SELECT a FROM t WHERE nope > 1", "a INT"): "no column `nope`",
    ("SELECT a FROM t ORDER BY t.nope", "a INT"): "no column `t.nope`",
    ("SELECT upper(nope) AS x FROM t", "x STRING"): "no column `nope`",
    ("SELECT count(*) AS n FROM t GROUP BY nope", "n BIGINT"): "no column `nope`",
}

TAKEN = [
    ("SELECT a, b FROM t", "A INT, b STRING"),
    ("SELECT a + 1 AS x FROM t ORDER BY x", "x INT"),
    ("SELECT count(*) AS n, a FROM t GROUP BY a HAVING n > 1", "n BIGINT, a INT"),
    ("SELECT s.x, transform(arr, e -> e + a) AS z FROM t", "x INT, z ARRAY<INT>"),
    ("SELECT t.s.x FROM t", "x INT"),
    ("SELECT explode(arr) FROM t", "col INT"),
    ("SELECT posexplode(arr) AS (p, e) FROM t", "p INT, e INT"),
    ("SELECT x FROM t LATERAL VIEW explode(arr) v AS x", "x INT"),
    ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND b = 'x')", "a INT"),
    ("SELECT 1 AS a UNION ALL SELECT 2", "a INT"),
    ("VALUES (1, 2)", "col1 INT, col2 INT"),
    ("SELECT upper(b) FROM t", "`upper(b)` STRING"),
    ("SELECT a FROM t WHERE current_date > DATE '2020-01-01'", "a INT"),
    ("SELECT (SELECT max(c) FROM u) AS m, current_user AS w FROM t", "m DATE, w STRING"),
    ("SELECT a, rank() OVER (PARTITION BY b ORDER BY a) AS r FROM t QUALIFY r = 1", "a INT, r INT"),
    ("SELECT date_add(c, 1) AS d, extract(YEAR FROM c) AS y FROM u", "d DATE, y INT"),
    ("SELECT t.*, c FROM t, u", "a INT, b STRING, s STRUCT<x: INT>, arr ARRAY<INT>, c DATE"),
    ("SELECT * FROM u JOIN (SELECT 1 AS a) USING (a)", "a INT, c DATE"),
    ("FROM t |> WHERE a > 1 |> SELECT b", "b STRING"),
]

SAMPLED = {
    ("SELECT a FROM t TABLESAMPLE (10 PERCENT) WHERE nope > 1", "a INT"): "no column `nope`",
    ("SELECT nope FROM t TABLESAMPLE (10 PERCENT)", "nope INT"): "no column `nope`",
    ("SELECT a FROM t TABLESAMPLE (10 PERCENT)", "a STRING"): "is INT, and in its schema STRING",
    ("SELECT * FROM u TABLESAMPLE (10 PERCENT)", "a INT"): "gives 2 columns",
    ("SELECT * FROM u TABLESAMPLE (10 PERCENT)", "x INT, y DATE"): "is called `a`",
    ("SELECT a + 1 FROM t TABLESAMPLE (10 PERCENT)", "q INT"): "is called `\\(a \\+ 1\\)`",
    ("SELECT a + 1 FROM t TABLESAMPLE (10 PERCENT) ORDER BY z", "`(a + 1)` INT"): "no column `z`",
}


@pytest.mark.parametrize(("text", "schema"), SAMPLED)
def test_so_is_that_of_a_text_that_gives_other_rows_each_time(text: str, schema: str) -> None:
    with pytest.raises(ViewscribeError, match=SAMPLED[text, schema]):
        ENV.sql_query(text, schema=schema)
    right = "SELECT a, c AS d FROM u TABLESAMPLE (10 PERCENT) x"
    assert [*ENV.sql_query(right, schema="a INT, d DATE").columns] == ["a", "d"]


@pytest.mark.parametrize(("text", "schema"), REFUSED)
def test_a_schema_that_is_not_the_texts_is_refused(text: str, schema: str) -> None:
    with pytest.raises(ViewscribeError, match=REFUSED[text, schema]):
        opaque(ENV, text, schema=schema)


@pytest.mark.parametrize(("text", "schema"), TAKEN)
def test_what_may_be_the_texts_is_taken(text: str, schema: str) -> None:
    assert len(opaque(ENV, text, schema=schema).columns) >= 1
