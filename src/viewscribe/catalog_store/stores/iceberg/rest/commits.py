"""Changes of a view, as the protocol has them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import pack, whole_number
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.stores.iceberg.rest import version_log as log
from viewscribe.catalog_store.stores.iceberg.rest.kept import (
    Kept,
    is_kept_document,
    property_name,
    property_of,
    texts_of,
)
from viewscribe.catalog_store.stores.iceberg.rest.records import ViewRecord
from viewscribe.catalog_store.stores.iceberg.rest.states import COMMENT, Line, is_own
from viewscribe.catalog_store.stores.iceberg.types import id_of, schema_of
from viewscribe.version import __version__

_DROPPING = 60
"""For how many seconds a view counts as being dropped by whoever said that he would."""


class Commit(NamedTuple):
    """A change on its way.

    Args:
        key: what its version is known by.
        body: what is sent.
    """

    key: str
    body: dict[str, Any]


def creation(
    place: tuple[str, str], written: document_texts.Written, before: State | None
) -> Commit:
    """A new view under that namespace and name, with the history of ``before``."""
    document = written.document
    key = _new_key()
    links = [*_history(before, document.kind), Kept(key, None, written)]
    properties = {
        **_own_properties(document),
        **_kept_properties(links, 0),
        log.CREATED: key,
        log.VERSIONS_PROPERTY: log.KEPT_VERSIONS,
    }
    label = f"{document.database}.{document.name}"
    return Commit(
        key,
        {
            "name": place[1],
            "schema": schema_of(_columns(document), 0, label),
            "view-version": _version(written, {log.COMMIT: key}, 0, place[0]),
            "properties": properties,
        },
    )


def replacement(record: ViewRecord, line: Line, written: document_texts.Written) -> Commit:
    """``written`` in the place of the present state."""
    document = written.document
    key = _new_key()
    links = [*line.links, Kept(key, line.links[-1].key, written)]
    sets = {**_own_properties(document), **_kept_properties(links, line.recorded)}
    sets.update(_kept_versions(record))
    keeps = {*sets, *(property_name(each.key) for each in _fitting(links))}
    removals = [
        each
        for each in record.properties
        if each not in keeps and (is_own(each) or each == COMMENT or is_kept_document(each))
    ]
    summary = {log.COMMIT: key, log.AFTER: line.steps[-1].key}
    schema, updates = _schema(record, document)
    version = _version(written, summary, schema, record.namespace)
    number = 1 + max(each["version-id"] for each in record.metadata["versions"])
    updates.append(_added({**version, "version-id": number}))
    return Commit(key, _body(record, [*updates, _CURRENT, *_properties(sets, removals)]))


def repair(record: ViewRecord, line: Line, lost: str) -> Commit:
    """The text that counts in the place of one that does not, whose commit was ``lost``."""
    key, step, now = _new_key(), line.steps[-1], line.links[-1].written.document
    assert line.links[-1].written.version is not None
    number = str(line.links[-1].written.version.number)
    summary = {log.COMMIT: key, log.REPAIRS: step.key, log.NUMBER: number, **_engine()}
    sets = _own_properties(now)
    sets.update(_kept_versions(record))
    removals = [
        each
        for each in record.properties
        if each not in sets and (is_own(each) or each in (COMMENT, property_name(lost)))
    ]
    version = {**_present(line), "summary": {**_foreign_summary(step), **summary}}
    return Commit(key, _body(record, [_added(version), _CURRENT, *_properties(sets, removals)]))


def farewell(record: ViewRecord, line: Line, *, drops: bool = True) -> Commit:
    """Says that the view is going to be dropped, so that nobody replaces it meanwhile; or stays."""
    key, step = _new_key(), line.steps[-1]
    links = [*line.links[:-1], line.links[-1]._replace(key=key)]
    summary = {log.COMMIT: key, log.AFTER: step.key, **_engine()}
    if drops:
        summary[log.DROPS] = "true"
    # A server puts the version's time into its log, by which others see how long ago it was.
    now = {"timestamp-ms": int(time.time() * 1_000)}
    version = {**_present(line), "summary": summary, **now}
    recorded = min(line.recorded, len(links) - 1)
    sets = _kept_properties(links, recorded)
    return Commit(key, _body(record, [_added(version), _CURRENT, *_properties(sets, [])]))


def restoration(record: ViewRecord, line: Line) -> Commit:
    """The present version once more, with the texts that the server lost."""
    key, version = line.steps[-1].key, _present(line)
    told = {**version, "summary": {**version["summary"], log.COMMIT: key}}
    return Commit(key, _body(record, [_added(told), _CURRENT]))


def is_going(line: Line) -> bool:
    """Whether somebody is dropping the view just now."""
    step = line.steps[-1]
    return step.drops and abs(time.time() - step.timestamp_ms / 1_000) < _DROPPING


# --- inside ---

_Document = ViewDocument | FunctionDocument
_CURRENT: dict[str, Any] = {"action": "set-current-view-version", "view-version-id": -1}


def _kept_versions(record: ViewRecord) -> dict[str, str]:
    """What lets the server keep as many versions as writers may need."""
    known = whole_number(record.properties.get(log.VERSIONS_PROPERTY)) or 0
    return {} if known >= int(log.KEPT_VERSIONS) else {log.VERSIONS_PROPERTY: log.KEPT_VERSIONS}


def _new_key() -> str:
    return uuid.uuid4().hex


def _engine() -> dict[str, str]:
    return {"engine-name": "viewscribe", "engine-version": __version__}


def _foreign_summary(step: Any) -> dict[str, str]:
    return {
        key: value for key, value in step.version["summary"].items() if key not in _OF_ONE_COMMIT
    }


_OF_ONE_COMMIT = frozenset((log.COMMIT, log.AFTER, log.NUMBER, log.DROPS, log.REPAIRS))


def _version(
    written: document_texts.Written, summary: Mapping[str, str], schema: int, namespace: str
) -> dict[str, Any]:
    document, version = written.document, written.version
    assert version is not None
    told = {
        **_engine(),
        **_told_of(version),
        log.NUMBER: str(version.number),
        **summary,
    }
    return {
        "version-id": 1,
        "schema-id": schema,
        "timestamp-ms": version.timestamp_ms,
        "summary": told,
        "representations": _representations(document),
        "default-namespace": [namespace],
    }


def _representations(document: _Document) -> list[dict[str, str]]:
    return [
        {"type": "sql", "sql": text, "dialect": dialect}
        for dialect, text in texts_of(document).items()
    ]


def _present(line: Line) -> dict[str, Any]:
    """The present version, with its texts even where the server has lost them."""
    version = line.steps[-1].version
    texts = version["representations"] or _representations(line.links[-1].written.document)
    return {**version, "representations": texts}


def _columns(document: _Document) -> Sequence[Column]:
    return document.columns if isinstance(document, ViewDocument) else (Column("note", "STRING"),)


def _told_of(version: Version) -> dict[str, str]:
    """Who changed it and why, for people who look with other tools."""
    told = {
        "operation": version.operation,
        "viewscribe.author": version.author,
        "viewscribe.reason": version.reason,
        "viewscribe.source": version.source,
    }
    return {key: value for key, value in told.items() if value is not None}


def _schema(record: ViewRecord, document: _Document) -> tuple[int, list[dict[str, Any]]]:
    """The id of the schema, and what adds it where it is new.

    The reference server mistakes the version for another one where its schema is "the last that was
    added" (-1). Whoever is slower may name the schema of a faster writer here, and loses anyway.
    """
    known = record.metadata["schemas"]
    following = 1 + max(map(id_of, known))
    made = schema_of(_columns(document), following, f"{document.database}.{document.name}")
    for each in known:
        if each["fields"] == made["fields"]:
            return id_of(each), []
    last = max((_last_id(each) for each in made["fields"]), default=0)
    return following, [{"action": "add-schema", "schema": made, "last-column-id": last}]


def _last_id(field: Any) -> int:
    """The highest id in a field, whose inner fields have ids as well."""
    if isinstance(field, dict):
        ids = [
            int(field[key]) for key in ("id", "element-id", "key-id", "value-id") if key in field
        ]
        return max([*ids, *(_last_id(each) for each in field.values())], default=0)
    return max((_last_id(each) for each in field), default=0) if isinstance(field, list) else 0


def _added(version: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": "add-view-version", "view-version": dict(version)}


def _properties(sets: Mapping[str, str], removals: Sequence[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if sets:
        found.append({"action": "set-properties", "updates": dict(sets)})
    if removals:
        found.append({"action": "remove-properties", "removals": list(removals)})
    return found


def _body(record: ViewRecord, updates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "identifier": {"namespace": [record.namespace], "name": record.name},
        "requirements": [{"type": "assert-view-uuid", "uuid": record.uuid}],
        "updates": list(updates),
    }


def _own_properties(document: _Document) -> dict[str, str]:
    """What other engines see of a document's properties."""
    found = {key: value for key, value in document.properties.items() if is_own(key)}
    return found if document.comment is None else {**found, COMMENT: document.comment}


def _history(before: State | None, kind: ObjectKind) -> list[Kept]:
    """The versions of an object that comes with them."""
    if before is None:
        return []
    links: list[Kept] = []
    for packed in before.with_itself().values():
        written = embedded_document.read_packed(packed, kind, "")
        links.append(Kept(_new_key(), links[-1].key if links else None, written))
    return links


def _fitting(links: Sequence[Kept]) -> list[Kept]:
    """The newest versions that fit into a history, and the present one."""
    *before, now = links
    sizes = {number: pack(each.written.text) for number, each in enumerate(before)}
    return [*(before[number] for number in embedded_document.limit_versions(sizes)), now]


def _kept_properties(links: Sequence[Kept], recorded: int) -> dict[str, str]:
    """The properties of those that are not recorded yet."""
    fitting = {each.key for each in _fitting(links)}
    found: dict[str, str] = {}
    after = links[recorded - 1].key if recorded else None
    for each in links[recorded:]:
        if each.key in fitting:
            found.update(property_of(each._replace(after=after)))
        after = each.key
    return found
