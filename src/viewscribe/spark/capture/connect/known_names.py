"""How Spark calls a column that nobody named: ``(a + 1)``, ``sum(DISTINCT x)``, ``s.x``.

Later steps may use such a name, so it is worked out the way Spark's analyzer does it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from viewscribe.expressions import dsl
from viewscribe.expressions.auto_names import is_name_of_cast
from viewscribe.expressions.nodes import FieldReference, Literal
from viewscribe.expressions.schema import Schema
from viewscribe.spark.capture.connect.sql_expressions import TextExpression
from viewscribe.types import IntType
from viewscribe.types.zones import zone_of


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
        from viewscribe.spark.capture.connect.auto_names import spell

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
