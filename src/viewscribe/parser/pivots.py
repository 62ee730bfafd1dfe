"""Resolves TABLESAMPLE, PIVOT and UNPIVOT."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.auto_names import value_text
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    Cast,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import references_of
from viewscribe.expressions.resolve import cast_if_needed
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation, are_taken_first
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import output_name, require_shown_alike
from viewscribe.parser.checks import is_aggregated
from viewscribe.parser.literals import computed, date_value
from viewscribe.parser.scopes import Columns, Source
from viewscribe.parser.values import ExpressionReader, refuse_stars
from viewscribe.types import (
    CharType,
    DateType,
    DecimalType,
    Field,
    LogicalType,
    StructType,
)
from viewscribe.types.coercion import is_groupable, stacked_type_of
from viewscribe.types.identifiers import zone_of
from viewscribe.types.widening import can_cast

if TYPE_CHECKING:
    from viewscribe.parser.sources import SourceReader


def sample(sources: SourceReader, node: s.Sampled) -> Source:
    """Resolves TABLESAMPLE: a random part of the rows, or the first ones."""
    child = sources.read_one(node.child)
    reader = ExpressionReader(sources.queries, Columns(Schema(())))
    if type(node.amount) is s.Unread:
        return sources.unread(node.amount)
    if node.kind == "BUCKET":
        part, parts = node.amount
        percent = 100 * part / parts if parts else math.inf
    else:
        amount = reader.read(node.amount)
        if not isinstance(amount, Literal) or amount.value is None:
            raise sources.error(node, "the size of a sample is a number")
        if node.kind == "ROWS":
            operation: QueryOperation = build.limit(child.operation, amount.value)
            return Source(operation, child.names, child.width)
        if type(amount.value) not in (int, Decimal):
            raise sources.error(node, "the percentage of a sample is a number without exponent")
        percent = float(amount.value)
    if not 0 <= percent <= 100:
        raise sources.error(node, f"{percent:g} PERCENT is not between 0 and 100")
    operation = n.Sample.of(child.operation, percent, node.seed)
    return Source(operation, child.names, child.width)


def pivot(sources: SourceReader, node: s.PivotOf) -> Source:
    """Resolves PIVOT, which turns values of a column into columns.

    Several pivot columns are combined into one struct, as in Spark's own plan.
    """
    refuse_stars(sources.queries, node.aggregates, "PIVOT")
    child = sources.read(node.child)
    reader = ExpressionReader(sources.queries, sources.columns(child))
    columns = [_pivot_column(sources, reader, each) for each in node.columns]
    column, below = columns[0], child.operation
    if len(columns) > 1:
        column, below = _together(below, columns)
    aggregates = []
    for each in node.aggregates:
        aggregate = strip_alias(reader.read(each))
        if not is_aggregated(aggregate):
            raise sources.error(each, "a PIVOT takes aggregates of the columns around it")
        aggregates.append(alias(aggregate, output_name(reader, each)))
    pads = not are_taken_first(aggregates)
    values, names = [], []
    for each in node.values:
        value = _pivot_value(sources, reader, each)
        named = isinstance(each, s.Aliased)
        known = _pad(value, column.type) if pads and not named else value
        values.append(_of_column(sources, each, known, column.type))
        if not named:
            require_shown_alike(reader, each, value)
        zone = zone_of(sources.queries.reading.zone)
        names.append(each.names[0] if named else value_text(value, zone))
    used = {each.index for each in columns}
    for aggregate in aggregates:
        used |= references_of(aggregate).columns
    keys = tuple(
        reference
        for reference in child.names.references[: child.width]
        if reference.index not in used
    )
    for key in keys:
        if not is_groupable(key.type):
            raise sources.error(
                node, f"a PIVOT groups by `{key.name}`, and {key.type.ddl} cannot be grouped by"
            )
    operation = n.Pivot.of(below, keys, column, tuple(values), tuple(names), tuple(aggregates))
    return Source.of(operation)


def _pivot_column(sources: SourceReader, reader: ExpressionReader, node: Any) -> FieldReference:
    column = reader.read(node)
    if not isinstance(column, FieldReference):
        raise sources.error(node, "a pivot is over columns of its input")
    try:
        build.require_pivot_column(column)
    except ValidationError as error:
        raise sources.error(node, error.message) from None
    return column


def _together(
    child: QueryOperation, columns: Sequence[FieldReference]
) -> tuple[FieldReference, QueryOperation]:
    """Combines the pivot columns into one, placed after the others."""
    parts: list[ResolvedExpression] = []
    for each in columns:
        parts += [literal(each.name), each]
    taken, name = child.schema.by_name, "_".join(each.name for each in columns)
    while name.lower() in taken:
        name = f"{name}_"
    both = alias(make_call(built_in("named_struct"), tuple(parts)), name)
    assert isinstance(both, Alias)
    made = n.WithColumns.of(child, (both,))
    return made.schema.reference(len(child.schema)), made


def _pivot_value(sources: SourceReader, reader: ExpressionReader, node: Any) -> Literal:
    value = constant(strip_alias(reader.read(node)))
    if value is None:
        raise sources.error(
            node,
            "the values of a pivot are constants, and only Spark knows this one",
            hint="write the value itself",
        )
    return value


def _of_column(sources: SourceReader, node: Any, value: Literal, type_: LogicalType) -> Literal:
    """The value as one of the pivot's column, to which Spark casts it: of a struct each field."""
    if isinstance(type_, StructType):
        if not can_cast(value.type, type_, "legacy"):
            raise sources.error(
                node, f"a value of this pivot is {type_.ddl}, and this one {value.type.ddl}"
            )
        if isinstance(value.type, StructType) and value.value is not None:
            fields = zip(value.type.fields, value.value, type_.fields, strict=True)
            parts = [
                _of_column(sources, node, Literal(part, each.type), wanted.type)
                for each, part, wanted in fields
            ]
            values = tuple([part.value for part in parts])
            return literal(values, _as_known(type_, values))
    if isinstance(type_, DateType) and isinstance(value.value, str):
        value = _date_of(value.value) or value
    return build.pivot_literal(value, _as_known(type_, value.value))


