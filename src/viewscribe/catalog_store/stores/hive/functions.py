"""Functions: those in SQL as Spark 4.3 keeps them, those of classes, and references to Python.

A function of the metastore has no parameters. In one written in SQL, our document is one more
property of those that Spark keeps; elsewhere it is a resource with a ``local:`` address, which
Spark takes for a file that every node has and does not touch.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

from viewscribe.catalog_store.columns import PREFIX as PYTHON
from viewscribe.catalog_store.columns import class_text, read_class_text
from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    Parameter,
    parameter_text,
    parse_parameters,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.versions import Version, default_author, unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import PART, Hashes, Kept, State, pack
from viewscribe.catalog_store.hosted.names import hive_name, is_ours, place_of, unfinished_name
from viewscribe.catalog_store.messages import conflict, label, taken_error
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.catalog_store.stores.hive.concurrency import DatabaseStore, GoneError, Guard
from viewscribe.catalog_store.stores.hive.records import (
    Client,
    FunctionRecord,
    NameTakenError,
    NoSuchObjectError,
    ResourceRecord,
)
from viewscribe.catalog_store.stores.hive.view_tables import HOME
from viewscribe.errors import DataTypeError
from viewscribe.parser.tokens import begins_query
from viewscribe.schemas.strict_json import loads
from viewscribe.types.ddl import schema_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.nested_types import StructType

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
    written: embedded_document.Written, before: State | None, owner: str | None, created: int
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
        written = embedded_document.write(_foreign(record, content, path), unrecorded(1, changed))
        return State(written, {})
    found = embedded_document.from_text(content.kept, path)
    ours = found.read("function", path)
    version = ours.version
    assert version is not None
    same_name = (fold(record.database or ""), fold(record.name or "")) == (
        fold(ours.document.database),
        fold(ours.document.name),
    )
    if same_name and found.hashes.whole == _hash(content):
        return State(ours, found.earlier)
    earlier = embedded_document.limit_versions({**found.earlier, version.number: found.document})
    later: Version = unrecorded(version.number + 1, max(changed, version.timestamp_ms))
    return State(embedded_document.write(_foreign(record, content, path), later), earlier)


def kept_place(record: FunctionRecord, path: str) -> tuple[str, str]:
    """The database and name that our document in a record is for."""
    content = _take_apart(record, path)
    if content.kept is None:
        raise DamagedDocumentError("the function has no document", path=path)
    document = embedded_document.from_text(content.kept, path).read("function", path).document
    return fold(document.database), fold(document.name)


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
        return _Content(
            name,
            {},
            others,
            base64.urlsafe_b64decode(_join(ours)).decode("ascii") if ours else None,
        )
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


# Storing functions: a metastore replaces none, so the new one waits under another name.
#
# What Hive calls altering a function leaves its resources as they were, and in them are the texts
# of functions in SQL. So the new state is created under a name of its own, the old one is dropped,
# and the new one renamed. A reader that finds a function gone looks for the waiting one: no moment,
# and no crash, leaves it without a state. All writers of a function hold its lock.


class FunctionStore:
    """The functions of a metastore, by their names in lower case.

    Args:
        client: the metastore.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def find(self, database: str, name: str) -> FunctionRecord | None:
        """The function, or None."""
        for each in (name, unfinished_name(name), name):
            with suppress(NoSuchObjectError):
                return _restore_name(self._client.function(database, each), (database, name))
        return None

    def all(self, database: str) -> list[FunctionRecord]:
        """Every function of a database."""
        found: dict[tuple[str, str], FunctionRecord] = {}
        waiting = []
        for record in self._client.functions():
            home, name = record.database or "", record.name or ""
            if home == database and is_ours(name):
                waiting.append(record)
            elif home == database:
                found[home, name] = record
        for record in waiting:
            with suppress(DamagedDocumentError):
                place = kept_place(record, record.name or "")
                found.setdefault(place, _restore_name(record, place))
        return [*found.values()]

    def names(self, database: str) -> bool:
        """Whether the database has any."""
        return bool(self._client.function_names(database))

    def create(self, written: embedded_document.Written, owner: str | None) -> None:
        """Create a function whose name is free; the lock is held."""
        self._client.create_function(write_function(written, None, owner, _now()))

    def replace(
        self, written: embedded_document.Written, before: State, place: tuple[str, str]
    ) -> None:
        """Put a function in the place of another, under its own name; the lock is held."""
        record = write_function(written, before, None, _now())
        home, name = record.database or "", record.name or ""
        waiting = record.copy()
        waiting.name = unfinished_name(name)
        self._tidy(*place)
        with suppress(NoSuchObjectError):  # what a writer left that was killed before it counted
            self._client.drop_function(home, waiting.name)
        self._client.create_function(waiting)
        self._client.drop_function(*place)
        self._client.alter_function(home, waiting.name, record)

    def drop(self, database: str, name: str) -> None:
        """Drop a function; the lock is held."""
        with suppress(NoSuchObjectError):
            self._client.drop_function(database, unfinished_name(name))
        with suppress(NoSuchObjectError):
            self._client.drop_function(database, name)

    def _tidy(self, database: str, name: str) -> None:
        """Finish what a writer left that was killed."""
        waiting = unfinished_name(name)
        try:
            self._client.function(database, name)
        except NoSuchObjectError:
            record = self._client.function(database, waiting)
            record.name = name
            self._client.alter_function(database, waiting, record)


