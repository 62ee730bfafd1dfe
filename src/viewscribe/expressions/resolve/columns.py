"""Resolves columns and stars to positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import TypeMismatchError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    ResolvedExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.schema import Schema
from viewscribe.types import StructType


def resolve_column(expression: dsl.ColumnExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a name to a column, a struct field or a grouping key."""
    if expression.parts is not None:
        return _resolve_path(expression.parts, scope)
    schema = scope.schema
    found = schema.find_field(expression.column.lower())
    if found is None:
        key = _key_named(expression.column, scope)
        if key is not None:
            return key
        index = schema.find(expression.column)
        found = index, schema[index]
    return FieldReference(found[0], found[1].name, found[1].type)


def _key_named(name: str, scope: Scope) -> Alias | None:
    """Returns the grouping key of a name that no input column has."""
    if scope.key_names is None or name.lower() in scope.schema.by_name:
        return None
    return scope.key_names.find(name)


def _resolve_path(parts: Sequence[str], scope: Scope) -> ResolvedExpression:
    """Resolves a dotted name: a qualified column, or a field of a column or grouping key."""
    found: ResolvedExpression
    fields: Sequence[str]
    try:
        index, fields = scope.schema.find_path(parts)
    except UnknownColumnError:
        key = _key_named(parts[0], scope)
        if key is None:
            raise
        found, fields = key, parts[1:]
    else:
        found = scope.schema.reference(index)
        if scope.key_names is not None and len(fields) < len(parts) - 1:
            scope.key_names.qualified.add(index)
    for name in fields:
        found = make_call(op.GET_FIELD, (found, literal(name)))
    return found


def resolve_several(expression: dsl.Expression, scope: Scope) -> ResolvedExpression:
    """Refuses a star or a range of columns where a single value is expected."""
    raise ValidationError(
        f"{expression!r} stands for columns, not for a value",
        hint="use it in select(…), add_columns(…), group_by(…) or as the arguments of a function",
    )


def is_several(expression: Any) -> bool:
    """Whether the expression stands for several columns: a star or a range, aliased or not."""
    kind = type(expression)
    if kind is dsl.NamesExpression or kind is dsl.AliasExpression:
        return is_several(expression.child)
    return kind is dsl.StarExpression or kind is dsl.ColumnsExpression


def expand(expression: Any, scope: Scope) -> list[ResolvedExpression]:
    """Expands a star or a range of columns, aliased or not, to its columns.

    Raises:
        ValidationError: there are no columns, or their number differs from that of the names.
    """
    if type(expression) is dsl.StarExpression:
        return expand_star(expression, scope)
    if type(expression) is dsl.ColumnsExpression:
        return list(_choose_columns(expression, scope.schema))
    found = expand(expression.child, scope)
    alone = type(expression) is dsl.AliasExpression
    names = (expression.alias_name,) if alone else expression.names
    if len(names) != len(found):
        raise ValidationError(
            f"{expression.child!r} stands for {', '.join(map(_name_of, found))}, and has "
            f"{len(names)} name{'' if alone else 's'}",
            hint="give as many names as there are columns",
        )
    return [alias(strip_alias(each), name) for each, name in zip(found, names, strict=True)]


def _name_of(column: ResolvedExpression) -> str:
    return column.name if isinstance(column, Alias | FieldReference) else repr(column)


def expand_star(expression: dsl.StarExpression, scope: Scope) -> list[ResolvedExpression]:
    """Expands a star to the columns of a table or the fields of a struct.

    A table takes precedence over a struct of the same name, as in Spark.
    """
    path = expression.qualifier
    return [*columns_of_table(path, scope.schema)] or _fields_of(path, scope)


def columns_of_table(path: Sequence[str], schema: Schema) -> Sequence[FieldReference]:
    """Returns the columns with a table's qualifier; all columns for an empty path."""
    if not path:
        return schema.references
    wanted = tuple(part.lower() for part in path)
    return [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    ]


def _fields_of(path: Sequence[str], scope: Scope) -> list[ResolvedExpression]:
    base = _base_of_star(path, scope)
    if not isinstance(base.type, StructType):
        raise TypeMismatchError(
            f"`{'.'.join(path)}` is {base.type.ddl}: only a STRUCT has fields for `*`",
            hint="F.explode(…) makes rows of an ARRAY or a MAP",
        )
    names = [field.name for field in base.type.fields]
    return [alias(make_call(op.GET_FIELD, (base, literal(name))), name) for name in names]


def _base_of_star(path: Sequence[str], scope: Scope) -> ResolvedExpression:
    dotted = dsl.ColumnExpression(path[0], None if len(path) == 1 else tuple(path))
    try:
        return resolve_column(dotted, scope)
    except UnknownColumnError as error:
        schema = scope.schema
        tables = {qualifier[-1] for qualifier in schema.qualifiers if qualifier}
        structs = {field.name for field in schema if isinstance(field.type, StructType)}
        known = ", ".join(sorted(tables)) or "none"
        raise ValidationError(
            f"no table, alias or struct `{'.'.join(path)}` in the input",
            location=error.location,
            hint=f"tables: {known}; structs: {', '.join(sorted(structs)) or 'none'}",
        ) from None


def _choose_columns(
    expression: dsl.ColumnsExpression, schema: Schema
) -> tuple[FieldReference, ...]:
    places = [place for item in expression.items for place in _places(item, schema)]
    if not expression.others:
        return tuple(schema.reference(place) for place in places)
    left = tuple(each for each in schema.references if each.index not in places)
    if not left:
        raise ValidationError("without_columns(…) would leave no column")
    return left


def _places(item: Any, schema: Schema) -> Sequence[int]:
    if isinstance(item, dsl.StarExpression):
        return [each.index for each in _plain(expand_star(item, Scope(schema)), item)]
    if not isinstance(item, dsl.ColumnRange):
        return (_place(item, schema),)
    first, last = _place(item.first, schema), _place(item.last, schema)
    if first > last:
        raise ValidationError(
            f"range_({item.first!r}, {item.last!r}) ends before it starts",
            location=f"({', '.join(schema.names)})",
        )
    return range(first, last + 1)


def _plain(found: Sequence[ResolvedExpression], item: Any) -> list[FieldReference]:
    plain = [each for each in found if isinstance(each, FieldReference)]
    if len(plain) < len(found):
        raise ValidationError(f"{item!r} is fields of a struct, not columns")
    return plain


def _place(item: Any, schema: Schema) -> int:
    """Returns the position (from 0) of a column given by name or by number from 1."""
    if isinstance(item, int):
        if not 1 <= item <= len(schema):
            raise ValidationError(
                f"no column {item} in the input",
                location=f"({', '.join(schema.names)})",
                hint=f"places are from 1 to {len(schema)}",
            )
        return item - 1
    named = dsl.column(item) if isinstance(item, str) else item
    return _plain([resolve_column(named, Scope(schema))], item)[0].index
