"""Spark's names of what uses columns of a query around: ``outer(t.k)``, ``scalarsubquery(k)``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import Call, Literal, OuterReference, ResolvedExpression
from viewscribe.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    StringType,
    VoidType,
)
from viewscribe.types.identifiers import quote_special


def outer_text(expression: ResolvedExpression) -> str:
    """Returns how an outer reference, or a field of one, is shown within another name.

    The alias that Spark gives a field stays there.
    """
    keys: list[tuple[str, bool]] = []
    while isinstance(expression, Call):
        base, key = expression.args
        assert isinstance(key, Literal)
        keys.append((key.value, isinstance(base.type, MapType)))
        expression = base
    assert isinstance(expression, OuterReference)
    text = f"outer({'.'.join(expression.asked or (expression.name,))})"
    for name, is_key in reversed(keys):
        text += f"[{name}]" if is_key else f".{name}"
    return f"{text} AS {quote_special(keys[0][0])}" if keys else text


def is_outer(expression: ResolvedExpression) -> bool:
    """Whether what a column's name means is an outer reference, or a field of one."""
    while isinstance(expression, Call) and expression.args:
        expression = expression.args[0]
    return isinstance(expression, OuterReference)


def subquery_text(kind: str, names: Sequence[str], operands: Sequence[Operand] = ()) -> str:
    """Returns how a sub-query that uses columns of those names around it is shown."""
    used = ", ".join(names)
    if kind == "in":
        return f"({_operands_text(operands)} IN (listquery({used})))"
    return f"{'scalarsubquery' if kind == 'scalar' else kind}({used})"


class Operand(NamedTuple):
    """What is looked for in a query: how it is shown, its name if it has one, or its constant."""

    text: str
    name: str | None = None
    value: Literal | None = None

    def key(self, place: int) -> str:
        """The name of the field that it is among several."""
        if self.value is not None and isinstance(self.value.type, _SHOWN):
            return self.text
        return f"_{place}" if self.name is None else self.name


_SHOWN = (IntegralType, DecimalType, FloatType, DoubleType, StringType, VoidType)
"""The types of constants that have their values as names."""


def _operands_text(operands: Sequence[Operand]) -> str:
    """Several values are a struct."""
    if len(operands) == 1:
        return operands[0].text
    fields = (f"'{each.key(place)}', {each.text}" for place, each in enumerate(operands))
    return f"named_struct({', '.join(fields)})"


def outer_names(query: Node) -> list[str]:
    """Returns the names of the columns right around a query, as often as they are used in it."""
    return [(each.asked or (each.name,))[-1] for each in _outer_columns(query)]


def _outer_columns(query: Node) -> Iterator[OuterReference]:
    stack: list[tuple[Node, int]] = [(query, 0)]
    while stack:
        found, inside = stack.pop()
        if type(found) is OuterReference:
            if found.level == inside + 1:
                yield found
            continue
        inner = [getattr(found, name) for name in found.inner_fields]
        children = [(each, inside + any(each is own for own in inner)) for each in found.children()]
        children.sort(key=lambda pair: pair[0].is_query)  # what is below last
        stack += reversed(children)
