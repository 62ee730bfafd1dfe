"""Opening a catalog from what an environment is given: a URL, a catalog or a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from viewscribe.errors import CatalogError
from viewscribe.spark.classes import is_session

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog


def open_(given: str | Catalog | Any, name: str | None = None) -> Catalog:
    """Opens the catalog to register as ``name``; by default as what Spark calls it.

    Raises:
        UnknownSchemeError: no kind of catalog has this URL scheme.
        CatalogError: a session knows its catalog by another name.
    """
    if isinstance(given, str) and given.lower().startswith("spark:"):
        from viewscribe.spark.session_catalog import open_session_catalog

        found: Any = open_session_catalog(given[len("spark:") :], False)
    elif isinstance(given, str):
        from viewscribe.catalog_store import open_catalog

        found = open_catalog(given)
    elif is_session(given):
        from viewscribe.spark.session_catalog import catalog_of_session

        found = catalog_of_session(given, name or "spark_catalog")
    else:
        found = given
        _require_catalog(given)
    called = getattr(found, "name_in_session", None)
    if called is not None and name is not None and called.lower() != name.lower():
        raise CatalogError(
            f"Spark calls the catalog `{called}`, and so do the views that it runs; "
            f"here it would be `{name}`",
            hint=f'register it as what it is: env.register_catalog("{called}", …)',
        )
    return cast("Catalog", found)


def _require_catalog(given: object) -> None:
    from viewscribe.table_api.environment import TableEnvironment

    if isinstance(given, TableEnvironment):
        raise CatalogError(
            "a TableEnvironment is given where one catalog is wanted, and it may have several",
            hint='give one of its catalogs, env.catalogs.catalog("spark_catalog"), or the URL that '
            'it was opened with, "file:./views"',
        )
    if isinstance(given, type) or not hasattr(given, "kind_of"):
        from viewscribe.catalog_store.factory import not_a_url

        raise not_a_url(given, "a URL, a Catalog or a Spark session")
