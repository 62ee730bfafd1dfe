"""What gives a row other columns: select, withColumns, drop, renaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import resolve, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.attributes import attributes
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.calls import no_function
from viewscribe.spark.capture.connect.exclusions import logical_type
from viewscribe.spark.capture.connect.known_names import is_column
from viewscribe.spark.capture.connect.missing_input import is_unknown_column, over_keys
from viewscribe.spark.capture.connect.qualifiers import (
    Item,
    add,
    beside_generated,
    is_generator,
    read_items,
    select,
)
from viewscribe.spark.capture.connect.scopes import Namesakes
from viewscribe.types import ArrayType, Field, LogicalType, MapType, StructType
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


# Unpivot, a schema to fit, table functions, and what leaves the rows as they are.


def _unpivot(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    reader = walk.reader(child)
    ids = _columns(reader, message.ids)
    if message.HasField("values"):
        values = _columns(reader, message.values.values)
    else:
        taken = {_place(each) for each in ids}
        values = [ref for ref in child.schema.references if ref.index not in taken]
    named = (*ids, *values)
    places = [_place(each) for each in named]
    repeated = len(set(places)) < len(places)
    first = places[: len(ids)]
    as_they_are = first == sorted(first) and not any(type(each) is Alias for each in named)
    if repeated or not as_they_are or len(places) < len(child.schema):
        child = n.Project.of(child, named)
        start = len(ids)
        values = [child.schema.reference(start + place) for place in range(len(values))]
    return build.unpivot(
        child,
        values,
        message.variable_column_name,
        message.value_column_name,
        include_nulls=True,
    )


def _columns(reader: Reader, messages: Any) -> list[Any]:
    """The columns under the names that they were asked for by, which the rows then show."""
    found = reader.read_all(messages)
    if not all(is_column(each) for each in found):
        raise CaptureError("unpivot() by an expression", hint="add it with withColumn() first")
    return [alias(each.resolved, reader.spelling.output_name(each)) for each in found]


def _place(column: ResolvedExpression) -> int:
    reference = strip_alias(column)
    assert isinstance(reference, FieldReference)
    return reference.index


def _to_schema(walk: Walk, message: Any) -> QueryOperation:
    """The columns of a schema in its order; what is not there is NULL."""
    child = walk.input(message.input)
    wanted = logical_type(message.schema)
    assert isinstance(wanted, StructType)
    expressions = []
    for field in wanted.fields:
        place = child.schema.by_name.get(field.name.lower())
        if place is None:
            expressions.append(_null(field))
            continue
        reference = child.schema.reference(child.schema.find(field.name))
        if not _same(reference.type, field.type):
            expressions.append(_store(walk, child.schema, reference, field))
        else:
            expressions.append(Alias(reference, field.name, reference.type))
    return n.Project.of(child, tuple(expressions))


def _store(walk: Walk, schema: Schema, reference: FieldReference, field: Field) -> Any:
    """The column as one of another type: with ANSI a cast fails for what does not fit, as it does.

    Of structs, arrays and maps the parts are matched by name, which a cast does not do.
    """
    ansi = walk.sources.setting("spark.sql.ansi.enabled") in (None, "true")
    nested = isinstance(reference.type, StructType | ArrayType | MapType)
    if nested or not ansi:
        raise CaptureError(
            f"to() makes {field.type.ddl} of `{field.name}`, which is {reference.type.ddl}",
            hint="cast the column first",
        )
    made = ValueExpression(reference).cast(field.type.as_nullable())
    return alias(resolve(made, schema), field.name)


def _same(one: LogicalType, other: LogicalType) -> bool:
    return deeply_nullable(one) == deeply_nullable(other)


def _null(field: Field) -> Any:
    if not field.type.nullable:
        raise CaptureError(f"to() needs `{field.name}`, which is NOT NULL and not there")
    value = literal(None, field.type)
    return Alias(value, field.name, value.type)


def _function(walk: Walk, message: Any) -> QueryOperation:
    """A function that is a table; a generator is one over a single row."""
    definition = find_built_in(message.function_name)
    if definition is None:
        raise no_function(message.function_name)
    nothing = n.Values.of((), ())
    args = walk.reader(nothing).read_all(message.arguments)
    if definition.kind is FunctionKind.TABLE:
        return build.table_function(definition, [_constant(arg) for arg in args])
    if definition.kind is not FunctionKind.GENERATOR:
        raise CaptureError(f"`{message.function_name}` does not make a table")
    one_row = n.OneRow.of()
    call = walk.reader(one_row).call(message.function_name, args)
    return build.generate(one_row, call)


def _constant(arg: Any) -> Any:
    resolved = resolve_in(arg, Resolution(Schema(())))
    return resolved.value if isinstance(resolved, Literal) else arg


def _as_it_is(walk: Walk, message: Any) -> QueryOperation:
    """What is observed or kept of a run is no part of the rows."""
    return walk.input(message.input)


def _project(walk: Walk, message: Any) -> QueryOperation:
    if not message.HasField("input"):
        raise CaptureError("a select without a table", hint="start from spark.range(1)")
    child = walk.input(message.input)

    def build(reader: Reader, below: QueryOperation) -> QueryOperation:
        try:
            return select(below, read_items(reader, message.expressions), reader)
        except ViewscribeError as error:
            found = None
            if is_unknown_column(error):
                found = beside_generated(walk, below, message.expressions)
            if found is None:
                raise
            return found

    if any(each.WhichOneof("expr_type") == "unresolved_regex" for each in message.expressions):
        return build(walk.reader(child), child)  # it looks at all columns, and none is left out
    return over_keys(walk, child, build)


def _with_columns(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)

    def build(reader: Reader, below: QueryOperation) -> QueryOperation:
        items: list[Item] = []
        for each in message.aliases:
            if len(each.name) != 1:
                raise CaptureError("withColumns() gives each column one name")
            column = reader.named(reader.read(each.expr), each.name[0])
            items.append(Item(column, each.name[0]))
            reader.note_alias(each.name[0], column)
        wide = replace(below, items, reader)
        places = range(len(child.schema), len(below.schema))
        if not places:
            return wide
        columns = wide.schema.references
        return n.Project.of(wide, (*columns[: places.start], *columns[places.stop :]))

    return over_keys(walk, child, build)


def replace(child: QueryOperation, items: Sequence[Item], reader: Any) -> QueryOperation:
    """The input's columns with some replaced, every one of a name, and others at the end."""
    new = {item.name.lower(): item for item in items}
    if len(new) < len(items):
        raise CaptureError("withColumns() was given a name twice")
    by_name = child.schema.by_name
    if all(by_name.get(name) != _SEVERAL for name in new) and not any(map(is_generator, items)):
        return add(child, items)
    columns = [Item.of(reference) for reference in child.schema.references]
    kept = [new.get(column.name.lower(), column) for column in columns]
    return select(child, [*kept, *(new[name] for name in new if name not in by_name)], reader)


