"""A metastore that keeps its content in a PostgreSQL of its own, as busy ones do."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.maven import copied
from tests.servers.metastore import Metastore, metastore, schema
from tests.servers.postgresql import postgresql, programs

DRIVERS = (os.environ.get("POSTGRESQL_JDBC", ""), "/usr/share/java/postgresql.jar")

_DRIVER = "org.postgresql:postgresql:42.7.4"

# The metastore makes its own tables, but not those of its locks.
_LOCK_TABLES = """
CREATE TABLE txns (txn_id bigint PRIMARY KEY, txn_state char(1), txn_started bigint,
  txn_last_heartbeat bigint, txn_user text, txn_host text, txn_agent_info text,
  txn_meta_info text, txn_heartbeat_count integer);
CREATE TABLE txn_components (tc_txnid bigint, tc_database text, tc_table text,
  tc_partition text, tc_operation_type char(1));
CREATE TABLE completed_txn_components (ctc_txnid bigint, ctc_database text, ctc_table text,
  ctc_partition text);
CREATE TABLE hive_locks (hl_lock_ext_id bigint, hl_lock_int_id bigint, hl_txnid bigint,
  hl_db text, hl_table text, hl_partition text, hl_lock_state char(1), hl_lock_type char(1),
  hl_last_heartbeat bigint, hl_acquired_at bigint, hl_user text, hl_host text,
  hl_heartbeat_count integer, hl_agent_info text, hl_blockedby_ext_id bigint,
  hl_blockedby_int_id bigint, PRIMARY KEY (hl_lock_ext_id, hl_lock_int_id));
CREATE TABLE next_txn_id (ntxn_next bigint); INSERT INTO next_txn_id VALUES (1);
CREATE TABLE next_lock_id (nl_next bigint); INSERT INTO next_lock_id VALUES (1);
CREATE TABLE aux_table (mt_key1 text, mt_key2 bigint, mt_comment text,
  PRIMARY KEY (mt_key1, mt_key2));
"""


def driver() -> str | None:
    """The JDBC driver of PostgreSQL, where the machine has it."""
    return next((each for each in DRIVERS if each and os.path.exists(each)), None)


@contextmanager
def postgres_metastore(version: str = "") -> Iterator[Metastore]:
    """A running metastore on a running PostgreSQL; both end with the block.

    Args:
        version: of Hive, as ``metastore`` takes it.
    """
    jar = str(copied(_DRIVER)) if version else driver()
    assert jar is not None
    tables = schema(version, "postgres") if version else _LOCK_TABLES
    with tempfile.TemporaryDirectory(prefix="postgres-") as name, _database(tables) as url:
        connection = {
            "javax.jdo.option.ConnectionURL": url,
            "javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
            "javax.jdo.option.ConnectionUserName": "postgres",
            "javax.jdo.option.ConnectionPassword": "none",
        }
        if not version:
            _make_tables(Path(name), jar, connection)
        settings = {
            **connection,
            "hive.in.test": "false",  # it would make tables in the words of Derby
            "hive.metastore.uris": "",
        }
        with metastore(settings, classpath=jar, version=version) as server:
            yield server


@contextmanager
def _database(tables: str) -> Iterator[str]:
    """A running PostgreSQL with these tables; gives its address for Java."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with postgresql(port) as url:
        found = programs()
        assert found is not None
        # Hive's scripts set a parameter that PostgreSQL has no more since its version 12.
        known = tables.replace("SET default_with_oids = false;", "")
        subprocess.run(
            [str(found / "psql"), url, "-q", "-v", "ON_ERROR_STOP=1"],
            input=known, text=True, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        yield f"jdbc:postgresql://127.0.0.1:{port}/postgres"


def _make_tables(place: Path, jar: str, connection: dict[str, str]) -> None:
    """All of them before the start: made as they are needed, they wait for each other for ever."""
    import pyspark

    jars = os.path.join(os.path.dirname(pyspark.__file__), "jars", "*")
    properties = {
        **connection,
        "datanucleus.schema.autoCreateAll": "true",
        "datanucleus.identifierFactory": "datanucleus1",  # as Hive calls its columns
    }
    properties["javax.jdo.PersistenceManagerFactoryClass"] = (
        "org.datanucleus.api.jdo.JDOPersistenceManagerFactory"
    )
    file = place / "metastore.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    subprocess.run(
        [
            "java", "-cp", f"{jars}:{jar}", "org.datanucleus.store.schema.SchemaTool",
            "-create", "-api", "JDO", "-props", str(file), "package.jdo",
        ],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
