"""Sealing: bringing a document into canonical form before it is stored or compared."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import (
    DOCUMENT_TYPES,
    SCHEMA_VERSION,
    Column,
    Document,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
    mask_change,
)
from viewscribe.catalog_store.documents.versions import (
    Change,
    Version,
    VersionOperation,
    next_version,
)
from viewscribe.catalog_store.errors import InvalidDocumentError, ObjectNotFoundError
from viewscribe.catalog_store.protocol import Catalog, Stored, Token, check_name, fold
from viewscribe.schemas.strict_json import MAX_DEPTH

# Documents as plain data: only mappings, lists, strings, numbers, booleans and nulls.
#
# ``to_plain`` rejects values that a text file cannot hold exactly (a date, a NaN, an unpaired
# surrogate), because writing an approximation would silently change the document.

# CPython refuses to parse integers of more than 4,300 digits.
_MAX_INTEGER_BITS = 14_000


def to_plain(document: Document) -> dict[str, Any]:
    """Returns the mapping to write for ``document``; keys in reading order, without defaults."""
    if type(document) not in DOCUMENT_TYPES.values():
        raise InvalidDocumentError(f"{type(document).__name__} is not a catalog document")
    fields = copy_plain(document)
    return {"schema_version": SCHEMA_VERSION, "kind": document.kind, **fields}


def from_plain(plain: Mapping[str, Any]) -> Document:
    """Returns the document for ``plain``, which has the current schema version.

    Raises:
        msgspec.ValidationError: ``plain`` lacks a field or has one of the wrong type.
    """
    kind = DOCUMENT_TYPES[plain["kind"]]
    fields = {key: value for key, value in plain.items() if key not in ("schema_version", "kind")}
    return msgspec.convert(fields, kind)


def copy_plain(value: object) -> Any:
    """Returns a deep copy of ``value`` as plain data, or raises :class:`InvalidDocumentError`."""
    return _copy(value, ())


def _copy(value: object, path: tuple[str | int, ...]) -> Any:
    if value is None or value is True or value is False:
        return value
    if len(path) > MAX_DEPTH:
        raise _refuse(path[:4], f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return _copy_text(value, path)
    if isinstance(value, int):
        if value.bit_length() > _MAX_INTEGER_BITS:
            raise _refuse(path, "a whole number of more than 4,000 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refuse(path, f"{value} has no exact form in a document")
        return float(value)
    if isinstance(value, Mapping):
        return {_copy_key(key, path): _copy(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, msgspec.Struct):
        return _copy_struct(value, path)
    raise _refuse(path, f"a {type(value).__name__} cannot be written to a document")


def _copy_struct(value: msgspec.Struct, path: tuple[str | int, ...]) -> dict[str, Any]:
    plain = {}
    for name, default in _fields_of(type(value)):
        item = getattr(value, name)
        if item is not default and not _same(item, default):
            plain[name] = _copy(item, (*path, name))
    return plain


def _same(item: object, default: object) -> bool:
    return type(item) is type(default) and item == default


@cache
def _fields_of(kind: type[msgspec.Struct]) -> tuple[tuple[str, object], ...]:
    def default_of(field: msgspec.structs.FieldInfo) -> object:
        if field.default_factory is not msgspec.NODEFAULT:
            return field.default_factory()
        return field.default

    return tuple((field.name, default_of(field)) for field in msgspec.structs.fields(kind))


def _copy_key(key: object, path: tuple[str | int, ...]) -> str:
    if not isinstance(key, str):
        raise _refuse(path, f"the key {key!r} is not text")
    return _copy_text(key, path)


def _copy_text(value: str, path: tuple[str | int, ...]) -> str:
    text = value if type(value) is str else str.__str__(value)
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"U+{ord(text[error.start]):04X}"
            raise _refuse(path, f"the text holds {half}, half of a surrogate pair") from None
    return text


def _refuse(path: tuple[str | int, ...], cause: str) -> InvalidDocumentError:
    where = "/".join(("", *map(str, path)))
    return InvalidDocumentError(f"cannot store the document: {cause}", location=where or None)


D = TypeVar("D", bound=Document)

_MEANING: dict[DocumentKind, tuple[str, ...]] = {
    "view": ("sql", "columns", "settings", "plan", "comment"),
    "function": (
        "function_kind",
        "language",
        "class_name",
        "body",
        "parameters",
        "returns",
        "deterministic",
        "resources",
        "convention",
        "collected",
        "signature",
        "comment",
    ),
}
"""The fields that the fingerprint of a document covers, by its kind; other kinds have none.

