"""What the server keeps of one view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import ObjectKind
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.schemas import DocumentSchemaError, validate

FUNCTION = "viewscribe_function_"
"""What the names of views begin with that stand for functions, which have no place of their own."""

_COMMIT = "nessie.commit.id"


class ViewRecord(NamedTuple):
    """A view as it was loaded.

    Args:
        namespace: the namespace, as the server spells it.
        name: the name, as the server spells it.
        metadata: its metadata (https://iceberg.apache.org/view-spec/#view-metadata).
        pin: the commit of Nessie's branch that it was read from; None for other servers.
    """

    namespace: str
    name: str
    metadata: Mapping[str, Any]
    pin: str | None

    @property
    def kind(self) -> ObjectKind:
        """What it is to us."""
        return "function" if self.name.startswith(FUNCTION) else "view"

    @property
    def called(self) -> str:
        """What we call it."""
        return self.name.removeprefix(FUNCTION)

    @property
    def uuid(self) -> str:
        """What the view is known by, as long as it is there."""
        return str(self.metadata["view-uuid"])

    @property
    def properties(self) -> Mapping[str, str]:
        """Its properties, ours among them."""
        return self.metadata.get("properties") or {}


class TableRecord(NamedTuple):
    """A table as it was loaded."""

    namespace: str
    name: str
    metadata: Mapping[str, Any]


def view_record(namespace: str, name: str, answer: Any, *, pinned: bool) -> ViewRecord:
    """The view in an answer.

    Raises:
        DamagedDocumentError: its metadata is not what the specification says.
    """
    metadata = answer.get("metadata") if isinstance(answer, Mapping) else None
    try:
        validate(metadata, "iceberg_view")
    except DocumentSchemaError as error:
        raise DamagedDocumentError(
            f"no Iceberg view metadata: {error}", path=f"{namespace}.{name}"
        ) from None
    assert isinstance(metadata, Mapping)
    pin = (metadata.get("properties") or {}).get(_COMMIT) if pinned else None
    return ViewRecord(namespace, name, metadata, pin)
