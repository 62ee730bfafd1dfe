"""A strict YAML loader: plain data only, within limits, with the line of every fault.

It processes the parser's events itself instead of using a PyYAML loader, because those expand
aliases (a few lines can fill the memory), silently take the last of duplicate keys, read ``no`` as
false, and crash the interpreter on deep nesting. Scalars follow the core schema of YAML 1.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]

from viewscribe.errors import ViewscribeError
from viewscribe.schemas.strict_json import MAX_BYTES, MAX_DEPTH, MAX_DIGITS

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
        return _integer(text, event)
    if _FLOAT.fullmatch(text):
        return _finite(float(text), event)
    if _NOT_FINITE.fullmatch(text):
        raise StrictYamlError(f"{text} is not allowed: quote it if it is text", *_place(event))
    return text


def _finite(number: float, event: Any) -> float:
    if number in (float("inf"), float("-inf")):
        raise StrictYamlError(f"the number {event.value[:40]} is too large", *_place(event))
    return number


def _integer(text: str, event: Any) -> int:
    if len(text) > MAX_DIGITS:
        cause = f"a whole number of more than {MAX_DIGITS:,} digits"
        raise StrictYamlError(cause, *_place(event))
    if text.startswith("0o"):
        return int(text[2:], 8)
    if text.startswith("0x"):
        return int(text[2:], 16)
    return int(text)


def _place(event: Any) -> tuple[int, int]:
    return int(event.start_mark.line) + 1, int(event.start_mark.column) + 1
