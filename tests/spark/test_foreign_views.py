"""Documents that somebody else wrote: nothing in them is pasted into statements or carried out."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tests import foreign_views
from viewscribe import TableEnvironment
from viewscribe.catalog_store import CatalogManager, MemoryCatalog
from viewscribe.catalog_store.documents.model import (
    Column,
    DatabaseDocument,
    Dependency,
    FunctionDocument,
    Parameter,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.permissions import NotAQueryError
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS, allowed_settings
from viewscribe.errors import CatalogError, VerificationError, ViewscribeError
from viewscribe.operations import nodes as n
from viewscribe.spark.errors import ViewCycleError
from viewscribe.spark.interpreter import Interpreter
from viewscribe.spark.registered_tables import create_table_text
from viewscribe.spark.session import require_allowed, settings_of_text
from viewscribe.spark.session_catalog import SessionCatalog
from viewscribe.spark.verify import verify
from viewscribe.spark.views import analyze, open_view
from viewscribe.types import INT, Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession


class Watched:
    """A session that tells what it is asked to carry out."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.conf = self
        self.getAll: dict[str, str] = {}
        self.spark = self

    def sql(self, text: str) -> Any:
        self.asked.append(text)
        raise AssertionError(f"carried out: {text}")


def view(sql: str, **settings: str) -> ViewDocument:
    return ViewDocument(
        database="sales", name="v", sql=sql, columns=(Column("a", "INT"),), settings=settings
    )


@pytest.mark.parametrize("text", ["DROP DATABASE sales CASCADE", "ADD JAR 'evil.jar'", "BEGIN END"])
def test_a_view_that_is_a_statement_is_not_carried_out(text: str) -> None:
    session: Any = Watched()
    with pytest.raises(CatalogError, match=r"view sales\.v is not given to Spark"):
        analyze(session, view(text))
    assert session.asked == []


def test_nor_is_the_text_of_a_plan_document(spark: SparkSession) -> None:
    spark.range(1).createOrReplaceTempView("kept")
    node = n.SqlText.of("DROP VIEW kept", (Field("a", INT),), (), ())
    with pytest.raises(NotAQueryError, match="is not given to Spark"):
        Interpreter(spark).run(node)
    assert spark.catalog.dropTempView("kept")


def table(**changed: Any) -> TableDocument:
    fields = {"columns": (Column("a", "INT"),), "format": "csv", "location": "/data"}
    return TableDocument(database="sales", name="t", **(fields | changed))


def test_no_format_ends_the_statement() -> None:
    document = table(format="csv AS SELECT reflect('java.lang.System', 'exit', 0) -- `")
    text = create_table_text("t", document)
    assert "USING `csv AS SELECT reflect('java.lang.System', 'exit', 0) -- ``` LOCATION" in text


def test_no_name_and_no_text_ends_the_statement() -> None:
    name, value = "a` INT) USING evil --", "' ) AS SELECT 1 -- \\"
    document = table(
        columns=(Column(name, "struct<b:int>", nullable=False),),
        options={value: value},
        partitioned_by=(name,),
        location=value,
    )
    quoted = "'\\' ) AS SELECT 1 -- \\\\'"
    assert create_table_text("t", document) == (
        "CREATE TABLE t (`a`` INT) USING evil --` STRUCT<b: INT> NOT NULL) USING csv "
        f"OPTIONS ({quoted} = {quoted}) PARTITIONED BY (`a`` INT) USING evil --`) LOCATION {quoted}"
    )


@pytest.mark.parametrize("type_", ["INT) USING text --", "INT, b INT", "INT COMMENT 'x'", ""])
def test_no_type_ends_the_columns(type_: str) -> None:
    with pytest.raises(CatalogError, match=r"table sales\.t has a column of no type"):
        create_table_text("t", table(columns=(Column("a", type_),)))


