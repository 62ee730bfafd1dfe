"""The state of a table or view: our document where it still holds, else what Spark tells.

A change that Spark needs several statements for becomes visible with one of them: the new document
is put beside the view first, with the number of the version that holds until the view says what
the new document says (``BEFORE``). Properties that are still to go are listed (``GONE``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.model import (
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import whole_number
from viewscribe.catalog_store.hosted.embedded_document import PREFIX, Kept
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT, user_properties
from viewscribe.catalog_store.hosted.sql_names import means_the_same_in, qualified_view
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.hosted.view_texts import says_settings, says_text, with_new_names
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.settings import allowed_settings
from viewscribe.operations.paths import plain_location
from viewscribe.schemas.strict_json import loads
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session_catalog.descriptions import REDACTED, Described, columns
from viewscribe.spark.session_catalog.names import SESSION_CATALOG
from viewscribe.spark.session_catalog.statements import Statements
from viewscribe.types.identifiers import quote_identifier

BEFORE = f"{PREFIX}before"
GONE = f"{PREFIX}gone"


def state_of(statements: Statements, described: Described, path: str) -> State:
    """The state of what Spark tells of.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    found = embedded_document.from_parameters(described.properties, path)
    if found is None:
        version = unrecorded(1, described.changed_ms)
        return State(document_texts.write(_foreign(statements, described, path), version), {})
    ours = found.read(described.object_kind, path)
    assert ours.version is not None
    gone = names_of_text(described.properties.get(GONE))
    if holds(ours.document, described) and _shows(ours.document, described, gone):
        return State(ours, found.earlier)
    if (state := _before(found, described, path)) is not None:
        return state
    version = unrecorded(
        ours.version.number + 1, max(described.changed_ms, ours.version.timestamp_ms)
    )
    earlier = embedded_document.limit_versions(
        {**found.earlier, ours.version.number: found.document}
    )
    if holds(ours.document, described, anywhere=True):
        return State(
            document_texts.write(_update(ours.document, described, gone), version), earlier
        )
    return State(document_texts.write(_foreign(statements, described, path), version), earlier)


def _before(found: Kept, described: Described, path: str) -> State | None:
    """The state that an unfinished change has left as it was."""
    number = whole_number(described.properties.get(BEFORE))
    if number is None or number not in found.earlier:
        return None
    packed = found.earlier[number]
    written = embedded_document.read_packed(packed, described.object_kind, path)
    if not holds(written.document, described):
        return None
    earlier = {key: value for key, value in found.earlier.items() if key < number}
    return State(written, earlier)


def names_to_text(names: list[str]) -> str:
    """Names of properties as a text that Spark hides nothing of."""
    return json.dumps(names).encode("ascii").hex()


def names_of_text(text: str | None) -> frozenset[str]:
    """What ``names_to_text`` was given; nothing where the text is none of its."""
    try:
        return frozenset(loads(bytes.fromhex(text or "")))
    except (ValueError, TypeError):
        return frozenset()


def holds(document: ObjectDocument, described: Described, *, anywhere: bool = False) -> bool:
    """Whether Spark's side still means what the document says; ``anywhere``: under any name."""
    if not anywhere and (fold(document.database), fold(document.name)) != (
        fold(described.database),
        fold(described.name),
    ):
        return False
    if isinstance(document, ViewDocument):
        return (
            described.kind == "view"
            and says_text(document, described.text)
            and says_settings(document, described.settings)
            and _means_its_text_in(document.database, described)
        )
    if not isinstance(document, TableDocument):
        return False
    if document.format is None:
        return described.kind == "table" and described.text == placeholder(document)
    return not described.is_view and _same_table(document, described)


def _means_its_text_in(database: str, described: Described) -> bool:
    """Whether the names of the text mean what they mean in that database."""
    namespace = _namespace(described, SESSION_CATALOG)
    home = (SESSION_CATALOG, database)
    return means_the_same_in(described.text or "", namespace, home, described.settings)


def _same_table(document: TableDocument, described: Described) -> bool:
    told = described.known_columns or described.columns
    names = [each.name if not isinstance(each, Mapping) else each["name"] for each in told]
    return (
        {fold(each.name) for each in document.columns} == set(map(fold, names))
        and fold(document.format or "") == fold(described.provider or "")
        and _same_place(document.location, described.location)
    )


def _same_place(wanted: str | None, told: str | None) -> bool:
    return wanted is None or (told is not None and plain_location(wanted) == plain_location(told))


def _shows(document: ObjectDocument, described: Described, gone: frozenset[str]) -> bool:
    """Whether comment and properties are the document's."""
    wanted = _not_empty(user_properties(document.properties))
    told = _not_empty(_read_properties(described, gone))
    if COMMENT not in gone and (document.comment or None) != described.comment:
        return False
    return wanted.keys() == told.keys() and all(
        told[key] in (value, REDACTED) for key, value in wanted.items()
    )


def _not_empty(properties: Mapping[str, str]) -> dict[str, str]:
    """Spark's description leaves out properties whose value is empty."""
    return {key: value for key, value in properties.items() if value}


def _read_properties(described: Described, gone: frozenset[str]) -> dict[str, str]:
    own = user_properties(described.properties)
    return {key: value for key, value in own.items() if key not in gone}


def _update(document: ObjectDocument, described: Described, gone: frozenset[str]) -> ObjectDocument:
    """Our document with what somebody changed of it that its rows do not depend on."""
    hidden = {
        key: value for key, value in document.properties.items() if not user_properties({key: ""})
    }
    told = {
        key: document.properties.get(key, value) if value == REDACTED else value
        for key, value in _read_properties(described, gone).items()
    }
    moved = (fold(document.database), fold(document.name)) != (
        fold(described.database),
        fold(described.name),
    )
    spelled = {"database": described.database, "name": described.name} if moved else {}
    return msgspec.structs.replace(
        document, comment=described.comment, properties={**hidden, **told}, **spelled
    )


# --- what others made ---


def _foreign(statements: Statements, described: Described, path: str) -> ObjectDocument:
    known = columns(statements, described, path)
    common: dict[str, Any] = {
        "database": described.database,
        "name": described.name,
        "comment": described.comment,
        "owner": described.owner,
        "columns": known,
        "properties": _read_properties(described, frozenset()),
    }
    if not described.is_view:
        return TableDocument(
            format=described.provider,
            location=described.location,
            options={key: value for key, value in described.options.items() if key != "path"},
            partitioned_by=described.partitions,
            **common,
        )
    if not described.text:
        raise DamagedDocumentError("Spark does not tell the text of the view", path=path)
    namespace = _namespace(described, statements.catalog)
    sql, dependencies = qualified_view(described.text, namespace, described.settings, path=path)
    names = [each.name for each in known]
    if described.outputs and [*described.outputs] != names:
        sql = with_new_names(sql, described.outputs, names, path)
    return ViewDocument(
        sql=sql,
        settings=allowed_settings(described.settings),
        dependencies=dependencies,
        spark_version=described.spark_version,
        **common,
    )


def _namespace(described: Described, home: str) -> tuple[str, ...]:
    """The catalog and database that were current when the view was made."""
    return described.namespace or (home, described.database)


def placeholder(document: TableDocument) -> str:
    """A query with the columns of a table of which nothing else is known: reading it fails."""
    told = quote_string(
        f"only the columns of {document.database}.{document.name} are known to viewscribe, "
        "not where its rows are"
    )
    items = [
        f"CAST(raise_error({told}) AS {each.type}) AS {quote_identifier(each.name)}"
        for each in document.columns
    ]
    return "SELECT\n  " + ",\n  ".join(items)
