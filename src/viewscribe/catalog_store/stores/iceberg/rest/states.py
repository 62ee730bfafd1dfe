"""The state of a view: our document where it still holds, else what another engine wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import FunctionDocument, ViewDocument
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.chunks import pack
from viewscribe.catalog_store.hosted.embedded_document import is_kept, limit_versions
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.stores.iceberg.importer import (
    foreign_view,
    schema_of_version,
)
from viewscribe.catalog_store.stores.iceberg.rest.kept import Kept, chain, property_name, texts_of
from viewscribe.catalog_store.stores.iceberg.rest.records import ViewRecord, check_metadata
from viewscribe.catalog_store.stores.iceberg.rest.version_log import (
    KEPT_VERSIONS,
    Step,
    shows,
    steps_of,
)
from viewscribe.errors import ViewscribeError, printable

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
    written = document_texts.write(told, unrecorded(number, moment))
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
    written = document_texts.write(told, unrecorded(version.number + 1, version.timestamp_ms))
    return Kept(f"{step.key}+{written.token}", link.key, written)
