"""Where the pages of objects are, and links to them.

A file name has only the characters ``a-z0-9_-=~``: it is safe on every file system, and in a URL as
it is. An object's name is encoded as in catalogs of files, so that two objects never share a page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from urllib.parse import quote

from viewscribe.catalog_store.errors import InvalidNameError
from viewscribe.catalog_store.protocol import ObjectId, encode
from viewscribe.errors import printable
from viewscribe.html.markup import Address

HOME = "index.html"
LINEAGE = "lineage.html"


def page_id(kind: str, database: str, name: str) -> str:
    """Returns the identity of an object in the site: the path of its page, without ``.html``."""
    return f"{kind}/{_component(database)}/{_component(name)}"


def database_page_id(name: str) -> str:
    """Returns the identity of the page of a database."""
    return f"database/{_component(name)}"


def assign_page_ids(ids: Iterable[ObjectId]) -> dict[ObjectId, str]:
    """Returns the identities of all objects, distinct even where a damaged catalog's are not."""
    found: dict[ObjectId, str] = {}
    taken: set[str] = set()
    for id_ in sorted(ids):
        made = page_id(id_.kind, id_.database, id_.name)
        number = 1
        while made in taken:
            number += 1
            made = f"{page_id(id_.kind, id_.database, id_.name)}~~{number}"
        taken.add(made)
        found[id_] = made
    return found


def page_file(page: str) -> str:
    """Returns the path of a page in the site."""
    return f"{page}.html"


def data_file(page: str) -> str:
    """Returns the path of the data of an object in the site."""
    return f"data/{page}.js"


def link(root: str, file: str, fragment: str = "") -> Address:
    """Returns the address of a file of the site.

    Args:
        root: the way from the page that holds the link to the site's folder, as ``../../``.
        file: the path in the site.
        fragment: the part of the page: an identity as elements have it, encoded here.
    """
    shown = quote(printable(fragment, lines=True), safe="=")
    return Address(f"{root}{file}{'#' if fragment else ''}{shown}")


def root_of(file: str) -> str:
    """Returns the way from a page to the folder of the site."""
    return "../" * file.count("/")


def _component(name: str) -> str:
    try:
        return encode(name).replace("%", "=")
    except InvalidNameError:  # of a document that cannot be read
        return f"x~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
