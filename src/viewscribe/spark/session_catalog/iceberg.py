"""Iceberg REST catalogs of a session, opened with the session's settings for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.catalog_store.session_names import name_in_session
from viewscribe.spark.session_catalog.names import SESSION_CATALOG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog

_CLASS = "org.apache.iceberg.spark.SparkCatalog"
_REST = ("rest", "org.apache.iceberg.rest.RESTCatalog")
_TAKEN = (
    "uri", "warehouse", "prefix", "credential", "token", "scope", "audience", "resource",
    "oauth2-server-uri", "rest.sigv4-enabled", "rest.signing-name", "rest.signing-region",
)  # fmt: skip
"""The settings that Iceberg's Java client and pyiceberg both have, under the same names."""


def iceberg_catalog(spark: SparkSession, name: str) -> IcebergCatalog | None:
    """The session's catalog ``name``, where it is an Iceberg REST catalog.

    Raises:
        CatalogError: the package that speaks with it is not installed.
    """
    place = f"spark.sql.catalog.{name}"

    def setting(key: str) -> str:
        return spark.conf.get(f"{place}.{key}", "") or ""

    if spark.conf.get(place, "") != _CLASS:
        return None
    if (setting("type") or setting("catalog-impl")) not in _REST:
        return None
    try:
        from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog
    except ImportError as error:
        raise CatalogError(
            f"`{name}` is an Iceberg catalog, which needs another package: {error}",
            hint="install it with pip install 'viewscribe[iceberg]'",
        ) from error
    properties = {key: text for key in _TAKEN if (text := setting(key))}
    return IcebergCatalog(
        f"iceberg:{properties.get('uri')}?name={name}", name=name, properties=properties
    )


def is_of_session(spark: SparkSession, catalog: Catalog) -> bool:
    """Whether an Iceberg catalog is one that the session calls by the same name."""
    name = name_in_session(catalog)
    if name == SESSION_CATALOG or not hasattr(catalog, "place"):
        return False
    found = iceberg_catalog(spark, name)
    return found is not None and found.place == catalog.place
