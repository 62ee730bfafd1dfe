"""Resolves parsed expressions to typed ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from viewscribe.errors import (
    DataTypeError,
    NotSerializableError,
    SqlSyntaxError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    AggregateCall,
    FrameBound,
    Literal,
    OuterReference,
    Over,
    ResolvedExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.nodes import Frame as WindowFrame
from viewscribe.expressions.properties import functions_of, references_of
from viewscribe.expressions.resolve import Scope as Met
from viewscribe.expressions.resolve import resolve_in
from viewscribe.expressions.resolve.scope import columns_of_table
from viewscribe.expressions.windows import WindowSpec
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import operation_call, plain_call, without_parentheses
from viewscribe.parser.checks import refuse_unlike_offsets
from viewscribe.parser.literals import computed
from viewscribe.parser.scopes import Columns, Variables, with_fields
from viewscribe.parser.tokens import show_place
from viewscribe.types import IntType, StructType
from viewscribe.types.identifiers import fold_name
from viewscribe.types.policy import session_type

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader


# Where ``*`` may stand, and what ``* EXCEPT (a, s.f)`` leaves: structs may lose fields, too.

Path = tuple[str, ...]


def refuse_stars(queries: QueryReader, written: object, where: str) -> None:
    """Refuses ``*`` for columns: outside of SELECT and WHERE, Spark takes ``count(*)`` alone.

    Args:
        queries: knows the text.
        written: what stands in a clause.
        where: how the clause is called.
    """
    if not written:
        return
    counted: set[int] = set()
    for each in s.every(written, sub_queries=False):
        if type(each) is s.Function and each.name[-1].lower() == "count" and not each.distinct:
            counted.update(map(id, each.args))
        elif type(each) is s.StarOf and id(each) not in counted:
            raise queries.error(each, f"`*` cannot stand in {where}", "name the columns")


def without(
    reader: ExpressionReader,
    items: Sequence[ResolvedExpression],
    node: s.StarOf,
    base: ResolvedExpression | None = None,
) -> list[ResolvedExpression]:
    """The items of a star without what its EXCEPT names.

    Args:
        reader: knows what names mean.
        items: what the star stands for.
        node: the star.
        base: the struct whose fields it stands for, in which the names are then looked up.
    """
    gone: list[list[Path]] = [[] for _ in items]
    columns = reader.columns
    # Spark takes every copy of a column away: here a name of several columns stays ambiguous.
    operation, columns.operation = columns.operation, None
    try:
        found = [_find(reader, items, node, parts, base) for parts in node.without]
    finally:
        columns.operation = operation
    for parts, (place, path) in zip(node.without, found, strict=True):
        if any(_overlap(path, other) for other in gone[place]):
            raise _error(reader, node, f"`{'.'.join(parts)}` is in EXCEPT twice")
        gone[place].append(path)
    return [
        alias(_without_fields(strip_alias(item), paths), item.name) if paths else item  # type: ignore[attr-defined]
        for item, paths in zip(items, gone, strict=True)
        if () not in paths
    ]


def _find(
    reader: ExpressionReader,
    items: Sequence[ResolvedExpression],
    node: s.StarOf,
    parts: Path,
    base: ResolvedExpression | None,
) -> tuple[int, Path]:
    """The item that a name belongs to, and the fields of it that the name goes on with."""

    known = [strip_alias(each) for each in items]
    if base is None and node.qualifier:  # first among the table's own columns
        own = _find_own(reader, known, node, parts)
        if own is not None:
            return own

    def read(names: Path) -> ResolvedExpression:
        if base is not None:
            return with_fields(base, names)
        return reader.read(s.Name(node.at, names))

    read(parts)  # which says what is wrong with a name that there is not
    for count in range(len(parts), 0, -1):
        if count < len(parts) and not (
            base is not None or reader.columns.find_here(parts[:count]) is not None
        ):
            break
        found = read(parts[:count])
        if found in known:
            return known.index(found), parts[count:]
    raise _error(reader, node, f"`{'.'.join(parts)}` is not among the columns of the star")


def _find_own(
    reader: ExpressionReader, known: Sequence[ResolvedExpression], node: s.StarOf, parts: Path
) -> tuple[int, Path] | None:
    """The item, and the fields of it, that a name means among the columns of one table."""
    for count in range(len(parts), 0, -1):
        try:
            found = reader.read(s.Name(node.at, (*node.qualifier, *parts[:count])))
        except ValidationError:
            continue
        if found in known:
            return known.index(found), parts[count:]
    return None


def _overlap(one: Path, other: Path) -> bool:
    """Whether the one is the other, or stands around it; in any case of letters."""
    pairs = zip(one, other, strict=False)
    return all(a.lower() == b.lower() for a, b in pairs)


def _error(reader: ExpressionReader, node: s.StarOf, message: str) -> SqlSyntaxError:
    return SqlSyntaxError(message, location=show_place(reader.queries.text, node.at))


def _without_fields(base: ResolvedExpression, paths: Iterable[Path]) -> ResolvedExpression:
    """A struct without fields, or without fields of its fields."""
    assert isinstance(base.type, StructType)
    folded = [tuple(name.lower() for name in path) for path in paths]
    args: list[ResolvedExpression] = []
    for field in base.type.fields:
        inside = [path[1:] for path in folded if path[0] == field.name.lower()]
        if () in inside:
            continue
        value = make_call(op.GET_FIELD, (base, literal(field.name)))
        args += [literal(field.name), _without_fields(value, inside) if inside else value]
    if not args:
        raise ValidationError(
            f"EXCEPT leaves no field of `{base.as_summary_string()}`", hint="name the whole struct"
        )
    return make_call(built_in("named_struct"), tuple(args))


_SIMPLE = frozenset(("+", "-", "*", "/", "%", "div", "&", "|", "^", "concat", "<<", ">>", ">>>"))


_LENGTHS = (int, float, Decimal, dt.timedelta)


_OF_SESSION = (("session",), ("system", "session"))
"""What Spark's variables may be called by."""


