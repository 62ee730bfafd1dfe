"""``withField`` and ``dropFields``: a struct made anew, for SQL changes no field in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import Expression, ItemExpression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.types import StructType

Parts = list[tuple[str, Any]]


def with_field(base: Any, path: Sequence[str], value: Any, schema: Schema) -> Expression:
    """The struct with a field replaced, every one of that name, or added at the end."""

    def change(parts: Parts, name: str) -> Parts:
        same = [place for place, (known, _) in enumerate(parts) if known.lower() == name.lower()]
        if not same:
            return [*parts, (name, value)]
        return [(name, value) if place in same else part for place, part in enumerate(parts)]

    return _changed(base, path, change, schema)


def without_field(base: Any, path: Sequence[str], schema: Schema) -> Expression:
    """The struct without a field; one that it does not have is no mistake."""

    def change(parts: Parts, name: str) -> Parts:
        kept = [part for part in parts if part[0].lower() != name.lower()]
        if not kept:
            raise CaptureError("dropFields() would leave no field", location="update_fields")
        return kept

    return _changed(base, path, change, schema)


def _changed(
    base: Any, path: Sequence[str], change: Callable[[Parts, str], Parts], schema: Schema
) -> Expression:
    resolved: ResolvedExpression = resolve(base, schema)
    type_ = resolved.type
    if not isinstance(type_, StructType):
        raise CaptureError(f"{type_.ddl} has no fields", location="update_fields")
    known = ValueExpression(resolved)
    parts: Parts = [
        (field.name, ItemExpression(known, literal(field.name))) for field in type_.fields
    ]
    if len({name.lower() for name, _ in parts}) < len(parts):
        raise CaptureError("the struct has two fields of one name", location="update_fields")
    first, *rest = path
    if rest:
        parts = [
            (name, _changed(item, rest, change, schema) if name.lower() == first.lower() else item)
            for name, item in parts
        ]
    else:
        parts = change(parts, first)
    made = function_call(
        built_in("named_struct"), [each for name, item in parts for each in (name, item)]
    )
    if not type_.nullable:
        return made
    return function_call(built_in("if"), (known.is_null(), None, made))
