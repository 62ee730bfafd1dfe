"""Texts that others wrote run nothing, at every door, in whatever way they hide what they do."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from click.testing import CliRunner
from pyspark.errors import PySparkException

import viewscribe as vs
from tests.catalog_store.samples import function, table, view
from tests.spark.capture.conftest import connect_mode
from viewscribe.catalog_store import (
    CheckConstraint,
    Column,
    DatabaseDocument,
    FileCatalog,
    MemoryCatalog,
    Parameter,
    check,
)
from viewscribe.catalog_store.documents.model import Dependency
from viewscribe.catalog_store.documents.normalization import seal
from viewscribe.catalog_store.gate import names_in_text
from viewscribe.catalog_store.permissions import ForbiddenSourceError, Permissions
from viewscribe.cli.app import app
from viewscribe.errors import ViewscribeError
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.user_functions import user_functions
from viewscribe.serializer.plan_document import to_plan
from viewscribe.snapshots.rows.given import given
from viewscribe.spark import local
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.gate import gate_of
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.types import STRING, Field
from viewscribe.types.lexemes import SPARK_SQL, AuthorText

PROPERTY = "viewscribe.was.here"
SECRET = "what nobody may read"

HIDDEN = {
    "plain": "{}",
    "a star that ends a hint": "SELECT /*+ REPARTITION(1)*/* FROM ({}) --*/",
    "an item behind it": "SELECT /*+ REPARTITION(1)*/* , '' AS y FROM ({}) q --*/",
    "a hint in a comment": "SELECT '' AS x /* /*+ */ , y FROM ({}) q --*/",
    "a hint in a comment that ends": "SELECT * FROM ({}) q /* /*+ */ --*/",
    "comments in comments": "SELECT /* /* */ ' */ * FROM ({}) q --'",
    "a comment that goes on": "--\\\n '\nSELECT * FROM ({}) q --'",
    "a raw string": "SELECT q.*, R'\\' FROM ({}) q -- '",
    "quotes in quotes": "SELECT q.* FROM ({}) q WHERE '\\'' = '''' --'",
    "blanks": "SELECT\u00a0*\u3000FROM\f({})\u2003q",
    "a table called group": "WITH group AS (SELECT 1) SELECT by.* FROM group g, ({}) by",
    "a step": "FROM ({}) |> WHERE true |> SELECT *",
    "a window": "SELECT x FROM ({}) q WINDOW order AS (PARTITION BY x)",
    "a sub-query": "SELECT (SELECT max(x) FROM ({}) q) AS x",
    "an inline table": "SELECT x FROM VALUES ((SELECT max(x) FROM ({}) q)) AS t(x)",
    "a condition": "SELECT '' AS x WHERE EXISTS (SELECT * FROM ({}) q)",
    "a CTE": "WITH RECURSIVE c AS ({}), d AS (SELECT * FROM c) SELECT * FROM d",
    "a union": "SELECT '' AS x UNION ALL ({})",
    "a variable": "SELECT '' AS x /* ${{system:file.separator}}* */ FROM ({}) q -- */",
}


class Payload:
    """Texts of one effect each, and whether there was one.

    Args:
        spark: the session whose JVM would have it.
        folder: where files are.
    """

    def __init__(self, spark: Any, folder: Path) -> None:
        self._java = spark._jvm.java.lang.System
        self.written = folder / "written"
        self.script = folder / "script.sh"
        self.script.write_text(f"#!/bin/sh\ntouch {self.written}\ncat\n")
        self.script.chmod(0o755)
        secret = folder / "secret"
        secret.write_text(SECRET)
        call = f"'java.lang.System', 'setProperty', '{PROPERTY}', 'x'"
        self.queries = {
            "script": f"SELECT TRANSFORM('a') USING '{self.script}' AS (x STRING)",
            "map": f"FROM VALUES ('a') AS t(x) MAP x USING '{self.script}' AS (x STRING)",
            "call": f"SELECT reflect({call}) AS x",
            "call of another name": f"SELECT system.builtin.`Java_Method`({call}) AS x",
            "file": f"SELECT value AS x FROM text.`{secret}`",
            "file beside rows": (
                "WITH values AS (SELECT 1 AS a) SELECT value AS x "
                f"FROM VALUES WITH ('a' = 'b'), text.`{secret}`"
            ),
            "file behind a name": (
                f"WITH values AS (SELECT 1 AS a) SELECT value AS x FROM VALUES a, text.`{secret}`"
            ),
            "statement of a table": (
                "SELECT x FROM t WITH (sessionInitStatement = 'DROP TABLE t')"
            ),
            "path of a table": f"SELECT x FROM t WITH ('pAtH' = '{secret}')",
            "file by a word": f"SELECT value AS x FROM VALUES (1) AS by(a), text.`{secret}`",
            "all that is told of files": "SELECT _metadata.* FROM t",
            "files unpivoted": "SELECT x FROM t UNPIVOT (x FOR k IN (_Metadata))",
            "place of files in a lambda": (
                "SELECT transform(array(1), y -> _metadata.file_path)[0] AS x FROM t"
            ),
            "class": "SELECT from_protobuf(X'00', 'java.lang.System') AS x",
            "class behind NULL": "SELECT from_protobuf(X'00', 'java.lang.System', NULL) AS x",
            "temporary view": "SELECT x FROM system.session.theirs",
            "place of files": "SELECT _metadata.file_path AS x FROM t",
            "computed name": f"SELECT value AS x FROM IDENTIFIER('text.`' || '{secret}`')",
        }
        write = f"INSERT OVERWRITE DIRECTORY '{self.written}' USING csv SELECT x"
        self.behind_an_alias = (
            f'WITH values AS (SELECT 1 AS a) SELECT value AS x FROM VALUES "a", text.`{secret}`'
        )
        self.statements = {
            "directory": f"FROM VALUES ('a') AS t(x) {write}",
            "with": f"WITH c AS (SELECT 'a' AS x) {write} FROM c",
            "hint": f"FROM (SELECT /*+ REPARTITION(1)*/* FROM VALUES ('a') AS t(x)) {write} --*/",
            "drop": "DROP TABLE IF EXISTS gone",
            "script of statements": "BEGIN SELECT 1; END",
        }

    def texts(self) -> Iterator[tuple[str, str]]:
        for name, text in self.queries.items():
            for way, hiding in HIDDEN.items():
                yield f"{name}: {way}", hiding.format(text)
        yield from self.statements.items()

    def require_nothing_happened(self, what: str) -> None:
        assert not self.written.exists(), what
        assert self._java.getProperty(PROPERTY) is None, what


@pytest.fixture(scope="module")
def second(spark: Any) -> Any:
    """Another session of the same Spark, which is not the active one."""
    return spark.newSession()


@pytest.fixture
def payload(spark: Any, tmp_path: Path) -> Payload:
    return Payload(spark, tmp_path)


def stored(sql: str, plan_text: str | None = None) -> vs.TableEnvironment:
    """A catalog with the view ``v`` of a text, whose plan holds another, and a true fingerprint."""
    if plan_text is None:
        return kept(sql)
    return kept(sql, to_plan(SqlText.of(plan_text, (Field("x", STRING),))))


def calling(body: str, name: str = "zf") -> dict[str, Any]:
    """A plan that brings a temporary function of that body."""
    env, harmless = vs.TableEnvironment(), "nullif('harmless', '')"
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION {name}() RETURNS STRING RETURN {harmless}")
    plan = json.dumps(env.sql_query(f"SELECT {name}() AS x").to_plan())
    changed = plan.replace(json.dumps(harmless), json.dumps(body))
    assert changed != plan
    found: dict[str, Any] = json.loads(changed)
    return found


def kept(sql: str, plan: dict[str, Any] | None = None) -> vs.TableEnvironment:
    """A catalog with the view ``v`` of a text and a plan."""
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="default"))
    columns = (Column("x", "STRING"),)
    made = view("v", database="default", sql=sql, columns=columns, dependencies=(), plan=plan)
    catalog.create(seal(made))
    return vs.TableEnvironment(catalog)


def run(frame: Any) -> list[str]:
    return [str(row) for row in frame.collect()]


def open_text(text: str, spark: Any) -> object:
    return run(vs.open_view(stored(text), "v", spark))


def verify_text(text: str, spark: Any) -> object:
    env = stored(text, "SELECT '' AS x")
    return str(vs.verify(env.get_view("v"), spark))


def verify_schema(text: str, spark: Any) -> object:
    env = stored(text, "SELECT '' AS x")
    return str(vs.verify(env.get_view("v"), spark, rows=False))


def verify_plan(text: str, spark: Any) -> object:
    env = stored("SELECT '' AS x", text)
    return str(vs.verify(env.get_view("v"), spark))


def verify_both(text: str, spark: Any) -> object:
    return str(vs.verify(stored(text, text).get_view("v"), spark))


def verify_unplanned(text: str, spark: Any) -> object:
    return str(vs.verify(stored(text).get_view("v"), spark))


def of_session(spark: Any) -> AbstractContextManager[None]:
    """In the ``with`` block, PySpark makes the columns of this session."""
    return nullcontext() if is_classic(spark) else connect_mode(spark)


def verify_source(text: str, spark: Any) -> object:
    """The text is the one that the author of a view is said to have written."""
    view = stored("SELECT '' AS x", "SELECT '' AS x").get_view("v")
    source = AuthorText(text=text, language=SPARK_SQL)
    with of_session(spark):
        return str(vs.verify(msgspec.structs.replace(view, source=source), spark))


def verify_by_command(text: str, spark: Any) -> object:
    """The command verifies a folder that others wrote, in the session that it is given."""
    with TemporaryDirectory() as folder, patch.object(local, "local_session") as session:
        session.return_value.__enter__.return_value = spark
        catalog = FileCatalog(Path(folder))
        catalog.create_database(DatabaseDocument(name="default"))
        catalog.create(stored(text).get_view("v"))
        with of_session(spark):
            told = CliRunner().invoke(app, ["verify", f"file:{folder}"]).output
    if any(each in told for each in ("ForbiddenSource", "NotAQuery", "VerificationError")):
        raise ViewscribeError(told)
    return told


def verify_of_session(text: str, spark: Any) -> object:
    """Somebody made the view with Spark itself, which put nothing in the place of variables."""
    try:
        with session_with(spark, {"spark.sql.variable.substitute": "false"}):
            spark.sql(f"CREATE OR REPLACE VIEW default.v AS {text}")
    except PySparkException as error:
        raise ViewscribeError("Spark does not make such a view") from error
    try:
        with of_session(spark):
            return str(vs.verify(vs.TableEnvironment(spark).get_view("v"), spark))
    finally:
        spark.sql("DROP VIEW default.v")


def verify_given(text: str, spark: Any) -> object:
    table = vs.TableEnvironment().from_values([("",)], "x STRING")
    return str(vs.verify(table, spark, sql=text))


def rows_of_text(text: str, spark: Any) -> object:
    given().expect(stored(text).get_view("v"), rows=[{"x": "a"}], spark=spark)
    return "the row that is expected"


def call_function(text: str, spark: Any) -> object:
    """A pipeline of the user's own calls a function of a catalog."""
    env, body = vs.TableEnvironment(), f"(SELECT max(x) FROM ({text}\n))"
    made = function("f", database="default", body=body, parameters=(), returns="STRING")
    env.catalogs.save(made)
    return run(env.sql_query("SELECT f() AS x").to_dataframe(spark))


