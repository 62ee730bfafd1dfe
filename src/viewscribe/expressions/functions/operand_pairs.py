"""Which types go together as the operands of an operator, for messages.

``+(<any>, <any>)`` would say nothing. What types a call really takes is decided by its output
strategy; a text beside these types is read as one of them where Spark reads it so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.syntax import (
    Between,
    CallSyntax,
    DistinctFrom,
    Infix,
    InList,
    Subscript,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from viewscribe.expressions.functions.definition import FunctionDefinition

NUMBER, WHOLE = "<numeric>", "<whole number>"
MONTHS, SECONDS = "INTERVAL of months", "INTERVAL of days or seconds"
SAME = "<the same>"

Pairs = tuple[tuple[str, str], ...]

_MOVED: Pairs = (
    ("DATE", "INT"),
    ("DATE or TIMESTAMP", MONTHS),
    ("DATE or TIMESTAMP or TIME", SECONDS),
)
_INTERVALS: Pairs = ((MONTHS, MONTHS), (SECONDS, SECONDS))
NUMBERS: Pairs = ((NUMBER, NUMBER),)

ADDED: Pairs = (*NUMBERS, *_MOVED, *[(b, a) for a, b in _MOVED], *_INTERVALS)
SUBTRACTED: Pairs = (
    *NUMBERS,
    *_MOVED,
    ("DATE or TIMESTAMP", "DATE or TIMESTAMP"),
    ("TIME", "TIME"),
    *_INTERVALS,
)
DIVIDED: Pairs = (*NUMBERS, (f"{MONTHS} or {SECONDS}", NUMBER))
MULTIPLIED: Pairs = (*DIVIDED, (NUMBER, f"{MONTHS} or {SECONDS}"))
COMPARED: Pairs = (
    *NUMBERS,
    ("DATE or TIMESTAMP", "DATE or TIMESTAMP"),
    *_INTERVALS,
    ("TIME or STRING or BINARY or BOOLEAN or ARRAY or STRUCT", SAME),
)
WHOLE_QUOTIENT: Pairs = ((f"{WHOLE} or DECIMAL", f"{WHOLE} or DECIMAL"), *_INTERVALS)
BITS: Pairs = ((WHOLE, WHOLE),)
ITEMS: Pairs = (("ARRAY", WHOLE), ("MAP", "<its key>"))


def describe_operands(function: FunctionDefinition) -> str:
    """What a function takes: of an operator and its kin the pairs of types, else its signature."""
    pairs = function.operands
    if pairs is None:
        return function.signature
    written = _WRITTEN.get(type(function.syntax), _called)
    return "; ".join(written(function, first, other) for first, other in pairs)


def _called(function: FunctionDefinition, first: str, other: str) -> str:
    return f"{function.sql_name}({first}, {other})"


def _between_operands(function: FunctionDefinition, first: str, other: str) -> str:
    assert isinstance(function.syntax, Infix)
    return f"{first} {function.syntax.operator} {other}"


def _distinct(function: FunctionDefinition, first: str, other: str) -> str:
    assert isinstance(function.syntax, DistinctFrom)
    return f"{first} IS {'NOT ' * function.syntax.negated}DISTINCT FROM {other}"


_WRITTEN: dict[type[CallSyntax], Callable[[FunctionDefinition, str, str], str]] = {
    Infix: _between_operands,
    DistinctFrom: _distinct,
    Between: lambda _, first, other: f"{first} BETWEEN {other} AND {other}",
    InList: lambda _, first, other: f"{first} IN ({other}, …)",
    Subscript: lambda _, first, other: f"{first}[{other}]",
}
"""How SQL writes a call with two operands, by its syntax; all others as a function."""
