"""How Spark calls a column that nobody named: ``(a + 1)``, ``sum(DISTINCT x)``, ``s.x``.

Later steps may use such a name, so it is worked out the way Spark's analyzer does it.
"""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from viewscribe.errors import CaptureError
from viewscribe.expressions import dsl, subquery_names
from viewscribe.expressions.auto_names import (
    call_text,
    is_name_of_cast,
    literal_text,
    runs_over_rows,
)
from viewscribe.expressions.functions.of_catalogs import SHOWN_AS_AGGREGATE, is_of_catalog
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    Frame,
    FrameBound,
    LambdaVariable,
    Literal,
    OuterReference,
)
from viewscribe.expressions.operator_names import Operand, cast_text, chars_call, operator_text
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.subquery_names import outer_names, subquery_text
from viewscribe.expressions.windows import WindowSpec
from viewscribe.spark.capture.connect.sql_expressions import TextExpression
from viewscribe.spark.capture.session_functions import SessionFunction
from viewscribe.types import VOID, ArrayType, IntType, LogicalType, MapType, StructType
from viewscribe.types.identifiers import quote_special, zone_of


class _Call(NamedTuple):
    name: str
    args: list[Any]
    distinct: bool


class Change(NamedTuple):
    """A field that ``withField`` gives another value, or ``dropFields`` leaves out.

    Args:
        path: the names of the structs around it and its own.
        value: what is put there; None where it is left out.
    """

    path: Sequence[str]
    value: Any


class _Changed(NamedTuple):
    base: Any
    changes: Sequence[Change]


class Spelling:
    """What was written, by the expression that was made of it.

    Args:
        schema: the columns the expressions are over.
        zone: tells the session's time zone, in which moments are shown.
    """

    def __init__(self, schema: Schema, zone: Callable[[], str | None]) -> None:
        self.schema = schema
        self._zone = zone
        self._names: dict[int, str] = {}
        self._shown: dict[int, str] = {}
        self._calls: dict[int, _Call] = {}
        self._several: dict[int, tuple[str, ...]] = {}
        self._changed: dict[int, _Changed] = {}
        self._kept: list[Any] = []

    def name(self, expression: dsl.Expression, name: str) -> dsl.Expression:
        """Notes the name a column was asked for by; its case may differ from the column's."""
        self._names[id(expression)] = name
        self._kept.append(expression)
        return expression

    def show(self, made: dsl.Expression, text: str) -> dsl.Expression:
        """Notes how what was written in SQL is shown in the names of columns."""
        self._shown[id(made)] = text
        self._kept.append(made)
        return made

    def known_text(self, expression: object) -> str | None:
        """How what was written in SQL is shown."""
        if isinstance(expression, TextExpression):
            return expression.shown
        return self._shown.get(id(expression))

    def call(
        self, made: dsl.Expression, name: str, args: list[Any], distinct: bool
    ) -> dsl.Expression:
        """Notes the name a function was called by."""
        self._calls[id(made)] = _Call(name, args, distinct)
        self._kept.append(made)
        return made

    def change(self, made: dsl.Expression, base: Any, changes: Sequence[Change]) -> dsl.Expression:
        """Notes which fields of a struct were changed."""
        self._changed[id(made)] = _Changed(base, changes)
        self._kept.append(made)
        return made

    def several(self, made: dsl.Expression, names: tuple[str, ...]) -> dsl.Expression:
        """Notes the names of the columns of a generator."""
        self._several[id(made)] = names
        self._kept.append(made)
        return made

    def names_of(self, expression: object) -> tuple[str, ...] | None:
        """The names that a generator's columns were given."""
        if isinstance(expression, dsl.AliasExpression):
            return (expression.alias_name,)
        return self._several.get(id(expression))

    def output_name(self, expression: Any) -> str:
        """The name of the column that an expression makes."""
        if isinstance(expression, dsl.AliasExpression):
            return expression.alias_name
        inner = expression
        while isinstance(inner, dsl.CastExpression) or self._is_cast(inner):
            inner = inner.child if isinstance(inner, dsl.CastExpression) else inner.args[0]
        if isinstance(inner, TextExpression):
            kept = inner.output_name if inner is expression else inner.column
            return kept or self.text(expression)
        name = self._names.get(id(inner))  # a cast does not change the name of a column
        return self.text(expression) if name is None else name

    def _is_cast(self, expression: Any) -> bool:
        """Whether it is a call such as ``int(x)``."""
        call = self._calls.get(id(expression))
        return (
            call is not None
            and is_name_of_cast(call.name)
            and isinstance(expression, dsl.CallExpression)
            and len(expression.args) == 1
        )

    def text(self, expression: object) -> str:
        """The expression as Spark's analyzer spells it."""

        return spell(expression, self)

    def zone(self) -> dt.tzinfo | None:
        """The session's time zone, in which moments are spelled."""
        return zone_of(self._zone())

    def known_name(self, expression: object) -> str | None:
        """The name a column was asked for by."""
        return self._names.get(id(expression))

    def known_changes(self, expression: object) -> _Changed | None:
        """The struct and the changes that the expression was made of."""
        return self._changed.get(id(expression))

    def known_call(self, expression: object) -> _Call | None:
        """The call that the expression was made of."""
        return self._calls.get(id(expression))


