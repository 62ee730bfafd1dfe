"""What Spark makes of a metastore's content that viewscribe wrote, and the other way round.

Run as a program by ``test_spark.py``, because only a session of its own has a metastore; prints
what it found, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import msgspec
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import (
    CatalogError,
    Column,
    ConcurrentUpdateError,
    FunctionDocument,
    Parameter,
    TableDocument,
    Token,
    ViewDocument,
    open_catalog,
)
from viewscribe.spark.session_catalog import SessionCatalog

TYPES = {
    "plain": "BIGINT",
    "fixed": "DECIMAL(12, 3)",
    "text": "STRING",
    "folded": "STRING COLLATE UTF8_LCASE",
    "local": "TIMESTAMP_NTZ",
    "months": "INTERVAL YEAR TO MONTH",
    "seconds": "INTERVAL DAY TO SECOND",
    "nothing": "VOID",
    "free": "VARIANT",
    "nested": "STRUCT<a: INT, b: ARRAY<STRING COLLATE UNICODE>, `c d`: MAP<STRING, DATE>>",
}


def session(port: int, place: str) -> SparkSession:
    """A session whose tables are those of the metastore."""
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{place}/warehouse")
        .config("spark.hadoop.hive.metastore.uris", f"thrift://127.0.0.1:{port}")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .enableHiveSupport()
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


class Program:
    """The steps, which build on each other."""

    def __init__(self, port: int, place: str) -> None:
        self.url = f"hive+thrift://127.0.0.1:{port}"
        self.place = place
        self.spark = session(port, place)
        self.env = vs.TableEnvironment(self.url)
        self.catalog = open_catalog(self.url)
        self.found: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """All steps in turn; one that fails does not hide the others."""
        self.env.create_database("sales", comment="What we sell")
        self.env.create_database("hr")
        self.sql("CREATE TABLE sales.t (id BIGINT, s STRING COMMENT 'it') USING parquet")
        self.sql("INSERT INTO sales.t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
        steps: list[Callable[[], Any]] = [
            self.a_view_of_ours, self.the_record_of_ours, self.altered, self.properties,
            self.renamed, self.dropped, self.views_of_spark, self.types, self.functions,
            self.functions_of_spark, self.tables, self.saved, self.through_the_session,
        ]  # fmt: skip
        for step in steps:
            try:
                self.found[step.__name__] = step()
            except Exception as error:
                self.found[step.__name__] = f"{type(error).__name__}: {error}"
        return self.found

    def sql(self, text: str) -> list[Any]:
        """The rows of a statement, as lists."""
        return [list(row) for row in self.spark.sql(text).collect()]

    def refused(self, act: Callable[[], Any]) -> str:
        """The name of the error of something that must fail."""
        try:
            act()
        except (CatalogError, PySparkException, Py4JJavaError) as error:
            return type(error).__name__ + ": " + str(error).replace("\n", " ")[:160]
        return "nothing was refused"

    # --- views ---

    def a_view_of_ours(self) -> Any:
        rows = self.env.from_path("sales.t")
        chosen = rows.filter(col("id") > 1).select("id", col("s").alias("Name"))
        self.env.create_view(
            "sales.Ours", chosen, comment="two of them", properties={"team": "core"}
        )
        described = {row[0]: row[1] for row in self.sql("DESCRIBE EXTENDED sales.ours")}
        return {
            "rows": self.sql("SELECT * FROM sales.ours ORDER BY id"),
            "columns": self.spark.table("sales.ours").columns,
            "type": described["Type"],
            "comment": described["Comment"],
            "create": self.sql("SHOW CREATE TABLE sales.ours")[0][0],
            "listed": self.sql("SHOW VIEWS IN sales"),
            "database": self.sql("DESCRIBE DATABASE sales")[1],
        }

    def the_record_of_ours(self) -> Any:
        """Beside a view that Spark makes from the same text, under the same settings."""
        ours = self.catalog.get("view", "sales", "ours").document
        for key, value in ours.settings.items():
            self.spark.conf.set(key, value)
        self.sql(
            "CREATE VIEW sales.twin (id, Name) COMMENT 'two of them' "
            f"TBLPROPERTIES ('team' = 'core') AS {ours.sql}"
        )
        records = [self.record(name) for name in ("ours", "twin")]
        for key in ours.settings:
            if key not in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone"):
                self.spark.conf.unset(key)
        one, two = records
        keys = sorted(one.keys() | two.keys())
        return {key: [one.get(key), two.get(key)] for key in keys if one.get(key) != two.get(key)}

    def record(self, name: str) -> dict[str, Any]:
        """Everything the metastore holds of a view, but for what only viewscribe knows."""
        from viewscribe.catalog_store.stores.hive.catalog import HiveCatalog

        assert isinstance(self.catalog, HiveCatalog)
        found = self.catalog._client.table("sales", name)
        told = {
            key: value
            for key, value in found.parameters.items()
            if not key.startswith("viewscribe") and key != "transient_lastDdlTime"
        }
        storage = found.storage
        return {
            **told,
            "type": found.type,
            "text": found.original_text,
            "expanded": found.expanded_text,
            "columns": [(each.name, each.type, each.comment) for each in storage.columns],
            "formats": [storage.input_format, storage.output_format, storage.location],
            "numbers": [storage.buckets, storage.compressed, found.retention, found.last_access],
            "serde": [storage.serde.library, storage.serde.parameters],
        }

    def altered(self) -> Any:
        before = self.catalog.get("view", "sales", "ours")
        self.sql("ALTER VIEW sales.ours AS SELECT id * 10 AS id, s AS Name FROM sales.t")
        after = self.catalog.get("view", "sales", "ours")
        history = self.catalog.history("view", "sales", "ours")
        stale = self.refused(lambda: self.catalog.replace(before.document, expected=before.token))
        view = after.document
        restored = self.catalog.replace(before.document, expected=after.token)
        return {
            "had plan": before.document.plan is not None,
            "sql": view.sql,
            "name": view.name,
            "plan": view.plan,
            "dependencies": [[each.kind, *each.name] for each in view.dependencies],
            "versions": [
                [each.version.number, bool(each.version.author)] for each in history if each.version
            ],
            "plans": [each.document.plan is not None for each in history],  # type: ignore[union-attr]
            "stale": stale,
            "rows": self.sql("SELECT * FROM sales.ours ORDER BY id"),
            "restored": restored == self.catalog.get("view", "sales", "ours").token,
            "all": [
                each.version.number
                for each in self.catalog.history("view", "sales", "ours")
                if each.version
            ],
        }

    def properties(self) -> Any:
        before = self.catalog.get("view", "sales", "ours")
        self.sql("ALTER VIEW sales.ours SET TBLPROPERTIES ('team' = 'other', 'comment' = 'new')")
        view = self.catalog.get("view", "sales", "ours")
        return {
            "plan": view.document.plan == before.document.plan,
            "team": view.document.properties["team"],
            "comment": view.document.comment,
            "stale": self.refused(
                lambda: self.catalog.replace(before.document, expected=before.token)
            ),
        }

    def renamed(self) -> Any:
        self.sql("ALTER VIEW sales.ours RENAME TO sales.theirs")
        view = self.catalog.get("view", "sales", "theirs").document
        self.catalog.rename("view", "sales", "theirs", ("hr", "Back"))
        return {
            "name": view.name,
            "plan": view.plan is not None,
            "old": self.refused(lambda: self.catalog.get("view", "sales", "ours")),
            "rows": self.sql("SELECT * FROM hr.back ORDER BY id"),
            "spark's old": self.refused(lambda: self.sql("SELECT * FROM sales.theirs")),
            "versions": len(self.catalog.history("view", "hr", "back")),
        }

    def dropped(self) -> Any:
        self.sql("DROP VIEW hr.back")
        gone = self.refused(lambda: self.catalog.get("view", "hr", "back"))
        self.catalog.delete("view", "sales", "twin")
        return [gone, self.refused(lambda: self.sql("SELECT * FROM sales.twin"))]

    def views_of_spark(self) -> Any:
        self.sql(
            "CREATE VIEW sales.r (a COMMENT 'first', b) COMMENT 'c' AS SELECT id, s FROM sales.t"
        )
        self.sql("USE sales")
        self.sql(
            "CREATE VIEW hr.e WITH SCHEMA EVOLUTION AS "
            "WITH c AS (SELECT id FROM t) SELECT c.id, 't' AS t FROM c JOIN t ON c.id = t.id"
        )
        self.sql("USE default")
        found: dict[str, Any] = {}
        for home, name in (("sales", "r"), ("hr", "e")):
            stored = self.catalog.get("view", home, name)
            view = stored.document
            assert isinstance(view, ViewDocument)
            opened = self.spark.sql(view.sql)
            found[name] = {
                "sql": view.sql,
                "columns": [[each.name, each.type, each.comment] for each in view.columns],
                "dependencies": [[each.kind, *each.name] for each in view.dependencies],
                "settings": view.settings.get("spark.sql.session.timeZone"),
                "version": [stored.version.number, stored.version.author]
                if stored.version
                else None,
                "names": opened.columns,
                "same rows": sorted(map(str, opened.collect()))
                == sorted(map(str, self.spark.table(f"{home}.{name}").collect())),
            }
            self.catalog.replace(view, expected=stored.token)  # identical: nothing changes
            found[name]["token kept"] = self.catalog.get("view", home, name).token == stored.token
        self.sql("USE sales")
        self.sql("CREATE VIEW sales.own AS SELECT count(*) AS n FROM (TABLE t)")
        self.sql("USE default")
        self.catalog.rename("view", "sales", "own", ("hr", "own"))
        found["moved"] = self.sql("SELECT * FROM hr.own")
        piped = self.env.from_path("sales.r").select("a").filter(col("a") == 2)
        found["as a table"] = piped.to_sql()
        return found

    def types(self) -> Any:
        texts = [f"CAST(NULL AS {type_}) AS {name}" for name, type_ in TYPES.items()]
        sql = "SELECT " + ", ".join(texts)
        self.sql(f"CREATE VIEW sales.spark_types AS {sql}")
        theirs = self.catalog.get("view", "sales", "spark_types").document
        assert isinstance(theirs, ViewDocument)
        mine = ViewDocument(database="sales", name="our_types", sql=sql, columns=theirs.columns)
        self.catalog.create(mine)
        keys = ("columns", "spark.sql.sources.schema")
        one, two = self.record("spark_types"), self.record("our_types")
        schemas = [json.loads(each["spark.sql.sources.schema"]) for each in (one, two)]
        wide = tuple(Column(f"c{n}", TYPES["nested"], comment="é" * 40) for n in range(60))
        self.catalog.create(ViewDocument(
            database="sales", name="wide", columns=wide,
            sql="SELECT " + ", ".join(f"CAST(NULL AS {each.type}) AS {each.name}" for each in wide),
        ))  # fmt: skip
        return {
            "read": [each.type for each in theirs.columns],
            "schemas": schemas[0] == schemas[1],
            "hive": one[keys[0]] == two[keys[0]],
            "spark": self.spark.table("sales.our_types").schema
            == self.spark.table("sales.spark_types").schema,
            "wide": len(self.spark.table("sales.wide").columns),
            "rows": len(self.sql("SELECT * FROM sales.wide")),
            "again": self.catalog.get("view", "sales", "wide").document.columns == wide,
        }

    # --- functions ---

    def functions(self) -> Any:
        def make(name: str, **fields: Any) -> Token:
            document = FunctionDocument(database="sales", name=name, **fields)
            return self.catalog.create(document)

        sql: dict[str, Any] = {"language": "sql", "function_kind": "scalar", "returns": "INT"}
        x = Parameter("x", "INT")
        token = make("Twice", body="x * 2", parameters=(x,), comment="two", **sql)
        make("more", body="x + y", parameters=(x, Parameter("y", "INT", "5")), **sql)
        make(
            "most",
            body="SELECT CAST(max(id) AS INT) FROM spark_catalog.sales.t",
            parameters=(),
            **sql,
        )
        make("long", body=f"x + length('{'漢' * 5_000}')", parameters=(x,), **sql)
        make("pairs", body="SELECT x, 'a'", parameters=(x,), returns="STRUCT<n: INT, l: STRING>",
             language="sql", function_kind="table")  # fmt: skip
        one = {"function_kind": "scalar"}
        text = (Parameter("s", "STRING"),)
        turned = "org.apache.hadoop.hive.ql.udf.UDFReverse"
        make("turned", language="hive", class_name=turned, parameters=text, returns="STRING", **one)
        name = "package.module:name"
        make("py", language="python", class_name=name, parameters=(x,), returns="INT", **one)
        calls = "sales.twice(4), sales.more(1), sales.more(1, 2), sales.most(), sales.long(0)"
        found: dict[str, Any] = {
            "rows": self.sql(f"SELECT {calls}, sales.turned('abc')"),
            "table": self.sql("SELECT * FROM sales.pairs(7)"),
            "python": self.refused(lambda: self.sql("SELECT sales.py(1)")),
            "described": self.sql("DESCRIBE FUNCTION EXTENDED sales.twice")[0][0],
            "listed": sorted(row[0] for row in self.sql("SHOW USER FUNCTIONS IN sales")),
        }
        changed = FunctionDocument(
            database="sales", name="Twice", body="x * 200", parameters=(x,), **sql
        )
        self.catalog.replace(changed, expected=token)
        later = self.spark.newSession()  # a session keeps what it has called
        found["replaced"] = [list(row) for row in later.sql("SELECT sales.twice(4)").collect()]
        found["versions"] = len(self.catalog.history("function", "sales", "twice"))
        self.sql("DROP FUNCTION sales.py")
        found["dropped"] = self.refused(lambda: self.catalog.get("function", "sales", "py"))
        return found

    def functions_of_spark(self) -> Any:
        self.sql(
            "CREATE FUNCTION hr.f(x INT COMMENT 'it''s', y DECIMAL(10, 2) DEFAULT 1.5, "
            "z STRING DEFAULT 'a, b') RETURNS DOUBLE COMMENT 'c' RETURN x + y + length(z)"
        )
        self.sql("CREATE FUNCTION hr.g() RETURNS TABLE(a INT, b STRING) RETURN SELECT 1, 'b'")
        self.sql("CREATE FUNCTION hr.h AS 'org.apache.hadoop.hive.ql.udf.UDFMd5'")
        found: dict[str, Any] = {}
        for each in self.catalog.list_objects("hr", "function"):
            function = self.catalog.get("function", "hr", each.name).document
            assert isinstance(function, FunctionDocument)
            found[each.name] = {
                "language": function.language,
                "kind": function.function_kind,
                "body": function.body,
                "class": function.class_name,
                "returns": function.returns,
                "comment": function.comment,
                "parameters": [
                    [one.name, one.type, one.default, one.comment]
                    for one in function.parameters or ()
                ],
            }
        return found

    # --- tables, and DataFrames saved as views ---

    def tables(self) -> Any:
        data = f"{self.place}/data"
        self.spark.range(4).selectExpr("id", "id % 2 AS part", "'x' AS s").write.partitionBy(
            "part"
        ).parquet(data)
        columns = (
            Column("part", "BIGINT"), Column("id", "BIGINT"), Column("s", "VARCHAR(3)"),
        )  # fmt: skip
        self.catalog.create(TableDocument(
            database="sales", name="files", columns=columns, format="parquet", location=data,
            partitioned_by=("part",), options={"mergeSchema": "false"}, comment="kept elsewhere",
        ))  # fmt: skip
        self.catalog.create(TableDocument(database="sales", name="only_columns", columns=columns))
        theirs = self.catalog.get("table", "sales", "t").document
        assert isinstance(theirs, TableDocument)
        self.sql("ALTER TABLE sales.files SET TBLPROPERTIES ('owner team' = 'core')")
        again = self.catalog.get("table", "sales", "files").document
        assert isinstance(again, TableDocument)
        return {
            "rows": self.sql("SELECT id, part, s FROM sales.files ORDER BY id"),
            "only columns": self.refused(lambda: self.sql("SELECT * FROM sales.only_columns")),
            "theirs": [
                theirs.format,
                [[each.name, each.type, each.comment] for each in theirs.columns],
            ],
            "again": [
                again.format,
                again.location == f"file:{data}",
                list(again.partitioned_by),
                dict(again.options),
                dict(again.properties),
                again.comment,
            ],
        }

    def saved(self) -> Any:
        frame = self.spark.table("sales.t").where("id < 3").groupBy("s").count()
        vs.save_view(frame, "sales.counted", catalog=self.url)
        report = vs.verify(self.env.get_view("sales.counted"), self.spark)
        return {
            "rows": self.sql("SELECT * FROM sales.counted ORDER BY s"),
            "verified": report.ok,
            "tables": [each.name for each in self.catalog.list_objects("sales", "table")],
        }

    # --- the same metastore, through the session ---

    def through_the_session(self) -> Any:
        here = SessionCatalog(self.spark)
        long = "SELECT " + ", ".join(f"{n} AS column_number_{n}" for n in range(300))
        columns = tuple(Column(f"column_number_{n}", "INT") for n in range(300))
        wide = ViewDocument(
            database="sales", name="Broad", sql=long, columns=columns, comment="one"
        )
        token = here.create(wide)
        told = {"theirs reads ours": self.catalog.get("view", "sales", "broad").token == token}
        short = msgspec.structs.replace(
            wide, sql="SELECT 1 AS a", columns=(Column("a", "INT"),), comment="two"
        )
        second = here.replace(short, expected=token)
        seen = self.catalog.get("view", "sales", "broad")
        told["after a replacement"] = (
            seen.token == second == here.get("view", "sales", "broad").token
        )
        third = self.catalog.replace(wide, expected=second)
        told["ours reads theirs"] = here.get("view", "sales", "broad").token == third
        try:
            here.replace(short, expected=second)
        except ConcurrentUpdateError:
            told["stale"] = True
        function = FunctionDocument(
            database="sales", name="thrice", function_kind="scalar", language="sql",
            body="x * 3", parameters=(Parameter("x", "INT"),), returns="INT",
        )  # fmt: skip
        first = here.create(function)
        here.replace(msgspec.structs.replace(function, body="x * 4"), expected=first)
        here.rename("view", "sales", "broad", ("sales", "narrow"))
        return {
            **told,
            "versions": len(self.catalog.history("view", "sales", "narrow")),
            "rows": self.sql("SELECT sales.thrice(2) AS n, count(*) FROM sales.narrow GROUP BY 1"),
            "shared": here._guard.shared,
            "left": [
                row[1]
                for row in self.spark.sql("SHOW TABLES IN sales").collect()
                if row[1].startswith("viewscribe")
            ],
            "hidden": [
                each.name
                for each in self.catalog.list_objects("sales")
                if each.name.startswith("viewscribe")
            ],
            "database": here.get_database("sales").document
            == self.catalog.get_database("sales").document,
        }


def main(port: str, place: str) -> None:
    """Runs and prints."""
    print("RESULT", json.dumps(Program(int(port), place).run()))


if __name__ == "__main__":
    main(*sys.argv[1:])
