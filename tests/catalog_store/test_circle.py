"""A text is stored only where it is read as what it was printed from."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from tests.expressions.functions.matrix import questions
from tests.expressions.functions.palette import SCHEMA
from tests.fuzzing import examples
from tests.opaque import opaque
from tests.process_functions import CountRows, CountWithTimeout, MatchOnce, Repeat
from tests.properties.pipelines import environment, pipelines
from tests.serializer.cases import CASES
from viewscribe import Table, TableEnvironment, call, col
from viewscribe import functions as F
from viewscribe.catalog_store import check, view_checks
from viewscribe.catalog_store.circle import NOT_READ_BACK, ReadBack, read_back
from viewscribe.catalog_store.documents.normalization import fingerprint
from viewscribe.errors import NotSerializableError
from viewscribe.serializer import STYLES
from viewscribe.types import STRING, VOID, MapType

RANDOM = environment()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CASES)
def test_what_is_printed_is_read_as_it_was(name: str, style: str) -> None:
    table = CASES[name]()
    found = read_back(table.operation, table.to_sql(style), {})
    assert found.different is None
    assert (found.unread is None) == (name != "sql_text")


MOST_OF_ONE = 6
"""Calls of each function: how it is written changes with the arguments a little."""


@pytest.mark.slow("calls of every function")
@pytest.mark.parametrize("group", ["scalars", "aggregates", "windows", "lambdas", "named"])
def test_so_is_every_function(group: str) -> None:
    env, read = TableEnvironment(), Counter[str]()
    env.create_table("p", ", ".join(f"{each.name} {each.type}" for each in SCHEMA.fields))
    for each in questions(group):
        if each.made is None or read[each.name] == MOST_OF_ONE or each.ours() is None:
            continue
        read[each.name] += 1
        table = env.from_path("p").select(each.made.alias("r"))
        assert read_back(table.operation, table.to_sql(), {}) == ReadBack(), each.text
    assert read


def test_so_is_a_cast_of_spark_s_own() -> None:
    """Spark casts an empty map to one whose values are never NULL, which no text can say."""
    env = TableEnvironment()
    env.create_table("t", "m MAP<STRING, INT>")
    empty = call("map").cast(MapType(key=STRING.not_null(), value=VOID.not_null()))
    table = env.from_path("t").select(
        F.map_zip_with(col("m"), empty, lambda key, one, two: one % two).alias("r")
    )
    assert read_back(table.operation, table.to_sql(), {}) == ReadBack()


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(pipelines(RANDOM))
def test_so_is_any_pipeline(table: Table) -> None:
    for style in STYLES:
        try:
            text = table.to_sql(style)
        except NotSerializableError:
            continue
        assert read_back(table.operation, text, {}).different is None, text


@pytest.fixture
def env() -> TableEnvironment:
    env = TableEnvironment()
    env.create_table("t5", "i1 INT, t5 STRUCT<i1: INT>")
    for database in ("dev_a", "dev_b"):
        env.create_database(database)
        env.create_table(f"{database}.t", "id INT, k INT")
    return env


def a_field(env: TableEnvironment) -> Table:
    return env.from_path("t5").select(col("t5")["i1"].alias("i1"))


def two_tables(env: TableEnvironment) -> Table:
    inner = env.from_path("dev_b.t").as_("b")
    outer = env.from_path("dev_a.t").as_("a")
    return outer.join(inner, col("a.id") == col("b.k")).select("a.id")


def grouped(env: TableEnvironment) -> Table:
    return env.from_path("dev_a.t").group_by("k").agg(F.count("*").alias("n"))


def newest(env: TableEnvironment) -> Table:
    return env.from_path("dev_a.t").order_by(col("k").desc()).limit(3).select("id")


def joined_with_itself(env: TableEnvironment) -> Table:
    one, two = env.from_path("dev_a.t").as_("x"), env.from_path("dev_a.t").as_("y")
    return one.join(two, col("x.id") == col("y.k")).select("x.id")


def computed(env: TableEnvironment) -> Table:
    table = env.from_path("dev_a.t").filter(col("id") > col("k"))
    return table.order_by("k").select((col("id") - col("k")).alias("d"))


T = "spark_catalog.dev_a.t"
CAUGHT = [
    (
        joined_with_itself,
        f"SELECT y.id FROM {T} AS x JOIN {T} AS y ON x.id = y.k",
        "`id` is of other rows",
    ),
    (
        joined_with_itself,
        f"SELECT x.id FROM {T} AS x JOIN {T} AS y ON x.id = x.k",
        "the conditions of WHERE and ON",
    ),
    (
        computed,
        f"SELECT k - id AS d FROM {T} WHERE id > k ORDER BY k",
        "`d` is minus(k, id) in it, and minus(id, k) in the pipeline",
    ),
    (computed, f"SELECT id - k AS d FROM {T} WHERE k > id ORDER BY k", "the conditions of WHERE"),
    (computed, f"SELECT id - k AS d FROM {T} WHERE id > k ORDER BY id", "the order of the rows"),
    (computed, f"SELECT id - k AS d FROM {T} WHERE id > k ORDER BY (", "expected an expression"),
    (a_field, "SELECT t5.i1 FROM spark_catalog.default.t5", "`i1` comes from t5.i1 in it"),
    (
        two_tables,
        "SELECT a.id FROM spark_catalog.dev_a.t AS a "
        "JOIN spark_catalog.dev_b.t AS b ON a.id = a.id",
        "its rows depend on",
    ),
    (
        two_tables,
        "SELECT id FROM spark_catalog.dev_a.t AS a JOIN spark_catalog.dev_b.t AS b ON a.id = b.k",
        "ambiguous",
    ),
    (
        grouped,
        "SELECT k, count(*) AS n FROM spark_catalog.dev_a.t GROUP BY k ORDER BY gone",
        "gone",
    ),
    (grouped, "SELECT k, sum(k) AS n FROM spark_catalog.dev_a.t GROUP BY k", "BIGINT NOT NULL"),
    (grouped, "SELECT k, count(id) AS n FROM spark_catalog.dev_a.t GROUP BY k", "`n` comes from"),
    (grouped, "SELECT k, count(*) AS n FROM t GROUP BY k", "`t` is no table"),
    (grouped, "SELECT k, count(*) AS n FROM spark_catalog.dev_z.t GROUP BY k", "is no table"),
    (newest, "SELECT id FROM spark_catalog.dev_a.t ORDER BY id DESC LIMIT 3", "its rows depend"),
    (newest, "SELECT id FROM spark_catalog.dev_a.t LIMIT 3", "its rows depend"),
    (grouped, "SELECT k, count(*) AS m FROM spark_catalog.dev_a.t GROUP BY k", "named `m`"),
    (grouped, "SELECT k FROM spark_catalog.dev_a.t GROUP BY k", "it has 1 columns"),
    (grouped, "SELECT CAST(k AS BIGINT) AS k, 1L AS n FROM spark_catalog.dev_a.t", "BIGINT"),
]


@pytest.mark.parametrize(("make", "text", "what"), CAUGHT)
def test_other_texts_are_caught(
    env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, make: object, text: str, what: str
) -> None:
    assert callable(make)
    table: Table = make(env)
    assert what in (read_back(table.operation, text, {}).different or "")
    monkeypatch.setattr(Table, "text_of_view", lambda *args, **kwargs: text)
    with pytest.raises(NotSerializableError, match="would mean something else"):
        env.create_view("v", table)
    assert env.list_views() == []


def test_lengths_of_columns_are_no_part_of_what_is_computed(env: TableEnvironment) -> None:
    env.create_table("c", "code CHAR(5), name VARCHAR(9)")
    codes = env.from_path("c").group_by("code").agg(F.max("name").alias("name"))
    both = codes.union_all(codes.select("code", "name"))
    for style in STYLES:
        assert read_back(both.operation, both.to_sql(style), {}) == ReadBack()
    text = "SELECT code, 'x' AS name FROM spark_catalog.default.c"
    assert "`name`" in (read_back(codes.operation, text, {}).different or "")


def test_check_finds_them_too(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    env.create_view("v", a_field(env))
    view = env.get_view("v")
    columns_of = view_checks.columns_in(env.catalogs)
    assert list(view_checks.view_faults(view, columns_of)) == []
    monkeypatch.setattr(view_checks, "prints", lambda tree, view: True)  # as a wrong printer would
    other = msgspec.structs.replace(view, sql="SELECT t5.i1 FROM spark_catalog.default.t5")
    other = msgspec.structs.replace(other, fingerprint=fingerprint(other))
    codes = [fault.code for fault in view_checks.view_faults(other, columns_of)]
    assert "misread-text" in codes


@pytest.fixture
def functions(env: TableEnvironment) -> TableEnvironment:
    env.create_table("clicks", "user STRING NOT NULL, ts TIMESTAMP, n INT")
    for name, function in (("counted", CountRows), ("timed", CountWithTimeout), ("rep", Repeat)):
        env.create_function(name, function)
    env.create_function("match_once", MatchOnce)
    return env


def matched(env: TableEnvironment) -> Table:
    env.create_table("customers", "name STRING, address STRING")
    env.create_table("orders", "order_id INT, price DOUBLE, name STRING")
    customers, orders = (
        env.from_path(name).partition_by("name") for name in ("customers", "orders")
    )
    return customers.process("match_once", orders.copartition_with("customer"))


CALLS = (
    "SELECT * FROM counted(TABLE(clicks) PARTITION BY user)",
    "SELECT * FROM counted(TABLE(clicks) PARTITION BY user ORDER BY n DESC, uid => 'c')",
    "SELECT count FROM timed(TABLE(clicks) PARTITION BY user, on_time => 'ts') WHERE count > 1",
    "SELECT * FROM rep(TABLE(SELECT * FROM clicks WHERE n > 2), 3)",
    "SELECT * FROM rep(TABLE(clicks), 1, uid => 'a') AS a "
    "JOIN rep(TABLE(clicks), 2, uid => 'b') AS b ON a.n = b.n0",
)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", CALLS)
def test_calls_of_process_table_functions_are_read_back(
    functions: TableEnvironment, text: str, style: str
) -> None:
    query = functions.sql_query(text)
    table = query.select("b.n0") if "JOIN" in text else query
    assert read_back(table.operation, table.to_sql(style), {}) == ReadBack()
    changed = table.to_sql(style).replace("2", "7").replace("DESC", "ASC").replace("> 1", "> 0")
    if changed != table.to_sql(style):
        assert read_back(table.operation, changed, {}) != ReadBack()


@pytest.mark.parametrize(
    ("told", "instead"),
    [("keys => array('user')", "keys => array('n')"), ("uid => 'c'", "uid => 'd'")],
)
def test_so_is_what_they_are_told(functions: TableEnvironment, told: str, instead: str) -> None:
    table = functions.sql_query(CALLS[1])
    text = table.to_sql()
    assert told in text
    assert read_back(table.operation, text.replace(told, instead), {}) != ReadBack()


def test_several_tables_of_a_call_are_read_back(functions: TableEnvironment) -> None:
    table = matched(functions)
    for style in STYLES:
        assert read_back(table.operation, table.to_sql(style), {}) == ReadBack()


def test_a_view_says_that_its_text_is_not_read(env: TableEnvironment) -> None:
    table = opaque(env, "SELECT i1 FROM t5 TIMESTAMP AS OF current_date()", "i1 INT")
    env.create_view("v", table)
    why = env.get_view("v").properties[NOT_READ_BACK]
    assert "computed time" in why
    catalog = env.catalogs.catalog()
    assert check(catalog) == []
    (note,) = check(catalog, notes=True)
    assert (note.code, note.is_note) == ("not-read-back", True)
    assert note.cause.endswith(why)
    env.create_view("v", a_field(env), or_replace=True, properties={NOT_READ_BACK: "no more"})
    assert NOT_READ_BACK not in env.get_view("v").properties
    assert check(catalog, notes=True) == []
