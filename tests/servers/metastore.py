"""Starts a Hive Metastore in a Java process of its own that ends with this one.

It listens on 127.0.0.1 alone, on a free port, and keeps everything in memory (Derby) unless told
of another database. For Hive 2.3.10 nothing but PySpark's jars is needed; others are Maven's.
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

from tests.servers.maven import copied, unpacked

DERBY = "jdbc:derby:memory:metastore;create=true"

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

OWN = "2.3.10"
"""The version in PySpark."""

ARCHIVES = {
    "3.1.3": "org.apache.hive:hive-standalone-metastore:3.1.3:tar.gz:bin",
    "4.0.1": "org.apache.hive:hive-standalone-metastore-server:4.0.1:tar.gz:bin",
}
"""Of each version beside PySpark's own: what Maven has of it."""

# What an older Hadoop had beside it.
_LIBRARIES = (
    "commons-collections:commons-collections:3.2.2",
    "org.apache.httpcomponents:httpclient:4.5.13",
    "javax.servlet:javax.servlet-api:3.1.0",
    "org.apache.hadoop:hadoop-hdfs:3.3.6",
)

# Of PySpark's jars, what the others lack, or have for an older Java.
_ADDED = ("hadoop-client", "derby", "log4j", "slf4j", "jcl-over-slf4j", "py4j")

_SETTINGS = {
    "javax.jdo.option.ConnectionURL": DERBY,
    "datanucleus.schema.autoCreateAll": "true",
    "datanucleus.connectionPoolingType": "HikariCP",  # BoneCP, the default, is not shipped
    "hive.metastore.schema.verification": "false",
    # By default a call that fails is repeated ten times, two seconds apart.
    "hive.hmshandler.retry.attempts": "1",
    "hive.hmshandler.retry.interval": "50ms",
    "hive.in.test": "true",  # makes the tables of locks, which nothing else makes
}

_PACKAGE = "org.apache.hadoop.hive.metastore"
_LATER_SETTINGS = {
    "datanucleus.schema.autoCreateAll": "false",  # the scripts of its release make them, all
    "hive.in.test": "false",
    # By default these are classes of hive-exec, which a metastore by itself lacks.
    "metastore.expression.proxy": f"{_PACKAGE}.DefaultPartitionExpressionProxy",
    "metastore.task.threads.always": f"{_PACKAGE}.events.EventCleanerTask",
}

# Wiped with the rest, the metastore could not go on.
_KEPT = (
    "VERSION", "SEQUENCE_TABLE", "NUCLEUS_TABLES", "NEXT_LOCK_ID", "NEXT_TXN_ID", "AUX_TABLE",
    # Of Hive 3 and 4; the tables of workloads (WM_…) refer to each other in circles.
    "CTLGS", "NOTIFICATION_SEQUENCE", "NEXT_COMPACTION_QUEUE_ID", "TXN_WRITE_NOTIFICATION_LOG",
    "NEXT_WRITE_ID", "TXNS", "TXN_LOCK_TBL", "METASTORE_DB_PROPERTIES",
)  # fmt: skip


class Metastore:
    """A running metastore.

    Args:
        gateway: the door to its Java process.
        port: where it listens, on 127.0.0.1.
        place: its directory, with the log.
        jdbc: the address of its database.
        user: who may change it, and with which password.
        version: of Hive.
    """

    def __init__(
        self,
        gateway: Any,
        port: int,
        place: Path,
        jdbc: str,
        user: tuple[str, str],
        version: str = OWN,
    ) -> None:
        self.version = version
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
        if (
            found.getString("TABLE_TYPE") == "TABLE"
            and name.upper() not in _KEPT
            and name[:3] != "WM_"
        ):
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
    settings: Mapping[str, str] | None = None,
    classpath: str = "",
    memory: str = "",
    version: str = "",
) -> Iterator[Metastore]:
    """A running metastore.

    Args:
        settings: of Hive, over those of an embedded one.
        classpath: jars besides its own, for another database.
        memory: what its Java process may use; enough for tests if empty.
        version: one of ``ARCHIVES``; PySpark's own if empty.
    """
    with tempfile.TemporaryDirectory(prefix="metastore-") as name:
        place = Path(name)
        jars = os.pathsep.join(filter(None, [*_jars(version), classpath]))
        with _java(place, jars, memory or ("256m" if version else "128m")) as gateway:
            given = {
                **_SETTINGS,
                **(_LATER_SETTINGS if version else {}),
                "hive.metastore.warehouse.dir": str(place / "warehouse"),
                **(settings or {}),
            }
            jdbc = given["javax.jdo.option.ConnectionURL"]
            user = (
                given.get("javax.jdo.option.ConnectionUserName", "APP"),
                given.get("javax.jdo.option.ConnectionPassword", "mine"),
            )
            if version and jdbc == DERBY:
                _make_tables(gateway, schema(version, "derby"), jdbc, user)
            with _serving(gateway, given, version) as port:
                yield Metastore(gateway, port, place, jdbc, user, version or OWN)


