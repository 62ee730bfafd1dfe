"""Reading two texts alike: the same tables, functions and settings for both."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

from msgspec.structs import replace

from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.catalog_store.circle.world import TreeWorld
from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.documents.normalization import ColumnChange, column_changes
from viewscribe.catalog_store.lineage.drawings import LineageChange, lineage_changes
from viewscribe.errors import UnknownFunctionError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.operations.normal_form import NormalForms
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.serializer.plan_document import from_plan
from viewscribe.table_api.text_reader import HomeWorld
from viewscribe.types import Field
from viewscribe.types.ddl import type_text
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


# The verdict on a change of SQL, readable by people and machines.

Kind = Literal["same tree", "same meaning", "rows differ", "different"]
"""What a change means, from the least to the most."""

KINDS: tuple[Kind, ...] = get_args(Kind)

COSMETIC: tuple[Kind, ...] = ("same tree", "same meaning")
"""The kinds of changes that no reader of the view can notice."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a change of SQL means.

    Args:
        kind: ``same tree`` if only the layout changed, ``same meaning`` if both are proven to give
            the same rows, ``rows differ`` if they are known not to, else ``different``.
        why: how that is known, or why more is not, in one sentence.
        columns: the columns that differ.
        lineage: what columns and rows depend on, where it changed.
        rows: the first rows that differ.
        unread: whether one of the texts could not be read, so that nothing more is known.
    """

    kind: Kind
    why: str
    columns: tuple[ColumnChange, ...] = ()
    lineage: tuple[LineageChange, ...] = ()
    rows: tuple[str, ...] = ()
    unread: bool = False

    @property
    def is_cosmetic(self) -> bool:
        """Whether it is proven that nothing but the text changed."""
        return self.kind in COSMETIC

    def lines(self) -> Iterator[str]:
        """Yields the verdict, the differences in columns and lineage, and the rows."""
        yield f"verdict: {self.kind} ({self.why})"
        parts = (("columns", self.columns), ("lineage", self.lineage), ("rows", self.rows))
        for title, found in parts:
            if found:
                yield f"{title}:"
                yield from (f"  {each}" for each in found)

    def to_json(self) -> dict[str, Any]:
        """Returns the verdict as JSON-serializable data."""
        return {
            "kind": self.kind,
            "why": self.why,
            "columns": [*map(str, self.columns)],
            "lineage": [*map(str, self.lineage)],
            "rows": list(self.rows),
        }

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.markup import heading, marked, show, text_block

        style = "good" if self.is_cosmetic else "bad"
        _first, *others = self.lines()
        return show(
            str(self),
            heading(marked(self.kind, style), f": {self.why}"),
            text_block("\n".join(others)) if others else None,
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Unread(NamedTuple):
    """A text that was not read, and why."""

    why: str


class World(Protocol):
    """Where the names in a text are looked up."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """Returns the table of a name. Raises ``ViewscribeError``."""

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the user function of a name; None where there is none."""

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Returns what a call of a process table function gives. Raises ``ViewscribeError``."""


class TextReader:
    """Reads texts in worlds that are asked one after the other, the first of them first.

    Args:
        worlds: where names are looked up.
        settings: the Spark settings that the texts are read under.
        env: the environment whose user functions the texts may call.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        settings: Mapping[str, str],
        env: TableEnvironment | None = None,
    ) -> None:
        self.settings = settings
        self.env = env
        self._worlds = worlds

    def read(self, text: str) -> QueryOperation | Unread:
        """Returns the tree of a text, or why it is not read."""
        try:
            refuse_settings(self.settings, text)
            with coercion(coercion_of(self.settings)), warnings.catch_warnings():
                # A changed view is what `check` tells of; here it is the same for both texts.
                warnings.simplefilter("ignore")
                return self._read(text)
        except ViewscribeError as error:
            return Unread(_describe(error))

    def _read(self, text: str) -> QueryOperation:
        reading = make_reading(self.settings)
        try:
            return read_sql(text, self, reading)
        except ViewscribeError as error:
            unknown = any(isinstance(each, UnknownFunctionError) for each in error.every)
            if self.env is None or not unknown:
                raise
        with self.env.functions.in_force():  # which lists those of all catalogs: rarely needed
            return read_sql(text, self, reading)

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """Returns the table of a name, from the first world that has it."""
        return self._first(lambda world: world.table(parts))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the user function of a name, from the first world that has it."""
        found = (world.function(parts) for world in self._worlds)
        return next((each for each in found if each is not None), None)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Returns the result of a call, from the first world that knows it."""
        return self._first(lambda world: world.process(parts, args, named))

    def _first(self, ask: Callable[[World], QueryOperation]) -> QueryOperation:
        problem: ViewscribeError = UnknownFunctionError("there are no tables and functions here")
        for world in self._worlds:
            try:
                return ask(world)
            except ViewscribeError as error:
                problem = error
        raise problem


def _describe(error: ViewscribeError) -> str:
    """The error in one line; where in the text, not the text around it."""
    where = f", {error.location.splitlines()[0].rstrip(':')}" if error.location else ""
    return f"{error.message}{where}"


# Comparing what two texts mean, without Spark.

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
    if not columns and (not _changed_tables(before, after)):
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


# The verdict on two states of a stored view.


def compare_views(
    before: ViewDocument, after: ViewDocument, env: TableEnvironment, catalog: str
) -> Verdict:
    """Returns what the change from one document of a view to another means.

    What counts is the text of each, which Spark runs: a plan may be older than the text beside it.

    Args:
        before: one document.
        after: the other.
        env: an environment of their catalog.
        catalog: the name of that catalog.
    """
    names = sorted({*before.settings, *after.settings})
    settings = [name for name in names if before.settings.get(name) != after.settings.get(name)]
    old, new = (view_reader(each, env, catalog).read(each.sql) for each in (before, after))
    verdict = compare_trees(old, new, after.settings)
    columns = column_changes(_uncommented(before), _uncommented(after))
    if not verdict.is_cosmetic or not (settings or columns):
        return verdict
    why = f"the settings differ: {', '.join(settings)}" if settings else "the columns differ"
    return Verdict("different", f"not proven otherwise: {why}", columns, verdict.lineage)


def view_reader(view: ViewDocument, env: TableEnvironment, catalog: str) -> TextReader:
    """Returns what reads texts as the text of a stored view is read.

    Args:
        view: the document of the view.
        env: an environment of its catalog.
        catalog: the name of the catalog, for names without one.
    """
    worlds: list[World] = [HomeWorld(env, (catalog, view.database))]
    tree = plan_of(view)
    if tree is not None:
        worlds.insert(0, TreeWorld(tree))
    return TextReader(worlds, view.settings, env)


def plan_of(view: ViewDocument) -> QueryOperation | None:
    """Returns the tree of a view's plan; None where it has none, or a damaged one."""
    if view.plan is None:
        return None
    try:
        with coercion(coercion_of(view.settings)):
            return from_plan(view.plan)
    except ViewscribeError:
        return None


def _uncommented(view: ViewDocument) -> list[Column]:
    return [replace(each, comment=None) for each in view.columns]
