"""The lineage of SQL text: exact, or unknown with a reason."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment
from viewscribe.catalog_store.documents.model import Column, Dependency, ViewDocument
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.lineage.operations import view_lineage
from viewscribe.types.ddl import parse_schema

SCHEMAS: dict[tuple[str, ...], str] = {
    ("c", "d", "t"): "a INT, b INT, g INT",
    ("c", "d", "u"): "a INT, x INT, arr ARRAY<INT>, s STRUCT<field: STRUCT<inner: INT>>",
}
TABLES = {
    path: [Column(each.name, each.type.ddl) for each in parse_schema(schema)]
    for path, schema in SCHEMAS.items()
}


def lineage(text, width):
    columns = tuple(Column(f"c{number}", "INT") for number in range(width))
    read = tuple(Dependency("table", path) for path in TABLES)
    view = ViewDocument(database="d", name="v", sql=text, columns=columns, dependencies=read)
    return view_lineage(("c", "d", "v"), view, lambda path: TABLES.get(path))


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
        [{"u.arr": "transformation"}, {"u.s": "transformation"}],
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
    assert [short(each) for each in found.columns.values()] == columns
    assert short(found.rows) == rows


NOW_KNOWN = [
    ("SELECT explode(arr) FROM c.d.u", {"u.arr": "transformation"}),
    ("SELECT a FROM c.d.t TABLESAMPLE (10 PERCENT) REPEATABLE (1)", {"t.a": "identity"}),
    ("SELECT a FROM c.d.t GROUP BY ALL", {"t.a": "identity"}),
    ("SELECT x FROM c.d.t NATURAL JOIN c.d.u", {"u.x": "identity"}),
    ("SELECT id FROM range(3) AS r(id)", {}),
    (
        "SELECT sum(a) OVER w FROM c.d.t WINDOW w AS (ORDER BY g)",
        {"t.a": "aggregation", "t.g": "window"},
    ),
    ("SELECT * EXCEPT (a, g) FROM c.d.t", {"t.b": "identity"}),
    (
        "FROM c.d.t |> EXTEND a + b AS z |> SELECT z",
        {"t.a": "transformation", "t.b": "transformation"},
    ),
    (
        "SELECT p.`1` FROM c.d.t PIVOT (max(b) FOR g IN (1)) AS p",
        {"t.b": "aggregation", "t.g": "conditional"},
    ),
    (
        "SELECT v FROM (SELECT a, b FROM c.d.t) UNPIVOT (v FOR k IN (a, b))",
        {"t.a": "identity", "t.b": "identity"},
    ),
]


@pytest.mark.parametrize(("text", "column"), NOW_KNOWN, ids=lambda each: str(each)[:30])
def test_what_the_reader_reads_is_known(text, column):
    found = lineage(text, 1)
    assert found.unknown == ()
    assert short(found.columns["c0"]) == column


UNKNOWN = [
    ("SELECT a FROM c.d.t, c.d.u", "column `a` is ambiguous"),
    ("SELECT z FROM c.d.t", "no column `z` in the input"),
    ("SELECT a FROM c.d.other", "nobody knows the columns of `c.d.other`"),
    ("SELECT a FROM c.d.t TIMESTAMP AS OF current_date()", "at a computed time"),
    ("SELECT nobodys(a) FROM c.d.t", "nobodys"),
    ("SELECT a, b FROM c.d.t", "2 columns are found, 1 are declared"),
    ("SELECT a FROM", "expected a table, found the end of the text"),
    ("SELECT a FROM c.d.t; SELECT a FROM c.d.t", "expected the end of the query"),
]


@pytest.mark.parametrize(("text", "reason"), UNKNOWN, ids=lambda each: each[:30])
def test_what_is_not_sure_is_unknown_and_says_why(text, reason):
    found = lineage(text, 1)
    assert reason in found.unknown[0]
    assert found.columns == {"c0": {}}
    assert {each.path[-1] for each in found.rows} == {"t", "u"}


def test_columns_named_without_influence_are_told():
    found = lineage("SELECT a FROM (SELECT a, b FROM c.d.t)", 1)
    assert [str(each) for each in found.carried] == ["c.d.t.b"]


def test_a_text_means_its_own_database_and_calls_functions_of_users():
    env = TableEnvironment()
    env.create_table("t", "a INT, b INT")
    env.execute_sql("CREATE FUNCTION twice(x INT) RETURNS INT RETURN 2 * x")
    read = (Dependency("table", ("spark_catalog", "default", "t")),)
    view = ViewDocument(
        database="default",
        name="theirs",
        sql="SELECT twice(a) AS n FROM t WHERE b > 1",
        columns=(Column("n", "INT"),),
        dependencies=read,
    )
    env.catalogs.save(view)
    found = LineageGraph.load(env.catalogs).view(("spark_catalog", "default", "theirs"))
    assert found is not None
    assert found.unknown == ()
    assert short(found.columns["n"]) == {"t.a": "transformation"}
    assert short(found.rows) == {"t.b": "filter"}
