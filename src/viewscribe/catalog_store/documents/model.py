"""Typed, immutable documents for the views, tables, functions and databases of a catalog.

Documents are pure data; ``plain.py`` converts them to the mappings that are written to disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from viewscribe.errors import printable
from viewscribe.types.author_text import AuthorText

if TYPE_CHECKING:
    from viewscribe.html.markup import Html

ObjectKind = Literal["view", "table", "function"]
"""The kinds of objects in a database."""

DocumentKind = Literal["view", "table", "function", "database"]
"""The kinds of documents in a catalog."""

SCHEMA_VERSION = 1
"""The document version that this viewscribe writes."""


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column: its name, its type as Spark DDL text, and whether it may be NULL.

    ``default`` is the default value of a table column, as the text of a SQL expression.
    """

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    default: str | None = None


class CheckConstraint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A CHECK constraint of a table: the text of a SQL condition, and its name."""

    condition: str
    name: str | None = None


class Dependency(msgspec.Struct, frozen=True):
    """An object that a view reads or calls, by its full name."""

    kind: ObjectKind
    name: tuple[str, ...]


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parameter of a function; ``default`` is the text of a SQL expression."""

    name: str
    type: str
    default: str | None = None
    comment: str | None = None


class ViewDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored view: its SQL and everything that the meaning of that SQL depends on.

    ``fingerprint`` is computed by the catalog when it stores the document; leave it empty.
    ``spark_version`` is the Spark version that the SQL is written for, unless it is the newest.
    ``representations`` is the same query in other SQL dialects, by dialect.
    ``source`` is the query as its author wrote it, if it was a text.
    """

    kind: ClassVar[DocumentKind] = "view"

    database: str
    name: str
    comment: str | None = None
    owner: str | None = None
    style: Literal["readable", "pipe", "nested"] = "readable"
    sql: str
    representations: Mapping[str, str] = {}
    source: AuthorText | None = None
    columns: tuple[Column, ...]
    properties: Mapping[str, str] = {}
    settings: Mapping[str, str] = {}
    dependencies: tuple[Dependency, ...] = ()
    fingerprint: str = ""
    viewscribe_version: str | None = None
    spark_version: str | None = None
    plan: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return _summary(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.notebook import sql_block

        return _show(self, sql_block(self.sql), text=self.sql)


class TableDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table's columns; with ``format`` and ``location``, Spark can also read it."""

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

    def __repr__(self) -> str:
        return _summary(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return _show(self)


class FunctionDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user-defined function: SQL text or a class name, never code that runs on loading.

    ``parameters`` and ``returns`` are None if only Spark knows them (for a class). For a Python
    function, ``convention`` says how it is called, ``source_hash`` is the hash of its source when
    it was stored, ``annotated`` says whether its types come from annotations, ``collected`` whether
    it receives all rows of a group in one array. ``signature`` belongs to a process table function.
    ``fingerprint`` is computed by the catalog when it stores the document; leave it empty.
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
    fingerprint: str = ""
    properties: Mapping[str, str] = {}
    viewscribe_version: str | None = None

    def __repr__(self) -> str:
        return printable(f"FunctionDocument({self.database}.{self.name})")


class DatabaseDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A database: a namespace of views, tables and functions."""

    kind: ClassVar[DocumentKind] = "database"

    name: str
    comment: str | None = None
    owner: str | None = None
    location: str | None = None
    properties: Mapping[str, str] = {}
    viewscribe_version: str | None = None

    def __repr__(self) -> str:
        return printable(f"DatabaseDocument({self.name})")


ObjectDocument = ViewDocument | TableDocument | FunctionDocument
Document = ObjectDocument | DatabaseDocument

DOCUMENT_TYPES: dict[DocumentKind, type[Document]] = {
    "view": ViewDocument,
    "table": TableDocument,
    "function": FunctionDocument,
    "database": DatabaseDocument,
}


_MOST_COLUMNS = 12


def _summary(document: ViewDocument | TableDocument) -> str:
    """Which one it is; all of its fields would fill the screen, and tell its passwords."""
    columns = ", ".join(f"{each.name} {each.type}" for each in document.columns[:_MOST_COLUMNS])
    if len(document.columns) > _MOST_COLUMNS:
        columns += f", … {len(document.columns)} columns"
    name = f"{document.database}.{document.name}"
    return printable(f"{type(document).__name__}({name}: {columns})")


def _show(document: ViewDocument | TableDocument, *blocks: Html, text: str = "") -> dict[str, str]:
    """What notebooks show: name, comment, columns and what there is besides."""
    from viewscribe.html.notebook import Column as Shown
    from viewscribe.html.notebook import column_grid, heading, marked, show

    columns = [Shown(c.name, c.type, c.nullable, c.comment) for c in document.columns]
    comment = marked(f"  {document.comment}", "soft") if document.comment else None
    title = heading(f"{document.database}.{document.name}", comment)
    return show(f"{document!r}\n{text}".rstrip(), title, column_grid(columns), *blocks)
