"""What Spark's analyzer refuses although every name and type in it fits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.errors import (
    NotSerializableError,
    TypeMismatchError,
    UnknownColumnError,
    ValidationError,
)
from viewscribe.expressions.auto_names import is_name_of_cast
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import IS_GENERATOR, find, find_marked, is_query, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Literal,
    OuterReference,
    Over,
    ResolvedExpression,
    ScalarSubquery,
    SubqueryExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import is_deterministic, references_of, refers_outside
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.types import (
    VOID,
    ArrayType,
    DateType,
    DayTimeIntervalType,
    LogicalType,
    MapType,
    StringType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.identifiers import quote_special
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.parser.select import Select
    from viewscribe.parser.values import ExpressionReader


# Where columns of the query around may be used: Spark decorrelates some places only.
#
# They may stand in WHERE, HAVING and the items of a SELECT without groups. Spark refuses them in
# grouping keys, aggregates, windows, sort keys, and in generators over a relation.

_HINT = "use it in WHERE, or in a query inside this one"


class PlacedError(ValidationError):
    """A column of the query around stands where Spark has none."""


def is_around(expression: ResolvedExpression) -> bool:
    """Whether an expression has a column of the query around its own."""
    return any(find(expression, OuterReference, skip=is_query))


def _column(expression: ResolvedExpression) -> str:
    return next(find(expression, OuterReference, skip=is_query)).name


def refuse_around(expressions: Iterable[ResolvedExpression], place: str) -> None:
    """Refuses columns of the query around in a place where Spark has none."""
    for each in expressions:
        if is_around(each):
            raise PlacedError(
                f"`{_column(each)}` of the query around cannot stand in {place}", hint=_HINT
            )


def refuse_in_aggregates(expression: ResolvedExpression) -> None:
    """Refuses columns of the query around inside of aggregates."""
    calls = find(expression, AggregateCall, skip=is_query)
    refuse_around(calls, "an aggregate function")


def refuse_in_windows(expressions: Iterable[ResolvedExpression]) -> None:
    """Refuses columns of the query around as keys of windows; what is computed may have them."""
    for expression in expressions:
        for node in find(expression, Over, skip=is_query):
            keys = [*node.partition_by, *(key.child for key in node.order_by)]
            alone = [key for key in keys if isinstance(key, OuterReference)]
            refuse_around(alone, "the window of a function")


def refuse_scalars_in_groups(
    items: Iterable[ResolvedExpression], keys: Collection[ResolvedExpression]
) -> None:
    """Refuses sub-queries of one value that use a column of groups, and are no key themselves."""
    for item in items:
        inner = strip_alias(item)
        if inner not in keys and any(each not in keys for each in scalars_around(inner)):
            raise ValidationError(
                "a sub-query that uses a column of the groups is neither a grouping key nor "
                "inside an aggregate function",
                hint="group in a query of its own, and use the sub-query over it",
            )


def refuse_in_join(condition: ResolvedExpression) -> None:
    """Refuses what Spark plans in no condition of a join."""
    if not is_deterministic(condition):
        raise ValidationError(
            "the condition of a join is the same each time",
            hint="compute what is by chance in a query of its own",
        )
    if scalars_around(condition):
        raise ValidationError(
            "a sub-query in the condition of a join uses a column around it",
            hint="compute it in a query of its own, and join that",
        )


def scalars_around(expression: ResolvedExpression) -> list[ScalarSubquery]:
    """The sub-queries of one value in it that use columns around them, not those of aggregates."""
    found = find(
        expression,
        ScalarSubquery,
        skip=lambda node: node.is_query or isinstance(node, AggregateCall),
    )
    return [node for node in found if refers_outside(node.query)]


# The items of a SELECT, and the columns that they make.


class Item:
    """An item of a SELECT list: what it is, and the name of its column.

    Args:
        expression: over the columns of the FROM.
        names: the name, or those of a generator's columns; none for the generator's own.
        made: the columns that a generator makes.
        is_lateral: whether it uses the aliases of items further left.
        aggregates: whether such an item was written with an aggregate of its own.
        node: what was written.
        is_aliased: whether it was given its name, be it that of the column which it is.
    """

    __slots__ = ("aggregates", "expression", "is_aliased", "is_lateral", "made", "names", "node")

    def __init__(
        self,
        expression: ResolvedExpression,
        names: tuple[str, ...] | None,
        *,
        is_aliased: bool = False,
    ) -> None:
        self.expression = expression
        self.names = names
        self.is_aliased = is_aliased
        self.node: Any = None
        self.made: tuple[FieldReference, ...] = ()
        self.is_lateral = False
        self.aggregates = False

    @property
    def named(self) -> ResolvedExpression:
        """The expression under its name."""
        assert self.names is not None
        return alias(self.expression, self.names[0])

    @property
    def is_generator(self) -> bool:
        """Whether it makes rows."""
        return build.is_generator(self.expression)


class Shown:
    """The columns that a SELECT shows, where only they are asked for."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema


