"""Opening catalogs by URL, whose scheme selects the kind of catalog.

Other packages add kinds with ``register_scheme``. An opener is only called, and its imports only
loaded, when its scheme is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from viewscribe.catalog_store.errors import CatalogError, CatalogNotFoundError, UnknownSchemeError
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.errors import ValidationError, nearest
from viewscribe.secrets import remember_in
from viewscribe.types.arguments import wrong_class

Opener = Callable[[str, bool], Catalog]
"""Takes the URL after ``scheme:``, and whether the catalog may be created."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


def _open_memory(rest: str, create: bool) -> Catalog:
    if rest:
        raise CatalogError(
            f"a memory catalog has no name or place: `memory:{rest}`", hint="write `memory:`"
        )
    return MemoryCatalog()


def _open_file(rest: str, create: bool) -> Catalog:
    path = _file_path(rest)
    if os.path.exists(path) and not os.path.isdir(path):
        raise CatalogError(
            f"{path} is not a directory", hint="a file catalog is a directory: name that"
        )
    if not create and not os.path.isdir(path):
        raise CatalogNotFoundError(
            f"there is no catalog at {path}",
            hint="check the path; env.create_table(…) and vs.save_view(…) create a catalog",
        )
    try:
        from viewscribe.catalog_store.stores.files.catalog import FileCatalog
    except ImportError as error:
        raise CatalogError(
            f"file catalogs do not work here: {error}",
            hint="they need PyYAML with libyaml (as its wheels have it) and a POSIX system",
        ) from error
    return FileCatalog(path)


def _file_path(rest: str) -> str:
    if rest.startswith("//"):
        from urllib.parse import unquote

        host, slash, path = rest[2:].partition("/")
        if host not in ("", "localhost") or not slash:
            raise CatalogError(
                f"`file:{rest}` names a host",
                hint="write file:./relative, file:/absolute or file:///absolute",
            )
        return unquote(slash + path)
    if not rest:
        raise CatalogError("`file:` names no directory", hint="write file:./views, for example")
    return os.path.expanduser(rest)


def _open_sql(scheme: str) -> Opener:
    def opener(rest: str, create: bool) -> Catalog:
        try:
            from viewscribe.catalog_store.stores.sql import open_sql
        except ImportError as error:
            extra = "postgresql" if scheme == "postgresql" else "sql"
            raise CatalogError(
                f"{scheme}: catalogs do not work here: {error}",
                hint=f"they need SQLAlchemy: pip install viewscribe[{extra}]",
            ) from error
        return open_sql(f"{scheme}:{rest}", create)

    return opener


def _open_hive(rest: str, create: bool) -> Catalog:
    found = _HOST.fullmatch(rest)
    if found is None or int(found["port"] or 0) > 65_535:
        raise CatalogError(
            f"`hive+thrift:{rest}` is not the address of a metastore",
            hint="write hive+thrift://host:9083",
        )
    try:
        from viewscribe.catalog_store.stores.hive.catalog import HiveCatalog
    except ImportError as error:
        raise CatalogError(
            f"Hive metastores need another package: {error}",
            hint="install it with pip install 'viewscribe[hive]'",
        ) from error
    host = found["six"] or found["host"]
    return HiveCatalog(host, int(found["port"] or _HIVE_PORT))


def _open_iceberg(rest: str, create: bool) -> Catalog:
    try:
        from viewscribe.catalog_store.stores.iceberg.rest.urls import open_iceberg
    except ImportError as error:
        raise CatalogError(
            f"iceberg: catalogs need another package: {error}",
            hint="install it with pip install 'viewscribe[iceberg]'",
        ) from error
    return open_iceberg(rest)


_HIVE_PORT = 9083
_HOST = re.compile(r"//(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^/:@?#\s]+))(?::(?P<port>\d+))?/?")

SCHEMES: dict[str, Opener] = {
    "file": _open_file,
    "hive+thrift": _open_hive,
    "iceberg": _open_iceberg,
    "memory": _open_memory,
    "postgresql": _open_sql("postgresql"),
    "sqlite": _open_sql("sqlite"),
}
"""The kinds of catalogs that ``open_catalog`` knows, by scheme."""


def register_scheme(scheme: str, opener: Opener) -> None:
    """Registers ``opener`` for URLs that start with ``scheme:``."""
    if not _SCHEME.fullmatch(scheme):
        raise CatalogError(f"`{scheme}` is not a URL scheme", hint="use letters, digits and +.-")
    SCHEMES[scheme.lower()] = opener


def open_catalog(url: str, *, create: bool = True) -> Catalog:
    """Opens the catalog at ``url``: ``memory:``, ``file:./views`` or another registered scheme.

    Args:
        url: the location of the catalog.
        create: whether it may be created; that happens at the first write, not before.

    Raises:
        UnknownSchemeError: the scheme is not registered.
        CatalogNotFoundError: there is no catalog, and ``create`` is false.
        ValidationError: it is no text.
    """
    if not isinstance(url, str):
        raise not_a_url(url, "a URL")
    remember_in(url)
    scheme, colon, rest = url.partition(":")
    opener = SCHEMES.get(scheme.lower()) if colon else None
    if opener is None:
        raise _unknown_scheme(url, scheme if colon else "")
    return opener(rest, create)


def not_a_url(given: object, wanted: str) -> ValidationError:
    """The error for what is given for a catalog and is none; a path becomes one."""
    hint = f'for a directory write "file:{given}"' if isinstance(given, os.PathLike) else None
    return wrong_class(given, "a catalog", wanted, hint)


def _unknown_scheme(url: str, scheme: str) -> UnknownSchemeError:
    known = ", ".join(f"{each}:" for each in sorted(SCHEMES))
    if scheme.lower() == "spark":
        return UnknownSchemeError(
            f"`{url}` is a running session, and none runs here",
            hint='in its own process open it with vs.TableEnvironment.open("spark:")',
        )
    near = nearest(scheme, SCHEMES, limit=1) if scheme else ()
    if near:
        hint = f"did you mean {near[0]}:? Known are {known}"
    elif "://" not in url and (os.sep in url or not scheme):
        hint = f"for a directory write file:{url}; known are {known}"
    else:
        hint = f"known are {known}"
    return UnknownSchemeError(f"`{url}` does not start with a known catalog scheme", hint=hint)
