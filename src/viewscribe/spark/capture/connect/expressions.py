"""Connect's expressions as expressions of the DSL: one handler for each kind of message."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import Expression as Message

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.dsl import (
    AliasExpression,
    Expression,
    ItemExpression,
    OverExpression,
    QueryExpression,
    SortExpression,
    StarExpression,
    ValueExpression,
    WindowSpec,
    user_call,
)
from viewscribe.expressions.resolve import resolve
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.calls import call_of, no_function
from viewscribe.spark.capture.connect.cutting import is_mark
from viewscribe.spark.capture.connect.fields import with_field, without_field
from viewscribe.spark.capture.connect.hidden import star_of
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.spark.capture.connect.refused import unknown_expression
from viewscribe.spark.capture.connect.scopes import Scope
from viewscribe.spark.capture.connect.spelling import Spelling
from viewscribe.spark.capture.connect.types import logical_type
from viewscribe.spark.capture.refusals import refusal, refused_because
from viewscribe.spark.capture.zones import SETTING
from viewscribe.types import LogicalType
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

_DEEP = 60
Handler = Callable[["Reader", Any, Any], Any]


class Query:
    """A sub-query, as the DSL takes one."""

    def __init__(self, operation: QueryOperation) -> None:
        self.operation = operation


class Reader:
    """Reads the expressions of one step.

    Args:
        walk: the walk over the plan, which knows the other DataFrames.
        scope: what names mean here.
        spelling: notes how Spark would call what has no name.
    """

    def __init__(self, walk: Walk, scope: Scope, spelling: Spelling | None = None) -> None:
        self.walk = walk
        self.scope = scope
        self.spelling = spelling or Spelling(scope.schema, lambda: self.setting(SETTING))
        self._variables: dict[str, Expression] = {}
        self._known: dict[int, Any] = {}
        self._pieces: dict[str, Any] = {}
        self._depth = 0

    def read(self, message: Message) -> Any:
        """The expression.

        Raises:
            CaptureError: what has no form in SQL; names the Python line.
        """
        if id(message) in self._known:
            return self._known[id(message)]
        if self._depth > _DEEP:
            return self._read_deep(message)
        kind = kind_of(message)
        handler = HANDLERS.get(kind)
        if handler is None:
            raise unknown_expression(self, kind, message)
        self._depth += 1
        try:
            return handler(self, getattr(message, kind), message)
        except CaptureError as error:
            located = _at(error, kind, message)
            if located is error:
                raise
            raise located from error
        except ViewscribeError as error:
            raise refused_because(kind, error, message.common.origin) from error
        finally:
            self._depth -= 1

    def read_all(self, messages: Iterable[Message]) -> list[Any]:
        """The expressions, in order."""
        return [self.read(message) for message in messages]

    def type_of(self, message: Message) -> LogicalType:
        """The type of an expression.

        Raises:
            ViewscribeError: it has none.
        """
        return resolve(self.read(message), self.scope.schema).type

    def _read_deep(self, root: Message) -> Any:
        """Reads a deep tree bottom-up in a loop; handlers find the children in ``_known``."""
        order = _postorder(root)  # holds the messages, whose ids are the keys
        depth, self._depth = self._depth, 0
        for message in order:
            self._known[id(message)] = self.read(message)
        found = self._known[id(root)]
        self._depth = depth
        return found

    def note_alias(self, name: str, expression: Any) -> None:
        """Notes a name that expressions further right may use."""
        child = expression.child if isinstance(expression, AliasExpression) else expression
        self.scope.aliases[name.lower()] = child

    # -- names -----------------------------------------------------------------------------------

    def attribute(self, message: Any, whole: Message) -> Expression:
        if message.is_metadata_column:
            raise CaptureError(
                f"the metadata column `{message.unparsed_identifier}` depends on the source",
                hint="read the source's _metadata with a view of your own",
            )
        if is_mark(message.unparsed_identifier):
            return self._piece(message.unparsed_identifier)
        of = self.walk.known(message.plan_id) if message.HasField("plan_id") else None
        found = self.scope.column(message.unparsed_identifier, of)
        return self.spelling.name(found, parse_name(message.unparsed_identifier)[-1])

    def _piece(self, mark: str) -> Expression:
        """What was cut off an expression too deep for its message; lower pieces come first."""
        if mark not in self._pieces:
            depth, self._depth = self._depth, 0
            for name, message in self.walk.program.pieces(mark):
                if name not in self._pieces:
                    self._pieces[name] = self.read(message)
            self._depth = depth
        found: Expression = self._pieces[mark]
        return found

    def star(self, message: Any, whole: Message) -> Any:
        if message.HasField("plan_id"):
            return self._columns_of(self.walk.known(message.plan_id))
        if not message.unparsed_target:
            return StarExpression()
        qualifier = tuple(parse_name(message.unparsed_target.removesuffix(".*")))
        found = star_of(self.scope, qualifier)
        return [ValueExpression(each) for each in found] or StarExpression(qualifier)

    def _columns_of(self, operation: QueryOperation | None) -> list[Expression]:
        if operation is None:
            raise CaptureError("the star is of a DataFrame that this one does not read")
        places = [self.scope.place_of(operation, at) for at in range(len(operation.schema))]
        return [ValueExpression(self.scope.schema.reference(place)) for place in places]

    def regex(self, message: Any, whole: Message) -> list[Expression]:
        try:
            pattern = re.compile(message.col_name.strip("`"), re.IGNORECASE)
        except re.error as error:
            raise CaptureError(
                f"the pattern {message.col_name} is not one of Python's: {error}",
                hint="name the columns",
            ) from error
        return [
            ValueExpression(reference)
            for reference in self.scope.schema.references
            if pattern.fullmatch(reference.name)
        ]

    def variable(self, message: Any, whole: Message) -> Expression:
        first, *fields = message.name_parts
        found = self._variables[first]
        for name in fields:
            found = ItemExpression(found, ValueExpression(_text(name)))
        return found

    # -- values and calls ------------------------------------------------------------------------

    def literal(self, message: Any, whole: Message) -> Expression:
        return ValueExpression(literal_of(message))

    def alias(self, message: Any, whole: Message) -> Expression:
        if len(message.name) != 1:
            return self.spelling.several(self.read(message.expr), tuple(message.name))
        return self.named(self.read(message.expr), message.name[0])

    def named(self, expression: Any, name: str) -> Expression:
        """The expression under a name."""
        if isinstance(expression, list | StarExpression):
            raise CaptureError("several columns cannot share an alias", hint="name each of them")
        made: Expression = expression.alias(name)
        return made

    def cast(self, message: Any, whole: Message) -> Expression:
        child = self.read(message.expr)
        if message.WhichOneof("cast_to_type") == "type_str":
            type_ = parse_type(message.type_str)
        else:
            type_ = logical_type(message.type)
        mode = message.eval_mode
        if mode == Message.Cast.EVAL_MODE_TRY:
            made: Expression = child.try_cast(type_)
        elif mode == Message.Cast.EVAL_MODE_UNSPECIFIED:
            made = child.cast(type_)
        else:
            raise CaptureError(
                "a cast with a mode of its own", hint="cast without one; settings decide"
            )
        return made

    def function(self, message: Any, whole: Message) -> Expression:
        return self.call(
            message.function_name, self.read_all(message.arguments), message.is_distinct
        )

    def call(self, name: str, args: list[Any], distinct: bool = False) -> Expression:
        """A call, noted under the name it was made by."""
        flat = [each for arg in args for each in (arg if isinstance(arg, list) else [arg])]
        user = None if distinct else self.user_call((name,), flat)
        if user is not None:
            return user
        made = call_of(name, flat, distinct=distinct)
        return self.spelling.call(made, name, flat, distinct)

    def call_function(self, message: Any, whole: Message) -> Expression:
        parts = parse_name(message.function_name)
        args = self.read_all(message.arguments)
        if len(parts) == 1:
            return self.call(parts[0], args)
        made = self.user_call(parts, args)
        if made is None:
            raise no_function(message.function_name)
        return made

    def user_call(self, parts: Sequence[str], args: list[Any]) -> Expression | None:
        """A call of a function of a catalog; None where no such function is known."""
        found = self.walk.sources.function(parts)
        if found is None:
            return None
        made = user_call(found, args, {})
        return self.spelling.call(made, ".".join(found.identifier.parts), args, False)

    def extract(self, message: Any, whole: Message) -> Expression:
        return ItemExpression(self.read(message.child), self.read(message.extraction))

    def update_fields(self, message: Any, whole: Message) -> Expression:
        base = self.read(message.struct_expression)
        path = parse_name(message.field_name)
        if not message.HasField("value_expression"):
            return without_field(base, path, self.scope.schema)
        return with_field(base, path, self.read(message.value_expression), self.scope.schema)

    def lambda_function(self, message: Any, whole: Message) -> Callable[..., Any]:
        names = ["_".join(argument.name_parts) for argument in message.arguments]

        around = self._variables

        def body(*given: Expression) -> Any:
            before = self._variables
            self._variables = {**around, **dict(zip(names, given, strict=True))}
            try:
                return self.read(message.function)
            finally:
                self._variables = before

        body.__signature__ = _signature(names)  # type: ignore[attr-defined]
        return body

    # -- order and windows -----------------------------------------------------------------------

    def sort_order(self, message: Any, whole: Message | None = None) -> SortExpression:
        """A sort key with its direction and the place of NULLs."""
        descending = message.direction == Message.SortOrder.SORT_DIRECTION_DESCENDING
        nulls_first = message.null_ordering == Message.SortOrder.SORT_NULLS_FIRST
        if message.null_ordering == Message.SortOrder.SORT_NULLS_UNSPECIFIED:
            nulls_first = not descending
        return SortExpression(self.read(message.child), descending, nulls_first)

    def window(self, message: Any, whole: Message) -> Expression:
        window = WindowSpec().partition_by(*self.read_all(message.partition_spec))
        window = window.order_by(*[self.sort_order(key) for key in message.order_spec])
        if message.HasField("frame_spec"):
            window = self._framed(window, message.frame_spec)
        return OverExpression(self.read(message.window_function), window)

    def _framed(self, window: WindowSpec, frame: Any) -> WindowSpec:
        start, end = self._bound(frame.lower), self._bound(frame.upper)
        if frame.frame_type == Message.Window.WindowFrame.FRAME_TYPE_ROW:
            return window.rows_between(start, end)
        return window.range_between(start, end)

    def _bound(self, bound: Any) -> Any:
        kind = bound.WhichOneof("boundary")
        if kind == "unbounded":
            return None
        if kind == "current_row":
            return 0
        literal = bound.value.literal
        plain = literal.WhichOneof("literal_type")
        if bound.value.WhichOneof("expr_type") == "literal" and plain in ("integer", "long"):
            return getattr(literal, plain)
        return self.read(bound.value)

    # -- SQL text --------------------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """The value of a Spark setting; None where it is Spark's default."""
        return self.walk.sources.setting(name)

    def text_query(self, text: str) -> Query:
        """A query that stands in the SQL text of an expression."""
        from viewscribe.spark.capture.connect.relations.texts import query_of

        return Query(query_of(self.walk, text, alone=True))

    # -- sub-queries -----------------------------------------------------------------------------

    def subquery(self, message: Any, whole: Message) -> Expression:
        kinds = type(message)
        kind = _QUERIES.get(message.subquery_type)
        if kind is None:
            name = kinds.SubqueryType.Name(message.subquery_type)
            raise CaptureError(
                f"a sub-query of the kind {name}", hint="join the other DataFrame instead"
            )
        query = Query(self.walk.inner(message.plan_id, self.scope))
        # Older versions of the protobuf have neither the kind nor the field.
        operands = tuple(self.read_all(message.in_subquery_values)) if kind == "in" else ()
        return QueryExpression(kind, query, operands)


