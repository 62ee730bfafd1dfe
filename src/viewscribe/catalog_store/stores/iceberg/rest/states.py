"""The state of a view: our document where it still holds, else what another engine wrote."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import Version, unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    PREFIX,
    MissingPartError,
    State,
    is_kept,
    limit_versions,
    pack,
    unpack,
    whole_number,
)
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.stores.iceberg.rest import version_log as log
from viewscribe.catalog_store.stores.iceberg.rest.records import ViewRecord, check_metadata
from viewscribe.catalog_store.stores.iceberg.rest.version_log import (
    KEPT_VERSIONS,
    Step,
    shows,
    steps_of,
)
from viewscribe.catalog_store.stores.iceberg.types import (
    foreign_view,
    id_of,
    representations_of,
    schema_of,
    schema_of_version,
)
from viewscribe.errors import ViewscribeError, printable
from viewscribe.schemas.strict_json import loads
from viewscribe.version import __version__

# Our documents in the properties of a view: one property for each version.
#
# A property has the name of its version's commit, so that no writer overwrites what another one
# wrote at the same moment. Each names the one before it, which together are the history.

_AT = f"{PREFIX}at."


class Kept(NamedTuple):
    """A version with our document.

    Args:
        key: what the version is known by.
        after: the key of the one before it; None for the first.
        written: the document.
    """

    key: str
    after: str | None
    written: embedded_document.Written


def property_of(kept: Kept) -> dict[str, str]:
    """The property that holds it."""
    plain = {"after": kept.after, "document": kept.written.text}
    return {f"{_AT}{kept.key}": pack(json.dumps(plain, separators=(",", ":")))}


def property_name(key: str) -> str:
    """The name of its property."""
    return f"{_AT}{key}"


def texts_of(document: ViewDocument | FunctionDocument) -> Mapping[str, str]:
    """The texts by dialect; a function has one that tells people what it is."""
    if isinstance(document, ViewDocument):
        return representations_of(document)
    return {"spark": f"SELECT 'a {document.function_kind} function of viewscribe' AS note"}


def is_kept_document(name: str) -> bool:
    """Whether a property is one of these."""
    return name.startswith(_AT)


def chain(properties: Mapping[str, str], key: str, kind: ObjectKind, path: str) -> Iterator[Kept]:
    """Yields the version of that key and those before it that can be read, the newest first.

    Raises:
        DamagedDocumentError: the first cannot be read.
    """
    seen: set[str] = set()
    following: str | None = key
    while following is not None and following not in seen:
        packed = properties.get(property_name(following))
        if packed is None:  # dropped, since the history became too long
            return
        seen.add(following)
        try:
            try:
                plain = loads(unpack(packed))
                after, text = plain["after"], plain["document"]
                if not isinstance(text, str) or not isinstance(after, str | None):
                    raise TypeError("a part of it is no text")
            except (MissingPartError, ValueError, KeyError, TypeError) as error:
                raise DamagedDocumentError(
                    f"the kept document is damaged: {error}", path=path
                ) from None
            found = Kept(following, after, embedded_document.read(text, kind, path))
        except DamagedDocumentError:
            if following == key:
                raise
            return  # the present one is what counts; the history begins behind the damage
        yield found
        following = found.after


COMMENT = "comment"

OF_STRANGE_DATA = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What data of other forms than expected can raise where it is read."""

_SYSTEM_PREFIXES = ("nessie.", "polaris.", "lakekeeper.", "version.history.", "gc.", "spark.query-")
_SYSTEM = frozenset(
    (
        COMMENT,
        "created-at",
        "engine_version",
        "create_engine_version",
        "replace.drop-dialect.allowed",
    )
)


class Line(NamedTuple):
    """A view's versions up to the present one.

    Args:
        steps: those of the server's log that count.
        links: our documents of the versions, the oldest first.
        recorded: how many of them the properties hold.
        foreign: whether another engine wrote the present one.
    """

    steps: Sequence[Step]
    links: Sequence[Kept]
    recorded: int
    foreign: bool

    @property
    def state(self) -> State:
        """The state, as the algorithm of all stores knows it."""
        *before, now = self.links
        earlier = {
            each.written.version.number: pack(each.written.text)
            for each in before
            if each.written.version is not None
        }
        return State(now.written, limit_versions(earlier), foreign=self.foreign)


def is_own(name: str) -> bool:
    """Whether a property is the user's own."""
    return name not in _SYSTEM and not name.startswith(_SYSTEM_PREFIXES) and not is_kept(name)


def user_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that are the user's own."""
    return {key: value for key, value in properties.items() if is_own(key)}


