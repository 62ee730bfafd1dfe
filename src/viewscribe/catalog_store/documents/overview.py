"""What a list shows of a view, from the head of its document: the plan, most of it, is not read."""

from __future__ import annotations

import re
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import SCHEMA_VERSION
from viewscribe.catalog_store.documents.regular_yaml import read_regular

HEAD_BYTES = 16_384
"""How much of a document is read for its overview; where that is too little, all of it is."""

_SQL = re.compile(rb"^sql: \|2?[-+]?\n(?:(?:  .*)?\n)+", re.MULTILINE)
_COLUMNS = re.compile(rb"^columns:\n((?:  - .*\n)+)(?=\S)", re.MULTILINE)


class ViewHead(NamedTuple):
    """The head of a view's document.

    Args:
        database: the database that it says it is in.
        name: its name.
        comment: what it says about itself.
        columns: how many columns it has.
    """

    database: str
    name: str
    comment: str | None
    columns: int


def read_view_head(data: bytes) -> ViewHead | None:
    """Reads the first bytes of a view's document of the shape that our writer gives documents.

    None for every other shape, which proves nothing: then the whole document is to be read. What
    follows the columns is not looked at, and may be damaged.
    """
    columns = _COLUMNS.search(data)
    if columns is None:
        return None
    plain = read_regular(_SQL.sub(b"", data[: columns.start()], count=1))
    if plain is None or plain.get("schema_version") != SCHEMA_VERSION:
        return None
    database, name, comment = (plain.get(key) for key in ("database", "name", "comment"))
    if plain.get("kind") != "view" or type(database) is not str or type(name) is not str:
        return None
    if comment is not None and type(comment) is not str:
        return None
    return ViewHead(database, name, comment, columns[1].count(b"\n"))
