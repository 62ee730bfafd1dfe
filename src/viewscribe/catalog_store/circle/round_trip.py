"""The circle: a text that was printed from a tree must mean the tree when it is read again.

The names in a text mean what is nearest to them: a table, an alias, a field, a query around.
Reading the text as Spark does, among the very tables that the tree reads, shows without Spark where
a name was caught by something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from typing import NamedTuple

from viewscribe.catalog_store.circle.constants import Constants
from viewscribe.catalog_store.circle.world import TreeWorld
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.lineage.influence import ColumnId, Influence, Origins
from viewscribe.catalog_store.lineage.operations import query_lineage
from viewscribe.catalog_store.text_reader import FindColumns, leaf_tree
from viewscribe.errors import (
    NotSerializableError,
    UnknownFunctionError,
    ViewscribeError,
)
from viewscribe.expressions.node import find, holds
from viewscribe.expressions.nodes import FieldReference, strip_alias
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import (
    CatalogSource,
    Limit,
    Process,
    SqlText,
)
from viewscribe.operations.normal_form import NormalForms
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import coercion, coercion_of

NOT_READ_BACK = "viewscribe.not_read_back"
"""The property of a stored view that says why its text was not read back."""


class ReadBack(NamedTuple):
    """What came of reading the text of a tree again; nothing to tell where it means the tree.

    Args:
        different: what is different in the tree that it is read as.
        unread: why it is not read, so that nothing is known of it without Spark.
    """

    different: str | None = None
    unread: str | None = None


def read_back(
    tree: QueryOperation,
    text: str,
    settings: Mapping[str, str],
    columns_of: FindColumns = lambda path: None,
) -> ReadBack:
    """Reads the text of a tree again and compares what it means.

    Args:
        tree: the tree.
        text: what was printed of it.
        settings: those under which the text is read.
        columns_of: finds the columns of tables, to tell why a text in the tree is not read.
    """
    for node in find(tree, SqlText):
        return ReadBack(unread=_why_text(node, settings, columns_of))
    try:
        refuse_settings(settings, text)
        with coercion(coercion_of(settings)):
            again = read_sql(text, TreeWorld(tree), make_reading(settings))
            different = _other_columns(tree, again) or _other_meaning(tree, again, settings)
            return ReadBack(different)
    except (NotSerializableError, UnknownFunctionError) as error:
        return ReadBack(unread=error.message)  # Spark knows more than is read here
    except ViewscribeError as error:
        where = f", {error.location.splitlines()[0]}" if error.location else ""
        return ReadBack(f"{error.message}{where}")


def read_over(
    tree: QueryOperation,
    text: str,
    settings: Mapping[str, str],
    instead: Mapping[CatalogSource, CatalogSource],
) -> QueryOperation | None:
    """What the text of a tree means over other tables; None where it is not sure to mean the tree.

    Args:
        tree: the tree.
        text: what was printed of it.
        settings: those under which the text is read.
        instead: the tables in the place of those that the tree has.

    Raises:
        ViewscribeError: the text does not fit the other tables.
    """
    if holds(tree, Process):
        return None  # what its function gives over them is not known
    if read_back(tree, text, settings) != ReadBack():
        return None
    with coercion(coercion_of(settings)):
        return read_sql(text, TreeWorld(tree, instead), make_reading(settings))


def _why_text(node: SqlText, settings: Mapping[str, str], columns_of: FindColumns) -> str:
    """Why a query of the tree is kept as text."""
    start = shorten(node.text, 60, placeholder=" …")
    try:
        with coercion(coercion_of(settings)):
            leaf_tree(node, columns_of)
    except ObjectNotFoundError:
        return f"`{start}` is kept as text"
    except ViewscribeError as error:
        return f"`{start}` is kept as text: {error.message}"
    return f"`{start}` is kept as text"


def mean_the_same(one: QueryOperation, other: QueryOperation, settings: Mapping[str, str]) -> bool:
    """Whether two trees have the same columns and one normal form: then they give the same rows.

    Args:
        one: a tree.
        other: another one.
        settings: those under which texts of both are read.
    """
    forms = NormalForms(Constants(settings))
    return _other_columns(one, other) is None and forms.of(one) == forms.of(other)


def _other_columns(tree: QueryOperation, again: QueryOperation) -> str | None:
    made, read = tree.schema.fields, again.schema.fields
    if len(made) != len(read):
        return f"it has {len(read)} columns, the pipeline {len(made)}"
    for one, other in zip(made, read, strict=True):
        if one.name != other.name:
            return f"`{one.name}` is named `{other.name}` in it"
        # The length of a CHAR is that of a column; what is computed of it is a STRING.
        if value_type(one.type) != value_type(other.type):
            return f"`{one.name}` is {other.type} in it, and {one.type} in the pipeline"
    return None


def _other_meaning(
    tree: QueryOperation, again: QueryOperation, settings: Mapping[str, str]
) -> str | None:
    if tree == again:  # mostly so, and faster to find out
        return None
    forms = NormalForms(Constants(settings))
    made, read = forms.of(tree), forms.of(again)
    if made == read:
        return None
    lineage = _other_lineage(tree, again)
    if lineage is not None:
        return lineage
    for place, (one, other) in enumerate(zip(made.columns, read.columns, strict=True)):
        if one != other:
            name = tree.schema.fields[place].name
            said, meant = _expression(again, place), _expression(tree, place)
            if said == meant:
                return f"`{name}` is of other rows in it"
            return f"`{name}` is {said} in it, and {meant} in the pipeline"
    return f"it is not the same in {forms.difference(made, read)}"


def _expression(query: QueryOperation, place: int) -> str:
    """How a query computes a column, for human eyes."""
    while True:
        items = query.column_expressions()
        if items:
            expression = strip_alias(items[place])
            if not isinstance(expression, FieldReference):
                return expression.as_summary_string()
            place = expression.index
        elif not query.keeps_columns:
            return f"`{query.schema.fields[place].name}`"
        query = query.inputs()[0]


def _other_lineage(tree: QueryOperation, again: QueryOperation) -> str | None:
    made, read = query_lineage(tree), query_lineage(again)
    if made.unknown or read.unknown:
        return None
    counted = holds(tree, Limit)
    chosen = set if counted else _unsorted  # the order decides which rows a LIMIT takes
    for name, one, other in zip(tree.schema.names, made.columns, read.columns, strict=True):
        if chosen(one) != chosen(other):
            return (
                f"`{name}` comes from {_show(other)} in it, and from {_show(one)} in the pipeline"
            )
    if chosen(made.rows) != chosen(read.rows):
        return f"its rows depend on {_show(read.rows)}, those of the pipeline on {_show(made.rows)}"
    return None


def _unsorted(origins: Origins) -> set[ColumnId]:
    """The origins without the order of rows: an order that another one replaces is not printed."""
    return {column for column, influence in origins.items() if influence & ~Influence.SORT}


def _show(columns: Origins) -> str:
    names = sorted(
        ".".join(part for part in (each.path[-1], each.column) if part) for each in columns
    )
    return ", ".join(names) or "no column"
