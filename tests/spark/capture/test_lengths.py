"""CHAR and VARCHAR: a column has a length wherever Spark keeps it, an expression never does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.spark.capture.ways import columns, multiset
from tests.versions import skip_newer
from viewscribe.errors import CaptureError
from viewscribe.spark.types import CHAR_VARCHAR_KEY
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

PRESERVED = "spark.sql.preserveCharVarcharTypeInfo"

COLUMNS = (
    "c CHAR(3), v VARCHAR(4), s STRING, st STRUCT<c: CHAR(3), v: VARCHAR(4)>, "
    "a ARRAY<CHAR(3)>, m MAP<VARCHAR(4), CHAR(3)>, aa ARRAY<STRUCT<c: CHAR(2)>>"
)

EXPRESSIONS = """
c; v; st; st.c; a; a[0]; m; m['x']; aa; aa.c; aa[0].c; struct(c, v); named_struct('x', c); array(c)
array(c, v); array(st, st); map(v, c); coalesce(c, v); coalesce(st, st); concat(c, v); c || v
CASE WHEN c = 'a' THEN st ELSE st END; if(c = 'a', a, a); if(c = 'a', v, v); nvl(c, 'x')
nvl(st, st); nullif(c, 'x'); greatest(c, v); CAST(s AS CHAR(3)); s :: VARCHAR(3)
CAST(c AS CHAR(5)); CAST(v AS VARCHAR(2)); TRY_CAST(s AS CHAR(1)); CAST(1 AS VARCHAR(3))
CAST(NULL AS CHAR(3)); CAST(array(s) AS ARRAY<CHAR(3)>); CAST(a AS ARRAY<VARCHAR(1)>)
CAST(named_struct('x', s) AS STRUCT<x: VARCHAR(3)>); CAST(st AS STRUCT<p: CHAR(1), q: CHAR(2)>)
CAST(map(v, s) AS MAP<VARCHAR(3), CHAR(2)>); struct(CAST(s AS CHAR(3)) AS x); struct(c AS x, st)
struct(st.*); upper(c); substring(c, 1, 2); transform(a, x -> x); filter(a, x -> x = 'a')
transform(aa, x -> x.c); zip_with(a, a, (x, y) -> x); aggregate(a, '', (t, x) -> x)
transform_keys(m, (k, v) -> k); map_filter(m, (k, v) -> true); element_at(a, 1); get(a, 0)
try_element_at(m, 'x'); map_keys(m); map_values(m); map_entries(m); map_concat(m, map('k', 'v'))
map_from_arrays(map_keys(m), map_keys(m))
array_distinct(a); array_union(a, array('x')); array_append(a, 'x')
array_repeat(st, 2); concat(a, a); flatten(array(a)); sort_array(a); slice(a, 1, 1); reverse(a)
array_max(a); arrays_zip(a, a); array_insert(a, 1, c); c = v; c IN ('a', v); st = st
decode(c, 'a', v, 'c'); c COLLATE UTF8_LCASE; to_json(st); lower(v); translate(c, 'a', 'b')
lag(st) OVER (ORDER BY s); lead(v, 1, 'x') OVER (ORDER BY s); nth_value(c, 1) OVER (ORDER BY s)
first(a) OVER (ORDER BY s); last_value(m) OVER (ORDER BY s)
"""

AGGREGATES = """
min(c); max(v); max(st); first(c); first(st); collect_list(c); collect_set(st); any_value(m)
mode(c); max_by(st, s); array_agg(v); count(c); max(struct(c, st)); listagg(c, 'x')
"""

QUERIES = {
    "scalar": "SELECT (SELECT max(c) FROM {t}) AS x, (SELECT st FROM {t} LIMIT 1) AS y FROM {t}",
    "in": "SELECT s FROM {t} WHERE c IN (SELECT v FROM {t})",
    "grouped": "SELECT c, st, count(*) AS n FROM {t} GROUP BY c, st",
    "distinct": "SELECT DISTINCT c, v, st FROM {t}",
    "rollup": "SELECT c, v, count(*) AS n FROM {t} GROUP BY ROLLUP (c, v)",
    "union": "SELECT c, v, st, a, m FROM {t} UNION ALL SELECT v, c, st, a, m FROM {t}",
    "union with texts": "SELECT c, s AS v FROM {t} UNION ALL SELECT s, c FROM {t}",
    "union of expressions": "SELECT upper(c) AS c FROM {t} UNION ALL SELECT c FROM {t}",
    "union distinct": "SELECT c, st FROM {t} UNION SELECT v, st FROM {t}",
    "intersect": "SELECT c FROM {t} INTERSECT SELECT v FROM {t}",
    "except": "SELECT c, v FROM {t} EXCEPT SELECT v, c FROM {t}",
    "using": "SELECT c, x.v, y.v AS w FROM {t} AS x JOIN {t} AS y USING (c)",
    "full using": "SELECT c, x.v AS v FROM {t} AS x FULL JOIN {t} AS y USING (c)",
    "right using": "SELECT c FROM {t} AS x RIGHT JOIN {t} AS y USING (c)",
    "exploded": "SELECT x FROM {t} LATERAL VIEW explode(a) q AS x",
    "exploded maps": "SELECT k, w FROM {t} LATERAL VIEW explode(m) q AS k, w",
    "inline": "SELECT x.* FROM {t} LATERAL VIEW inline(array(st)) x AS p, q",
    "stack": "SELECT x FROM {t} LATERAL VIEW stack(2, c, v) q AS x",
    "unpivot": "SELECT s, n, x FROM (SELECT s, c, v FROM {t}) UNPIVOT (x FOR n IN (c, v))",
    "pivot": "SELECT * FROM (SELECT c, v, st FROM {t}) PIVOT (max(st) FOR c IN ('a' AS p))",
    "compared": "SELECT s FROM {t} WHERE c = 'a' OR c <=> 'ab ' OR c IN ('a', 'abcd') OR c <> v "
    "OR st.c = 'b' OR a[0] = 'x' OR NOT c <=> 'q' OR c || '' = 'a'",
    "renamed": "SELECT x.c AS d, x.st AS e FROM (SELECT c, st FROM {t} ORDER BY c LIMIT 5) AS x",
    "outer": "SELECT y.c, y.st FROM {t} AS x LEFT JOIN {t} AS y ON x.c = y.v",
    "values": "SELECT * FROM VALUES (CAST('a' AS CHAR(3)), array(CAST('b' AS VARCHAR(2)))) "
    "AS q(x, y)",
    "cte": "WITH q AS (SELECT c, st.c AS d FROM {t}) SELECT * FROM q JOIN q AS r ON q.c = r.d",
}


def listed(text: str) -> list[str]:
    """The expressions, each under a name of its own."""
    found = [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]
    return [f"{each} AS x{place}" for place, each in enumerate(found)]


@pytest.fixture(scope="module")
def lengths(spark: SparkSession) -> Iterator[str]:
    """A table of texts with lengths, in all places."""
    spark.sql("CREATE DATABASE IF NOT EXISTS lengths")
    spark.sql(f"CREATE TABLE lengths.t ({COLUMNS}) USING parquet")
    spark.sql(
        "INSERT INTO lengths.t VALUES ('a', 'a', 'a', named_struct('c', 'b', 'v', 'b '), "
        "array('x', NULL), map('x', 'y'), array(named_struct('c', 'z'))), "
        "(NULL, 'a  ', 'abcdef', NULL, array('abc'), map('q', NULL), NULL)"
    )
    yield "lengths.t"
    spark.sql("DROP DATABASE lengths CASCADE")


def held(table: vs.Table) -> list[tuple[str, Any]]:
    """The columns as Spark computes with them."""
    return [(each.name, value_type(each.type)) for each in table.schema.fields]


def declared(frame: DataFrame) -> list[tuple[str, Any]]:
    """The columns as Spark declares them; what is noted at fields inside of structs is no type."""
    return [
        (name, type_ if CHAR_VARCHAR_KEY in (field.metadata or {}) else value_type(type_))
        for (name, type_), field in zip(columns(frame), frame.schema.fields, strict=True)
    ]


def expressions(spark: Any) -> Any:
    return spark.table("lengths.t").selectExpr(*listed(EXPRESSIONS))


def aggregates(spark: Any) -> Any:
    from pyspark.sql import functions as F

    return spark.table("lengths.t").groupBy("c").agg(*map(F.expr, listed(AGGREGATES)))


PIPELINES = {
    "expressions": expressions,
    "aggregates": aggregates,
    **{
        name: (lambda spark, query=query: spark.sql(query.format(t="lengths.t")))  # type: ignore[misc]
        for name, query in QUERIES.items()
    },
}


@pytest.mark.parametrize("name", PIPELINES)
def test_lengths_are_where_spark_has_them(name: str, spark: SparkSession, lengths: str):
    frame = PIPELINES[name](spark)
    analyzed = vs.capture(frame)
    skip_newer(analyzed.operation)
    tables = [analyzed]
    assert held(analyzed) == [(each, value_type(type_)) for each, type_ in columns(frame)]
    if name not in QUERIES:
        tables.append(vs.record(PIPELINES[name], spark))
        assert [(each.name, each.type) for each in tables[-1].schema.fields] == declared(frame)
    for table in tables:
        for each in (spark.sql(table.to_sql()), table.to_dataframe(spark)):
            assert declared(each) == declared(frame)
            assert multiset(each) == multiset(frame)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT c FROM lengths.t",
        "SELECT a FROM lengths.t",
        "SELECT st FROM lengths.t",
        "SELECT CAST('a' AS VARCHAR(3)) AS x",
        "SELECT CAST(array('a') AS ARRAY<CHAR(3)>) AS x",
    ],
)
def test_texts_of_a_length_are_refused_where_spark_computes_with_them(
    query: str, spark: SparkSession, lengths: str
):
    spark.conf.set(PRESERVED, "true")
    try:
        frame = spark.sql(query)
        with pytest.raises(CaptureError, match="preserveCharVarcharTypeInfo"):
            vs.capture(frame)
        with pytest.raises(CaptureError, match="preserveCharVarcharTypeInfo"):
            vs.record(lambda session: session.sql(query), spark)
    finally:
        spark.conf.unset(PRESERVED)


def test_recordings_refuse_lengths_where_spark_computes_with_them(
    spark: SparkSession, lengths: str
):
    """The text has no length: ``CAST(s AS CHAR(9))`` was recorded as ``CAST(s AS STRING)``."""
    from pyspark.sql import functions as F

    refused: list[Callable[[Any], Any]] = [
        lambda session: session.table("lengths.t"),
        lambda session: session.range(2).select(F.lit("a").cast("char(9)").alias("x")),
        lambda session: session.range(2).select(F.lit("a").try_cast("array<varchar(3)>")),
        lambda session: session.range(2).selectExpr("length(CAST('a' AS CHAR(9))) AS n"),
        lambda session: session.range(2).filter("CAST(id AS VARCHAR(3)) = 'a'"),
        lambda session: session.sql("SELECT length(CAST('a' AS CHAR(9))) AS n"),
    ]
    spark.conf.set(PRESERVED, "true")
    try:
        for pipeline in refused:
            with pytest.raises(CaptureError, match="preserveCharVarcharTypeInfo"):
                vs.record(pipeline, spark)
        vs.record(lambda session: session.range(2).selectExpr("CAST(id AS STRING) AS s"), spark)
    finally:
        spark.conf.unset(PRESERVED)
        spark.catalog.refreshTable("lengths.t")  # Spark keeps the types that it read


@pytest.mark.parametrize("name", ["legacy.charVarcharAsString", "readSideCharPadding"])
def test_other_settings_change_no_type(name: str, spark: SparkSession, lengths: str):
    setting = f"spark.sql.{name}"
    spark.conf.set(setting, "false" if spark.conf.get(setting) == "true" else "true")
    try:
        frame = expressions(spark)
        for table in (vs.capture(frame), vs.record(expressions, spark)):
            assert held(table) == [(each, value_type(type_)) for each, type_ in columns(frame)]
            assert declared(spark.sql(table.to_sql())) == declared(frame)
    finally:
        spark.conf.unset(setting)


@pytest.mark.parametrize(
    ("target", "cast"),
    [
        ("CHAR(3)", "STRING"),
        ("VARCHAR(3)", "STRING"),
        ("ARRAY<CHAR(3)>", "ARRAY<STRING>"),
        ("STRUCT<x: VARCHAR(2)>", "STRUCT<x: STRING>"),
        ("MAP<VARCHAR(2), CHAR(1)>", "MAP<STRING, STRING>"),
    ],
)
def test_the_table_api_casts_to_what_spark_casts_to(target: str, cast: str):
    env = vs.TableEnvironment()
    env.create_table("t", f"x {target}, c CHAR(3), v VARCHAR(2)")
    made = vs.col("x").cast(target)
    table = env.table("t").select(made.alias("x"), vs.row(vs.col("c"), made).alias("r"))
    wanted = [cast, f"STRUCT<c: STRING, col2: {cast}>"]
    assert [each.type.ddl for each in table.schema.fields] == wanted
    assert f"CAST(x AS {cast}) AS x" in table.to_sql()
