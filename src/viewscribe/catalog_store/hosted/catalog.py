"""``VersionedCatalog`` over a store that Spark shares, with our documents beside its objects.

Such a store implements how to find an object, how to read its state, and how to change it; see
``HostedHome``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from viewscribe.catalog_store.documents.codec import write_json
from viewscribe.catalog_store.documents.model import (
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.plain import from_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import pack
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Token
from viewscribe.catalog_store.versioned import Held, Home, VersionedCatalog


class HostedCatalog(VersionedCatalog[State]):
    """A catalog over a store that keeps documents beside Spark's own objects."""

    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> State:
        text = write_json(plain, version)
        return State(document_texts.Written(from_plain(plain), version, text), {})

    def _decode(
        self, data: State, kind: DocumentKind, path: str
    ) -> tuple[Document, Version | None]:
        return data.written.document, data.written.version

    def _token(self, data: State) -> Token:
        return data.token


class HostedHome(Home[State]):
    """A database of such a store. Each object is looked up once, and then cached.

    Args:
        database: its name, as the caller spells it.
        url: the location of the catalog, for messages.
    """

    def __init__(self, database: str, url: str) -> None:
        self._database = database
        self._url = url
        self._found: dict[tuple[DocumentKind, str], Any] = {}
        self._states: dict[tuple[DocumentKind, str], State] = {}

    @abstractmethod
    def open_beside(self, database: str) -> HostedHome:
        """Opens another database for as long as this one. Raises ``DatabaseNotFoundError``."""

    @abstractmethod
    def _find(self, kind: DocumentKind, name: str) -> Any:
        """Looks up a name in the store; None if absent. Raises ``DatabaseNotFoundError``."""

    @abstractmethod
    def _state(self, found: Any, path: str) -> State:
        """Returns the state of what was found. Raises ``DamagedDocumentError``."""

    @abstractmethod
    def _make(self, written: document_texts.Written, before: State | None) -> None:
        """Creates an object with the history of ``before``. Raises if the name is taken."""

    @abstractmethod
    def _change(self, found: Any, before: State, written: document_texts.Written) -> None:
        """Changes the object to ``written``, possibly under another name, if it is ``before``.

        Raises:
            ConcurrentUpdateError: its state is no longer ``before``.
        """

    @abstractmethod
    def _drop(self, kind: ObjectKind, name: str, found: Any, seen: State | None) -> None:
        """Drops the object; if its state was ``seen``, only in that state."""

    # --- what the algorithm asks for ---

    def found(self, kind: DocumentKind, name: str) -> Any:
        """Returns the cached result of looking up a name, or None."""
        key = kind, fold(name)
        if key not in self._found:
            self._found[key] = self._find(kind, name)
        return self._found[key]

    def has(self, kind: ObjectKind, name: str) -> bool:
        return self.found(kind, name) is not None

    def read(self, kind: DocumentKind, name: str) -> Held[State] | None:
        found = self.found(kind, name)
        if found is None:
            return None
        key, path = (kind, fold(name)), self._path(kind, name)
        if key not in self._states:
            self._states[key] = self._state(found, path)
        return Held(self._states[key], path)

    def read_earlier(self, kind: ObjectKind, name: str, before: int) -> Iterator[Held[State]]:
        path = self._path(kind, name)
        for number, packed in self._earlier(kind, name).items():
            if number < before:
                yield Held(
                    State(embedded_document.read_packed(packed, kind, path), {}), path, number
                )

    def last_number(self, kind: ObjectKind, name: str) -> int:
        return max(self._earlier(kind, name), default=0)

    def add(
        self, document: ObjectDocument, data: State, earlier: Sequence[tuple[int, State]]
    ) -> None:
        texts_before = {number: pack(each.written.text) for number, each in earlier[:-1]}
        before = earlier[-1][1]._replace(earlier=texts_before) if earlier else None
        self._make(data.written, before)

    def put(self, document: Document, data: State, replaced: tuple[int, State] | None) -> None:
        key = document.kind, fold(document.name)
        self._change(self._found[key], self._states[key], data.written)

    def remove(self, kind: ObjectKind, name: str) -> None:
        self._drop(kind, name, self.found(kind, name), self._states.get((kind, fold(name))))

    def move(
        self,
        name: str,
        replaced: tuple[int, State],
        target: Home[State],
        document: ObjectDocument,
        data: State,
    ) -> State:
        assert isinstance(target, HostedHome)
        if (fold(target._database), fold(document.name)) != (fold(self._database), fold(name)):
            target.require_free(document)
        self._change(self._found[document.kind, fold(name)], replaced[1], data.written)
        return data

    def _earlier(self, kind: ObjectKind, name: str) -> dict[int, str]:
        held = self.read(kind, name)
        return held.data.earlier if held else {}

    def _path(self, kind: DocumentKind, name: str) -> str:
        names = (self._database,) if kind == "database" else (self._database, name)
        return "/".join((self._url, *names))

    def _was_written(self, written: document_texts.Written) -> bool:
        """Returns whether a write took effect, by reading again after its answer was lost."""
        document = written.document
        home = self
        if document.kind != "database" and fold(document.database) != fold(self._database):
            home = self.open_beside(document.database)
        path = home._path(document.kind, document.name)
        try:
            found = home._find(document.kind, document.name)
            state = None if found is None else home._state(found, path)
        except CatalogError:
            return False
        if state is None:
            return False
        earlier = (
            embedded_document.read_packed(each, document.kind, path)
            for each in state.earlier.values()
        )
        return written.token in {each.token for each in (*earlier, state.written)}