def plainly(operation: QueryOperation, starred: bool) -> QueryOperation:
    """The operation as the Table API builds it.

    Where all columns of what is below are taken as they are, nothing is done to them; where others
    follow a ``*``, those are added.
    """
    if not isinstance(operation, n.Project):
        return operation
    below = operation.child.schema
    width = len(below)
    if not width or operation.expressions[:width] != below.references:
        return operation
    added = [each for each in operation.expressions[width:] if isinstance(each, Alias)]
    if len(added) < len(operation.expressions) - width or len(below.by_name) < width:
        return operation
    if not added:
        return operation.child
    if not starred:
        return operation
    fresh = {*(each.name.lower() for each in added), *below.by_name}
    if len(fresh) < len(added) + width:
        return operation
    return n.WithColumns.of(operation.child, tuple(added))


def without_tables(operation: QueryOperation, items: Sequence[Item]) -> QueryOperation:
    """The operation whose columns cannot be called by a table where items have an alias.

    ``SELECT s AS s, a AS a FROM s``: from here on, ``s.a`` is a field of the column ``s``.
    """
    schema = operation.schema
    places = [place for place, item in enumerate(items) if item.is_aliased]
    if not any(schema.qualifiers[place] for place in places):
        return operation
    qualifiers = list(schema.qualifiers)
    for place in places:
        qualifiers[place] = ()
    return msgspec.structs.replace(operation, schema=Schema(schema.fields, qualifiers))


def first_columns(operation: QueryOperation, width: int) -> QueryOperation:
    """The operation with its first columns only."""
    if len(operation.schema) == width:
        return operation
    return n.Project.of(operation, operation.schema.references[:width])


def name_of(expression: ResolvedExpression) -> str:
    """The name of a column, or the alias of an expression."""
    assert isinstance(expression, Alias | FieldReference | OuterReference)
    return expression.name


ONLY_TABLES = ("variant_explode", "variant_explode_outer")
"""Functions that stand in FROM alone."""


def refuse_nested(name: str, args: Iterable[Any], *, aggregate: bool) -> None:
    """Refuses generators among arguments, and aggregates among those of an aggregate."""
    for each in args:
        if not isinstance(each, ResolvedExpression):
            continue
        if build.is_generator(each):
            raise ValidationError(
                "a generator cannot be an argument of a call", hint="use LATERAL VIEW"
            )
        if not aggregate:
            continue
        if has_aggregate(each):
            raise ValidationError(
                f"{name}() is given an aggregate", hint="aggregate in a query of its own first"
            )
        if has_window(each):
            raise ValidationError(
                f"{name}() is given a window function",
                hint="compute it in a query of its own first",
            )
        if not is_deterministic(each):
            raise ValidationError(
                f"{name}() is given what is another value each time",
                hint="compute it in a query of its own first",
            )


def refuse_in_filter(condition: ResolvedExpression) -> None:
    """Refuses aggregates and windows in the FILTER of an aggregate."""
    for node in find(condition, AggregateCall, Over, skip=is_query):
        what = "a window function" if isinstance(node, Over) else "an aggregate function"
        raise ValidationError(
            f"{what} cannot stand in FILTER", hint="compute it in a query of its own first"
        )
    if not is_deterministic(condition):
        raise ValidationError("a FILTER takes a condition that is the same each time")


def refuse_in_order(key: ResolvedExpression) -> None:
    """Refuses generators and the sub-queries that Spark has no plan for in ORDER BY."""
    if build.is_generator(key):
        raise ValidationError("a generator cannot stand in ORDER BY", hint="use LATERAL VIEW")
    refuse_around([key], "ORDER BY")
    for node in find(key, SubqueryExpression, skip=is_query):
        if not isinstance(node, ScalarSubquery) or refers_outside(node.query):
            raise ValidationError(
                "ORDER BY takes sub-queries of one value, without columns around them",
                hint="make it an item of the SELECT, and sort by its alias",
            )


