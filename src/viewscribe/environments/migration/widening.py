"""Views whose tables are wider in the target: the tree gets the types that it has there.

An INT that is a BIGINT there, or a DECIMAL with more digits, changes no meaning of a query: the
types of what is computed from it follow, as they would if the view were made there. Where they
follow from more than the inputs of each node, the text is read again over the tables of the target,
if it is proven to mean the tree over those of the source. What is not known to be so (another
change of type, a text that is not read) is left as it is, and the plan tells that the view needs
the column as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from viewscribe.catalog_store.circle import read_over
from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.text_reader import DocumentWorld, FindFunction, text_tree
from viewscribe.environments.migration.columns import readings, same_type, unmet
from viewscribe.errors import ViewscribeError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import Node, postorder, replace
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.retype import retype
from viewscribe.serializer import to_sql
from viewscribe.serializer.dialects import to_dialect
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.types import (
    BIGINT,
    INT,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StructType,
)
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.nested_types import SMALLINT, TINYINT
from viewscribe.types.policy import coercion, coercion_of

ColumnsOf = Callable[[Sequence[str]], Sequence[Column] | None]
"""The columns of a table or view of the target; None where nobody knows."""

_INTEGRAL = tuple(type(each) for each in (TINYINT, SMALLINT, INT, BIGINT))
_EXPRESSIONS = (
    *(e.FieldReference, e.Literal, e.Alias, e.Cast, e.Call, e.AggregateCall, e.Over),
    e.SortOrder,
)


def widen(
    document: ViewDocument,
    columns_of: ColumnsOf,
    function_of: FindFunction,
    catalog: str,
) -> tuple[ViewDocument, bool]:
    """The view with the types that its columns have in the target.

    Args:
        document: the view, under the names of the target.
        columns_of: what tables and views of the target have.
        function_of: what functions of the target are.
        catalog: what names without a catalog are in.

    Returns:
        The view, and whether it is a text that is as good over wider columns.
    """
    try:
        if document.plan is None:
            world = DocumentWorld(columns_of, function_of, (catalog, document.database))
            found = _text_widened(document, text_tree(document, world))
            return (document, False) if found is None else (found, True)
        if not _is_reached(document, columns_of):
            return document, False
        with coercion(coercion_of(document.settings)):
            return _widen(document, columns_of), False
    except ViewscribeError:
        return document, False


def _text_widened(document: ViewDocument, tree: QueryOperation) -> ViewDocument | None:
    """A view without a plan: its text stays, and its columns are of the types that it has there.

    Returns None where one of them is of a type that is not a wider one.
    """
    columns = []
    for column, field in zip(document.columns, tree.schema.fields, strict=True):
        text = type_text(field.type.as_nullable())
        if same_type(column.type, text):
            columns.append(column)
        elif is_wider(parse_type(column.type), field.type):
            columns.append(msgspec.structs.replace(column, type=text))
        else:
            return None
    return msgspec.structs.replace(document, columns=tuple(columns))


def _is_reached(document: ViewDocument, columns_of: ColumnsOf) -> bool:
    """Whether it reads a column of another type, without a look at its tree."""
    for reading in readings(document):
        there = columns_of(reading.path)
        if there is not None and any(each.change == "type" for each in unmet(reading, there, None)):
            return True
    return False


def _follows_types(node: Node) -> bool:
    if isinstance(node, QueryOperation):
        return node.follows_types
    return isinstance(node, _EXPRESSIONS)


def _widen(document: ViewDocument, columns_of: ColumnsOf) -> ViewDocument:
    assert document.plan is not None
    tree = from_plan(document.plan)
    sources = {
        node: found
        for node in postorder(tree)
        if isinstance(node, n.CatalogSource) and (found := _wider_source(node, columns_of))
    }
    if not sources:
        return document
    new: QueryOperation | None
    if all(map(_follows_types, postorder(tree))):
        new = cast(QueryOperation, replace(tree, lambda node: _retype(node, sources)))
    else:
        new = read_over(tree, document.sql, document.settings, sources)
    if new is None or [field.name for field in new.schema.fields] != [
        each.name for each in document.columns
    ]:
        return document
    plain = to_sql(tree, document.style, document.spark_version)
    sql = to_sql(new, document.style, document.spark_version)
    if sql != plain and document.sql != plain:  # its comments would be lost
        return document
    return msgspec.structs.replace(
        document,
        sql=document.sql if sql == plain else sql,
        plan=to_plan(new),
        columns=tuple(map(_column, document.columns, new.schema.fields)),
        representations={each: to_dialect(new, each) for each in document.representations},
    )


def _column(column: Column, field: Field) -> Column:
    return msgspec.structs.replace(
        column, type=type_text(field.type.as_nullable()), nullable=field.type.nullable
    )


def _retype(node: Node, sources: dict[Any, n.CatalogSource]) -> Node:
    """A node over inputs that have their new types already."""
    if node in sources:
        return sources[node]
    if not isinstance(node, QueryOperation) or isinstance(node, n.CatalogSource):
        return node
    inputs = {id(each) for each in node.inputs()}
    seen = node.both_sides() if isinstance(node, n.Join) else node.inputs()[0].schema
    return node.with_children(
        [
            each if id(each) in inputs else retype(cast(e.ResolvedExpression, each), seen)
            for each in node.children()
        ]
    )


def _wider_source(source: n.CatalogSource, columns_of: ColumnsOf) -> n.CatalogSource | None:
    """The table with the wider types that the target has; None where it has none."""
    there = {each.name.lower(): each for each in columns_of(source.path) or ()}
    fields = []
    for field in source.fields:
        column = there.get(field.name.lower())
        new = field.type if column is None else parse_type(column.type)
        if not is_wider(field.type, new):
            new = field.type
        fields.append(Field(field.name, new.with_nullability(field.type.nullable), field.comment))
    if tuple(fields) == source.fields:
        return None
    return n.CatalogSource.of(source.path, tuple(fields), source.as_of)


def is_wider(one: LogicalType, other: LogicalType) -> bool:
    """Whether the other type has all values of the one, and more."""
    if isinstance(one, DecimalType) and isinstance(other, DecimalType):
        digits = other.precision - other.scale >= one.precision - one.scale
        return digits and other.scale >= one.scale
    if isinstance(one, _INTEGRAL) and isinstance(other, _INTEGRAL):
        return _INTEGRAL.index(type(other)) > _INTEGRAL.index(type(one))
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return _are_wider([one.element], [other.element])
    if isinstance(one, MapType) and isinstance(other, MapType):
        return _are_wider([one.key, one.value], [other.key, other.value])
    if isinstance(one, StructType) and isinstance(other, StructType):
        named = [each.name for each in one.fields] == [each.name for each in other.fields]
        parts = [[field.type for field in each.fields] for each in (one, other)]
        return named and _are_wider(*parts)
    return False


def _are_wider(ones: Sequence[LogicalType], others: Sequence[LogicalType]) -> bool:
    """Whether one of the parts is wider, and each of the others is the same or wider, too."""
    wider = [is_wider(one, other) for one, other in zip(ones, others, strict=True)]
    fits = [
        each or one.same_type(other) for each, one, other in zip(wider, ones, others, strict=True)
    ]
    looser = [other.nullable or not one.nullable for one, other in zip(ones, others, strict=True)]
    return any(wider) and all(fits) and all(looser)
