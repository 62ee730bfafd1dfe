"""Our documents embedded in a metastore: the whole document and its earlier versions.

Spark preserves unknown parameters in ``ALTER VIEW``, so an embedded document may be out of date.
Two hashes of Spark's side of the object tell whether it is.
"""

from __future__ import annotations

import base64
import json
import zlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.codec import decode_json, write_json
from viewscribe.catalog_store.documents.model import (
    Document,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.normalization import content_hash, from_plain, seal_plain
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.errors import CatalogError, DamagedDocumentError
from viewscribe.catalog_store.messages import Held, Home, VersionedCatalog
from viewscribe.catalog_store.protocol import Stored, Token, fold
from viewscribe.schemas.strict_json import loads

# Splitting long texts into parameters, since a metastore may limit values to 4,000 characters.
#
# The format is Spark's own for long schemas: ``<key>.numParts`` and ``<key>.part.0``, ``.1``, ...

PART = 3_900

_COMPRESSED = "zlib:"
_DIGITS = "zlib16:"
_MAX_BYTES = 64 << 20
_MOST_DIGITS = 16


class MissingPartError(Exception):
    """A part of a text is missing or damaged."""


def split(key: str, text: str) -> dict[str, str]:
    """Returns the parameters that hold ``text``, in several parts."""
    parts = [text[start : start + PART] for start in range(0, len(text), PART)]
    numbered = {f"{key}.part.{number}": part for number, part in enumerate(parts)}
    return {f"{key}.numParts": str(len(parts)), **numbered}


def join(key: str, parameters: Mapping[str, str]) -> str | None:
    """Returns the text, or None if there is none.

    Raises:
        MissingPartError: a part is missing.
    """
    count = parameters.get(f"{key}.numParts")
    if count is None:
        return None
    try:
        return "".join([parameters[f"{key}.part.{number}"] for number in range(int(count))])
    except (KeyError, ValueError):
        raise MissingPartError(f"a part of `{key}` is missing") from None


def whole_number(text: str | None) -> int | None:
    """The number that a parameter says; None where it says none, or none that anybody means."""
    known = text is not None and text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS
    return int(text or "") if known else None


def numbered(parameters: Mapping[str, str], count: str, item: str) -> list[str]:
    """The texts ``item0``, ``item1`` and so on: as many as ``count`` says, and can be there."""
    number = min(whole_number(parameters.get(count)) or 0, len(parameters))
    return [parameters.get(f"{item}{place}", "") for place in range(number)]


def pack(text: str) -> str:
    """Returns ``text`` (ASCII), compressed if it is long."""
    if len(text) <= PART:
        return text
    return _COMPRESSED + base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def digits(packed: str) -> str:
    """Returns a packed text as hexadecimal digits.

    Spark redacts property values that contain ``token``, ``url`` and similar words wherever it
    shows them; digits contain no such word.
    """
    if packed.startswith(_DIGITS):
        return packed
    return _DIGITS + zlib.compress(unpack(packed).encode("ascii"), 6).hex()


def unpack(packed: str) -> str:
    """Reverses ``pack``.

    Raises:
        MissingPartError: the text was not made by ``pack``.
    """
    if not packed.startswith((_COMPRESSED, _DIGITS)):
        return packed
    try:
        if packed.startswith(_DIGITS):
            data = bytes.fromhex(packed[len(_DIGITS) :])
        else:
            data = base64.b64decode(packed[len(_COMPRESSED) :], validate=True)
        decompressor = zlib.decompressobj()
        text = decompressor.decompress(data, _MAX_BYTES)
        if not decompressor.eof:
            raise MissingPartError("a compressed text is cut short, or too long")
        return text.decode("ascii")
    except (ValueError, zlib.error) as error:
        raise MissingPartError(f"a compressed text is damaged: {error}") from None


# Documents with the texts that a metastore keeps of them.


class Written(NamedTuple):
    """A document and its version, as they are stored."""

    document: Any
    version: Version | None
    text: str

    @property
    def token(self) -> Token:
        """Stands for this state."""
        return Token(content_hash(self.text))


def write(document: Document, version: Version | None = None) -> Written:
    """The sealed document and its text, which tells ``version``. Raises as ``write_json``."""
    sealed, plain = seal_plain(document)
    return Written(sealed, version, write_json(plain, version))


def read(text: str, kind: DocumentKind, path: str) -> Written:
    """What ``write`` stored, brought to the current schema version. Raises as ``decode_json``."""
    document, version = decode_json(text, kind, path)
    if version is None and kind != "database":
        raise DamagedDocumentError("it does not say which version it is", path=path)
    return Written(document, version, text)


PREFIX = "viewscribe.catalog."
CASED = "viewscribe_cased"
"""A parameter of objects whose names are not in lower case, and of databases that may have some:
so that a listing can find them, and knows when it need not look."""

MAX_HISTORY = 256 << 10
"""The maximum size of a history in stored characters; the oldest versions are dropped first."""

_DOCUMENT = f"{PREFIX}document"
_VERSION = f"{PREFIX}version."
_HASHES = f"{PREFIX}hashes"
STAMP = f"{PREFIX}stamp"
"""The DDL time that we gave the object."""
DROPPING = f"{PREFIX}dropping"
"""When somebody began to drop it, in seconds since 1970."""


class Hashes(NamedTuple):
    """Of Spark's side: all of it, and what a view's rows depend on."""

    whole: str
    meaning: str


UNKNOWN = Hashes("", "")
"""Of a session's views, whose writer does not see all that Spark keeps of them."""


class Kept(NamedTuple):
    """The embedded document of an object.

    Args:
        document: the packed text of the document.
        earlier: the packed texts of earlier versions by number, oldest first.
        hashes: the hashes of Spark's side when this was written.
    """

    document: str
    earlier: dict[int, str]
    hashes: Hashes

    def read(self, kind: DocumentKind, path: str) -> Written:
        """The document.

        Raises:
            DamagedDocumentError: it is damaged, or newer than this viewscribe.
        """
        return read_packed(self.document, kind, path)


def read_packed(packed: str, kind: DocumentKind, path: str) -> Written:
    """The document of a packed text."""
    try:
        return read(unpack(packed), kind, path)
    except MissingPartError as fault:
        raise DamagedDocumentError(str(fault), path=path) from None


def from_parameters(parameters: Mapping[str, str], path: str) -> Kept | None:
    """Reads the embedded document from parameters; None if there is none of ours."""
    try:
        document = join(_DOCUMENT, parameters)
        if document is None:
            return None
        earlier = {}
        for number in sorted(_numbers(parameters)):
            earlier[number] = join(f"{_VERSION}{number}", parameters) or ""
    except (MissingPartError, ValueError) as fault:  # a number of a version that is none
        raise DamagedDocumentError(str(fault), path=path) from None
    hashes = parameters.get(_HASHES, "").split(" ")
    return Kept(document, earlier, Hashes(*hashes) if len(hashes) == 2 else UNKNOWN)


def _numbers(parameters: Mapping[str, str]) -> list[int]:
    end = ".numParts"
    return [
        int(key[len(_VERSION) : -len(end)])
        for key in parameters
        if key.startswith(_VERSION) and key.endswith(end)
    ]


def to_parameters(kept: Kept) -> dict[str, str]:
    """Returns parameters; each version has its own, so that a new one rewrites none."""
    parameters = split(_DOCUMENT, kept.document)
    for number, packed in kept.earlier.items():
        parameters.update(split(f"{_VERSION}{number}", packed))
    parameters[_HASHES] = " ".join(kept.hashes)
    return parameters


def mark_hidden_texts(kept: Kept) -> Kept:
    """The same, with texts of which Spark hides none; see ``parts.digits``."""
    earlier = {number: digits(packed) for number, packed in kept.earlier.items()}
    return kept._replace(document=digits(kept.document), earlier=earlier)


def from_text(text: str, path: str) -> Kept:
    """What ``to_text`` was given."""
    try:
        plain = loads(unpack(text))
        earlier = {int(number): packed for number, packed in plain["earlier"].items()}
        return Kept(plain["document"], earlier, Hashes(*plain["hashes"]))
    except (MissingPartError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedDocumentError(f"the kept document is damaged: {error}", path=path) from None


def to_text(kept: Kept) -> str:
    """All of it in one text, for objects without parameters."""
    plain = {"document": kept.document, "earlier": kept.earlier, "hashes": kept.hashes}
    return pack(json.dumps(plain, separators=(",", ":")))


def limit_versions(earlier: Mapping[int, str]) -> dict[int, str]:
    """Returns the newest versions that fit, oldest first."""
    room, found = MAX_HISTORY, {}
    for number in sorted(earlier, reverse=True):
        room -= len(earlier[number])
        if room < 0:
            break
        found[number] = earlier[number]
    return dict(sorted(found.items()))


def is_kept(key: str) -> bool:
    """Whether a parameter is one of these."""
    return key.startswith(PREFIX) or key == CASED


# The state of an object in a hosted catalog.


class State(NamedTuple):
    """The current state of an object.

    Args:
        written: its document, version and text.
        earlier: the packed texts of earlier versions by number.
        foreign: whether another tool wrote it, so that the document was derived from its metadata.
    """

    written: Written
    earlier: dict[int, str]
    foreign: bool = False

    @property
    def token(self) -> Token:
        """The token of this state."""
        return self.written.token

    @property
    def version(self) -> Version:
        """The version."""
        assert self.written.version is not None
        return self.written.version

    def stored(self) -> Stored[Any]:
        """The document, token and version for readers."""
        return Stored(self.written.document, self.token, self.written.version)

    def history(self, kind: ObjectKind, path: str) -> list[Stored[Any]]:
        """Returns every kept version, this one last."""
        found = []
        for packed in self.earlier.values():
            each = read_packed(packed, kind, path)
            found.append(Stored(each.document, each.token, each.version))
        return [*found, self.stored()]

    def followed_by(self, written: Written, hashes: Hashes) -> Kept:
        """What is kept once ``written`` takes its place."""
        return Kept(pack(written.text), limit_versions(self.with_itself()), hashes)

    def with_itself(self) -> dict[int, str]:
        """The packed texts of the versions up to this one."""
        return {**self.earlier, self.version.number: pack(self.written.text)}


# ``VersionedCatalog`` over a store that Spark shares, with our documents beside its objects.
#
# Such a store implements how to find an object, how to read its state, and how to change it; see
# ``HostedHome``.


class HostedCatalog(VersionedCatalog[State]):
    """A catalog over a store that keeps documents beside Spark's own objects."""

    def _encode(self, plain: dict[str, Any], version: Version | None = None) -> State:
        text = write_json(plain, version)
        return State(Written(from_plain(plain), version, text), {})

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
    def _make(self, written: Written, before: State | None) -> None:
        """Creates an object with the history of ``before``. Raises if the name is taken."""

    @abstractmethod
    def _change(self, found: Any, before: State, written: Written) -> None:
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
                yield Held(State(read_packed(packed, kind, path), {}), path, number)

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

    def _was_written(self, written: Written) -> bool:
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
        earlier = (read_packed(each, document.kind, path) for each in state.earlier.values())
        return written.token in {each.token for each in (*earlier, state.written)}


# Telling a user's own table parameters from reserved ones.

DDL_TIME = "transient_lastDdlTime"
COMMENT = "comment"

_SYSTEM_PREFIXES = ("spark.sql.", "view.")
_SYSTEM = frozenset(
    [
        DDL_TIME, COMMENT, "EXTERNAL", "numFiles", "numRows", "rawDataSize", "totalSize",
        "numFilesErasureCoded", "COLUMN_STATS_ACCURATE", "STATS_GENERATED_VIA_STATS_TASK",
        "DO_NOT_UPDATE_STATS", "last_modified_by", "last_modified_time", "bucketing_version",
        "TRANSLATED_TO_EXTERNAL", "OBJCAPABILITIES", "serialization.format",
    ]
)  # fmt: skip


def is_own(key: str) -> bool:
    """Returns whether a parameter is the user's own."""
    return key not in _SYSTEM and not key.startswith(_SYSTEM_PREFIXES) and not is_kept(key)


def user_properties(parameters: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters that are the user's own."""
    return {key: value for key, value in parameters.items() if is_own(key)}
