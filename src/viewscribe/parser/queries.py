"""Resolves queries: WITH, set operations, ORDER BY and LIMIT over any body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

import msgspec

from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownColumnError,
    ViewscribeError,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import (
    FieldReference,
    OuterReference,
    ResolvedExpression,
    SortOrder,
    alias,
)
from viewscribe.expressions.properties import is_deterministic, outer_references
from viewscribe.expressions.resolve import Scope, resolve_sort
from viewscribe.expressions.schema import MOST_COLUMNS, Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import PlacedError, first_columns, refuse_in_order, refuse_twice
from viewscribe.parser.grammar import Reading
from viewscribe.parser.literals import count_of_rows
from viewscribe.parser.lookup import World
from viewscribe.parser.recursion import count_reads, is_recursive, recursion
from viewscribe.parser.scopes import (
    Columns,
    Findings,
    FollowingError,
    RelationNames,
    Source,
    is_made_up,
    name_combination,
    rename,
)
from viewscribe.parser.sources import SourceReader
from viewscribe.parser.tokens import show_place
from viewscribe.parser.values import ExpressionReader, refuse_stars
from viewscribe.types import Field, IntType


class _Cte(msgspec.Struct, eq=False):
    """What a CTE is; ``operation`` is None where it is wrong, ``depth`` that of its query.

    ``is_round`` says that it is the round before, in the step of a recursive query.
    """

    operation: QueryOperation | None
    depth: int
    is_read: bool = False
    is_round: bool = False


def _reference(free: str, fields: tuple[Field, ...], name: str) -> QueryOperation:
    """What reads a CTE of a free name by the one that it was given."""
    reference = n.CteReference.of(free, fields)
    return reference if free == name else n.SubqueryAlias.of(reference, name)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(2))


class QueryReader:
    """Resolves the queries of a text.

    Args:
        text: the text, for errors.
        reading: parameters, and the settings that affect parsing.
        world: looks up tables and functions.
    """

    def __init__(self, text: str, reading: Reading, world: World) -> None:
        self.text = text
        self.reading = reading
        self.world = world
        self.relation_names = RelationNames(text)
        self.outer: Columns | None = None
        self.shows_keys = False
        self.unnamed: set[int] = set()
        self._ctes: dict[str, _Cte] = {}
        self._depth = 0
        self._columns = 0
        self._drawn: set[str] = set()
        self._computed: frozenset[str] = frozenset()
        """The names, in lower case, of the CTEs around that stay CTEs."""

    # -- names -----------------------------------------------------------------------------------

    def named(self, parts: Sequence[str]) -> tuple[QueryOperation, bool]:
        """Returns the CTE, table or view of a name, and whether it is a CTE."""
        if len(parts) == 1:
            known = self._ctes.get(parts[0].lower())
            if known is not None:
                if known.operation is None:
                    raise FollowingError(f"the CTE `{parts[0]}` is wrong itself")
                known.is_read = True
                if known.is_round and self._depth > known.depth:
                    raise NotSerializableError(
                        f"the recursive query `{parts[0]}` reads itself in a query inside its own",
                        hint="Spark lets it read itself in FROM only: join it",
                    )
                return self._known_cte(parts[0], known.operation, known.depth), True
        return self.world.table(parts), False

    @contextmanager
    def within_recursion(self, name: str, fields: tuple[Field, ...]) -> Iterator[str]:
        """The step of a recursive query, which reads the round before by its name; gives the name
        that it has in the tree, where a CTE around may be called like it."""
        before, computed = self._ctes, self._computed
        free = self._free_name(name)
        round_ = _reference(free, fields, name)
        self._ctes = {**before, name.lower(): _Cte(round_, self._depth, is_round=True)}
        try:
            yield free
        finally:
            self._ctes, self._computed = before, computed

    def _free_name(self, name: str) -> str:
        """A name like this one that no CTE around has, which is taken from now on."""
        free = next(each for each in _numbered(name) if each.lower() not in self._computed)
        self._computed = self._computed | {free.lower()}
        return free

    def _known_cte(self, name: str, operation: QueryOperation, depth: int) -> QueryOperation:
        """Returns a CTE, with its outer references moved to the depth at which it is used."""
        if self._depth > depth and outer_references(operation):
            raise NotSerializableError(
                f"the CTE `{name}` uses a column around it, and is read in a query further in",
                hint="join it, or move it into the query that reads it",
            )
        if name.lower() in self._drawn:
            raise NotSerializableError(
                f"the CTE `{name}` has values that are others each time, and is read twice",
                hint="Spark computes it once: store it as a table",
            )
        if not is_deterministic(operation):
            self._drawn.add(name.lower())
        return operation

    def count_columns(self, node: Any, count: int) -> None:
        """Counts what a SELECT of the text shows.

        Raises:
            SqlSyntaxError: all of them show too much: a star of a star doubles it each time.
        """
        self._columns += count
        if self._columns > MOST_COLUMNS:
            raise self.error(
                node,
                f"the queries of the text show more than {MOST_COLUMNS:,} columns together",
                hint="select fewer of them, or make a view of a part",
            )

    def error(self, node: Any, message: str, hint: str | None = None) -> SqlSyntaxError:
        """Returns an error that points to a position in the text."""
        return SqlSyntaxError(message, location=show_place(self.text, node.at), hint=hint)

    # -- queries ---------------------------------------------------------------------------------

    def read(self, node: s.QueryOf) -> QueryOperation:
        """Resolves a query to an operation."""
        try:
            computed: dict[str, QueryOperation] = {}
            with self.with_ctes(node, computed):
                made = self._body(node)
            return self._with_computed(made, computed)
        except ViewscribeError as error:
            if not (error.location or "").startswith("line "):
                error.location = show_place(self.text, node.at)
            raise

    @contextmanager
    def with_ctes(
        self, node: s.QueryOf, computed: dict[str, QueryOperation] | None = None
    ) -> Iterator[None]:
        """Brings the CTEs of a query into scope, and reports all their errors.

        Args:
            node: the query.
            computed: takes the CTEs that the query is to be read with; without it they stand where
                they are read, which those of draws can be once.
        """
        if not node.ctes:
            yield
            return
        refuse_twice([each.name for each in node.ctes], "the CTE")
        before, findings, names = self._ctes, Findings(), self._computed
        self._refuse_conflicts(node.ctes)
        self._ctes = dict(before)
        try:
            for each in node.ctes:
                self._drawn.discard(each.name.lower())
                recursive = node.recursive and is_recursive(each)
                read = partial(recursion, self) if recursive else self._cte
                found = findings.attempt(partial(read, each))
                if (
                    found is not None
                    and computed is not None
                    and self._is_shared(node, each, found)
                ):
                    found = self._share(each.name, found, computed)
                self._ctes[each.name.lower()] = _Cte(found, self._depth)
            try:
                yield
                self._refuse_unread(node.ctes)
            except ViewscribeError as error:
                findings.errors.append(error)
        finally:
            self._ctes, self._computed = before, names
        findings.raise_all()

    def _is_shared(self, query: s.QueryOf, cte: s.Cte, operation: QueryOperation) -> bool:
        """Whether a CTE is read several times, and it shows how often Spark computes it."""
        if is_deterministic(operation) or outer_references(operation):
            return False
        return count_reads(query, cte.name) - count_reads(cte.query, cte.name) > 1

    def _share(
        self, name: str, operation: QueryOperation, computed: dict[str, QueryOperation]
    ) -> QueryOperation:
        """Notes a CTE under a name that none around it has, and returns what reads it."""
        name = self.relation_names.without_number(name)
        free = self._free_name(name)
        while isinstance(operation, n.SubqueryAlias):
            operation = operation.child
        computed[free] = operation
        return _reference(free, operation.schema.fields, name)

    def _with_computed(
        self, body: QueryOperation, computed: dict[str, QueryOperation]
    ) -> QueryOperation:
        """The query with the CTEs that stay CTEs, each before those that read it."""
        for name, definition in reversed(computed.items()):
            if outer_references(body):
                raise NotSerializableError(
                    f"the CTE `{name}` has values that are others each time, and stands in a query "
                    "that uses a column around it",
                    hint="write it at the beginning of the statement",
                )
            body = n.WithCte.of(definition, body, name)
        return body

    def _refuse_unread(self, ctes: Sequence[s.Cte]) -> None:
        """Refuses a CTE whose only effect is on the names that Spark makes of columns around."""
        for each in ctes:
            found = self._ctes[each.name.lower()]
            unread = None if found.is_read else found.operation
            if unread is not None and outer_references(unread):
                raise NotSerializableError(
                    f"nothing reads the CTE `{each.name}`, which uses a column around it",
                    location=show_place(self.text, each.at),
                    hint="remove it",
                )

    def _refuse_conflicts(self, ctes: Sequence[s.Cte]) -> None:
        """Refuses nested CTEs if a setting decides which of them a name means.

        EXCEPTION differs for names that are there twice alone; LEGACY hides those around, too.
        """
        policy = self.reading.cte_policy
        for each in ctes if policy != "CORRECTED" and self._ctes else ():
            if policy != "EXCEPTION" or each.name.lower() in self._ctes:
                raise NotSerializableError(
                    f"the CTE `{each.name}` stands within others, and would be read otherwise with "
                    f"spark.sql.legacy.ctePrecedencePolicy = {policy}",
                    location=show_place(self.text, each.at),
                    hint="put all CTEs at the beginning, or set it to CORRECTED",
                )

    def _cte(self, node: s.Cte) -> QueryOperation:
        if node.columns:
            self.hide_names(node.query)
        operation = self.read(node.query)
        if node.columns:
            if len(node.columns) != len(operation.schema):
                raise self.error(
                    node, f"{len(node.columns)} names for {len(operation.schema)} columns"
                )
            operation = rename(operation, node.columns)
        if is_made_up(node.name):
            return operation
        return n.SubqueryAlias.of(operation, self.relation_names.without_number(node.name))

    def _body(self, node: s.QueryOf) -> QueryOperation:
        body = node.body
        if type(body) is s.SelectOf:
            return self._select(body, node)
        operation, names = self.combination(body)
        return self.ended(operation, node, names)

    def _select(self, body: s.SelectOf, node: s.QueryOf) -> QueryOperation:
        from viewscribe.parser.select import read_select

        before = self.shows_keys
        self.shows_keys = before or (joins_by_names(body.source) and has_table_star(body.items))
        try:
            return read_select(self, body, node)
        except ViewscribeError as error:
            unknown = any(isinstance(each, UnknownColumnError) for each in error.every)
            if not unknown or self.shows_keys or not joins_by_names(body.source):
                raise
            self.shows_keys = True
            return read_select(self, body, node)
        finally:
            self.shows_keys = before

    def plain(self, body: object) -> QueryOperation:
        """Resolves a body without ORDER BY and LIMIT."""
        return self.combination(body)[0]

    def combination(self, body: Any) -> tuple[QueryOperation, Schema]:
        """Resolves a body without ORDER BY and LIMIT, and its columns.

        Columns of a set operation have the qualifiers of its first query."""
        chain = []
        while type(body) is s.Combined:  # a loop, since a chain of unions can be of any length
            chain.append(body)
            body = body.left
        if not chain:
            operation = self._one(body)
            return operation, operation.schema
        for each in chain:
            self.hide_names(each.right)
        findings = Findings()
        parts = [body, *(each.right for each in reversed(chain))]
        read = [findings.attempt(partial(self._one, part)) for part in parts]
        findings.raise_all()
        found, *others = (each for each in read if each is not None)
        names = found.schema
        for each, right in zip(reversed(chain), others, strict=True):
            found = self.combined(each, found, right)
            names = name_combination(names, found)
        return found, names

    def combined(
        self, node: s.Combined, left: QueryOperation, right: QueryOperation
    ) -> QueryOperation:
        """Builds a set operation of two queries."""
        try:
            return build.set_operation(left, right, n.SetKind[node.kind], node.all)
        except ViewscribeError as error:
            error.location = show_place(self.text, node.at)
            raise

    def _one(self, body: Any) -> QueryOperation:
        if type(body) is s.QueryOf:
            return self.read(body)
        if type(body) is s.SelectOf:
            return self._select(body, s.QueryOf(body.at, body))
        if type(body) is s.Combined:
            return self.plain(body)
        if type(body) is s.Piped:
            from viewscribe.parser.pipes import read_pipe

            return read_pipe(self, body)
        return SourceReader(self).read(body).operation

    # -- sub-queries -----------------------------------------------------------------------------

    def inner(self, node: s.QueryOf, around: Columns) -> QueryOperation:
        """Resolves a sub-query in an expression, which may have outer references."""
        before, self.outer = self.outer, around
        self._depth += 1
        self.hide_names(node)
        try:
            return self.read(node)
        finally:
            self.outer = before
            self._depth -= 1

    def lateral(self, node: object, around: Columns) -> Source:
        """Resolves a relation of a lateral join."""
        before, self.outer = self.outer, around
        self._depth += 1
        try:
            return SourceReader(self).read(node)
        finally:
            self.outer = before
            self._depth -= 1

    def hide_names(self, body: Any) -> None:
        """Notes that nobody sees how the columns of a query are called, so they may be anything."""
        bodies = [body]
        while bodies:
            body = bodies.pop()
            if type(body) is s.QueryOf:
                bodies.append(body.body)
            elif type(body) is s.Derived:
                bodies.append(body.query)
            elif type(body) is s.Combined:
                bodies += (body.left, body.right)
            else:
                self.unnamed.add(id(body))

    # -- order and limit -------------------------------------------------------------------------

    def ended(
        self, operation: QueryOperation, node: s.QueryOf, names: Schema | None = None
    ) -> QueryOperation:
        """Applies the query's ORDER BY and LIMIT, over its own columns."""
        if has_order(node):
            refuse_stars(self, (*node.order, *node.sort), "ORDER BY")
            columns = Columns(names or operation.schema, self.outer, operation=operation)
            reader = ExpressionReader(self, columns, node.windows)
            keys = self.sort_keys(node, operation, lambda key: resolve_key(reader, key))
            distribution = reader.read_all(node.cluster or node.distribute)
            hint = "put it into a query around this one, and sort by its alias"
            build.forbid(reader.met, "ORDER BY without a SELECT", aggregates=hint, windows=hint)
            width = len(operation.schema)
            operation = first_columns(self.sorted(node, operation, keys, distribution), width)
        return self.limited(operation, node)

    def sort_keys(
        self,
        node: s.QueryOf,
        operation: QueryOperation,
        read: Callable[[s.SortKey], SortOrder],
    ) -> list[SortOrder]:
        """Resolves the keys of ORDER BY or SORT BY; a number is the position of a column."""
        if node.order_all is not None:
            key = node.order_all
            try:  # a column of that name takes precedence, unless it is an outer reference
                named = read(msgspec.structs.replace(key, child=s.Name(key.at, ("all",))))
                if not isinstance(named.child, OuterReference):
                    return [named]
            except (UnknownColumnError, PlacedError):
                pass
            return [self._by_column(key, each) for each in operation.schema.references]
        found = []
        for key in node.order or node.sort:
            place = place_of(key.child) if self.reading.order_places else None
            if place is None:
                found.append(read(key))
            elif 1 <= place <= len(operation.schema):
                found.append(self._by_column(key, operation.schema.reference(place - 1)))
            else:
                raise self.error(
                    key, f"there is no column {place}: the query has {len(operation.schema)}"
                )
        return found

    def _by_column(self, key: s.SortKey, column: FieldReference) -> SortOrder:
        """Returns a key that is a column, whose type must be orderable."""
        sorting = dsl.SortExpression(column, key.descending, key.nulls_first)
        try:
            return resolve_sort(sorting, Scope(Schema(())))
        except ViewscribeError as error:
            error.location = show_place(self.text, key.at)
            raise

    def sorted(
        self,
        node: s.QueryOf,
        operation: QueryOperation,
        keys: Sequence[SortOrder],
        distribution: Sequence[ResolvedExpression] = (),
    ) -> QueryOperation:
        """Sorts the operation; SORT BY does so within partitions.

        Args:
            node: the query.
            operation: what its SELECT makes.
            keys: those of ORDER BY or SORT BY.
            distribution: what CLUSTER BY or DISTRIBUTE BY goes by. What is computed for it becomes
                a column at the end.
        """
        if distribution:
            operation, columns = self._with_columns(operation, distribution)
            operation = build.hint(operation, "REPARTITION", columns)
            if node.cluster:
                made = tuple(SortOrder(each, False, True, each.type) for each in columns)
                return n.Sort.of(operation, made, True)
            if not keys:
                return operation
        return n.Sort.of(operation, tuple(keys), bool(node.sort))

    def _with_columns(
        self, operation: QueryOperation, expressions: Sequence[ResolvedExpression]
    ) -> tuple[QueryOperation, list[ResolvedExpression]]:
        """The operation with columns for what none of its columns is, and these columns."""
        width = len(operation.schema)
        computed = [each for each in expressions if not isinstance(each, FieldReference)]
        if not computed:
            return operation, list(expressions)
        added = [alias(each, f"key_{width + place}") for place, each in enumerate(computed, 1)]
        made = n.Project.of(operation, (*operation.schema.references, *added))
        references = iter(made.schema.references[width:])
        return made, [
            each if isinstance(each, FieldReference) else next(references) for each in expressions
        ]

    def limited(self, operation: QueryOperation, node: s.QueryOf) -> QueryOperation:
        """Applies LIMIT and OFFSET."""
        if node.limit_all and holds(operation, n.Recursion):
            raise NotSerializableError(
                "LIMIT ALL over a recursive query lifts Spark's limit on its rows: not kept",
                location=show_place(self.text, node.at),
                hint="set spark.sql.cteRecursionRowLimit where the view is read, and leave LIMIT "
                "ALL out",
            )
        if node.offset is not None:
            operation = build.offset(operation, self._count(node.offset))
        if node.limit is not None:
            operation = build.limit(operation, self._count(node.limit))
        return operation

    def _count(self, node: Any) -> int:
        found = ExpressionReader(self, Columns(Schema(()))).read(node)
        count = count_of_rows(found)
        if count is None:
            raise self.error(node, "a number of rows is a constant, and a whole number (INT)")
        return count


