"""The URLs of Iceberg REST catalogs: ``iceberg:https://host/path?name=lake``, ``iceberg:lake``."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.manager import name_of_iceberg
from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog
from viewscribe.secrets import is_secret_name, mask_value, secrets_in

ALLOWED = (
    "warehouse", "prefix", "scope", "audience", "resource", "oauth2-server-uri", "credential",
    "token", "rest.sigv4-enabled", "rest.signing-name", "rest.signing-region",
)  # fmt: skip
"""The properties of pyiceberg that a URL may set. Others import a class or read a file: those are
for pyiceberg's own configuration, which belongs to whoever runs this."""

_HINT = "write iceberg:https://host/path?name=lake, or iceberg:lake for one of .pyiceberg.yaml"


def open_iceberg(rest: str) -> IcebergCatalog:
    """Opens the catalog after ``iceberg:``; nothing is asked yet.

    Raises:
        CatalogError: that is neither an address nor a name.
    """
    name = name_of_iceberg(rest)
    if name == rest:
        return IcebergCatalog(f"iceberg:{rest}", name=rest)
    shown = mask_value(f"iceberg:{rest.partition('?')[0].partition('#')[0]}")
    try:
        parts = urlsplit(rest)
        _ = parts.port
    except ValueError:
        raise CatalogError(f"`{shown}` is not an address", hint=_HINT) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
        raise CatalogError(f"`{shown}` is not the address of a REST catalog", hint=_HINT)
    if "@" in parts.netloc:
        raise CatalogError(
            f"`{shown}` has a user in its address",
            hint="write ?credential=id:secret, or configure it in .pyiceberg.yaml",
        )
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    if name is None or given.pop("name") != name:
        raise CatalogError(
            f"`{shown}` does not say what Spark calls the catalog",
            hint="add ?name=lake, for a catalog that is spark.sql.catalog.lake there: the texts of "
            "views name their tables by it",
        )
    if unknown := sorted(given.keys() - set(ALLOWED)):
        raise CatalogError(
            f"`{unknown[0]}` cannot be set in the URL of an Iceberg catalog",
            hint=f"known are name, {', '.join(ALLOWED)}; configure the rest in .pyiceberg.yaml",
        )
    for key, text in given.items():
        if not is_secret_name(key) and secrets_in(text):
            raise CatalogError(
                f"`{key}` has a password in it",
                hint="configure it in .pyiceberg.yaml or PYICEBERG_CATALOG__…",
            )
    uri = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    told = {key: text for key, text in given.items() if not is_secret_name(key)}
    query = urlencode({"name": name, **told})
    return IcebergCatalog(f"iceberg:{uri}?{query}", name=name, properties={"uri": uri, **given})
