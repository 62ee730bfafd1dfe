"""Forms of a call that came with a later Spark than the function itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.definition import NewerForm, Texts
from viewscribe.types import DateType, LogicalType, TimestampNtzType, TimestampType, VoidType
from viewscribe.types.nested_types import contains

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import AnyCall


# What Spark shows of a call's arguments in the made-up name of a column.


def first(count: int) -> Texts:
    """The first arguments alone: the others are schemas, options or seeds."""
    return lambda texts: texts[:count]


def with_default_before(default: str, count: int) -> Texts:
    """All arguments, with a default in front where only so many were given."""
    return lambda texts: [default, *texts] if len(texts) == count else texts


def always(version: str) -> NewerForm:
    """All of them: Spark's documentation names an earlier version than has it."""
    return lambda call: version


def with_arguments(least: int, version: str) -> NewerForm:
    """Calls of so many arguments or more."""
    return lambda call: version if len(call.args) >= least else None


def with_fewer_arguments(most: int, version: str) -> NewerForm:
    """Calls of so many arguments or fewer."""
    return lambda call: version if len(call.args) <= most else None


def with_null_added(version: str) -> NewerForm:
    """Sums of a date or a timestamp and a NULL of no type, which was a number of days."""

    def find_version(call: AnyCall) -> str | None:
        types = [type(argument.type) for argument in call.args]
        dated = any(each in (DateType, TimestampType, TimestampNtzType) for each in types)
        return version if dated and VoidType in types else None

    return find_version


def with_null_subtracted(version: str) -> NewerForm:
    """A date less a NULL of no type."""

    def find_version(call: AnyCall) -> str | None:
        return version if [type(each.type) for each in call.args] == [DateType, VoidType] else None

    return find_version


def with_type(kind: type[LogicalType], version: str) -> NewerForm:
    """Calls that take or give the type."""

    def find_version(call: AnyCall) -> str | None:
        types = [call.type, *[argument.type for argument in call.args]]
        return version if any(contains(type_, kind) for type_ in types) else None

    return find_version
