"""A session of a Spark Connect server of one's own, for a command or a script."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.errors import SparkUnavailableError
from viewscribe.secrets import mask_error, remember_in
from viewscribe.spark.session import first_line

_FUNCTIONS_OF_CONNECT = "SPARK_CONNECT_MODE_ENABLED"
_running: dict[str, SparkSession] = {}
"""The sessions that this process has, by the addresses of their servers."""


@contextmanager
def remote_session(
    url: str, *, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session that ends with the ``with`` block; the one that runs where there is one already.

    Args:
        url: the server's address: ``sc://host:15002``, with a token and the like as Spark takes it.
        settings: settings of Spark, for this session.

    Raises:
        SparkUnavailableError: there is no such server, or it does not take a setting.
    """
    remember_in(url)
    with ExitStack() as opened:
        session = _running.get(url)
        if session is None:
            session = opened.enter_context(_begin(url))
        try:
            for name, value in (settings or {}).items():
                session.conf.set(name, value)
        except PySparkException as error:
            raise SparkUnavailableError(
                f"the server does not take a setting: {first_line(error)}",
                hint="set it where the server is started",
            ) from error
        yield session


@contextmanager
def _begin(url: str) -> Iterator[SparkSession]:
    before = os.environ.get(_FUNCTIONS_OF_CONNECT)
    os.environ[_FUNCTIONS_OF_CONNECT] = "1"  # `pyspark.sql.functions` are Connect's
    try:
        session: Any = _connect(url)
        _running[url] = session
        try:
            yield session
        finally:
            del _running[url]
            session.stop()
    finally:
        if before is None:
            del os.environ[_FUNCTIONS_OF_CONNECT]
        else:
            os.environ[_FUNCTIONS_OF_CONNECT] = before


def _connect(url: str) -> Any:
    """A session whose server has answered once; PySpark alone would try for minutes."""
    try:
        from pyspark.sql.connect.client.retries import RetryPolicy
        from pyspark.sql.connect.session import SparkSession as ConnectSession
    except (ImportError, SystemExit) as error:
        raise SparkUnavailableError(
            f"Spark Connect needs other packages: {error}",
            hint="install them with pip install 'viewscribe[spark]'",
        ) from error
    session: Any = None
    try:
        session = ConnectSession.builder.remote(url).create()
        usual = session.client.get_retry_policies()
        session.client.set_retry_policies([RetryPolicy(max_retries=0)])
        session.version  # noqa: B018  # asks the server
        session.client.set_retry_policies(usual)
        return session
    except Exception as error:
        if session is not None:  # PySpark would take it for the active one
            session.release_session_on_close = False  # nobody is there to ask
            session.stop()
        ours = isinstance(error, PySparkException | ValueError)  # the latter of a port
        if not ours and "grpc" not in type(error).__module__:
            raise
        raise SparkUnavailableError(
            f"no Spark Connect server answers: {_reason(error)}",
            hint="write its address as sc://host:15002, and see that it runs: "
            "sbin/start-connect-server.sh",
        ) from mask_error(error)


def _reason(error: Exception) -> str:
    """What gRPC says of it, in one line."""
    lines = (line.strip() for line in str(error).splitlines())
    details = (line.partition("=")[2].strip(' "') for line in lines if line.startswith("details ="))
    return next(details, first_line(error))
