"""Where sqlglot and Spark bind operators otherwise, and a text must have parentheses."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from viewscribe.errors import CaptureError

_BITWISE = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.DPipe)
_SHIFTS = (exp.BitwiseLeftShift, exp.BitwiseRightShift)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_DISTINCT = (exp.NullSafeEQ, exp.NullSafeNEQ)
_PREDICATES = (exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike, exp.Not)


def check_binding(root: Any, text: str) -> None:
    """Raises a CaptureError where sqlglot and Spark could read the text in two ways."""
    for node in root.walk():
        for child in node.iter_expressions():
            if _differs(node, child):
                raise CaptureError(
                    f"`{child.sql(dialect='spark')[:60]}` in the SQL text `{text[:80]}` needs "
                    "parentheses to be read one way only",
                    location="expression_string",
                    hint="put it in parentheses",
                )


def _differs(node: Any, child: Any) -> bool:
    if isinstance(node, (*_BITWISE, *_SHIFTS)):
        mixed = isinstance(child, (*_BITWISE, *_SHIFTS)) and type(child) is not type(node)
        return mixed or isinstance(child, exp.Add | exp.Sub)
    if isinstance(node, (*_COMPARISONS, *_DISTINCT)):
        return isinstance(child, _PREDICATES)
    if isinstance(node, _PREDICATES) and not isinstance(node, exp.Not):
        return (
            isinstance(child, (*_COMPARISONS, *_DISTINCT, *_PREDICATES)) and child.arg_key == "this"
        )
    return False
