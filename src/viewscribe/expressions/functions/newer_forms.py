"""Forms of a call that came with a later Spark than the function itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.definition import NewerForm
from viewscribe.types import LogicalType
from viewscribe.types.nested_types import contains

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import AnyCall


def always(version: str) -> NewerForm:
    """All of them: Spark's documentation names an earlier version than has it."""
    return lambda call: version


def with_arguments(least: int, version: str) -> NewerForm:
    """Calls of so many arguments or more."""
    return lambda call: version if len(call.args) >= least else None


def with_fewer_arguments(most: int, version: str) -> NewerForm:
    """Calls of so many arguments or fewer."""
    return lambda call: version if len(call.args) <= most else None


def with_type(kind: type[LogicalType], version: str) -> NewerForm:
    """Calls that take or give the type."""

    def find_version(call: AnyCall) -> str | None:
        types = [call.type, *[argument.type for argument in call.args]]
        return version if any(contains(type_, kind) for type_ in types) else None

    return find_version
