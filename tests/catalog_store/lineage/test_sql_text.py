"""The lineage of SQL text: exact, or unknown with a reason."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store.lineage.sql_text import text_lineage

TABLES: dict[tuple[str, ...], list[str]] = {
    ("c", "d", "t"): ["a", "b", "g"],
    ("c", "d", "u"): ["a", "x", "arr", "s"],
}


def lineage(text, width):
    names = [f"c{number}" for number in range(width)]
    return text_lineage(text, names, list(TABLES), lambda path: TABLES.get(path))


def short(origins):
    found = {}
    for column, influence in origins.items():
        if column.column is not None:
            names = [each.name.lower() for each in type(influence) if each & influence]
            found[f"{column.path[-1]}.{column.column}"] = " ".join(names)
    return found


EXACT = [
    (
        "SELECT t.a, sum(B) s, count(*) FROM c.d.t WHERE g > 1 GROUP BY t.a HAVING s > 3 "
        "ORDER BY 2",
        [{"t.a": "identity"}, {"t.b": "aggregation"}, {}],
        {"t.g": "filter", "t.a": "group_by", "t.b": "filter sort"},
    ),
    (
        "WITH q AS (SELECT a, x FROM c.d.u) SELECT t.a + 1 AS k, k * 2, q.x FROM c.d.t JOIN q "
        "ON t.a = q.a",
        [{"t.a": "transformation"}, {"t.a": "transformation"}, {"u.x": "identity"}],
        {"t.a": "join", "u.a": "join"},
    ),
    (
        "SELECT * FROM c.d.t FULL JOIN c.d.u AS w USING (a)",
        [
            {"t.a": "identity", "u.a": "identity"},
            {"t.b": "identity"},
            {"t.g": "identity"},
            {"u.x": "identity"},
            {"u.arr": "identity"},
            {"u.s": "identity"},
        ],
        {"t.a": "join", "u.a": "join"},
    ),
    (
        "SELECT e, u.s.field.inner FROM c.d.u LATERAL VIEW OUTER explode(arr) v AS e",
        [{"u.arr": "transformation"}, {"u.s": "identity"}],
        {"u.arr": "join"},
    ),
    (
        "SELECT CASE WHEN a > 1 THEN b ELSE g END, if(a = 1, b, 0) FROM c.d.t",
        [
            {"t.a": "conditional", "t.b": "transformation", "t.g": "transformation"},
            {"t.a": "conditional", "t.b": "transformation"},
        ],
        {},
    ),
    (
        "SELECT a FROM c.d.t WHERE EXISTS (SELECT 1 FROM c.d.u WHERE u.x = t.b) "
        "UNION SELECT x FROM c.d.u WHERE a IN (SELECT g FROM c.d.t)",
        [{"t.a": "identity", "u.x": "identity"}],
        {
            "t.a": "group_by",
            "u.x": "group_by filter",
            "t.b": "filter",
            "u.a": "filter",
            "t.g": "filter",
        },
    ),
    (
        "SELECT lag(b) OVER (PARTITION BY g ORDER BY a), (SELECT max(x) FROM c.d.u) FROM c.d.t",
        [{"t.b": "transformation", "t.g": "window", "t.a": "window"}, {"u.x": "aggregation"}],
        {},
    ),
    (
        "SELECT transform(arr, a -> a + x) FROM c.d.u WHERE exists(arr, x -> x > 1)",
        [{"u.arr": "transformation", "u.x": "transformation"}],
        {"u.arr": "filter"},
    ),
    (
        "SELECT p.b FROM (SELECT a AS b, b AS z FROM c.d.t) AS p EXCEPT SELECT x FROM c.d.u",
        [{"t.a": "identity"}],
        {"t.a": "join", "u.x": "join"},
    ),
]


@pytest.mark.parametrize(("text", "columns", "rows"), EXACT, ids=lambda each: str(each)[:30])
def test_exact(text, columns, rows):
    found = lineage(text, len(columns))
    assert found.unknown == ()
    assert [short(each) for each in found.columns] == columns
    assert short(found.rows) == rows


UNKNOWN = [
    ("SELECT explode(arr) FROM c.d.u", "no rule for `EXPLODE(arr)` here"),
    ("SELECT a FROM c.d.t, c.d.u", "`a` could be 2 columns"),
    ("SELECT z FROM c.d.t", "no column `z` is known"),
    ("SELECT a FROM c.d.other", "nobody knows the columns of `c.d.other`"),
    ("SELECT a FROM c.d.t TABLESAMPLE (10 PERCENT)", "no rule for sample in"),
    ("SELECT a FROM c.d.t GROUP BY ALL", "no rule for all in"),
    ("SELECT a FROM c.d.t NATURAL JOIN c.d.u", "no rule for method in"),
    ("SELECT a FROM range(3) AS r(a)", "no rule for `RANGE(3)"),
    ("SELECT sum(a) AS b FROM c.d.t GROUP BY g HAVING b > 1", "`b` is a column and an alias"),
    ("SELECT sum(a) OVER w FROM c.d.t WINDOW w AS (ORDER BY a)", "no rule for windows in"),
    ("SELECT a, b FROM c.d.t", "2 columns are found, 1 are declared"),
    ("SELECT a FROM", "it does not parse"),
    ("SELECT a FROM c.d.t; SELECT a FROM c.d.t", "it is not one query"),
    ("SELECT * EXCEPT (a) FROM c.d.t", "no rule for `*"),
]


@pytest.mark.parametrize(("text", "reason"), UNKNOWN, ids=lambda each: each[:30])
def test_what_is_not_sure_is_unknown_and_says_why(text, reason):
    found = lineage(text, 1)
    assert reason in found.unknown[0]
    assert found.columns == ({},)
    assert {each.path[-1] for each in found.carried} == {"t", "u"}


def test_columns_named_without_influence_are_told():
    found = lineage("SELECT a FROM (SELECT a, b FROM c.d.t)", 1)
    assert [str(each) for each in found.carried] == ["c.d.t.b"]