``source`` of a view is not among them: it decides nothing about what a reader gets, so the same
query in other words is the same view. Whoever changes it is found out by ``verify``.
"""


def fingerprint(document: ViewDocument | FunctionDocument) -> str:
    """Returns ``sha256:<hex>`` over what the document means.

    For a view that is its sql, columns, settings, plan and comment; for a function everything that
    a call depends on.
    """
    return _fingerprint_of(document.kind, to_plain(document))


def is_edited(document: Document) -> bool:
    """Whether a document was changed since a catalog stored it.

    Documents that other tools wrote have no fingerprint, and are not edited.
    """
    if not isinstance(document, ViewDocument | FunctionDocument):
        return False
    return bool(document.fingerprint) and document.fingerprint != fingerprint(document)


def is_untouched(view: ViewDocument) -> bool:
    """Returns whether a view that was read from a catalog is unchanged since it was stored.

    Equivalent to comparing ``fingerprint``, but faster: it relies on the document being plain data,
    as documents read from a catalog always are.
    """
    return view.fingerprint == _fingerprint_of(view.kind, msgspec.to_builtins(view))


def seal(document: D) -> D:
    """Returns a checked copy of ``document``; for a view or function, with its fingerprint.

    Raises:
        InvalidDocumentError: it contains a value that cannot be stored exactly.
        InvalidNameError: its name or its database's name cannot be stored.
    """
    return seal_plain(document)[0]


def seal_plain(document: D) -> tuple[D, dict[str, Any]]:
    """Returns the sealed document and the plain mapping that it is written as."""
    if isinstance(document, ViewDocument | FunctionDocument):
        # A placeholder, so that the key has its place in the order of the file.
        document = msgspec.structs.replace(document, fingerprint="sha256:")
    plain = to_plain(document)
    if isinstance(document, ViewDocument | FunctionDocument):
        plain["fingerprint"] = _fingerprint_of(document.kind, plain)
    try:
        sealed = from_plain(plain)
    except msgspec.ValidationError as error:
        raise InvalidDocumentError(
            f"cannot store the {document.kind} document: {error}", location=_label(plain)
        ) from error
    check_name(sealed.name, sealed.kind)
    database = getattr(sealed, "database", None)
    if database is not None:
        check_name(database, "database")
    _check_defaults(sealed)
    return sealed, plain  # type: ignore[return-value]


def content_hash(plain: object) -> str:
    """Returns the sha256 of a plain value, independent of the order of keys."""
    return hashlib.sha256(canonical_json(plain)).hexdigest()


def canonical_json(plain: object) -> bytes:
    """Returns a plain value as ``json`` writes it, in ASCII and with sorted keys.

    msgspec is ten times as fast, and writes the same except for fractions and what is not ASCII.
    """
    with suppress(TypeError, ValueError):
        data = _FAST_JSON.encode(plain)
        if data.isascii() and b"\x7f" not in data and not _FRACTION.search(data):
            return data
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


_FAST_JSON = msgspec.json.Encoder(order="sorted")
_FRACTION = re.compile(rb"[0-9][.eE]")
"""In every fraction that msgspec writes, and in some texts."""


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Returns whether two plain documents are equal; unlike ``==``, tells 1 from True."""
    return one == other and content_hash(one) == content_hash(other)


