"""Functions: those in SQL as Spark 4.3 keeps them, those of classes, and references to Python.

A function of the metastore has no parameters. In one written in SQL, our document is one more
property of those that Spark keeps; elsewhere it is a resource with a ``local:`` address, which
Spark takes for a file that every node has and does not touch.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import FunctionDocument, Parameter
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.parameters import parameter_text, parse_parameters
from viewscribe.catalog_store.documents.versions import Version, unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import PART, pack
from viewscribe.catalog_store.hosted.embedded_document import Hashes, Kept
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.python_classes import PREFIX as PYTHON
from viewscribe.catalog_store.python_classes import class_text, read_class_text
from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.catalog_store.stores.hive.records import FunctionRecord, ResourceRecord
from viewscribe.catalog_store.stores.hive.view_tables import HOME
from viewscribe.errors import DataTypeError
from viewscribe.parser.tokens import begins_query
from viewscribe.schemas.strict_json import loads
from viewscribe.types.ddl import schema_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.logical import StructType

JAR, FILE = 1, 2
SQL_CLASS = "sqlFunction."

_OURS = "local:/viewscribe/"
_KEPT = f"{embedded_document.PREFIX}kept"
_MAX_RESOURCES = 1_000
_JAVA_FUNCTION = 1


class _Content(NamedTuple):
    """What a record says, taken apart."""

    class_name: str
    properties: dict[str, str]
    resources: list[tuple[int, str]]
    kept: str | None


# --- writing ---


def write_function(
    written: document_texts.Written, before: State | None, owner: str | None, created: int
) -> FunctionRecord:
    """The record of a function.

    Raises:
        InvalidDocumentError: a metastore cannot hold the document.
    """
    document: FunctionDocument = written.document
    try:
        content = _content(document, created)
    except DataTypeError as error:
        raise InvalidDocumentError(
            f"a Hive metastore cannot hold a type of the function: {error.message}",
            location=f"function {document.database}.{document.name}",
        ) from None
    hashes = Hashes(_hash(content), "")
    ours = (
        Kept(pack(written.text), {}, hashes)
        if before is None
        else before.followed_by(written, hashes)
    )
    return FunctionRecord(
        name=fold(document.name),
        database=fold(document.database),
        class_name=content.class_name,
        owner=document.owner or owner or "",
        owner_type=1,
        created=created,
        type=_JAVA_FUNCTION,
        resources=_resources(content._replace(kept=embedded_document.to_text(ours)), document),
    )


def _content(document: FunctionDocument, created: int) -> _Content:
    if document.language == "sql":
        return _Content(SQL_CLASS, _sql_properties(document, created), [], None)
    resources = [
        (JAR if each.lower().endswith(".jar") else FILE, each) for each in document.resources
    ]
    python = document.language == "python"
    name = class_text(document) if python else document.class_name or ""
    return _Content(name, {}, resources, None)


def _sql_properties(document: FunctionDocument, created: int) -> dict[str, str]:
    body = document.body or ""
    table = document.function_kind == "table"
    found = {
        "sqlFunction.query" if table or begins_query(body) else "sqlFunction.expression": body,
        "sqlFunction.isTableFunc": "true" if table else "false",
        "sqlFunction.deterministic": "true" if document.deterministic else "false",
        "sqlFunction.createTime": str(created * 1000),
        "catalogAndNamespace.numParts": "2",
        "catalogAndNamespace.part.0": HOME,
        "catalogAndNamespace.part.1": hive_name(document.database, "database"),
        **{f"sqlConfig.{key}": value for key, value in DEFAULT_SETTINGS.items()},
        **{f"referredTemp{each}Names": "[]" for each in ("View", "Functions", "Variable")},
    }
    if document.returns is not None:
        found["sqlFunction.returnType"] = _returns(document)
    if document.parameters:
        found["sqlFunction.inputParam"] = ", ".join(map(parameter_text, document.parameters))
    if document.comment is not None:
        found["sqlFunction.comment"] = document.comment
    return found


def _returns(document: FunctionDocument) -> str:
    type_ = parse_type(document.returns or "")
    if document.function_kind == "table" and isinstance(type_, StructType):
        return schema_text(type_.fields)
    return type_text(type_)


def _resources(content: _Content, document: FunctionDocument) -> list[ResourceRecord]:
    assert content.kept is not None
    if content.class_name == SQL_CLASS:
        blob = json.dumps({**content.properties, _KEPT: content.kept}, separators=(",", ":"))
        chunks = _number_chunks(blob, document)
        return [ResourceRecord(type=FILE, uri=chunk) for chunk in chunks]
    encoded = _address(content.kept)
    ours = [f"{_OURS}{chunk}" for chunk in _number_chunks(encoded, document)]
    return [
        *(ResourceRecord(type=kind, uri=uri) for kind, uri in content.resources),
        *(ResourceRecord(type=FILE, uri=uri) for uri in ours),
    ]


def _address(text: str) -> str:
    """``text`` in letters that an address may have."""
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii")


def _text(address: str) -> str:
    return base64.urlsafe_b64decode(address).decode("ascii")


def _number_chunks(text: str, document: FunctionDocument) -> list[str]:
    """The text in chunks that start with their numbers, as Spark writes them."""
    chunks = [text[start : start + PART] for start in range(0, len(text), PART)]
    if len(chunks) > _MAX_RESOURCES:
        raise InvalidDocumentError(
            f"a Hive metastore cannot hold {len(text):,} characters of a function",
            location=f"function {document.database}.{document.name}",
        )
    return [f"{number:03}{chunk}" for number, chunk in enumerate(chunks)]


# --- reading ---


def function_state(record: FunctionRecord, path: str) -> State:
    """The state that a record tells.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    content = _take_apart(record, path)
    changed = 1000 * (record.created or 0)
    if content.kept is None:
        written = document_texts.write(_foreign(record, content, path), unrecorded(1, changed))
        return State(written, {})
    found = embedded_document.from_text(content.kept, path)
    ours = found.read("function", path)
    version = ours.version
    assert version is not None
    same_name = _place(record) == (fold(ours.document.database), fold(ours.document.name))
    if same_name and found.hashes.whole == _hash(content):
        return State(ours, found.earlier)
    earlier = embedded_document.limit_versions({**found.earlier, version.number: found.document})
    later: Version = unrecorded(version.number + 1, max(changed, version.timestamp_ms))
    return State(document_texts.write(_foreign(record, content, path), later), earlier)