def call_default(text: str, spark: Any) -> object:
    env = vs.TableEnvironment()
    given = Parameter("p", "STRING", default=f"(SELECT max(x) FROM ({text}\n))")
    made = function("f", database="default", body="p", parameters=(given,), returns="STRING")
    env.catalogs.save(made)
    return run(env.sql_query("SELECT f() AS x").to_dataframe(spark))


def run_view(text: str, spark: Any) -> object:
    return run(stored("SELECT '' AS x", text).view_table("v").to_dataframe(spark))


def run_plan(text: str, spark: Any) -> object:
    plan = to_plan(SqlText.of(text, (Field("x", STRING),)))
    made = vs.Table.from_plan(vs.TableEnvironment(), json.loads(json.dumps(plan)))
    return run(made.to_dataframe(spark))


def run_function(text: str, spark: Any) -> object:
    plan = calling(f"(SELECT max(x) FROM ({text}\n))")
    return run(vs.Table.from_plan(vs.TableEnvironment(), plan).to_dataframe(spark))


def open_function(text: str, spark: Any) -> object:
    env = stored("SELECT spark_catalog.default.f() AS x")
    body = f"(SELECT max(x) FROM ({text}\n))"
    made = function("f", database="default", body=body, parameters=(), returns="STRING")
    env.catalogs.save(made)
    path = ("spark_catalog", "default", "f")
    calling = msgspec.structs.replace(
        env.get_view("v"), dependencies=(Dependency(kind="function", name=path),)
    )
    env.catalogs.save(calling, or_replace=True)
    return run(vs.open_view(env, "v", spark))