def _jars(version: str) -> list[str]:
    import pyspark

    own = Path(pyspark.__file__).parent / "jars"
    if not version:
        return [str(own / "*")]
    home = unpacked(ARCHIVES[version])
    added = [each for each in own.glob("*.jar") if each.name.startswith(_ADDED)]
    theirs = [each for each in home.glob("lib/*.jar") if not each.name.startswith(_ADDED)]
    return [str(each) for each in (*added, *theirs, *map(copied, _LIBRARIES))]


def schema(version: str, database: str) -> str:
    """The script that makes the tables of a version, which is what its schematool runs."""
    scripts = unpacked(ARCHIVES[version]) / "scripts" / "metastore" / "upgrade" / database
    newest = sorted(scripts.glob(f"hive-schema-*.?.{database}.sql"))[-1]
    return newest.read_text(encoding="utf-8")


def _make_tables(gateway: Any, script: str, jdbc: str, user: tuple[str, str]) -> None:
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("--")]
    manager = gateway.jvm.java.sql.DriverManager
    connection = manager.getConnection(jdbc, *user)
    try:
        statement = connection.createStatement()
        for text in "\n".join(lines).split(";"):
            if text.strip():
                statement.execute(text)
    finally:
        connection.close()


@contextmanager
def _java(place: Path, classpath: str, memory: str) -> Iterator[Any]:
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

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
        # What Hive 3 and 4 reach into, of a Java newer than theirs.
        *(f"--add-opens=java.base/java.{each}=ALL-UNNAMED" for each in ("lang", "net", "util")),
    ]
    port, process = launch_gateway(
        classpath=classpath,
        die_on_exit=True,
        return_proc=True,
        java_path=java_path(),
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


def java_path() -> str:
    """The Java that tests run."""
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


@contextmanager
def _serving(gateway: Any, settings: Mapping[str, str], version: str) -> Iterator[int]:
    """Serves through the gateway, because the metastore's own main listens on every address."""
    java = gateway.jvm
    hive = java.org.apache.hadoop.hive
    handler = _handler(hive, settings, version)
    thrift = java.org.apache.thrift
    socket = thrift.transport.TServerSocket(java.java.net.InetSocketAddress("127.0.0.1", 0))
    protocol = thrift.protocol.TBinaryProtocol.Factory
    security = hive.metastore.security if version else hive.thrift
    transport = security.TUGIContainingTransport.Factory()
    arguments = (
        thrift.server.TThreadPoolServer.Args(socket)
        .processor(hive.metastore.TUGIBasedProcessor(handler))
        .transportFactory(transport)
        .protocolFactory(protocol())
        .inputProtocolFactory(protocol(True, True))
        .stopTimeoutVal(0)  # at its end, it waits for no connection
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


def _handler(hive: Any, settings: Mapping[str, str], version: str) -> Any:
    metastore = hive.metastore
    conf = metastore.conf.MetastoreConf.newMetastoreConf() if version else hive.conf.HiveConf()
    for key, value in settings.items():
        conf.set(key, value)
    if version >= "4":
        base = metastore.HMSHandler("tests", conf)
        return metastore.HMSHandlerProxyFactory.getProxy(conf, base, True)
    base = metastore.HiveMetaStore.HMSHandler("tests", conf, False)
    return metastore.RetryingHMSHandler.getProxy(conf, base, True)


def _serve(server: Any) -> None:
    # Its end is the end of the process, which the gateway reports as an error.
    with suppress(Exception):
        server.serve()
