"""Columns as an Iceberg schema and back.

Iceberg knows fewer types than Spark (https://iceberg.apache.org/spec/#primitive-types). One without
a type of its own is written as the nearest that holds all of its values (TINYINT as ``int``); one
that no type holds is an error. Which type it was exactly, the exporter keeps beside the schema.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, cast, get_args

import msgspec
from msgspec.structs import replace

from viewscribe import types as t
from viewscribe.catalog_store.documents.model import (
    SCHEMA_VERSION,
    Column,
    Dependency,
    ViewDocument,
    mask_document,
)
from viewscribe.catalog_store.documents.normalization import from_plain, to_plain
from viewscribe.catalog_store.documents.versions import Change, Version, VersionOperation
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.hosted.view_texts import rename, with_new_names
from viewscribe.catalog_store.manager import DEFAULT_CATALOG
from viewscribe.catalog_store.protocol import Catalog, KeepsWholeHistories, Stored, Token
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.of_catalogs import iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import loads
from viewscribe.secrets import mask_text
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type, type_text

Json = Any

_PRIMITIVES: dict[type[t.LogicalType], str] = {
    t.BooleanType: "boolean",
    t.TinyIntType: "int",
    t.SmallIntType: "int",
    t.IntType: "int",
    t.BigIntType: "long",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.StringType: "string",
    t.CharType: "string",
    t.VarcharType: "string",
    t.BinaryType: "binary",
    t.DateType: "date",
    t.TimestampType: "timestamptz",
    t.TimestampNtzType: "timestamp",
}

_SPARK: dict[str, t.LogicalType] = {
    "boolean": t.BOOLEAN,
    "int": t.INT,
    "long": t.BIGINT,
    "float": t.FLOAT,
    "double": t.DOUBLE,
    "string": t.STRING,
    "uuid": t.STRING,
    "binary": t.BINARY,
    "date": t.DATE,
    "time": t.TIME,
    "timestamp": t.TIMESTAMP_NTZ,
    "timestamptz": t.TIMESTAMP,
    "variant": t.VARIANT,
    "unknown": t.VOID,
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_FIXED = re.compile(r"fixed\[\s*\d+\s*\]")


def schema_of(columns: Sequence[Column], schema_id: int, view: str) -> dict[str, Json]:
    """The columns as an Iceberg schema with fresh field ids.

    Raises:
        InvalidDocumentError: Iceberg has no type for a column; names it.
    """
    ids = count(1)
    fields = []
    for column in columns:
        field: dict[str, Json] = {
            "id": next(ids),
            "name": column.name,
            "required": not column.nullable,
        }
        field["type"] = _write_type(parse_type(column.type), ids, (column.name,), view)
        if column.comment is not None:
            field["doc"] = column.comment
        fields.append(field)
    return {"type": "struct", "schema-id": schema_id, "fields": fields}


def id_of(schema: Mapping[str, Json]) -> int:
    """The id of a schema; whoever gives it none means the first."""
    return int(schema.get("schema-id", 0))


def columns_of(schema: dict[str, Json]) -> tuple[Column, ...]:
    """The columns of an Iceberg schema.

    Raises:
        InvalidDocumentError: Spark has no type for a column; names it.
    """
    return tuple(
        Column(
            name=field["name"],
            type=type_text(_read(field["type"], (field["name"],))),
            nullable=not field["required"],
            comment=field.get("doc"),
        )
        for field in schema["fields"]
    )


def _write_type(type_: t.LogicalType, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    writer = _WRITERS.get(type(type_))
    if writer is not None:
        return writer(type_, ids, path, view)
    if isinstance(type_, t.TimeType) and type_.precision <= 6:
        return "time"
    name = _PRIMITIVES.get(type(type_))
    if name is None:
        raise InvalidDocumentError(
            f"Iceberg has no type for the column `{'.'.join(path)}` of {view}: {type_text(type_)}",
            hint="cast it to another type in the view, or leave it out",
        )
    return name


def _decimal(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    return f"decimal({type_.precision}, {type_.scale})"


def _list(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    return {
        "type": "list",
        "element-id": next(ids),
        "element-required": not type_.element.nullable,
        "element": _write_type(type_.element, ids, (*path, "element"), view),
    }


def _map(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    key, value = next(ids), next(ids)
    return {
        "type": "map",
        "key-id": key,
        "key": _write_type(type_.key, ids, (*path, "key"), view),
        "value-id": value,
        "value-required": not type_.value.nullable,
        "value": _write_type(type_.value, ids, (*path, "value"), view),
    }


def _struct(type_: Any, ids: Iterator[int], path: tuple[str, ...], view: str) -> Json:
    fields = []
    for each in type_.fields:
        field = {"id": next(ids), "name": each.name, "required": not each.nullable}
        field["type"] = _write_type(each.type, ids, (*path, each.name), view)
        if each.comment is not None:
            field["doc"] = each.comment
        fields.append(field)
    return {"type": "struct", "fields": fields}


_Writer = Callable[[Any, Iterator[int], tuple[str, ...], str], Json]
_WRITERS: dict[type[t.LogicalType], _Writer] = {
    t.DecimalType: _decimal,
    t.ArrayType: _list,
    t.MapType: _map,
    t.StructType: _struct,
}


def _read(type_: Json, path: tuple[str, ...]) -> t.LogicalType:
    if isinstance(type_, dict):
        reader = _READERS.get(type_["type"])
        if reader is not None:
            return reader(type_, path)
    elif type_ in _SPARK:
        return _SPARK[type_]
    elif match := _DECIMAL.fullmatch(type_):
        return t.decimal(int(match[1]), int(match[2]))
    elif _FIXED.fullmatch(type_):
        return t.BINARY
    raise InvalidDocumentError(
        f"Spark has no type for the column `{'.'.join(path)}`: {type_}",
        hint="the view cannot be imported as it is",
    )


def _read_list(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    element = _read(type_["element"], (*path, "element"))
    return t.ArrayType(element=element.with_nullability(not type_["element-required"]))


def _read_map(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    value = _read(type_["value"], (*path, "value"))
    return t.MapType(
        key=_read(type_["key"], (*path, "key")),
        value=value.with_nullability(not type_["value-required"]),
    )


def _read_struct(type_: dict[str, Json], path: tuple[str, ...]) -> t.LogicalType:
    fields = []
    for each in type_["fields"]:
        inner = _read(each["type"], (*path, each["name"])).with_nullability(not each["required"])
        fields.append(t.Field(each["name"], inner, each.get("doc")))
    return t.StructType(fields=tuple(fields))


_READERS: dict[str, Callable[[dict[str, Json], tuple[str, ...]], t.LogicalType]] = {
    "list": _read_list,
    "map": _read_map,
    "struct": _read_struct,
}


# A view with its history as Iceberg view metadata (https://iceberg.apache.org/view-spec/).

DOCUMENT = "viewscribe.document"
"""The key of a version's summary that holds what Iceberg has no field for, as JSON."""

