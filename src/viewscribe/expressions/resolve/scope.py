"""What names can mean in one place, and what was met while resolving there."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import msgspec

from viewscribe.errors import TypeMismatchError, UnknownColumnError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    ResolvedExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import outer_references, refers_outside
from viewscribe.expressions.schema import Schema
from viewscribe.types import StructType

outer_scopes: ContextVar[tuple[Schema, ...]] = ContextVar("outer_scopes", default=())
"""The columns of the enclosing queries, the outermost first."""


class KeyNames(msgspec.Struct, eq=False):
    """The names of grouping keys, which resolve to the keys if no input column has them.

    ``qualified`` collects the columns that were called by the name of their table, too: those are
    never keys of the same name.
    """

    keys: dict[str, Alias]
    qualified: set[int] = msgspec.field(default_factory=set)

    def find(self, name: str) -> Alias | None:
        """Returns the key of that name, or None."""
        return self.keys.get(name.lower())


class Scope(msgspec.Struct, eq=False):
    """What names can mean in one place, and what was met while resolving there."""

    schema: Schema
    depth: int = 0
    nested: int = 0
    """The calls inside of several others that were met."""
    known: dict[int, ResolvedExpression] = msgspec.field(default_factory=dict)
    deep: list[Any] = msgspec.field(default_factory=list)
    lambda_names: list[str] = msgspec.field(default_factory=list)
    aggregates: bool = False
    windows: bool = False
    generators: bool = False
    time_windows: bool = False
    subqueries: bool = False
    outer: str | None = None
    """A column of the row around that was used."""
    inside_aggregate: bool = False
    is_windowed: bool = False
    """Whether the call to resolve has an OVER."""
    python_aggregates: bool = False
    key_names: KeyNames | None = None
    generator_names: tuple[str, ...] | None = None


# Finds the columns of an outer row that Spark would lose rows over.


def refuse_outer(scope: Scope, place: str) -> None:
    """Refuses columns of the row around that the scope met where Spark has none."""
    if scope.outer is not None:
        raise ValidationError(
            f"`{scope.outer}` of the row around the sub-query cannot stand in {place}",
            hint="use it in filter(…), or in a column that add_columns(…) makes first",
        )


def refuse_columns_around_limits(query: Any, outer: Schema) -> None:
    """Refuses an outer column above a LIMIT or OFFSET that counts the rows of another one.

    Spark 4.3 counts the rows for each value of the outer columns below the LIMIT, but has them once
    for each value of the one above: most outer rows lose theirs.

    Args:
        query: the operation of a sub-query or lateral join.
        outer: the columns of the row around.

    Raises:
        ValidationError: names the column, and what to do.
    """
    if not refers_outside(query):
        return
    seen: set[tuple[int, frozenset[int]]] = set()
    stack: list[tuple[Any, frozenset[int]]] = [(query, frozenset())]
    while stack:
        operation, above = stack.pop()
        if (id(operation), above) in seen:
            continue
        seen.add((id(operation), above))
        below = _columns_of(operation) if operation.counts_rows else frozenset()
        if below and above - below:
            raise _refused(outer.fields[min(above - below)].name)
        inputs = operation.inputs()
        for child in operation.children():
            if not any(child is each for each in inputs):
                above |= _columns_of(child)
        inner = [getattr(operation, name) for name in operation.inner_fields]
        stack += [(each, above) for each in inputs if not any(each is node for node in inner)]


def _columns_of(node: Node) -> frozenset[int]:
    return frozenset(index for level, index in outer_references(node) if level == 1)


def _refused(name: str) -> ValidationError:
    return ValidationError(
        f"a sub-query uses `{name}` of the row around it above a limit that counts rows for "
        "other columns of that row: Spark 4.3 would lose rows",
        hint=f"use it before the limit: select or filter first, or keep it as a column, as in "
        f'add_columns(outer("{name}").alias("outer_{name}"))',
    )


# Resolves columns and stars to positions.


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
    of_table = {
        qualifier
        for qualifier in set(schema.qualifiers)
        if tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    }
    return [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if qualifier in of_table
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
