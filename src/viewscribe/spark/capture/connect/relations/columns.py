"""What gives a row other columns: select, withColumns, drop, renaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.nodes import Alias, alias
from viewscribe.operations import nodes as n
from viewscribe.operations.attributes import attribute
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.items import (
    Item,
    add,
    beside_generated,
    is_generator,
    read_items,
    select,
)
from viewscribe.spark.capture.connect.known_names import is_column
from viewscribe.spark.capture.connect.missing_input import is_unknown_column, over_keys
from viewscribe.spark.capture.connect.scopes import Namesakes
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


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
        return _without(wide, range(len(child.schema), len(below.schema)))

    return over_keys(walk, child, build)


def _without(operation: QueryOperation, places: range) -> QueryOperation:
    if not places:
        return operation
    columns = operation.schema.references
    return n.Project.of(operation, (*columns[: places.start], *columns[places.stop :]))


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
        dropped = attribute(child, found.resolved.index)  # all of them, where it is there twice
        gone |= {at for at in range(len(child.schema)) if attribute(child, at) == dropped}
    kept = tuple(ref for ref in child.schema.references if ref.index not in gone)
    if not kept:
        raise CaptureError("drop() leaves no column", hint="a view has at least one")
    return child if len(kept) == len(child.schema) else n.Project.of(child, kept)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "project": _project,
    "with_columns": _with_columns,
    "with_columns_renamed": _rename,
    "to_df": _to_df,
    "drop": _drop,
}