UUID, LOCATION = "iceberg.view-uuid", "iceberg.location"
"""The properties by which a view that came from elsewhere keeps what it is known by there."""


def export_view(
    history: Sequence[Stored[ViewDocument]], *, location: str, catalog: str = DEFAULT_CATALOG
) -> dict[str, Any]:
    """The metadata document of a view, valid against the specification, without its secrets.

    Args:
        history: its versions, the oldest first.
        location: where the view's metadata files would be, unless the view came with a place.
        catalog: what its catalog is called in the texts of the versions.

    Raises:
        InvalidDocumentError: Iceberg has no type for a column.
    """
    history = [replace(each, document=mask_document(each.document)) for each in history]
    schemas: list[dict[str, Any]] = []
    versions = [_version(each, schemas, catalog) for each in history]
    now = history[-1].document
    known = {key: now.properties.get(key) for key in (UUID, LOCATION)}
    properties = {key: value for key, value in now.properties.items() if key not in known}
    if now.comment is not None:
        properties["comment"] = now.comment
    metadata = {
        "view-uuid": known[UUID] or _uuid(history[0]),
        "format-version": 1,
        "location": known[LOCATION] or location,
        "schemas": schemas,
        "current-version-id": versions[-1]["version-id"],
        "versions": versions,
        "version-log": [
            {"timestamp-ms": each["timestamp-ms"], "version-id": each["version-id"]}
            for each in versions
        ],
        "properties": properties,
    }
    validate(metadata, "iceberg_view")
    return metadata


