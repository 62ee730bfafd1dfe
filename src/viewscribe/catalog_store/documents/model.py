"""Typed, immutable documents for the views, tables, functions and databases of a catalog.

Documents are pure data; ``plain.py`` converts them to the mappings that are written to disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import msgspec

from viewscribe.catalog_store.documents.regular_yaml import read_regular
from viewscribe.errors import DataTypeError, SqlSyntaxError, printable
from viewscribe.parser.tokens import Token, tokenize
from viewscribe.secrets import mask_settings, mask_value
from viewscribe.types.ddl import quote_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.lexemes import AuthorText

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
        from viewscribe.html.markup import sql_block

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
    from viewscribe.html.markup import Column as Shown
    from viewscribe.html.markup import column_grid, heading, marked, show

    columns = [Shown(c.name, c.type, c.nullable, c.comment) for c in document.columns]
    comment = marked(f"  {document.comment}", "soft") if document.comment else None
    title = heading(f"{document.database}.{document.name}", comment)
    return show(f"{document!r}\n{text}".rstrip(), title, column_grid(columns), *blocks)


# What a list shows of a view, from the head of its document: the plan, most of it, is not read.

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


# Documents as others may be told them: without the secrets in their options and places.

D = TypeVar("D", bound=Document)

_FIELDS = ("options", "properties", "settings", "location", "resources")
_CHANGED = " (changed)"


def mask_document(document: D) -> D:
    """The document with every secret in it masked; its SQL is as it was."""
    return _replace(document, {field: _mask(getattr(document, field, None)) for field in _FIELDS})


def mask_change(before: D, after: D) -> tuple[D, D]:
    """Both as ``mask_document`` gives them; where only a secret changes, the later one says so."""
    old, new = mask_document(before), mask_document(after)
    marked = {}
    for field in _FIELDS:
        values = (getattr(each, field, None) for each in (before, after, old, new))
        marked[field] = _mark(*values)
    return old, _replace(new, marked)


def _replace(document: D, fields: dict[str, Any]) -> D:
    changed = {name: each for name, each in fields.items() if each}
    return msgspec.structs.replace(document, **changed) if changed else document


def _mask(value: Any) -> Any:
    """A place, several places, or settings by name."""
    if isinstance(value, str):
        return mask_value(value)
    return tuple(map(mask_value, value)) if isinstance(value, tuple) else mask_settings(value or {})


def _mark(before: Any, after: Any, old: Any, new: Any) -> Any:
    """The new value, with a word where it is shown as the old one and is another."""
    if isinstance(new, dict):
        keys = before or {}
        return {
            key: _mark(keys.get(key), after[key], (old or {}).get(key), new[key]) for key in new
        }
    if before == after or old != new:
        return new
    return f"{new}{_CHANGED}" if isinstance(new, str) else (*new[:-1], f"{new[-1]}{_CHANGED}")


# The parameters of functions as the text that Spark keeps: ``x INT, y INT DEFAULT 5``.

_TYPES_OF_TYPES = frozenset(("ARRAY", "MAP", "STRUCT"))


def parameter_text(parameter: Parameter) -> str:
    """Returns a parameter in Spark's notation."""
    text = f"{quote_identifier(parameter.name)} {type_text(parse_type(parameter.type))}"
    if parameter.default is not None:
        text += f" DEFAULT {parameter.default}"
    if parameter.comment is not None:
        text += f" COMMENT {quote_text(parameter.comment)}"
    return text


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parses a parameter list.

    Raises:
        DataTypeError: the text is not a parameter list.
    """
    return tuple(_parameter(part) for part in _split(text, ",") if part.strip())


def _parameter(text: str) -> Parameter:
    head, *rest = _split(text, "DEFAULT")
    default = comment = None
    if rest:
        default, *told = _split(" DEFAULT ".join(rest), "COMMENT")
        default = default.strip()
        if told:
            comment = parse_schema(f"c INT COMMENT {told[-1]}")[0].comment
    fields = parse_schema(head)
    if len(fields) != 1:
        raise DataTypeError(f"`{text}` is not a parameter")
    field = fields[0]
    type_ = type_text(field.type.as_nullable())
    return Parameter(field.name, type_, default, field.comment if comment is None else comment)


def _split(text: str, at: str) -> list[str]:
    """The text between the commas or words ``at`` that stand in no bracket."""
    parts, begin, before = [], 0, ""
    brackets: list[str] = []
    for token in _tokens(text):
        word = token.word
        if word in ("(", "[", "{") or (word == "<" and before in _TYPES_OF_TYPES):
            brackets.append(word)
        elif brackets and (word in (")", "]", "}") or (word == ">" and brackets[-1] == "<")):
            brackets.pop()
        elif not brackets and word == at:
            parts.append(text[begin : token.start])
            begin = token.start + len(token.text)
        before = word
    return [*parts, text[begin:]]


def _tokens(text: str) -> list[Token]:
    try:
        return tokenize(text)
    except SqlSyntaxError as error:
        raise DataTypeError(f"`{text}` is no list of parameters: {error.message}") from error
