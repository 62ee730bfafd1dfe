"""Rows written in the query, and functions that are tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from viewscribe.errors import NotSerializableError, TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.builtin.conditional import IF
from viewscribe.expressions.functions.builtin.numbers import ABS
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import TRUE, literal
from viewscribe.expressions.node import Node, holds, replace
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
    make_call,
)
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.expressions.resolve import Scope, cast_if_needed, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.user_calls import fitted_arguments
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import generate, join_laterally
from viewscribe.types import (
    DateType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.arguments import as_list
from viewscribe.types.coercion import common_type_of, is_orderable, stacked_type_of

# Joins with the nearest rows, as-of and nearest-by, as a lateral join that sorts and counts.
#
# ``JOIN LATERAL (SELECT …, sales.at - at AS distance FROM quotes … ORDER BY distance LIMIT 1)``
#
# Spark's optimizer makes an aggregate of such joins, ``min_by`` of the distance; SQL text cannot
# say that one, for its aggregates may not mix columns of the inside and of the outside. Which of
# several rows at the same distance is taken is as open in Spark as it is here.


def nearest_join(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    condition: ResolvedExpression | None,
    distance: ResolvedExpression,
    *,
    descending: bool = False,
    count: int = 1,
    forgetful: bool = False,
) -> QueryOperation:
    """Each row of ``left`` beside the rows of ``right`` that are nearest to it.

    Args:
        left: the rows that look for others.
        right: the rows that are looked for.
        kind: INNER or LEFT.
        condition: over the columns of both, which rows of ``right`` count; None for all.
        distance: over the columns of both, what orders them; a row without one does not count.
        descending: whether the greatest distance comes first.
        count: how many rows at most.
        forgetful: whether Spark forgets, of an INNER join too, that columns of ``right`` are never
            NULL.

    Raises:
        NotSerializableError: a part of it that a lateral join cannot say.
    """
    _check(right, condition, distance)
    width = len(left.schema)
    kept = right
    terms = [*_conjuncts(condition), *_guards(condition, distance)]
    if terms:
        inside = tuple(_inside(each, width) for each in terms)
        kept = n.Filter.of(right, inside[0] if len(inside) == 1 else make_call(op.AND, inside))
    measured = _inside(distance, width)
    name = _free("similarity" if descending else "distance", right.schema.names)
    wide = n.WithColumns.of(kept, (Alias(measured, name, measured.type),))
    key = wide.schema.references[-1]
    ordered = n.Sort.of(wide, (SortOrder(key, descending, not descending, key.type),), False)
    nearest = n.Limit.of(ordered, count)
    if forgetful and kind is n.JoinKind.INNER and any(not f.nullable for f in right.schema):
        outer = join_laterally(left, nearest, n.JoinKind.LEFT)
        found = make_call(op.IS_NOT_NULL, (outer.schema.references[-1],))
        joined: QueryOperation = n.Filter.of(outer, found)
    else:
        joined = join_laterally(left, nearest, kind)
    return n.Project.of(joined, joined.schema.references[:-1])


def _check(
    right: QueryOperation, condition: ResolvedExpression | None, distance: ResolvedExpression
) -> None:
    given = [distance] if condition is None else [condition, distance]
    if any(holds(each, SubqueryExpression) for each in given):
        raise NotSerializableError(
            "a join with the nearest row whose condition holds a sub-query",
            hint="make the sub-query a column of one side first: withColumn()",
        )
    if not is_orderable(distance.type):
        raise NotSerializableError(
            f"a join with the nearest row by {distance.type.ddl}, which has no order",
            hint="order by a number, a date or a time",
        )
    if not all(is_deterministic(each) for each in given):
        raise NotSerializableError(
            "a join with the nearest row by chance, which is another one each time",
            hint="order by something that the rows say",
        )
    if refers_outside(right) or any(refers_outside(each) for each in given):
        raise NotSerializableError(
            "a join with the nearest row inside of a sub-query that refers to the query around it",
            hint="join first, and refer to the query around in a filter above",
        )


def _inside(expression: ResolvedExpression, width: int) -> ResolvedExpression:
    """An expression over both sides, as the query of the right side says it."""

    def step(node: Node) -> Node:
        if type(node) is not FieldReference:
            return node
        if node.index < width:
            return OuterReference(1, node.index, node.name, node.type)
        return FieldReference(node.index - width, node.name, node.type)

    made = replace(expression, step)
    assert isinstance(made, ResolvedExpression)
    return made


# -- rows without a distance -----------------------------------------------------------------------


def _guards(
    condition: ResolvedExpression | None, distance: ResolvedExpression
) -> list[ResolvedExpression]:
    """What keeps rows whose distance is NULL away, where the condition does not do so anyway."""
    compared = {
        each
        for term in _conjuncts(condition)
        if type(term) is Call and term.function in _COMPARISONS
        for each in term.args
    }
    wanted = [
        each
        for each in dict.fromkeys(_list_measured(distance))
        if each.type.nullable and each not in compared
    ]
    return [make_call(op.IS_NOT_NULL, (each,)) for each in wanted]


_COMPARISONS = (
    *(op.EQUALS, op.NOT_EQUALS),
    *(op.LESS, op.LESS_OR_EQUAL, op.GREATER, op.GREATER_OR_EQUAL),
)
"""Of what is NULL these are not true."""


def _conjuncts(condition: ResolvedExpression | None) -> list[ResolvedExpression]:
    found: list[ResolvedExpression] = []
    pending = [] if condition is None else [condition]
    while pending:
        each = pending.pop()
        if type(each) is Call and each.function is op.AND:
            pending += reversed(each.args)
        elif each != TRUE:
            found.append(each)
    return found


def _list_measured(distance: ResolvedExpression) -> Iterator[ResolvedExpression]:
    """Expressions of which one is NULL where the distance is, and only there."""
    if type(distance) is Call and distance.function is ABS:
        yield from _list_measured(distance.args[0])
        return
    pair = _difference(distance)
    if pair is not None and all(isinstance(each.type, _WHOLE) for each in pair):
        yield from pair
    else:
        yield distance


def _difference(
    distance: ResolvedExpression,
) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    """What ``a - b`` and ``if(a > b, a - b, b - a)`` take apart."""
    if type(distance) is not Call:
        return None
    if distance.function is op.MINUS:
        return distance.args[0], distance.args[1]
    if distance.function is not IF:
        return None
    greater, first, second = distance.args
    found, turned = _difference(first), _difference(second)
    if type(greater) is not Call or greater.function is not op.GREATER or found is None:
        return None
    return found if greater.args == found and turned == (found[1], found[0]) else None


_WHOLE = (IntegralType, FloatType, DoubleType, DateType, TimestampType, TimestampNtzType)
"""Types whose difference is NULL only where one of two is; that of decimals may not fit."""


def _free(wanted: str, taken: Sequence[str]) -> str:
    folded = {name.lower() for name in taken}
    name, number = wanted, 2
    while name in folded:
        name, number = f"{wanted}_{number}", number + 1
    return name


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
    return cast_if_needed(cell, type_)