def open_default(text: str, spark: Any) -> object:
    env = stored("SELECT spark_catalog.default.f() AS x")
    given = Parameter("p", "STRING", default=f"(SELECT max(x) FROM ({text}\n))")
    made = function("f", database="default", body="p", parameters=(given,), returns="STRING")
    env.catalogs.save(made)
    path = ("spark_catalog", "default", "f")
    calling = msgspec.structs.replace(
        env.get_view("v"), dependencies=(Dependency(kind="function", name=path),)
    )
    env.catalogs.save(calling, or_replace=True)
    return run(vs.open_view(env, "v", spark))


def open_source(text: str, spark: Any) -> object:
    """The text is that of a view which another one reads, and which the session is given."""
    env = stored(text)
    reads = (Dependency(kind="table", name=("spark_catalog", "default", "v")),)
    reader = view("w", database="default", sql="SELECT x FROM v", columns=(Column("x", "STRING"),))
    env.catalogs.save(msgspec.structs.replace(reader, dependencies=reads))
    return run(vs.open_view(env, "w", spark))


def keep_in_session(text: str, spark: Any) -> object:
    env = stored(text)
    there = vs.TableEnvironment(spark)
    there.catalogs.save(msgspec.structs.replace(env.get_view("v"), name="kept"))
    return "kept"


def keep_column(text: str, spark: Any) -> object:
    default = f"(SELECT max(x) FROM ({text}\n))"
    columns = (Column("id", "STRING", default=default),)
    made = table("kept_t", database="default", format="parquet", location="/nowhere/at/all")
    vs.TableEnvironment(spark).catalogs.save(msgspec.structs.replace(made, columns=columns))
    return "kept"


def keep_check(text: str, spark: Any) -> object:
    condition = f"(SELECT max(x) FROM ({text}\n)) = 'x'"
    made = table("kept_t", database="default", format="parquet", location="/nowhere/at/all")
    made = msgspec.structs.replace(made, checks=(CheckConstraint(condition),))
    vs.TableEnvironment(spark).catalogs.save(made)
    return "kept"


DOORS: tuple[Callable[[str, Any], object], ...] = (
    open_text,
    verify_text,
    verify_schema,
    verify_plan,
    verify_both,
    verify_unplanned,
    verify_source,
    verify_by_command,
    verify_of_session,
    verify_given,
    run_function,
    call_function,
    call_default,
    rows_of_text,
    run_view,
    run_plan,
    open_function,
    open_default,
    open_source,
    keep_in_session,
    keep_column,
    keep_check,
)


SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    {"spark.sql.parser.escapedStringLiterals": "true"},
    {"spark.sql.legacy.consecutiveStringLiterals.enabled": "true"},
)


@contextmanager
def session_with(spark: Any, given: dict[str, str]) -> Iterator[None]:
    for name, value in given.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in given:
            spark.conf.unset(name)


@pytest.mark.slow("each text, under each setting of the session")
@pytest.mark.parametrize("session", ["spark", "connected"])
@pytest.mark.parametrize("door", [open_text, verify_text, run_view, run_plan, keep_in_session])
def test_settings_of_the_session_change_nothing(
    request: pytest.FixtureRequest, door: Any, session: str, payload: Payload
) -> None:
    spark = request.getfixturevalue(session)
    texts = {**payload.queries, **payload.statements}
    texts["alias"] = payload.behind_an_alias
    texts["quoted"] = HIDDEN["quotes in quotes"].format(payload.queries["call"])
    texts["adjacent"] = "SELECT from_xml('<a/>', 'a INT', map('rowValidation''XSDPath', '/x')) AS x"
    for chosen in SETTINGS:
        for name, text in texts.items():
            with session_with(spark, chosen):
                try:
                    told: object = door(text, spark)
                except (ViewscribeError, PySparkException):
                    told = ""
            payload.require_nothing_happened(f"{chosen}, {name}: {text}")
            assert SECRET not in str(told), f"{chosen}, {name}: {text}"


def test_nothing_is_created_before_all_is_looked_at(spark: Any) -> None:
    env = stored("SELECT reflect('a', 'b') AS x")
    env.create_database("evil", if_not_exists=True)
    inner = view("inner_v", database="evil", sql="SELECT 1 AS x", columns=(Column("x", "INT"),))
    env.catalogs.save(inner)
    reads = (Dependency(kind="table", name=("spark_catalog", "evil", "inner_v")),)
    root = msgspec.structs.replace(env.get_view("v"), dependencies=reads)
    env.catalogs.save(root, or_replace=True)
    with pytest.raises(ForbiddenSourceError):
        vs.open_view(env, "v", spark)
    assert not spark.catalog.databaseExists("evil")


@pytest.mark.parametrize(
    "document",
    [
        table("far", database="default", format="jdbc", options={"url": "jdbc:h2:mem:x"}),
        table("far", database="default", format="csv", location="http://127.0.0.1:1/x"),
        table(
            "far",
            database="default",
            format="csv",
            location="/x",
            properties={"avro.schema.url": "http://127.0.0.1:1/x"},
        ),
        table("far", database="default", format="hive", options={"storage_handler": "a.B"}),
        function(
            "far",
            database="default",
            language="hive",
            class_name="a.B",
            body=None,
            resources=("http://127.0.0.1:1/x.jar",),
        ),
        function(
            "far",
            database="default",
            language="hive",
            class_name="org.apache.hadoop.hive.ql.udf.xml.UDFXPathString",
            body=None,
        ),
        function(
            "far",
            database="default",
            body="p",
            parameters=(Parameter("p", "STRING", default="'${env:HOME}'"),),
            returns="STRING",
        ),
    ],
    ids=lambda document: f"{document.kind} {document.name}",
)
def test_a_session_is_given_no_document_that_reaches_out(spark: Any, document: Any) -> None:
    catalogs = vs.TableEnvironment(spark).catalogs
    with pytest.raises(ViewscribeError, match=r"nobody allowed|allow|names a class|variable"):
        catalogs.save(document)
    assert not spark.catalog.tableExists("default.far")
    assert not spark.catalog.functionExists("default.far")


@pytest.mark.slow("each way of hiding, with each effect")
@pytest.mark.parametrize("session", ["spark", "second", "connected"])
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_nothing_that_is_stored_runs(
    request: pytest.FixtureRequest, door: Any, session: str, payload: Payload
) -> None:
    spark = request.getfixturevalue(session)
    for name, text in payload.texts():
        try:
            told: object = door(text, spark)
        except ViewscribeError:
            told = ""
        payload.require_nothing_happened(f"{door.__name__}, {name}: {text}")
        assert told == "", f"{door.__name__}, {name} was not refused: {text}\n{told}"


OF_SPARK = {"keep_column", "keep_check", "open_default", "call_default"}
"""Where Spark itself takes no sub-query: it is seen that the gate lets it by."""


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_each_door_takes_what_is_harmless(door: Any, spark: Any) -> None:
    """Else nothing would be refused there for what it does."""
    try:
        if door.__name__ not in OF_SPARK:
            assert door("SELECT 'a' AS x", spark)
            return
        with pytest.raises(ViewscribeError, match=r"(?s)^(?!.*not given to Spark)"):
            door("SELECT 'a' AS x", spark)
    finally:
        for name in ("kept", "v"):
            spark.sql(f"DROP VIEW IF EXISTS default.{name}")
        spark.sql("DROP FUNCTION IF EXISTS spark_catalog.default.f")
        spark.sql("DROP TABLE IF EXISTS default.kept_t")


def test_check_tells_of_each(payload: Payload) -> None:
    for name, text in payload.texts():
        for env in (stored(text), stored(text, "SELECT '' AS x"), stored("SELECT '' AS x", text)):
            codes = {each.code for each in check(env.catalogs.catalog())}
            assert "not-allowed" in codes, (name, text)


