"""DataHub: metadata change proposals for the file source of its ingestion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import quote

from viewscribe.catalog_store.documents.model import Column, TableDocument, ViewDocument
from viewscribe.catalog_store.lineage.influence import ColumnId
from viewscribe.errors import ViewscribeError
from viewscribe.export.model import ExportedView, Files, Path, Project
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
)
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_identifier, quote_name

PLATFORM = "urn:li:dataPlatform:spark"
_ACTOR = "urn:li:corpuser:viewscribe"


class DataHub:
    """``proposals.json``: schema, properties, text and lineage of views; schemas of tables."""

    makes_views: ClassVar[bool] = False
    keeps_properties: ClassVar[bool] = True

    def reason_against(self, view: ExportedView) -> str | None:
        return None

    def files(self, project: Project) -> Files:
        proposals: list[dict[str, Any]] = []
        for path in project.sources:
            table = project.tables.get(path)
            if table is not None:
                proposals += _proposals(_urn(path), _of_table(path, table))
        for view in project.views:
            proposals += _proposals(_urn(view.path), _of_view(view, project))
        text = json.dumps(proposals, indent=1, ensure_ascii=False, allow_nan=False)
        return {"proposals.json": f"{text}\n"}


Aspect = tuple[str, dict[str, Any]]


def _proposals(urn: str, aspects: Iterator[Aspect]) -> Iterator[dict[str, Any]]:
    for name, aspect in aspects:
        yield {
            "entityType": "dataset",
            "entityUrn": urn,
            "changeType": "UPSERT",
            "aspectName": name,
            "aspect": {"json": aspect},
        }


def _of_table(path: Path, table: TableDocument) -> Iterator[Aspect]:
    yield from _of_both(path, table, "Table")


def _of_view(view: ExportedView, project: Project) -> Iterator[Aspect]:
    yield from _of_both(view.path, view.document, "View")
    logic = {"materialized": False, "viewLanguage": "SQL", "viewLogic": view.document.sql}
    yield "viewProperties", logic
    yield "upstreamLineage", _lineage(view, project)


def _of_both(path: Path, document: ViewDocument | TableDocument, kind: str) -> Iterator[Aspect]:
    yield "status", {"removed": False}
    yield "subTypes", {"typeNames": [kind]}
    properties: dict[str, Any] = {"name": path[-1], "qualifiedName": quote_name(path)}
    properties["customProperties"] = dict(sorted(document.properties.items()))
    if document.comment is not None:
        properties["description"] = document.comment
    yield "datasetProperties", properties
    yield "schemaMetadata", _schema(path, document.columns)


def _schema(path: Path, columns: Sequence[Column]) -> dict[str, Any]:
    return {
        "schemaName": quote_name(path),
        "platform": PLATFORM,
        "version": 0,
        "hash": "",
        "platformSchema": {
            "com.linkedin.schema.OtherSchema": {"rawSchema": ", ".join(map(_ddl, columns))}
        },
        "fields": [_field(each) for each in columns],
    }


def _ddl(column: Column) -> str:
    return f"{quote_name([column.name])} {column.type}{'' if column.nullable else ' NOT NULL'}"


def _field(column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "fieldPath": column.name,
        "nullable": column.nullable,
        "type": {"type": {f"com.linkedin.schema.{_kind(column.type)}": {}}},
        "nativeDataType": column.type,
    }
    return field if column.comment is None else {**field, "description": column.comment}


_KINDS: Sequence[tuple[type[LogicalType], str]] = (
    (BooleanType, "BooleanType"),
    (NumericType, "NumberType"),
    (StringType, "StringType"),
    (BinaryType, "BytesType"),
    (DateType, "DateType"),
    (TimestampType, "TimeType"),
    (TimestampNtzType, "TimeType"),
    (TimeType, "TimeType"),
    (ArrayType, "ArrayType"),
    (MapType, "MapType"),
    (StructType, "RecordType"),
    (VoidType, "NullType"),
)


def _kind(text: str) -> str:
    try:
        type_ = parse_type(text)
    except ViewscribeError:
        return "NullType"
    return next((name for known, name in _KINDS if isinstance(type_, known)), "NullType")


def _lineage(view: ExportedView, project: Project) -> dict[str, Any]:
    moment = datetime.fromisoformat(view.at)
    stamp = {"time": round(moment.timestamp() * 1000), "actor": _ACTOR}
    upstreams = dict.fromkeys(_urn(project.spelled(path)) for path in view.reads)
    found: dict[str, Any] = {
        "upstreams": [
            {"auditStamp": stamp, "dataset": urn, "type": "VIEW"} for urn in sorted(upstreams)
        ]
    }
    columns = list(_columns(view, project))
    return {**found, "fineGrainedLineages": columns} if columns else found


def _columns(view: ExportedView, project: Project) -> Iterator[dict[str, Any]]:
    lineage = project.graph.view(view.path)
    if lineage is None or lineage.unknown:
        return
    for name, origins in lineage.columns.items():
        sources = sorted({_field_urn(each) for each in origins if each.column is not None})
        if sources:
            yield {
                "upstreamType": "FIELD_SET",
                "upstreams": sources,
                "downstreamType": "FIELD",
                "downstreams": [_field_urn(ColumnId(view.path, name))],
                "confidenceScore": 1.0,
            }


def _urn(path: Path) -> str:
    name = ".".join(map(_part, path))
    return f"urn:li:dataset:({PLATFORM},{_encode(name)},PROD)"


def _part(name: str) -> str:
    """A part of a name, quoted where its dots would be taken for those between parts."""
    return quote_identifier(name) if set(name) & {".", "`"} else name


def _field_urn(column: ColumnId) -> str:
    assert column.column is not None
    return f"urn:li:schemaField:({_urn(column.path)},{_encode(column.column)})"


def _encode(text: str) -> str:
    """The characters that part a URN, as DataHub escapes them."""
    return "".join(
        quote(each, safe="") if each in "(),%␟" or not each.isprintable() else each for each in text
    )
