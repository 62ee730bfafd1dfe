"""The tables that columns can still be called by, where Spark and the tree think otherwise.

``df.alias("d").union(other).select("d.a")``: columns keep the name of their table for as long as
Spark passes them on. With a struct column ``d`` it decides between a column and a field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from viewscribe.errors import CaptureError, UnknownColumnError
from viewscribe.expressions.dsl import (
    AliasExpression,
    CallExpression,
    ItemExpression,
    SortExpression,
    StarExpression,
    ValueExpression,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import IS_RANDOM, Node, find, is_query, marks_in, postorder
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    alias,
)
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import columns_of_table, resolve_in
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import summary_line
from viewscribe.spark.capture.connect.missing_input import is_unknown_column
from viewscribe.types import StructType

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


# Draws of a DataFrame that is used twice: a classic session makes up one seed for both uses.
#
# A server of Connect reads what it is sent at each place, and makes up a seed at each, as Spark
# does of a text. So a recording that stands for a classic session cannot say it.


def refuse_shared_draws(root: QueryOperation) -> None:
    """Refuses a step that draws without a seed and is used at several places.

    Raises:
        CaptureError: there is one.
    """
    if not marks_in(root) & IS_RANDOM:
        return
    uses = Counter({id(root): 1})
    for node in reversed([*postorder(root)]):
        if not isinstance(node, QueryOperation):
            continue
        for each in _queries_of(node):
            uses[id(each)] = min(2, uses[id(each)] + uses[id(node)])
        if uses[id(node)] > 1 and any(map(_draws, node.children())):
            raise CaptureError(
                "a DataFrame is used twice that SQL draws without a seed: a classic session draws "
                "once for both, and a text at each place",
                location=summary_line(node),
                hint="draw with a seed, rand(7), or save it as a table: df.write.saveAsTable(…)",
            )


def _queries_of(step: QueryOperation) -> Iterator[Node]:
    """What a step reads, each as often as it does, and the queries in its expressions."""
    for child in step.children():
        if child.is_query:
            yield child
        else:
            yield from (each.query for each in find(child, SubqueryExpression, skip=is_query))


def _draws(part: Node) -> bool:
    """Whether an expression calls a function of chance without its last argument, the seed."""
    calls = () if part.is_query else find(part, Call, skip=is_query)
    return any(
        each.function.marks & IS_RANDOM
        and each.function.built_in_name
        and len(each.args) < each.function.inference.most
        for each in calls
    )


Made = TypeVar("Made", bound=QueryOperation)


def with_qualifiers(made: Made, given: Iterable[Qualifier]) -> Made:
    """The operation whose first columns have these qualifiers, and whose others have none."""
    known = tuple(given)
    fields = made.schema.fields
    schema = Schema(fields, known + ((),) * (len(fields) - len(known)))
    return structs.replace(made, schema=schema)


def aliased_again(expression: ResolvedExpression, name: str) -> ResolvedExpression:
    """A column that was given a name, be it its own: no table is the column's any more."""
    if type(expression) is FieldReference:
        return Alias(expression, name, expression.type)
    return expression


# The items of a SELECT: each under a name; generators and windows of time as steps below.


class Item:
    """An expression and the name of the column that it makes.

    Args:
        expression: the expression.
        name: the name; a generator's columns have ``names``.
        names: the names of several columns.
    """

    __slots__ = ("expression", "name", "names")

    def __init__(self, expression: Any, name: str, names: tuple[str, ...] | None = None) -> None:
        self.expression = expression
        self.name = name
        self.names = names

    @classmethod
    def of(cls, reference: FieldReference) -> Item:
        """A column as it is."""
        return cls(ValueExpression(reference), reference.name)


def read_items(reader: Reader, messages: Iterable[Any]) -> list[Item]:
    """The items; later ones may use the names of those before them."""
    found: list[Item] = []
    for message in messages:
        for item in items_of(reader, reader.read(message)):
            found.append(item)
            if isinstance(item.expression, AliasExpression):
                reader.note_alias(item.name, item.expression)
    return found


def items_of(reader: Reader, read: object) -> list[Item]:
    """The items that an expression stands for: a star and a regex are several."""
    if isinstance(read, StarExpression):
        return _star(reader, read)
    if isinstance(read, list):
        return [item for each in read for item in items_of(reader, each)]
    if isinstance(read, SortExpression):
        raise CaptureError("a sort key cannot stand in a select", hint="use orderBy()")
    if _generator(read):
        return [Item(read, "", reader.spelling.names_of(read))]
    return [Item(read, reader.spelling.output_name(read))]