def _version(
    stored: Stored[ViewDocument], schemas: list[dict[str, Any]], catalog: str
) -> dict[str, Any]:
    document, version = stored.document, stored.version
    if version is None:
        raise InvalidDocumentError(f"a version of `{document.name}` does not know its number")
    return {
        "version-id": version.number,
        "schema-id": _schema_id(document, schemas),
        "timestamp-ms": version.timestamp_ms,
        "summary": _summary(document, version),
        "representations": [
            {"type": "sql", "sql": text, "dialect": dialect}
            for dialect, text in representations_of(document).items()
        ],
        "default-catalog": catalog,
        "default-namespace": [document.database],
    }


def representations_of(document: ViewDocument) -> dict[str, str]:
    """The texts of a view by dialect, Spark's first."""
    return {"spark": document.sql, **document.representations}


def _schema_id(document: ViewDocument, schemas: list[dict[str, Any]]) -> int:
    """The id of the schema, which equal versions share."""
    label = f"{document.database}.{document.name}"
    made = schema_of(document.columns, len(schemas), label)
    for each in schemas:
        if each["fields"] == made["fields"]:
            return int(each["schema-id"])
    schemas.append(made)
    return int(made["schema-id"])


def _summary(document: ViewDocument, version: Version) -> dict[str, str]:
    """Who, when and why; and the document, for what only viewscribe knows."""
    kept = {key: value for key, value in to_plain(document).items() if key not in _ELSEWHERE}
    told = {
        "engine-name": "viewscribe",
        "engine-version": document.viewscribe_version,
        "operation": version.operation,
        "viewscribe.author": version.author,
        "viewscribe.reason": version.reason and mask_text(version.reason),
        "viewscribe.source": version.source and mask_text(version.source),
        DOCUMENT: json.dumps(kept, separators=(",", ":"), ensure_ascii=False),
    }
    return {key: value for key, value in told.items() if value is not None}


_ELSEWHERE = frozenset(("sql", "representations", "fingerprint", "kind"))


def _uuid(first: Stored[ViewDocument]) -> str:
    """A name for the view that each export gives again: from its first version alone."""
    document, version = first.document, first.version
    time = version.timestamp_ms if version else 0
    parts = (document.database, document.name, str(time), document.fingerprint)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "viewscribe:" + "/".join(parts)))


# Iceberg view metadata as a view with its history.

FORMAT_VERSION = 1
"""The newest version of the metadata's form that is read."""


class ImportedVersion(NamedTuple):
    """A version as it will be stored: the document, and what its history says."""

    document: ViewDocument
    change: Change


def import_view(
    metadata: Mapping[str, Any], name: tuple[str, str] | None = None
) -> list[ImportedVersion]:
    """The versions of a view in the order in which they were current.

    A version that viewscribe exported comes back as it was. Of one that another engine made, the
    text for Spark is taken, with its names spelled out in full, and the columns from the schema.

    Args:
        metadata: the document.
        name: the database and name of the view; by default those it was exported with.

    Raises:
        InvalidDocumentError: it is not valid, or no view of Spark can be made of it; says why.
    """
    _check(metadata)
    versions = {each["version-id"]: each for each in metadata["versions"]}
    if metadata["current-version-id"] not in versions:
        raise InvalidDocumentError(
            f"its current version {metadata['current-version-id']} is not among its versions"
        )
    name = name or _name_of(versions[metadata["current-version-id"]])
    found: list[ImportedVersion] = []
    seen: set[int] = set()
    for entry in _log(metadata, versions):
        version = versions[entry["version-id"]]
        document = _document(metadata, version, name)
        found.append(ImportedVersion(document, _change(version, entry, again=_id(entry) in seen)))
        seen.add(_id(entry))
    return found


