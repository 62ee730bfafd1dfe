"""How Spark calls a column that is ``LIKE ANY (…)`` or ``(a, b) IN (SELECT …)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def is_like_each(node: s.Operation) -> bool:
    """Whether it is LIKE ANY, or its kin, with a pattern that is no constant string."""
    return _QUANTIFIED.fullmatch(node.name) is not None and not all(
        map(_is_constant_string, node.args[1:])
    )


def name_like_each(reader: ExpressionReader, node: s.Operation) -> str:
    """LIKE ANY and its kin with a pattern that is no constant string: one LIKE for each pattern."""
    found = _QUANTIFIED.fullmatch(node.name)
    assert found is not None
    negated, like, which = found.groups()
    operand, *patterns = [spell(reader, each) for each in node.args]
    each = [call_text(like, [operand, pattern]) for pattern in patterns]
    if negated:
        each = [f"(NOT {text})" for text in each]
    word = "AND" if which == "all" else "OR"
    return "(" * (len(each) - 1) + f" {word} ".join([each[0], *[f"{text})" for text in each[1:]]])


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