def _pad(value: Literal, type_: LogicalType) -> Literal:
    """A text as Spark compares it with a CHAR, where the text has no name and numbers no part."""
    if not isinstance(type_, CharType) or not isinstance(value.value, str):
        return value
    return literal(value.value.ljust(type_.length), value.type)


def _date_of(text: str) -> Literal | None:
    return date_value(text) if _WHOLE_DATE.fullmatch(text) else None


def _as_known(type_: LogicalType, value: Any) -> LogicalType:
    """The type of the pivot's column for a value: what is there is no NULL."""
    if isinstance(type_, StructType) and value is not None:
        parts = zip(type_.fields, value, strict=True)
        fields = tuple([Field(each.name, _as_known(each.type, part)) for each, part in parts])
        return StructType(fields=fields, nullable=False)
    return type_.with_nullability(value is None)


def constant(expression: ResolvedExpression) -> Literal | None:
    """The value of what is put together of literals; None for anything else."""
    expression = computed(expression, casts=True)
    expression = fold_constant(expression) or expression
    if isinstance(expression, Literal):
        return expression
    child = expression.child if isinstance(expression, Cast) else None
    if isinstance(child, Literal) and child.value is None:
        return Literal(None, expression.type)  # as NULL of a type is written
    if isinstance(child, Literal) and isinstance(expression.type, DecimalType):
        value = child.value
        type_ = expression.type
        if not isinstance(value, Decimal):
            return None
        digits = value.as_tuple()
        assert isinstance(digits.exponent, int)
        whole = len(digits.digits) + digits.exponent
        if -digits.exponent > type_.scale or whole > type_.precision - type_.scale:
            return None
        return Literal(value, type_.not_null())
    if isinstance(child, Literal) and isinstance(expression.type, DateType):
        return _date_of(child.value) if isinstance(child.value, str) else None
    if not isinstance(expression, Call) or expression.function.built_in_name not in _TOGETHER:
        return None
    parts = [constant(each) for each in expression.args]
    if expression.function.built_in_name == "named_struct":
        parts = parts[1::2]
    if any(each is None for each in parts):
        return None
    values = tuple([each.value for each in parts if each is not None])
    return literal(values, expression.type)


