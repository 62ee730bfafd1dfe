"""Columns and stars: names to positions."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, make_call
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.schema import Schema


def resolve_column(expression: dsl.ColumnExpression, scope: Scope) -> ResolvedExpression:
    """A column, or a field of a struct, by its name."""
    schema = scope.schema
    if expression.parts is None:
        index = schema.by_name.get(expression.column.lower(), -1)
        if index < 0:
            index = schema.find(expression.column)
        field = schema.fields[index]
        return FieldReference(index, field.name, field.type)
    index, fields = schema.find_path(expression.parts)
    found: ResolvedExpression = schema.reference(index)
    for name in fields:
        found = make_call(op.GET_FIELD, (found, literal(name)))
    return found


def resolve_star(expression: dsl.StarExpression, scope: Scope) -> ResolvedExpression:
    """A star that stands for no value."""
    raise ValidationError(
        "`*` stands for columns, not for a value", hint="use it in select(…) or F.count(…)"
    )


def expand_star(expression: dsl.StarExpression, schema: Schema) -> list[FieldReference]:
    """The columns that a star means."""
    if not expression.qualifier:
        return list(schema.references)
    wanted = tuple(part.lower() for part in expression.qualifier)
    found = [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    ]
    if found:
        return found
    known = sorted({qualifier[-1] for qualifier in schema.qualifiers if qualifier})
    raise ValidationError(
        f"no table or alias `{'.'.join(expression.qualifier)}` in the input",
        hint=f"there are: {', '.join(known)}" if known else "the input has no table names",
    )
