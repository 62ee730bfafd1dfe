"""Rows of operators over types, made from lists: each operator over each pair of operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

LITERALS = {
    "2": "F.lit(2)",
    "1.5": "F.lit(D('1.5'))",
    "'7'": "F.lit('7')",
    "NULL": "F.lit(None)",
    "true": "F.lit(True)",
    "DATE '2020-02-29'": "F.lit(dt.date(2020, 2, 29))",
    "INTERVAL '1' DAY": "F.expr(\"INTERVAL '1' DAY\")",
}
"""Operands that are no columns, as SQL and as PySpark write them."""

IN_PYTHON = {"=": "==", "<>": "!=", "AND": "&", "OR": "|"}
AS_METHOD = {
    "<=>": "{0}.eqNullSafe({1})",
    "&": "{0}.bitwiseAND({1})",
    "|": "{0}.bitwiseOR({1})",
    "^": "{0}.bitwiseXOR({1})",
    "IN": "{0}.isin({1})",
    "LIKE": None,
    "ILIKE": None,
    "RLIKE": None,
    "NOT LIKE": None,
    "IS DISTINCT FROM": None,
    "||": None,
    "DIV": None,
    **dict.fromkeys(("<<", ">>", ">>>")),
}
"""What a Column says in other words; None where it has none."""


def operators(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a group of the file.

    Args:
        group: ``operators`` over all pairs of ``left`` and ``right``, or ``templates`` with ``{0}``
            for each of ``left`` and, where ``right`` is given, ``{1}`` for each of it; beside what
            SQL says stands what a Column says.
    """
    left, right = (str(group.get(side, "")).split("; ") for side in ("left", "right"))
    for operator, one, other in product(group.get("operators", ()), left, right):
        yield _binary(operator, one, other)
    for template, one, other in product(group.get("templates", ()), left, right):
        sql, frame = (template, None) if isinstance(template, str) else template
        made = {"sql": sql.format(one, other)}
        if frame is not None:
            made["frame"] = frame.format(_column(one), other)
        yield made


def _binary(operator: str, one: str, other: str) -> dict[str, Any]:
    operand = f"({other})" if operator == "IN" else other
    made = {"sql": f"{one} {operator} {operand}"}
    method = AS_METHOD.get(operator, f"{{0}} {IN_PYTHON.get(operator, operator)} {{1}}")
    if method is not None:
        made["frame"] = method.format(_column(one), _column(other))
    return made


def _column(operand: str) -> str:
    return LITERALS.get(operand) or f"F.col('{operand}')"