_WHOLE_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)
_TOGETHER = frozenset(("array", "struct", "named_struct"))


def unpivot(sources: SourceReader, node: s.UnpivotOf) -> Source:
    """Resolves UNPIVOT, which turns columns into rows."""
    child = sources.read(node.child)
    columns = sources.columns(child)
    groups, labels = [], []
    for group, label in node.columns:
        found = [columns.find(parts) for parts in group]
        references = [each for each in found if isinstance(each, FieldReference)]
        if len(references) < len(found):
            shown = ", ".join(".".join(parts) for parts in group)
            raise sources.error(node, f"`{shown}` is no column")
        if len(references) != len(node.values):
            raise sources.error(
                node, f"{len(references)} columns for {len(node.values)} columns of values"
            )
        groups.append(references)
        labels.append(label or "_".join(each.name for each in references))
    _refuse_ambiguous_values(sources, node, child, {e.index for group in groups for e in group})
    for column in zip(*groups, strict=True):
        _require_common_type(sources, node, [each.type for each in column])
    if len(node.values) > 1:
        return Source.of(_unpivot_together(sources, node, child, groups, labels))
    operation = n.Unpivot.of(
        child.operation,
        tuple([reference for (reference,) in groups]),
        tuple(labels),
        node.name,
        node.values[0],
        node.include_nulls,
    )
    return Source.of(operation)


def _refuse_ambiguous_values(
    sources: SourceReader, node: s.UnpivotOf, child: Source, turned: set[int]
) -> None:
    """Spark looks for the values by their names to leave out NULLs, among all columns it made."""
    kept = [child.names.names[each] for each in range(child.width) if each not in turned]
    taken = [each.lower() for each in (*kept, node.name, *node.values)]
    for name in () if node.include_nulls else node.values:
        if taken.count(name.lower()) > 1:
            raise sources.error(
                node, f"`{name}` is ambiguous: another column has that name", "rename the values"
            )


def _require_common_type(
    sources: SourceReader, node: s.UnpivotOf, types: Sequence[LogicalType]
) -> None:
    """UNPIVOT makes no text of what is none, as a UNION does."""
    if stacked_type_of(types) is None:
        shown = ", ".join(each.as_nullable().ddl for each in types)
        raise sources.error(
            node, f"the columns of an UNPIVOT need a common type: {shown}", "cast them first"
        )


def _unpivot_together(
    sources: SourceReader,
    node: s.UnpivotOf,
    child: Source,
    groups: Sequence[Sequence[FieldReference]],
    labels: Sequence[str],
) -> QueryOperation:
    """UNPIVOT into several columns of values: a struct for each group of columns, in a row each."""
    types = [
        stacked_type_of([each.type for each in column]) for column in zip(*groups, strict=True)
    ]
    if any(each is None for each in types):
        raise sources.error(node, "the columns of an UNPIVOT need a common type", "cast them first")
    names = (node.name, *node.values)
    structs = []
    for label, group in zip(labels, groups, strict=True):
        values = [cast_if_needed(a, b) for a, b in zip(group, types, strict=True) if b is not None]
        cells = zip(names, (literal(label), *values), strict=True)
        parts = tuple([part for name, cell in cells for part in (literal(name), cell)])
        structs.append(make_call(built_in("named_struct"), parts))
    rows = make_call(built_in("inline"), (make_call(built_in("array"), tuple(structs)),))
    made: QueryOperation = n.Generate.of(child.operation, rows, False, names)
    width = len(child.operation.schema)
    if not node.include_nulls:
        there = [make_call(op.IS_NOT_NULL, (each,)) for each in made.schema.references[width + 1 :]]
        made = n.Filter.of(made, make_call(op.OR, tuple(there)))
    turned = {each.index for group in groups for each in group}
    references = made.schema.references
    kept = [references[place] for place in range(child.width) if place not in turned]
    return n.Project.of(made, (*kept, *references[width:]))