@pytest.mark.parametrize(
    "name",
    [
        "fs.s3a.endpoint",
        "spark.hadoop.fs.s3a.endpoint",
        "hive.metastore.uris",
        "spark.jars",
        "spark.sql.catalog.spark_catalog",
        "spark.sql.catalog.sales",
        "spark.sql.catalog.sales.url",
        "spark.sql.defaultCatalog",
        "spark.sql.streaming.stateStore.providerClass",
        "spark.sql.sources.outputCommitterClass",
        "spark.sql.parquet.output.committer.class",
        "spark.sql.hive.metastore.jars",
        "spark.sql.execution.pyspark.python",
        "spark.sql.sources.default",
        "spark.sql.streaming.checkpointLocation",
        "spark.sql.warehouse.dir",
        "spark.sql.shuffle.partitions",
        "spark.sql.legacy.allowUntypedScalaUDF",
        "spark.sql.legacy.setCommandRejectsSparkCoreConfs",
    ],
)
def test_settings_that_say_more_than_what_a_query_means(name: str) -> None:
    with pytest.raises(VerificationError, match=rf"(?s){name}.*set it in the session"):
        require_allowed(name, "true")


def test_settings_of_the_meaning() -> None:
    for name, value in DEFAULT_SETTINGS.items():
        require_allowed(name, value)
    require_allowed("spark.sql.timeType.enabled", "true")
    require_allowed("spark.sql.session.timeZone", "America/Argentina/Buenos_Aires")
    require_allowed("spark.sql.session.timeZone", "+05:30")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.ansi.enabled", "/tmp/evil.sh"),
        ("spark.sql.ansi.enabled", ""),
        ("spark.sql.variable.substitute", "true"),
        ("spark.sql.session.timeZone", "UTC; rm -rf"),
        ("spark.sql.mapKeyDedupPolicy", "com.evil.Policy"),
        ("spark.sql.timestampType", "TIMESTAMP_LTZ\n"),
    ],
)
def test_settings_have_only_the_values_that_there_are(name: str, value: str) -> None:
    with pytest.raises(VerificationError, match=rf"{name} of a view cannot be"):
        require_allowed(name, value)


def test_every_setting_that_a_document_may_set_is_one_of_spark(spark: SparkSession) -> None:
    for name in ALLOWED_SETTINGS:
        spark.conf.get(name)  # raises for what Spark does not know


def test_what_spark_notes_beside_its_views_is_used_only_as_far_as_it_is_allowed() -> None:
    noted = {"spark.sql.ansi.enabled": "false", "spark.sql.execution.pyspark.python": "/tmp/evil"}
    assert allowed_settings(noted) == {"spark.sql.ansi.enabled": "false"}


def test_variables_are_not_put_into_stored_texts() -> None:
    given = {"spark.sql.ansi.enabled": "true"}
    assert settings_of_text("SELECT 1", given) == given
    name = "spark.sql.variable.substitute"
    assert settings_of_text("SELECT '${env:HOME}'", given | {name: "true"})[name] == "false"
    require_allowed(name, "false")


def test_no_default_ends_the_parameters_of_a_function() -> None:
    from viewscribe.catalog_store.documents.model import FunctionDocument, Parameter
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.expressions.functions.identifiers import FunctionIdentifier
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.spark.functions import register_function

    document = FunctionDocument(
        database="sales",
        name="f",
        function_kind="scalar",
        language="sql",
        parameters=(Parameter("x", "INT", "0) RETURNS STRING RETURN 'another' --"),),
        returns="INT",
        body="x",
    )
    function = UserFunction(FunctionIdentifier("f"), source_of(document), temporary=True)
    session: Any = Watched()
    with pytest.raises(NotAQueryError, match="cannot be read as an expression"):
        register_function(function, session)
    assert session.asked == []


# -- names in views that Spark wrote ---------------------------------------------------------------


@pytest.fixture(scope="module")
def made(spark: SparkSession) -> Iterator[None]:
    """Views of Spark of every form, and a reader who is in another database."""
    current = spark.catalog.currentDatabase()
    try:
        foreign_views.make(spark.sql)
        yield
    finally:
        spark.sql(f"USE {current}")
        for name in (foreign_views.HOME, foreign_views.AWAY, "own_new"):
            spark.sql(f"DROP DATABASE IF EXISTS {name} CASCADE")


def rows(frame: DataFrame) -> list[str]:
    return sorted(map(str, frame.collect()))


def rows_of_all(frames: Iterable[DataFrame]) -> dict[int, list[str]]:
    """The rows of many, in one query."""
    shown = [
        frame.select(F.lit(number).alias("number"), F.to_json(F.struct("*")).alias("row"))
        for number, frame in enumerate(frames)
    ]
    found: dict[int, list[str]] = defaultdict(list)
    for number, row in sorted(map(tuple, reduce(DataFrame.union, shown).collect())):
        found[number].append(row)
    return found


