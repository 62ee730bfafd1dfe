"""Functions that catalogs have themselves, where no session is asked."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import viewscribe as vs
from tests.servers.iceberg_rest import IcebergServer, iceberg_rest
from viewscribe import call, col
from viewscribe.catalog_store import FileCatalog, open_catalog
from viewscribe.catalog_store.checks import check
from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import ForbiddenSourceError, Permissions
from viewscribe.environments import environment_of
from viewscribe.environments.migration import apply_plan, make_plan
from viewscribe.errors import (
    ArityError,
    NotSerializableError,
    TypeMismatchError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)

COLUMNS = (
    "y TINYINT, h SMALLINT, i INT, l BIGINT, p DECIMAL(10, 2), s STRING, c CHAR(3), v VARCHAR(3), "
    "b BINARY, d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, x DOUBLE, o BOOLEAN, a ARRAY<INT>, "
    "u STRING COLLATE UNICODE"
)


@pytest.fixture
def lake(tmp_path):
    """An environment with the catalog ``lake`` of Iceberg's, and one of files beside it."""
    with iceberg_rest(IcebergServer()) as url:
        env = vs.TableEnvironment(FileCatalog(tmp_path / "views"))
        env.create_database("default", if_not_exists=True)
        env.register_catalog("lake", open_catalog(url))
        env.create_database("lake.shop")
        env.create_table("o", COLUMNS)
        yield env


def type_of(env, text):
    (field,) = env.sql_query(f"SELECT {text} AS r FROM o").schema.fields
    return str(field.type)


# -- types -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "types"),
    [
        ("bucket(16, {})", dict.fromkeys("yhilpscvbdtn", "INT")),
        ("truncate(4, {})", {"y": "TINYINT", "h": "SMALLINT", "i": "INT", "l": "BIGINT",
                             "p": "DECIMAL(10, 2)", "s": "STRING", "c": "STRING", "v": "STRING",
                             "b": "BINARY"}),
        ("years({})", dict.fromkeys("dtn", "INT")),
        ("months({})", dict.fromkeys("dtn", "INT")),
        ("days({})", dict.fromkeys("dtn", "DATE")),
        ("hours({})", dict.fromkeys("tn", "INT")),
        ("bucket({}, l)", dict.fromkeys("yhi", "INT")),
    ],
)  # fmt: skip
def test_types_are_icebergs(lake, written, types):
    for column in "yhilpscvbdtnxoau":
        text = f"lake.system.{written.format(column)}"
        if column in types:
            assert type_of(lake, text) == types[column], column
        else:
            with pytest.raises(TypeMismatchError):
                type_of(lake, text)
    with pytest.raises(TypeMismatchError):
        type_of(lake, f"lake.system.{written.format('NULL')}")


def test_the_version_is_a_text_that_is_never_null(lake):
    assert type_of(lake, "lake.system.iceberg_version()") == "STRING NOT NULL"
    with pytest.raises(ArityError):
        type_of(lake, "lake.system.iceberg_version(1)")
    with pytest.raises(ArityError):
        type_of(lake, "lake.system.bucket(4)")


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("lake.system.bucket(16, i)", "lake.system.bucket(16, i)"),
        ("Lake.SYSTEM.Bucket(16, i)", "lake.system.bucket(16, i)"),
        ("`lake`.`system`.`truncate`(2, s)", "lake.system.truncate(2, s)"),
        ("lake.system.days(t)", "lake.system.days(t)"),
        ("lake.system.years(d)", "lake.system.years(d)"),
    ],
)
def test_they_are_printed_by_their_full_names(lake, written, shown):
    table = lake.sql_query(f"SELECT {written} AS r FROM o")
    assert f"SELECT\n  {shown} AS r\n" in table.to_sql()
    assert lake.sql_query(table.to_sql()).operation == table.operation
    called = [f"lake.system.{each}" for each in ("bucket", "truncate", "days", "years")]
    again = vs.Table.from_plan(lake, table.to_plan(), functions=called)
    assert again.operation == table.operation


def test_names_of_sparks_own_functions_stay_sparks_own(lake):
    text = "SELECT days(d) AS r FROM o"
    for name in ("bucket(2, i)", "truncate(2, i)", "years(d)"):
        with pytest.raises(UnknownFunctionError):
            lake.sql_query(f"SELECT {name} AS r FROM o")
    with pytest.raises(ViewscribeError):
        lake.sql_query(text)
    with pytest.raises(UnknownFunctionError):
        lake.sql_query("SELECT spark_catalog.system.bucket(2, i) AS r FROM o")
    with pytest.raises(UnknownFunctionError):
        lake.sql_query("SELECT lake.shop.bucket(2, i) AS r FROM o")


