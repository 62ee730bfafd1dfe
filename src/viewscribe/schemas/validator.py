"""Validation against the schema files of this package, with readable explanations.

``jsonschema-rs``, where it is installed, decides whether a document is valid, a hundred times as
fast as ``jsonschema``; only for an invalid document does ``jsonschema`` find the faults. Both are
slow to import, so they are loaded on first use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from viewscribe.errors import ViewscribeError
from viewscribe.secrets import MASK, is_secret_name, mask_value

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema.protocols import Validator

SchemaKind = Literal[
    "view",
    "table",
    "function",
    "database",
    "plan",
    "iceberg_view",
    "environments",
    "migration",
    "test",
]
"""The document kinds that have a schema."""

KINDS: tuple[SchemaKind, ...] = (
    "view",
    "table",
    "function",
    "database",
    "plan",
    "iceberg_view",
    "environments",
    "migration",
    "test",
)


class Problem(NamedTuple):
    """One fault of a document."""

    path: tuple[str | int, ...]
    cause: str
    allowed: str | None

    @property
    def pointer(self) -> str:
        """The location as a JSON pointer; empty for the document itself."""
        parts = (str(part).replace("~", "~0").replace("/", "~1") for part in self.path)
        return "".join(f"/{part}" for part in parts)

    def __str__(self) -> str:
        allowed = f" (allowed: {self.allowed})" if self.allowed else ""
        return f"{self.pointer or '(document)'}: {self.cause}{allowed}"


class DocumentSchemaError(ViewscribeError):
    """A document does not match its schema; ``problems`` lists every fault found."""

    def __init__(self, kind: str, problems: tuple[Problem, ...]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"not a valid {kind} document\n{lines}")
        self.kind = kind
        self.problems = problems

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.kind, self.problems))


def validate(document: object, kind: SchemaKind) -> None:
    """Raises :class:`DocumentSchemaError` unless ``document`` is a valid document of ``kind``."""
    if not is_valid(document, kind):
        raise DocumentSchemaError(kind, find_problems(document, kind))


def is_valid(document: Any, kind: SchemaKind) -> bool:
    """Returns whether ``document``, as plain JSON data, is a valid document of ``kind``."""
    try:
        return _fast_validator(kind).is_valid(document)
    except ModuleNotFoundError:
        return bool(_validator(kind).is_valid(document)) and not _has_half_a_pair(document)
    except UnicodeEncodeError:  # half of a surrogate pair, which servers may send
        return False


def _has_half_a_pair(document: object) -> bool:
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def find_problems(document: Any, kind: SchemaKind, *, limit: int = 20) -> tuple[Problem, ...]:
    """Returns the first ``limit`` faults of ``document`` in document order; empty if valid."""
    found: list[Problem] = []
    for error in _validator(kind).iter_errors(document):
        found.extend(_explain(error))
        if len(found) >= limit:
            break
    if not found and not is_valid(document, kind):
        found.append(Problem((), "a text in it holds half of a surrogate pair", None))
    return tuple(found[:limit])


@cache
def schema_for(kind: SchemaKind) -> dict[str, Any]:
    """Returns the schema of ``kind`` as a mapping; it is shared, do not modify it."""
    from importlib.resources import files  # loads what an import of viewscribe need not

    text = files(__package__).joinpath(f"{kind}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _fast_validator(kind: SchemaKind) -> jsonschema_rs.Draft202012Validator:
    from jsonschema_rs import Draft202012Validator, Registry

    resources = [(schema_for(each)["$id"], schema_for(each)) for each in KINDS]
    return Draft202012Validator(schema_for(kind), registry=Registry(resources))


@cache
def _validator(kind: SchemaKind) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry, Resource

    resources = [Resource.from_contents(schema_for(each)) for each in KINDS]
    registry: Any = resources @ Registry()
    exact: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    return exact(schema_for(kind), registry=registry)  # type: ignore[no-any-return]


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    """Finds what the fast one finds: for Python, ``$`` is before a line break at the end, too."""
    from jsonschema import ValidationError

    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _explain(error: Any) -> Iterator[Problem]:
    """Yields the problems of one validation error; ``anyOf`` and missing keys give several."""
    path = tuple(error.absolute_path)
    if error.validator in ("anyOf", "oneOf") and error.context:
        nearest = max(error.context, key=lambda inner: len(inner.absolute_path))
        yield from _explain(nearest)
    elif error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        named = next((name for name in missing if error.message.startswith(repr(name))), None)
        yield Problem(path, f"the key {named!r} is missing", None)
    elif error.validator == "additionalProperties" and error.validator_value is False:
        known = error.schema.get("properties", {})
        for name in error.instance:
            if name not in known:
                yield Problem((*path, name), f"unknown key {_show(name)}", ", ".join(known))
    else:
        yield Problem(path, *_words(error))


def _words(error: Any) -> tuple[str, str | None]:
    shown, rule = _show_at(tuple(error.absolute_path), error.instance), error.validator_value
    match error.validator:
        case "type":
            return f"{shown} is {_type_name(error.instance)}", _alternatives(rule)
        case "enum":
            return f"{shown} is not one of the allowed values", ", ".join(map(_show, rule))
        case "const":
            return f"{shown} is not the only allowed value", _show(rule)
        case "minLength" | "minItems":
            return f"{shown} is too short", f"{rule} or more"
        case "minimum":
            return f"{shown} is too small", f"{rule} or more"
        case "pattern":
            return f"{shown} does not have the right form", f"text matching {rule}"
        case _:
            return error.message.replace(repr(error.instance), shown), None


_TYPE_NAMES = {
    "string": "text",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "null": "null",
}


def _alternatives(rule: str | list[str]) -> str:
    names = [rule] if isinstance(rule, str) else rule
    return " or ".join(_TYPE_NAMES.get(name, name) for name in names)


def _type_name(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a truth value"
    kinds = {
        str: "text",
        int: "a whole number",
        float: "a number",
        dict: "a mapping",
        list: "a list",
    }
    return kinds.get(type(value), type(value).__name__)


def _show_at(path: tuple[str | int, ...], value: object) -> str:
    """The value at a place of a document; masked where a key on the way says that it is secret."""
    return MASK if any(map(is_secret_name, map(str, path))) else _show(value)


def _show(value: object) -> str:
    try:
        text = json.dumps(_mask(value), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _mask(value: object) -> object:
    if isinstance(value, dict):
        return {
            key: MASK if is_secret_name(str(key)) else _mask(each) for key, each in value.items()
        }
    if isinstance(value, list):
        return list(map(_mask, value))
    return mask_value(value) if isinstance(value, str) else value
