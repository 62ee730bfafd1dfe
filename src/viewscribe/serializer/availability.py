"""What a tree needs of the Spark that reads its text: functions and types that came later.

``since`` of a function is when its first form came, ``newer_form`` when the form of a call did;
tests ask every supported version of Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.clauses import IGNORE_NULLS, RESPECT_NULLS
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import AggregateCall, Cast, Over
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Recursion, SqlText
from viewscribe.serializer.targets import SELECT_CLAUSES, Target, Version
from viewscribe.types import (
    GeographyType,
    GeometryType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
    TimeType,
)
from viewscribe.types.nested_types import contains


def refuse_newer(root: QueryOperation, target: Target) -> None:
    """Looks at every function and type of the tree, sub-queries included.

    Raises:
        NotSerializableError: names what the target does not have, and the version that has it.
    """
    if target.is_newest:
        return
    for what, came in needs(root):
        if came > target.version:
            raise _newer(what, came, target)


def needs(root: Node) -> Iterator[tuple[str, Version]]:
    """The functions and types of a tree, in words, each with the version it came with."""
    for node in preorder(root):
        function = getattr(node, "function", None)
        if function is not None:
            yield f"`{function.name}`{_form(node)}", _came(function, node)
        elif type(node) is Over and type(node.call) is AggregateCall and node.call.filter:
            yield f"`{node.call.function.name}` with FILTER over a window", _FILTERED_WINDOWS
        elif type(node) is Cast and _moves_time(node):
            yield f"a cast of {node.child.type.ddl} to {node.type.ddl}", _MOVED_TIMES
        elif type(node) is Recursion:
            yield "WITH RECURSIVE", (4, 1, 0)
        elif type(node) is SqlText:
            yield from _of_text(node)
        for type_ in _types(node):
            for kind, came in _TYPES.items():
                if contains(type_, kind):
                    yield f"the type {type_.ddl}", came
            if isinstance(type_, TimeType) and type_.precision > _DIGITS:
                yield f"the type {type_.ddl}", (4, 3, 0)


def _moves_time(node: Cast) -> bool:
    """Whether a timestamp becomes a TIME, or a TIME a timestamp."""
    types = {type(node.child.type), type(node.type)}
    return TimeType in types and not types.isdisjoint((TimestampType, TimestampNtzType))


def _of_text(node: SqlText) -> Iterator[tuple[str, Version]]:
    """What SQL text of a user says that is newer; it is written as it is, for every version."""
    from viewscribe.parser.names import read_names

    try:
        names = read_names(node.text)
    except ValidationError:  # not a user's: files with options, which no other tool reads
        return
    if names.has_qualify:
        yield "QUALIFY in SQL text", SELECT_CLAUSES
    for name in (each.parts[0] for each in names.functions if len(each.parts) == 1):
        function = find_built_in(name)
        if function is not None and function.since:
            yield f"`{name}` in SQL text", _version(function.since)


def _newer(what: str, came: Version, target: Target) -> NotSerializableError:
    version = _show(came)
    return NotSerializableError(
        f"{what} came with Spark {version}, and the text is for Spark {target.name}",
        code="NewerThanTargetError",
        hint=f'say it without, or write the text for that version: target="{version}"',
    )


def _form(node: Any) -> str:
    """What of a call is newer than its function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return f" with {IGNORE_NULLS if node.ignore_nulls else RESPECT_NULLS}"
    if node.function.newer_form is None:
        return ""
    return f" of {', '.join(argument.type.ddl for argument in node.args)}"


def _show(version: Version) -> str:
    major, minor, patch = version
    return f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"


def _version(since: str) -> Version:
    major, minor, patch = (int(part) for part in since.split("."))
    return major, minor, patch


def _came(function: Any, node: Any) -> Version:
    """The version that the call's form came with; nothing is known of a user's own function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return _COLLECTED_NULLS
    later = None if function.newer_form is None else function.newer_form(node)
    return max(_version(each) if each else _ALWAYS for each in (function.since, later))


def _says_nulls(node: AggregateCall) -> bool:
    """Whether an older Spark refuses the clause, or does not listen to it."""
    if not (node.ignore_nulls or node.respect_nulls):
        return False
    return RESPECT_NULLS in node.function.clauses


def _types(node: Node) -> Iterator[LogicalType]:
    if isinstance(node, QueryOperation):
        for field in node.schema.fields:
            yield field.type
    else:
        type_ = getattr(node, "type", None)
        if type_ is not None:
            yield type_


_DIGITS = 6
"""The digits of a TIME's seconds before Spark 4.3."""

_ALWAYS: Version = (1, 0, 0)

_FILTERED_WINDOWS: Version = (4, 2, 0)

_MOVED_TIMES: Version = (4, 3, 0)

_COLLECTED_NULLS: Version = (4, 2, 0)
"""The version that listens to RESPECT NULLS of what collects values."""


_SHAPES: Version = (4, 2, 0)  # 4.1 has them, and does not allow them

_TYPES: dict[type[LogicalType], Version] = {
    TimeType: (4, 1, 0),
    GeometryType: _SHAPES,
    GeographyType: _SHAPES,
}
"""Types that came after 4.0."""
