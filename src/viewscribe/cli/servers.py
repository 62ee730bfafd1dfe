"""Catalogs of Spark Connect servers, ``sc://host:15002``: the session's own, for any command."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import TYPE_CHECKING

from viewscribe.spark.classes import require_spark

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog

_SCHEME = "sc"
_opened: list[str] = []


def know_servers() -> None:
    """Makes ``sc://…`` the URL of a catalog."""
    from viewscribe.catalog_store import register_scheme

    register_scheme(_SCHEME, _open)


def server_of_catalog() -> str | None:
    """Returns the address of the server whose catalog was opened last; None where none was."""
    return _opened[-1] if _opened else None


def _open(rest: str, create: bool) -> Catalog:
    """The catalog of a session that ends with this process.

    Raises:
        SparkUnavailableError: no server answers.
    """
    require_spark()
    from viewscribe.spark.remote import remote_session
    from viewscribe.spark.session_catalog import catalog_of_session

    url = f"{_SCHEME}:{rest}"
    kept = ExitStack()
    session = kept.enter_context(remote_session(url))
    atexit.register(kept.close)
    if url not in _opened:
        _opened.append(url)
    return catalog_of_session(session)
