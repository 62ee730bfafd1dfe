"""Which classes the values of a state are of, as its annotation says it: plain data for tasks.

Read where the function is defined; a task may not know the names that annotations use.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Union


@dataclass(frozen=True)
class Shape:
    """The class of a value and of what it holds.

    Args:
        kind: the dataclass or the named tuple; None for a ``Row``, and for all else.
        fields: the shapes of its fields.
        inner: the shapes of elements, or of keys and values.
    """

    kind: Any = None
    fields: Mapping[str, Shape] = field(default_factory=dict)
    inner: tuple[Shape, ...] = ()


ANY = Shape()


def shape_of(annotation: object) -> Shape:
    """The shape that an annotation means."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return shape_of(inner[0])
    if origin in (Union, types.UnionType):
        some = [each for each in inner if each is not type(None)]
        return shape_of(some[0]) if len(some) == 1 else ANY
    if origin is not None:
        return Shape(inner=tuple(map(shape_of, inner)))
    names = _names(annotation)
    if names is None:
        return ANY
    hints = typing.get_type_hints(annotation, include_extras=True)
    return Shape(annotation, {name: shape_of(hints[name]) for name in names})


def _names(kind: Any) -> list[str] | None:
    if not inspect.isclass(kind):
        return None
    if dataclasses.is_dataclass(kind):
        return [each.name for each in dataclasses.fields(kind)]
    found = getattr(kind, "_fields", None)
    return list(found) if found is not None and hasattr(kind, "__annotations__") else None


def remade(kind: Any, names: list[str], values: list[Any]) -> Any:
    """An object of a class as it was: neither defaults nor ``__post_init__`` take part."""
    made: Any = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made
