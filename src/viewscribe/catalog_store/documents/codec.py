"""Encoding and decoding documents: YAML, schema version, upgrade, schema, types, in this order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import SCHEMA_VERSION, Document, DocumentKind
from viewscribe.catalog_store.documents.normalization import seal_plain
from viewscribe.catalog_store.documents.plain import from_plain
from viewscribe.catalog_store.documents.regular_yaml import read_regular
from viewscribe.catalog_store.documents.upgrades import migrate
from viewscribe.catalog_store.documents.versions import (
    Version,
    version_from_plain,
    version_to_plain,
)
from viewscribe.catalog_store.documents.yaml_reader import (
    Path,
    StrictYamlError,
    find_line,
    load,
)
from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    InvalidDocumentError,
    NewerDocumentError,
)
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import MAX_BYTES, loads

D = TypeVar("D", bound=Document)


class Decoded(NamedTuple):
    """The content of a file: a document, and the version of the object that it states."""

    document: Document
    version: Version | None


def encode(document: D, version: Version | None = None) -> tuple[D, bytes]:
    """Returns the sealed form of ``document`` and the bytes of its file (see ``write_yaml``)."""
    sealed, plain = seal_plain(document)
    return sealed, write_yaml(plain, version)


def write_yaml(plain: dict[str, Any], version: Version | None = None) -> bytes:
    """Returns the bytes of the file of a sealed document, with its ``version``.

    Never returns bytes that would not round-trip: the schema is checked, and the bytes are parsed
    again, by the strict reader and by the fast one, and compared.

    Raises:
        InvalidDocumentError: it cannot be stored as it is.
    """
    plain = _check(plain, version)
    data = dump(plain).encode("utf-8")
    if len(data) > MAX_BYTES:
        raise InvalidDocumentError(
            f"the document has {len(data):,} bytes; at most {MAX_BYTES:,} can be stored",
            location=_label(plain),
        )
    _require_same(plain, data, _label(plain))
    return data


def decode(data: bytes, kind: DocumentKind, path: str) -> Decoded:
    """Decodes the document in ``data`` and upgrades it to the current schema version.

    Raises:
        NewerDocumentError: a newer viewscribe wrote it.
        DamagedDocumentError: it is not a valid document of ``kind``; has path, line and cause.
    """
    plain = read_regular(data)
    if plain is None:
        try:
            plain = load(data)
        except StrictYamlError as fault:
            raise DamagedDocumentError(fault.cause, path=path, line=fault.line) from None
    return decode_plain(plain, kind, path, lambda at: find_line(data, at))


def write_json(plain: dict[str, Any], version: Version | None = None) -> str:
    """Returns a sealed document as ASCII JSON text, for catalogs that do not use files.

    Raises:
        InvalidDocumentError: it cannot be stored as it is.
    """
    return json.dumps(_check(plain, version), separators=(",", ":"), allow_nan=False)


def decode_json(text: str, kind: DocumentKind, path: str) -> Decoded:
    """Decodes a document in JSON text. Raises the same errors as ``decode``."""
    try:
        plain = loads(text)
    except ValueError as error:
        raise DamagedDocumentError(f"not a JSON text: {error}", path=path) from None
    return decode_plain(plain, kind, path)


def decode_plain(
    plain: Any,
    kind: DocumentKind,
    path: str,
    line_of: Callable[[Path], int | None] = lambda _: None,
) -> Decoded:
    """Returns the document of a plain mapping, upgraded to the current schema version.

    Args:
        plain: the mapping.
        kind: the expected kind of document.
        path: its origin, for messages.
        line_of: finds the line of a part of it, if it has lines.
    """
    schema_version = _check_head(plain, kind, path, line_of)
    plain = migrate(plain, kind)
    try:
        validate(plain, kind)
        stamp = plain.pop("version", None)
        version = None if stamp is None else version_from_plain(stamp)
        return Decoded(from_plain(plain), version)
    except DocumentSchemaError as error:
        # Line numbers are lost once an upgrade has moved things.
        moved = schema_version != SCHEMA_VERSION
        _damaged_error(error, path, (lambda _: None) if moved else line_of)
    except (msgspec.ValidationError, ValueError) as error:
        raise DamagedDocumentError(str(error), path=path) from None


def _check(plain: dict[str, Any], version: Version | None) -> dict[str, Any]:
    """Returns the mapping to store, with the version before the plan, which is long."""
    if version is not None:
        parts = {key: value for key, value in plain.items() if key != "plan"}
        parts["version"] = version_to_plain(version)
        plain = parts if "plan" not in plain else {**parts, "plan": plain["plan"]}
    try:
        validate(plain, plain["kind"])
    except DocumentSchemaError as error:
        raise InvalidDocumentError(str(error), location=_label(plain)) from error
    return plain


def _label(plain: dict[str, Any]) -> str:
    return f"{plain['kind']} {plain['name']}"


def _check_head(
    plain: Any, kind: DocumentKind, path: str, line_of: Callable[[Path], int | None]
) -> int:
    """Returns the schema version, after checking that it is a document of ``kind`` we can read."""

    def damaged_error(cause: str, at: Path) -> DamagedDocumentError:
        return DamagedDocumentError(cause, path=path, line=line_of(at))

    if not isinstance(plain, dict):
        raise damaged_error("the document is not a mapping of keys to values", ())
    version = plain.get("schema_version")
    if type(version) is not int or version < 1:
        cause = "is missing" if version is None else f"{version!r} is not a version"
        raise damaged_error(f"schema_version {cause}", ("schema_version",))
    if version > SCHEMA_VERSION:
        raise NewerDocumentError(
            f"schema version {version} is newer than this viewscribe, "
            f"which reads up to version {SCHEMA_VERSION}",
            path=path,
            line=line_of(("schema_version",)),
            hint="upgrade viewscribe to read it",
        )
    if plain.get("kind") != kind:
        raise damaged_error(f"kind is {plain.get('kind')!r}, but the file is a {kind}", ("kind",))
    return version


def _damaged_error(
    error: DocumentSchemaError, path: str, line_of: Callable[[Path], int | None]
) -> NoReturn:
    """Raises an error for the first problem."""
    first = error.problems[0]
    more = len(error.problems) - 1
    suffix = f" (and {more} more)" if more else ""
    raise DamagedDocumentError(f"{first}{suffix}", path=path, line=line_of(first.path)) from None


def _require_same(plain: dict[str, Any], data: bytes, label: str) -> None:
    try:
        again = load(data)
    except StrictYamlError as fault:
        raise InvalidDocumentError(
            f"the document would not be readable: {fault.cause}", location=label
        ) from None
    # Compare as JSON text, because in Python 1, 1.0 and True are equal and key order is ignored.
    wanted, fast = json.dumps(plain), read_regular(data)
    if json.dumps(again) != wanted or (fast is not None and json.dumps(fast) != wanted):
        raise InvalidDocumentError(
            "the document would be read back as something else",
            location=label,
            hint="this is a fault of viewscribe: please report the document",
        )
