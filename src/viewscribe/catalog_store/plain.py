"""Documents as plain data: mappings, lists, texts, numbers, truth values and nulls, nothing else.

``to_plain`` refuses what a text file could not hold exactly (a date, a NaN, half a surrogate
pair), because silently writing something near it would change what the document means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from viewscribe.catalog_store.documents import DOCUMENT_TYPES, SCHEMA_VERSION, Document
from viewscribe.catalog_store.errors import InvalidDocumentError

MAX_DEPTH = 64
"""How deeply mappings and lists may nest in a document, on writing and on reading."""

# CPython refuses to convert whole numbers of more than 4,300 digits from text.
_MAX_INTEGER_BITS = 14_000


def to_plain(document: Document) -> dict[str, Any]:
    """The mapping that is written for ``document``, keys in reading order, defaults left out."""
    if type(document) not in DOCUMENT_TYPES.values():
        raise InvalidDocumentError(f"{type(document).__name__} is not a catalog document")
    fields = copy_plain(document)
    return {"schema_version": SCHEMA_VERSION, "kind": document.kind, **fields}


def from_plain(plain: Mapping[str, Any]) -> Document:
    """The document that ``plain`` (of the current schema version) stands for.

    Raises:
        msgspec.ValidationError: ``plain`` lacks a field or has one of the wrong type.
    """
    kind = DOCUMENT_TYPES[plain["kind"]]
    fields = {key: value for key, value in plain.items() if key not in ("schema_version", "kind")}
    return msgspec.convert(fields, kind)


def copy_plain(value: object) -> Any:
    """A deep copy of ``value`` as plain data; :class:`InvalidDocumentError` where impossible."""
    return _copy(value, ())


def _copy(value: object, path: tuple[str | int, ...]) -> Any:
    if value is None or value is True or value is False:
        return value
    if len(path) > MAX_DEPTH:
        raise _refuse(path[:4], f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return _copy_text(value, path)
    if isinstance(value, int):
        return _copy_integer(value, path)
    if isinstance(value, float):
        return _copy_float(value, path)
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


def _copy_integer(value: int, path: tuple[str | int, ...]) -> int:
    if value.bit_length() > _MAX_INTEGER_BITS:
        raise _refuse(path, "a whole number of more than 4,000 digits")
    return int(value)


def _copy_float(value: float, path: tuple[str | int, ...]) -> float:
    if not math.isfinite(value):
        raise _refuse(path, f"{value} has no exact form in a document")
    return float(value)


def _refuse(path: tuple[str | int, ...], cause: str) -> InvalidDocumentError:
    where = "/".join(("", *map(str, path)))
    return InvalidDocumentError(f"cannot store the document: {cause}", location=where or None)
