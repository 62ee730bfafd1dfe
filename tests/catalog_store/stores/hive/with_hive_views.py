"""What Spark and viewscribe make of views that Hive itself wrote (``hive_views.json``).

Run as a program by ``test_hive_views.py``, because only a session of its own has a metastore;
prints what it found, as JSON: of each view of each version, what each of the two says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import viewscribe as vs
from tests.catalog_store.stores.hive.with_spark import session
from viewscribe.catalog_store import open_catalog
from viewscribe.catalog_store.stores.hive.records import (
    ColumnRecord,
    SerdeRecord,
    StorageRecord,
    TableRecord,
)
from viewscribe.errors import ViewscribeError

RECORDED = Path(__file__).with_name("hive_views.json")
ANSI = "spark.sql.ansi.enabled"

TABLES = (
    "orders (id BIGINT, customer STRING, amount DECIMAL(10,2), day DATE, at TIMESTAMP, "
    "tags ARRAY<STRING>, props MAP<STRING,STRING>, addr STRUCT<city:STRING,zip:INT>, qty INT, "
    "price DOUBLE, code CHAR(3), note VARCHAR(20), ok BOOLEAN)",
    "customers (name STRING, `group` STRING, since DATE)",
    "sales (id BIGINT, amount DECIMAL(10,2), country STRING)",
)
_AT = "timestamp'2024-01-01 10:00:00'"
ROWS = (
    f"orders VALUES (1, 'ann', 120.50, date'2024-01-01', {_AT}, array('a', 'b'), map('k', 'v'), "
    "named_struct('city', 'Rome', 'zip', 1), 7, 1.5, 'x', 'ann', true), "
    f"(2, '1', 9.99, date'2021-02-28', {_AT}, array(), map(), NULL, 12, 0.5, 'xyz', NULL, false), "
    "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "customers VALUES ('ann', 'g', date'2022-01-01'), ('bob', NULL, NULL)",
    "sales VALUES (1, 5.00, 'it'), (4, NULL, NULL)",
)


def record(home: str, name: str, told: dict[str, Any]) -> TableRecord:
    """The view as Hive stored it, in another database."""
    made = TableRecord(name=name, database=home, owner="hive", last_access=0, retention=0)
    made.type = told["type"]
    made.original_text = told["original"]
    made.expanded_text = told["expanded"].replace("`shop`", f"`{home}`")
    made.parameters = told["parameters"]
    made.storage = StorageRecord(
        columns=[
            ColumnRecord(name=each, type=type_, comment=comment)
            for each, type_, comment in told["columns"]
        ],
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serde=SerdeRecord(
            library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe", parameters={}
        ),
        compressed=False,
        buckets=-1,
        parameters={},
    )
    made.partition_columns = [
        ColumnRecord(name=each, type=type_) for each, type_ in told["partitions"]
    ]
    return made


class Program:
    """Both readers over one metastore."""

    def __init__(self, port: int, place: str) -> None:
        self.url = f"hive+thrift://127.0.0.1:{port}"
        self.spark: SparkSession = session(port, place)
        self.env = vs.TableEnvironment(self.url)

    def run(self) -> dict[str, Any]:
        """Of each version and each view, what is found."""
        found: dict[str, Any] = {}
        client: Any = open_catalog(self.url)._client  # type: ignore[attr-defined]
        for number, (version, views) in enumerate(json.loads(RECORDED.read_text()).items()):
            home = f"shop{number}"
            self.spark.sql(f"CREATE DATABASE {home}")
            for table in TABLES:
                self.spark.sql(f"CREATE TABLE {home}.{table} USING parquet")
            for rows in ROWS:
                self.spark.sql(f"INSERT INTO {home}.{rows}")
            for name, told in views.items():
                client.create_table(record(home, name, told))
            found[version] = {name: self.compare(f"{home}.{name}") for name in views}
        return found

    def compare(self, name: str) -> dict[str, Any]:
        """What Spark says of the view in sessions with ANSI and without, and what ours does."""
        found: dict[str, Any] = {"Spark": {}}
        for ansi in ("true", "false"):
            self.spark.conf.set(ANSI, ansi)
            found["Spark"][ansi] = self.answer(f"SELECT * FROM {name}")
        try:
            document = self.env.get_view(name)
            text = self.env.view_table(name).to_sql()
        except ViewscribeError as error:
            found["ours"] = f"{type(error).__name__}: {error}"
        else:
            self.spark.conf.set(ANSI, document.settings[ANSI])
            found["ours"] = self.answer(text)
            found["columns"] = [each.name for each in document.columns]
        self.spark.conf.unset(ANSI)
        return found

    def answer(self, text: str) -> Any:
        """Schema and rows of a query; or the condition of the error."""
        try:
            opened = self.spark.sql(text)
            types = [[each.name, each.dataType.simpleString()] for each in opened.schema]
            return [types, sorted(map(str, opened.collect()))]
        except PySparkException as error:
            return error.getCondition()
        except Py4JJavaError as error:
            return str(error.java_exception)[:200]


def main(port: str, place: str) -> None:
    """Prints what was found."""
    print("RESULT " + json.dumps(Program(int(port), place).run()))


if __name__ == "__main__":
    main(*sys.argv[1:])
