"""Comparing what two texts mean, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.catalog_store.documents.history import ColumnChange, column_changes
from viewscribe.catalog_store.documents.model import Column
from viewscribe.catalog_store.lineage.changes import lineage_changes
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.operations.normal_form import NormalForms
from viewscribe.snapshots.verdict.model import Verdict
from viewscribe.snapshots.verdict.reader import TextReader, Unread
from viewscribe.types import Field
from viewscribe.types.ddl import type_text

_A_TABLE = "the table it reads"


def compare_texts(before: str, after: str, reader: TextReader) -> Verdict:
    """Returns what the change from one text to another means.

    Args:
        before: the approved text.
        after: the text that is there now.
        reader: reads both, in the same way.
    """
    return compare_trees(reader.read(before), reader.read(after), reader.settings)


def compare_trees(
    before: QueryOperation | Unread, after: QueryOperation | Unread, settings: Mapping[str, str]
) -> Verdict:
    """Returns what the change from one tree to another means.

    Args:
        before: the tree of the approved text.
        after: the tree of the text that is there now.
        settings: the settings under which both are read.
    """
    for side, tree in (("before", before), ("after", after)):
        if isinstance(tree, Unread):
            why = f"the SQL {side} cannot be read: {tree.why}"
            return Verdict("different", why, unread=True)
    assert not isinstance(before, Unread)
    assert not isinstance(after, Unread)
    if before == after:
        return Verdict("same tree", "both texts are read as the same operations: layout only")
    columns = compare_columns(before.schema, after.schema)
    lineage = tuple(lineage_changes(before, after))
    if not columns and _read_the_same_tables(before, after):
        try:
            if mean_the_same(before, after, settings):
                why = "both texts have the same normal form, so they give the same rows"
                return Verdict("same meaning", why, lineage=lineage)
        except ViewscribeError as error:
            why = f"not proven otherwise: {error.message}"
            return Verdict("different", why, columns, lineage)
    return Verdict("different", _explain(before, after, columns), columns, lineage)


def compare_columns(before: Schema, after: Schema) -> tuple[ColumnChange, ...]:
    """Returns the columns that differ in name, type, nullability or place."""
    return column_changes(_columns(before.fields), _columns(after.fields))


def _columns(fields: Sequence[Field]) -> list[Column]:
    return [Column(each.name, type_text(each.type.as_nullable()), each.nullable) for each in fields]


def _read_the_same_tables(before: QueryOperation, after: QueryOperation) -> bool:
    """Whether tables of one name have the same columns; normal forms know these by place."""
    return not _changed_tables(before, after)


def _changed_tables(before: QueryOperation, after: QueryOperation) -> list[str]:
    """The tables that both read, with other columns."""
    one, other = _tables(before), _tables(after)
    return sorted(".".join(path) for path in one.keys() & other.keys() if one[path] != other[path])


def _tables(tree: QueryOperation) -> dict[tuple[str, ...], set[tuple[object, ...]]]:
    found: dict[tuple[str, ...], set[tuple[object, ...]]] = {}
    for node in preorder(tree):
        if isinstance(node, CatalogSource):
            columns = tuple((field.name, field.type) for field in node.fields)
            found.setdefault(tuple(map(str.lower, node.path)), set()).add(columns)
    return found


def _explain(before: QueryOperation, after: QueryOperation, columns: Sequence[ColumnChange]) -> str:
    """Why the two are not shown to mean the same, in one sentence."""
    tables = _changed_tables(before, after)
    if tables:
        return f"not proven otherwise: they read other columns of {', '.join(tables)}"
    if columns:
        return "the columns differ"
    return f"not proven otherwise: {' and '.join(_differences(before, after))}"


def _differences(before: QueryOperation, after: QueryOperation) -> Iterator[str]:
    forms = NormalForms()
    one, other = forms.of(before), forms.of(after)
    if one.rows != other.rows:
        words = (forms.difference(one, other), forms.difference(other, one))
        # The word is that of the first side: a table where the other one has a LIMIT over it.
        yield f"they differ in {words[words[0] == _A_TABLE]}"
    else:
        names = before.schema.names
        pairs = zip(names, one.columns, other.columns, strict=False)
        changed = [f"`{name}`" for name, a, b in pairs if a != b]
        yield f"they compute {', '.join(changed) or 'the columns'} otherwise"