def _restore_name(record: FunctionRecord, place: tuple[str, str]) -> FunctionRecord:
    """The record under the name that the function is known by; it may still wait under another."""
    if is_ours(record.name or ""):
        record = record.copy()
        record.database, record.name = place
    return record


def spell(found: State) -> str:
    """The name as its writer spells it."""
    document: FunctionDocument = found.written.document
    return document.name


def _now() -> int:
    return int(time.time())


# Changing functions, one writer at a time: a metastore compares nothing before it changes one.


class LockedFunctions:
    """The functions of a metastore.

    Args:
        store: keeps them.
        guard: its locks.
        databases: its databases.
        url: where it is, for messages.
    """

    def __init__(
        self, store: FunctionStore, guard: Guard, databases: DatabaseStore, url: str
    ) -> None:
        self._store = store
        self._guard = guard
        self._databases = databases
        self._url = url

    # --- reading ---

    def find(self, place: tuple[str, str]) -> FunctionRecord | None:
        """The function of a database and a name, as the metastore has them."""
        return self._store.find(*place)

    def names(self, home: str) -> list[str]:
        """The names of all functions of a database, as their writers spell them."""
        return [
            name if isinstance(found, DamagedDocumentError) else spell(found)
            for name, found in self.all(home, home)
        ]

    def all(self, home: str, called: str) -> Iterator[tuple[str, State | DamagedDocumentError]]:
        """All functions of a database: their names, and states or what is wrong with them.

        Args:
            home: the database.
            called: what messages call it.
        """
        if not self._store.names(home):
            return
        for record in self._store.all(home):
            name = record.name or ""
            try:
                yield name, function_state(record, f"{self._url}/{called}/{name}")
            except DamagedDocumentError as error:
                yield name, error

    # --- writing ---

    def create(self, written: embedded_document.Written) -> None:
        """Store a new one."""
        document = written.document
        place = place_of("function", document.database, document.name)
        self._databases.record(document.database)
        with self._lock(place):
            if self._store.find(*place) is not None:
                raise taken_error(document)
            try:
                self._store.create(written, default_author())
            except NameTakenError:
                raise taken_error(document) from None

    def change(
        self, found: FunctionRecord, before: State, written: embedded_document.Written
    ) -> None:
        """Put ``written`` in the place of ``before``, perhaps under another name.

        Raises:
            ConcurrentUpdateError: it is ``before`` no more.
        """
        document, what = written.document, label(before.written.document)
        place = found.database or "", found.name or ""
        target = place_of("function", document.database, document.name)
        with self._lock(place):
            try:
                self._require(place, before, what)
            except GoneError:
                raise conflict(what, gone=True) from None
            if target != place and self._store.find(*target) is not None:
                raise taken_error(document)
            self._store.replace(written, before, place)

    def drop(self, found: FunctionRecord, seen: State | None, what: str) -> None:
        """Drop one, where it was ``seen`` only in that state.

        Raises:
            GoneError: it is gone by now.
            ConcurrentUpdateError: it is in another state.
        """
        place = found.database or "", found.name or ""
        with self._lock(place):
            self._require(place, seen, what)
            self._store.drop(*place)

    def _lock(self, place: tuple[str, str]) -> AbstractContextManager[None]:
        return self._guard.locked(place[0], unfinished_name(place[1]))

    def _require(self, place: tuple[str, str], seen: State | None, what: str) -> None:
        """Raise where a function is not what was ``seen``, now that nobody else changes it."""
        record = self._store.find(*place)
        if record is None:
            raise GoneError
        if seen is not None and function_state(record, what).token != seen.token:
            raise conflict(what, gone=False)
