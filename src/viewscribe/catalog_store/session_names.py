"""What Spark calls a catalog, and so do the texts of the views in it."""

from __future__ import annotations

import re

from viewscribe.catalog_store.manager import DEFAULT_CATALOG
from viewscribe.catalog_store.protocol import Catalog

_ICEBERG = "iceberg:"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def name_in_session(place: str | Catalog) -> str:
    """The name of a catalog in Spark: ``spark_catalog``, unless it is an Iceberg catalog.

    Args:
        place: the catalog or its URL.
    """
    if not isinstance(place, str):
        return str(getattr(place, "name_in_session", DEFAULT_CATALOG))
    if not place.lower().startswith(_ICEBERG):
        return DEFAULT_CATALOG
    return name_of_iceberg(place[len(_ICEBERG) :]) or DEFAULT_CATALOG


def name_of_iceberg(rest: str) -> str | None:
    """The name in the URL of an Iceberg catalog, after ``iceberg:``; None where there is none."""
    if _NAME.fullmatch(rest):
        return rest
    from urllib.parse import parse_qs, urlsplit

    try:
        found = parse_qs(urlsplit(rest).query).get("name", [])
    except ValueError:
        return None
    return found[-1] if found and _NAME.fullmatch(found[-1]) else None
