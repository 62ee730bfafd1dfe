"""How Spark calls a column that is ``LIKE ANY (…)`` or ``(a, b) IN (SELECT …)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from viewscribe.expressions.auto_names import call_text
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import is_call_without_parentheses
from viewscribe.parser.name_parts import spell
from viewscribe.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
    VoidType,
)

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader

_QUANTIFIED = re.compile("(not_)?(i?like)_(any|all)")
_SHOWN = (IntegralType, DecimalType, FloatType, DoubleType, StringType, VoidType)
"""The types of constants that have their values as names."""


def is_call(reader: ExpressionReader, node: s.Name) -> bool:
    """Whether a name is a function call without parentheses."""
    return (
        len(node.parts) == 1
        and is_call_without_parentheses(node.parts[0])
        and reader.columns.find_here(node.parts) is None
    )


def name_like_each(reader: ExpressionReader, node: s.Operation) -> str | None:
    """LIKE ANY and its kin with a pattern that is no constant string: one LIKE for each pattern."""
    found = _QUANTIFIED.fullmatch(node.name)
    if found is None or all(map(_is_constant_string, node.args[1:])):
        return None
    negated, like, which = found.groups()
    operand = spell(reader, node.args[0])
    each = [call_text(like, [operand, spell(reader, pattern)]) for pattern in node.args[1:]]
    if negated:
        each = [f"(NOT {text})" for text in each]
    return reduce(lambda one, other: f"({one} {'AND' if which == 'all' else 'OR'} {other})", each)


def _is_constant_string(node: Any) -> bool:
    """Whether Spark's parser knows the text already."""
    if type(node) is s.CastTo:
        return node.type.upper() == "STRING" and type(node.child) is s.Constant
    if type(node) is s.Operation:
        return node.name == "concat" and all(map(_is_constant_string, node.args))
    return type(node) is s.Constant and isinstance(node.value.type, StringType)


def name_operands(reader: ExpressionReader, operands: Sequence[Any]) -> str:
    """What is looked for in a query: several values are a struct, by their names or places."""
    texts = [spell(reader, each) for each in operands]
    if len(texts) == 1:
        return texts[0]
    shown: list[str] = []
    for place, (each, text) in enumerate(zip(operands, texts, strict=True)):
        name = f"_{place}"
        if type(each) is s.Aliased:
            name = each.names[0]
        elif type(each) is s.Name:
            name = name if is_call(reader, each) else text
        elif type(each) is s.Constant and isinstance(each.value.type, _SHOWN):
            name = text
        shown += [f"'{name}'", text]
    return f"named_struct({', '.join(shown)})"
