"""Encoding and decoding documents: YAML, schema version, upgrade, schema, types, in this order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec
import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]

from viewscribe.catalog_store.documents.model import SCHEMA_VERSION, Document, DocumentKind
from viewscribe.catalog_store.documents.normalization import from_plain, seal_plain
from viewscribe.catalog_store.documents.regular_yaml import read_regular
from viewscribe.catalog_store.documents.versions import (
    Version,
    version_from_plain,
    version_to_plain,
)
from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    InvalidDocumentError,
    NewerDocumentError,
)
from viewscribe.errors import ViewscribeError
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import MAX_BYTES, MAX_DEPTH, MAX_DIGITS, loads

# Upgrades of stored documents, one step a version.
#
# To change the form of a document: raise ``SCHEMA_VERSION``, change the schema, and add for each
# kind the step that turns a mapping of the version before into one of the next. A step is a pure
# function and must keep working for ever.

Step = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns a document of one version into the same document of the next version."""

MIGRATIONS: dict[DocumentKind, dict[int, Step]] = {
    "view": {},
    "table": {},
    "function": {},
    "database": {},
}
"""For each kind: the version a step starts from, and the step."""


def migrate(
    plain: dict[str, Any],
    kind: DocumentKind,
    *,
    current: int = SCHEMA_VERSION,
    steps: Mapping[DocumentKind, Mapping[int, Step]] = MIGRATIONS,
) -> dict[str, Any]:
    """``plain`` brought to version ``current``. Its ``schema_version`` must be in 1..current."""
    for version in range(plain["schema_version"], current):
        plain = {**steps[kind][version](plain), "schema_version": version + 1}
    return plain


# A strict YAML loader: plain data only, within limits, with the line of every fault.
#
# It processes the parser's events itself instead of using a PyYAML loader, because those expand
# aliases (a few lines can fill the memory), silently take the last of duplicate keys, read ``no``
# as false, and crash the interpreter on deep nesting. Scalars follow the core schema of YAML 1.2.

Path = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

_WORDS: dict[str, Any] = {"": None, "~": None} | {
    spelling: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelling in (word, word.capitalize(), word.upper())
}
_BEGINS_NUMBERS = frozenset("0123456789+-.")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class StrictYamlError(ViewscribeError):
    """A YAML text is invalid; gives line and column (from 1) if known."""

    def __init__(self, cause: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(cause)
        self.cause = self.message
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.cause, self.line, self.column))


def load(data: bytes) -> Any:
    """Loads the single document in ``data``. Raises :class:`StrictYamlError`."""
    return _Builder(_decode(data)).run()


def find_line(data: bytes, path: Path) -> int | None:
    """Returns the line (from 1) of the value at ``path``, or of its nearest enclosing value."""
    place = find_place(data, path)
    return None if place is None else place[0]


def find_place(data: bytes, path: Path) -> tuple[int, int] | None:
    """Returns line and column (from 1) of the value at ``path``, or its nearest enclosing one."""
    builder = _Builder(_decode(data), record_places=True)
    builder.run()
    while path and path not in builder.places:
        path = path[:-1]
    return builder.places.get(path)


