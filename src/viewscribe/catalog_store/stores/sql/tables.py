"""The tables of a catalog in a database.

A document is kept as the JSON text that a file would hold as YAML, its version included. The keys
are the folded, bounded names that files have too, so that names compare and sort the same in
every database, whatever its collation; ``name`` is the name as a JSON text, for PostgreSQL has no
texts with U+0000.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

METADATA = MetaData()


class _Key(TypeDecorator[str]):
    """A text; SQLite lets somebody else put anything into a column, whatever its type."""

    impl = String
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class _Text(_Key):
    impl = Text
    cache_ok = True


class _Kind(_Key):
    """What an object is; a view for what nothing is, which its document will not bear out."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        return value if value in ("view", "table", "function") else "view"


class _Number(TypeDecorator[int]):
    """A whole number; zero, which no version has, for what is none."""

    impl = Integer
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> int | None:
        return value if value is None or isinstance(value, int) else 0


_KEY = _Key(255)

DATABASES = Table(
    "viewscribe_databases",
    METADATA,
    Column("key", _KEY, primary_key=True),
    Column("name", _Text, nullable=False),
    Column("document", _Text, nullable=False),
)

OBJECTS = Table(
    "viewscribe_objects",
    METADATA,
    Column(
        "home", _KEY, ForeignKey("viewscribe_databases.key", ondelete="CASCADE"), primary_key=True
    ),
    # Views and tables share one space of names, functions have another.
    Column("space", _Key(16), primary_key=True),
    Column("key", _KEY, primary_key=True),
    Column("kind", _Kind(16), nullable=False),
    Column("name", _Text, nullable=False),
    Column("document", _Text, nullable=False),
)

VERSIONS = Table(
    "viewscribe_versions",
    METADATA,
    Column("home", _KEY, primary_key=True),
    Column("space", _Key(16), primary_key=True),
    Column("key", _KEY, primary_key=True),
    Column("number", _Number, primary_key=True),
    Column("document", _Text, nullable=False),
    # The history of an object goes where the object goes.
    ForeignKeyConstraint(
        ["home", "space", "key"],
        ["viewscribe_objects.home", "viewscribe_objects.space", "viewscribe_objects.key"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    ),
)
