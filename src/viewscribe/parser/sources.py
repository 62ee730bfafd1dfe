"""Resolves FROM: each relation becomes an operation and the names of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from viewscribe.errors import AmbiguousColumnError, SqlSyntaxError, ViewscribeError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.asynchronous.options import gives_array_of_rows
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import built_in, find_built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, alias, make_call
from viewscribe.expressions.properties import is_deterministic
from viewscribe.expressions.resolve import cast_if_needed, require_boolean
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.attributes import attributes
from viewscribe.operations.base import QueryOperation, using_schema
from viewscribe.operations.build.process import TableArgument
from viewscribe.operations.build.sources import nearest_join
from viewscribe.operations.reach import is_path
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import (
    ONLY_TABLES,
    has_aggregate,
    has_window,
    refuse_around,
    refuse_in_join,
)
from viewscribe.parser.lookup import History
from viewscribe.parser.pivots import pivot, sample, unpivot
from viewscribe.parser.scopes import (
    Columns,
    Source,
    beside,
    calling_functions,
    drop_hidden_keys,
    hidden_last,
    is_unnamed,
    name_relation,
    rename,
    rename_join,
    see_columns,
    without_hidden_keys,
    without_names,
)
from viewscribe.parser.settings import CROSS_JOINS
from viewscribe.parser.tokens import show_place
from viewscribe.parser.values import ExpressionReader, refuse_stars
from viewscribe.types import ArrayType, Field, LogicalType, StructType
from viewscribe.types.coercion import common_type_of, stacked_type_of
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader


# Joins of two relations: on a condition, and by the names that both have.


def join(
    left: Source, right: Source, kind: n.JoinKind, condition: ResolvedExpression | None
) -> Source:
    """A join on a condition; an outer join without one is met by every pair."""
    if condition is not None and kind is n.JoinKind.CROSS:
        kind = n.JoinKind.INNER
    elif condition is None and kind not in (n.JoinKind.INNER, n.JoinKind.CROSS):
        condition = literal(True)
    operation = n.Join.of(left.operation, right.operation, kind, condition)
    return hidden_last(rename_join(operation, left, right, kind), left, right)


def shared_names(node: s.Joined, left: Source, right: Source) -> tuple[str, ...] | None:
    """The names that a join is by: those of USING, or all that both sides have."""
    if node.using:
        return node.using
    if not node.natural:
        return None
    on_right = Counter(_shown(right))
    shared = []
    for name in _shown(left):  # one that both have twice is a key twice, as in Spark
        if on_right[name] > 0:
            on_right[name] -= 1
            shared.append(name)
    return tuple(shared) or None


def _shown(side: Source) -> list[str]:
    return [name.lower() for name in side.names.names[: side.width]]


def _find_first(side: Source, name: str) -> int:
    """Where the column stands that Spark joins by: the first of its name that the side shows."""
    places = [place for place, each in enumerate(_shown(side)) if each == name.lower()]
    if not places:
        raise side.names.unknown(name)
    makers = {made[:2] for made in attributes(side.operation, places)}
    if len(makers) < len(places):
        raise AmbiguousColumnError(
            f"a join by `{name}`, which one side has twice: what is a copy Spark leaves out, too",
            hint="show it once, or join on a condition",
        )
    return places[0]


class NamedJoin(msgspec.Struct):
    """A join by names."""

    left: Source
    right: Source
    kind: n.JoinKind
    names: tuple[str, ...]


def joined_by_names(join: NamedJoin, *, show_keys: bool) -> Source:
    """A join by names; where keys are called by their tables, with those that it leaves out."""
    left, right, kind = join.left, join.right, join.kind
    if kind is n.JoinKind.CROSS:
        join.kind = kind = n.JoinKind.INNER
    whole = left.width == len(left.names) and right.width == len(right.names)
    shown = Counter((*_shown(left), *_shown(right)))
    several = any(shown[name.lower()] > 2 for name in join.names)
    if show_keys or several or not whole:
        return _with_keys(join)
    operation = build.join(left.operation, right.operation, kind, using=join.names)
    called = using_schema(left.names, right.names, kind, join.names)
    made = Schema(operation.schema.fields, called.qualifiers)
    return Source(operation, made, len(made))


def _with_keys(join: NamedJoin) -> Source:
    """A join by names that also has, at its end, the keys that it leaves out."""
    left, right, kind, names = join.left, join.right, join.kind, join.names
    both = beside(left, right)
    width = len(left.names)
    on_left = [_find_first(left, name) for name in names]
    on_right = [_find_first(right, name) + width for name in names]
    references = both.references
    pairs = [
        make_call(op.EQUALS, (references[a], references[b]))
        for a, b in zip(on_left, on_right, strict=True)
    ]
    condition: ResolvedExpression = pairs[0] if len(pairs) == 1 else make_call(op.AND, tuple(pairs))
    joined = n.Join.of(left.operation, right.operation, kind, condition)
    if not kind.keeps_right:
        return _keys_first(rename_join(joined, left, right, kind), on_left, left.width)
    schema = rename_join(joined, left, right, kind).names
    shown: list[tuple[ResolvedExpression, tuple[str, ...]]] = []
    hidden: list[int] = []
    for a, b in zip(on_left, on_right, strict=True):
        if kind is n.JoinKind.FULL:
            pair = (schema.reference(a), schema.reference(b))
            common = common_type_of([each.type for each in pair]) or pair[0].type
            call = make_call(
                built_in("coalesce"), tuple(cast_if_needed(each, common) for each in pair)
            )
            shown.append((alias(call, schema[a].name), ()))
            hidden += [a, b]
        else:
            kept, gone = (b, a) if kind is n.JoinKind.RIGHT else (a, b)
            shown.append((schema.reference(kept), schema.qualifiers[kept]))
            hidden.append(gone)
    hidden += [*range(left.width, width), *range(width + right.width, len(both))]
    keys = {*on_left, *on_right}
    every = [*range(left.width), *range(width, width + right.width)]
    rest = [place for place in every if place not in keys]
    shown += [(schema.reference(place), schema.qualifiers[place]) for place in rest]
    count = len(shown)
    shown += [(schema.reference(place), schema.qualifiers[place]) for place in hidden]
    operation = n.Project.of(joined, tuple(each for each, _ in shown))
    names_of = Schema(operation.schema.fields, [each for _, each in shown])
    return Source(operation, names_of, count)


def _keys_first(source: Source, keys: list[int], width: int) -> Source:
    """What is left of one side, with the keys before all other columns."""
    names = source.names
    rest = [place for place in range(len(names)) if place not in keys]
    columns = tuple(names.reference(place) for place in (*keys, *rest))
    operation = n.Project.of(source.operation, columns)
    qualifiers = [names.qualifiers[place] for place in (*keys, *rest)]
    return Source(operation, Schema(operation.schema.fields, qualifiers), width)


class SourceReader:
    """Resolves the relations of one FROM.

    Args:
        queries: resolves nested queries and tables.
        hints: the join hints of the SELECT, by relation.
    """

    handlers: ClassVar[dict[type, Callable[[SourceReader, Any], Source]]] = {}

    def __init__(self, queries: QueryReader, hints: dict[str, str] | None = None) -> None:
        self.queries = queries
        self.hints = hints or {}

    def read(self, node: object) -> Source:
        """Resolves a relation."""
        chain: list[tuple[Any, Callable[[Any, Source], Source]]] = []
        while isinstance(node, s.Joined | s.LateralView):  # of which a chain has any length
            if isinstance(node, s.Joined):
                chain.append((node, self._join))
                node = node.left
            else:
                chain.append((node, self._lateral_view))
                node = node.child
        found = Source.of(n.OneRow.of()) if node is None else self.read_one(node)
        for each, further in reversed(chain):
            found = self._locate(each, partial(further, each, found))
        return found

    def read_one(self, node: object) -> Source:
        """Resolves a relation that is not a join."""
        handler = self.handlers.get(type(node))
        if handler is None:
            raise self.error(node, "this relation is not read")
        return self._locate(node, lambda: handler(self, node))

    def _locate(self, node: Any, make: Callable[[], Source]) -> Source:
        try:
            return make()
        except ViewscribeError as error:
            if not (error.location or "").startswith("line "):
                error.location = show_place(self.queries.text, node.at)
            raise

    def error(self, node: Any, message: str, hint: str | None = None) -> SqlSyntaxError:
        """Returns an error that points to a position in the text."""
        return SqlSyntaxError(message, location=show_place(self.queries.text, node.at), hint=hint)

    def columns(self, source: Source) -> Columns:
        """Returns the columns of a relation, each of a name of its own.

        PIVOT and UNPIVOT take a column away, and Spark takes its copies away as well.
        """
        return Columns(source.names, self.queries.outer, width=source.width)

    # -- tables and queries ----------------------------------------------------------------------

    def table(self, node: s.TableName) -> Source:
        try:
            found, is_cte = self.queries.named(node.parts)
        except ViewscribeError as error:
            if len(node.parts) == 2 and is_path(*node.parts):
                raise self.error(
                    node,
                    f"{quote_name(node.parts)} is no table of a catalog, and what columns are at a "
                    "path, only Spark knows",
                    "give the DataFrame, spark.sql(…), or create a table over it",
                ) from error
            raise
        operation = self._apply_hints(found, node.parts[-1])
        return name_relation(operation, node.parts[-1]) if is_cte else Source.of(operation)

    def _apply_hints(self, operation: QueryOperation, name: str) -> QueryOperation:
        hint = self.hints.get(name.lower())
        return operation if hint is None else n.Hint.of(operation, hint)

    def travel(self, node: s.Travel) -> Source:
        found, world = self.table(node.child).operation, self.queries.world
        if type(found) is n.SqlText:  # of a path, which a world without sessions does not know
            path: Sequence[str] = node.child.parts
        elif type(found) is n.CatalogSource:
            path = found.path
        else:
            raise self.error(
                node,
                f"`{'.'.join(node.child.parts)}` is no table, which alone can be read as it was",
            )
        then = world.columns_then(path, node.as_of) if isinstance(world, History) else None
        fields = found.fields if then is None else then
        if type(found) is n.SqlText:
            return Source.of(n.SqlText.of(f"{found.text} {node.as_of}", fields))
        return Source.of(n.CatalogSource.of(tuple(path), fields, node.as_of))

    def derived(self, node: s.Derived) -> Source:
        return without_names(self.queries.read(node.query))

    def rows(self, node: s.Rows) -> Source:
        reader = ExpressionReader(self.queries, Columns(Schema(()), self.queries.outer))
        rows = [tuple(reader.read_all(row)) for row in node.rows]
        build.forbid(reader.met, "VALUES")
        if not all(is_deterministic(each) for row in rows for each in row):
            raise self.error(node, "VALUES takes values that are the same each time")
        refuse_around([each for row in rows for each in row], "VALUES")
        if len({len(row) for row in rows}) == 1:
            for place, column in enumerate(zip(*rows, strict=True), 1):
                if stacked_type_of([each.type for each in column]) is None:
                    shown = ", ".join(dict.fromkeys(each.type.ddl for each in column))
                    raise self.error(
                        node, f"column {place} of VALUES has no common type: {shown}", "cast them"
                    )
        return Source.of(build.values(rows))

    def named(self, node: s.Named) -> Source:
        if node.columns:
            self.queries.hide_names(node.child)
        child = self.read(node.child)
        operation = child.operation
        if node.columns:
            operation = self._rename(node, operation)
        if not node.name:
            return Source.of(operation)
        if is_unnamed(node):
            operation = self._apply_hints(drop_hidden_keys(operation, child), node.name)
            return name_relation(operation, node.name)
        own = self.queries.relation_names.without_number(node.name)
        found = n.SubqueryAlias.of(drop_hidden_keys(operation, child), own)
        return name_relation(self._apply_hints(found, node.name), node.name)

    def _rename(self, node: s.Named, operation: QueryOperation) -> QueryOperation:
        if len(node.columns) != len(operation.schema):
            raise self.error(
                node,
                f"{len(node.columns)} names for {len(operation.schema)} columns",
            )
        if type(operation) is n.Values:
            fields = [
                Field(name, field.type)
                for name, field in zip(node.columns, operation.fields, strict=True)
            ]
            return n.Values.of(operation.values, tuple(fields))
        if type(operation) is n.Generate and isinstance(operation.child, n.OneRow):
            return n.Generate.of(operation.child, operation.call, operation.outer, node.columns)
        return rename(operation, node.columns)

    def called(self, node: s.Called) -> Source:
        reader = ExpressionReader(self.queries, Columns(Schema(()), self.queries.outer))
        return self._called(node.call, None, reader)

    def _called(
        self,
        call: s.Function,
        left: Source | None,
        reader: ExpressionReader,
        outer: bool = False,
        alias: s.Named | None = None,
    ) -> Source:
        """Resolves a table-valued function; over ``left``, a generator for each of its rows."""
        if self._is_process(call):
            if alias is not None:
                raise self.error(alias, "LATERAL VIEW takes a generator, and this is a table")
            return Source.of(self._process(call, reader))
        made: Any = None
        function = self.queries.world.function(call.name)
        if function is None and left is None:
            made = self._table_function(call, reader)
        if made is not None:
            return Source.of(made)
        if function is not None and left is None:
            table = build.table_function(function, *_arguments(call, reader))
            return name_relation(table, call.name[-1])
        generator = reader.read(call)
        rows = gives_array_of_rows(generator)
        if not rows and not (isinstance(generator, Call) and build.is_generator(generator)):
            raise self.error(call, f"{call.name[-1]} does not make a table")
        if left is not None and type(left.operation) is not n.OneRow:
            refuse_around([generator], "what makes rows of a relation")
        if has_aggregate(generator) or has_window(generator):
            raise self.error(
                call,
                f"{call.name[-1]} is given an aggregate or a window function",
                "compute it in a query of its own first",
            )
        if left is None:
            return Source.of(build.generate(n.OneRow.of(), generator, outer=outer))
        named: Qualifier = () if function is None else (call.name[-1],)
        if alias is not None:
            named = (alias.name,) if alias.name else ()
            count = len(_made_columns(generator.type))
            if alias.columns and len(alias.columns) != count:
                raise self.error(alias, f"{len(alias.columns)} names for {count} columns")
        names = None if alias is None else alias.columns or None
        operation = build.generate(left.operation, generator, names, outer=outer)
        places = range(len(left.operation.schema), len(operation.schema))
        fields = [operation.schema[place] for place in places]
        shown = left.names.extended(fields, (named,) * len(fields))
        return hidden_last(Source(operation, shown, len(shown)), left)

    def _is_process(self, call: s.Function) -> bool:
        """Whether a process table function is called: with tables, or one that takes none."""
        if any(isinstance(_unname(each), s.TableOf) for each in call.args):
            return True
        function = self.queries.world.function(call.name)
        return function is not None and function.kind is FunctionKind.PROCESS_TABLE

    def _process(self, call: s.Function, reader: ExpressionReader) -> QueryOperation:
        """Resolves a process table function over ``TABLE(t) PARTITION BY a``, other arguments."""
        args = [
            self._table_argument(each, reader)
            for each in call.args
            if not isinstance(each, s.NamedArgument)
        ]
        named = {
            each.name: self._table_argument(each.value, reader)
            for each in call.args
            if isinstance(each, s.NamedArgument)
        }
        return self.queries.world.process(call.name, args, named)

    def _table_argument(self, node: Any, reader: ExpressionReader) -> Any:
        if not isinstance(node, s.TableOf):
            return reader.read(node)
        source = self.read(node.relation)
        inner = ExpressionReader(self.queries, Columns(source.names))
        partition = tuple(dsl.ValueExpression(inner.read(each)) for each in node.partition)
        order = tuple(inner.sort_key(each) for each in node.order)
        return TableArgument(source.operation, partition or None, order)

    def _table_function(self, call: s.Function, reader: ExpressionReader) -> Any:
        definition = find_built_in(call.name[-1])
        if definition is None or definition.kind is not FunctionKind.TABLE:
            return None
        return build.table_function(definition, *_arguments(call, reader))

    # -- joins -----------------------------------------------------------------------------------

    def _join(self, node: s.Joined, left: Source) -> Source:
        kind = n.JoinKind[node.kind]
        if node.lateral and not self._calls_process(node.right):
            return self._lateral(node, left, kind)
        right = self.read_one(node.right)
        names = shared_names(node, left, right)
        if names is not None:
            return joined_by_names(
                NamedJoin(left, right, kind, names), show_keys=self.queries.shows_keys
            )
        if node.nearest is not None:
            return self._nearest(node.nearest, left, right, kind)
        condition = None
        if node.condition is not None:
            refuse_stars(self.queries, node.condition, "ON")
            reader = ExpressionReader(
                self.queries, Columns(beside(left, right), self.queries.outer)
            )
            condition = require_boolean(reader.read(node.condition), "a join")
            build.forbid(reader.met, "a join condition")
            refuse_in_join(condition)
        return join(left, right, kind, condition)

    def _nearest(self, node: s.Nearest, left: Source, right: Source, kind: n.JoinKind) -> Source:
        """A join of each row with those that are nearest to it."""
        if not self.queries.reading.cross_joins:
            raise self.error(
                node,
                f"a join with the nearest rows looks at all pairs, and {CROSS_JOINS} is false",
                "set it to true",
            )
        both = beside(left, right)
        reader = ExpressionReader(self.queries, Columns(both, self.queries.outer))
        figure = reader.read(node.figure)
        build.forbid(reader.met, "the figure of a join")
        operation = nearest_join(
            left.operation,
            right.operation,
            kind,
            None,
            figure,
            descending=node.similar,
            count=node.count,
            forgetful=True,
        )
        return hidden_last(rename_join(operation, left, right, kind), left, right)

    def _calls_process(self, relation: Any) -> bool:
        """Whether it is a call whose arguments are constants, so that LATERAL says nothing."""
        inner = relation.child if type(relation) is s.Named else relation
        return type(inner) is s.Called and self._is_process(inner.call)

    def _lateral(self, node: s.Joined, left: Source, kind: n.JoinKind) -> Source:
        right = node.right
        if kind is n.JoinKind.CROSS and node.condition is None:
            kind = n.JoinKind.INNER
        if kind not in (n.JoinKind.INNER, n.JoinKind.LEFT):
            raise self.error(node, f"a {kind.name} JOIN cannot be LATERAL", "it is INNER or LEFT")
        inner = right.child if type(right) is s.Named else right
        if type(inner) is s.Called:
            asynchronous = self._gives_array_of_rows(inner.call)
            if node.condition is None and (asynchronous or kind is n.JoinKind.INNER):
                return self._lateral_call(right, inner, left, kind)
            if asynchronous:
                return self._asynchronous(node, inner, left, kind)
        inside = self.queries.lateral(right, see_columns(left, self.queries.outer))
        if not is_deterministic(inside.operation) and not _is_one_row(left.operation):
            raise self.error(
                node,
                "a LATERAL query is the same each time for the same row",
                "join a query without LATERAL, or add the column in a SELECT of its own",
            )
        inside, condition = without_hidden_keys(inside), None
        if node.condition is not None:
            both = beside(left, inside)
            reader = ExpressionReader(self.queries, Columns(both, self.queries.outer))
            condition = require_boolean(reader.read(node.condition), "a lateral join")
            refuse_in_join(condition)
        joined = build.join_laterally(left.operation, inside.operation, kind, condition)
        return hidden_last(rename_join(joined, left, inside, kind), left)

    def _lateral_call(self, right: Any, inner: s.Called, left: Source, kind: n.JoinKind) -> Source:
        seen = calling_functions(Columns(left.names, self.queries.outer, width=left.width))
        reader = ExpressionReader(self.queries, seen)
        outer = kind is n.JoinKind.LEFT
        alias = right if type(right) is s.Named else None
        return self._called(inner.call, left, reader, outer, alias)

    def _gives_array_of_rows(self, call: s.Function) -> bool:
        function = self.queries.world.function(call.name)
        return isinstance(function, UserFunction) and function.source.gives_array_of_rows

    def _asynchronous(
        self, node: s.Joined, inner: s.Called, left: Source, kind: n.JoinKind
    ) -> Source:
        """A join with an asynchronous table function ON a condition, which is tested after it."""
        made = self._lateral_call(node.right, inner, left, kind)
        reader = ExpressionReader(self.queries, Columns(made.names, self.queries.outer))
        condition = require_boolean(reader.read(node.condition), "a lateral join")
        build.forbid(reader.met, "a join condition")
        if isinstance(condition, Literal) and condition.value is True:
            return made
        if kind is not n.JoinKind.INNER:
            raise self.error(
                node,
                f"a {kind.name} JOIN with the asynchronous table function {inner.call.name[-1]} "
                "is ON TRUE, and has no other condition",
                "filter in a query around it, or let the function leave rows out",
            )
        return Source(n.Filter.of(made.operation, condition), made.names, made.width)

    def _lateral_view(self, node: s.LateralView, left: Source) -> Source:
        if node.call.name[-1].lower() in ONLY_TABLES:
            raise self.error(
                node, "a VARIANT is exploded in FROM only", "use LATERAL variant_explode(…)"
            )
        refuse_stars(self.queries, node.call, "LATERAL VIEW")
        reader = ExpressionReader(self.queries, self.columns(left))
        alias = s.Named(node.at, None, node.table, node.columns)
        return self._called(node.call, left, reader, node.outer, alias)

    def unread(self, node: s.Unread) -> Source:
        raise self.error(node, node.why, node.hint)

    def whole_query(self, node: s.QueryOf) -> Source:
        return without_names(self.queries.read(node))


def _made_columns(rows: LogicalType) -> Sequence[Field]:
    """The columns that a generator makes, or an array of rows."""
    made = rows.element if isinstance(rows, ArrayType) else rows
    assert isinstance(made, StructType)
    return made.fields


def _is_one_row(operation: QueryOperation) -> bool:
    """Whether the operation obviously returns exactly one row."""
    while isinstance(operation, n.SubqueryAlias | n.Project):
        operation = operation.child
    if isinstance(operation, n.Aggregate):
        return not operation.keys
    return isinstance(operation, n.OneRow) or (
        isinstance(operation, n.Values) and len(operation.values) == 1
    )


def _arguments(call: s.Function, reader: ExpressionReader) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by place, and those by name."""
    placed = [each for each in call.args if not isinstance(each, s.NamedArgument)]
    named = [each for each in call.args if isinstance(each, s.NamedArgument)]
    return reader.read_all(placed), {each.name: reader.read(each.value) for each in named}


def _unname(argument: Any) -> Any:
    return argument.value if isinstance(argument, s.NamedArgument) else argument


SourceReader.handlers |= {
    s.TableName: SourceReader.table,
    s.Travel: SourceReader.travel,
    s.Unread: SourceReader.unread,
    s.Derived: SourceReader.derived,
    s.Rows: SourceReader.rows,
    s.Named: SourceReader.named,
    s.Called: SourceReader.called,
    s.LateralView: SourceReader.read,
    s.Sampled: sample,
    s.PivotOf: pivot,
    s.UnpivotOf: unpivot,
    s.QueryOf: SourceReader.whole_query,
    s.Joined: SourceReader.read,
}
