"""What a tree needs of the Spark that reads its text: functions and types that came later.

``since`` of a function is what Spark's own documentation says. Where that is not when its form of
the call came, the tables here say it; tests ask every supported version of Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.clauses import IGNORE_NULLS, RESPECT_NULLS
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import AggregateCall, Over
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Recursion, SqlText
from viewscribe.parser.names import read_names
from viewscribe.serializer.targets import SELECT_CLAUSES, Target, Version
from viewscribe.types import (
    BinaryType,
    GeographyType,
    GeometryType,
    IntegralType,
    LogicalType,
    TimestampNtzType,
    TimeType,
    VariantType,
    VoidType,
)
from viewscribe.types.nested import contains


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


def _of_text(node: SqlText) -> Iterator[tuple[str, Version]]:
    """What SQL text of a user says that is newer; it is written as it is, for every version."""
    try:
        names = read_names(node.text)
    except ValidationError:  # not a user's: files with options, which no other tool reads
        return
    if names.has_qualify:
        yield "QUALIFY in SQL text", SELECT_CLAUSES
    for name in (each.parts[0] for each in names.functions if len(each.parts) == 1):
        function = find_built_in(name)
        if function is not None and function.since and name.lower() not in _EARLIER:
            yield f"`{name}` in SQL text", _version(function.since)


def _newer(what: str, came: Version, target: Target) -> NotSerializableError:
    version = _shown(came)
    return NotSerializableError(
        f"{what} came with Spark {version}, and the text is for Spark {target.name}",
        code="NewerThanTargetError",
        hint=f'say it without, or write the text for that version: target="{version}"',
    )


def _form(node: Any) -> str:
    """What of a call is newer than its function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return f" with {IGNORE_NULLS if node.ignore_nulls else RESPECT_NULLS}"
    if node.function.name not in _FORMS:
        return ""
    return f" of {', '.join(argument.type.ddl for argument in node.args)}"


def _shown(version: Version) -> str:
    major, minor, patch = version
    return f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"


def _version(since: str) -> Version:
    major, minor, patch = (int(part) for part in since.split("."))
    return major, minor, patch


def _came(function: Any, node: Any) -> Version:
    """The version that the call's form came with; nothing is known of a user's own function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return _COLLECTED_NULLS
    if not function.since:
        return _ALWAYS
    form = _FORMS.get(function.name)
    if form is not None and function.name in _EARLIER:
        return form(node)
    since = _version(function.since)
    return since if form is None else max(since, form(node))


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

_COLLECTED_NULLS: Version = (4, 2, 0)
"""The version that listens to RESPECT NULLS of what collects values."""


def _from_arguments(count: int, version: Version) -> Callable[[Any], Version]:
    """A call of so many arguments came later than one of fewer."""
    return lambda node: version if len(node.args) >= count else _ALWAYS


def _to_arguments(count: int, version: Version) -> Callable[[Any], Version]:
    """A call of so few arguments came later than one of more."""
    return lambda node: version if len(node.args) <= count else _ALWAYS


def _with_type(kind: type[LogicalType], version: Version) -> Callable[[Any], Version]:
    """A call that takes or gives the type came later than others."""

    def came(node: Any) -> Version:
        types = [node.type, *[argument.type for argument in node.args]]
        return version if any(contains(type_, kind) for type_ in types) else _ALWAYS

    return came


def _index(node: Any) -> Version:
    """An index that is no whole number is read as one since 4.1."""
    whole = isinstance(node.args[1].type, IntegralType | VoidType)
    return _ALWAYS if whole else (4, 1, 0)


def _extracted(node: Any) -> Version:
    """Seconds of a TIME have its precision since 4.3, and six digits before."""
    types = [argument.type for argument in node.args]
    shorter = any(isinstance(type_, TimeType) and type_.precision != 6 for type_ in types)
    return (4, 3, 0) if shorter else _ALWAYS


_SHAPES: Version = (4, 2, 0)  # 4.1 has them, and does not allow them

_FORMS: dict[str, Callable[[Any], Version]] = {
    "extract": _extracted,
    "get": _index,
    "from_xml": _with_type(VariantType, (4, 1, 0)),
    "instr": _from_arguments(3, (4, 3, 0)),
    "make_timestamp": _to_arguments(3, (4, 1, 0)),
    "make_timestamp_ltz": _to_arguments(3, (4, 1, 0)),
    "make_timestamp_ntz": _to_arguments(2, (4, 1, 0)),
    "max_by": _from_arguments(3, (4, 2, 0)),
    "min_by": _from_arguments(3, (4, 2, 0)),
    "reverse": _with_type(BinaryType, (4, 2, 0)),
    "time": lambda node: (4, 1, 0),
    "to_xml": _with_type(VariantType, (4, 1, 0)),
    "try_make_timestamp": _to_arguments(3, (4, 1, 0)),
    "try_make_timestamp_ltz": _to_arguments(3, (4, 1, 0)),
    "try_make_timestamp_ntz": _to_arguments(2, (4, 1, 0)),
    "try_to_date": lambda node: (4, 1, 0),
    "unix_micros": _with_type(TimestampNtzType, (4, 3, 0)),
    "unix_millis": _with_type(TimestampNtzType, (4, 3, 0)),
    "unix_seconds": _with_type(TimestampNtzType, (4, 3, 0)),
    **dict.fromkeys(
        ("st_asbinary", "st_geogfromwkb", "st_geomfromwkb", "st_setsrid", "st_srid"),
        lambda node: _SHAPES,
    ),
    **dict.fromkeys(
        (
            *("approx_top_k", "approx_top_k_accumulate", "histogram_numeric", "median"),
            *("percentile", "percentile_approx", "percentile_cont", "percentile_disc"),
            *("convert_timezone", "date_format", "date_trunc", "from_utc_timestamp"),
            *("months_between", "timestamp", "timestampadd", "timestampdiff", "to_char"),
            "to_utc_timestamp",
        ),
        _with_type(TimeType, (4, 3, 0)),
    ),
}
"""Functions of which one form came later than another, or that came later than documented."""

_EARLIER = frozenset(("max_by", "min_by"))
"""Functions whose documentation has the version of their latest form."""

_TYPES: dict[type[LogicalType], Version] = {
    TimeType: (4, 1, 0),
    GeometryType: _SHAPES,
    GeographyType: _SHAPES,
}
"""Types that came after 4.0."""
