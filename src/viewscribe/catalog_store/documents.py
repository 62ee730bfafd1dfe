"""What a catalog holds: typed, immutable documents for views, tables, functions and databases.

A document is data only; ``plain.py`` translates it into the mapping that is written to disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec

ObjectKind = Literal["view", "table", "function"]
"""The kinds of objects in a database."""

DocumentKind = Literal["view", "table", "function", "database"]
"""The kinds of documents in a catalog."""

SCHEMA_VERSION = 1
"""The version of the documents this viewscribe writes."""


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column: its name, its type as Spark DDL text, whether it may be NULL.

    ``default`` is the text of the SQL expression that a table stores where a row says nothing.
    """

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    default: str | None = None


class CheckConstraint(msgspec.Struct, frozen=True, omit_defaults=True):
    """What holds for every row of a table: the text of a SQL condition, and its name."""

    condition: str
    name: str | None = None


class Dependency(msgspec.Struct, frozen=True):
    """An object that a view reads or calls, by the parts of its qualified name."""

    kind: ObjectKind
    name: tuple[str, ...]


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parameter of a function; ``default`` is the text of a SQL expression."""

    name: str
    type: str
    default: str | None = None
    comment: str | None = None


class ViewDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored view: its SQL and everything the meaning of that SQL depends on.

    ``fingerprint`` is computed by the catalog when it stores the document; leave it empty.
    ``spark_version`` is the Spark version that the SQL is written for, where not the newest.
    ``representations`` are texts of the same query for other engines, by dialect.
    """

    kind: ClassVar[DocumentKind] = "view"

    database: str
    name: str
    comment: str | None = None
    owner: str | None = None
    style: Literal["readable", "pipe", "nested"] = "readable"
    sql: str
    representations: Mapping[str, str] = {}
    columns: tuple[Column, ...]
    properties: Mapping[str, str] = {}
    settings: Mapping[str, str] = {}
    dependencies: tuple[Dependency, ...] = ()
    fingerprint: str = ""
    viewscribe_version: str | None = None
    spark_version: str | None = None
    plan: Mapping[str, Any] | None = None


class TableDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table known by its columns; with ``format`` and ``location`` Spark can read it too."""

    kind: ClassVar[DocumentKind] = "table"

    database: str
    name: str
    comment: str | None = None
    owner: str | None = None
    columns: tuple[Column, ...]
    format: str | None = None
    location: str | None = None
    options: Mapping[str, str] = {}
    partitioned_by: tuple[str, ...] = ()
    checks: tuple[CheckConstraint, ...] = ()
    properties: Mapping[str, str] = {}
    viewscribe_version: str | None = None


class FunctionDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user-defined function: SQL text or the name of a class, never code that loading runs.

    ``parameters`` and ``returns`` are None where only Spark knows them (a class alone).
    ``convention`` is how a Python function is called, ``source_hash`` is of its source when it was
    stored, ``signature`` is that of a process table function, ``annotated`` says whether its types
    are those of its annotations, ``collected`` whether it gets all rows of a group in one array.
    """

    kind: ClassVar[DocumentKind] = "function"

    database: str
    name: str
    comment: str | None = None
    owner: str | None = None
    function_kind: Literal["scalar", "aggregate", "table", "process"]
    language: Literal["sql", "python", "java", "hive"]
    class_name: str | None = None
    body: str | None = None
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    deterministic: bool = True
    resources: tuple[str, ...] = ()
    convention: Literal["values", "arrow", "arrow batches", "accumulator", "async"] = "values"
    collected: bool = False
    source_hash: str | None = None
    signature: str | None = None
    annotated: bool = False
    properties: Mapping[str, str] = {}
    viewscribe_version: str | None = None


class DatabaseDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A database: a namespace of views, tables and functions."""

    kind: ClassVar[DocumentKind] = "database"

    name: str
    comment: str | None = None
    owner: str | None = None
    location: str | None = None
    properties: Mapping[str, str] = {}
    viewscribe_version: str | None = None


ObjectDocument = ViewDocument | TableDocument | FunctionDocument
Document = ObjectDocument | DatabaseDocument

DOCUMENT_TYPES: dict[DocumentKind, type[Document]] = {
    "view": ViewDocument,
    "table": TableDocument,
    "function": FunctionDocument,
    "database": DatabaseDocument,
}
