"""What a notebook or a debugger shows of an object says what it is, and no address in memory."""

from __future__ import annotations

import re
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.environments import EnvironmentFile, NameMapping

FILE = b"""\
schema_version: 1
environments:
  dev: {catalog: "file:./a"}
  prod: {catalog: "file:./b"}
"""


def things() -> dict[str, Any]:
    env = vs.TableEnvironment()
    env.create_table("t", "id INT, name STRING")
    table = env.from_path("t")
    env.create_view("v", table)
    window = vs.over().partition_by("name").order_by(col("id").desc()).rows_between(-2, 0)
    return {
        "environment of tables": env,
        "table": table,
        "grouped": table.group_by("name", (col("id") % 2).alias("odd")),
        "pivoted": table.group_by("name").pivot("id", [1, 2]),
        "partitioned": table.partition_by("id"),
        "catalogs": env.catalogs,
        "functions": env.functions,
        "window": window,
        "no window": vs.over(),
        "expression": F.sum("id").over(window),
        "cast": col("id").cast("STRING").try_cast("INT"),
        "item": col("items")["a"][0],
        "key": col("id").asc_nulls_last(),
        "schema": table.schema,
        "operation": table.operation,
        "result": env.execute_sql("SHOW VIEWS"),
        "view": env.get_view("v"),
        "lineage": LineageGraph.load(env.catalogs),
        "file": EnvironmentFile("viewscribe.yaml", FILE),
        "environment": EnvironmentFile("viewscribe.yaml", FILE)["dev"],
        "mapping": NameMapping(databases={"*": "dev_*"}),
        "all names": NameMapping(),
    }


OVER = "OVER (PARTITION BY name ORDER BY id DESC ROWS 2 PRECEDING to CURRENT ROW)"
SHOWN = {
    "environment of tables": (
        "TableEnvironment(catalogs: spark_catalog; current: spark_catalog.default)"
    ),
    "grouped": "Table(id INT, name STRING).group_by(name, mod(id, 2) AS odd)",
    "pivoted": "Table(id INT, name STRING).group_by(name).pivot('id', [1, 2])",
    "catalogs": "CatalogManager(spark_catalog=MemoryCatalog(); current: spark_catalog.default)",
    "window": OVER,
    "no window": "OVER ()",
    "expression": f"sum(id) {OVER}",
    "cast": "try_cast(cast(id, STRING), INT)",
    "item": "items['a'][0]",
    "key": "id ASC NULLS LAST",
    "lineage": "LineageGraph(2 views and tables)",
    "file": "EnvironmentFile('viewscribe.yaml': dev, prod)",
    "mapping": "NameMapping(spark_catalog.*.*: spark_catalog.dev_*.*)",
    "all names": "NameMapping(every name as it is)",
}


@pytest.mark.parametrize("name", things())
def test_nothing_is_shown_as_an_address(name):
    shown = repr(things()[name])
    assert not re.search(r"\bat 0x[0-9a-f]+", shown), shown
    assert shown == SHOWN.get(name, shown)