_QUERIES = {1: "scalar", 2: "exists", 4: "in"}
"""Numbers of SubqueryType that are values; the third is an argument of a table function."""


def kind_of(message: Message) -> str:
    """Which kind of expression the message holds."""
    return message.WhichOneof("expr_type") or ""


def _text(name: str) -> Any:
    from viewscribe.expressions.literals import literal

    return literal(name)


def _signature(names: list[str]) -> inspect.Signature:
    """Parameters as the user called them: PySpark adds a number to each."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    plain = [re.sub(r"_\d+$", "", name) for name in names]
    if len(set(plain)) < len(plain):
        plain = names
    return inspect.Signature([inspect.Parameter(name, kind) for name in plain])


def _postorder(root: Message) -> list[Message]:
    """The messages below, children first; what stands in a lambda is read with the lambda."""
    order: list[Message] = []
    stack: list[tuple[Message, bool]] = [(root, False)]
    while stack:
        message, expanded = stack.pop()
        if expanded:
            order.append(message)
            continue
        stack.append((message, True))
        if kind_of(message) != "lambda_function":
            stack.extend((child, False) for child in _children(message))
    return order


def _children(message: Message) -> list[Message]:
    kind = kind_of(message)
    inner: Any = getattr(message, kind)
    if kind in ("unresolved_function", "call_function"):
        return list(inner.arguments)
    if kind in ("alias", "cast"):
        return [inner.expr]
    if kind == "unresolved_extract_value":
        return [inner.child]
    return []


def _at(error: CaptureError, kind: str, message: Message) -> CaptureError:
    """The error with the innermost expression that knows its Python line."""
    if error.location and ", at " in error.location:
        return error
    return refusal(
        error.location or kind,
        error.message,
        hint=error.hint,
        origin=message.common.origin,
        code=error.code,
    )


def _text_expression(reader: Reader, message: Any, whole: Message) -> Any:
    from viewscribe.spark.capture.sqltext.expressions import read_expression

    return read_expression(message.expression, reader)


HANDLERS: Mapping[str, Handler] = {
    "literal": Reader.literal,
    "unresolved_attribute": Reader.attribute,
    "unresolved_star": Reader.star,
    "unresolved_regex": Reader.regex,
    "unresolved_named_lambda_variable": Reader.variable,
    "unresolved_function": Reader.function,
    "call_function": Reader.call_function,
    "expression_string": _text_expression,
    "alias": Reader.alias,
    "cast": Reader.cast,
    "sort_order": Reader.sort_order,
    "lambda_function": Reader.lambda_function,
    "window": Reader.window,
    "unresolved_extract_value": Reader.extract,
    "update_fields": Reader.update_fields,
    "subquery_expression": Reader.subquery,
}
