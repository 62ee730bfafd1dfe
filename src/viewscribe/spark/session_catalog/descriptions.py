"""What Spark tells of a table or view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.model import Column, ObjectKind
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted.embedded_document import PREFIX
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT
from viewscribe.catalog_store.hosted.types import UnknownTypeError, columns_of
from viewscribe.catalog_store.settings import not_stored
from viewscribe.errors import DataTypeError, ValidationError
from viewscribe.spark.session_catalog.statements import RefusedError, Statements
from viewscribe.spark.session_catalog.types import type_told
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import parse_name

REDACTED = "*********(redacted)"
"""What Spark shows of a property that looks like a password."""

KIND = f"{PREFIX}kind"
"""A property of views that stand for something else: the kind of the document that they keep."""

NOT_JSON = ("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "UNSUPPORTED_FEATURE", "DESCRIBE_JSON")


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A table or view as Spark tells of it; ``columns`` in Spark's plain form."""

    database: str
    name: str
    type: str
    columns: tuple[Mapping[str, Any], ...] = ()
    known_columns: tuple[Column, ...] | None = None
    comment: str | None = None
    owner: str | None = None
    properties: Mapping[str, str] = {}
    text: str | None = None
    namespace: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    spark_version: str | None = None
    changed_ms: int = 0
    provider: str | None = None
    location: str | None = None
    options: Mapping[str, str] = {}
    partitions: tuple[str, ...] = ()

    @property
    def is_view(self) -> bool:
        """Whether it is a view to Spark."""
        return self.type == "VIEW"

    @property
    def kind(self) -> str:
        """What kind of document it is; ``note`` for one that only keeps notes."""
        return self.properties.get(KIND, "view") if self.is_view else "table"

    @property
    def object_kind(self) -> ObjectKind:
        """View or table."""
        return "view" if self.kind == "view" else "table"


def describe(statements: Statements, database: str, name: str) -> Described:
    """What Spark tells of a table or view.

    Raises:
        RefusedError: there is none.
    """
    full = statements.name(database, name)
    try:
        told = statements.value(f"DESCRIBE TABLE EXTENDED {full} AS JSON")
    except RefusedError as error:
        if error.is_one_of(NOT_JSON):
            return _described_v2(statements, database, name)
        raise
    return _from_json(json.loads(told), database, name)


def _from_json(plain: Mapping[str, Any], database: str, name: str) -> Described:
    properties = dict(plain.get("table_properties", {}))
    comment = plain.get("comment") or properties.pop(COMMENT, None)
    namespace = plain.get("view_catalog_and_namespace")
    return Described(
        database=database,
        name=name,
        type=plain.get("type", "MANAGED"),
        columns=tuple(plain.get("columns", ())),
        comment=comment or None,
        owner=plain.get("owner"),
        properties=properties,
        text=plain.get("view_text") or plain.get("view_original_text"),
        namespace=_names(namespace) if namespace else (),
        outputs=tuple(plain.get("view_query_output_columns", ())),
        settings={
            **not_stored(_version(plain.get("created_by"))),
            **plain.get("view_creation_spark_configuration", {}),
        },
        spark_version=_version(plain.get("created_by")),
        changed_ms=_milliseconds(plain.get("created_time")),
        provider=plain.get("provider"),
        location=plain.get("location"),
        options=dict(plain.get("storage_properties", {})),
        partitions=tuple(plain.get("partition_columns", ())),
    )


def _names(text: str) -> tuple[str, ...]:
    try:
        return parse_name(text)
    except ValidationError:
        return ()


def _version(created_by: str | None) -> str | None:
    name, _, version = (created_by or "").partition(" ")
    return version if name == "Spark" and version[:1].isdigit() else None


def _milliseconds(moment: str | None) -> int:
    try:
        return int(datetime.fromisoformat(moment or "").timestamp() * 1000)
    except ValueError:
        return 0


def _described_v2(statements: Statements, database: str, name: str) -> Described:
    """A table of a catalog of which Spark only tells what every table has."""
    full = statements.name(database, name)
    columns = columns_of(statements.schema(f"SELECT * FROM {full}"))
    told: dict[str, str] = {}
    for row in statements.run(f"DESCRIBE TABLE EXTENDED {full}"):
        if row[0] in ("Comment", "Provider", "Location", "Owner", "Type"):
            told[row[0]] = row[1]
    shown = statements.run(f"SHOW TBLPROPERTIES {full}")
    return Described(
        database=database,
        name=name,
        type=told.get("Type", "MANAGED"),
        known_columns=columns,
        comment=told.get("Comment") or None,
        owner=told.get("Owner") or None,
        properties={row[0]: row[1] for row in shown},
        provider=told.get("Provider") or None,
        location=told.get("Location") or None,
    )


def columns(statements: Statements, described: Described, path: str) -> tuple[Column, ...]:
    """The columns, with the lengths of CHAR and VARCHAR, which the JSON leaves out.

    Raises:
        DamagedDocumentError: a type is unknown.
    """
    if described.known_columns is not None:
        return described.known_columns
    exact = _exact_types(statements, described)
    try:
        return tuple(
            Column(
                each["name"],
                exact.get(each["name"]) or type_told(each["type"]),
                bool(each.get("nullable", True)),
                each.get("comment") or None,
            )
            for each in described.columns
        )
    except (DataTypeError, UnknownTypeError, KeyError, TypeError) as fault:
        raise DamagedDocumentError(f"its columns cannot be read: {fault}", path=path) from None


def _exact_types(statements: Statements, described: Described) -> dict[str, str]:
    """Types that only the other form of DESCRIBE tells; it leaves out fields of long ones."""
    if '"string"' not in json.dumps(described.columns):
        return {}
    full = statements.name(described.database, described.name)
    found: dict[str, str] = {}
    for name, type_, *_ in statements.run(f"DESCRIBE TABLE {full}"):
        if not name or name.startswith("#"):
            break
        if "char(" in type_ and " more fields" not in type_:
            found[name] = type_text(parse_type(type_))
    return found