class ExpressionReader:
    """Resolves the expressions of one clause.

    Args:
        queries: resolves sub-queries and knows the text.
        columns: the columns in scope.
        windows: the named windows of the SELECT.
    """

    def __init__(
        self,
        queries: QueryReader,
        columns: Columns,
        windows: dict[str, s.WindowOf] | None = None,
    ) -> None:
        self.queries = queries
        self.columns = columns
        self.windows = windows or {}
        self.met = Met(columns.schema)
        self.variables = Variables()
        self._recalls = False
        self._queries: dict[int, QueryOperation] = {}
        self.shows_names = True  # of what nobody named: those of grouping keys are seen by nobody

    def read(self, node: object) -> ResolvedExpression:
        """Resolves a parsed expression.

        Raises:
            ViewscribeError: it cannot be resolved; carries line and column.
        """
        known = self.variables.recall(node) if self._recalls else None
        if known is not None:
            return known
        try:
            if type(node) is s.Operation and node.name in _SIMPLE:
                found = self._chain(node)
            else:
                found = _HANDLERS[type(node)](self, node)
        except ViewscribeError as error:
            raise self.variables.note(node, self.located(error, node)) from error.__cause__
        return self.variables.note(node, found)

    def read_again(self, node: object) -> ResolvedExpression:
        """Resolves what was resolved before, or a part of it: each part is only read once.

        It is for looking at: what an expression is of is noted where it is read.
        """
        before, self._recalls = self._recalls, True
        try:
            return self.read(node)
        finally:
            self._recalls = before

    def read_all(self, nodes: Iterable[Any]) -> list[ResolvedExpression]:
        """Resolves the expressions, in order."""
        return [self.read(node) for node in nodes]

    def located(self, error: ViewscribeError, node: Any) -> ViewscribeError:
        """Adds the position in the text to the error, unless it has one."""
        if not (error.location or "").startswith("line "):
            place = show_place(self.queries.text, node.at)
            error.location = place
        return error

    def _chain(self, node: s.Operation) -> ResolvedExpression:
        """Resolves a chain of binary operators of any length."""
        pending: list[s.Operation] = []
        inner: Any = node
        found: ResolvedExpression | None = None
        while type(inner) is s.Operation and inner.name in _SIMPLE and len(inner.args) == 2:
            if pending:
                found = self.variables.recall(inner) if self._recalls else self.whole(inner)
                if found is not None:
                    break
            pending.append(inner)
            inner = inner.args[0]
        if found is None:
            found = self.read(inner)
        for each in reversed(pending):
            try:
                found = operation_call(self, each, [found, self.read(each.args[1])])
            except ViewscribeError as error:
                raise self.located(error, each) from error.__cause__
            self.variables.note(each, found)
        return found

    def whole(self, node: object) -> ResolvedExpression | None:
        """What something written is as a whole, whatever it is made of; mostly nothing."""
        return None

    # -- columns ---------------------------------------------------------------------------------

    def name(self, node: s.Name) -> ResolvedExpression:
        variable = self.variables.find(node.parts)
        if variable is not None:
            return variable
        columns = self.columns
        found = columns.find_here(node.parts)
        if found is None and len(node.parts) == 1:
            found = without_parentheses(self, node.parts[0])
        if found is None:
            found = columns.find_beside(node.parts)
        if found is None:
            raise self._unknown(node.parts)
        return found

    def _unknown(self, parts: tuple[str, ...]) -> ViewscribeError:
        """The error of a name that means nothing, or what no view holds."""
        shown = ".".join(parts)
        if "_metadata" in (part.lower() for part in parts):
            return NotSerializableError(
                f"`{shown}` is of the files that Spark reads, and no column of their table",
                hint="read the files into a table that has it as a column",
            )
        error = self.columns.schema.unknown(shown)
        if tuple(map(fold_name, parts[:-1])) in _OF_SESSION:
            error.message = f"`{shown}` is a variable of the session, which no view can read"
            error.hint = f"write :{parts[-1]}, and give its value: args={{{parts[-1]!r}: …}}"
        elif not len(self.columns.schema) and self.columns.outer is None:
            error.hint = f"there is no FROM; for a value of the session write :{parts[-1]}"
        return error

    def star(self, node: s.StarOf) -> ResolvedExpression:
        raise SqlSyntaxError("`*` stands for columns, and not for one value")

    def star_items(self, node: s.StarOf) -> list[ResolvedExpression]:
        """Expands a star to its columns."""
        found = self._columns_of(node.qualifier)
        base: ResolvedExpression | None = None
        if not found and node.qualifier:
            first, aliases = node.qualifier[0], self.columns.aliases or ()
            if first.lower() in aliases and self.columns.find_here((first,)) is None:
                raise self.queries.error(node, f"`{first}` is the alias of an item, and no table")
            base = self.read(s.Name(node.at, node.qualifier))
            # Whether a struct is a window of time beside the star, which Spark does not find for
            # it.
            if not isinstance(base.type, StructType) or any(
                function.is_step for function in functions_of(base)
            ):
                raise SqlSyntaxError(
                    f"`{'.'.join(node.qualifier)}` is no table and no struct",
                    location=show_place(self.queries.text, node.at),
                )
            found = [
                alias(make_call(op.GET_FIELD, (base, literal(field.name))), field.name)
                for field in base.type.fields
            ]
        return without(self, found, node, base) if node.without else found

    def _columns_of(self, qualifier: tuple[str, ...]) -> list[ResolvedExpression]:
        """The columns of a table: keys that a join by names left out first, as Spark has them."""
        columns = self.columns
        shown = len(columns.schema)
        if not qualifier:
            return list(columns.schema.references)
        found = columns_of_table(qualifier, columns.whole)
        if found:
            return [*sorted(found, key=lambda each: each.index < shown)]
        outside = [] if columns.outer is None else columns_of_table(qualifier, columns.outer.schema)
        return [OuterReference(1, each.index, each.name, each.type) for each in outside]

    # -- values ----------------------------------------------------------------------------------

    def constant(self, node: s.Constant) -> ResolvedExpression:
        return node.value

    def cast(self, node: s.CastTo) -> ResolvedExpression:
        child = dsl.ValueExpression(self.read(node.child))
        try:
            type_ = session_type(node.type)
        except DataTypeError as error:  # which knows its place in the type alone
            text = self.queries.text
            error.location = show_place(text, text.find(node.type, node.at))
            raise
        return resolve_in(dsl.CastExpression(child, type_, node.lenient), self.met)

    def subscript(self, node: s.Subscript) -> ResolvedExpression:
        base, key = self.read(node.base), self.read(node.key)
        return resolve_in(dsl.ItemExpression(dsl.ValueExpression(base), key), self.met)

    def field_of(self, node: s.FieldOf) -> ResolvedExpression:
        return with_fields(self.read(node.base), (node.name,))

    def alias(self, node: s.Aliased) -> ResolvedExpression:
        return alias(self.read(node.child), node.names[0])

    def table_alone(self, node: s.TableOf) -> ResolvedExpression:
        raise SqlSyntaxError("a TABLE argument is for a function that stands in FROM")

    def lambda_alone(self, node: s.LambdaOf) -> ResolvedExpression:
        raise SqlSyntaxError("a lambda can only be an argument of a higher-order function")

    def operation(self, node: s.Operation) -> ResolvedExpression:
        operands: list[ResolvedExpression] = []
        for each in node.args:
            if type(each) is s.StarOf:
                operands += self.star_items(each)
            else:
                operands.append(self.read(each))
        return operation_call(self, node, operands)

    def call(self, node: s.Function) -> ResolvedExpression:
        before = len(self.columns.uses)
        found = plain_call(self, node)
        if isinstance(found, AggregateCall | Over) and len(self.columns.uses) > before:
            what = "a window" if isinstance(found, Over) else "an aggregate"
            raise SqlSyntaxError(
                f"{what} function uses the alias of another item",
                location=show_place(self.queries.text, node.at),
                hint="write out what the alias stands for",
            )
        if isinstance(found, AggregateCall) and self.columns.outer is not None:
            self._refuse_aggregate_around(node, found)
        return found

    def _refuse_aggregate_around(self, node: s.Function, call: AggregateCall) -> None:
        """Refuses an aggregate over the groups of the query around: ``HAVING EXISTS (…)``."""
        used = references_of(call)
        if used.outer and not used.columns:
            raise NotSerializableError(
                f"{call.function.name}() is of the groups of the query around, which is not read",
                location=show_place(self.queries.text, node.at),
                hint="group in a query of its own, and use its column: FROM (SELECT …, "
                f"{call.function.name}(…) AS x … GROUP BY …) WHERE EXISTS (… x …)",
            )

    def argument(self, node: Any) -> Any:
        """Returns a call's argument in the form that the resolution of calls expects."""
        kind = type(node)
        if kind is s.LambdaOf:
            return dsl.LambdaExpression(self._function(node), tuple(node.parameters))
        if kind is s.StarOf:
            return node
        return self.read(node)

    def _function(self, node: s.LambdaOf) -> Callable[..., Any]:
        around = self.variables
        if len({name.lower() for name in node.parameters}) < len(node.parameters):
            raise self.queries.error(node, "two parameters of a lambda have the same name")
        if any("." in name for name in node.parameters):
            raise self.queries.error(node, "Spark finds no parameter with a dot in its name")

        def body(*given: dsl.ValueExpression) -> Any:
            names = [name.lower() for name in node.parameters]
            before = self.variables
            values = dict(zip(names, (each.resolved for each in given), strict=True))
            self.variables = Variables({**around.known, **values})
            try:
                return dsl.ValueExpression(self.read(node.body))
            finally:
                self.variables = before

        return body

    def sort_key(self, node: s.SortKey) -> dsl.SortExpression:
        """Resolves a sort key."""
        return dsl.SortExpression(self.read(node.child), node.descending, node.nulls_first)

    # -- windows ---------------------------------------------------------------------------------

    def window(self, node: s.WindowOf) -> WindowSpec:
        """Resolves the window of an OVER clause."""
        if node.name is not None:
            known = self.windows.get(node.name)
            if known is None:
                raise SqlSyntaxError(
                    f"there is no window `{node.name}` in this SELECT",
                    location=show_place(self.queries.text, node.at),
                )
            return self.window(known)
        order = tuple(self.sort_key(key) for key in node.order)
        frame = self._frame(node, order)
        return WindowSpec(tuple(self.read_all(node.partition)), order, frame)

    def _frame(self, node: s.WindowOf, order: Sequence[dsl.SortExpression]) -> WindowFrame | None:
        if node.unit is None or node.start is None or node.end is None:
            return None
        start, end = (self._offset(each, node.unit) for each in (node.start, node.end))
        if node.unit == "RANGE" and len(order) == 1:
            try:
                refuse_unlike_offsets([start, end], order[0].child)
            except ViewscribeError as error:
                raise self.located(error, node.start) from None
        return WindowFrame(node.unit, _bound(node.start, start), _bound(node.end, end))

    def _offset(self, node: s.Bound, unit: str) -> Literal | None:
        if node.offset is None:
            return None
        offset = computed(self.read(node.offset))
        if not isinstance(offset, Literal) or not isinstance(offset.value, _LENGTHS):
            raise SqlSyntaxError(
                "how far a frame reaches is a constant, a number or an interval",
                location=show_place(self.queries.text, node.at),
            )
        if unit == "ROWS" and not isinstance(offset.type, IntType):
            raise SqlSyntaxError(
                f"how many ROWS a frame reaches is an INT, not {offset.type.ddl}",
                location=show_place(self.queries.text, node.at),
            )
        return offset

    # -- sub-queries -----------------------------------------------------------------------------

    def query_of(self, node: s.SubQuery) -> QueryOperation:
        """Resolves a sub-query, once."""
        known = self._queries.get(id(node))
        if known is None:
            known = self._queries[id(node)] = self.queries.inner(node.query, self.columns)
        return known

    def subquery(self, node: s.SubQuery) -> ResolvedExpression:
        operation = self.query_of(node)
        operands = tuple(self.read_all(node.operands))
        self.met.subqueries = True
        return resolve_in(dsl.QueryExpression(node.kind, _Query(operation), operands), self.met)


