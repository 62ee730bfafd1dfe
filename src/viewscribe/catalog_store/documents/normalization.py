"""Sealing: bringing a document into canonical form before it is stored or compared."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from viewscribe.catalog_store.documents.model import (
    Document,
    DocumentKind,
    FunctionDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.plain import from_plain, to_plain
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.names import check_name

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
    _check_names(sealed)
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


def _check_names(document: Document) -> None:
    check_name(document.name, document.kind)
    database = getattr(document, "database", None)
    if database is not None:
        check_name(database, "database")


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