def test_in_the_catalog_itself_two_parts_are_enough(lake):
    lake.use_catalog("lake")
    built = lake.from_path("spark_catalog.default.o").select(
        call("system.bucket", 4, col("i")).alias("r"), call("lake.system.days", col("t")).alias("q")
    )
    assert "lake.system.bucket(4, i) AS r,\n  lake.system.days(t) AS q" in built.to_sql()


def test_two_catalogs_have_each_its_own(lake):
    lake.execute_sql("CREATE TEMPORARY FUNCTION pond.system.bucket RETURNS BIGINT LANGUAGE CATALOG")
    table = lake.sql_query(
        "SELECT lake.system.bucket(2, i) AS a, pond.system.bucket(i) AS b FROM o"
    )
    assert [str(each.type) for each in table.schema.fields] == ["INT", "BIGINT"]
    one, other = (lake.functions.lookup(f"{each}.system.bucket") for each in ("lake", "pond"))
    assert one.function != other.function


# -- declaring -------------------------------------------------------------------------------------


def test_a_declaration_says_the_types_or_the_library():
    env = vs.TableEnvironment()
    env.create_table("o", COLUMNS)
    declare = "CREATE TEMPORARY FUNCTION pond.{} LANGUAGE CATALOG"
    env.execute_sql(declare.format("fns.f(a INT, b STRING) RETURNS DATE"))
    env.execute_sql(declare.format("system.bucket") + " AS 'iceberg.bucket'")
    assert type_of(env, "pond.fns.f(i, s)") == "DATE"
    assert type_of(env, "pond.system.bucket(4, l)") == "INT"
    with pytest.raises(TypeMismatchError):
        type_of(env, "pond.fns.f(a, s)")
    with pytest.raises(ArityError):
        type_of(env, "pond.fns.f(i)")
    assert "CATALOG" in str(env.execute_sql("DESCRIBE FUNCTION EXTENDED pond.fns.f"))


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TEMPORARY FUNCTION pond.fns.f LANGUAGE CATALOG",
        "CREATE TEMPORARY FUNCTION pond.fns.f LANGUAGE CATALOG AS 'iceberg.nothing'",
        "CREATE TEMPORARY FUNCTION pond.fns.f AGGREGATE LANGUAGE CATALOG",
        "CREATE TEMPORARY FUNCTION pond.fns.f RETURNS INT LANGUAGE CATALOG AS 'nope'",
        "CREATE TEMPORARY FUNCTION pond.fns.f RETURNS INT AGGREGATE LANGUAGE CATALOG "
        "AS 'iceberg.bucket'",
        "CREATE TEMPORARY FUNCTION pond.fns.f RETURNS TABLE(a INT) LANGUAGE CATALOG",
        "CREATE TEMPORARY FUNCTION pond.fns.f RETURNS INT LANGUAGE CATALOG USING JAR 'x.jar'",
        "CREATE TEMPORARY SYSTEM FUNCTION f RETURNS INT LANGUAGE CATALOG",
        "CREATE FUNCTION default.f RETURNS INT LANGUAGE CATALOG",
    ],
)
def test_a_wrong_declaration_is_refused(statement):
    env = vs.TableEnvironment()
    env.create_database("default", if_not_exists=True)
    with pytest.raises((ValidationError, NotSerializableError)):
        env.execute_sql(statement)


def test_an_unknown_reference_is_refused_with_what_is_known():
    text = "CREATE TEMPORARY FUNCTION pond.fns.f RETURNS INT LANGUAGE CATALOG AS 'iceberg.buckets'"
    with pytest.raises(ValidationError, match=r"'iceberg\.buckets'") as refused:
        vs.TableEnvironment().execute_sql(text)
    assert "iceberg.bucket, iceberg.days" in str(refused.value)


def test_an_aggregate_is_declared_as_those_of_classes_are():
    env = vs.TableEnvironment()
    env.create_table("o", COLUMNS)
    declare = "CREATE TEMPORARY FUNCTION pond.fns.{} LANGUAGE CATALOG"
    env.execute_sql(declare.format("total(x BIGINT) RETURNS DECIMAL(20, 2) AGGREGATE"))
    assert type_of(env, "pond.fns.total(DISTINCT i) FILTER (WHERE o)") == "DECIMAL(20, 2)"
    with pytest.raises(TypeMismatchError):
        type_of(env, "pond.fns.total(a)")
    with pytest.raises(ValidationError, match="given an aggregate"):
        type_of(env, "max(pond.fns.total(i))")
    built = env.from_path("o").group_by("i").agg(call("pond.fns.total", col("l")).alias("r"))
    assert (
        built.to_sql()
        == env.sql_query("SELECT i, pond.fns.total(l) AS r FROM o GROUP BY i").to_sql()
    )


