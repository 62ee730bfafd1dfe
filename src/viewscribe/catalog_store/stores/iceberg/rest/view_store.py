"""Storing views in an Iceberg REST catalog: of several writers exactly one wins.

Nessie compares the commit that a view was read from; elsewhere the version log decides, see
``version_log``.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from viewscribe.catalog_store.documents.model import ObjectDocument
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    StorageError,
)
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import State
from viewscribe.catalog_store.messages import conflict, label, taken_error
from viewscribe.catalog_store.protocol import ObjectId, fold
from viewscribe.catalog_store.stores.iceberg.rest import states
from viewscribe.catalog_store.stores.iceberg.rest.connection import (
    ConflictError,
    Connection,
    NoAnswerError,
    NotThereError,
    RefusedError,
    UnreachableError,
    name_in,
    unknown_outcome,
)
from viewscribe.catalog_store.stores.iceberg.rest.records import (
    FUNCTION,
    ViewRecord,
    has_texts,
    is_function,
    object_name,
    view_record,
)
from viewscribe.catalog_store.stores.iceberg.rest.states import Line, read_line
from viewscribe.catalog_store.stores.iceberg.rest.version_log import COMMIT, shows

_NO_VIEWS = (404, 405, 406, 501)
"""What servers answer that keep no views."""

_REPAIRS = 20
_AT_ONCE = 8


class GoneError(Exception):
    """The view is not there any more."""


class ViewStore:
    """The views of a catalog, and the functions that views stand for.

    Args:
        connection: the catalog.
        called: what the catalog is called, for texts of other engines that say no other.
        url: where it is, for messages.
    """

    def __init__(self, connection: Connection, called: str, url: str) -> None:
        self._connection = connection
        self._called = called
        self._url = url

    # --- reading ---

    def names(self, namespace: str) -> list[str]:
        """The names of all views, as the server spells them. Raises ``NotThereError``."""
        place = "namespaces", namespace
        try:
            found = self._connection.pages(*place, "views", items="identifiers")
            return [name_in(each) for each in found]
        except RefusedError as error:
            if error.status not in _NO_VIEWS or not self._connection.is_there(*place):
                raise
            return []

    def load(self, namespace: str, name: str) -> ViewRecord | None:
        """The view of exactly that name."""
        try:
            answer = self._connection.get("namespaces", namespace, "views", name)
        except NotThereError:
            return None
        return self._record(namespace, name, answer)

    def load_all(
        self, namespace: str, names: list[str]
    ) -> Iterator[tuple[str, ViewRecord | DamagedDocumentError]]:
        """Yields the views of those names with their names; what is gone by now is left out."""

        def load(name: str) -> ViewRecord | DamagedDocumentError | None:
            try:
                return self.load(namespace, name)
            except (RefusedError, NoAnswerError, ValueError) as error:
                path = f"{self._url}/{namespace}/{object_name(name)}"
                return DamagedDocumentError(f"the server does not give it: {error}", path=path)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for name, found in zip(names, pool.map(load, names), strict=True):
                if found is not None:
                    yield name, found

    def line(self, record: ViewRecord) -> Line:
        """The view with its history. Raises ``DamagedDocumentError``."""
        return read_line(record, self._called, self._path(record))

    # --- writing ---

    def create(
        self, namespace: str, name: str, written: embedded_document.Written, before: State | None
    ) -> None:
        """Creates a view with the history of ``before``.

        Raises:
            AlreadyExistsError: the name is taken.
        """
        document = written.document
        commit = states.creation((namespace, name), written, before)
        try:
            answer = self._connection.post("namespaces", namespace, "views", body=commit.body)
        except ConflictError:
            raise taken_error(document) from None
        except NoAnswerError as error:
            record = self._after_silence(namespace, name, label(document), error)
            if record is None or commit.key not in _commits(self.line(record)):
                raise unknown_outcome(label(document), error) from None
        else:
            record = self._record(namespace, name, answer)
        # Takes the view back where somebody created one whose name differs in case alone.
        try:
            self._require_alone(record, document)
        except AlreadyExistsError:
            with suppress(NotThereError):
                self._connection.delete("namespaces", record.namespace, "views", record.name)
            raise
        if record.pin is not None:
            self._restore(record, label(document))

    def change(self, record: ViewRecord, written: embedded_document.Written) -> None:
        """Replaces the view, possibly under another name, if it still is as it was read.

        Raises:
            ConcurrentUpdateError: it is not.
        """
        line, what = self.line(record), label(written.document)
        if states.is_going(line):
            raise conflict(what, gone=True)
        namespace, name = place_of(written.document)
        if fold(namespace) == fold(record.namespace):
            namespace = record.namespace
        if (record.namespace, record.name) == (namespace, name):
            self._commit(record, line, states.replacement(record, line, written), what)
            return
        moved = self._move(record, namespace, name, written.document)
        try:
            self._require_alone(moved, written.document)
            self._commit(moved, line, states.replacement(moved, line, written), what)
        except (ConcurrentUpdateError, AlreadyExistsError):
            self._rename(moved, record.namespace, record.name)  # who was faster meant that one
            raise

    def drop(self, record: ViewRecord, seen: State | None, what: str) -> None:
        """Drops the view; where its state was ``seen``, only in that state.

        Raises:
            GoneError: it is not there any more.
            ConcurrentUpdateError: it is not in that state.
        """
        if seen is not None and record.pin is None:
            line = self.line(record)
            if line.state.token != seen.token or states.is_going(line):
                raise conflict(what, gone=False)
            said = states.farewell(record, line)
            self._commit(record, line, said, what)
            try:
                self._delete(record, None, what)
            except (RefusedError, ConcurrentUpdateError):
                with suppress(RefusedError, NoAnswerError, UnreachableError, CatalogError):
                    self._take_back(record, said.key, what)
                raise
        else:
            self._delete(record, record.pin if seen is not None else None, what)

    # --- inside ---

    def _delete(self, record: ViewRecord, pin: str | None, what: str) -> None:
        place = "namespaces", record.namespace, "views", record.name
        try:
            self._connection.delete(*place, pin=pin)
        except NotThereError:
            raise GoneError from None
        except ConflictError:
            raise conflict(what, gone=False) from None
        except NoAnswerError as error:
            if self._after_silence(record.namespace, record.name, what, error) is not None:
                raise unknown_outcome(f"end of the {what}", error) from None

    def _take_back(self, record: ViewRecord, said: str, what: str) -> None:
        """Says that the view stays, which we said we would drop."""
        found = self.load(record.namespace, record.name)
        if found is not None and (line := self.line(found)).steps[-1].key == said:
            self._commit(found, line, states.farewell(found, line, drops=False), what)

    def _commit(self, record: ViewRecord, line: Line, commit: states.Commit, what: str) -> None:
        """Sends a commit, and sees whether it counts. Raises ``ConcurrentUpdateError``."""
        after = self._send(record, commit, what)
        if record.pin is not None:
            self._restore(after, what)
            return
        self._require_log(record, after)
        if commit.key == self.line(after).steps[-1].key:
            return
        if commit.key not in _commits(self.line(after)):
            with suppress(RefusedError, NoAnswerError, UnreachableError, CatalogError):
                self._repair(after, commit.key, what)  # else whoever writes next does
            raise conflict(what, gone=False)

    def _send(self, record: ViewRecord, commit: states.Commit, what: str) -> ViewRecord:
        place = "namespaces", record.namespace, "views", record.name
        try:
            answer = self._connection.post(*place, body=commit.body, pin=record.pin)
        except NotThereError:
            raise conflict(what, gone=True) from None
        except ConflictError:
            raise conflict(what, gone=False) from None
        except NoAnswerError as error:
            found = self._after_silence(record.namespace, record.name, what, error)
            if found is None or not any(
                each["summary"].get(COMMIT) == commit.key for each in found.metadata["versions"]
            ):
                raise unknown_outcome(what, error) from None
            return found
        return self._record(record.namespace, record.name, answer)

    def _repair(self, record: ViewRecord, lost: str, what: str) -> None:
        """Lets other engines see what counts, where they see what does not."""
        for _ in range(_REPAIRS):
            line = self.line(record)
            if shows(record.metadata, line.steps[-1]):
                return
            record = self._send(record, states.repair(record, line, lost), what)
        raise StorageError(
            f"the {what} shows other engines a text that lost against another one",
            hint="write it again",
        )

    def _restore(self, written: ViewRecord, what: str) -> None:
        """Writes again what Nessie has just lost of a view, see ``has_texts``."""
        for _ in range(_REPAIRS):
            try:
                found = self.load(written.namespace, written.name)
                if found is None or has_texts(found):
                    return
                self._send(found, states.restoration(found, self.line(found)), what)
            except (RefusedError, NoAnswerError, UnreachableError, CatalogError):
                return  # ours is written; whoever writes next restores it
        raise StorageError(
            f"the {what} is written, but {self._url} answers it without a text, so that other "
            "engines cannot run it: it was read while it was written, each time",
            hint="write it again; newer servers do not lose it (projectnessie/nessie#12504)",
        )

    def _require_log(self, before: ViewRecord, after: ViewRecord) -> None:
        """Passes where the server keeps its log, or its numbers say that nobody was faster."""
        known = before.metadata["current-version-id"]
        versions = after.metadata["versions"]
        if len(versions) > 1 or any(each["version-id"] == known for each in versions):
            return
        if after.metadata["current-version-id"] != known + 1:
            raise StorageError(
                f"{self._url} keeps no log of a view's versions, and another writer changed "
                f"{after.namespace}.{after.name} at the same time",
                hint="read it again, and see which of the two changes it holds",
            )

    def _move(
        self, record: ViewRecord, namespace: str, name: str, document: ObjectDocument
    ) -> ViewRecord:
        """Renames a view. Raises ``AlreadyExistsError``, ``ConcurrentUpdateError``."""
        what = f"{document.kind} {record.namespace}.{record.called}"
        try:
            self._rename(record, namespace, name)
        except NotThereError:
            raise conflict(what, gone=True) from None
        except ConflictError:
            if record.pin is not None and self.load(namespace, name) is None:
                raise conflict(what, gone=False) from None
            raise taken_error(document) from None
        except NoAnswerError as error:
            moved = self._after_silence(namespace, name, what, error)
            if moved is None or moved.uuid != record.uuid:
                raise unknown_outcome(what, error) from None
        moved = self.load(namespace, name)
        if moved is None or moved.uuid != record.uuid:
            raise conflict(what, gone=True)
        return moved

    def _rename(self, record: ViewRecord, namespace: str, name: str) -> None:
        body = {
            "source": {"namespace": [record.namespace], "name": record.name},
            "destination": {"namespace": [namespace], "name": name},
        }
        self._connection.post("views", "rename", body=body, pin=record.pin)

    def _require_alone(self, record: ViewRecord, document: ObjectDocument) -> None:
        """Raises ``AlreadyExistsError`` where another name differs in case alone."""
        same = [each for each in self.names(record.namespace) if fold(each) == fold(record.name)]
        if len(same) > 1:
            raise taken_error(document)

    def _after_silence(
        self, namespace: str, name: str, what: str, error: NoAnswerError
    ) -> ViewRecord | None:
        """What is there after a request that nobody answered."""
        try:
            return self.load(namespace, name)
        except (NoAnswerError, RefusedError, UnreachableError):
            raise unknown_outcome(what, error) from None

    def _record(self, namespace: str, name: str, answer: Any) -> ViewRecord:
        return view_record(namespace, name, answer, pinned=self._connection.is_nessie)

    def _path(self, record: ViewRecord) -> str:
        return f"{self._url}/{record.namespace}/{record.called}"


def place_of(document: ObjectDocument) -> tuple[str, str]:
    """The namespace and name of a document's view."""
    prefix = FUNCTION if document.kind == "function" else ""
    return document.database, f"{prefix}{document.name}"


def object_id(database: str, name: str) -> ObjectId:
    """What a view of that name is to us."""
    return ObjectId(database, object_name(name), "function" if is_function(name) else "view")


def _commits(line: Line) -> set[str]:
    return {each.key for each in line.steps}
