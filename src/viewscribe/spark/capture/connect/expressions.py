"""Connect's expressions as expressions of the DSL: one handler for each kind of message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import Expression as Message

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.auto_names import literal_text
from viewscribe.expressions.dsl import (
    AliasExpression,
    Expression,
    ItemExpression,
    QueryExpression,
    StarExpression,
    ValueExpression,
    function_call,
    user_call,
)
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal, not_null
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import expand_star, resolve
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect import lambdas, missing_input, sort_orders
from viewscribe.spark.capture.connect.calls import call_of, no_function
from viewscribe.spark.capture.connect.exclusions import (
    classic_literal_of,
    literal_of,
    logical_type,
    python_call,
    unknown_expression,
)
from viewscribe.spark.capture.connect.known_names import Change, Spelling
from viewscribe.spark.capture.connect.scopes import Scope
from viewscribe.spark.capture.connect.sql_expressions import read_text
from viewscribe.spark.capture.lengths import refuse_lengths
from viewscribe.spark.capture.session_functions import refusal, refusal_because
from viewscribe.types import LogicalType, StructType
from viewscribe.types.identifiers import SETTING, parse_name
from viewscribe.types.policy import session_type

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


# Deep expressions in the order in which they can be read without recursion: children first.


def kind_of(message: Message) -> str:
    """Which kind of expression the message holds."""
    return message.WhichOneof("expr_type") or ""


def postorder(root: Message) -> list[Message]:
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


# ``withField`` and ``dropFields``: a struct made anew, for SQL changes no field in place.
#
# Changes that follow one another, ``s.withField(…).withField(…).dropFields(…)``, make one struct:
# each of its own would say all that is below it once for every field.

_PLACE = "update_fields"


class Struct:
    """A struct whose fields are changed.

    Args:
        base: the struct as it is.
        schema: the columns that it is over.
        nullable: whether it is a field of a struct that may be NULL, as it may be then to Spark.

    Raises:
        CaptureError: it is no struct, or has two fields of one name.
    """

    def __init__(self, base: object, schema: Schema, nullable: bool = False) -> None:
        resolved = resolve(base, schema)
        type_ = resolved.type
        if not isinstance(type_, StructType):
            raise CaptureError(f"{type_.ddl} has no fields", location=_PLACE)
        self._schema = schema
        self._nullable = nullable or type_.nullable
        self._known = ValueExpression(resolved)
        self._fields: list[tuple[str, Any]] = [
            (field.name, ItemExpression(self._known, literal(field.name))) for field in type_.fields
        ]
        if len({name.lower() for name, _ in self._fields}) < len(self._fields):
            raise CaptureError("the struct has two fields of one name", location=_PLACE)

    def put(self, path: Sequence[str], value: object) -> None:
        """Replaces a field, or adds it at the end.

        Raises:
            CaptureError: there is no struct of that name for it to be in.
        """
        name, *rest = path
        if rest:
            inner = self._inside(name)
            inner.put(rest, value)
            value = inner
        place = self._place(name)
        if place is None:
            self._fields.append((name, value))
        else:
            self._fields[place] = (name, value)

    def drop(self, path: Sequence[str]) -> None:
        """Leaves a field out; one that is not there is no mistake.

        Raises:
            CaptureError: no field would be left, or there is no struct of that name.
        """
        name, *rest = path
        place = self._place(name)
        if rest:
            inner = self._inside(name)
            inner.drop(rest)
            assert place is not None
            self._fields[place] = (name, inner)
        elif place is not None:
            if len(self._fields) == 1:
                raise CaptureError("dropFields() would leave no field", location=_PLACE)
            del self._fields[place]

    def _place(self, name: str) -> int | None:
        names = [known.lower() for known, _ in self._fields]
        return names.index(name.lower()) if name.lower() in names else None

    def _inside(self, name: str) -> Struct:
        place = self._place(name)
        if place is None:
            raise CaptureError(f"the struct has no field `{name}`", location=_PLACE)
        held = self._fields[place][1]
        return held if isinstance(held, Struct) else Struct(held, self._schema, self._nullable)

    def made(self) -> Expression:
        """The struct as it is now; NULL where it was NULL."""
        parts: list[Any] = []
        for name, held in self._fields:
            parts += [name, held.made() if isinstance(held, Struct) else held]
        made = function_call(built_in("named_struct"), parts)
        if not self._nullable:
            return made
        return function_call(built_in("if"), (self._known.is_null(), None, made))


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
        self.variables: dict[str, Expression] = {}
        self._known: dict[int, Any] = {}
        self._held: list[list[Message]] = []
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
            raise unknown_expression(kind, message)
        self._depth += 1
        try:
            return handler(self, getattr(message, kind), message)
        except CaptureError as error:
            located = _at(error, kind, message)
            if located is error:
                raise
            raise located from error
        except ViewscribeError as error:
            raise refusal_because(kind, error, message.common.origin) from error
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
        order = postorder(root)
        self._held.append(order)  # the messages must live as long as their ids are keys
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

    def piece(self, mark: str) -> Expression:
        """What was cut off an expression too deep for its message; lower pieces come first."""
        if mark not in self._pieces:
            depth, self._depth = self._depth, 0
            for name, message in self.walk.program.pieces(mark):
                if name not in self._pieces:
                    self._pieces[name] = self.read(message)
            self._depth = depth
        found: Expression = self._pieces[mark]
        return found

    # -- values and calls ------------------------------------------------------------------------

    def literal(self, message: object, whole: Message) -> Expression:
        read = classic_literal_of if self.walk.is_classic else literal_of
        value = read(message)
        made = ValueExpression(not_null(value))
        return made if made.resolved is value else self.spelling.show(made, literal_text(value))

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
            type_ = session_type(message.type_str)
        else:
            type_ = logical_type(message.type)
        refuse_lengths(type_, self.setting)
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
        args = self.read_all(message.arguments)
        if message.function_name == "count" and len(args) == 1 and isinstance(args[0], list):
            missing_input.forbid_star_of_table(message.arguments[0])
        return self.call(message.function_name, args, message.is_distinct)

    def call(self, name: str, args: list[Any], distinct: bool = False) -> Expression:
        """A call, noted under the name it was made by."""
        flat = [each for arg in args for each in self._spread(name, arg, distinct)]
        user = None if distinct else self.user_call((name,), flat)
        if user is not None:
            return user
        made = call_of(name, flat, distinct=distinct)
        return self.spelling.call(made, name, flat, distinct)

    def _spread(self, name: str, arg: Any, distinct: bool) -> list[Any]:
        """What an argument stands for; a star means no columns that a step left out."""
        if isinstance(arg, list):
            return arg
        counts_rows = name.lower() == "count" and not distinct
        if isinstance(arg, StarExpression) and self.scope.may_hide and not counts_rows:
            return [
                ValueExpression(each) for each in expand_star(arg, Resolution(self.scope.shown))
            ]
        return [arg]

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
        base, key = self.read(message.child), self.read(message.extraction)
        return ItemExpression(base, key)

    def update_fields(self, message: Any, whole: Message) -> Expression:
        changes = [message]
        while kind_of(changes[-1].struct_expression) == "update_fields":
            changes.append(changes[-1].struct_expression.update_fields)
        base = self.read(changes[-1].struct_expression)
        struct, made = Struct(base, self.scope.schema), []
        for change in reversed(changes):
            path = parse_name(change.field_name)
            value = None
            if change.HasField("value_expression"):
                value = self.read(change.value_expression)
                struct.put(path, value)
            else:
                struct.drop(path)
            made.append(Change(path, value))
        return self.spelling.change(struct.made(), base, made)

    # -- SQL text --------------------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """The value of a Spark setting; None where it is Spark's default."""
        return self.walk.sources.setting(name)

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
    return read_text(reader, message.expression)


HANDLERS: Mapping[str, Handler] = {
    **missing_input.HANDLERS,
    **lambdas.HANDLERS,
    **sort_orders.HANDLERS,
    "literal": Reader.literal,
    "unresolved_function": Reader.function,
    "call_function": Reader.call_function,
    "expression_string": _text_expression,
    "alias": Reader.alias,
    "cast": Reader.cast,
    "unresolved_extract_value": Reader.extract,
    "update_fields": Reader.update_fields,
    "subquery_expression": Reader.subquery,
    "common_inline_user_defined_function": python_call,
}
