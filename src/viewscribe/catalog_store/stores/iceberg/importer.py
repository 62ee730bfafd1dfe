"""Iceberg view metadata as a view with its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast, get_args

import msgspec

from viewscribe.catalog_store.documents.model import SCHEMA_VERSION, Dependency, ViewDocument
from viewscribe.catalog_store.documents.plain import from_plain
from viewscribe.catalog_store.documents.versions import Change, VersionOperation
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.hosted.view_texts import rename, with_new_names
from viewscribe.catalog_store.manager import DEFAULT_CATALOG
from viewscribe.catalog_store.protocol import Catalog, KeepsWholeHistories, Token
from viewscribe.catalog_store.stores.iceberg.exporter import DOCUMENT, LOCATION, UUID
from viewscribe.catalog_store.stores.iceberg.types import columns_of, id_of, schema_of
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.of_catalogs import iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import loads

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
    from viewscribe.types import Field
    from viewscribe.types.ddl import parse_type

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
