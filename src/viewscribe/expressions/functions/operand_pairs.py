"""Which types go together as the operands of an operator, for messages.

``+(<any>, <any>)`` would say nothing. What types a call really takes is decided by its output
strategy; a text beside these types is read as one of them where Spark reads it so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.syntax import FUNCTION

if TYPE_CHECKING:
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


def expected(function: FunctionDefinition) -> str:
    """What a function takes: of an operator and its kin the pairs of types, else its signature."""
    pairs = function.operands
    if pairs is None:
        return function.signature
    if function.syntax is FUNCTION:
        return "; ".join(f"{function.sql_name}({first}, {other})" for first, other in pairs)
    return "; ".join(f"{first} {function.sql_name} {other}" for first, other in pairs)
