"""The columns of a document for the fields of a schema."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args, get_type_hints

from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    Parameter,
    parse_parameters,
)
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.messages import label
from viewscribe.errors import DataTypeError, ValidationError
from viewscribe.types import Field
from viewscribe.types.arguments import as_mapping
from viewscribe.types.ddl import parse_type, schema_text, type_text

# Python functions encoded as class names, for metastores and sessions.
#
# Spark accepts any text as the class name of a function, and shows it if the class cannot be
# loaded:
#
#     python:shop.text:normalize|scalar, annotated|(x DOUBLE)|DOUBLE|sha256:9f86d081…
#
# The parts are module and name, kind and convention, parameters, result, and the hash of the
# source: enough to find the function again, and for a reader to see what is missing.

PREFIX = "python:"

LONGEST = 4_000
"""The maximum length of a class name in a metastore."""

_HASH = "sha256:"
_IS_HASH = re.compile(f"{_HASH}[0-9a-f]{{64}}")
_PROCESS, _OF_CALL = "process", "TABLE"
_BY_CHANCE, _COLLECTED, _ANNOTATED = "not deterministic", "of collected rows", "annotated"
_HINTS = get_type_hints(FunctionDocument)
_KINDS: tuple[str, ...] = get_args(_HINTS["function_kind"])
_CONVENTIONS: tuple[str, ...] = get_args(_HINTS["convention"])


def class_text(document: FunctionDocument) -> str:
    """Returns the class name that encodes a Python function.

    Raises:
        InvalidDocumentError: it is too long for a metastore.
    """
    parts = [document.class_name or "", *_signature(document)]
    if len(parts) > 1 and document.source_hash is not None:
        parts.append(_HASH + document.source_hash)
    text = PREFIX + "|".join(map(_escape, parts))
    if len(text) > LONGEST:
        raise InvalidDocumentError(
            f"reference and signature of the function have {len(text):,} characters, and a "
            f"metastore keeps {LONGEST:,}",
            location=label(document),
            hint="take less columns, or put them in an ARRAY or a MAP",
        )
    return text


def read_class_text(text: str) -> dict[str, Any]:
    """Decodes a text of ``class_text`` into the fields of a document.

    A text of another form only gives the name.
    """
    name, *parts = [
        each.replace("%7C", "|").replace("%25", "%")
        for each in text.removeprefix(PREFIX).split("|")
    ]
    found: dict[str, Any] = {"language": "python", "function_kind": "scalar", "class_name": name}
    if len(parts) not in (3, 4) or not _reads(parts):
        return found
    kind, *words = parts[0].split(", ")
    found["function_kind"] = kind
    found["convention"] = next((each for each in words if each in _CONVENTIONS), "values")
    found["deterministic"] = _BY_CHANCE not in words
    found["collected"] = _COLLECTED in words
    found["annotated"] = _ANNOTATED in words
    if kind == _PROCESS:
        found["signature"] = parts[1][1:-1]
    else:
        found["parameters"] = parse_parameters(parts[1][1:-1])
        found["returns"] = type_text(parse_type(parts[2]))
    found["source_hash"] = parts[3].removeprefix(_HASH) if len(parts) == 4 else None
    return found


def is_same_function(one: str, other: str) -> bool:
    """Returns whether two texts name the same Python function, ignoring signature and source."""
    return all(each.startswith(PREFIX) for each in (one, other)) and (
        one.partition("|")[0] == other.partition("|")[0]
    )


def _signature(document: FunctionDocument) -> list[str]:
    """What it is, its parameters and its result; nothing where only Spark could know."""
    if document.signature is not None:
        return [_kind(document), f"({document.signature})", _OF_CALL]
    if document.parameters is None or document.returns is None:
        return []
    try:
        returns = type_text(parse_type(document.returns))
        return [_kind(document), f"({_parameters(document)})", returns]
    except DataTypeError:  # nothing can call it
        return []


def _kind(document: FunctionDocument) -> str:
    words: list[str] = [document.function_kind]
    if document.convention != "values":
        words.append(document.convention)
    if not document.deterministic:
        words.append(_BY_CHANCE)
    if document.collected:
        words.append(_COLLECTED)
    if document.annotated:
        words.append(_ANNOTATED)
    return ", ".join(words)


def _parameters(document: FunctionDocument) -> str:
    return ", ".join(map(_parameter, document.parameters or ()))


def _parameter(parameter: Parameter) -> str:
    text = schema_text([Field(parameter.name, parse_type(parameter.type))])
    return text if parameter.default is None else f"{text} DEFAULT {parameter.default}"


def _reads(parts: list[str]) -> bool:
    """Whether these are the parts of a text of ours."""
    if parts[0].partition(", ")[0] not in _KINDS or not parts[1].startswith("("):
        return False
    try:
        if parts[0].partition(", ")[0] != _PROCESS:
            parse_parameters(parts[1][1:-1])
            parse_type(parts[2])
    except DataTypeError:
        return False
    return len(parts) == 3 or _IS_HASH.fullmatch(parts[3]) is not None


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("|", "%7C")


# Pausing the cycle collector while many objects are created.


@contextmanager
def without_collecting() -> Iterator[None]:
    """Pauses the cycle collector.

    For work that creates very many long-lived objects and hardly any cycles: the collector would
    scan all of them each time their number has grown by a quarter. Reference counting still frees
    unreferenced objects.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def columns_of_fields(
    fields: Sequence[Field], defaults: Mapping[str, str] | None = None
) -> tuple[Column, ...]:
    """The columns of a document for fields; ``defaults`` are SQL texts by the names of columns."""
    given = as_mapping(defaults, "defaults")
    missing = given.keys() - {field.name for field in fields}
    if missing:
        raise ValidationError(f"no column `{min(missing)}` to have a default")
    nameless = [place for place, field in enumerate(fields, 1) if not field.name]
    if nameless:
        raise ValidationError(
            f"column {nameless[0]} has the empty name, which no catalog keeps",
            hint='give it another: df.withColumnRenamed("", "name")',
        )
    return tuple(
        Column(
            name=field.name,
            type=type_text(field.type.as_nullable()),
            nullable=field.nullable,
            comment=field.comment,
            default=given.get(field.name),
        )
        for field in fields
    )