def _check(metadata: Any) -> None:
    form = metadata.get("format-version") if isinstance(metadata, Mapping) else None
    if type(form) is int and form > FORMAT_VERSION:
        raise InvalidDocumentError(
            f"the Iceberg view metadata has format version {form}, which is newer than this "
            f"viewscribe, which reads up to version {FORMAT_VERSION}",
            hint="upgrade viewscribe to read it",
        )
    try:
        validate(dict(metadata) if isinstance(metadata, Mapping) else metadata, "iceberg_view")
    except DocumentSchemaError as error:
        raise InvalidDocumentError(f"no Iceberg view metadata: {error}") from error


def store_view(catalog: Catalog, versions: Sequence[ImportedVersion]) -> Token:
    """Store an imported view as a new one, version by version.

    Versions that differ in nothing but the name the view had become one. Where a version cannot
    be stored, none is. A live session stores them one after the other, so a process that is killed
    may leave the first of them there; every other catalog stores all at one moment.

    Raises:
        AlreadyExistsError: the name is taken.
    """
    if isinstance(catalog, KeepsWholeHistories):
        return catalog.create_with_history(versions)
    first, *others = versions
    token = catalog.create(first.document, change=first.change)
    try:
        for each in others:
            token = catalog.replace(each.document, expected=token, change=each.change)
    except ViewscribeError:
        document = first.document
        catalog.delete("view", document.database, document.name, expected=token)
        raise
    return token


def _log(metadata: Mapping[str, Any], versions: Mapping[int, Any]) -> list[dict[str, Any]]:
    """The entries of the log whose versions are kept; the current one is the last."""
    found = [each for each in metadata["version-log"] if _id(each) in versions]
    current = metadata["current-version-id"]
    if not found or _id(found[-1]) != current:
        time = versions[current]["timestamp-ms"]
        found.append({"version-id": current, "timestamp-ms": time})
    return found


def _id(entry: Mapping[str, Any]) -> int:
    return int(entry["version-id"])


def _change(version: Mapping[str, Any], entry: Mapping[str, Any], *, again: bool) -> Change:
    summary = version["summary"]
    told = summary.get("operation")
    operation = told if told in get_args(VersionOperation) else "import"
    engine = " ".join(summary[key] for key in ("engine-name", "engine-version") if key in summary)
    ours = DOCUMENT in summary
    return Change(
        author=summary.get("viewscribe.author"),
        reason=summary.get("viewscribe.reason"),
        source=summary.get("viewscribe.source") or (None if ours else engine or "Iceberg"),
        operation="rollback" if again else cast(VersionOperation, operation),
        timestamp_ms=entry["timestamp-ms"],
    )


def _name_of(version: Mapping[str, Any]) -> tuple[str, str]:
    kept = _find_document(version)
    if kept is None:
        raise InvalidDocumentError(
            "Iceberg view metadata has no name of the view", hint="say how it is to be called"
        )
    return kept["database"], kept["name"]


def _find_document(version: Mapping[str, Any]) -> dict[str, Any] | None:
    """What viewscribe kept beside the version; None where it was made by something else."""
    text = version["summary"].get(DOCUMENT)
    if text is None:
        return None
    try:
        kept = loads(text)
        if not isinstance(kept, dict):
            raise ValueError("it is not a mapping")
    except ValueError as error:
        raise InvalidDocumentError(f"{DOCUMENT} of a version is damaged: {error}") from error
    if kept.get("schema_version") != SCHEMA_VERSION:
        raise InvalidDocumentError(
            f"{DOCUMENT} has schema version {kept.get('schema_version')!r}; "
            f"this viewscribe reads {SCHEMA_VERSION}",
            hint="upgrade viewscribe",
        )
    return kept


def _document(
    metadata: Mapping[str, Any], version: Mapping[str, Any], name: tuple[str, str]
) -> ViewDocument:
    texts = _texts(version)
    schema = schema_of_version(metadata, version)
    kept = _find_document(version)
    if kept is None:
        return _foreign(metadata, version, name, schema)
    others = {dialect: text for dialect, text in texts.items() if dialect != "spark"}
    plain = {**kept, "kind": "view", "sql": texts["spark"], "database": name[0], "name": name[1]}
    if others:
        plain["representations"] = others
    try:
        document = from_plain(plain)
    except msgspec.ValidationError as error:
        raise InvalidDocumentError(f"{DOCUMENT} of a version is damaged: {error}") from error
    assert isinstance(document, ViewDocument)
    if schema_of(document.columns, id_of(schema), name[1])["fields"] != schema["fields"]:
        raise InvalidDocumentError(
            f"the schema of version {version['version-id']} is not that of its columns",
            hint=f"take {DOCUMENT} out of the summary to import what the schema says",
        )
    return document


