"""What the server keeps of one view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import ObjectKind
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.protocol import fold
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
        return "function" if is_function(self.name) else "view"

    @property
    def called(self) -> str:
        """What we call it."""
        return object_name(self.name)

    @property
    def uuid(self) -> str:
        """What the view is known by, as long as it is there."""
        return str(self.metadata["view-uuid"])

    @property
    def properties(self) -> Mapping[str, str]:
        """Its properties, ours among them."""
        return self.metadata.get("properties") or {}


def is_function(name: str) -> bool:
    """Whether a view of that name stands for a function."""
    return fold(name).startswith(FUNCTION)


def object_name(name: str) -> str:
    """What we call what the server calls ``name``."""
    return name[len(FUNCTION) :] if is_function(name) else name


class TableRecord(NamedTuple):
    """A table as it was loaded."""

    namespace: str
    name: str
    metadata: Mapping[str, Any]


def view_record(namespace: str, name: str, answer: Any, *, pinned: bool) -> ViewRecord:
    """The view in an answer, not yet looked at: what is damaged can be dropped."""
    metadata = answer.get("metadata") if isinstance(answer, Mapping) else None
    metadata = metadata if isinstance(metadata, Mapping) else {}
    properties = metadata.get("properties")
    pin = properties.get(_COMMIT) if pinned and isinstance(properties, Mapping) else None
    return ViewRecord(namespace, name, metadata, pin)


def has_texts(record: ViewRecord) -> bool:
    """Whether the present version has the texts that engines run.

    Nessie loses them for ever if a view is read while it is written: what it has not kept yet, it
    then takes from the view's file, without the texts (projectnessie/nessie#12504).
    """
    current = record.metadata["current-version-id"]
    versions = record.metadata["versions"]
    return any(each["version-id"] == current and each["representations"] for each in versions)


def check_metadata(metadata: Mapping[str, Any], path: str) -> None:
    """Passes for metadata as the specification has it.

    Raises:
        DamagedDocumentError: it is not; says where.
    """
    try:
        validate(dict(metadata), "iceberg_view")
    except DocumentSchemaError as error:
        raise DamagedDocumentError(f"no Iceberg view metadata: {error}", path=path) from None
    numbers = [each["version-id"] for each in metadata["versions"]]
    if metadata["current-version-id"] not in numbers or len(set(numbers)) < len(numbers):
        raise DamagedDocumentError("its current version is not one of its versions", path=path)
