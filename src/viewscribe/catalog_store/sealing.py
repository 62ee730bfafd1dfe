"""Sealing: what every catalog does to a document before storing it, and how it compares them."""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeVar

import msgspec

from viewscribe.catalog_store.documents import Document, ViewDocument
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.names import check_name
from viewscribe.catalog_store.plain import from_plain, to_plain

D = TypeVar("D", bound=Document)

_MEANING = ("sql", "columns", "settings", "plan", "comment")


def fingerprint(view: ViewDocument) -> str:
    """``sha256:<hex>`` over what the view means: sql, columns, settings, plan and comment."""
    return _fingerprint_of(to_plain(view))


def is_untouched(view: ViewDocument) -> bool:
    """Whether a view that was read from a catalog is as it was stored.

    Does what comparing ``fingerprint`` does, but trusts the document to be plain data, as what is
    read always is.
    """
    return view.fingerprint == _fingerprint_of(msgspec.to_builtins(view))


def seal(document: D) -> D:
    """``document`` checked, copied and, where it is a view, with its fingerprint filled in.

    Raises:
        InvalidDocumentError: it holds something that cannot be stored exactly.
        InvalidNameError: its name or its database's name cannot be stored.
    """
    return seal_plain(document)[0]


def seal_plain(document: D) -> tuple[D, dict[str, Any]]:
    """The sealed document and the plain mapping it is written as."""
    if isinstance(document, ViewDocument):
        # A stand-in, so that the key has its place in reading order.
        document = msgspec.structs.replace(document, fingerprint="sha256:")
    plain = to_plain(document)
    if isinstance(document, ViewDocument):
        plain["fingerprint"] = _fingerprint_of(plain)
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
    """The sha256 of a plain value that does not depend on the order of keys."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two plain documents say the same; for Python alone, 1 and True are equal."""
    return one == other and content_hash(one) == content_hash(other)


def _fingerprint_of(plain: dict[str, Any]) -> str:
    return f"sha256:{content_hash({key: plain.get(key) for key in _MEANING})}"


def _check_names(document: Document) -> None:
    check_name(document.name, document.kind)
    database = getattr(document, "database", None)
    if database is not None:
        check_name(database, "database")


def _check_defaults(document: Document) -> None:
    """Only tables store what a row has that says nothing."""
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
