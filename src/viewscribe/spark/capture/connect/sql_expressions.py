"""SQL text as an expression of a plan: ``F.expr("a + 1")``, ``df.filter("a IN (SELECT …)")``.

Spark SQL is read by the parser room; names mean in it what they mean at that place of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import structs
from pyspark.sql.connect import proto

from viewscribe.errors import (
    CaptureError,
    SqlSyntaxError,
    UnknownColumnError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.nodes import FieldReference, Literal, OuterReference, ResolvedExpression
from viewscribe.expressions.resolve import Scope as Met
from viewscribe.expressions.resolve import resolve_in
from viewscribe.expressions.resolve.walk import HANDLERS
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import is_plain_column, output_name
from viewscribe.parser.calls import ShownByClassError, call_of
from viewscribe.parser.checks import is_cast, spell
from viewscribe.parser.grammar import PipeGrammar
from viewscribe.parser.queries import QueryReader
from viewscribe.parser.read import deeply
from viewscribe.parser.scopes import Columns, with_fields
from viewscribe.parser.values import ExpressionReader
from viewscribe.spark.capture.connect.missing_input import star_of
from viewscribe.spark.capture.lengths import refuse_lengths_in_text

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.scopes import Scope


# The protobuf of Spark Connect as captures know it: a plan that says more is refused.
#
# Vendors ship clients whose version is none of Spark's. Such a plan is read where it says nothing
# that a tested client could not say; ``known_messages.txt`` has the messages and fields of these,
# and a test compares it with the protobuf of the newest one.

_PREFIX = "spark.connect."


def refuse_unknown_fields(relations: Iterable[proto.Relation], version: str) -> None:
    """Refuses a plan that says what no tested client says.

    Args:
        relations: the messages of the plan.
        version: what the client calls itself.

    Raises:
        CaptureError: names the field.
    """
    stack: list[Any] = list(relations)
    while stack:
        message = stack.pop()
        name = message.DESCRIPTOR.full_name
        for field, value in message.ListFields():
            if name.startswith(_PREFIX) and field.name not in known_fields().get(name, ()):
                raise CaptureError(
                    f"the plan of Spark {version} says {name.removeprefix(_PREFIX)}.{field.name}, "
                    "which nobody here knows",
                    code="UntestedSparkError",
                    hint="capture with Spark 4.0 to 4.3",
                )
            if field.message_type is not None:
                stack += _messages(value)


def _messages(value: Any) -> list[Any]:
    if hasattr(value, "DESCRIPTOR"):
        return [value]
    items = list(value.values() if hasattr(value, "values") else value)
    return [each for each in items if hasattr(each, "DESCRIPTOR")]


@cache
def known_fields() -> dict[str, frozenset[str]]:
    """Returns the fields of each message, by its name."""
    lines = files(__package__).joinpath("known_messages.txt").read_text().splitlines()
    words = (line.split() for line in lines if line)
    return {f"{_PREFIX}{name}": frozenset(fields) for name, *fields in words}


def installed_fields() -> dict[str, frozenset[str]]:
    """Returns those of the installed client, as far as plans can hold them."""
    found: dict[str, frozenset[str]] = {}
    stack = [proto.Relation.DESCRIPTOR]
    while stack:
        message = stack.pop()
        if message.full_name not in found and message.full_name.startswith(_PREFIX):
            found[message.full_name] = frozenset(field.name for field in message.fields)
            stack += [each.message_type for each in message.fields if each.message_type is not None]
    return found


class TextExpression(dsl.Expression, eq=False):
    """What a text means at its place of a plan.

    Args:
        resolved: the expression.
        met: what was met while it was read: aggregates, windows, sub-queries.
        output_name: how the column is called that it makes.
        column: the column that it is below its casts; further casts keep its name.
        shown: how it is shown in the name of another column.
    """

    resolved: ResolvedExpression
    met: Met
    output_name: str = ""
    column: str | None = None
    shown: str = ""


class TextColumns(Columns):
    """The columns that names in a text can mean: those of one place of a plan.

    Args:
        scope: the place.
    """

    def __init__(self, scope: Scope) -> None:
        outer = None if scope.outer is None else TextColumns(scope.outer)
        super().__init__(scope.schema, outer, width=len(scope.shown))
        self.aliases = dict.fromkeys(scope.aliases)
        self.met = Met(scope.schema)
        self._scope = scope

    def find_here(self, parts: Sequence[str]) -> ResolvedExpression | None:
        """A column of the place, or what a group shows under that name."""
        output = self._scope.outputs.get(parts[0].lower())
        if output is not None:
            return with_fields(resolve_in(output, self.met), parts[1:])
        try:
            index, fields = self._scope.find_place(parts, None)
        except UnknownColumnError:
            return None
        field = self._scope.schema[index]
        return with_fields(FieldReference(index, field.name, field.type), fields)

    def find_beside(self, parts: Sequence[str]) -> ResolvedExpression | None:
        """What was named further left, or a column of a query around."""
        known = self._scope.aliases.get(parts[0].lower())
        if known is not None:
            return with_fields(resolve_in(known, self.met), parts[1:])
        return self.find_outside(parts)

    def find_from_inside(self, parts: Sequence[str]) -> ResolvedExpression | None:
        """A column of the place as a query inside sees it."""
        try:
            index, fields = self._scope.find_place(parts, None)
        except UnknownColumnError:
            return None
        asked = parts[len(parts) - len(fields) - 1]
        return with_fields(self._scope.schema.outer_reference(index, asked), fields)


def read_text(reader: Reader, text: str) -> Any:
    """The expression that a text is, an alias in it too; a list of them for a star.

    Raises:
        SqlSyntaxError, ValidationError: it means nothing here; both say the line and column.
    """
    refuse_lengths_in_text(text, reader.setting)
    reading = reader.walk.texts.reading()
    try:
        node = deeply(PipeGrammar(text, reading).lone_expression)
        queries = QueryReader(text, reading, reader.walk.world)
        return deeply(lambda: _Text(reader, queries).item(node))
    except ViewscribeError as error:
        error.hint = error.hint or "write it with functions of pyspark.sql.functions"
        raise


class _Text:
    """One text being read."""

    def __init__(self, reader: Reader, queries: QueryReader) -> None:
        self._plan = reader
        columns = TextColumns(reader.scope)
        self._reader = ExpressionReader(queries, columns)
        self._reader.met = columns.met

    def item(self, node: Any) -> Any:
        if type(node) is not s.Aliased:
            return self._star(node) if type(node) is s.StarOf else self._value(node)
        if type(node.child) is s.StarOf:
            raise SqlSyntaxError("a star has no alias", hint="name each of the columns")
        made = self._value(node.child)
        if len(node.names) == 1:
            return self._plan.named(made, node.names[0])
        return self._plan.spelling.several(made, node.names)

    def _star(self, node: s.StarOf) -> Any:
        if node.without:
            return [dsl.ValueExpression(each) for each in self._reader.star_items(node)]
        if not node.qualifier:
            return dsl.StarExpression()
        found = star_of(self._plan.scope, node.qualifier)
        return [dsl.ValueExpression(each) for each in found] or dsl.StarExpression(node.qualifier)

    def _value(self, node: Any) -> dsl.Expression:
        reader, spelling = self._reader, self._plan.spelling
        plain = type(node) is s.Function and node.over is None and node.name != ("",)
        if plain and not is_cast(node):
            return spelling.show(self._call(node), self._spell(node))
        resolved = reader.read(node)
        met = structs.replace(reader.met)  # names look at parts again
        shown = self._spell(node)
        if isinstance(resolved, Literal):
            return spelling.show(dsl.ValueExpression(resolved), shown)
        name = output_name(reader, node) if shown else ""
        if isinstance(resolved, FieldReference | OuterReference):
            return spelling.name(dsl.ValueExpression(resolved), name)
        column = self._column(node)
        return TextExpression(resolved, met, column or name, column, shown)

    def _spell(self, node: Any) -> str:
        """How it is shown; nothing where it calls a function that is shown by its class."""
        try:
            return spell(self._reader, node)
        except ShownByClassError:
            return ""

    def _column(self, node: Any) -> str | None:
        """The name of the column below any number of casts, which a DataFrame shows."""
        while type(node) is s.CastTo:
            node = node.child
        return str(node.parts[-1]) if is_plain_column(self._reader, node) else None

    def _call(self, node: s.Function) -> dsl.Expression:
        """A call as one, for generators, windows of time and ``over(…)`` look for it."""
        made = call_of(self._reader, node)
        met = structs.replace(self._reader.met)
        args = tuple(
            TextExpression(each, met) if isinstance(each, ResolvedExpression) else each
            for each in made.args
        )
        whole = (
            structs.replace(made, args=args)
            if (met.aggregates or met.windows or met.generators or met.subqueries)
            else made
        )
        self._plan.spelling.call(whole, node.name[-1], list(made.args), node.distinct)
        return whole


def _resolve(expression: TextExpression, scope: Met) -> ResolvedExpression:
    met = expression.met
    if scope.inside_aggregate and met.aggregates:
        raise ValidationError(
            "an aggregate function inside another one",
            hint="aggregate twice: groupBy(…).agg(…) and again on its result",
        )
    scope.aggregates |= met.aggregates
    scope.windows |= met.windows
    scope.generators |= met.generators
    scope.subqueries |= met.subqueries
    scope.python_aggregates |= met.python_aggregates
    return expression.resolved


HANDLERS[TextExpression] = _resolve