def is_column(expression: object) -> bool:
    """Whether the expression is a column as it is."""
    return isinstance(expression, dsl.ValueExpression) and isinstance(
        expression.resolved, FieldReference
    )


def literal_in(expression: object) -> Literal | None:
    """The literal that the expression is."""
    if isinstance(expression, Literal):
        return expression
    if isinstance(expression, dsl.ValueExpression) and isinstance(expression.resolved, Literal):
        return expression.resolved
    return None


def place_in(expression: object) -> int | None:
    """The place of a column that the expression is as a key of a sort or group.

    Only a literal of INT is one, in DataFrames as in SQL: ``2L``, ``1.5D`` and ``CAST(2 AS INT)``
    are constants.
    """
    value = literal_in(expression)
    return int(value.value) if value is not None and isinstance(value.type, IntType) else None


# The rules of Spark's names for unnamed columns.


def spell(expression: object, known: Spelling) -> str:
    """The expression as Spark's analyzer spells it when it needs a name."""
    text = known.known_text(expression)
    if text == "":
        raise _shown_by_class("the result of a catalog's own function")
    if text is not None:
        return text
    name = known.known_name(expression)
    if name is not None and not isinstance(expression, dsl.ItemExpression):
        return name
    changed = known.known_changes(expression)
    if changed is not None:
        texts = [_change(spell(changed.base, known), each, known) for each in changed.changes]
        return f"update_fields({', '.join((spell(changed.base, known), *texts))})"
    call = known.known_call(expression)
    if isinstance(expression, dsl.NamedCallExpression) and is_of_catalog(expression.function):
        if call is None or not _aggregates(expression, known):
            raise _shown_by_class(f"the result of {expression.function!r}")
        return _call(SHOWN_AS_AGGREGATE, call.args, call.distinct, known)
    if call is not None:
        if isinstance(getattr(expression, "function", None), SessionFunction):
            return f"{call.name}({', '.join(_all(call.args, known))})"
        return _call(call.name, call.args, call.distinct, known)
    handler = _HANDLERS.get(type(expression))
    if handler is not None:
        return handler(expression, known)
    return _lambda(expression, known) if callable(expression) else repr(expression)


def _change(struct: str, change: Change, known: Spelling) -> str:
    """A changed field; of a struct within it is the whole struct that is put there."""
    outer, *rest = change.path
    if rest:
        field = f"{struct}.{outer}"
        inner = _change(field, Change(rest, change.value), known)
        return f"WithField(update_fields({field}, {inner}))"
    return "dropfield()" if change.value is None else f"WithField({spell(change.value, known)})"


def _aggregates(expression: dsl.NamedCallExpression, known: Spelling) -> bool:
    """Whether it calls an aggregate, which a session tells by the types of the arguments."""
    return isinstance(resolve(expression, known.schema), AggregateCall)


def _shown_by_class(what: str) -> CaptureError:
    return CaptureError(
        f"Spark names {what} after the class that the catalog has it in",
        location="call",
        hint='give it a name: .alias("…")',
    )


def _lambda(function: Callable[..., Any], known: Spelling) -> str:
    count = len(inspect.signature(function).parameters)
    variables = [dsl.ValueExpression(LambdaVariable("x", VOID)) for _ in range(count)]
    names = ", ".join(["namedlambdavariable()"] * count)
    return f"lambdafunction({spell(function(*variables), known)}, {names})"


def _all(args: Sequence[Any], known: Spelling) -> list[str]:
    texts: list[str] = []
    for arg in args:
        if isinstance(arg, dsl.StarExpression) and not arg.qualifier:
            texts += known.schema.names
        else:
            texts.append(spell(arg, known))
    return texts


def _call(name: str, args: Sequence[Any], distinct: bool, known: Spelling) -> str:
    folded = name.lower()
    every = (
        folded == "count"
        and (len(args) == 1 and isinstance(args[0], dsl.StarExpression))
        and not distinct
    )
    texts = ["1"] if every else _all(args, known)
    if len(args) == len(texts):
        pairs = zip(args, texts, strict=True)
        typed = operator_text(folded, [_operand(each, text, known) for each, text in pairs])
        if typed is not None:
            return typed
    if folded in ("to_char", "to_varchar"):
        folded, texts = chars_call(folded, texts, _type(args[0], known))
    return call_text(folded, texts, distinct=distinct)