def _fingerprint_of(kind: DocumentKind, plain: dict[str, Any]) -> str:
    return f"sha256:{content_hash({key: plain.get(key) for key in _MEANING[kind]})}"


def _check_defaults(document: Document) -> None:
    """Rejects column defaults in anything but a table."""
    if not isinstance(document, ViewDocument):
        return
    for column in document.columns:
        if column.default is not None:
            raise InvalidDocumentError(
                f"the column `{column.name}` of a view cannot have a default",
                location=f"{document.database}.{document.name}",
                hint="say it in the table that the view reads",
            )


def _label(plain: dict[str, Any]) -> str:
    parts = (str(plain.get(key)) for key in ("database", "name") if plain.get(key))
    return ".".join(parts)


# Working with the versions of an object: find one, roll back to one, compare two.

V = TypeVar("V", bound=ObjectDocument)

History = Sequence[Stored[ObjectDocument]]
"""The versions of an object, oldest first."""


def find_version(history: History, number: int) -> Stored[ObjectDocument]:
    """Returns the version with that number.

    Raises:
        ObjectNotFoundError: there is none; the hint lists the existing numbers.
    """
    for each in history:
        if each.version is not None and each.version.number == number:
            return each
    numbers = [str(each.version.number) for each in history if each.version is not None]
    document = history[-1].document
    raise ObjectNotFoundError(
        f"the {document.kind} `{document.database}.{document.name}` has no version {number}",
        hint=f"its versions are: {', '.join(numbers)}",
    )


def in_sequence(versions: Sequence[tuple[V, Change]]) -> list[tuple[V, Version]]:
    """Assigns versions to documents that were current one after the other.

    Of adjacent documents with the same content only the first is kept, just as an identical
    replace makes no new version.

    Raises:
        InvalidDocumentError: a document cannot be stored, or they belong to different objects.
    """
    names = {(fold(each.database), fold(each.name)): each for each, _ in versions}
    if len(names) != 1:
        shown = ", ".join(f"{each.database}.{each.name}" for each in names.values())
        raise InvalidDocumentError(f"versions of one object have one name, and not: {shown}")
    found: list[tuple[V, Version]] = []
    plain: dict[str, Any] | None = None
    for document, change in versions:
        before, plain = plain, to_plain(seal(document))
        if plain != before:
            last = found[-1][1] if found else None
            operation: VersionOperation = "replace" if found else "create"
            found.append((document, next_version(last, change, operation)))
    return found


def roll_back(
    catalog: Catalog,
    kind: ObjectKind,
    database: str,
    name: str,
    number: int,
    *,
    expected: Token | None = None,
    change: Change | None = None,
) -> Token:
    """Restores an earlier version as a new version; the object keeps its current name.

    Args:
        catalog: the catalog of the object.
        kind: its kind.
        database: its database.
        name: its name.
        number: the version to restore.
        expected: only roll back from this state.
        change: author and reason, for the history.

    Raises:
        ObjectNotFoundError: there is no such object or version.
        ConcurrentUpdateError: somebody else changed the object in the meantime.
    """
    history = catalog.history(kind, database, name)
    now = history[-1]
    wanted = find_version(history, number).document
    document = msgspec.structs.replace(
        wanted, database=now.document.database, name=now.document.name
    )
    told = change or Change()
    source = told.source or f"version {number}"
    made = msgspec.structs.replace(told, operation="rollback", source=source)
    return catalog.replace(document, expected=expected or now.token, change=made)


class ColumnChange(NamedTuple):
    """The difference of a column: added (``before`` is None), removed, moved or retyped."""

    before: Column | None
    after: Column | None
    moved: bool = False

    @property
    def name(self) -> str:
        """The column's name; the new spelling if its case changed."""
        column = self.after or self.before
        assert column is not None
        return column.name

    def __str__(self) -> str:
        if self.before is None:
            return f"+ {_spell(self.after)}"
        if self.after is None:
            return f"- {_spell(self.before)}"
        if self.before == self.after:
            return f"  {_spell(self.after)} (moved)"
        return f"~ {_spell(self.before)} -> {_spell(self.after)}"