def _star(reader: Reader, star: StarExpression) -> list[Item]:
    """All columns that are shown, those of a table, or the fields of a struct."""
    schema = reader.scope.shown
    wanted = tuple(part.lower() for part in star.qualifier)
    owners = {tuple(part.lower() for part in each[-len(wanted) :]) for each in schema.qualifiers}
    if not wanted or wanted in owners:
        return [Item.of(reference) for reference in columns_of_table(star.qualifier, schema)]
    base = reader.scope.own_column(star.qualifier, None)
    type_ = resolve_in(base, Resolution(reader.scope.schema)).type
    if not isinstance(type_, StructType):
        raise CaptureError(f"`{'.'.join(star.qualifier)}` is no table and no struct")
    names = [field.name for field in type_.fields]
    return [Item(ItemExpression(base, literal(name)), name) for name in names]


def _generator(read: Any) -> bool:
    inner = read.child if isinstance(read, AliasExpression) else read
    return isinstance(inner, CallExpression) and inner.function.kind is FunctionKind.GENERATOR


def is_generator(item: Item) -> bool:
    """Whether the item makes rows."""
    return _generator(item.expression)


def add(child: QueryOperation, items: Sequence[Item]) -> QueryOperation:
    """The input's columns, with the items in the place of those of their names or at the end."""
    resolution = Resolution(child.schema)
    columns = [_resolve(item, resolution) for item in items]
    if resolution.aggregates:
        raise CaptureError("an aggregate function cannot stand in withColumn()")
    aliases = [
        each if type(each) is Alias else Alias(each, n.output_name(each), each.type)
        for each in columns
    ]
    return n.WithColumns.of(child, tuple(aliases))


def select(child: QueryOperation, items: Sequence[Item], reader: Reader) -> QueryOperation:
    """The columns that the items say.

    Args:
        child: the input.
        items: all columns of the output.
        reader: read the items.
    """
    generators = [item for item in items if is_generator(item)]
    if generators:
        return _generate(child, items, generators)
    resolution = Resolution(child.schema)
    expressions = [_resolve(item, resolution) for item in items]
    if not expressions:
        raise CaptureError("a select without columns", hint="a view has at least one")
    if resolution.aggregates:
        return aggregate_select(child, (), expressions)
    return n.Project.of(child, tuple(expressions))


def _resolve(item: Item, resolution: Resolution) -> ResolvedExpression:
    made = alias(resolve_in(item.expression, resolution), item.name)
    return aliased_again(made, item.name) if isinstance(item.expression, AliasExpression) else made


def _generate(
    child: QueryOperation, items: Sequence[Item], generators: Sequence[Item]
) -> QueryOperation:
    """The generator becomes a step of its own."""
    if len(generators) > 1:
        raise CaptureError("two generators in one select", hint="use a select of its own for each")
    (item,) = generators
    made = _with_rows_of(child, item)
    columns = made.schema.references[len(child.schema) :]
    resolution = Resolution(child.schema)
    chosen: list[ResolvedExpression] = []
    for each in items:
        if each is item:
            chosen += columns
        else:
            chosen.append(_resolve(each, resolution))
    if resolution.aggregates:
        raise CaptureError("a generator beside an aggregate", hint="aggregate first")
    return n.Project.of(made, tuple(chosen))


def _with_rows_of(child: QueryOperation, generator: Item) -> QueryOperation:
    inner = generator.expression
    if isinstance(inner, AliasExpression):
        inner = inner.child
    names = generator.names or ((generator.name,) if generator.name else None)
    return build.generate(child, inner, names)


def beside_generated(
    walk: Walk, child: QueryOperation, messages: Sequence[Any]
) -> QueryOperation | None:
    """A select whose items name columns that a generator among them makes.

    ``select("id", F.explode("tags").alias("tag"), F.upper("tag"))``: a column of the input that has
    the name comes first.

    Returns:
        None where there is no generator, or more than one.
    """
    found: list[tuple[int, Item]] = []
    reader = walk.reader(child)
    for place, message in enumerate(messages):
        try:
            read = items_of(reader, reader.read(message))
        except UnknownColumnError:
            continue
        except CaptureError as error:
            if not is_unknown_column(error):
                raise
            continue
        found += [(place, item) for item in read if is_generator(item)]
    if len(found) != 1:
        return None
    ((place, generator),) = found
    made = _with_rows_of(child, generator)
    width = len(child.schema)
    above = walk.reader(made, visible=[width])
    before = read_items(above, messages[:place])
    columns = [Item.of(reference) for reference in made.schema.references[width:]]
    after = read_items(above, messages[place + 1 :])
    chosen = select(made, [*before, *columns, *after], above)
    if not isinstance(chosen, n.Project):
        raise CaptureError("a generator beside an aggregate", hint="aggregate first")
    return chosen
