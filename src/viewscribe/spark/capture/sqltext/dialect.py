"""Spark's grammar in sqlglot without its knowledge of functions.

sqlglot turns calls of functions it knows into nodes of its own, which may mean something else.
With this parser every call keeps its name and its arguments as they were typed.
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

from viewscribe.errors import CaptureError

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_KEPT = ("CAST", "TRY_CAST", "EXTRACT")


class TypedLiteral(exp.Expression):
    """``DATE '2024-01-01'``, which sqlglot would make a CAST."""

    arg_types = {"this": True, "to": True}  # noqa: RUF012 (sqlglot's way)


def _typed_literal(parser: Any, this: Any, data_type: Any) -> TypedLiteral:
    return TypedLiteral(this=this, to=data_type)


_TRIMMED = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}
"""What the words of ``trim(BOTH 'x' FROM text)`` call; what is trimmed off is given first."""


def _trim(parser: Any) -> exp.Anonymous:
    """``trim``, called with a list of arguments or written with FROM."""
    side = _side(parser)
    from_ = parser._curr is not None and parser._curr.token_type == TokenType.FROM
    args = [] if from_ else parser._parse_function_args()
    if parser._match(TokenType.FROM) and len(args) < 2:
        args.append(parser._parse_bitwise())
    elif side is not None:
        parser.raise_error(f"{side} without FROM")
    if parser._curr is None or parser._curr.token_type != TokenType.R_PAREN:
        parser.raise_error("Expecting )")
    return exp.Anonymous(this=_TRIMMED[side or "BOTH"], expressions=args)


def _side(parser: Any) -> str | None:
    """The word before what is trimmed off, unless it is the name of a column."""
    begin = parser._index
    if not parser._match_texts(_TRIMMED):
        return None
    side: str = parser._prev.text.upper()
    if parser._curr is None or parser._curr.token_type in (TokenType.R_PAREN, TokenType.COMMA):
        parser._retreat(begin)
        return None
    return side


_TYPED = tuple(
    getattr(exp.DataType.Type, name)
    for name in ("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "TIME")
)


class PlainSpark(Spark):
    """Spark's grammar, functions as they are typed."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        """The parser that knows no function."""

        STRICT_CAST = True  # CAST is CAST: with ANSI it fails where TRY_CAST is NULL
        FUNCTIONS: dict[str, Any] = {}  # noqa: RUF012
        FUNCTION_PARSERS = {
            name: parse for name, parse in Spark.Parser.FUNCTION_PARSERS.items() if name in _KEPT
        } | {"TRIM": _trim}
        TYPE_LITERAL_PARSERS = dict.fromkeys(_TYPED, _typed_literal)


def parsed_item(text: str) -> exp.Expression:
    """The one item of a SELECT that the text is.

    Raises:
        CaptureError: the text is not one expression.
    """
    try:
        statements = PlainSpark().parse(f"SELECT {text}")
    except SqlglotError as error:
        message = _COLOURS.sub("", str(error)).splitlines()[0]
        raise _not_read(text, message) from error
    tree = statements[0] if len(statements) == 1 else None
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        raise _not_read(text, "it is not one expression")
    more = {name for name, value in tree.args.items() if value and name != "expressions"}
    if more:
        raise _not_read(text, f"it has {', '.join(sorted(more))}")
    item: exp.Expression = tree.expressions[0]
    return item


def _not_read(text: str, why: str) -> CaptureError:
    shown = text if len(text) <= 80 else text[:77] + "…"
    return CaptureError(
        f"the SQL text `{shown}` is not read: {why}",
        location="expression_string",
        hint="write it with functions of pyspark.sql.functions",
    )
