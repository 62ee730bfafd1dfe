"""Resolves ``base[key]``: items of arrays, maps, structs and VARIANTs."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, make_call
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import resolve_in
from viewscribe.types import ArrayType, StructType, VariantType


def resolve_item(expression: dsl.ItemExpression, scope: Scope) -> ResolvedExpression:
    """Resolves ``base[key]`` by the type of the base."""
    base = resolve_in(expression.base, scope)
    key = resolve_in(expression.key, scope)
    named = isinstance(key, Literal) and isinstance(key.value, str)
    if not expression.in_python:
        _refuse_ours(base, named=named)
    if isinstance(base.type, VariantType) and isinstance(key, Literal):
        return _path_into(base, key.value)
    if isinstance(base.type, StructType) and named:
        return make_call(op.GET_FIELD, (base, key))
    if isinstance(base.type, ArrayType) and named:
        return make_call(op.GET_FIELD, (base, key))
    if isinstance(base.type, StructType) and isinstance(key, Literal):
        return make_call(op.GET_FIELD, (base, literal(_field_name(base.type, key.value))))
    return make_call(op.GET_ITEM, (base, key))


def _refuse_ours(base: ResolvedExpression, *, named: bool) -> None:
    """Refuses what the Table API has and Spark has not."""
    if isinstance(base.type, VariantType):
        raise TypeMismatchError(
            "Spark has no items of a VARIANT in brackets, and no fields of it after a dot",
            hint="name the path and the type: variant_get(v, '$.a', 'string')",
        )
    if isinstance(base.type, StructType) and not named:
        raise TypeMismatchError(
            f"Spark has no field of {base.type.ddl} but by its name",
            hint=f"name it: ['{base.type.fields[0].name}']" if base.type.fields else None,
        )


def _path_into(base: ResolvedExpression, key: Any) -> ResolvedExpression:
    """Extracts an element or field of a VARIANT; nested accesses become a single path."""
    path = "$"
    if type(base) is Call and base.function.built_in_name == "variant_get":
        known = base.args[1]
        if type(known) is Literal and known.value is not None:
            base, path = base.args[0], known.value
    if isinstance(key, str):
        plain = key.isascii() and key.isidentifier()
        quoted = repr(key) if "'" not in key else f'"{key}"'
        path += f".{key}" if plain else f"[{quoted}]"
    elif type(key) is int and key >= 0:
        path += f"[{key}]"
    else:
        raise TypeMismatchError(
            f"a VARIANT has no element {key!r}",
            hint="elements are counted from 0, fields have names",
        )
    return make_call(built_in("variant_get"), (base, literal(path), literal("variant")))


def _field_name(type_: StructType, place: Any) -> str:
    if not isinstance(place, int) or not 0 <= place < len(type_.fields):
        raise TypeMismatchError(f"{type_.ddl} has no field at position {place!r}")
    return type_.fields[place].name
