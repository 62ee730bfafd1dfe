"""Two real Iceberg REST catalogs on loopback, from Maven: Iceberg's own fixture, and Nessie.

The fixture keeps what it knows in SQLite and files. Nessie wants Java 21 and an object store, for
which moto stands in, in an environment of its own.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.servers.maven import ROOT, copied

FIXTURE = "org.apache.iceberg:iceberg-open-api:1.10.1"
NESSIE = "org.projectnessie.nessie:nessie-quarkus:0.99.0:jar:runner"
RUNTIME = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
"""Iceberg for the newest Spark that it supports."""
DELTA = ("io.delta:delta-spark_4.1_2.13:4.1.0", "io.delta:delta-storage:4.1.0")
"""Delta for the same Spark."""

_SECONDS = 90


def java_of(version: int) -> str | None:
    """A Java of at least that version, among those of the machine."""
    places = [os.environ.get("JAVA_HOME", ""), "/usr", *map(str, Path("/usr/lib/jvm").glob("*"))]
    for place in places:
        program = Path(place, "bin", "java")
        if place and program.exists() and _version(program) >= version:
            return str(program)
    return None


def _version(program: Path) -> int:
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', told.stderr)
    return int(found[1]) if found else 0


@contextmanager
def fixture(place: Path) -> Iterator[str]:
    """Iceberg's own server; gives the URL that ``open_catalog`` takes."""
    java = java_of(17)
    assert java is not None, "Java 17 is what everything here needs"
    port = free_port()
    settings = {
        "CATALOG_REST_PORT": str(port),
        "CATALOG_CATALOG__IMPL": "org.apache.iceberg.jdbc.JdbcCatalog",
        "CATALOG_URI": f"jdbc:sqlite:{place}/catalog.db",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",  # with views
        "CATALOG_WAREHOUSE": f"file://{place}/warehouse",
    }
    main = "org.apache.iceberg.rest.RESTCatalogServer"
    command = [java, "-Xmx500m", "-cp", str(copied(FIXTURE)), main]
    with _running(command, settings, place / "log", f"http://127.0.0.1:{port}/v1/config"):
        yield f"iceberg:http://127.0.0.1:{port}?name=lake"


@contextmanager
def nessie(place: Path) -> Iterator[str]:
    """Nessie, in memory, with its files in an object store."""
    java = java_of(21)
    assert java is not None, "Nessie needs Java 21"
    port, own, store = free_port(), free_port(), free_port()
    options = {
        "quarkus.http.port": port,
        "quarkus.http.host": "127.0.0.1",
        "quarkus.management.port": own,
        "nessie.version.store.type": "IN_MEMORY",
        "nessie.catalog.default-warehouse": "warehouse",
        "nessie.catalog.warehouses.warehouse.location": "s3://lake/warehouse",
        "nessie.catalog.service.s3.default-options.endpoint": f"http://127.0.0.1:{store}/",
        "nessie.catalog.service.s3.default-options.path-style-access": "true",
        "nessie.catalog.service.s3.default-options.region": "us-east-1",
        "nessie.catalog.service.s3.default-options.access-key": "urn:nessie-secret:quarkus:key",
        "key.name": "any",
        "key.secret": "any",
    }
    given = [f"-D{key}={value}" for key, value in options.items()]
    command = [java, "-Xmx700m", *given, "-jar", str(copied(NESSIE))]
    objects = [str(_moto()), "-H", "127.0.0.1", "-p", str(store)]
    with _running(objects, {}, place / "store-log", f"http://127.0.0.1:{store}/"):
        bucket = urllib.request.Request(f"http://127.0.0.1:{store}/lake", method="PUT")
        urllib.request.urlopen(bucket).close()
        address = f"http://127.0.0.1:{port}/iceberg"
        with _running(command, {}, place / "log", f"{address}/v1/config"):
            yield f"iceberg:{address}?name=lake"


def _moto() -> Path:
    """moto's program, in an environment of its own: it brings half of the web with it."""
    home = ROOT / ".venv-moto"
    program = home / "bin" / "moto_server"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", "moto[s3,server]>=5"], check=True)
    return program


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(
    command: Sequence[str], settings: Mapping[str, str], log: Path, address: str
) -> Iterator[None]:
    """Runs a server until it is not needed any more, once it answers."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as told:
        server = subprocess.Popen(
            command,
            env={**os.environ, **settings},
            stdout=told,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
        )
    try:
        _wait(server, address, log)
        yield
    finally:
        server.terminate()
        server.wait()


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=30).close()
            return
        except OSError:
            time.sleep(0.2)  # a server that starts tells nobody when it is ready
    raise RuntimeError(f"{address} does not answer:\n{log.read_text(errors='replace')[-3_000:]}")