@pytest.mark.parametrize("session", ["spark", "connected"])
def test_what_is_allowed_runs(
    request: pytest.FixtureRequest, session: str, payload: Payload, tmp_path: Path
) -> None:
    """Were the effects none, no test above could fail."""
    spark = request.getfixturevalue(session)
    env = stored(payload.queries["call"])
    assert run(vs.open_view(env, "v", spark, functions=["reflect"])) == ["Row(x='null')"]
    with pytest.raises(AssertionError):
        payload.require_nothing_happened("it did")
    payload._java.clearProperty(PROPERTY)
    env = stored(payload.queries["file"])
    shown = run(vs.open_view(env, "v", spark, locations=[str(tmp_path)]))
    assert shown == [f"Row(x='{SECRET}')"]


@pytest.fixture(params=["spark", "second", "connected"])
def own(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A session in which the user has something beside its catalogs."""
    session = request.getfixturevalue(request.param)
    session.udf.register("readit", lambda place: SECRET)
    session.udf.register("sha512", lambda text: SECRET)  # Flink has one, and Spark has not
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION zf() RETURNS STRING RETURN 'mine'")
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW theirs AS SELECT '{SECRET}' AS x")
    session.sql(f"CREATE OR REPLACE GLOBAL TEMPORARY VIEW theirs AS SELECT '{SECRET}' AS x")
    session.sql(f"DECLARE OR REPLACE VARIABLE hidden STRING DEFAULT '{SECRET}'")
    yield session
    session.sql("DROP VIEW theirs")
    session.sql("DROP VIEW global_temp.theirs")
    session.sql("DROP TEMPORARY VARIABLE IF EXISTS hidden")
    for name in ("readit", "zf", "sha512"):
        session.sql(f"DROP TEMPORARY FUNCTION {name}")


OF_SESSIONS = {
    "view": (
        "SELECT x FROM {}",
        ["theirs", "THEIRS", "session.theirs", "system.session.`theirs`", "`\u017fession`.theirs"],
    ),
    "view within a CTE of its name": (
        "WITH c AS (SELECT 1), theirs AS (SELECT * FROM theirs) SELECT x FROM {}",
        ["theirs", "theirs WHERE 'View (`c`, [' <> ''"],
    ),
    "view of all sessions": ("SELECT x FROM {}", ["global_temp.theirs"]),
    "function": (
        "SELECT {} AS x",
        [
            "readit('a')",
            "session.READIT('a')",
            "system.session.zf()",
            "sha512('a')",
            "`\u017fession`.zf()",
        ],
    ),
}


@pytest.mark.parametrize("kind", OF_SESSIONS)
@pytest.mark.parametrize(
    "door", [each for each in DOORS if each is not verify_given], ids=lambda door: door.__name__
)
def test_a_text_reads_nothing_of_the_session_itself(door: Any, kind: str, own: Any) -> None:
    """What Spark keeps beside its catalogs is the user's, and no stored view can read it."""
    text, names = OF_SESSIONS[kind]
    for name in names:
        try:
            told: object = door(text.format(name), own)
        except ViewscribeError:
            told = ""
        assert told == "", name


def test_what_the_user_compares_may_read_what_is_his(own: Any) -> None:
    """He gives the text himself; beside the table of a document it may be the document's."""
    env = vs.TableEnvironment()
    table = env.from_values([(SECRET,)], "x STRING")
    theirs = vs.Table.from_plan(env, json.loads(json.dumps(to_plan(table.operation))))
    for text in ("SELECT x FROM theirs", f"SELECT '{SECRET}' AS x WHERE zf() = 'mine'"):
        with of_session(own):
            assert vs.verify(table, own, sql=text, rows=False).schema.status == "equal"
        with pytest.raises(ForbiddenSourceError, match="temporary"):
            vs.verify(theirs, own, sql=text, rows=False)


@pytest.mark.parametrize("door", [open_text, run_view, run_plan])
def test_a_cte_goes_before_a_view_of_the_session(door: Any, own: Any) -> None:
    text = "WITH theirs AS (SELECT '' AS x) SELECT x FROM theirs"
    assert "temporary" not in str(door(text, own))


VARIABLES = {
    "hidden": ["hidden", "session.Hidden", "system.session.hidden", "`\u017fession`.hidden"],
    "`a(b=`": ["`A(b=`", "system.session.`a(b=`"],
    "session": ["session.v", "system.session.v", "Session"],
}


@pytest.fixture(params=VARIABLES)
def variable(own: Any, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Names of a variable of the session, whose value, or a field of that, is a secret."""
    value = f"named_struct('v', '{SECRET}')" if request.param == "session" else f"'{SECRET}'"
    own.sql(f"DECLARE OR REPLACE VARIABLE {request.param} DEFAULT {value}")
    yield VARIABLES[request.param]
    own.sql(f"DROP TEMPORARY VARIABLE IF EXISTS {request.param}")


IN_TEXTS = (
    "SELECT {} AS x",
    "SELECT x FROM VALUES ({}) AS t(x)",
    f"SELECT max(c) AS x FROM VALUES ('a', '{SECRET}') AS t(a, b) PIVOT (max(a) FOR b IN ({{}} c))",
    f"SELECT 'a' AS x FROM range(1) WHERE EXISTS (SELECT 1 WHERE {{}} = '{SECRET}')",
)


@pytest.mark.parametrize("door", [open_text, verify_text, run_view, run_plan, run_function])
def test_a_variable_of_the_session_is_none_of_a_text(
    door: Any, own: Any, variable: list[str]
) -> None:
    for name in variable:
        for text in IN_TEXTS:
            with pytest.raises(ForbiddenSourceError, match="temporary variable"):
                print(door(text.format(name), own))


@pytest.mark.parametrize("door", [open_text, run_view, run_plan])
def test_a_column_goes_before_a_variable_of_the_session(door: Any, own: Any) -> None:
    text = "SELECT max(hidden) AS x FROM VALUES ('mine') AS t(hidden)"
    assert door(text, own) == ["Row(x='mine')"]


def verify_tree(plan: dict[str, Any], spark: Any) -> object:
    return vs.verify(kept("SELECT '' AS x", plan).get_view("v"), spark)


def run_tree(plan: dict[str, Any], spark: Any) -> object:
    return run(kept("SELECT '' AS x", plan).view_table("v").to_dataframe(spark))


def run_built_in(text: str, spark: Any) -> object:
    if not is_classic(spark):
        return "columns of this process are classic"
    return run_tree(vs.TableEnvironment().sql_query(text).to_plan(), spark)


def run_longer_tree(plan: dict[str, Any], spark: Any) -> object:
    table = vs.Table.from_plan(vs.TableEnvironment(), plan)
    if is_classic(spark):  # both kinds in one process: columns are classic
        table = table.filter("x <> 'b'").select("x")
    return run(table.union_all(table).limit(1).to_dataframe(spark))


def run_pickled(plan: dict[str, Any], spark: Any) -> object:
    table = vs.Table.from_plan(vs.TableEnvironment(), plan)
    return run(copy.deepcopy(pickle.loads(pickle.dumps(table))).to_dataframe(spark))


def rows_of_tree(plan: dict[str, Any], spark: Any) -> object:
    view = kept("SELECT zf() AS x", plan).get_view("v")
    given().expect(view, rows=[{"x": "theirs"}], spark=spark)
    return "the row that is expected"


TREES = [verify_tree, run_tree, run_longer_tree, run_pickled]


@pytest.mark.parametrize("door", TREES)
@pytest.mark.parametrize("path", [("theirs",), ("session", "theirs"), ("global_temp", "theirs")])
def test_a_tree_reads_no_view_of_the_session(door: Any, path: Any, own: Any) -> None:
    plan = to_plan(CatalogSource.of(path, (Field("x", STRING),)))
    with pytest.raises(ForbiddenSourceError, match="temporary view"):
        door(plan, own)


@pytest.mark.parametrize(
    "door", [verify_tree, run_tree, run_longer_tree, run_pickled, rows_of_tree]
)
def test_a_function_of_a_document_takes_the_place_of_none(door: Any, own: Any) -> None:
    with pytest.raises(ViewscribeError, match="temporary function"):
        door(calling("nullif('theirs', '')"), own)
    assert own.sql("SELECT zf() AS x").collect() == [("mine",)]


CALLED_BY_REFLECT = "org.apache.spark.sql.catalyst.expressions.CallMethodViaReflection"
SPARKS_HOMES = [
    ("system", "builtin"),
    ("System", "BUILTIN"),
    ("\u017fystem", "bu\u0131lt\u0130n"),
    ("system", "session"),
    ("spark_catalog", "builtin"),
    ("lake", "Session"),
    ("builtin",),
    ("system", "lake", "builtin"),
    (),
]


def calling_a_function(
    path: tuple[str, ...], language: str, kind: str, *, temporary: bool, nulls: bool = False
) -> dict[str, Any]:
    """A plan that passes one of Spark's own functions, or of the user's, off as a stored one."""
    given = ("java.lang.System", "setProperty", PROPERTY, "x") if path[-1] == "reflect" else ()
    function = {
        "identifier": list(path),
        "kind": kind,
        "language": language,
        "parameters": [{"name": f"p{each}", "type": "STRING"} for each in range(len(given))],
        "returns": "STRING",
        **({"body": f"'{SECRET}'"} if language == "sql" else {"reference": CALLED_BY_REFLECT}),
        **({"temporary": True} if temporary else {}),
    }
    plan = vs.TableEnvironment().sql_query("SELECT upper('a') AS x").to_plan()
    type_ = "STRING" if nulls else "STRING NOT NULL"
    nodes = [
        *({"node": "literal", "value": each, "type": "STRING NOT NULL"} for each in given),
        {
            "node": "call",
            "function": function,
            "type": type_,
            "args": list(range(len(given))),
        },
        {"node": "alias", "name": "x", "type": type_, "child": len(given)},
        {"node": "one_row"},
        {"node": "project", "child": len(given) + 2, "expressions": [len(given) + 1]},
    ]
    return {"version": plan["version"], "nodes": nodes, "root": len(nodes) - 1}


def test_a_stored_function_of_a_plan_is_called(spark: Any) -> None:
    """Else the plans below would be refused for what they are not."""
    path = ("spark_catalog", "default", "stored_once")
    plan = calling_a_function(path, "sql", "scalar", temporary=False)
    try:
        assert run_longer_tree(plan, spark) == [f"Row(x='{SECRET}')"]
    finally:
        spark.sql("DROP FUNCTION IF EXISTS spark_catalog.default.stored_once")


@pytest.mark.parametrize("kind", ["scalar", "aggregate", "generator"])
@pytest.mark.parametrize("language", ["hive", "java", "sql", "python", "catalog"])
@pytest.mark.parametrize("door", [*TREES, rows_of_tree])
def test_no_function_of_a_plan_is_sparks_or_the_users(
    door: Any, language: str, kind: str, own: Any, payload: Payload
) -> None:
    """Whatever it is said to be, a name in a place of Spark's own calls what is there."""
    for name in ("reflect", "zf", "READIT"):
        for home in SPARKS_HOMES:
            for temporary in (False, True):
                if temporary and not home:
                    continue  # a name of its own, with a rule of its own
                for nulls in (False, True):
                    plan = calling_a_function(
                        (*home, name), language, kind, temporary=temporary, nulls=nulls
                    )
                    with pytest.raises(ViewscribeError):
                        print(home, name, temporary, door(plan, own))
    payload.require_nothing_happened(f"{door.__name__}, {language}, {kind}")


@pytest.mark.parametrize("temporary", [False, True])
@pytest.mark.parametrize("door", [*TREES, rows_of_tree])
def test_a_class_that_is_no_function_is_refused_by_us(door: Any, temporary: bool, own: Any) -> None:
    path = ("nofunction",) if temporary else ("spark_catalog", "default", "nofunction")
    plan = calling_a_function(path, "hive", "scalar", temporary=temporary)
    with pytest.raises(ViewscribeError):
        print(door(plan, own))
    assert not own.catalog.functionExists("spark_catalog.default.nofunction")


def test_a_plan_that_the_user_made_is_no_document(spark: Any) -> None:
    """One that was changed is, and so is one that was made of a document."""
    env = vs.TableEnvironment()
    env.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION zf() RETURNS STRING RETURN 'own'")
    plan = json.loads(json.dumps(env.sql_query("SELECT zf() AS x").to_plan()))
    changed = json.loads(json.dumps(plan).replace("'own'", "'theirs'"))
    theirs = vs.Table.from_plan(vs.TableEnvironment(), changed).select("x").to_plan()
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION zf() RETURNS STRING RETURN 'mine'")
    try:
        for each in (changed, theirs):
            with pytest.raises(FunctionRegistrationError, match="of its own"):
                run_longer_tree(each, spark)
        assert spark.sql("SELECT zf() AS x").collect() == [("mine",)]
        assert run_longer_tree(plan, spark) == ["Row(x='own')"]
    finally:
        spark.sql("DROP TEMPORARY FUNCTION zf")


def test_a_document_may_bring_the_same_function_again(spark: Any) -> None:
    for value in ("'a'", "'c'"):
        plan = calling(f"nullif({value}, '')", "brought")
        assert run_longer_tree(plan, spark) == [f"Row(x={value})"]


FIRST: dict[str, dict[str, str]] = {
    "order": {"spark.sql.functionResolution.sessionOrder": "first"},
    "path": {"spark.sql.path.enabled": "true"},
}


@pytest.mark.parametrize("session", ["spark", "second", "connected"])
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("door", [open_text, verify_text, run_view, run_plan, run_built_in])
def test_a_function_of_the_user_is_no_function_of_sparks(
    door: Any, first: str, session: str, request: pytest.FixtureRequest
) -> None:
    """Where his own go before those of Spark."""
    if door is verify_text and session == "connected":
        return  # rows that differ are compared by columns, and those of this process are classic
    spark = request.getfixturevalue(session)
    spark.udf.register("upper", lambda text: SECRET)
    try:
        with session_with(spark, FIRST[first]):
            if first == "path":
                spark.sql("SET PATH = system.session, system.builtin, spark_catalog.default")
            with suppress(ForbiddenSourceError):  # some ask with Spark's own order
                assert SECRET not in str(door("SELECT upper('a') AS x", spark))
            if first == "path":
                spark.sql("SET PATH = DEFAULT_PATH")
    finally:
        spark.sql("DROP TEMPORARY FUNCTION session.upper")


@pytest.mark.parametrize("name", ["lower", "brought_too"])
def test_a_name_that_was_given_once_is_the_users_again(spark: Any, name: str) -> None:
    """One of Spark's own is given to no document; one that the user makes is his."""
    plan = json.loads(json.dumps(calling("nullif('theirs', '')")).replace('"zf"', f'"{name}"'))
    with suppress(FunctionRegistrationError):
        run_longer_tree(plan, spark)
    spark.udf.register(name, lambda: "mine")
    try:
        with pytest.raises(FunctionRegistrationError):
            run_longer_tree(plan, spark)
        assert spark.sql(f"SELECT session.{name}() AS x").collect() == [("mine",)]
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION session.{name}")


def test_what_the_author_himself_stored_needs_no_permission(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.execute_sql("CREATE FUNCTION own() RETURNS STRING RETURN input_file_name()")
    assert run(env.sql_query("SELECT own() AS x").to_dataframe(spark)) == ["Row(x='')"]
    again = vs.TableEnvironment(env.catalogs.catalog())
    with pytest.raises(ForbiddenSourceError, match="input_file_name"):
        again.sql_query("SELECT own() AS x").to_dataframe(spark)


def test_an_author_has_a_view_of_the_name_that_he_wrote(spark: Any) -> None:
    """His text is asked with its names in full: what it reads is no temporary view."""
    env = vs.TableEnvironment()
    env.create_table("named", "x STRING", format="parquet")
    spark.sql("CREATE TABLE IF NOT EXISTS default.named (x STRING) USING parquet")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW named AS SELECT 'temporary' AS x")
    try:
        env.create_view("v", env.sql_query("SELECT x FROM named"))
        assert vs.verify(env.get_view("v"), spark).ok
    finally:
        spark.sql("DROP VIEW named")
        spark.sql("DROP TABLE default.named")


def test_check_tells_of_a_function_that_no_view_has() -> None:
    catalog = kept("SELECT zf() AS x", calling("nullif('a', '')")).catalogs.catalog()
    assert "no stored view has" in " ".join(each.cause for each in check(catalog))


def test_what_the_user_wrote_may_read_his_views(spark: Any) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW mine AS SELECT 'a' AS x")
    try:
        made = vs.Table(vs.TableEnvironment(), SqlText.of("FROM mine", (Field("x", STRING),)))
        assert run(made.to_dataframe(spark)) == ["Row(x='a')"]
    finally:
        spark.sql("DROP VIEW mine")


def test_a_session_is_asked_nothing_before_a_text_without_a_plan_is_admitted(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    text = f"SELECT _c0 AS x FROM csv.`{tmp_path}`"
    asked: list[str] = []
    monkeypatch.setattr(
        "viewscribe.spark.read_texts.run_as_written", lambda _, text: asked.append(text)
    )
    with pytest.raises(ForbiddenSourceError, match="nobody allowed"):
        vs.verify(stored(text).get_view("v"), spark, rows=False)
    assert asked == []


def test_a_view_is_vouched_for_by_its_own_name_alone(connected: Any) -> None:
    text = "SELECT TRANSFORM('a') USING 'cat' AS (x STRING)"
    theirs = stored(text, "SELECT '' AS x").get_view("v")
    made = msgspec.structs.replace(theirs, name="shop.legacy", database="d")
    with pytest.raises(ForbiddenSourceError, match="not given to Spark"):
        vs.verify(made, connected, opaque=["shop.legacy"])
    allowed = Permissions.of(opaque=["d.`Shop.legacy`"])
    assert allowed.vouches_for(("d", "shop.legacy"))
    assert not allowed.vouches_for(("d", "shop", "legacy"))
    assert not Permissions.of(opaque=["shop.legacy"]).vouches_for(("d", "shop.legacy"))


def test_a_server_puts_in_no_variable_when_it_runs(connected: Any) -> None:
    """It reads each text again by then, when nobody has switched that off."""
    text = "SELECT '' AS x -- ${system:line.separator} UNION ALL SELECT 'b'"
    for door in (open_text, verify_plan, run_view, run_plan, rows_of_text):
        with pytest.raises(ViewscribeError, match="puts the value of a variable"):
            print(door, door(text, connected))


def test_a_server_is_asked_of_no_such_text(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What names a view of the user is analyzed to see whether it reads that: not this."""
    if is_classic(own):
        return
    monkeypatch.setattr(SessionObjects, "are_read", lambda *_: pytest.fail("it was asked"))
    with pytest.raises(ViewscribeError, match="puts the value of a variable"):
        run_plan("WITH theirs AS (SELECT '' AS x) SELECT x FROM theirs -- ${a}", own)


def test_a_temporary_function_vouches_for_no_function_of_a_catalog(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.execute_sql("CREATE TEMPORARY FUNCTION tools.fns.shout() RETURNS STRING RETURN 'a'")
    (function,) = user_functions(env.sql_query("SELECT tools.fns.shout() AS x").operation)
    assert function.names_in_text == (("tools.fns.shout",),)
    gate = gate_of(spark, known=names_in_text([function]))
    gate.admit("SELECT `tools.fns.shout`() AS x", "it")
    with pytest.raises(ForbiddenSourceError, match="runs a class"):
        gate.admit("SELECT tools.fns.shout() AS x", "it")


def test_a_row_test_makes_nothing_before_all_is_looked_at(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.create_database("evil", if_not_exists=True)
    env.execute_sql("CREATE FUNCTION evil.lasting() RETURNS STRING RETURN 'a'")
    plan = env.sql_query("SELECT evil.lasting() AS x").to_plan()
    made = kept("SELECT evil.lasting() || reflect('a', 'b') AS x", plan)
    with pytest.raises(ViewscribeError, match="reflect"):
        given().expect(made.get_view("v"), rows=[{"x": "a"}], spark=spark)
    assert not spark.catalog.databaseExists("evil")


def test_a_name_alone_may_be_of_the_current_catalog(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = gate_of(spark)
    assert gate.session is not None
    monkeypatch.setattr(type(gate.session), "is_of_databases", lambda *_: False)
    with pytest.raises(ForbiddenSourceError, match="current catalog"):
        gate.admit("SELECT shout('a') AS x", "it")
    monkeypatch.undo()
    gate_of(spark).admit("SELECT shout('a'), upper('a') AS x", "it")