@pytest.mark.slow("makes fifty views in Spark and opens each")
def test_views_of_spark_mean_what_they_mean_where_they_were_made(
    spark: SparkSession, made: None
) -> None:
    catalog = SessionCatalog(spark)
    manager = CatalogManager(catalog)
    paths = [(foreign_views.home_of(n), f"v{n}") for n in range(len(foreign_views.FORMS))]
    wanted = rows_of_all(spark.table(".".join(path)) for path in paths)
    opened = rows_of_all(open_view(manager, ("spark_catalog", *path), spark) for path in paths)
    documents = [catalog.get("view", *path).document for path in paths]
    spark.sql("CREATE DATABASE own_new")
    forms = list(foreign_views.FORMS)
    for form in foreign_views.RENAMED:
        name = f"v{forms.index(form)}"
        catalog.rename("view", foreign_views.home_of(forms.index(form)), name, ("own_new", name))
        path = f"own_new.{name}"
        assert rows_of_all([spark.table(path)])[0] == wanted[forms.index(form)], form
    for number, (form, document) in enumerate(zip(forms, documents, strict=True)):
        assert isinstance(document, ViewDocument)
        assert opened[number] == wanted[number], f"{form}: {document.sql}"
        if form != "another table called so":
            homes = {each.name[1] for each in document.dependencies}
            assert homes <= {foreign_views.HOME}, form


NOT_READ = {
    "recursive": "a recursive query is not read",
}
"""Forms that stay text, and why."""


@pytest.mark.slow("reads fifty views of Spark and prints each in two styles")
def test_views_of_spark_have_trees_that_mean_the_same(spark: SparkSession, made: None) -> None:
    env = TableEnvironment(SessionCatalog(spark))
    read: dict[str, str] = {}
    refused: dict[str, str] = {}
    for number, form in enumerate(foreign_views.FORMS):
        name = f"{foreign_views.home_of(number)}.v{number}"
        if not spark.catalog.tableExists(name):  # another test moves some of them
            name = f"own_new.v{number}"
        try:
            table = env.view_table(name)
        except ViewscribeError as error:
            refused[form] = error.message
            continue
        told = [(each.name, each.dataType.simpleString()) for each in spark.table(name).schema]
        assert [(f.name, f.type.ddl.lower()) for f in table.schema] == told, form
        read |= {f"{name} {style}": table.to_sql(style) for style in ("readable", "pipe")}
    assert refused.items() <= NOT_READ.items()
    wanted = rows_of_all(spark.table(each.split()[0]) for each in read)
    found = rows_of_all(map(spark.sql, read.values()))
    for number, (each, text) in enumerate(read.items()):
        assert found[number] == wanted[number], f"{each}: {text}"


def test_what_spark_alters_elsewhere_under_the_same_text_is_noticed(
    spark: SparkSession, made: None
) -> None:
    catalog = SessionCatalog(spark)
    document = ViewDocument(
        database=foreign_views.HOME,
        name="altered",
        sql="SELECT id FROM orders",
        columns=(Column("id", "INT"),),
    )
    catalog.create(document)
    assert rows(spark.table("own_home.altered")) == ["Row(id=1)", "Row(id=2)"]
    spark.sql("ALTER VIEW own_home.altered AS SELECT id FROM orders")  # where the reader is
    told = catalog.get("view", foreign_views.HOME, "altered").document
    assert isinstance(told, ViewDocument)
    assert told.sql == "SELECT id FROM spark_catalog.own_away.orders"


def test_a_document_with_short_names_means_its_own_database(
    spark: SparkSession, made: None
) -> None:
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name=foreign_views.HOME))
    sql = "SELECT id FROM orders"
    document = ViewDocument(
        database=foreign_views.HOME, name="short", sql=sql, columns=(Column("id", "INT"),)
    )
    catalog.create(document)
    manager = CatalogManager(catalog)
    path = ("spark_catalog", foreign_views.HOME, "short")
    assert rows(open_view(manager, path, spark)) == ["Row(id=1)", "Row(id=2)"]
    catalog.create_database(DatabaseDocument(name=foreign_views.AWAY))
    catalog.rename("view", foreign_views.HOME, "short", (foreign_views.AWAY, "short"))
    path = ("spark_catalog", foreign_views.AWAY, "short")
    assert rows(open_view(manager, path, spark)) == ["Row(id=1)", "Row(id=2)"]


# -- functions, whose bodies Spark reads where its caller is ------------------------------------


