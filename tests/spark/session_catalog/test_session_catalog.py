"""What is stored in a session is Spark's own, and what Spark stores there is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

import viewscribe as vs
from tests.catalog_store.samples import database, function, table, view
from tests.spark.session_catalog.conftest import stored_views
from viewscribe import col
from viewscribe.catalog_store import (
    CatalogError,
    CatalogNotFoundError,
    Column,
    ConcurrentUpdateError,
    InvalidDocumentError,
    Parameter,
    StorageError,
    TableDocument,
    ViewDocument,
    seal,
)
from viewscribe.catalog_store.documents.versions import next_version
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import is_kept
from viewscribe.catalog_store.stores.hive.records import TableRecord
from viewscribe.catalog_store.stores.hive.states import fill, new_record, state_of
from viewscribe.catalog_store.stores.hive.view_tables import write_view
from viewscribe.errors import ViewscribeError
from viewscribe.spark.session import settings
from viewscribe.spark.session_catalog import SessionCatalog
from viewscribe.spark.session_catalog.statements import pairs
from viewscribe.spark.session_catalog.states import properties_told

BERLIN = {"spark.sql.session.timeZone": "Europe/Berlin"}


def described(spark: Any, name: str) -> dict[str, Any]:
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name} AS JSON").collect()
    return json.loads(rows[0][0])  # type: ignore[no-any-return]


# --- views of ours ---


def test_a_view_is_one_of_sparks(catalog, spark):
    columns = (Column("name", "STRING", comment="it's"),)
    fields: dict[str, Any] = {
        "comment": "it's ${HOME}",
        "properties": {"a 'b'": "c\\\n"},
        "settings": BERLIN,
    }
    catalog.create(view(columns=columns, **fields))
    assert [tuple(row) for row in spark.sql("SELECT * FROM sales.young").collect()] == [("ann",)]
    told = described(spark, "sales.young")
    assert told["view_text"] == view().sql
    assert (told["comment"], told["columns"][0]["comment"]) == ("it's ${HOME}", "it's")
    assert told["table_properties"]["a 'b'"] == "c\\\n"
    assert told["view_creation_spark_configuration"]["spark.sql.session.timeZone"] == (
        "Europe/Berlin"
    )
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.catalog.currentDatabase() == "default"


@pytest.mark.parametrize("is_on", [False, True])
def test_a_view_that_its_session_could_not_read_is_refused(catalog, spark, is_on):
    """Spark casts the columns of a view under the settings of whoever reads it."""
    time = "spark.sql.timeType.enabled"
    clock = view(
        sql="SELECT current_time() AS t", columns=(Column("t", "TIME(6)"),), settings={time: "true"}
    )
    with settings(spark, {time: str(is_on).lower()}):
        if is_on:
            catalog.create(clock)
            assert spark.table("sales.young").columns == ["t"]
        else:
            with pytest.raises(InvalidDocumentError, match=r"could read the view: .*TIME"):
                catalog.create(clock)
            assert stored_views(spark, "sales") == []


def test_a_replacement_changes_the_text_and_what_it_is_meant_under(catalog, spark):
    token = catalog.create(view(comment="one", properties={"old": "x", "kept": "y"}))
    two = view(
        sql="SELECT date_format(TIMESTAMP '2024-01-01 00:00:00Z', 'H') AS h, '${HOME}' AS v",
        columns=(Column("name", "STRING"), Column("v", "STRING")),
        properties={"kept": "z", "new": "w"},
        settings=BERLIN,
    )
    second = catalog.replace(two, expected=token)
    stored = catalog.get("view", "sales", "young")
    assert (stored.document, stored.token) == (seal(two), second)
    (row,) = spark.sql("SELECT * FROM sales.young").collect()
    assert row.asDict() == {"name": "1", "v": "${HOME}"}
    told = described(spark, "sales.young")
    ours = {key for key in told["table_properties"] if not key.startswith("viewscribe.")}
    assert ours == {"kept", "new"}
    assert "comment" not in told
    assert not {"viewscribe.catalog.before", "viewscribe.catalog.gone"} & {
        *told["table_properties"]
    }


def test_unqualified_names_mean_the_database_of_the_view(catalog, spark):
    catalog.create(view("a"))
    catalog.create(view("b", sql="SELECT name FROM a"))
    assert spark.table("sales.b").count() == 1


def test_what_spark_would_give_other_columns_is_refused(catalog):
    with pytest.raises(InvalidDocumentError, match=r"are name INT, and its text gives name STRING"):
        catalog.create(view(columns=(Column("name", "INT"),)))
    with pytest.raises(InvalidDocumentError, match="does not accept the text of the view"):
        catalog.create(view(sql="SELECT nothing FROM nowhere"))
    assert catalog.list_objects("sales") == []


def test_settings_under_which_no_text_can_be_quoted(catalog, spark):
    raw = {"spark.sql.parser.escapedStringLiterals": "true"}
    fields: dict[str, Any] = {"sql": r"SELECT '\d' AS name", "settings": raw}
    with pytest.raises(InvalidDocumentError, match='cannot be told "it\'s"'):
        catalog.create(view(comment="it's", **fields))
    token = catalog.create(view(comment="plain", **fields))
    assert catalog.get("view", "sales", "young").token == token
    assert spark.table("sales.young").first()[0] == r"\d"


# --- what others change ---


def test_an_edit_in_spark_is_a_version_of_its_own(catalog, spark):
    token = catalog.create(view(comment="one"))
    spark.sql("ALTER VIEW sales.young AS SELECT 'bob' AS name")
    with pytest.raises(ConcurrentUpdateError):
        catalog.replace(view(), expected=token)
    edited = catalog.get("view", "sales", "young")
    assert (edited.document.sql, edited.version.number) == ("SELECT 'bob' AS name", 2)
    assert edited.version.author is None
    assert edited.document.settings["spark.sql.session.timeZone"] == "UTC"
    catalog.replace(view(comment="three"), expected=edited.token)
    found = catalog.history("view", "sales", "young")
    assert [each.document.comment for each in found] == ["one", "one", "three"]
    assert [each.version.number for each in found] == [1, 2, 3]


def test_a_comment_or_name_given_in_spark_leaves_the_document(catalog, spark):
    plan: dict[str, Any] = {"version": 1, "root": 0, "nodes": [{"node": "star"}]}
    token = catalog.create(view(comment="one", plan=plan))
    spark.sql("ALTER VIEW sales.young SET TBLPROPERTIES ('comment' = 'two', 'team' = 'core')")
    spark.sql("ALTER VIEW sales.young RENAME TO sales.younger")
    found = catalog.get("view", "sales", "younger")
    assert found.token != token
    assert (found.document.comment, found.document.properties) == ("two", {"team": "core"})
    assert (found.document.name, found.document.plan) == ("younger", plan)


def test_views_of_spark_are_read(catalog, spark):
    spark.sql(
        "CREATE TABLE sales.t (id BIGINT, s VARCHAR(3), a ARRAY<STRUCT<x: INT>>) USING parquet"
    )
    spark.sql("USE sales")
    try:
        spark.sql("CREATE VIEW default.v (i COMMENT 'it', s, a) COMMENT 'c' AS SELECT * FROM t")
    finally:
        spark.sql("USE default")
    try:
        found: Any = SessionCatalog(spark).get("view", "default", "v")
        again = SessionCatalog(spark).get("view", "default", "v")
    finally:
        spark.sql("DROP VIEW default.v")
        spark.sql("DROP TABLE sales.t")
    assert found.token == again.token
    assert found.document.columns == (
        Column("i", "BIGINT", comment="it"),
        Column("s", "VARCHAR(3)"),
        Column("a", "ARRAY<STRUCT<x: INT>>"),
    )
    assert "FROM spark_catalog.sales.t" in found.document.sql
    assert found.document.sql.startswith("SELECT\n  id AS i,\n  s,\n  a\nFROM (")
    assert [each.name for each in found.document.dependencies] == [("spark_catalog", "sales", "t")]
    assert (found.document.comment, found.version.number) == ("c", 1)


def test_what_spark_hides_of_a_property_is_not_overwritten(catalog, spark):
    spark.sql("CREATE VIEW sales.v TBLPROPERTIES ('password' = 'x1') AS SELECT '1' AS name")
    seen = catalog.get("view", "sales", "v")
    hidden = seen.document.properties
    catalog.replace(view("v", properties=hidden), expected=seen.token)
    with pytest.raises(InvalidDocumentError, match="does not show the property 'password'"):
        catalog.create(view("w", properties=hidden))
    catalog.rename("view", "sales", "v", ("sales", "w"))
    java: Any = spark
    kept = java._jsparkSession.sessionState().catalog().externalCatalog().getTable("sales", "w")
    assert kept.properties().apply("password") == "x1"


def test_words_that_spark_hides_are_kept(catalog, spark):
    sql = "SELECT 'secret token' AS password, 'x' AS url"
    fields: dict[str, Any] = {
        "sql": sql,
        "comment": "the url",
        "properties": {"access_key": "", "a": "url"},
    }
    columns = (Column("password", "STRING"), Column("url", "STRING"))
    document = seal(view(columns=columns, **fields))
    token = catalog.create(document)
    assert catalog.get("view", "sales", "young").document == document
    less = seal(view(columns=columns, **{**fields, "properties": {}}))
    token = catalog.replace(less, expected=token)
    assert catalog.get("view", "sales", "young").document == less
    assert catalog.history("view", "sales", "young")[0].document == document
    home = database("hr", comment="token", properties={"password": "x", "url": "y"})
    catalog.replace_database(database("hr"), expected=catalog.create_database(home))
    assert catalog.get_database("hr").document == database("hr")


# --- the same documents in a metastore ---


def as_record(told: dict[str, Any]) -> TableRecord:
    """The record that Spark writes of a view that it describes so."""
    document = ViewDocument(
        database="sales",
        name=told["table_name"],
        comment=told.get("comment"),
        sql=told["view_text"],
        columns=(Column("name", "STRING"),),
        settings=told["view_creation_spark_configuration"],
    )
    record = new_record(document, "ada")
    write_view(document, record)
    record.parameters = {**record.parameters, **told["table_properties"]}
    return record


def test_a_metastore_reads_what_a_session_keeps(catalog, spark):
    token = catalog.create(view(comment="one", properties={"team": "core"}))
    token = catalog.replace(view(comment="two", properties={"team": "core"}), expected=token)
    record = as_record(described(spark, "sales.young"))
    state = state_of(record, "here")
    assert state.token == token
    history = [each.document.comment for each in state.history("view", "here")]
    assert history == ["one", "two"]
    record.parameters = {**record.parameters, "comment": "three"}
    assert state_of(record, "here").written.document.comment == "three"
    record.original_text = record.expanded_text = "SELECT 'bob' AS name"
    assert state_of(record, "here").version.number == 3


def test_a_session_reads_what_a_metastore_keeps(catalog, spark):
    version = next_version(None, None, "create")
    written = embedded_document.write(view("Theirs", comment="one", settings=BERLIN), version)
    record = new_record(written.document, "ada")
    fill(record, written, None, 0, "here")
    shown = {key: value for key, value in record.parameters.items() if is_kept(key)}
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        spark.sql(
            f"CREATE VIEW sales.theirs COMMENT 'one' TBLPROPERTIES {pairs(shown)} AS {view().sql}"
        )
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    stored = catalog.get("view", "sales", "theirs")
    assert (stored.document, stored.token) == (written.document, written.token)
    assert [each.name for each in catalog.list_objects("sales")] == ["Theirs"]


# --- tables ---


def test_a_table_of_which_only_the_columns_are_known_cannot_be_read(catalog, spark):
    token = catalog.create(table(comment="c"))
    catalog.create(view(sql="SELECT string(id) AS name FROM customers"))
    assert [each.kind for each in catalog.list_objects("sales")] == ["table", "view"]
    with pytest.raises(Exception, match=r"only the columns of sales\.customers are known"):
        spark.table("sales.young").collect()
    columns = (Column("id", "BIGINT"), Column("b", "DATE"))
    catalog.replace(table(columns=columns), expected=token)
    assert spark.table("sales.customers").columns == ["id", "b"]


def test_tables_with_their_rows_elsewhere(catalog, spark, tmp_path):
    place = str(tmp_path / "rows")
    spark.range(3).write.parquet(place)
    fields = {"format": "parquet", "location": place}
    token = catalog.create(table(properties={"team": "core"}, **fields))
    assert spark.table("sales.customers").count() == 3
    assert catalog.get("table", "sales", "customers").token == token
    columns = (Column("id", "BIGINT"), Column("more", "INT"))
    second = catalog.replace(table(columns=columns, **fields), expected=token)
    assert spark.table("sales.customers").columns == ["id", "more"]
    third = catalog.rename("table", "sales", "customers", ("sales", "c"), expected=second)
    found = catalog.get("table", "sales", "c")
    assert (found.token, found.version.number) == (third, 3)
    catalog.delete("table", "sales", "c")
    assert spark.read.parquet(place).count() == 3


def test_tables_of_spark_keep_their_rows(catalog, spark):
    spark.sql("CREATE TABLE sales.t (id INT, p INT) USING parquet PARTITIONED BY (p) COMMENT 'c'")
    found = catalog.get("table", "sales", "t")
    assert (found.document.format, found.document.partitioned_by) == ("parquet", ("p",))
    assert [each.name for each in found.document.columns] == ["id", "p"]
    with pytest.raises(StorageError, match="would delete its rows"):
        catalog.delete("table", "sales", "t")
    with pytest.raises(StorageError, match="would delete its rows"):
        catalog.drop_database("sales", cascade=True)
    with pytest.raises(StorageError, match="belongs to Spark with its rows"):
        catalog.replace(table("t", format="parquet"), expected=found.token)
    assert [str(each) for each in catalog.list_objects("sales")] == ["sales.t"]


def test_a_table_must_say_where_its_rows_are(catalog):
    with pytest.raises(InvalidDocumentError, match="this one does not say where"):
        catalog.create(table(format="parquet"))


# --- functions ---


def test_spark_calls_our_functions(catalog, spark):
    token = catalog.create(function(comment="it's"))
    catalog.create(function("py", language="python", body=None, class_name="a.b:c"))
    assert spark.sql("SELECT sales.twice(4)").first()[0] == 8
    second = catalog.replace(function(body="x * 3"), expected=token)
    assert spark.sql("SELECT sales.twice(4)").first()[0] == 12
    assert catalog.get("function", "sales", "twice").token == second
    spark.sql("CREATE OR REPLACE FUNCTION sales.twice(x INT) RETURNS INT RETURN x * 4")
    edited = catalog.get("function", "sales", "twice")
    assert (edited.document.body, edited.version.number) == ("x * 4", 3)
    assert [each.name for each in catalog.list_objects("sales")] == ["py", "twice"]
    catalog.delete("function", "sales", "twice")
    assert stored_views(spark, "sales") == ["viewscribe_function_py"]


def test_functions_of_spark_are_read(catalog, spark):
    spark.sql(
        "CREATE FUNCTION sales.f(x INT COMMENT 'it\\'s', y DECIMAL(10,2) DEFAULT 1.5, z STRING "
        "DEFAULT 'a, b') RETURNS DOUBLE COMMENT 'c\\nBody: d' RETURN x + y +\n length(z)"
    )
    spark.sql("CREATE FUNCTION sales.g() RETURNS TABLE (a INT, b STRING) RETURN SELECT 1, 'a'")
    spark.sql("CREATE FUNCTION sales.h AS 'org.apache.hadoop.hive.ql.udf.UDFMd5'")
    found = {each.name: each for each in catalog.list_objects("sales")}
    assert [*found] == ["f", "g", "h"]
    f, g, h = (catalog.get("function", "sales", name).document for name in found)
    assert (f.body, f.comment, f.returns) == ("x + y +\n length(z)", "c\nBody: d", "DOUBLE")
    assert f.parameters == (
        Parameter("x", "INT", comment="it's"),
        Parameter("y", "DECIMAL(10, 2)", "1.5"),
        Parameter("z", "STRING", "'a, b'"),
    )
    assert (g.function_kind, g.returns, g.parameters) == ("table", "STRUCT<a: INT, b: STRING>", ())
    assert (h.language, h.class_name) == ("hive", "org.apache.hadoop.hive.ql.udf.UDFMd5")


# --- databases ---


def test_a_database_is_changed_with_one_statement(empty, spark):
    token = empty.create_database(database(comment="one", properties={"a": "b", "c": "d"}))
    other = database(comment="two", properties={"c": "e"})
    second = empty.replace_database(other, expected=token)
    stored = empty.get_database("sales")
    assert (stored.document, stored.token) == (other, second)
    told = dict(tuple(row) for row in spark.sql("DESCRIBE DATABASE EXTENDED sales").collect())
    assert told["Comment"] == "two"
    assert [key for key in properties_told(told["Properties"]) if key in "abc"] == ["c"]
    spark.sql("ALTER DATABASE sales SET DBPROPERTIES ('c' = 'f')")
    assert empty.get_database("sales").document.properties == {"c": "f"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("((a,b))", {"a": "b"}),
        ("((a,b), (c,))", {"a": "b", "c": ""}),
        ("((q,r), (x y,1, 2), (k,v))", {"q": "r", "x y": "1, 2), (k,v"}),
    ],
)
def test_properties_that_spark_shows_without_quotes(text, found):
    assert properties_told(text) == found


# --- how it is opened ---


def test_an_environment_over_a_session(catalog, spark, others):
    spark.sql("CREATE TABLE sales.orders (id BIGINT, status STRING) USING parquet")
    spark.sql("INSERT INTO sales.orders VALUES (1, 'open'), (2, 'shipped')")
    env = vs.TableEnvironment(spark)
    pipeline = env.from_path("sales.orders").filter(col("status") == "open").select("id")
    env.create_view("sales.opened", pipeline, reason="asked for")
    env.create_view("sales.again", env.from_path("sales.opened"))
    assert [row[0] for row in spark.table("sales.again").collect()] == [1]
    assert [row[0] for row in vs.open_view(env, "sales.again", spark).collect()] == [1]
    assert vs.verify(env.get_view("sales.opened"), spark).ok
    assert [getattr(each.version, "reason", "") for each in env.history("sales.opened")] == [
        "asked for"
    ]
    other = vs.TableEnvironment.open("spark:")
    assert other.view_table("sales.opened").to_sql() == env.get_view("sales.opened").sql
    env.drop_view("sales.again")
    spark.sql("DROP TABLE sales.orders")


def test_a_dataframe_is_saved_with_its_history(catalog, spark):
    frame = spark.sql("SELECT 1 AS a").where("a > 0")
    vs.save_view(frame, "sales.one", comment="c", reason="why", author="ada")
    stored = catalog.get("view", "sales", "one")
    assert (stored.document.comment, stored.version.reason) == ("c", "why")
    assert stored.document.plan is not None
    assert spark.table("sales.one").collect() == frame.collect()


def test_where_no_catalog_is(spark):
    with pytest.raises(CatalogNotFoundError, match="cannot open a catalog `nope`"):
        vs.TableEnvironment.open("memory:").register_catalog("nope", spark)


# --- other catalogs of a session ---


@pytest.fixture(scope="module")
def derby(spark):
    """A catalog of a database, which has tables and no views."""
    options = {
        "": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
        ".url": "jdbc:derby:memory:shop;create=true",
        ".driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
    }
    for key, value in options.items():
        spark.conf.set(f"spark.sql.catalog.derby{key}", value)
    spark.sql("CREATE TABLE derby.APP.orders (ID INT, amount DOUBLE)")
    yield spark
    spark.sql("DROP TABLE derby.APP.orders")
    for key in options:
        spark.conf.unset(f"spark.sql.catalog.derby{key}")


def test_tables_of_a_catalog_without_views_are_read(derby, catalog):
    env = vs.TableEnvironment(derby)
    env.register_catalog("derby", derby)
    assert "APP" in env.catalogs.catalog("derby").list_databases()
    found = env.catalogs.catalog("derby").get("table", "app", "ORDERS").document
    assert found.columns == (Column("ID", "INT"), Column("amount", "DOUBLE"))
    orders = env.from_path("derby.APP.orders").select("ID")
    with pytest.raises(CatalogError, match="holds tables and no views") as caught:
        env.create_view("derby.APP.v", orders)
    assert "spark_catalog" in (caught.value.hint or "")
    env.create_view("sales.ids", orders)
    assert derby.table("sales.ids").count() == 0
    assert vs.TableEnvironment.open("spark:derby").catalogs.current == ("derby", "default")
    with pytest.raises(CatalogError, match="here it would be `other`"):
        env.register_catalog("other", "spark:derby")
    with pytest.raises(CatalogError, match="holds tables and no views"):
        vs.save_view(derby.table("derby.APP.orders"), "derby.APP.v")


def test_defaults_of_a_table_are_sparks(catalog, spark, tmp_path):
    env = vs.TableEnvironment(catalog)
    env.execute_sql(
        "CREATE TABLE sales.d (id INT, s STRING DEFAULT concat('it''s', ' x') COMMENT 'c') "
        f"USING parquet LOCATION '{tmp_path}/d'"
    )
    spark.sql("INSERT INTO sales.d (id) VALUES (1)")
    assert [tuple(row) for row in spark.table("sales.d").collect()] == [(1, "it's x")]
    again = vs.TableEnvironment(SessionCatalog(spark, "spark_catalog"))
    stored = again.catalogs.get("table", ["sales", "d"]).document
    assert isinstance(stored, TableDocument)
    assert stored.columns[1].default == "concat('it''s', ' x')"


def test_conditions_that_spark_does_not_keep_are_refused(catalog, spark, tmp_path):
    env = vs.TableEnvironment(catalog)
    with pytest.raises(CatalogError, match="does not support CONSTRAINT"):
        env.execute_sql(
            f"CREATE TABLE sales.c (id INT CHECK (id > 0)) USING parquet LOCATION '{tmp_path}/c'"
        )
    assert not spark.catalog.tableExists("sales.c")


def test_a_default_that_would_be_more_than_one_expression_is_refused(catalog, spark, tmp_path):
    made = table(
        "e",
        columns=(Column("id", "INT", default="1) USING json LOCATION '/tmp' --"),),
        format="parquet",
        location=f"{tmp_path}/e",
    )
    with pytest.raises(ViewscribeError, match="does not read it as an expression"):
        catalog.create(made)
    assert not spark.catalog.tableExists("sales.e")