def kept_place(record: FunctionRecord, path: str) -> tuple[str, str]:
    """The database and name that our document in a record is for."""
    content = _take_apart(record, path)
    if content.kept is None:
        raise DamagedDocumentError("the function has no document", path=path)
    document = embedded_document.from_text(content.kept, path).read("function", path).document
    return fold(document.database), fold(document.name)


def _place(record: FunctionRecord) -> tuple[str, str]:
    return fold(record.database or ""), fold(record.name or "")


def _hash(content: _Content) -> str:
    told = {
        key: value for key, value in content.properties.items() if key != "sqlFunction.createTime"
    }
    return content_hash([content.class_name, told, content.resources])


def _take_apart(record: FunctionRecord, path: str) -> _Content:
    name = record.class_name or ""
    resources = [(each.type or FILE, each.uri or "") for each in record.resources]
    try:
        if name == SQL_CLASS:
            blob = _join([uri for _, uri in resources])
            properties = {str(key): str(value) for key, value in loads(blob).items()}
            return _Content(name, properties, [], properties.pop(_KEPT, None))
        ours = [uri[len(_OURS) :] for _, uri in resources if uri.startswith(_OURS)]
        others = [each for each in resources if not each[1].startswith(_OURS)]
        return _Content(name, {}, others, _text(_join(ours)) if ours else None)
    except (ValueError, AttributeError) as error:
        raise DamagedDocumentError(f"the function is damaged: {error}", path=path) from None


def _join(chunks: list[str]) -> str:
    numbered = sorted((int(chunk[:3]), chunk[3:]) for chunk in chunks)
    if [number for number, _ in numbered] != [*range(len(chunks))]:
        raise ValueError("a part is missing")
    return "".join(chunk for _, chunk in numbered)


def _foreign(record: FunctionRecord, content: _Content, path: str) -> FunctionDocument:
    """The function as Spark or Hive sees it."""
    fields: dict[str, Any] = {
        "database": record.database or "",
        "name": record.name or "",
        "owner": record.owner or None,
    }
    if content.class_name == SQL_CLASS:
        return FunctionDocument(**fields, **_foreign_sql(content.properties, path))
    fields["resources"] = tuple(uri for _, uri in content.resources)
    if content.class_name.startswith(PYTHON):
        return FunctionDocument(**fields, **read_class_text(content.class_name))
    return FunctionDocument(
        **fields, function_kind="scalar", language="hive", class_name=content.class_name
    )


def _foreign_sql(properties: Mapping[str, str], path: str) -> dict[str, Any]:
    table = properties.get("sqlFunction.isTableFunc") == "true"
    try:
        returned = properties.get("sqlFunction.returnType")
        if returned is not None and table:
            returned = type_text(StructType(fields=parse_schema(returned)))
        elif returned is not None:
            returned = type_text(parse_type(returned))
        parameters: tuple[Parameter, ...] = parse_parameters(
            properties.get("sqlFunction.inputParam", "")
        )
    except DataTypeError as error:
        raise DamagedDocumentError(f"its types cannot be read: {error}", path=path) from None
    body = properties.get("sqlFunction.query", properties.get("sqlFunction.expression"))
    if body is None:
        raise DamagedDocumentError("the function has no text", path=path)
    return {
        "function_kind": "table" if table else "scalar",
        "language": "sql",
        "body": body,
        "parameters": parameters,
        "returns": returned,
        "deterministic": properties.get("sqlFunction.deterministic") != "false",
        "comment": properties.get("sqlFunction.comment"),
    }
