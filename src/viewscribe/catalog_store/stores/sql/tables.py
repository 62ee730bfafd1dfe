"""The tables of a catalog in a database.

A document is kept as the JSON text that a file would hold as YAML, its version included. The keys
are the folded, bounded names that files have too, so that names compare and sort the same in
every database, whatever its collation; ``name`` is the name as a JSON text, for PostgreSQL has no
texts with U+0000.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

METADATA = MetaData()

_KEY = String(255)

DATABASES = Table(
    "viewscribe_databases",
    METADATA,
    Column("key", _KEY, primary_key=True),
    Column("name", Text, nullable=False),
    Column("document", Text, nullable=False),
)

OBJECTS = Table(
    "viewscribe_objects",
    METADATA,
    Column(
        "home", _KEY, ForeignKey("viewscribe_databases.key", ondelete="CASCADE"), primary_key=True
    ),
    # Views and tables share one space of names, functions have another.
    Column("space", String(16), primary_key=True),
    Column("key", _KEY, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("document", Text, nullable=False),
)

VERSIONS = Table(
    "viewscribe_versions",
    METADATA,
    Column("home", _KEY, primary_key=True),
    Column("space", String(16), primary_key=True),
    Column("key", _KEY, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("document", Text, nullable=False),
    # The history of an object goes where the object goes.
    ForeignKeyConstraint(
        ["home", "space", "key"],
        ["viewscribe_objects.home", "viewscribe_objects.space", "viewscribe_objects.key"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    ),
)
