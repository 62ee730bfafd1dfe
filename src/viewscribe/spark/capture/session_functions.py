"""Python functions of a session within a tree that is being captured, until all of it is known.

What a later step drops is no part of a view. Whether one does is known in the end only, so that a
call stands in the tree until then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.inference import ANY, TypeInference, always_nullable
from viewscribe.expressions.node import IS_OF_SESSION, marks_in, postorder
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.operations.rewrites.unread import without_unread
from viewscribe.types import Field, LogicalType
from viewscribe.types.identifiers import quote_identifier

# Functions of a session, which no stored view can call: what to do about each, line by line.

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


# What a capture cannot take over: which node, which Python line, and the way out.


class RefusedPlanError(CaptureError):
    """Everything in a plan that cannot be captured, all at once: ``refusals`` has each."""

    refusals: tuple[CaptureError, ...] = ()


def refusal(
    node: str,
    reason: str,
    *,
    hint: str | None = None,
    origin: object = None,
    code: str | None = None,
) -> CaptureError:
    """The error for a node of a plan.

    Args:
        node: the node's name in Spark's plan.
        reason: one sentence of why there is no view of it.
        hint: the way out.
        origin: the node's or expression's ``common.origin``, which may know the Python line.
        code: stable identifier for machines.
    """
    return CaptureError(reason, code=code, location=locate(node, origin), hint=hint)


def locate(node: str, origin: object = None) -> str:
    """The node, and the Python line that made it where that is known."""
    line = python_line(origin)
    return f"{node}, at {line}" if line else node


def python_line(origin: Any) -> str | None:
    """``file:line`` of the call that made a node, where PySpark noted it."""
    if origin is None or not origin.HasField("python_origin"):
        return None
    site: str = origin.python_origin.call_site
    return site.replace('"', "").strip() or None


def refusal_because(node: str, error: ViewscribeError, origin: object = None) -> CaptureError:
    """The error of building an operation, as one of the plan's node."""
    if isinstance(error, CaptureError):
        return error
    where = locate(node, origin)
    location = f"{where}: {error.location}" if error.location else where
    return CaptureError(error.message, code=error.code, location=location, hint=error.hint)


def all_refused(refusals: Sequence[CaptureError]) -> CaptureError:
    """One error for all of them; the only one stays as it is."""
    if len(refusals) == 1:
        return refusals[0]
    lines = [str(each).replace("\n", "\n  ") for each in refusals]
    listed = "\n".join(f"- {line}" for line in lines)
    error = RefusedPlanError(
        f"{len(refusals)} parts of the DataFrame cannot be captured:\n{listed}"
    )
    error.refusals = tuple(refusals)
    return error


class SessionFunction(FunctionDefinition):
    """A function of the session.

    Args:
        name: what it is called in Python.
        returns: the type of its result.
        refusal: why no view can call it.
    """

    __slots__ = ("refusal",)

    def __init__(self, name: str, returns: LogicalType, refusal: CaptureError) -> None:
        inference = TypeInference((ANY,), always_nullable(returns), 0, variadic=True)
        super().__init__(name, kind=FunctionKind.SCALAR, inference=inference)
        self.built_in_name = ""
        self.refusal = refusal
        self.marks |= IS_OF_SESSION

    @property
    def foldable(self) -> bool:
        """Whether calls can be constants; Spark folds none of its own."""
        return False


def without_dropped(query: QueryOperation, notes: Notes | None) -> QueryOperation:
    """A query, also one in an expression, without the columns of such functions that it drops."""
    return without_unread(query, IS_OF_SESSION, notes)


def without_session_functions(
    root: QueryOperation, notes: Notes | None = None, *, partial: bool = False
) -> QueryOperation:
    """The tree without the columns of the session's functions, which nothing may read.

    Raises:
        CaptureError: one is read; with ``partial`` all that are.
    """
    made = without_dropped(root, notes)
    refusals = refusals_in(made)
    if refusals:
        raise all_refused(refusals if partial else refusals[:1])
    return made


def refusals_in(root: QueryOperation) -> list[CaptureError]:
    """Why each function of the session in a tree is refused, what runs first first."""
    found: dict[int, CaptureError] = {}
    for node in postorder(root, skip=lambda node: not marks_in(node) & IS_OF_SESSION):
        function = getattr(node, "function", None)
        if isinstance(function, SessionFunction):
            found.setdefault(id(function), function.refusal)
    return [*found.values()]
