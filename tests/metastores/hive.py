"""Records what Hive itself stores of the views of ``hive_views.sql``.

``python -m tests.metastores.hive`` runs Hive 3.1.3 and 4.0.1, from Maven, each on a metastore of
its version, and writes ``tests/catalog_store/stores/hive/hive_views.json``: all of 4.0.1, and of
3.1.3 what differs. What only one of them accepts is in the records of that one alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.catalog_store.stores.hive.with_hive_views import RECORDED
from tests.servers.maven import resolved
from tests.servers.metastore import Metastore, java_path, metastore
from viewscribe.catalog_store import open_catalog

_HERE = Path(__file__).parent

_HADOOP = (
    "org.apache.hadoop:hadoop-client-api:3.3.6",
    "org.apache.hadoop:hadoop-client-runtime:3.3.6",
    "org.apache.hadoop:hadoop-hdfs:3.3.6",
    "commons-collections:commons-collections:3.2.2",
)

_OPENED = "lang lang.reflect io net nio time util util.concurrent util.concurrent.atomic util.regex"


def record(version: str) -> dict[str, Any]:
    """What Hive of that version stores, by name."""
    with tempfile.TemporaryDirectory(prefix="hive-") as name, metastore(version=version) as server:
        _run(version, server, Path(name))
        client: Any = open_catalog(server.url)._client  # type: ignore[attr-defined]
        records = client.tables("shop", sorted(client.table_names("shop")))
        return {each.name: _told(each) for each in records if each.type.endswith("_VIEW")}


def _run(version: str, server: Metastore, place: Path) -> None:
    jars = resolved(f"org.apache.hive:hive-exec:{version}", *_HADOOP)
    settings = {
        "fs.defaultFS": "file:///",
        "hive.exec.local.scratchdir": f"{place}/local",
        "hive.exec.scratchdir": f"{place}/scratch",
        "hive.execution.engine": "mr",
        "hive.metastore.uris": f"thrift://127.0.0.1:{server.port}",
        "hive.metastore.warehouse.dir": f"{place}/warehouse",
        "hive.notification.event.poll.interval": "0",
        "hive.server2.materializedviews.registry.impl": "DUMMY",
        "hive.stats.autogather": "false",
        "hive.support.concurrency": "false",
    }
    file = place / "settings"
    file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    opened = [f"--add-opens=java.base/java.{each}=ALL-UNNAMED" for each in _OPENED.split()]
    program = [str(_HERE / "Statements.java"), str(jars), str(file), str(_HERE / "hive_views.sql")]
    log = RECORDED.parents[4] / ".data" / f"hive-{version}.log"
    with log.open("wb") as told:  # what was refused is there, among much else
        subprocess.run(
            [java_path(), "-Xmx500m", *opened, *program],
            check=True, cwd=place, stdout=told, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _told(record: Any) -> dict[str, Any]:
    return {
        "type": record.type,
        "original": record.original_text,
        "expanded": record.expanded_text,
        "columns": [[each.name, each.type, each.comment] for each in record.storage.columns],
        "partitions": [[each.name, each.type] for each in record.partition_columns],
        "parameters": {
            key: value for key, value in record.parameters.items() if key != "transient_lastDdlTime"
        },
    }


def _lines(views: dict[str, Any]) -> str:
    each = (f"{json.dumps(name)}: {json.dumps(views[name], ensure_ascii=False)}" for name in views)
    return "{\n" + ",\n".join(each) + "\n}"


def main() -> int:
    """Writes the file."""
    older, newer = record("3.1.3"), record("4.0.1")
    differing = {name: told for name, told in older.items() if newer.get(name) != told}
    text = f'{{\n"3.1.3": {_lines(differing)},\n"4.0.1": {_lines(newer)}\n}}\n'
    RECORDED.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
