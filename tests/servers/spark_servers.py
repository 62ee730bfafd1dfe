"""Spark's servers as people run them: by PySpark's scripts, in processes and places of their own.

Their Python workers have what PySpark needs, and nothing of viewscribe, as those of a server have
nothing that nobody installed there.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
_SECONDS = 120
_CONNECT_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}


class ServerFailedError(Exception):
    """A server that ended, or did not answer; with the end of what it wrote."""


def python_without_viewscribe(place: Path, interpreter: str = sys.executable) -> Path:
    """An interpreter that finds PySpark and what it needs, but no editable installation."""
    found = place / "python"
    # Without `site`, no file with the ending .pth is read, which says where viewscribe is.
    packages = sysconfig.get_path("purelib")
    found.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec "{interpreter}" -S "$@"\n',
        encoding="utf-8",
    )
    found.chmod(0o755)
    return found


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def connect_server(
    settings: Mapping[str, str] | None = None, python: str | Path | None = None
) -> Iterator[str]:
    """A Connect server, started by ``start-connect-server.sh``.

    Args:
        settings: of its Spark.
        python: what its workers run; by default one without viewscribe.

    Yields:
        The address that clients connect to: ``sc://127.0.0.1:…``.
    """
    with tempfile.TemporaryDirectory(prefix="connect-", ignore_cleanup_errors=True) as name:
        place, port = Path(name), free_port()
        given = {
            **_QUIET,
            "spark.master": "local[2]",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            "spark.sql.warehouse.dir": (place / "warehouse").as_uri(),
            **(settings or {}),
        }
        pairs = [part for key, value in given.items() for part in ("--conf", f"{key}={value}")]
        script = SPARK_HOME / "sbin/start-connect-server.sh"
        command = [str(script), "--wait", *pairs]
        if not script.exists():  # the package has it since Spark 4.2; it starts no other program
            program = str(SPARK_HOME / "bin/spark-submit")
            command = [program, "--class", _CONNECT_SERVER, *pairs, "spark-internal"]
        with running(command, place, python, port):
            yield f"sc://127.0.0.1:{port}"


class Cluster:
    """A running standalone cluster.

    Args:
        url: its master.
        workers: the processes of its workers, which have their executors as children.
    """

    def __init__(self, url: str, workers: list[subprocess.Popen[bytes]]) -> None:
        self.url = url
        self.workers = workers

    def kill(self, worker: int) -> None:
        """Ends a worker and its executors without a word, as a machine does that loses power."""
        os.killpg(self.workers[worker].pid, signal.SIGKILL)
        self.workers[worker].wait()


@contextmanager
def cluster(workers: int = 2) -> Iterator[Cluster]:
    """A standalone master and workers of one core each, in places of their own.

    Which Python their executors run is for the driver to say: ``PYSPARK_PYTHON``.
    """
    deploy = "org.apache.spark.deploy"
    with tempfile.TemporaryDirectory(prefix="cluster-", ignore_cleanup_errors=True) as name:
        place, port = Path(name), free_port()
        start = [str(SPARK_HOME / "bin/spark-class")]
        at = ["--host", "127.0.0.1", "--webui-port", "0"]
        url = f"spark://127.0.0.1:{port}"
        master = [*start, f"{deploy}.master.Master", *at, "--port", str(port)]
        with ExitStack() as opened:
            opened.enter_context(running(master, _folder(place, "master"), port=port))
            found = []
            for number in range(workers):
                own, listens = _folder(place, f"worker{number}"), free_port()
                sizes = ["--cores", "1", "--memory", "1g", "--work-dir", str(own / "work")]
                command = [*start, f"{deploy}.worker.Worker", *at, "--port", str(listens), *sizes]
                found.append(opened.enter_context(running([*command, url], own, port=listens)))
            yield Cluster(url, found)


def _folder(place: Path, name: str) -> Path:
    made = place / name
    made.mkdir()
    return made


@contextmanager
def running(
    command: Sequence[str],
    place: Path,
    python: str | Path | None = None,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Spark's, once it listens on a port; it ends with the ``with`` block.

    Raises:
        ServerFailedError: it ended, or does not listen.
    """
    variables = {
        "PATH": os.environ["PATH"],
        **{key: os.environ[key] for key in ("JAVA_HOME", "HOME") if key in os.environ},
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOG_DIR": str(place / "logs"),
        "SPARK_PID_DIR": str(place / "pids"),
        "PYSPARK_PYTHON": str(python or python_without_viewscribe(place)),
        **(environment or {}),
    }
    log = place / "output.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=place,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        if port is not None:
            _wait(process, port, log)
        yield process
    finally:
        # Workers of Python are children of its own.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    told = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    raise ServerFailedError(f"no server on port {port}:\n{told}")