def peek(data: bytes, key: str) -> Any:
    """Returns the value of the top-level ``key`` of ``data``, which may be truncated after it.

    Reads no further than that key. Returns None if it is missing or anything before it is invalid:
    it is used for listings, which a damaged document must not break.
    """
    builder = _Builder(data.decode("utf-8", "ignore"), stop_at=key)
    try:
        builder.run()
    except _Found as found:
        return found.value
    except StrictYamlError:
        pass
    return None


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise StrictYamlError(f"larger than {MAX_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StrictYamlError(f"not UTF-8 text: byte 0x{data[error.start]:02x}", line) from None


class _Found(Exception):  # noqa: N818 - not an error: it carries the value that was looked for
    def __init__(self, value: Any) -> None:
        self.value = value


class _Builder:
    """Builds the value from events; one method an event, no recursion."""

    def __init__(
        self, text: str, *, record_places: bool = False, stop_at: str | None = None
    ) -> None:
        self.text = text
        self.parser = CParser(text)
        self.stack: list[Any] = []
        # For each container: the key of its value now being built, and whether one is due.
        self.keys: list[Any] = []
        self.key_taken: list[bool] = []
        self.value: Any = None
        self.documents = 0
        self.record_places = record_places
        self.stop_at = stop_at
        self.places: dict[Path, tuple[int, int]] = {}

    def run(self) -> Any:
        handlers: dict[type, Callable[[_Builder, Any], None]] = _HANDLERS
        next_event = self.parser.get_event
        try:
            while (event := next_event()) is not None:
                handler = handlers.get(type(event))
                if handler is not None:
                    handler(self, event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            cause = " ".join(part for part in (error.context, error.problem) if part)
            place = (mark.line + 1, mark.column + 1) if mark else ()
            raise StrictYamlError(f"not valid YAML: {cause}", *place) from None
        except yaml.reader.ReaderError as error:
            cause = f"the character U+{error.character:04X} is not allowed"
            raise StrictYamlError(
                f"not valid YAML: {cause}", self.line_at(error.position)
            ) from None
        if not self.documents:
            raise StrictYamlError("the file is empty", 1)
        return self.value

    def line_at(self, byte: int) -> int:
        return self.text.encode("utf-8").count(b"\n", 0, byte) + 1

    def start_document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise StrictYamlError("more than one document in the file", *_place(event))

    def alias(self, event: Any) -> None:
        cause = f"the alias *{event.anchor} is not allowed: write the value out"
        raise StrictYamlError(cause, *_place(event))

    def scalar(self, event: Any) -> None:
        # Nearly all events are scalars, so this loop dominates the time of reading.
        if event.anchor is not None or event.tag is not None:
            self.check_bare(event)
        value = event.value
        if event.implicit[0] and (value in _WORDS or value[0] in _BEGINS_NUMBERS):
            value = _resolve(event)
        if not self.stack or self.record_places:
            self.add(value, event)
        elif type(container := self.stack[-1]) is list:
            container.append(value)
        elif self.key_taken[-1]:
            self.put(value)
        elif type(value) is str and value not in container:
            self.keys[-1] = value
            self.key_taken[-1] = True
        else:
            self.take_key(value, event)

    def start_mapping(self, event: Any) -> None:
        self.open({}, event)

    def start_sequence(self, event: Any) -> None:
        self.open([], event)

    def open(self, container: Any, event: Any) -> None:
        self.check_bare(event)
        if len(self.stack) >= MAX_DEPTH:
            raise StrictYamlError(f"nested more than {MAX_DEPTH} levels deep", *_place(event))
        self.add(container, event)
        self.stack.append(container)
        self.keys.append(None)
        self.key_taken.append(False)

    def close(self, event: Any) -> None:
        self.stack.pop()
        self.keys.pop()
        self.key_taken.pop()

    def check_bare(self, event: Any) -> None:
        if event.anchor is not None:
            raise StrictYamlError(f"the anchor &{event.anchor} is not allowed", *_place(event))
        if event.tag is not None:
            raise StrictYamlError(f"the tag {event.tag} is not allowed", *_place(event))

    def add(self, value: Any, event: Any) -> None:
        if not self.stack:
            self.value = value
        elif isinstance(self.stack[-1], list):
            self.stack[-1].append(value)
        elif not self.key_taken[-1]:
            self.take_key(value, event)
            return
        else:
            self.put(value)
        if self.record_places:
            self.places[self.path()] = _place(event)

    def take_key(self, key: Any, event: Any) -> None:
        if not isinstance(key, str):
            shown = "a mapping or list" if isinstance(key, dict | list) else repr(key)
            raise StrictYamlError(f"the key {shown} is not text: quote it", *_place(event))
        if key in self.stack[-1]:
            raise StrictYamlError(f"the key {key!r} is given twice", *_place(event))
        self.keys[-1] = key
        self.key_taken[-1] = True

    def put(self, value: Any) -> None:
        key = self.keys[-1]
        self.key_taken[-1] = False
        if key == self.stop_at and len(self.stack) == 1:
            raise _Found(value)
        self.stack[-1][key] = value

    def path(self) -> Path:
        """The path of the value just added."""
        steps: list[str | int] = []
        for container, key in zip(self.stack, self.keys, strict=True):
            steps.append(len(container) - 1 if isinstance(container, list) else key)
        return tuple(steps)


_HANDLERS: dict[type, Callable[[_Builder, Any], None]] = {
    yaml.DocumentStartEvent: _Builder.start_document,
    yaml.AliasEvent: _Builder.alias,
    yaml.ScalarEvent: _Builder.scalar,
    yaml.MappingStartEvent: _Builder.start_mapping,
    yaml.SequenceStartEvent: _Builder.start_sequence,
    yaml.MappingEndEvent: _Builder.close,
    yaml.SequenceEndEvent: _Builder.close,
}


def _resolve(event: Any) -> Any:
    text = event.value
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _BEGINS_NUMBERS:
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > MAX_DIGITS:
            cause = f"a whole number of more than {MAX_DIGITS:,} digits"
            raise StrictYamlError(cause, *_place(event))
        if text.startswith("0o"):
            return int(text[2:], 8)
        if text.startswith("0x"):
            return int(text[2:], 16)
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise StrictYamlError(f"the number {event.value[:40]} is too large", *_place(event))
        return number
    if _NOT_FINITE.fullmatch(text):
        raise StrictYamlError(f"{text} is not allowed: quote it if it is text", *_place(event))
    return text


def _place(event: Any) -> tuple[int, int]:
    return int(event.start_mark.line) + 1, int(event.start_mark.column) + 1


D = TypeVar("D", bound=Document)


class Decoded(NamedTuple):
    """The content of a file: a document, and the version of the object that it states."""

    document: Document
    version: Version | None


def encode(document: D, version: Version | None = None) -> tuple[D, bytes]:
    """Returns the sealed form of ``document`` and the bytes of its file (see ``write_yaml``)."""
    sealed, plain = seal_plain(document)
    return sealed, write_yaml(plain, version)


def write_yaml(plain: dict[str, Any], version: Version | None = None) -> bytes:
    """Returns the bytes of the file of a sealed document, with its ``version``.

    Never returns bytes that would not round-trip: the schema is checked, and the bytes are parsed
    again, by the strict reader and by the fast one, and compared.

    Raises:
        InvalidDocumentError: it cannot be stored as it is.
    """
    plain = _check(plain, version)
    data = dump(plain).encode("utf-8")
    if len(data) > MAX_BYTES:
        raise InvalidDocumentError(
            f"the document has {len(data):,} bytes; at most {MAX_BYTES:,} can be stored",
            location=_label(plain),
        )
    label = _label(plain)
    try:
        again = load(data)
    except StrictYamlError as fault:
        raise InvalidDocumentError(
            f"the document would not be readable: {fault.cause}", location=label
        ) from None
    # Compare as JSON text, because in Python 1, 1.0 and True are equal and key order is ignored.
    wanted, fast = json.dumps(plain), read_regular(data)
    if json.dumps(again) != wanted or (fast is not None and json.dumps(fast) != wanted):
        raise InvalidDocumentError(
            "the document would be read back as something else",
            location=label,
            hint="this is a fault of viewscribe: please report the document",
        )
    return data


def decode(data: bytes, kind: DocumentKind, path: str) -> Decoded:
    """Decodes the document in ``data`` and upgrades it to the current schema version.

    Raises:
        NewerDocumentError: a newer viewscribe wrote it.
        DamagedDocumentError: it is not a valid document of ``kind``; has path, line and cause.
    """
    plain = read_regular(data)
    if plain is None:
        try:
            plain = load(data)
        except StrictYamlError as fault:
            raise DamagedDocumentError(fault.cause, path=path, line=fault.line) from None
    return decode_plain(plain, kind, path, lambda at: find_line(data, at))


def write_json(plain: dict[str, Any], version: Version | None = None) -> str:
    """Returns a sealed document as ASCII JSON text, for catalogs that do not use files.

    Raises:
        InvalidDocumentError: it cannot be stored as it is.
    """
    return json.dumps(_check(plain, version), separators=(",", ":"), allow_nan=False)


def decode_json(text: str, kind: DocumentKind, path: str) -> Decoded:
    """Decodes a document in JSON text. Raises the same errors as ``decode``."""
    try:
        plain = loads(text)
    except ValueError as error:
        raise DamagedDocumentError(f"not a JSON text: {error}", path=path) from None
    return decode_plain(plain, kind, path)


def decode_plain(
    plain: Any,
    kind: DocumentKind,
    path: str,
    line_of: Callable[[Path], int | None] = lambda _: None,
) -> Decoded:
    """Returns the document of a plain mapping, upgraded to the current schema version.

    Args:
        plain: the mapping.
        kind: the expected kind of document.
        path: its origin, for messages.
        line_of: finds the line of a part of it, if it has lines.
    """
    schema_version = _check_head(plain, kind, path, line_of)
    plain = migrate(plain, kind)
    try:
        validate(plain, kind)
        stamp = plain.pop("version", None)
        version = None if stamp is None else version_from_plain(stamp)
        return Decoded(from_plain(plain), version)
    except DocumentSchemaError as error:
        # Line numbers are lost once an upgrade has moved things.
        moved = schema_version != SCHEMA_VERSION
        _damaged_error(error, path, (lambda _: None) if moved else line_of)
    except (msgspec.ValidationError, ValueError) as error:
        raise DamagedDocumentError(str(error), path=path) from None


def _check(plain: dict[str, Any], version: Version | None) -> dict[str, Any]:
    """Returns the mapping to store, with the version before the plan, which is long."""
    if version is not None:
        parts = {key: value for key, value in plain.items() if key != "plan"}
        parts["version"] = version_to_plain(version)
        plain = parts if "plan" not in plain else {**parts, "plan": plain["plan"]}
    try:
        validate(plain, plain["kind"])
    except DocumentSchemaError as error:
        raise InvalidDocumentError(str(error), location=_label(plain)) from error
    return plain


def _label(plain: dict[str, Any]) -> str:
    return f"{plain['kind']} {plain['name']}"


def _check_head(
    plain: Any, kind: DocumentKind, path: str, line_of: Callable[[Path], int | None]
) -> int:
    """Returns the schema version, after checking that it is a document of ``kind`` we can read."""

    def damaged_error(cause: str, at: Path) -> DamagedDocumentError:
        return DamagedDocumentError(cause, path=path, line=line_of(at))

    if not isinstance(plain, dict):
        raise damaged_error("the document is not a mapping of keys to values", ())
    version = plain.get("schema_version")
    if type(version) is not int or version < 1:
        cause = "is missing" if version is None else f"{version!r} is not a version"
        raise damaged_error(f"schema_version {cause}", ("schema_version",))
    if version > SCHEMA_VERSION:
        raise NewerDocumentError(
            f"schema version {version} is newer than this viewscribe, "
            f"which reads up to version {SCHEMA_VERSION}",
            path=path,
            line=line_of(("schema_version",)),
            hint="upgrade viewscribe to read it",
        )
    if plain.get("kind") != kind:
        raise damaged_error(f"kind is {plain.get('kind')!r}, but the file is a {kind}", ("kind",))
    return version


def _damaged_error(
    error: DocumentSchemaError, path: str, line_of: Callable[[Path], int | None]
) -> NoReturn:
    """Raises an error for the first problem."""
    first = error.problems[0]
    more = len(error.problems) - 1
    suffix = f" (and {more} more)" if more else ""
    raise DamagedDocumentError(f"{first}{suffix}", path=path, line=line_of(first.path)) from None
