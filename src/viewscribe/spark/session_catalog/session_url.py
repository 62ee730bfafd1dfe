"""From ``spark:`` or a session to a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.errors import CatalogNotFoundError
from viewscribe.spark.session import current_namespace
from viewscribe.spark.session_catalog.catalog import SessionCatalog
from viewscribe.spark.session_catalog.iceberg import iceberg_catalog
from viewscribe.spark.session_catalog.names import SESSION_CATALOG
from viewscribe.spark.session_catalog.statements import RefusedError, Statements
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog


def catalog_of_session(spark: Any, name: str | None = None) -> SessionCatalog | IcebergCatalog:
    """The catalog ``name`` of a session; the current one by default.

    An Iceberg REST catalog is opened with the session's settings for it, and asked directly.

    Raises:
        CatalogNotFoundError: the session has none of that name.
    """
    found = SessionCatalog(spark, name)
    name = found.name_in_session
    if name.lower() != SESSION_CATALOG:
        iceberg = iceberg_catalog(spark, name)
        if iceberg is not None:
            return iceberg
        statements = Statements(spark, name)
        try:
            statements.execute(f"SHOW NAMESPACES IN {statements.name()}")
        except RefusedError as error:
            raise CatalogNotFoundError(
                f"the session cannot open a catalog `{name}`: {error}",
                hint=f"configure it in the session: spark.sql.catalog.{name}",
            ) from error
    return found


def full_name(spark: Any, parts: Sequence[str]) -> tuple[str, ...]:
    """A name of one or two parts with the catalog and database that the session means."""
    catalog, database = current_namespace(spark)
    if len(parts) > 2:
        return tuple(parts)
    return (catalog, *parts) if len(parts) == 2 else (catalog, *parse_name(database), *parts)


def open_session_catalog(rest: str, create: bool) -> SessionCatalog | IcebergCatalog:
    """What ``spark:`` opens: the running session's catalog, ``spark:name`` one of its others.

    Raises:
        CatalogNotFoundError: no session runs in this process.
    """
    return catalog_of_session(_find_session(), rest or None)


def _find_session() -> SparkSession:
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() or _connect()
    if found is None:
        raise CatalogNotFoundError(
            "no Spark session runs in this process",
            hint="start one first: SparkSession.builder.getOrCreate()",
        )
    return found


def _connect() -> Any:
    try:
        from pyspark.sql.connect.session import SparkSession as ConnectSession
    except (ImportError, SystemExit):  # the packages of Connect are not installed
        return None
    return ConnectSession.getActiveSession()
