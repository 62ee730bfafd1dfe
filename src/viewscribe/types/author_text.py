"""The text that an author wrote, kept beside what it was read as: a witness of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

SPARK_SQL = "spark-sql"


class AuthorText(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A query as its author wrote it, with what its meaning depends on.

    ``language`` is ``spark-sql`` or another engine's name. ``namespace`` is the catalog and the
    database where its names are meant, ``columns`` are the names that stand beside it, as in
    ``CREATE VIEW v (a, b) AS …``. ``settings`` are those of Spark that it was written for, where
    they are not the view's. ``origin`` says where it came from.
    """

    language: str = SPARK_SQL
    text: str
    namespace: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    origin: str | None = None


class Witness(NamedTuple):
    """A text beside the tree that it was read as; ``unasked`` is why Spark cannot be asked it."""

    text: AuthorText
    unasked: str = ""
