"""``python -m benchmarks.metastore``: views in a Hive metastore, without a JVM and through Spark.

Both talk to the same metastore, started for the run. Ratios of one run say about the same on any
machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from tests.servers.metastore import metastore
from viewscribe.catalog_store import Column, DatabaseDocument, ViewDocument, open_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEWS = 1_000
COLUMNS = 12
WARM_UP = 100
TURN = 100
AIMS = {"create": 4.0, "list with kinds": 20.0}
"""How many times faster than Spark. SHOW VIEWS has no aim: as ours, it waits for the metastore."""


def main() -> int:
    """Measures, prints, and fails where an aim is missed."""
    with metastore(memory="512m") as server:
        catalog = open_catalog(server.url)
        for name in ("ours", "theirs", "warm_ours", "warm_theirs"):
            catalog.create_database(DatabaseDocument(name=name))
        with _session(server.port) as spark:
            ours, theirs = _measure(catalog, spark)
    ratios = {name: theirs[name] / ours[name] for name in ours}
    table = Table("1,000 views", "Spark takes", "aim")
    for name, ratio in ratios.items():
        table.add_row(name, f"{ratio:.1f}×", f"{AIMS[name]:.0f}×" if name in AIMS else "")
    Console().print(table)
    return int(any(ratios[name] < aim for name, aim in AIMS.items()))


def _measure(catalog: Any, spark: Any) -> tuple[dict[str, float], dict[str, float]]:
    """The seconds of both, which take turns: the server gets faster as it runs."""

    def ours(database: str, numbers: range) -> None:
        for number in numbers:
            catalog.create(_view(database, number))

    def theirs(database: str, numbers: range) -> None:
        for number in numbers:
            view = _view(database, number)
            spark.sql(f"CREATE VIEW {database}.{view.name} AS {view.sql}")

    ours("warm_ours", range(WARM_UP))
    theirs("warm_theirs", range(WARM_UP))
    one = two = 0.0
    for start in range(0, VIEWS, TURN):
        numbers = range(start, start + TURN)
        one += _seconds(lambda numbers=numbers: ours("ours", numbers))  # type: ignore[misc]
        two += _seconds(lambda numbers=numbers: theirs("theirs", numbers))  # type: ignore[misc]
    return {
        "create": one,
        "list": _best(lambda: catalog.list_objects("ours", "view")),
        "list with kinds": _best(lambda: catalog.list_objects("ours")),
        "load": _best(lambda: list(catalog.load_all("ours"))),
    }, {
        "create": two,
        "list": _best(lambda: spark.sql("SHOW VIEWS IN theirs").collect()),
        # SHOW TABLES does not say which of them are views.
        "list with kinds": _best(lambda: spark.catalog.listTables("theirs")),
        "load": _best(lambda: spark.sql("SHOW TABLE EXTENDED IN theirs LIKE '*'").collect()),
    }


def _view(database: str, number: int) -> ViewDocument:
    items = [f"id + {number} AS c{column}" for column in range(COLUMNS)]
    return ViewDocument(
        database=database,
        name=f"v{number}",
        sql=f"SELECT {', '.join(items)} FROM range(10)",
        columns=tuple(Column(f"c{column}", "BIGINT") for column in range(COLUMNS)),
        settings={"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true"},
    )


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _best(act: Callable[[], object]) -> float:
    return min(_seconds(act) for _ in range(3))


@contextmanager
def _session(port: int) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as place:
        spark = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.warehouse.dir", place)
            .config("spark.hadoop.hive.metastore.uris", f"thrift://127.0.0.1:{port}")
            .enableHiveSupport()
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("OFF")
        yield spark
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
