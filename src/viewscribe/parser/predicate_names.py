"""How Spark calls a column that is ``LIKE ANY (…)`` or ``(a, b) IN (SELECT …)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from viewscribe.expressions.auto_names import call_text
from viewscribe.expressions.subquery_names import Operand
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import is_call_without_parentheses
from viewscribe.parser.checks import spell
from viewscribe.types import StringType

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader

_QUANTIFIED = re.compile("(not_)?(i?like)_(any|all)")


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


def operand_of(reader: ExpressionReader, node: Any) -> Operand:
    """What is looked for in a query."""
    text = spell(reader, node)
    if type(node) is s.Aliased:
        return Operand(text, node.names[0])
    if type(node) is s.Name and not is_call(reader, node):
        return Operand(text, text)
    return Operand(text, value=node.value if type(node) is s.Constant else None)
