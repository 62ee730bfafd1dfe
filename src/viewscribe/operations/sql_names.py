"""Names in SQL text: which tables and functions of users a query names, and where.

sqlglot parses and says where each name stands. The text is then edited at those places and nowhere
else, so that layout, comments, strings and aliases stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

FunctionResolver = Callable[[Sequence[str]], UserFunction | None]
"""From the parts of a name to the function of a user that it means; None for one of Spark's."""

NOT_ONE_QUERY = "NotOneQueryError"
"""The code of the error for text that parses, and is a command or several statements."""

Edit = tuple[int, int, str]
"""From where to where of a text stands what instead."""


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


def tables_of(tree: Any) -> list[Any]:
    """The table references of the query that are not names of its CTEs."""
    from sqlglot import exp

    return [
        table
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier)
        and not table.find_ancestor(exp.Hint)  # the alias that a hint is about
        and not (len(parts_of(table)) == 1 and _is_step(table))
    ]


def _is_step(table: Any) -> bool:
    """Whether the name means a CTE: one of a query around it, defined before where it stands."""
    from sqlglot import exp

    name: str = table.name.lower()
    node: Any = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None and _defines(with_, name, before=None):
            return True
        if isinstance(node, exp.CTE) and _defines(node.parent, name, before=node):
            return True
        # What stands in a CTE sees the ones before it, but not those of the query it belongs to.
        around: Any = node.parent
        node = around.parent.parent if isinstance(node, exp.CTE) else around
    return False


def _defines(with_: Any, name: str, before: Any) -> bool:
    for step in with_.expressions:
        if step is before:
            return bool(with_.args.get("recursive")) and step.alias.lower() == name
        if step.alias.lower() == name:
            return True
    return False


def parts_of(table: Any) -> list[str]:
    """The parts of the name of a table."""
    return [part.name for part in table.parts]


def called(
    tree: Any, text: str, find: FunctionResolver
) -> Iterator[tuple[list[Any], UserFunction]]:
    """The functions of users that the query calls, each with the parts of its name."""
    from sqlglot import exp

    for call in _calls(tree):
        path: list[Any] = []
        around = call.parent
        if isinstance(around, exp.Dot) and around.expression is call:
            path = list(around.this.find_all(exp.Identifier))
            path.sort(key=lambda part: part.meta.get("start", 0))
        function = find([*[part.name for part in path], _name_of(call, text)])
        if function is not None:
            yield [*path, call], function


def names_called(tree: Any, text: str) -> Iterator[str]:
    """The functions that the query calls by a name of one part, as they are written."""
    from sqlglot import exp

    for call in _calls(tree):
        around = call.parent
        if not (isinstance(around, exp.Dot) and around.expression is call):
            yield _name_of(call, text)


def _calls(tree: Any) -> Iterator[Any]:
    """The calls; no operators, and nothing that is written in a way of its own."""
    from sqlglot import exp

    return (call for call in tree.find_all(exp.Func) if "start" in call.meta)


def _name_of(call: Any, text: str) -> str:
    """What another dialect has of that name is a class of its own, which knows no name."""
    return text[call.meta["start"] : call.meta["end"] + 1].strip("`")


def edit(names: Sequence[Any], full: str) -> Edit:
    """Puts ``full`` where the parts of a name stand."""
    metas = [part.meta for part in names]
    if not all("start" in meta for meta in metas):
        raise ValidationError(
            f"cannot tell where `{names[-1].name}` stands in the SQL text",
            hint="write it with its full name: catalog.database.name",
        )
    return metas[0]["start"], metas[-1]["end"] + 1, full


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made."""
    for start, end, full in sorted(edits, reverse=True):
        text = text[:start] + full + text[end:]
    return text
