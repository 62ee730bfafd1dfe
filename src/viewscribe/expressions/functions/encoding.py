"""User functions as the plain data of a plan document, and back."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.sources import (
    Convention,
    FunctionParameter,
    FunctionSource,
    Language,
)
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.types.ddl import parse_type, type_text

Encoded = dict[str, Any]


def encode(function: UserFunction) -> Encoded:
    """Encodes the function as plain data for a plan document; Python functions by reference.

    Raises:
        ValidationError: it is a Python function without an importable name.
    """
    source = function.source
    if source.language is Language.PYTHON and source.reference is None:
        raise ValidationError(
            f"the Python function `{function!r}` has no place to be found at",
            hint="define it at the top of a module, not in a function or a notebook's main module",
        )
    encoded: Encoded = {
        "identifier": list(function.identifier.parts),
        "kind": source.kind.value,
        "language": source.language.value,
    }
    if function.temporary:
        encoded["temporary"] = True
    if source.parameters is not None:
        encoded["parameters"] = [
            {"name": each.name, "type": type_text(each.type)}
            | ({} if each.default is None else {"default": each.default})
            for each in source.parameters
        ]
    if source.returns is not None:
        encoded["returns"] = type_text(source.returns)
    for name in ("reference", "body", "comment"):
        if (value := getattr(source, name)) is not None:
            encoded[name] = value
    if not source.deterministic:
        encoded["deterministic"] = False
    if source.resources:
        encoded["resources"] = list(source.resources)
    if source.convention is not Convention.VALUES:
        encoded["convention"] = source.convention.value
    if source.collected:
        encoded["collected"] = True
    return encoded


def decode(encoded: Encoded) -> UserFunction:
    """Decodes a function from ``encode``'s data, without importing anything."""
    parts = encoded["identifier"]
    identifier = FunctionIdentifier(parts[-1], *(parts[-2::-1] if len(parts) > 1 else ()))
    parameters = encoded.get("parameters")
    returns = encoded.get("returns")
    source = FunctionSource(
        kind=FunctionKind(encoded["kind"]),
        language=Language(encoded["language"]),
        parameters=None
        if parameters is None
        else tuple(
            FunctionParameter(each["name"], parse_type(each["type"]), each.get("default"))
            for each in parameters
        ),
        returns=None if returns is None else parse_type(returns),
        reference=encoded.get("reference"),
        body=encoded.get("body"),
        deterministic=encoded.get("deterministic", True),
        comment=encoded.get("comment"),
        resources=tuple(encoded.get("resources", ())),
        convention=Convention(encoded.get("convention", Convention.VALUES)),
        collected=encoded.get("collected", False),
    )
    return UserFunction(identifier, source, temporary=encoded.get("temporary", False))