# -- documents -------------------------------------------------------------------------------------


def test_a_stored_view_notes_it_and_check_finds_it_there(lake):
    text = "SELECT lake.system.bucket(4, i) AS r FROM o"
    lake.create_view("v", lake.sql_query(text))
    lake.create_view("lake.shop.v", lake.sql_query("SELECT lake.system.days(current_date()) AS r"))
    assert ("lake", "system", "bucket") in [each.name for each in lake.get_view("v").dependencies]
    allowed = Permissions.of(functions=["lake.system.bucket", "lake.system.days"])
    for name in ("spark_catalog", "lake"):
        catalog = lake.catalogs.catalog(name)
        assert check(catalog, name=name, permissions=allowed) == []
        refused = check(catalog, name=name, permissions=Permissions())
        assert {each.code for each in refused} == {"not-allowed"}
    with pytest.raises(ForbiddenSourceError):
        vs.Table.from_plan(lake, lake.get_view("v").plan)
    with allowed.in_force():
        again = vs.Table.from_plan(lake, lake.get_view("v").plan)
    assert lake.sql_query(again.to_sql()).operation == again.operation


def test_it_keeps_its_name_where_a_view_moves(lake, tmp_path):
    lake.create_view("lake.shop.v", lake.sql_query("SELECT lake.system.bucket(4, 1L) AS r"))
    there = FileCatalog(tmp_path / "there")
    plan = make_plan(environment_of(lake.catalogs.catalog("lake")), environment_of(there))
    apply_plan(plan, there, journal=tmp_path / "journal")
    document = there.get("view", "shop", "v").document
    assert "lake.system.bucket(4, 1L)" in document.sql
    assert [each.name for each in document.dependencies] == [("lake", "system", "bucket")]


# -- permissions -----------------------------------------------------------------------------------


def test_each_is_allowed_by_its_full_name(lake):
    tree = lake.sql_query("SELECT lake.system.bucket(4, i) AS r FROM o").operation
    with pytest.raises(ForbiddenSourceError, match=r"functions=\['lake\.system\.bucket'\]"):
        Gate(Permissions()).require_tree("the view", tree)
    others = Permissions.of(functions=["bucket", "system.bucket", "pond.system.bucket"])
    with pytest.raises(ForbiddenSourceError):
        Gate(others).require_tree("the view", tree)
    Gate(Permissions.of(functions=["Lake.System.BUCKET"])).require_tree("the view", tree)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT a.b.c(1)", [("a", "b", "c")]),
        ("SELECT `a`.`b`.`c` (1)", [("a", "b", "c")]),
        ('SELECT "a"."b"/* x */."c"(1)', [("a", "b", "c")]),
        ("SELECT a . b . c\n(1), d.e(2)", [("a", "b", "c"), ("d", "e")]),
        ("SELECT `a.b`.`c``d`(1)", [("a.b", "c`d")]),
        ("SELECT a.b.c.d(x.y(1))", [("a", "b", "c", "d"), ("x", "y")]),
        ("SELECT * FROM a.b.tvf(1)", [("a", "b", "tvf")]),
        ("SELECT f(1), a.b, c.d IN (1), e.f BETWEEN (1) AND (2)", [("f",)]),
        ("SELECT '-- ' AS x, a.b.c(1)", [("a", "b", "c")]),
        ("SELECT 'a.b.c(1)' -- a.b.c(1)", []),
        ("SELECT * FROM a.b.c AS t(x)", []),
        ("SELECT * FROM a.b.c WITH ('branch' = 'x') JOIN d.e USING (f)", []),
        ("SELECT spark_catalog.db.f(1), system.session.f(1), session.f(1), builtin.upper('a')", []),
        ("SELECT system.builtin.upper('a')", []),
        ("SELECT system.bucket(1, 2)", [("system", "bucket")]),
    ],
)
def test_calls_by_long_names_are_found_in_any_text(text, found):
    asked: list[tuple[str, ...]] = []

    class Asked:
        def is_of_databases(self, name: tuple[str, ...]) -> bool:
            asked.append(name)
            return False

        def has_table(self, name: tuple[str, ...]) -> bool:
            return True

        def has_temporary_function(self, name: tuple[str, ...]) -> bool:
            return False

        def has_temporary_view(self, name: tuple[str, ...]) -> bool:
            return False

        def find_variables(self, columns: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
            return []

        def reads_own(self, query: str) -> bool:
            return False

    quoted = str('"' in text).lower()
    settings = {"spark.sql.ansi.doubleQuotedIdentifiers": quoted}
    gate = Gate(Permissions(), settings, session=Asked())
    list(gate.refused_in_text("the view", text))
    assert asked == found
