"""Semantic equality as Spark defines it: expressions that differ only in the order of operands.

Spark compares grouping keys with select items after it has canonicalized the order of operands
(``semanticEquals``): ``a + 1`` equals ``1 + a``, ``a > b`` equals ``b < a`` and ``NOT a <= b``.
Operands move within a chain such as ``a + b + c`` as long as there is no cast between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import Call, FieldReference, ResolvedExpression
from viewscribe.types import (
    CalendarIntervalType,
    DayTimeIntervalType,
    DecimalType,
    LogicalType,
    NumericType,
    YearMonthIntervalType,
)

_Intervals = (YearMonthIntervalType, DayTimeIntervalType, CalendarIntervalType)
_NEGATED = {op.NOT_EQUALS: op.EQUALS, op.IS_DISTINCT_FROM: op.NULL_SAFE_EQUALS}
_TURNED = {op.GREATER: op.LESS, op.GREATER_OR_EQUAL: op.LESS_OR_EQUAL}
_OPPOSITE = {op.LESS: op.LESS_OR_EQUAL, op.LESS_OR_EQUAL: op.LESS}
_OF_OTHER_FORMS = {*_NEGATED, *_TURNED, *_OPPOSITE, op.IN}
_SYNONYMS = {"nvl": "coalesce", "coalesce": "coalesce"}
"""By name, because the family of these functions is loaded when one of them is wanted."""

_MOST_DECIMALS = 4
"""How many operands of different DECIMAL types are tried in every order."""

_MOST_OPERANDS = 1_000
"""Operands of a chain that are taken in any order: those of ``e + e`` double with each step."""


class Equivalence:
    """Numbers expressions; those that Spark considers equal get the same number.

    Terms are stored flat (a function and the numbers of its arguments), so depth is no problem.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._terms: list[tuple[Any, ...]] = []
        # Numbered nodes are kept alive, or a new node could reuse the id of one.
        self._known: dict[int, tuple[Node, int]] = {}
        self._chains: dict[int, tuple[Call, list[tuple[int, ResolvedExpression]]]] = {}

    def number(self, expression: Node) -> int:
        """Returns the number of an expression."""
        known = self._known
        for node in postorder(expression, skip=lambda node: id(node) in known):
            known[id(node)] = (node, self._number(node))
        return known[id(expression)][1]

    def _number(self, node: Node) -> int:
        below = [self._known[id(child)][1] for child in node.children()]
        if not isinstance(node, Call):
            return self._of((type(node), node.attributes(), *below))
        return self._of_call(node, below)

    def _of(self, term: tuple[Any, ...]) -> int:
        number = self._numbers.setdefault(term, len(self._terms))
        if number == len(self._terms):
            self._terms.append(term)
        return number

    def _of_call(self, call: Call, below: list[int]) -> int:
        function = call.function
        if function is op.NOT:
            return self._opposite(below[0])
        if function in _NEGATED:
            return self._opposite(self._of((_NEGATED[function], *sorted(below))))
        if function in _TURNED:
            return self._of((_TURNED[function], below[1], below[0]))
        if function is op.IN:
            return self._of((function, below[0], *sorted(below[1:])))
        if not function.commutative:
            return self._of((_SYNONYMS.get(function.built_in_name, function), *below))
        operands = self._operands(call, below)
        number = self._of((function, *sorted(number for number, _ in operands)))
        self._chains.setdefault(number, (call, operands))
        return number

    def _opposite(self, number: int) -> int:
        function, *operands = self._terms[number]
        if function in _OPPOSITE:
            return self._of((_OPPOSITE[function], *reversed(operands)))
        return self._of((op.NOT, number))

    def _operands(self, call: Call, below: list[int]) -> list[tuple[int, ResolvedExpression]]:
        """Returns the operands of the chain whose top is the call, with their numbers."""
        plain = list(zip(below, call.args, strict=True))
        if not call.function.associative:
            return plain
        found: list[tuple[int, ResolvedExpression]] = []
        for number, argument in plain:
            chain = self._chains.get(number)
            joined = chain is not None and _is_one_chain(call, chain[0])
            found.extend(chain[1] if chain is not None and joined else [(number, argument)])
            if len(found) > _MOST_OPERANDS:
                return plain
        if len(found) > len(plain) and isinstance(call.type, DecimalType):
            return found if _has_one_type(call, [argument for _, argument in found]) else plain
        return found


def may_be_reordered(expressions: Iterable[Node]) -> bool:
    """Whether other expressions could be equal to one of these for Spark."""
    return any(
        isinstance(node, Call) and (node.function.commutative or node.function in _OF_OTHER_FORMS)
        for expression in expressions
        for node in postorder(expression)
    )


def _is_one_chain(call: Call, operand: Call) -> bool:
    """Whether Spark flattens the operands of both calls into one chain.

    Numbers of another type get a cast, DECIMALs do not. Dates plus days are not sums to Spark.
    """
    if operand.function is not call.function:
        return False
    if isinstance(call.type, DecimalType):
        return isinstance(operand.type, DecimalType)
    if call.function in (op.PLUS, op.TIMES) and not _is_sum_or_product(call):
        return False
    return call.type.as_nullable() == operand.type.as_nullable()


def _is_sum_or_product(call: Call) -> bool:
    scalable = isinstance(call.type, NumericType)
    return scalable or (call.function is op.PLUS and isinstance(call.type, _Intervals))


def _has_one_type(call: Call, operands: Sequence[ResolvedExpression]) -> bool:
    """Whether the chain has the type of the call whatever the order of evaluation."""
    if len(operands) > _MOST_DECIMALS:
        return False
    orders = permutations(operands)
    return all(_type_in_order(call.function, order) == call.type for order in orders)


def _type_in_order(
    function: FunctionDefinition, operands: Sequence[ResolvedExpression]
) -> LogicalType | None:
    left, *others = operands
    for other in others:
        try:
            type_ = function.infer((left, other))
        except ViewscribeError:
            return None
        left = FieldReference(0, "", type_)
    return left.type