class Differences(NamedTuple):
    """The differences between two documents of an object.

    Args:
        sql: a unified diff of the SQL texts; for functions, of their bodies.
        columns: the columns that differ.
        fields: other fields that differ, with the values before and after, secrets masked.
    """

    sql: tuple[str, ...]
    columns: tuple[ColumnChange, ...]
    fields: dict[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.sql or self.columns or self.fields)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.markup import diff_block, grid, show, text_block

        fields = list(self._field_rows())
        changes = [f"~ {name}: {old} -> {new}" for name, old, new in fields]
        return show(
            "\n".join([*map(str, self.columns), *changes, *self.sql]) or "no difference",
            text_block("\n".join(map(str, self.columns))) if self.columns else None,
            diff_block(self.sql) if self.sql else None,
            grid(("field", "before", "after"), fields) if fields else None,
        )

    def _field_rows(self) -> Iterator[tuple[str, str, str]]:
        """The other fields, and the keys of those that have some."""
        for name, (old, new) in self.fields.items():
            before, after = _by_key(name, old), _by_key(name, new)
            for key in dict.fromkeys((*before, *after)):
                if before.get(key) != after.get(key):
                    yield key, before.get(key, ""), after.get(key, "")


def _by_key(name: str, value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {f"{name}.{key}": str(each) for key, each in value.items()}
    return {} if value is None else {name: str(value)}


def differences(
    before: ObjectDocument, after: ObjectDocument, labels: tuple[str, str] = ("before", "after")
) -> Differences:
    """Returns the differences, except in derived fields (fingerprint, plan)."""
    plain_before, plain_after = to_plain(before), to_plain(after)
    skipped = {"sql", "body", "columns", "fingerprint", "plan", "schema_version"}
    names = [*plain_before, *[each for each in plain_after if each not in plain_before]]
    old, new = map(to_plain, mask_change(before, after))
    fields = {
        name: (old.get(name), new.get(name))
        for name in names
        if name not in skipped and plain_before.get(name) != plain_after.get(name)
    }
    columns = column_changes(getattr(before, "columns", ()), getattr(after, "columns", ()))
    return Differences(unify(_text(before), _text(after), labels), columns, fields)


def column_changes(before: Sequence[Column], after: Sequence[Column]) -> tuple[ColumnChange, ...]:
    """Returns the columns that differ, matched by name ignoring case."""
    import difflib

    old = {column.name.lower(): column for column in before}
    new = {column.name.lower(): column for column in after}
    kept_before = [name for name in old if name in new]
    kept_after = [name for name in new if name in old]
    matcher = difflib.SequenceMatcher(None, kept_before, kept_after, autojunk=False)
    in_place = {kept_after[b + i] for _, b, n in matcher.get_matching_blocks() for i in range(n)}
    found = [ColumnChange(old[name], None) for name in old if name not in new]
    for name, column in new.items():
        if name not in old:
            found.append(ColumnChange(None, column))
        elif old[name] != column or name not in in_place:
            found.append(ColumnChange(old[name], column, name not in in_place))
    return tuple(found)


def _text(document: ObjectDocument) -> str:
    if isinstance(document, ViewDocument):
        return document.sql
    return (document.body or "") if isinstance(document, FunctionDocument) else ""


def unify(
    before: str, after: str, labels: tuple[str, str] = ("before", "after")
) -> tuple[str, ...]:
    """Returns the lines of a unified diff of two texts."""
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *labels, lineterm="", n=3)
    return tuple(lines)


def _spell(column: Column | None) -> str:
    assert column is not None
    nulls = "" if column.nullable else " NOT NULL"
    comment = f" COMMENT {column.comment!r}" if column.comment else ""
    return f"{column.name} {column.type}{nulls}{comment}"