def refuse_unlike_offsets(offsets: Sequence[Literal | None], key: ResolvedExpression) -> None:
    """Refuses offsets of a RANGE frame as Spark does, which casts none to be added to a time."""
    types = [each.type for each in offsets if each is not None]
    if not isinstance(key.type, DateType | TimestampType | TimestampNtzType):
        return
    if len(types) == 2 and not types[0].same_type(types[1]):
        raise ValidationError(
            f"a RANGE frame reaches from {types[0].ddl} to {types[1].ddl}",
            hint="give both offsets in one type, as INTERVAL '1 00' DAY TO HOUR",
        )
    for each in types:
        if not isinstance(key.type, DateType) or not isinstance(each, DayTimeIntervalType):
            continue
        if (each.start, each.end) != ("DAY", "DAY"):
            raise ValidationError(
                f"an offset of {each.ddl} from a sort key of DATE",
                hint="give it in days: INTERVAL '1' DAY",
            )


def refuse_twice(names: Sequence[str], what: str) -> None:
    """Refuses names that are there already, in any case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ValidationError(f"{what} `{name}` is there twice")
        seen.add(name.lower())


def refuse_argument_order(args: Sequence[Any]) -> None:
    """Refuses arguments by position behind those by name, and names that are there twice."""
    named = [isinstance(each, s.NamedArgument) for each in args]
    if named != sorted(named):
        raise ValidationError("an argument by position stands behind one by name")
    refuse_twice([each.name for each in args if isinstance(each, s.NamedArgument)], "argument")


def has_window(expression: ResolvedExpression) -> bool:
    """Whether there is a window function in it."""
    return any(find(expression, Over, skip=is_query))


def holds_generator(expression: ResolvedExpression) -> bool:
    """Whether there is the call of a generator in it."""
    return any(find_marked(expression, IS_GENERATOR, skip=is_query))


def is_aggregated(expression: ResolvedExpression) -> bool:
    """Whether every column in it is inside an aggregate, which is over no window."""
    if has_window(expression):
        return False
    return not any(
        find(
            expression,
            FieldReference,
            skip=lambda node: node.is_query or isinstance(node, AggregateCall),
        )
    )


def has_aggregate(expression: ResolvedExpression) -> bool:
    """Whether there is an aggregate in it that is not over a window."""
    over = {id(node.call) for node in find(expression, Over, skip=is_query)}
    return any(id(node) not in over for node in find(expression, AggregateCall, skip=is_query))


# Generators among the items of a SELECT: they make rows of those below, one after another.


def columns_of(items: Sequence[Item]) -> list[Item]:
    """The items over the rows that the generators among them made."""
    found: list[Item] = []
    for item in items:
        if item.is_generator:
            found += [Item(column, (column.name,)) for column in item.made]
        else:
            found.append(item)
    return found


def arguments_of(item: Item) -> list[ResolvedExpression]:
    """What a generator makes rows of: its arguments that are no literals."""
    assert isinstance(item.expression, Call)
    return [each for each in item.expression.args if not isinstance(each, Literal)]


def keys_of(item: Item) -> list[ResolvedExpression]:
    """What an item is for GROUP BY ALL."""
    if item.is_generator:
        return [each for each in _parts_of(item) if not has_aggregate(each)]
    return [] if has_aggregate(item.expression) or _counts(item) else [item.named]


def _counts(item: Item) -> bool:
    """Whether it is an aggregate over a window, which is no key either."""
    own = preorder(item.expression, skip=lambda node: node.is_query)
    return any(
        isinstance(node, Over) and node.call.function.kind is FunctionKind.AGGREGATE for node in own
    )


def parts_of_groups(
    select: Select, operation: QueryOperation, items: Sequence[Item]
) -> list[ResolvedExpression]:
    """What is computed of each group: the items, and what the generator makes its rows of."""
    generators = [item for item in items if item.is_generator]
    if len(generators) > 1:
        raise select.queries.error(
            select.node,
            "beside aggregates and GROUP BY, a SELECT has one generator",
            hint="use LATERAL VIEW for each of the others, over a query that aggregates",
        )
    width = len(operation.schema)
    if any(max(references_of(item.expression).columns, default=0) >= width for item in items):
        raise select.queries.error(
            select.node, "what a generator makes of a group is no part of the group"
        )
    found: list[ResolvedExpression] = []
    for item in items:
        found += _parts_of(item) if item.is_generator else [item.named]
    return found


def _parts_of(item: Item) -> list[ResolvedExpression]:
    """What a generator makes rows of, under names: those of columns, or Spark's."""
    return [
        each if isinstance(each, FieldReference) else alias(each, f"_gen_input_{place}")
        for place, each in enumerate(arguments_of(item))
    ]