def _foreign(
    metadata: Mapping[str, Any],
    version: Mapping[str, Any],
    name: tuple[str, str],
    schema: dict[str, Any],
) -> ViewDocument:
    properties = dict(metadata.get("properties") or {})
    comment = properties.pop("comment", None)
    known = {UUID: metadata["view-uuid"], LOCATION: metadata["location"]}
    document = foreign_view(version, schema, name)
    return msgspec.structs.replace(document, comment=comment, properties={**properties, **known})


def foreign_view(
    version: Mapping[str, Any],
    schema: dict[str, Any],
    name: tuple[str, str],
    *,
    catalog: str = DEFAULT_CATALOG,
) -> ViewDocument:
    """The view in a version that another engine made: its text for Spark, with names in full.

    Args:
        version: the version.
        schema: its schema.
        name: the database and name of the view.
        catalog: what its catalog is called, for texts that say no other.

    Raises:
        InvalidDocumentError: there is no text for Spark, or no view can be made of it; says why.
    """
    from viewscribe.parser.opaque import sql_text

    texts = _texts(version)
    around = (version.get("default-catalog") or catalog, *version["default-namespace"])

    def full(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Field, ...]]:
        # The namespace, of whatever depth, is for names alone; two parts are in the catalog.
        before = {1: around, 2: around[:1]}.get(len(parts), ())
        return (*before, *parts), ()

    def own(parts: Sequence[str]) -> UserFunction | None:
        path = (around[0], *parts) if len(parts) == 2 else tuple(parts)
        return iceberg_function(path) if path[0] == around[0] else None

    columns = columns_of(schema)
    try:
        fields = [Field(each.name, parse_type(each.type), each.comment) for each in columns]
        query = sql_text(texts["spark"], full, own, fields)
    except ViewscribeError as error:
        raise InvalidDocumentError(
            f"version {version['version-id']}: {error.message}", hint=error.hint
        ) from error
    sql = _with_names(query.text, [each.name for each in columns])
    return ViewDocument(
        database=name[0],
        name=name[1],
        sql=sql,
        columns=columns,
        dependencies=tuple(Dependency("table", path) for path in query.dependencies),
        representations={key: text for key, text in texts.items() if key != "spark"},
    )


def _with_names(sql: str, names: Sequence[str]) -> str:
    """The text with the names of the columns, which other engines find by their places."""
    from viewscribe.parser.opaque import names_in

    outputs = names_in(sql)
    if outputs is None:  # only Spark knows what they are called
        return rename(sql, names)
    return sql if outputs == list(names) else with_new_names(sql, outputs, names, "the view")


def schema_of_version(metadata: Mapping[str, Any], version: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a version. Raises ``InvalidDocumentError`` where there is none."""
    for each in metadata["schemas"]:
        if id_of(each) == version["schema-id"]:
            return dict(each)
    raise InvalidDocumentError(f"there is no schema {version['schema-id']}")


def _texts(version: Mapping[str, Any]) -> dict[str, str]:
    dialects = [each["dialect"].lower() for each in version["representations"]]
    if dialects.count("spark") > 1:
        raise InvalidDocumentError(f"version {version['version-id']} has two texts for Spark")
    texts = {each["dialect"].lower(): each["sql"] for each in version["representations"]}
    if not texts:
        raise InvalidDocumentError(
            f"version {version['version-id']} has no text",
            hint="write the view again, by CREATE OR REPLACE VIEW; Nessie loses the text of a view "
            "that is read while it is written (projectnessie/nessie#12504), newer ones do not",
        )
    if "spark" not in texts:
        raise InvalidDocumentError(
            f"version {version['version-id']} has no text for Spark, only for: {', '.join(texts)}"
        )
    return texts
