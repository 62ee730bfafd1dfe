"""The parameters of ``msgspec.Struct`` classes, for the API reference.

An extension of griffe, which reads the sources without running them: it knows how dataclasses are
called, and this tells it the same of structs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from griffe import (
    Attribute,
    Class,
    Expr,
    Extension,
    Function,
    Module,
    Parameter,
    ParameterKind,
    Parameters,
)

_STRUCT = "msgspec.Struct"


class StructSignatures(Extension):  # type: ignore[misc]  # griffe is not installed for checks
    """Gives every struct without an ``__init__`` the one that msgspec makes of its fields."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        for cls in _classes(pkg, set()):
            family = [*reversed(_bases(cls)), cls]
            if "__init__" not in cls.members and any(map(_is_struct, family)):
                _add_init(cls, [field for each in family for field in _fields(each)])


def _is_struct(cls: Class) -> bool:
    return any(isinstance(base, Expr) and base.canonical_path == _STRUCT for base in cls.bases)


def _bases(cls: Class) -> list[Class]:
    try:
        return list(cls.mro())
    except ValueError:  # a base of another library, which is not read
        return []


def _add_init(cls: Class, fields: list[Parameter]) -> None:
    unique = {field.name: field for field in fields}.values()
    ordered = sorted(unique, key=lambda field: field.kind is ParameterKind.keyword_only)
    this = Parameter("self", kind=ParameterKind.positional_or_keyword)
    init = Function("__init__", parent=cls, parameters=Parameters(this, *ordered), returns="None")
    cls.set_member("__init__", init)


def _fields(cls: Class) -> list[Parameter]:
    only_by_keyword = str(cls.keywords.get("kw_only")) == "True"
    kind = ParameterKind.keyword_only if only_by_keyword else ParameterKind.positional_or_keyword
    return [
        Parameter(name, annotation=member.annotation, kind=kind, default=member.value)
        for name, member in cls.members.items()
        if isinstance(member, Attribute)
        and member.annotation is not None
        and "instance-attribute" in member.labels
    ]


def _classes(where: Module | Class, seen: set[str]) -> Iterator[Class]:
    for member in where.members.values():
        if member.is_alias or member.path in seen:
            continue
        if member.is_module or member.is_class:
            seen.add(member.path)
            if member.is_class:
                yield member
            yield from _classes(member, seen)