class _Query:
    """A sub-query, as the resolution of expressions takes one."""

    def __init__(self, operation: Any) -> None:
        self.operation = operation


def _read_call(reader: ExpressionReader, node: s.Function) -> ResolvedExpression:
    return reader.call(node)  # that of HAVING's reader, too, which says what is inside aggregates


_HANDLERS: dict[type, Callable[[ExpressionReader, Any], ResolvedExpression]] = {
    s.Name: ExpressionReader.name,
    s.Constant: ExpressionReader.constant,
    s.StarOf: ExpressionReader.star,
    s.Operation: ExpressionReader.operation,
    s.Function: _read_call,
    s.CastTo: ExpressionReader.cast,
    s.Subscript: ExpressionReader.subscript,
    s.FieldOf: ExpressionReader.field_of,
    s.Aliased: ExpressionReader.alias,
    s.LambdaOf: ExpressionReader.lambda_alone,
    s.TableOf: ExpressionReader.table_alone,
    s.SubQuery: ExpressionReader.subquery,
}


def _bound(node: s.Bound, offset: Literal | None) -> FrameBound:
    if offset is None:
        return FrameBound(node.kind)
    length: Any = offset.value
    zero = length - length
    if length == zero:
        return FrameBound("CURRENT ROW")
    if length < zero:
        turned = {"PRECEDING": "FOLLOWING", "FOLLOWING": "PRECEDING"}[node.kind]
        return FrameBound(turned, Literal(-length, offset.type))
    return FrameBound(node.kind, offset)
