"""Rows written in the query, and functions that are tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Literal,
    ResolvedExpression,
    make_call,
)
from viewscribe.expressions.resolve import (
    Scope,
    resolve_in,
)
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.user_calls import fitted_arguments
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.columns import generate
from viewscribe.types import Field, LogicalType
from viewscribe.types.arguments import as_list
from viewscribe.types.coercion import common_type_of, stacked_type_of


def values(
    rows: Sequence[Any],
    fields: Sequence[Field] | None = None,
    names: Sequence[str] | None = None,
) -> n.Values:
    """Rows written in the query; ``fields`` name and type the columns, ``names`` only name them.

    Rows are tuples, lists or dicts of Python values or of expressions of literals.
    """
    rows = as_list(rows, "rows")
    if fields is not None:
        if not fields:
            raise ValidationError("from_values() needs a column", hint='name one: "a INT"')
        if not rows:
            return n.Values.of((), tuple(fields))
        names = [field.name for field in fields]
    if not rows:
        raise ValidationError(
            "from_values() of no rows needs the types of its columns", hint='say them: "a INT"'
        )
    names = names or _value_names(rows[0])
    table = [_value_row(row, names) for row in rows]
    if fields is None:
        fields = [_value_field(name, [row[i] for row in table]) for i, name in enumerate(names)]
    flat = tuple(
        _value(cell, field.type) for row in table for cell, field in zip(row, fields, strict=True)
    )
    width = len(names)
    return n.Values.of(
        flat,
        tuple(
            Field(field.name, _nullable_as(field, flat[place::width]), field.comment)
            for place, field in enumerate(fields)
        ),
    )


def table_function(
    function: FunctionDefinition, args: Sequence[Any], named: Mapping[str, Any] | None = None
) -> QueryOperation:
    """A call of a function that is a table; the arguments, by position or name, are constants."""
    made_by_user = isinstance(function, UserFunction) and (
        function.source.kind is FunctionKind.GENERATOR
    )
    if function.kind is not FunctionKind.TABLE and not made_by_user:
        if function.kind is FunctionKind.PROCESS_TABLE:
            raise ValidationError(
                f"{function.name} is a process table function, called in another way",
                hint='write table.partition_by("key").process("name", …), '
                "or env.from_call(call(…))",
            )
        known = all_built_ins().items()
        tables = [each for each, made in known if made.kind is FunctionKind.TABLE]
        raise ValidationError(
            f"{function.name} does not make a table",
            hint=f"functions that do: {', '.join(sorted(tables))}",
        )
    scope = Scope(Schema(()))
    every = positional(function, args, named or {})
    resolved = tuple(resolve_in(dsl.operand(each), scope) for each in every)
    if isinstance(function, UserFunction):
        function.infer(resolved)
        resolved = fitted_arguments(function, resolved)
        if function.source.gives_array_of_rows:
            call = dsl.ValueExpression(make_call(function, resolved))
            return generate(n.OneRow.of(), call)
    return n.TableFunction.of(function, resolved)


def _nullable_as(field: Field, cells: Sequence[ResolvedExpression]) -> LogicalType:
    """The column's type; VALUES has no other nullability than what stands in it."""
    found = _common_type([cell.type for cell in cells]) or field.type
    if found.nullable and not field.nullable:
        raise TypeMismatchError(f"column `{field.name}` is {field.type}, and a row has NULL in it")
    return found


def _value_names(row: Any) -> list[str]:
    if isinstance(row, dict):
        return list(row)
    names = getattr(row, "_fields", None) or getattr(row, "__fields__", None)
    width = len(row) if isinstance(row, list | tuple) else 1
    return list(names) if names else [f"col{place}" for place in range(1, width + 1)]


def _value_row(row: Any, names: Sequence[str]) -> list[ResolvedExpression]:
    cells = [row.get(name) for name in names] if isinstance(row, dict) else row
    if not isinstance(cells, list | tuple):
        cells = [cells]
    if len(cells) != len(names):
        raise ValidationError(f"a row of {len(cells)} values where there are {len(names)} columns")
    return [resolve_in(dsl.operand(cell), Scope(Schema(()))) for cell in cells]


def _value_field(name: str, cells: list[ResolvedExpression]) -> Field:
    type_ = _common_type([cell.type for cell in cells])
    if type_ is None:
        shown = ", ".join(sorted({cell.type.ddl for cell in cells}))
        raise TypeMismatchError(f"column `{name}` has values of types without a common: {shown}")
    # Whether there is a NULL follows from the cells once they have the type.
    return Field(name, type_.as_nullable())


def _common_type(types: Sequence[LogicalType]) -> LogicalType | None:
    """The type of a column of VALUES; cells of other types are written with casts to text."""
    return stacked_type_of(types) or common_type_of(types)


def _value(cell: ResolvedExpression, type_: LogicalType) -> ResolvedExpression:
    if isinstance(cell, Literal):
        if cell.type.same_type(type_):
            return cell
        try:
            return literal(cell.value, type_)
        except TypeMismatchError:
            if cell.value is None:
                raise
    from viewscribe.expressions.resolve import cast_if_needed

    return cast_if_needed(cell, type_)