def resolve_key(reader: ExpressionReader, key: s.SortKey) -> SortOrder:
    """Resolves a sort key over the columns of a reader."""
    found = resolve_sort(reader.sort_key(key), reader.met)
    refuse_in_order(found.child)
    return found


def place_of(node: object) -> int | None:
    """Returns the column position that a sort or grouping key means; only an INT literal is one."""
    if type(node) is s.Constant and isinstance(node.value.type, IntType):
        value = node.value.value
        return value if isinstance(value, int) else None
    return None


def has_order(node: s.QueryOf) -> bool:
    """Whether a query has an order, global or within partitions."""
    return bool(
        node.order or node.sort or node.cluster or node.distribute or node.order_all is not None
    )


def joins_by_names(source: object) -> bool:
    """Whether a FROM has a join with USING or NATURAL."""
    stack = [source]
    while stack:
        node = stack.pop()
        if type(node) is s.Joined:
            if node.using or node.natural:
                return True
            stack += [node.left, node.right]
        elif isinstance(node, s.Named | s.LateralView | s.PivotOf | s.UnpivotOf):
            stack.append(node.child)
    return False


def has_table_star(written: object) -> bool:
    """Whether the syntax tree contains a ``t.*``."""
    return any(isinstance(node, s.StarOf) and node.qualifier for node in s.every(written))
