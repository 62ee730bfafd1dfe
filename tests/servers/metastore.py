"""Starts Hive Metastore 2.3.10 in a Java process of its own that ends with this one.

It listens on 127.0.0.1 alone, on a free port, and keeps everything in memory (Derby) unless told
of another database. Nothing but PySpark's jars is needed.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

DERBY = "jdbc:derby:memory:metastore"

_LOGGING = """\
status=error
rootLogger.level=error
rootLogger.appenderRef.file.ref=file
appender.file.type=File
appender.file.name=file
appender.file.fileName={place}/metastore.log
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=%d %-5p %c: %m%n
"""

_SETTINGS = {
    "javax.jdo.option.ConnectionURL": f"{DERBY};create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "datanucleus.connectionPoolingType": "HikariCP",  # BoneCP, the default, is not shipped
    "hive.metastore.schema.verification": "false",
    # By default a call that fails is repeated ten times, two seconds apart.
    "hive.hmshandler.retry.attempts": "1",
    "hive.hmshandler.retry.interval": "50ms",
    "hive.in.test": "true",  # makes the tables of locks, which nothing else makes
}

# Wiped with the rest, the metastore could not go on.
_KEPT = ("VERSION", "SEQUENCE_TABLE", "NUCLEUS_TABLES", "NEXT_LOCK_ID", "NEXT_TXN_ID", "AUX_TABLE")


class Metastore:
    """A running metastore.

    Args:
        gateway: the door to its Java process.
        port: where it listens, on 127.0.0.1.
        place: its directory, with the log.
        jdbc: the address of its database.
        user: who may change it, and with which password.
    """

    def __init__(
        self, gateway: Any, port: int, place: Path, jdbc: str, user: tuple[str, str]
    ) -> None:
        self._gateway = gateway
        self.port = port
        self.place = place
        self._jdbc = jdbc
        self._user = user
        self._order: list[str] = []

    @property
    def url(self) -> str:
        """What ``open_catalog`` takes."""
        return f"hive+thrift://127.0.0.1:{self.port}"

    def wipe(self) -> None:
        """Forget everything, the database ``default`` too."""
        manager = self._gateway.jvm.java.sql.DriverManager
        connection = manager.getConnection(self._jdbc, *self._user)
        try:
            names = _tables(connection)
            if names != set(self._order):  # some are made when they are first needed
                self._order = _order(connection, names)
            batch = connection.createStatement()
            for name in self._order:
                batch.addBatch(f'DELETE FROM "{name}"')
            batch.executeBatch()
        finally:
            connection.close()


def _tables(connection: Any) -> set[str]:
    found = connection.getMetaData().getTables(None, None, "%", None)
    names = set()
    while found.next():
        name = str(found.getString("TABLE_NAME"))
        if found.getString("TABLE_TYPE") == "TABLE" and name.upper() not in _KEPT:
            names.add(name)
    return names


def _order(connection: Any, names: set[str]) -> list[str]:
    """The tables, each after those that refer to it."""
    referring: dict[str, set[str]] = {}
    for name in sorted(names):
        keys = connection.getMetaData().getExportedKeys(None, None, name)
        referring[name] = set()
        while keys.next():
            referring[name].add(keys.getString("FKTABLE_NAME"))
        referring[name] = referring[name] & names - {name}
    return [*TopologicalSorter(referring).static_order()]


@contextmanager
def metastore(
    settings: Mapping[str, str] | None = None, classpath: str = "", memory: str = "128m"
) -> Iterator[Metastore]:
    """A running metastore.

    Args:
        settings: of Hive, over those of an embedded one.
        classpath: jars besides PySpark's, for another database.
        memory: what its Java process may use.
    """
    with tempfile.TemporaryDirectory(prefix="metastore-") as name:
        place = Path(name)
        with _java(place, classpath, memory) as gateway:
            given = {
                **_SETTINGS,
                "hive.metastore.warehouse.dir": str(place / "warehouse"),
                **(settings or {}),
            }
            with _serving(gateway, given) as port:
                jdbc = given["javax.jdo.option.ConnectionURL"]
                user = (
                    given.get("javax.jdo.option.ConnectionUserName", "APP"),
                    given.get("javax.jdo.option.ConnectionPassword", "mine"),
                )
                yield Metastore(gateway, port, place, jdbc, user)


@contextmanager
def _java(place: Path, classpath: str, memory: str) -> Iterator[Any]:
    import pyspark
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = os.path.join(os.path.dirname(pyspark.__file__), "jars", "*")
    logging = place / "log4j2.properties"
    # The jars' own logging wants a library that is not among them.
    logging.write_text(_LOGGING.format(place=place), encoding="utf-8")
    options = [
        f"-Xmx{memory}",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Dlog4j.configurationFile={logging}",
        f"-Dderby.stream.error.file={place}/derby.log",
        "-Dderby.locks.waitTimeout=4",
        "-Dderby.locks.deadlockTimeout=1",
    ]
    port, process = launch_gateway(
        classpath=os.pathsep.join(filter(None, [jars, classpath])),
        die_on_exit=True,
        return_proc=True,
        java_path=_java_path(),
        javaopts=options,
        redirect_stdout=subprocess.DEVNULL,
        redirect_stderr=subprocess.DEVNULL,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    try:
        yield gateway
    finally:
        with suppress(Exception):
            gateway.shutdown()
        if process.stdin:
            process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _java_path() -> str:
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


@contextmanager
def _serving(gateway: Any, settings: Mapping[str, str]) -> Iterator[int]:
    """Serves through the gateway, because the metastore's own main listens on every address."""
    java = gateway.jvm
    hive = java.org.apache.hadoop.hive
    conf = hive.conf.HiveConf()
    for key, value in settings.items():
        conf.set(key, value)
    store = hive.metastore.HiveMetaStore
    base = java.org.apache.hadoop.hive.metastore.HiveMetaStore.HMSHandler("tests", conf, False)
    handler = store.newRetryingHMSHandler(base, conf, True)
    thrift = java.org.apache.thrift
    socket = thrift.transport.TServerSocket(java.java.net.InetSocketAddress("127.0.0.1", 0))
    protocol = thrift.protocol.TBinaryProtocol.Factory
    arguments = (
        thrift.server.TThreadPoolServer.Args(socket)
        .processor(hive.metastore.TUGIBasedProcessor(handler))
        .transportFactory(hive.thrift.TUGIContainingTransport.Factory())
        .protocolFactory(protocol())
        .inputProtocolFactory(protocol(True, True))
    )
    server = thrift.server.TThreadPoolServer(arguments)
    serving = threading.Thread(target=_serve, args=(server,), daemon=True)
    # The socket listens since it was made: whoever connects now waits in its queue.
    serving.start()
    try:
        yield int(socket.getServerSocket().getLocalPort())
    finally:
        with suppress(Exception):
            server.stop()
        serving.join(5)


def _serve(server: Any) -> None:
    # Its end is the end of the process, which the gateway reports as an error.
    with suppress(Exception):
        server.serve()