def generate_over(groups: QueryOperation, items: Sequence[Item]) -> n.Project:
    """The items over the groups that have their parts, in their order; then what else there is."""
    parts = iter(groups.schema.references)
    chosen: list[ResolvedExpression | None] = []
    made: QueryOperation = groups
    for item in items:
        if not item.is_generator:
            chosen.append(next(parts))
            continue
        call = item.expression
        assert isinstance(call, Call)
        args = tuple([each if isinstance(each, Literal) else next(parts) for each in call.args])
        made = build.generate(groups, make_call(call.function, args), item.names)
        chosen.append(None)
    generated = made.schema.references[len(groups.schema) :]
    shown: list[ResolvedExpression] = []
    for column in chosen:
        shown += generated if column is None else (column,)
    return n.Project.of(made, (*shown, *parts))


# What the names of all parts of an expression share: their dispatch, types, collations.

HANDLERS: dict[type, Callable[[Any, Any], str]] = {}
"""How each kind of what was written is spelled; the modules of this room that know it add to it."""


def spell(reader: ExpressionReader, node: object) -> str:
    """The expression as Spark's analyzer spells it when it needs a name."""
    return HANDLERS[type(node)](reader, node)


def star_texts(reader: ExpressionReader, node: s.StarOf) -> list[str]:
    """What a star stands for, as it is spelled: fields of a struct have names of their own."""
    return [_star_text(each) for each in reader.star_items(node)]


def _star_text(item: ResolvedExpression) -> str:
    path = _path_of_fields(strip_alias(item))
    named = name_of(item)
    return named if path is None else f"{path} AS {quote_special(named)}"


def _path_of_fields(expression: ResolvedExpression) -> str | None:
    """``st.a`` of the field of a column; None for what is none.

    A struct that is a field itself has its name behind it: ``st.g AS g.h``.
    """
    names: list[str] = []
    while isinstance(expression, Call) and expression.function is op.GET_FIELD:
        base, name = expression.args
        assert isinstance(name, Literal)
        names.append(str(name.value))
        expression = base
    if not names or not isinstance(expression, FieldReference):
        return None
    *around, last = reversed(names)
    path = ".".join((expression.name, *around))
    return f"{path} AS {quote_special(around[-1])}.{last}" if around else f"{path}.{last}"


def type_of(reader: ExpressionReader, node: object) -> LogicalType:
    """The type of a part."""
    try:
        return reader.read_again(node).type
    except (UnknownColumnError, TypeMismatchError, NotSerializableError):
        if not reader.variables.known:
            raise
        return VOID  # it was read with typed parameters before, and here these have no type


def texts_of(reader: ExpressionReader, nodes: Sequence[Any]) -> list[str]:
    """The parts as they are spelled; a string takes over the collation of those beside it."""
    texts = [spell(reader, each) for each in nodes]
    strings = [place for place, each in enumerate(nodes) if _is_string(each)]
    if not strings or len(strings) == len(nodes):
        return texts
    collation = _collation(reader, nodes)
    if collation is not None:
        for place in strings:
            texts[place] = f"'{texts[place]}' collate {collation}"
    return texts


def _is_string(node: Any) -> bool:
    if type(node) is not s.Constant or node.value.value is None:
        return False
    return isinstance(node.value.type, StringType)


def _collation(reader: ExpressionReader, nodes: Sequence[Any]) -> str | None:
    """The collation of the first part that has one of its own."""
    for each in nodes:
        if type(each) is s.Operation and each.name == "collate":
            found = type_of(reader, each)
            assert isinstance(found, StringType)
            return None if found.collation == DEFAULT_COLLATION else found.collation
    for each in nodes:
        if _is_string(each) or type(each) in (s.LambdaOf, s.StarOf):
            continue
        found = type_of(reader, each)
        if isinstance(found, ArrayType):
            found = found.element
        if isinstance(found, StringType) and found.collation != DEFAULT_COLLATION:
            return found.collation
    return None


def is_map(reader: ExpressionReader, node: object) -> bool:
    """Whether a part is a MAP."""
    return isinstance(type_of(reader, node), MapType)


def is_cast(node: object) -> bool:
    """Whether something written is a cast, or the call of a function that is one."""
    if type(node) is s.CastTo:
        return True
    return (
        type(node) is s.Function
        and len(node.name) == 1
        and is_name_of_cast(node.name[0])
        and len(node.args) == 1
    )
