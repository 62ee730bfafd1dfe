"""Documents as plain data: only mappings, lists, strings, numbers, booleans and nulls.

``to_plain`` rejects values that a text file cannot hold exactly (a date, a NaN, an unpaired
surrogate), because writing an approximation would silently change the document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.model import DOCUMENT_TYPES, SCHEMA_VERSION, Document
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.schemas.strict_json import MAX_DEPTH

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
