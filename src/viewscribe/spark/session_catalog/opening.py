"""From ``spark:`` or a session to a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.errors import CatalogNotFoundError
from viewscribe.spark.session_catalog.catalog import SessionCatalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def catalog_of_session(spark: Any, name: str | None = None) -> SessionCatalog:
    """The catalog ``name`` of a session; the current one by default.

    Raises:
        CatalogNotFoundError: the session has none of that name.
    """
    found = SessionCatalog(spark, name)
    if name is not None:
        from viewscribe.spark.session_catalog.statements import RefusedError, Statements, told_by

        with told_by(found.url):
            try:
                Statements(spark, name).run(f"SHOW NAMESPACES IN {Statements(spark, name).name()}")
            except RefusedError as error:
                if error.condition is None or "CATALOG" not in error.condition:
                    raise
                raise CatalogNotFoundError(
                    f"the session has no catalog `{name}`: {error}",
                    hint=f"configure it: spark.sql.catalog.{name}",
                ) from error
    return found


def open_session_catalog(rest: str, create: bool) -> SessionCatalog:
    """What ``spark:`` opens: the running session's catalog, ``spark:name`` one of its others.

    Raises:
        CatalogNotFoundError: no session runs in this process.
    """
    return catalog_of_session(_running(), rest or None)


def _running() -> SparkSession:
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() or _connected()
    if found is None:
        raise CatalogNotFoundError(
            "no Spark session runs in this process",
            hint="start one first: SparkSession.builder.getOrCreate()",
        )
    return found


def _connected() -> Any:
    try:
        from pyspark.sql.connect.session import SparkSession as ConnectSession
    except ImportError:  # the packages of Connect are not installed
        return None
    return ConnectSession.getActiveSession()