_SEVERAL = -1
"""What a schema says of a name that several columns have."""


def _rename(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    names = list(child.schema.names)
    pairs = [(each.col_name, each.new_col_name) for each in message.renames]
    pairs += list(message.rename_columns_map.items())
    for old, new in pairs:
        names = [new if name.lower() == old.lower() else name for name in names]
    return under_names(child, names)


def _to_df(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    names = list(message.column_names)
    if len(names) != len(child.schema):
        raise CaptureError(f"toDF() names {len(names)} of {len(child.schema)} columns")
    if isinstance(child, n.Values) and all(map(_NOBODYS.fullmatch, child.schema.names)):
        fields = [Field(name, field.type) for name, field in zip(names, child.fields, strict=True)]
        return n.Values.of(child.values, tuple(fields))
    pairs = zip(child.schema.references, names, strict=True)
    return n.Project.of(child, tuple([Alias(ref, name, ref.type) for ref, name in pairs]))


_NOBODYS = re.compile(r"_\d+")
"""What rows are called in ``createDataFrame(rows, ["a", "b"])``, which is a ``toDF`` of them."""


def under_names(child: QueryOperation, names: Sequence[str]) -> QueryOperation:
    """The columns under other names."""
    if tuple(names) == child.schema.names:
        return child
    pairs = zip(child.schema.references, names, strict=True)
    return n.Project.of(child, tuple([alias(reference, name) for reference, name in pairs]))


def _drop(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    reader = walk.reader(child, namesakes=Namesakes.LEFT)
    folded = {name.lower() for name in message.column_names}
    gone = {ref.index for ref in child.schema.references if ref.name.lower() in folded}
    for each in message.columns:
        try:
            found = reader.read(each)
        except CaptureError as error:
            if is_unknown_column(error):
                continue  # what is not there needs no dropping
            raise
        if not is_column(found):
            continue  # Spark drops the columns equal to it: a field or a computed value is none
        every = attributes(child, range(len(child.schema)))
        dropped = every[found.resolved.index]  # all of them, where it is there twice
        gone |= {place for place, each in enumerate(every) if each == dropped}
    kept = tuple(ref for ref in child.schema.references if ref.index not in gone)
    if not kept:
        raise CaptureError("drop() leaves no column", hint="a view has at least one")
    return child if len(kept) == len(child.schema) else n.Project.of(child, kept)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "unpivot": _unpivot,
    "to_schema": _to_schema,
    "unresolved_table_valued_function": _function,
    "collect_metrics": _as_it_is,
    "with_watermark": _as_it_is,
    "project": _project,
    "with_columns": _with_columns,
    "with_columns_renamed": _rename,
    "to_df": _to_df,
    "drop": _drop,
}
