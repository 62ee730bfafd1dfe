"""Resolves one SELECT (items, groups, HAVING, QUALIFY, DISTINCT, order) by Spark's name rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from viewscribe.errors import ViewscribeError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    OuterReference,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import is_deterministic, references_of, refers_outside
from viewscribe.expressions.resolve import require_boolean, resolve_sort
from viewscribe.expressions.resolve.walk import SubqueryInFunctionError
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation, project_schema
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import output_name
from viewscribe.parser.checks import (
    ONLY_TABLES,
    Item,
    Shown,
    columns_of,
    first_columns,
    holds_generator,
    name_of,
    plainly,
    refuse_around,
    refuse_in_order,
    refuse_in_windows,
    without_tables,
)
from viewscribe.parser.grouped_select import read_groups
from viewscribe.parser.qualify import read_qualify
from viewscribe.parser.queries import QueryReader, has_order
from viewscribe.parser.scopes import Columns, Findings, Given, Source, is_unnamed, see_columns
from viewscribe.parser.sort_keys import (
    OrderReader,
    calls_in,
    is_aggregate,
    keys_below,
    refuse_without_groups,
)
from viewscribe.parser.sources import SourceReader
from viewscribe.parser.values import ExpressionReader, refuse_stars


def read_select(queries: QueryReader, node: s.SelectOf, query: s.QueryOf) -> QueryOperation:
    """Resolves a SELECT together with the order and limit of its query."""
    return Select(queries, node, query).read()


def read_added(
    queries: QueryReader, node: s.SelectOf, query: s.QueryOf
) -> tuple[Alias, ...] | None:
    """Resolves items that are columns beside those of the FROM; None where they are more."""
    return Select(queries, node, query).read_added()


_PARTITIONING = frozenset(("COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE"))


class Select:
    """Resolves one SELECT."""

    columns: Columns
    reader: ExpressionReader
    below: QueryOperation

    def __init__(self, queries: QueryReader, node: s.SelectOf, query: s.QueryOf) -> None:
        self.queries = queries
        self.node = node
        self.query = query
        self.hidden: list[ResolvedExpression] = []
        self.hidden_names: list[str] = []
        self.distribution: list[ResolvedExpression] = []
        self.drawn: set[str] = set()
        self.computed: list[ResolvedExpression] = []
        self.places: set[int] = set()
        self.hints: list[tuple[str, list[ResolvedExpression]]] = []

    def read(self) -> QueryOperation:
        """Resolves the whole SELECT."""
        node = self.node
        self._refuse_stars()
        self._start()
        findings = Findings()
        filtered = findings.attempt(lambda: self._filter(self.below))
        self.below = operation = self.below if filtered is None else filtered
        items = findings.attempt(self._items_once)
        findings.raise_all()
        assert items is not None
        self.columns.aliases = None
        grouped = node.group is not None or self.reader.met.aggregates or (node.having is not None)
        made = read_groups(self, operation, items) if grouped else self._plain(operation, items)
        return without_tables(made, columns_of(items))

    def read_added(self) -> tuple[Alias, ...] | None:
        """Resolves the items as further columns; None where they are more, or share a name."""
        self._start()
        items = self._items_once()
        if self.computed or self.reader.met.aggregates or any(each.is_generator for each in items):
            return None
        known = self.below.schema
        shown = [each for each in [item.named for item in items] if isinstance(each, Alias)]
        names = {each.name.lower() for each in shown}
        if len(names) < len(items) or any(name in known.by_name for name in names):
            return None
        if not len(known) or len(known.by_name) < len(known):
            return None
        refuse_in_windows(shown)
        return tuple(shown)

    def _start(self) -> None:
        """Resolves what the items are over."""
        source = self._source()
        self.columns = see_columns(source, self.queries.outer, aliases={})
        self.columns.time_windows = self._time_windows()
        self.below = source.operation

    def _refuse_stars(self) -> None:
        node, query = self.node, self.query
        refuse_stars(self.queries, node.group, "GROUP BY")
        refuse_stars(self.queries, node.having, "HAVING")
        refuse_stars(self.queries, node.qualify, "QUALIFY")
        refuse_stars(self.queries, (*query.order, *query.sort), "ORDER BY")
        refuse_stars(self.queries, query.cluster or query.distribute, "CLUSTER BY")

    def _source(self) -> Source:
        if self.node.source is None:
            return Source.of(n.OneRow.of())
        hints = {}
        for hint in self.node.hints:
            if hint.name.upper() in n.JOIN_HINTS:
                for parameter in hint.parameters:
                    if isinstance(parameter, s.Name):
                        hints[parameter.parts[-1].lower()] = hint.name.upper()
        return SourceReader(self.queries, hints).read(self.node.source)

    def _time_windows(self) -> dict[str, ResolvedExpression]:
        """The windows that the groups are by, or else the items call for, each once.

        Spark computes them in a step below, as a column of the function's name.
        """
        found: dict[str, ResolvedExpression] = {}
        for call in calls_in([self.node.items if self.node.group is None else self.node.group]):
            name = call.name[-1].lower()
            function = find_built_in(name)
            if function is not None and function.is_step and call.over is None:
                reader = ExpressionReader(self.queries, self.columns)
                with suppress(ViewscribeError):  # said where the call stands
                    found.setdefault(name, reader.read(call))
        return found

    def _filter(self, operation: QueryOperation) -> QueryOperation:
        if self.node.where is None:
            return operation
        columns = self.columns.without_aliases()
        reader = ExpressionReader(self.queries, columns)
        try:
            condition = require_boolean(reader.read(self.node.where), "WHERE")
            build.forbid(reader.met, "WHERE", aggregates="use HAVING", windows="use QUALIFY")
        except ViewscribeError as error:
            raise reader.located(error, self.node.where) from None
        return n.Filter.of(operation, condition)

    def read_hints(self, order: OrderReader) -> None:
        """Resolves the hints for the rows of the SELECT; columns they name need not be shown."""
        if self.node.distinct:
            order = OrderReader(self, order.columns.schema, order.shown, only_shown=True)
        for hint in reversed(self.node.hints):
            name = hint.name.upper()
            if name in n.JOIN_HINTS and not hint.parameters:
                self.hints.append((name, []))
            elif name in _PARTITIONING:
                self.hints.append((name, order.read_all(hint.parameters)))

    @property
    def hint_in_between(self) -> s.HintOf | None:
        """A hint for the rows, which hides the groups and windows below from ORDER BY in Spark."""
        of_rows = (
            hint
            for hint in self.node.hints
            if hint.name.upper() not in n.JOIN_HINTS or not hint.parameters
        )
        return next(of_rows, None)

    def _apply_hints(self, operation: QueryOperation) -> QueryOperation:
        """Applies the hints to what the SELECT makes: below its ORDER BY and LIMIT, as in Spark."""
        for name, parameters in self.hints:
            if name in n.JOIN_HINTS:
                operation = n.Hint.of(operation, name)
            else:
                operation = build.hint(operation, name, parameters)
        return operation

    # -- items -----------------------------------------------------------------------------------

    def _items_once(self) -> list[Item]:
        """The items; random values that others use are computed below, and once.

        So are sub-queries that are used beside a lambda, where Spark takes none.
        """
        try:
            items = self._items()
        except ViewscribeError as error:
            if not all(isinstance(each, SubqueryInFunctionError) for each in error.every):
                raise
            drawn = self._aliases_that(lambda each: holds(each, SubqueryExpression))
            if not drawn:
                raise
        else:
            drawn = self._aliases_that(lambda each: not is_deterministic(each))
            if not drawn:
                return items
        self.drawn = drawn
        self.columns.aliases = {}
        return self._items()

    def _aliases_that(self, matches: Callable[[ResolvedExpression], bool]) -> set[str]:
        """The aliases that other items use, of expressions that match."""
        known = self.columns.aliases or {}
        found = ((name, known.get(name)) for name in self.columns.used)
        return {name for name, each in found if each is not None and matches(each)}

    def _draw(self, item: Item) -> None:
        """Computes an item in a step below, so that all its users see the same value."""
        if references_of(item.expression).columns & self.places or self.reader.met.aggregates:
            raise self.queries.error(
                self.node,
                f"`{item.names[0] if item.names else ''}` is another value each time it is used",
                hint="compute it in a query of its own",
            )
        assert item.names is not None
        name, place = item.names[0], len(self.below.schema) + len(self.computed)
        self.places.add(place)
        self.computed.append(alias(item.expression, name))
        item.expression = FieldReference(place, name, item.expression.type)

    def _items(self) -> list[Item]:
        self.generated = self.below
        windows = {**self.query.windows, **self.node.windows}
        self.reader = ExpressionReader(self.queries, self.columns, windows)
        self.reader.shows_names = id(self.node) not in self.queries.unnamed
        found: list[Item] = []
        findings = Findings()
        for node in self.node.items:
            try:
                before = len(self.columns.uses)
                items = self._read_item(node)
                self.queries.count_columns(node, len(items))
                found += items
                for each in items:
                    each.node = node
                if set(self.columns.uses[before:]) - self.columns.generated:
                    items[0].is_lateral = True
                    items[0].aggregates = any(
                        is_aggregate(self.reader, each) for each in calls_in(node)
                    )
                if type(node) is not s.StarOf:
                    self._note_item(node, items[0])
            except ViewscribeError as error:
                findings.errors.append(self.reader.located(error, node))
                if type(node) is s.Aliased:
                    self.columns.failed.update(name.lower() for name in node.names)
        findings.raise_all()
        return found

    def _note_item(self, node: Any, item: Item) -> None:
        """Records the names of an item; a column under its own name is no alias."""
        if item.is_generator:
            # Refuses generators that Spark does not support in a SELECT item.
            if item.is_lateral:
                raise self.queries.error(
                    node,
                    "a generator uses the alias of another item",
                    "write out what it stands for",
                )
            if type(self.below) is not n.OneRow:
                refuse_around([item.expression], "what makes rows of a relation")
            before = len(self.generated.schema)
            self.generated = build.generate(self.generated, item.expression, item.names)
            item.made = self.generated.schema.references[before:]
            for column in item.made:
                self._note(column.name, column)
                self.columns.generated.add(column.name.lower())
        elif type(node) is s.Aliased or not (
            isinstance(item.expression, FieldReference | OuterReference)
            or (type(node) is s.Name and len(node.parts) == 1)
        ):
            assert item.names is not None
            if item.names[0].lower() in self.drawn and (
                not is_deterministic(item.expression) or holds(item.expression, SubqueryExpression)
            ):
                self._draw(item)
            if not _is_cast_of_alias(node, self.columns):
                self._note(item.names[0], item.expression)

    def _refuse_name_beside_generator(self, item: Item) -> None:
        """Refuses ``struct(a AS b)`` without a name: beside a generator, Spark drops some AS in it.

        So ``struct(a AS b)`` is called ``struct(a)`` there, and ``array(struct(a AS b))`` as ever.
        """
        if item.is_generator or item.is_aliased:
            return
        if any(type(each) is s.Aliased for call in calls_in(item.node) for each in call.args):
            raise self.queries.error(
                item.node,
                "a column without a name, in which AS stands, beside a generator: Spark names it "
                "otherwise there",
                "give it a name: … AS name",
            )

    def _note(self, name: str, expression: ResolvedExpression) -> None:
        """Records a lateral alias, which items further right may use."""
        assert self.columns.aliases is not None
        folded = name.lower()
        twice = folded in self.columns.aliases
        self.columns.aliases[folded] = None if twice else expression

    def _read_item(self, node: Any) -> list[Item]:
        inner = node.child if type(node) is s.Aliased else node
        if type(inner) is s.StarOf:
            if type(node) is s.Aliased:
                raise self.queries.error(node, "a star cannot have an alias")
            return [
                Item(strip_alias(each), (name_of(each),)) for each in self.reader.star_items(inner)
            ]
        expression = strip_alias(self.reader.read(inner))
        if isinstance(expression, Call) and expression.function.built_in_name in ONLY_TABLES:
            raise self.queries.error(
                node, "a VARIANT is exploded in FROM only", "use LATERAL variant_explode(…)"
            )
        if not build.is_generator(expression) and holds_generator(expression):
            raise self.queries.error(
                node, "a generator inside of an expression", "make its rows in a query of its own"
            )
        names: tuple[str, ...] | None
        if type(node) is s.Aliased:
            names = node.names
        elif build.is_generator(expression):
            names = None
        else:
            names = (output_name(self.reader, inner),)
        if names is not None and len(names) != 1 and not build.is_generator(expression):
            raise self.queries.error(node, f"{len(names)} names for one value")
        return [Item(expression, names, is_aliased=type(node) is s.Aliased)]

    # -- without groups --------------------------------------------------------------------------

    def _plain(self, operation: QueryOperation, items: list[Item]) -> QueryOperation:
        if self.computed:
            if any(item.is_generator for item in items):
                raise self.queries.error(
                    self.node, "a generator beside an alias that is computed first"
                )
            below = (*operation.schema.references, *self.computed)
            operation = n.Project.of(operation, below)
        if any(item.is_generator for item in items):
            for item in items:
                self._refuse_name_beside_generator(item)
            operation, items = self.generated, columns_of(items)
            self._see_generated()
        shown = [item.named for item in items]
        refuse_in_windows(shown)
        if not shown:
            raise self.queries.error(self.node, "a SELECT without columns", "name one at least")
        refuse_without_groups(self)
        order = OrderReader(self, self.schema_of(operation, items), shown)
        condition = self.qualified(order)
        keys = self.keys(order, len(shown))
        self.read_hints(order)
        columns = (*shown, *self.hidden_items())
        cut = self.query.limit is not None or self.query.offset is not None
        if (
            condition is None
            and (keys or cut)
            and not self._distributes()
            and not self.node.hints
            and not self._limits_what_is_around(operation, shown)
            and self._sorts(keys, columns)
        ):
            sort = keys_below(keys, columns, len(shown))
            if sort is not None:
                if sort:
                    operation = self.queries.sorted(self.query, operation, sort)
                operation = self.queries.limited(operation, self.query)
                return plainly(n.Project.of(operation, tuple(shown)), self._has_star())
        made: QueryOperation = n.Project.of(operation, columns)
        starred = self._has_star()
        if starred or self.node.distinct or not isinstance(self.node.source, Given):
            made = plainly(made, starred)
        return self.finished(made, len(shown), condition, keys)

    def _limits_what_is_around(
        self, operation: QueryOperation, shown: Sequence[ResolvedExpression]
    ) -> bool:
        """Whether a correlated query has a limit: Spark 4.3 takes other rows below its SELECT."""
        if self.queries.outer is None or (self.query.limit is None and self.query.offset is None):
            return False
        return refers_outside(n.Project.of(operation, tuple(shown)))

    def _sorts(self, keys: Sequence[SortOrder], columns: Sequence[ResolvedExpression]) -> bool:
        """Whether rows are sorted below the projection, since some sort keys are not selected.

        Our own texts have a query without a name of its own in FROM where this one says what could
        not be a part of it: the order, or else the columns.
        """
        shown = len(columns) - len(self.hidden)
        places = [key.child.index for key in keys if isinstance(key.child, FieldReference)]
        inner = [_renamed_place(columns[place]) for place in places if place < shown]
        renamed = {place for place in inner if place is not None}
        source = self.node.source
        if isinstance(source, s.Named) and is_unnamed(source):
            if not isinstance(source.child, s.Derived):
                return False
            plain = {each.index for each in columns[:shown] if isinstance(each, FieldReference)}
            if not renamed.isdisjoint(plain):
                return False  # below, a column that is shown under its own name is called by that
            if _makes_windows(source.child.query) and not any(map(_is_other, columns[:shown])):
                return bool(self.hidden)
            return _refuses_order(source.child.query, keys)
        return bool(self.hidden) and not renamed

    def _distinct(self, made: QueryOperation) -> QueryOperation:
        """Removes duplicate rows, and names the columns of an unnamed query.

        In our own texts the columns would have these names in that query if they had been first.
        """
        build.require_distinct(made.schema, "DISTINCT")
        source = self.node.source
        unnamed = isinstance(source, s.Named) and is_unnamed(source)
        if unnamed and isinstance(made, n.Project) and made.child is self.below:
            places = [
                inner.index
                for each in made.expressions
                if isinstance(inner := strip_alias(each), FieldReference)
            ]
            if len(places) == len(made.schema) and sorted(places) == [
                *range(len(self.below.schema))
            ]:
                return n.Project.of(n.Distinct.of(self.below), made.expressions)
        return n.Distinct.of(made)

    def _has_star(self) -> bool:
        return any(isinstance(item, s.StarOf) for item in self.node.items)

    def _distributes(self) -> bool:
        """Whether DISTINCT or a distribution works on the selected columns."""
        return bool(self.node.distinct or self.query.cluster or self.query.distribute)

    def schema_of(self, operation: QueryOperation, items: Sequence[Item]) -> Schema:
        """The columns that the items make, called by their tables where they are columns."""
        shown = [item.named for item in items]
        made = project_schema(operation.schema, tuple(shown))
        qualifiers: list[Qualifier] = []
        for item, each, own in zip(items, shown, made.qualifiers, strict=True):
            if item.is_aliased:
                qualifiers.append(())
                continue
            inner = strip_alias(each)
            is_column = isinstance(inner, FieldReference) and inner.index < len(self.columns.whole)
            same = is_column and name_of(each).lower() == inner.name.lower()  # type: ignore[attr-defined]
            qualifiers.append(self.columns.whole.qualifiers[inner.index] if same else own)  # type: ignore[attr-defined]
        return Schema(made.fields, qualifiers)

    def _see_generated(self) -> None:
        """Lets window functions in QUALIFY and ORDER BY see generated columns."""
        known = self.columns
        if len(known.schema) == len(known.whole):
            fields = self.generated.schema.fields
            more = len(fields) - len(known.whole)
            names = Schema(
                (*known.whole.fields, *fields[len(known.whole) :]),
                (*known.whole.qualifiers, *((),) * more),
            )
            self.columns = Columns(names, known.outer)
            self.reader = ExpressionReader(self.queries, self.columns, self.reader.windows)
            self.reader.shows_names = id(self.node) not in self.queries.unnamed

    # -- QUALIFY, DISTINCT, ORDER BY -------------------------------------------------------------

    def hide(self, expression: ResolvedExpression, shown: Sequence[str]) -> FieldReference:
        """Adds a hidden column, which the SELECT computes and does not output.

        Args:
            expression: what it is; a column keeps its name where nothing else has it.
            shown: the names of what is output.
        """
        if expression not in self.hidden:
            self.hidden.append(expression)
            self.hidden_names.append(self._name_hidden(expression, shown))
        place = self.hidden.index(expression)
        return FieldReference(len(shown) + place, self.hidden_names[place], expression.type)

    def _name_hidden(self, expression: ResolvedExpression, shown: Sequence[str]) -> str:
        taken = {name.lower() for name in (*shown, *self.hidden_names)}
        if isinstance(expression, FieldReference) and expression.name.lower() not in taken:
            return expression.name
        return f"key_{len(self.hidden)}"

    def hidden_items(self) -> list[ResolvedExpression]:
        return [
            alias(each, name) for each, name in zip(self.hidden, self.hidden_names, strict=True)
        ]

    def qualified(self, order: OrderReader) -> ResolvedExpression | None:
        if self.node.qualify is None:
            return None
        return read_qualify(self, order)

    def keys(self, order: OrderReader, width: int) -> list[SortOrder]:
        if not has_order(self.query):
            return []
        self._refuse_calls_beside_hint(order)
        if self.node.distinct:
            order = OrderReader(self, order.columns.schema, order.shown, only_shown=True)
        self.distribution = self._distribution(order)
        columns = order.columns.schema
        made = Shown(Schema(columns.fields[:width], columns.qualifiers[:width]))

        def read(key: s.SortKey) -> SortOrder:
            try:
                child = order.read(key.child)
                refuse_in_order(child)
                return resolve_sort(
                    dsl.SortExpression(child, key.descending, key.nulls_first), order.met
                )
            except ViewscribeError as error:
                raise order.located(error, key) from None

        return self.queries.sort_keys(self.query, made, read)  # type: ignore[arg-type]

    def _distribution(self, order: OrderReader) -> list[ResolvedExpression]:
        """What CLUSTER BY or DISTRIBUTE BY goes by; columns it names need not be shown."""
        written = self.query.cluster or self.query.distribute
        for call in calls_in(written):
            if call.over is not None or is_aggregate(self.reader, call):
                raise self.queries.error(
                    call,
                    "CLUSTER BY and DISTRIBUTE BY take no aggregate and no window",
                    hint="show it, and go by its alias",
                )
        for name in s.every(written, sub_queries=False):
            if order.is_set_number(name):
                raise self.queries.error(
                    name, "CLUSTER BY and DISTRIBUTE BY take no grouping__id that is not shown"
                )
        return order.read_all(written)

    def _refuse_calls_beside_hint(self, order: OrderReader) -> None:
        hint = self.hint_in_between
        keys = [key.child for key in (*self.query.order, *self.query.sort)]
        for call in calls_in(keys) if hint is not None else ():
            counts_sets = call.name[-1].lower() in ("grouping", "grouping_id")
            if call.over is not None or (is_aggregate(self.reader, call) and not counts_sets):
                assert hint is not None
                raise self.queries.error(
                    call,
                    f"ORDER BY an aggregate or a window beside the hint {hint.name}",
                    hint="show it, and sort by its alias",
                )

    def finished(
        self,
        made: QueryOperation,
        width: int,
        condition: ResolvedExpression | None,
        keys: Sequence[SortOrder],
    ) -> QueryOperation:
        if condition is not None:
            made = n.Filter.of(made, condition)
        if self.node.distinct:
            made = self._distinct(first_columns(made, width))
        made = self._apply_hints(made)
        if keys or self.query.cluster or self.query.distribute:
            made = self.queries.sorted(self.query, made, keys, self.distribution)
        return self.queries.limited(first_columns(made, width), self.query)


def _is_cast_of_alias(node: Any, columns: Columns) -> bool:
    """Whether an item is ``v::BIGINT`` of the alias ``v``, which keeps that name."""
    if type(node) is not s.CastTo or type(node.child) is not s.Name:
        return False
    return node.child.parts[-1].lower() in (columns.aliases or ())


def _renamed_place(column: ResolvedExpression) -> int | None:
    """Which input column is shown under another name; None if it is no such column."""
    if isinstance(column, Alias) and isinstance(column.child, FieldReference):
        return column.child.index
    return None


def _refuses_order(query: Any, keys: Sequence[SortOrder]) -> bool:
    """Whether ordering by the keys cannot become part of the query."""
    if not isinstance(query, s.QueryOf):
        return False
    if query.limit is not None or query.offset is not None:
        return True
    body = query.body
    if _makes_windows(query):
        return True
    computed = [key.child for key in keys if not isinstance(key.child, FieldReference)]
    if not computed:
        return False
    if isinstance(body, s.Combined):
        return True
    if not isinstance(body, s.SelectOf) or body.distinct:
        return isinstance(body, s.SelectOf)
    of_columns = any(references_of(each).columns for each in computed)
    return of_columns and any(call.over is not None for call in calls_in(body.items))


def _makes_windows(query: Any) -> bool:
    """Whether it makes a row for each window of time that one lies in."""
    body = query.body if isinstance(query, s.QueryOf) else None
    if not isinstance(body, s.SelectOf) or body.group is not None:
        return False
    return any(call.name[-1].lower() == "window" for call in calls_in(body.items))


def _is_other(column: ResolvedExpression) -> bool:
    """Whether an item is no column as it is, under its name or the one it had before a number."""
    if not isinstance(column, Alias):
        return not isinstance(column, FieldReference)
    inner = column.child
    if not isinstance(inner, FieldReference):
        return True
    return column.name != inner.name and not re.fullmatch(
        re.escape(column.name) + r"_\d+", inner.name
    )