@pytest.fixture
def two_orders(spark: SparkSession) -> Iterator[None]:
    """A table of one name in two databases, and functions of one that read it."""
    spark.sql("CREATE DATABASE of_bodies")
    for place, rows in (("default.orders_of_bodies", 1), ("of_bodies.orders_of_bodies", 2)):
        spark.sql(f"CREATE TABLE {place} USING parquet AS SELECT id FROM range({rows})")
    try:
        yield
    finally:
        spark.sql("USE default")
        spark.sql("DROP DATABASE of_bodies CASCADE")
        spark.sql("DROP TABLE default.orders_of_bodies")


@pytest.mark.usefixtures("two_orders")
@pytest.mark.parametrize(
    ("returns", "text"),
    [("BIGINT", "SELECT total() AS n"), ("TABLE(n BIGINT)", "SELECT n FROM total()")],
)
def test_functions_of_spark_read_what_the_view_around_them_means(
    spark: SparkSession, returns: str, text: str
) -> None:
    spark.sql("USE of_bodies")
    body = "(SELECT count(*) FROM orders_of_bodies)"
    spark.sql(f"CREATE FUNCTION total() RETURNS {returns} RETURN {body}")
    spark.sql(f"CREATE VIEW of_bodies.written AS {text}")
    spark.sql("USE default")
    assert spark.table("of_bodies.written").collect() == [(2,)]
    env = TableEnvironment(spark)
    assert open_view(env, "of_bodies.written", spark).collect() == [(2,)]
    assert spark.catalog.currentDatabase() == "default"
    with pytest.raises(ViewscribeError, match="where its caller is"):
        verify(env.get_view("of_bodies.written"), spark)


@pytest.mark.usefixtures("two_orders")
@pytest.mark.parametrize(
    ("returns", "text"),
    [("BIGINT", "SELECT total() AS n"), ("TABLE(n BIGINT)", "SELECT n FROM total()")],
)
def test_bodies_mean_the_database_that_they_were_written_in(
    spark: SparkSession, returns: str, text: str
) -> None:
    env = TableEnvironment(MemoryCatalog())
    env.create_database("of_bodies")
    env.create_table("of_bodies.orders_of_bodies", "id BIGINT")
    env.create_database("others")
    env.use_database("of_bodies")
    env.execute_sql(
        f"CREATE FUNCTION others.total() RETURNS {returns} "
        "RETURN (SELECT count(*) FROM orders_of_bodies)"
    )
    env.use_database("others")
    env.create_view("others.counted", env.sql_query(text))
    try:
        assert open_view(env, "others.counted", spark).collect() == [(2,)]
        assert verify(env.get_view("others.counted"), spark).ok
    finally:
        spark.sql("DROP DATABASE others CASCADE")


@pytest.mark.usefixtures("two_orders")
@pytest.mark.parametrize("kind", ["FUNCTION", "SYSTEM FUNCTION"])
def test_so_do_those_of_functions_that_end_with_the_session(spark: SparkSession, kind: str) -> None:
    env = TableEnvironment(MemoryCatalog())
    env.create_database("of_bodies")
    env.create_table("of_bodies.orders_of_bodies", "id BIGINT")
    env.use_database("of_bodies")
    body = "(SELECT count(*) FROM orders_of_bodies)"
    env.execute_sql(f"CREATE TEMPORARY {kind} passing() RETURNS BIGINT RETURN {body}")
    called = env.sql_query("SELECT passing() AS n")
    env.use_database("default")
    assert called.to_dataframe(spark).collect() == [(2,)]


def test_functions_that_call_each_other_are_told(spark: SparkSession) -> None:
    env = TableEnvironment(MemoryCatalog())
    for name, body in (("one", "default.two(x)"), ("two", "default.one(x)")):
        env.catalogs.save(
            FunctionDocument(
                database="default",
                name=name,
                function_kind="scalar",
                language="sql",
                parameters=(Parameter("x", "INT"),),
                returns="INT",
                body=body,
            )
        )
    needed = (Dependency("function", ("spark_catalog", "default", "one")),)
    document = ViewDocument(
        database="default",
        name="circling",
        sql="SELECT spark_catalog.default.one(1) AS a",
        columns=(Column("a", "INT"),),
        dependencies=needed,
    )
    env.catalogs.save(document)
    with pytest.raises(ViewCycleError, match=r"function `spark_catalog\.default\.one` depends"):
        open_view(env, "circling", spark)