def read_line(record: ViewRecord, catalog: str, path: str) -> Line:
    """A view with its history.

    Args:
        record: what the server keeps.
        catalog: what the catalog is called, for texts of other engines that say no other.
        path: the view, for messages.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    try:
        check_metadata(record.metadata, path)
        return _line(record, catalog, path)
    except DamagedDocumentError:
        raise
    except (ViewscribeError, *OF_STRANGE_DATA) as error:
        # Whatever a server sends, it damages this view alone.
        raise DamagedDocumentError(
            f"its metadata cannot be read: {printable(str(error))}", path=path
        ) from None


def _line(record: ViewRecord, catalog: str, path: str) -> Line:
    steps = steps_of(record.metadata)
    start, links = _documents(record, steps, path)
    recorded = len(links)
    first = int(steps[0].version["version-id"])
    if links and (version := links[-1].written.version) is not None:
        first = version.number + 1
    others = steps[start + 1 :]
    for number, step in list(enumerate(others, first))[-_MOST_FOREIGN:]:
        link = _foreign(record, step, number, links, catalog, path, last=step is steps[-1])
        if link is not None:
            links.append(link)
    foreign = bool(others)
    # What a writer that lost has left there, nobody meant.
    meant = shows(record.metadata, steps[-1])
    if not foreign and meant and (changed := _changed(record, steps[-1], links[-1])) is not None:
        links.append(changed)
    return Line(steps, links, recorded, foreign)


_MOST_FOREIGN = int(KEPT_VERSIONS)
"""How many versions of other engines are read: as many as a log of ours has."""


def _documents(record: ViewRecord, steps: Sequence[Step], path: str) -> tuple[int, list[Kept]]:
    """The last version whose document we have, by its place, and the documents up to it.

    A document counts only with the texts of its version: whoever copies properties from one view
    to another has not changed what engines run.
    """
    for place in reversed(range(len(steps))):
        step = steps[place]
        if not step.ours or property_name(step.key) not in record.properties:
            continue
        links = list(chain(record.properties, step.key, record.kind, path))[::-1]
        texts = {each["dialect"]: each["sql"] for each in step.version["representations"]}
        # Nessie may have lost the texts of a version, and nothing but them: see `has_texts`.
        if not texts or texts == texts_of(links[-1].written.document):
            return place, links
    return -1, []


def _foreign(
    record: ViewRecord,
    step: Step,
    number: int,
    before: Sequence[Kept],
    catalog: str,
    path: str,
    *,
    last: bool,
) -> Kept | None:
    """What another engine wrote; None for an earlier version that no view can be made of."""
    if record.kind != "view":
        raise DamagedDocumentError("another tool has replaced it", path=path)
    try:
        schema = schema_of_version(record.metadata, step.version)
        document = foreign_view(
            step.version,
            schema,
            (record.namespace, record.name),
            catalog=catalog,
        )
    except InvalidDocumentError as error:
        if not last:
            return None
        raise DamagedDocumentError(error.message, path=path, hint=error.hint) from None
    told = msgspec.structs.replace(
        document,
        comment=record.properties.get(COMMENT),
        properties=user_properties(record.properties),
    )
    moment = step.timestamp_ms
    if before and (version := before[-1].written.version) is not None:
        moment = max(moment, version.timestamp_ms)
    written = embedded_document.write(told, unrecorded(number, moment))
    return Kept(step.key, before[-1].key if before else None, written)


def _changed(record: ViewRecord, step: Step, link: Kept) -> Kept | None:
    """What somebody changed besides the text, which the log of versions does not tell."""
    document: ViewDocument | FunctionDocument = link.written.document
    own = {key: value for key, value in document.properties.items() if is_own(key)}
    here = record.namespace, record.called
    if (
        (document.comment or None) == (record.properties.get(COMMENT) or None)
        and own == user_properties(record.properties)
        and (fold(document.database), document.name) == (fold(here[0]), here[1])
    ):
        return None
    kept = {key: value for key, value in document.properties.items() if not is_own(key)}
    told = msgspec.structs.replace(
        document,
        database=here[0],
        name=here[1],
        comment=record.properties.get(COMMENT) or None,
        properties={**kept, **user_properties(record.properties)},
    )
    version = link.written.version
    assert version is not None
    written = embedded_document.write(told, unrecorded(version.number + 1, version.timestamp_ms))
    return Kept(f"{step.key}+{written.token}", link.key, written)


# Changes of a view, as the protocol has them.

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
    place: tuple[str, str], written: embedded_document.Written, before: State | None
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


def replacement(record: ViewRecord, line: Line, written: embedded_document.Written) -> Commit:
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
    version = {
        **_present(line),
        "summary": {
            **{
                key: value
                for key, value in step.version["summary"].items()
                if key not in _OF_ONE_COMMIT
            },
            **summary,
        },
    }
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


_OF_ONE_COMMIT = frozenset((log.COMMIT, log.AFTER, log.NUMBER, log.DROPS, log.REPAIRS))


def _version(
    written: embedded_document.Written, summary: Mapping[str, str], schema: int, namespace: str
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