def _operand(expression: Any, text: str, known: Spelling) -> Operand:
    return Operand(text, lambda: _type(expression, known), literal_in(expression))


def _type(expression: Any, known: Spelling) -> LogicalType:
    return resolve(expression, known.schema).type


def _value(expression: dsl.ValueExpression, known: Spelling) -> str:
    resolved = expression.resolved
    if isinstance(resolved, FieldReference | OuterReference):
        return resolved.name
    if isinstance(resolved, LambdaVariable):
        return "namedlambdavariable()"
    if isinstance(resolved, Literal):
        return literal_text(resolved, known.zone())
    return resolved.as_summary_string()


def _alias(expression: dsl.AliasExpression, known: Spelling) -> str:
    return f"{spell(expression.child, known)} AS {quote_special(expression.alias_name)}"


def _cast(expression: dsl.CastExpression, known: Spelling) -> str:
    return cast_text(spell(expression.child, known), expression.target, lenient=expression.lenient)


def _item(expression: dsl.ItemExpression, known: Spelling) -> str:
    base = spell(expression.base, known)
    key = literal_in(expression.key)
    type_ = resolve(expression.base, known.schema).type
    if type_ == VOID and key is not None and isinstance(key.value, str):
        raise CaptureError(
            "Spark names a field of what a function is given otherwise than the value of a map, "
            "and here it is not known which it is",
            hint='give the column a name: .alias("…")',
        )
    inner = type_.element if isinstance(type_, ArrayType) else type_
    if key is not None and isinstance(key.value, str) and not isinstance(type_, MapType):
        return f"{base}.{key.value}" if isinstance(inner, StructType) else f"{base}[{key.value}]"
    return f"{base}[{spell(expression.key, known)}]"


def _key(key: dsl.SortExpression, known: Spelling) -> str:
    direction = "DESC" if key.descending else "ASC"
    nulls = "FIRST" if key.nulls_come_first else "LAST"
    return f"{spell(key.child, known)} {direction} NULLS {nulls}"


def _over(expression: dsl.OverExpression, known: Spelling) -> str:
    window = expression.window
    parts = []
    if window.partition_keys:
        parts.append(f"PARTITION BY {', '.join(_all(window.partition_keys, known))}")
    if window.order_keys:
        parts.append("ORDER BY " + ", ".join(_key(key, known) for key in window.order_keys))
    parts.append(_frame(expression, window, known))
    return f"{spell(expression.call, known)} OVER ({' '.join(parts)})"


def _frame(expression: dsl.OverExpression, window: WindowSpec, known: Spelling) -> str:
    call = known.known_call(expression.call)
    name = call.name.lower() if call else ""
    if name in ("lag", "lead") and call is not None:
        offset = literal_in(call.args[1]) if len(call.args) > 1 else None
        shift = offset.value if offset else 1
        shift = -shift if name == "lag" else shift
        return f"ROWS BETWEEN {shift} FOLLOWING AND {shift} FOLLOWING"
    if name == "cume_dist":
        return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    frame = window.frame
    if frame is None:
        by_rows = runs_over_rows(name)
        unit = "ROWS" if by_rows or not window.order_keys else "RANGE"
        end = "CURRENT ROW" if by_rows or window.order_keys else "UNBOUNDED FOLLOWING"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND {end}"
    return _bounds(frame, known)


def _bounds(frame: Frame, known: Spelling) -> str:
    start, end = (_spell_bound(each, known) for each in (frame.start, frame.end))
    return f"{frame.unit} BETWEEN {start} AND {end}"


def _spell_bound(bound: FrameBound, known: Spelling) -> str:
    if bound.offset is None:
        return bound.kind
    sign = "-" if bound.kind == "PRECEDING" else ""
    return f"{sign}{literal_text(bound.offset, known.zone())} FOLLOWING"


def _query(expression: dsl.QueryExpression, known: Spelling) -> str:
    operands = [_looked_for(each, known) for each in expression.operands]
    return subquery_text(expression.kind, outer_names(expression.query.operation), operands)


def _looked_for(expression: Any, known: Spelling) -> subquery_names.Operand:
    named = isinstance(expression, dsl.AliasExpression) or known.known_name(expression) is not None
    name = known.output_name(expression) if named else None
    return subquery_names.Operand(spell(expression, known), name, literal_in(expression))


_HANDLERS: dict[type, Callable[[Any, Spelling], str]] = {
    dsl.ValueExpression: _value,
    dsl.AliasExpression: _alias,
    dsl.CastExpression: _cast,
    dsl.ItemExpression: _item,
    dsl.OverExpression: _over,
    dsl.QueryExpression: _query,
    Literal: lambda literal, known: literal_text(literal, known.zone()),
}
