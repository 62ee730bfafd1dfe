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
_NUMBERS: Pairs = ((NUMBER, NUMBER),)

_ADD: Pairs = (*_NUMBERS, *_MOVED, *[(b, a) for a, b in _MOVED], *_INTERVALS)
_SUBTRACT: Pairs = (
    *_NUMBERS,
    *_MOVED,
    ("DATE or TIMESTAMP", "DATE or TIMESTAMP"),
    ("TIME", "TIME"),
    *_INTERVALS,
)
_DIVIDE: Pairs = (*_NUMBERS, (f"{MONTHS} or {SECONDS}", NUMBER))
_MULTIPLY: Pairs = (*_DIVIDE, (NUMBER, f"{MONTHS} or {SECONDS}"))
_COMPARE: Pairs = (
    *_NUMBERS,
    ("DATE or TIMESTAMP", "DATE or TIMESTAMP"),
    *_INTERVALS,
    ("TIME or STRING or BINARY or BOOLEAN or ARRAY or STRUCT", SAME),
)

PAIRS: dict[str, Pairs] = {
    "plus": _ADD,
    "minus": _SUBTRACT,
    "times": _MULTIPLY,
    "divide": _DIVIDE,
    **dict.fromkeys(("mod", "pmod", "try_mod"), _NUMBERS),
    "try_add": _ADD,
    "try_subtract": _SUBTRACT,
    "try_multiply": _MULTIPLY,
    "try_divide": _DIVIDE,
    "div": ((f"{WHOLE} or DECIMAL", f"{WHOLE} or DECIMAL"), *_INTERVALS),
    **dict.fromkeys(
        (
            *("equals", "not_equals", "equal_null", "is_distinct_from", "between", "in"),
            *("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"),
        ),
        _COMPARE,
    ),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ((WHOLE, WHOLE),)),
    "get_item": (("ARRAY", WHOLE), ("MAP", "<its key>")),
}
"""By the names of definitions: what the first operand may be, and what then the others."""


def expected(function: FunctionDefinition) -> str:
    """What a function takes: of an operator and its kin the pairs of types, else its signature."""
    pairs = PAIRS.get(function.name)
    if pairs is None:
        return function.signature
    if function.syntax is FUNCTION:
        return "; ".join(f"{function.sql_name}({first}, {other})" for first, other in pairs)
    return "; ".join(f"{first} {function.sql_name} {other}" for first, other in pairs)
