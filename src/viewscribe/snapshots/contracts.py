"""Contracts of views: columns, types, NOT NULL and unique keys, shown from the tree alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.errors import ValidationError, ViewscribeError, did_you_mean
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import summary_line
from viewscribe.operations.nodes import CatalogSource
from viewscribe.operations.unique_keys import step_without_key, unique_keys
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types import LogicalType
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import parse_name, quote_name
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

Key = str | Sequence[str]
"""A column, or columns that are unique together."""

_Cache = dict[tuple[str, ...], Sequence[Sequence[str]]]


class ContractError(ViewscribeError, AssertionError):
    """A view does not keep its contract, or it cannot be shown that it does."""


def assert_contract(
    view: Any,
    *,
    columns: Mapping[str, str] | None = None,
    more_columns: bool = False,
    not_null: Sequence[str] = (),
    unique: Key | Sequence[Key] = (),
    table_keys: Mapping[str, Key | Sequence[Key]] | None = None,
) -> None:
    """Checks what a view promises its readers, without running it.

    Args:
        view: a ``Table``, a view of ``views(…)`` or the document of a stored view.
        columns: the type of each column, in order: ``{"id": "BIGINT NOT NULL", "name": "STRING"}``.
        more_columns: whether there may be others, in any order.
        not_null: columns that are never NULL.
        unique: columns that no two rows have in common: ``["id"]``, or several keys,
            ``[["id"], ["country", "email"]]``.
        table_keys: the unique keys of the tables that it reads, as far as they are known:
            ``{"orders": ["id"]}``. This is your word: nothing checks it.

    Raises:
        ContractError: something is otherwise, or cannot be shown; says why.
    """
    __tracebackhide__ = True
    tree, env = _tree_of(view)
    schema = tree.schema
    problems = list(_check_columns(schema, columns, more_columns)) if columns is not None else []
    problems += _check_nulls(schema, not_null)
    keys = _as_keys(unique)
    if keys:
        problems += _check_keys(tree, keys, _KnownKeys(env, table_keys or {}))
    if problems:
        name = getattr(view, "name", None) or "the view"
        raise ContractError("\n  ".join([f"{name} does not keep its contract:", *problems]))


def _tree_of(view: Any) -> tuple[QueryOperation, TableEnvironment | None]:
    operation = getattr(view, "operation", None)
    if isinstance(operation, QueryOperation):
        return operation, getattr(view, "env", None)
    if not isinstance(view, ViewDocument):
        raise ValidationError(
            f"a {type(view).__name__} has no contract",
            hint="give a Table, a view of views(…), or the document of a stored view",
        )
    if view.plan is None:
        raise ValidationError(
            f"the view {view.database}.{view.name} has no plan: another tool wrote it",
            hint="give the view as views(…) does, with the catalog that it is read in",
        )
    with coercion(coercion_of(view.settings)):
        return from_plan(view.plan), None


# -- columns ---------------------------------------------------------------------------------------


def _check_columns(schema: Schema, wanted: Mapping[str, str], more: bool) -> Iterator[str]:
    found = {field.name.lower(): field for field in schema.fields}
    names = {name.lower() for name in wanted}
    for name, text in wanted.items():
        field = found.get(name.lower())
        if field is None:
            near = did_you_mean(name, schema.names)
            yield f"there is no column `{name}`{f', {near}' if near else ''}"
            continue
        type_ = _parse(name, text)
        if type_.as_nullable() != field.type.as_nullable():
            yield f"`{name}` is {type_text(field.type.as_nullable())}, and not {text}"
        elif field.nullable and not type_.nullable:
            yield f"`{name}` may be NULL"
    if more:
        return
    for field in schema.fields:
        if field.name.lower() not in names:
            yield f"there is another column `{field.name}`, {type_text(field.type.as_nullable())}"
    order = [name for name in map(str.lower, schema.names) if name in names]
    if sorted(order) == sorted(names) and order != [name.lower() for name in wanted]:
        yield f"the order of the columns is {', '.join(schema.names)}"


def _parse(name: str, text: str) -> LogicalType:
    not_null = text.upper().endswith("NOT NULL")
    try:
        type_ = parse_type(text[: -len("NOT NULL")] if not_null else text)
    except ViewscribeError as error:
        raise ValidationError(f"`{name}`: {error.message}", hint=error.hint) from error
    return type_.with_nullability(not not_null)


def _check_nulls(schema: Schema, wanted: Sequence[str]) -> Iterator[str]:
    for name in [wanted] if isinstance(wanted, str) else wanted:
        place = _place(schema, name)
        if isinstance(place, str):
            yield place
        elif schema[place].nullable:
            yield f"it cannot be shown that `{name}` is never NULL: its type says that it may be"


def _place(schema: Schema, name: str) -> int | str:
    """The place of a column, or what is wrong with its name."""
    places = [i for i, each in enumerate(schema.names) if each.lower() == name.lower()]
    if len(places) == 1:
        return places[0]
    near = did_you_mean(name, schema.names)
    what = "two columns" if places else "no column"
    return f"there is {what} `{name}`{f', {near}' if near and not places else ''}"


# -- keys ------------------------------------------------------------------------------------------


def _as_keys(given: Key | Sequence[Key]) -> list[tuple[str, ...]]:
    """``"id"`` and ``["a", "b"]`` are one key, ``[["a"], ["b"]]`` are two."""
    if isinstance(given, str):
        return [(given,)]
    if not given:
        return []
    if all(isinstance(each, str) for each in given):
        return [tuple(str(each) for each in given)]
    return [(each,) if isinstance(each, str) else tuple(each) for each in given]


def _check_keys(
    tree: QueryOperation, wanted: Sequence[tuple[str, ...]], known: _KnownKeys
) -> Iterator[str]:
    shown = unique_keys(tree, known)
    names = tree.schema.names
    for key in wanted:
        places = [_place(tree.schema, name) for name in key]
        wrong = [each for each in places if isinstance(each, str)]
        if wrong:
            yield from wrong
        elif not shown.is_key(each for each in places if isinstance(each, int)):
            found = ["(" + ", ".join(names[i] for i in sorted(each)) + ")" for each in shown.keys]
            why = f"what is shown to be unique is {', '.join(found)}" if found else ""
            yield (
                f"it cannot be shown that ({', '.join(key)}) is unique: "
                f"{why or _explain(step_without_key(tree, known))}"
            )


def _explain(step: QueryOperation) -> str:
    if isinstance(step, CatalogSource):
        name = step.path[-1]
        return (
            f"nothing says which columns of {quote_name(step.path)} are; if you know, "
            f'give table_keys={{"{name}": [...]}}'
        )
    return f"{summary_line(step)} may give rows of the same values"


class _KnownKeys:
    """The keys of what a tree reads: those that the test gives, and those of stored views.

    Args:
        env: where views are looked up.
        given: keys of tables by their names.
    """

    def __init__(
        self, env: TableEnvironment | None, given: Mapping[str, Key | Sequence[Key]]
    ) -> None:
        self._env = env
        self._given = {
            tuple(part.casefold() for part in parse_name(name)): _as_keys(keys)
            for name, keys in given.items()
        }
        self._of_views: _Cache = {}

    def __call__(self, source: CatalogSource) -> Sequence[Sequence[str]]:
        path = tuple(part.casefold() for part in source.path)
        found: list[tuple[str, ...]] = []
        for name, keys in self._given.items():
            if path[-len(name) :] == name:
                self._require(source, keys)
                found += keys
        if found or self._env is None or source.as_of is not None:
            return found
        if path not in self._of_views:
            self._of_views[path] = ()  # for a view that reads itself
            self._of_views[path] = self._of_view(self._env, source)
        return self._of_views[path]

    def _require(self, source: CatalogSource, keys: Sequence[tuple[str, ...]]) -> None:
        for column in (name for key in keys for name in key):
            wrong = _place(source.schema, column)
            if isinstance(wrong, str):
                raise ValidationError(f"table_keys: {wrong} in {quote_name(source.path)}")

    def _of_view(self, env: TableEnvironment, source: CatalogSource) -> Sequence[Sequence[str]]:
        """The keys of a stored view that is read, where its columns are still those."""
        try:
            tree = env.view_table(quote_name(source.path)).operation
        except ViewscribeError:
            return ()  # a table, or not here: nothing is known
        names = tree.schema.names
        if names != source.schema.names:
            return ()
        return [[names[place] for place in key] for key in unique_keys(tree, self).keys]
