"""Functions of a session, which no stored view can call: what to do about each, line by line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from viewscribe.types import Field, LogicalType
from viewscribe.types.identifiers import quote_identifier

SCALARS = frozenset((100, 101, 200, 204, 250, 251))
"""PySpark's kinds of functions that give a value for each row, numbers of ``PythonEvalType``."""

_SCALARS_OF_ARRAYS = frozenset((200, 204, 250, 251))
"""Those that are called with batches."""

_AGGREGATES = frozenset((202, 203, 217, 252, 253, 254))
"""Those that are called with a group, and give one value."""


def python_function(
    name: str,
    eval_type: int,
    returns: LogicalType | None,
    parameters: Sequence[LogicalType] | None,
) -> tuple[str, str]:
    """Why a stored view cannot call a Python function, and the lines that help.

    Args:
        name: what the function is called in Python; a lambda has no name.
        eval_type: PySpark's number for how it is called.
        returns: the type of its result, where it is known.
        parameters: the types of what it is called with, where they are known.

    Returns:
        The reason, and the way out: the statement that says it in SQL, and the line that registers
        it as it is.
    """
    shown = name if name.isidentifier() else "my_function"
    reason = f"`{name}` is a Python function of this session, which no stored view can call"
    return reason, (
        f"say it in SQL: {_statement(shown, returns, parameters)}, and call it as "
        f'F.call_function("{shown}", …); for a pipeline that is not stored, '
        f"{_describe_change(name, eval_type)}register it: "
        f"{_registration(shown, returns, parameters)}"
    )


def python_table_function(name: str, columns: Sequence[Field] | None) -> tuple[str, str]:
    """As ``python_function``, for a table function of these columns."""
    listed = "…"
    if columns is not None:
        listed = ", ".join(f"{quote_identifier(each.name)} {each.type.ddl}" for each in columns)
    text = f"CREATE FUNCTION {quote_identifier(name)}(…) RETURNS TABLE({listed}) RETURN SELECT …"
    return (
        f"`{name}` is a Python table function of this session, which no stored view can call",
        f"say it in SQL: env.execute_sql({json.dumps(text, ensure_ascii=False)}); or store what "
        "it gives as a table, df.write.saveAsTable(…), and start from spark.table(…)",
    )


def _describe_change(name: str, eval_type: int) -> str:
    changes = []
    if not name.isidentifier():
        changes.append("give it a name with def")
    if eval_type in _SCALARS_OF_ARRAYS:
        changes.append("annotate it as (x: pyarrow.Array) -> pyarrow.Array")
    if eval_type in _AGGREGATES:
        changes.append("annotate it as (x: pyarrow.Array) -> float, or what else it gives")
    return f"{' and '.join(changes)}, and " if changes else ""


def _registration(
    name: str, returns: LogicalType | None, parameters: Sequence[LogicalType] | None
) -> str:
    given = [f'"{name}"', name]
    if returns is not None:
        given.append(f"returns={_text(returns)}")
    if parameters is not None:
        given.append(f"parameters=[{', '.join(map(_text, parameters))}]")
    return f"env.create_function({', '.join(given)})"


def _statement(
    name: str, returns: LogicalType | None, parameters: Sequence[LogicalType] | None
) -> str:
    types = ["…"] if parameters is None else [each.ddl for each in parameters]
    listed = ", ".join(f"x{number} {type_}" for number, type_ in enumerate(types, 1))
    result = "…" if returns is None else returns.ddl
    text = f"CREATE FUNCTION {quote_identifier(name)}({listed}) RETURNS {result} RETURN …"
    return f"env.execute_sql({json.dumps(text, ensure_ascii=False)})"


def _text(type_: LogicalType) -> str:
    return json.dumps(type_.ddl, ensure_ascii=False)
