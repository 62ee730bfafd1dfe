"""The syntax tree that bodies of functions are looked at with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

FunctionResolver = Callable[[Sequence[str]], UserFunction | None]
"""From the parts of a name to the function of a user that it means; None for one of Spark's."""

NOT_ONE_QUERY = "NotOneQueryError"
"""The code of the error for text that parses, and is a command or several statements."""


def parsed(text: str) -> Any:
    """The syntax tree of one query. Raises ``ValidationError``."""
    import sqlglot
    from sqlglot import exp

    try:
        statements = sqlglot.parse(text, read="spark")
    except sqlglot.errors.SqlglotError as error:
        message = _COLOURS.sub("", str(error))
        raise ValidationError(f"the SQL text does not parse: {message}") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query | exp.Values):
        raise ValidationError(
            "the SQL text is not one query",
            code=NOT_ONE_QUERY,
            hint="no DDL, no second statement",
        )
    return statements[0]
